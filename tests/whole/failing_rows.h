// failing_rows.h - the common part of the rows of bloom/: objects, and acts that make them.
#pragma once

#include <lfbloom/follow.h>
#include <lfbloom/builder.h>
#include <lfbloom/delta.h>
#include <lfbloom/versions.h>
#include <lfbloom/watch.h>

#include "tests/support/countings.h"
#include "tests/support/failing.h"
#include "tests/support/growings.h"
#include "tests/support/windows.h"

namespace failing {

using calls::Spared;
using Rows = std::vector<Row>;

// Numbers of keys: the words of such filters are from the heap, and from the system (2 MiB and
// more).
constexpr uint64_t kFew = 1000, kMany = 2'000'000;
constexpr uint64_t kKey = 42;

// With a random seed.
inline lfb_config Seedless(uint64_t n) {
  lfb_config config = Config(n, 0.01, LFB_FAST);
  config.seed = 0;
  return config;
}

// ---- checks that an object works ----------------------------------------------------

inline void UseAndFree(lfb_filter* filter) {
  lfb_filter_put_u64(filter, kKey);
  EXPECT_TRUE(lfb_filter_might_contain_u64(filter, kKey));
  lfb_filter_free(filter);
}

inline void UseAndFree(lfb_counting* counting) {
  lfb_counting_put_u64(counting, kKey);
  EXPECT_TRUE(lfb_counting_might_contain_u64(counting, kKey));
  EXPECT_TRUE(lfb_counting_remove_u64(counting, kKey));
  lfb_counting_free(counting);
}

inline void UseAndFree(lfb_window* window) {
  lfb_window_put_u64(window, kKey);
  EXPECT_TRUE(lfb_window_might_contain_u64(window, kKey));
  lfb_window_free(window);
}

inline void UseAndFree(lfb_growing* growing) {
  lfb_growing_put_u64(growing, kKey);
  EXPECT_TRUE(lfb_growing_might_contain_u64(growing, kKey));
  lfb_growing_free(growing);
}

inline void UseAndFree(lfb_versions* versions) {
  lfb_versions_put_u64(versions, kKey);
  EXPECT_TRUE(lfb_versions_might_contain_u64(versions, kKey));
  lfb_versions_free(versions);
}

inline void UseAndFree(lfb_watch* watch) {
  EXPECT_EQ(lfb_watch_poll(watch), 0u);
  lfb_watch_free(watch);
}

inline void UseAndFree(lfb_builder* builder) {
  lfb_builder_put_many_u64(builder, 0, &kKey, 1);
  UseAndFree(lfb_builder_finish(builder, nullptr));
}

// An act that makes a T by a function of the library, uses it and frees it.
template <typename T, typename Maker>
Act Making(const Maker& make) {
  return [make] { return Make<T>(make, [](T* made) { UseAndFree(made); }); };
}

// The same for one that must already hold kKey.
template <typename T, typename Maker, typename Asker>
Act Reading(const Maker& make, const Asker& ask) {
  return [make, ask] {
    return Make<T>(make, [&ask](T* made) {
      EXPECT_TRUE(ask(made, kKey)) << "it has not what was in";
      UseAndFree(made);
    });
  };
}

// The objects that the acts work on.
using SharedFilter = std::shared_ptr<lfb_filter>;
using SharedGrowing = std::shared_ptr<lfb_growing>;
using SharedCounting = std::shared_ptr<lfb_counting>;
using SharedWindow = std::shared_ptr<lfb_window>;
using SharedVersions = std::shared_ptr<lfb_versions>;

inline SharedFilter WithKey(const lfb_config& config) {
  SharedFilter filter(Make(config));
  lfb_filter_put_u64(filter.get(), kKey);
  return filter;
}

inline SharedGrowing GrownWithKey() {
  SharedGrowing growing(MakeGrowing(Config(kFew, 0.01, LFB_FAST)));
  for (uint64_t i = 0; i < 3 * kFew; i++) lfb_growing_put_u64(growing.get(), i);  // three layers
  return growing;
}

inline SharedCounting CountedWithKey(uint64_t n) {
  SharedCounting counting(Count(Config(n, 0.01, LFB_FAST)));
  lfb_counting_put_u64(counting.get(), kKey);
  return counting;
}

// Words are populated at once, so that a lack of memory is found here; huge pages are optional.
inline const std::map<std::string, Statuses> kPopulated = {
    {"madvise", {LFB_OK, LFB_ERROR_NO_MEMORY}}};

template <typename T, typename Config>
std::function<Act(const std::string&)> ToCreate(lfb_status (*create)(const Config*, T**),
                                                const Config& config) {
  return [create, config](const std::string&) {
    return Making<T>([create, config](T** made) { return create(&config, made); });
  };
}

// ---- handles and followers ----------------------------------------------------------

inline SharedVersions Versions() {
  const lfb_config config = Seedless(kFew);
  lfb_versions* versions = nullptr;
  EXPECT_EQ(lfb_versions_create(&config, &versions), LFB_OK);
  lfb_versions_put_u64(versions, kKey);
  return SharedVersions(versions, lfb_versions_free);
}

// A source of keys: a new version each time that it is asked, or a failure.
struct Keys {
  uint64_t version = 0, now = 1'700'000'000;
  lfb_status status = LFB_OK;
  SharedVersions versions = Versions();
  std::shared_ptr<lfb_follow> follow;

