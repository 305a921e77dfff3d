// The reserved words of public structs (lfbloom/status.h, Structs): a word that is not 0 is refused
// in what a caller fills, whichever word it is; and all are 0 in what the library fills.
#include <gtest/gtest.h>
#include <lfbloom/builder.h>
#include <lfbloom/counting.h>
#include <lfbloom/file_source.h>
#include <lfbloom/follow.h>
#include <lfbloom/growing_mapped.h>
#include <lfbloom/mapped.h>
#include <lfbloom/versions.h>
#include <lfbloom/watch.h>
#include <lfbloom/window.h>

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <string>

namespace {

lfb_config Plain() {
  lfb_config config = {};
  config.expected_insertions = 100;
  config.fpp = 0.01;
  return config;
}

// Expects that `call` succeeds with the struct as it is, and is refused with any reserved word set.
template <typename Struct>
void ExpectRefused(Struct given, const std::function<lfb_status(const Struct&)>& call) {
  EXPECT_EQ(call(given), LFB_OK);
  for (uint64_t& word : given.reserved) {
    word = UINT64_C(1) << 63;
    EXPECT_EQ(call(given), LFB_ERROR_RESERVED) << "word " << &word - given.reserved;
    word = 0;
  }
}

// Calls `fill` on a struct full of other bits.
template <typename Struct>
Struct Filled(const std::function<void(Struct*)>& fill) {
  Struct filled;
  memset(static_cast<void*>(&filled), 0xa5, sizeof filled);
  fill(&filled);
  return filled;
}

template <typename Struct>
void ExpectZero(const Struct& filled) {
  for (const uint64_t& word : filled.reserved) EXPECT_EQ(word, 0u) << &word - filled.reserved;
}

// A call that makes a thing of type T by a configuration, and frees it.
template <typename T, typename Struct>
std::function<lfb_status(const Struct&)> Making(lfb_status (*make)(const Struct*, T**),
                                                void (*free)(T*)) {
  return [=](const Struct& given) {
    T* made = nullptr;
    const lfb_status status = make(&given, &made);
    EXPECT_EQ(made != nullptr, status == LFB_OK);
    free(made);
    return status;
  };
}

class Reserved : public testing::Test {
 protected:
  void SetUp() override {
    const lfb_config config = Plain();
    ASSERT_EQ(lfb_filter_create(&config, &filter_), LFB_OK);
    ASSERT_EQ(lfb_growing_create(&config, &growing_), LFB_OK);
    ASSERT_EQ(lfb_counting_create(&config, &counting_), LFB_OK);
    ASSERT_EQ(lfb_versions_create(&config, &versions_), LFB_OK);
    lfb_window_config window = {};
    window.expected_insertions = 100;
    window.fpp = 0.01;
    ASSERT_EQ(lfb_window_create(&window, &window_), LFB_OK);
    path_ = testing::TempDir() + "reserved." + std::to_string(getpid());
  }

  void TearDown() override {
    lfb_filter_free(filter_);
    lfb_growing_free(growing_);
    lfb_counting_free(counting_);
    lfb_versions_free(versions_);
    lfb_window_free(window_);
    (void)remove(path_.c_str());
  }

  // A call that loads a thing of type T from the file under limits.
  template <typename T>
  std::function<lfb_status(const lfb_read_limits&)> Loading(
      lfb_status (*load)(const char*, const lfb_read_limits*, T**), void (*free)(T*)) {
    return [this, load, free](const lfb_read_limits& limits) {
      T* made = nullptr;
      const lfb_status status = load(path_.c_str(), &limits, &made);
      EXPECT_EQ(made != nullptr, status == LFB_OK);
      free(made);
      return status;
    };
  }

  lfb_filter* filter_ = nullptr;
  lfb_growing* growing_ = nullptr;
  lfb_counting* counting_ = nullptr;
  lfb_versions* versions_ = nullptr;
  lfb_window* window_ = nullptr;
  std::string path_;
};

void Close(const lfb_filter* filter) {
  if (filter != nullptr) lfb_mapped_close(filter);
}

void CloseGrowing(const lfb_growing* growing) {
  if (growing != nullptr) lfb_growing_mapped_close(growing);
}

TEST_F(Reserved, Configurations) {
  const lfb_config plain = Plain();
  ExpectRefused(plain, Making(lfb_filter_create, lfb_filter_free));
  ExpectRefused(plain, Making(lfb_growing_create, lfb_growing_free));
  ExpectRefused(plain, Making(lfb_counting_create, lfb_counting_free));
  ExpectRefused(plain, Making(lfb_versions_create, lfb_versions_free));
  ExpectRefused<lfb_config>(plain, [](const lfb_config& config) {
    lfb_stats stats;
    return lfb_config_plan(&config, &stats);
  });
  ExpectRefused<lfb_config>(plain, [](const lfb_config& config) {
    double fpp;
    return lfb_config_fpp_after(&config, 1, &fpp);
  });
  ExpectRefused<lfb_config>(plain, [](const lfb_config& config) {
    lfb_builder* builder = nullptr;
    const lfb_status status = lfb_builder_create(&config, 1, &builder);
    lfb_builder_free(builder);
    return status;
  });
  ExpectRefused<lfb_config>(plain, [this](const lfb_config& config) {
    lfb_filter* shared = nullptr;
    const lfb_status status = lfb_mapped_create(path_.c_str(), &config, &shared);
    Close(shared);
    (void)remove(path_.c_str());
    return status;
  });
  ExpectRefused<lfb_config>(plain, [this](const lfb_config& config) {
    lfb_growing* shared = nullptr;
    const lfb_status status = lfb_growing_mapped_create(path_.c_str(), &config, &shared);
    CloseGrowing(shared);
    (void)remove(path_.c_str());
    return status;
  });
}

TEST_F(Reserved, ConfigurationsOfOtherKinds) {
  lfb_window_config window = {};
  window.fpp = 0.01;
  ExpectRefused(window, Making(lfb_window_create, lfb_window_free));
  ExpectRefused<lfb_window_config>(window, [](const lfb_window_config& config) {
    lfb_window_figures figures;
    return lfb_window_config_plan(&config, &figures);
  });
  ExpectRefused<lfb_watch_config>({}, [this](const lfb_watch_config& config) {
    lfb_watch* watch = nullptr;
    const lfb_status status = lfb_watch_create(filter_, &config, &watch);
    lfb_watch_free(watch);
    return status;
  });
}

TEST_F(Reserved, Following) {
  lfb_source source = {};
  source.version = [](void*, uint64_t*) { return LFB_ERROR_BAD_SOURCE; };
  source.filter = [](void*, lfb_filter**) { return LFB_ERROR_BAD_SOURCE; };
  lfb_follow_config config = {};
  config.rebuild = Plain();
  const auto follow = [this](const lfb_source& from, const lfb_follow_config& how) {
    lfb_follow* made = nullptr;
    const lfb_status status = lfb_follow_create(versions_, &from, &how, &made);
    lfb_follow_free(made);
    return status;
  };
  ExpectRefused<lfb_source>(source, [&](const lfb_source& from) { return follow(from, config); });
  ExpectRefused<lfb_follow_config>(
      config, [&](const lfb_follow_config& how) { return follow(source, how); });
  ExpectRefused<lfb_config>(config.rebuild, [&](const lfb_config& rebuild) {
    lfb_follow_config how = config;
    how.rebuild = rebuild;
    return follow(source, how);
  });
}

TEST_F(Reserved, LimitsOfReaders) {
  const lfb_read_limits none = {};
  ASSERT_EQ(lfb_filter_save(filter_, LFB_FORM_NATIVE, path_.c_str()), LFB_OK);
  ExpectRefused(none, Loading(lfb_filter_load, lfb_filter_free));
  ExpectRefused(none, Loading(lfb_mapped_open_read_only, Close));
  ExpectRefused<lfb_read_limits>(none, [this](const lfb_read_limits& limits) {
    lfb_file_source* source = nullptr;
    const lfb_status status =
        lfb_file_source_create(path_.c_str(), &limits, nullptr, nullptr, &source);
    lfb_file_source_free(source);
    return status;
  });
  ASSERT_EQ(lfb_growing_save(growing_, path_.c_str()), LFB_OK);
  ExpectRefused(none, Loading(lfb_growing_load, lfb_growing_free));
  ASSERT_EQ(lfb_counting_save(counting_, path_.c_str()), LFB_OK);
  ExpectRefused(none, Loading(lfb_counting_load, lfb_counting_free));
  ASSERT_EQ(lfb_window_save(window_, path_.c_str()), LFB_OK);
  ExpectRefused(none, Loading(lfb_window_load, lfb_window_free));
}

TEST_F(Reserved, LimitsOfReadersOfSharedFiles) {
  const lfb_read_limits none = {};
  const lfb_config config = Plain();
  lfb_filter* shared = nullptr;
  ASSERT_EQ(lfb_mapped_create(path_.c_str(), &config, &shared), LFB_OK);
  Close(shared);
  ExpectRefused(none, Loading<lfb_filter>(lfb_mapped_open, [](lfb_filter* f) { Close(f); }));
  (void)remove(path_.c_str());
  lfb_growing* growing = nullptr;
  ASSERT_EQ(lfb_growing_mapped_create(path_.c_str(), &config, &growing), LFB_OK);
  CloseGrowing(growing);
  ExpectRefused(none, Loading<lfb_growing>(lfb_growing_mapped_open,
                                           [](lfb_growing* g) { CloseGrowing(g); }));
  ExpectRefused(none, Loading(lfb_growing_mapped_open_read_only, CloseGrowing));
}

TEST_F(Reserved, FiguresAreZero) {
  ExpectZero(Filled<lfb_stats>([this](lfb_stats* s) { lfb_filter_stats(filter_, s); }));
  ExpectZero(Filled<lfb_stats>([this](lfb_stats* s) { lfb_filter_stats_recent(filter_, s); }));
  ExpectZero(Filled<lfb_stats>([this](lfb_stats* s) { lfb_counting_stats(counting_, s); }));
  ExpectZero(Filled<lfb_stats>([](lfb_stats* s) {
    const lfb_config config = Plain();
    EXPECT_EQ(lfb_config_plan(&config, s), LFB_OK);
  }));
  ExpectZero(Filled<lfb_comparison>([this](lfb_comparison* c) {
    EXPECT_EQ(lfb_filter_compare(filter_, filter_, c), LFB_OK);
  }));
  using Growing = lfb_growing_figures;
  ExpectZero(Filled<Growing>([this](Growing* g) { lfb_growing_stats(growing_, g); }));
  ExpectZero(Filled<Growing>([this](Growing* g) { lfb_growing_stats_recent(growing_, g); }));
  const auto window = Filled<lfb_window_figures>(
      [this](lfb_window_figures* w) { lfb_window_stats(window_, w); });
  ExpectZero(window);
  for (const lfb_window_generation_figures& live : window.live) ExpectZero(live);
}

TEST_F(Reserved, FiguresOfOthersAreZero) {
  lfb_watch_config config = {};
  lfb_watch* watch = nullptr;
  ASSERT_EQ(lfb_watch_create(filter_, &config, &watch), LFB_OK);
  const auto look =
      Filled<lfb_watch_figures>([=](lfb_watch_figures* w) { lfb_watch_look(watch, w); });
  ExpectZero(look);
  ExpectZero(look.stats);
  lfb_watch_free(watch);
  lfb_file_source* files = nullptr;
  ASSERT_EQ(lfb_file_source_create(path_.c_str(), nullptr, nullptr, nullptr, &files), LFB_OK);
  const lfb_source source = lfb_file_source_functions(files);
  ExpectZero(source);
  lfb_follow_config how = {};
  lfb_follow* follow = nullptr;
  ASSERT_EQ(lfb_follow_create(versions_, &source, &how, &follow), LFB_OK);
  ExpectZero(Filled<lfb_follow_figures>(
      [=](lfb_follow_figures* f) { lfb_follow_figures_now(follow, f); }));
  lfb_follow_free(follow);
  lfb_file_source_free(files);
}

TEST_F(Reserved, DamageIsZero) {
  ASSERT_EQ(lfb_filter_save(filter_, LFB_FORM_NATIVE, path_.c_str()), LFB_OK);
  ExpectZero(Filled<lfb_damage>([this](lfb_damage* damage) {
    lfb_read_limits limits = {};
    limits.damage = damage;
    lfb_filter* loaded = nullptr;
    EXPECT_EQ(lfb_filter_load(path_.c_str(), &limits, &loaded), LFB_OK);
    lfb_filter_free(loaded);
  }));
}

}  // namespace