  static lfb_status Version(void* self, uint64_t* version) {
    *version = ++static_cast<Keys*>(self)->version;
    return LFB_OK;
  }
  static lfb_status Give(void* self, unsigned part, unsigned, lfb_keys_sink* sink) {
    const lfb_key bytes = {"key", 3};
    const uint64_t key = part == 0 ? kKey : part;
    EXPECT_EQ(lfb_keys_give(sink, &bytes, 1), LFB_OK);
    EXPECT_EQ(lfb_keys_give_hash(sink, &key, 1), LFB_OK);
    EXPECT_EQ(lfb_keys_give_hash_uncounted(sink, &key, 1), LFB_OK);
    EXPECT_EQ(lfb_keys_give_delta(sink, "no delta", 8), LFB_ERROR_NO_CHANGES);
    EXPECT_EQ(lfb_keys_removed(sink, 1), LFB_OK);
    EXPECT_EQ(lfb_keys_give_u64(sink, &key, 1), LFB_OK);
    return static_cast<Keys*>(self)->status;
  }
  lfb_source Functions() {
    lfb_source functions{};
    functions.self = this;
    functions.version = Version;
    functions.keys = Give;
    return functions;
  }
  // A follower that loads with so many threads.
  static std::shared_ptr<Keys> Followed(unsigned threads) {
    const auto keys = std::make_shared<Keys>();
    const lfb_source functions = keys->Functions();
    lfb_follow_config config{};
    config.rebuild = Seedless(kFew);
    config.threads = threads;
    config.poll_seconds = 3600;  // the follower's own thread: once
    lfb_follow* follow = nullptr;
    EXPECT_EQ(lfb_follow_create(keys->versions.get(), &functions, &config, &follow), LFB_OK);
    keys->follow.reset(follow, lfb_follow_free);
    return keys;
  }
  // The source's version at the last rebuild.
  uint64_t Rebuilt() const {
    lfb_follow_figures figures;
    lfb_follow_figures_now(follow.get(), &figures);
    return figures.source_version;
  }
  lfb_status Poll() {
    lfb_followed what = LFB_FOLLOWED_NOTHING;
    const lfb_status polled = lfb_follow_poll(follow.get(), now += 1000, &what);
    const Spared spared;
    EXPECT_EQ(what, polled == LFB_OK ? LFB_FOLLOWED_REBUILT : LFB_FOLLOWED_FAILED);
    EXPECT_TRUE(lfb_versions_might_contain_u64(versions.get(), kKey));
    return polled;
  }
};

// ---- the table --------------------------------------------------------------------------

void AddFilters(Rows* rows);
void AddCounting(Rows* rows);
void AddGrowing(Rows* rows);
void AddWindow(Rows* rows);
void AddBuilder(Rows* rows);
void AddWatches(Rows* rows);
void AddMapped(Rows* rows);
void AddGrowingMapped(Rows* rows);
void AddVersions(Rows* rows);
void AddFollowers(Rows* rows);
void AddGrowth(Rows* rows);
void AddQuiet(Rows* rows);

}  // namespace failing
