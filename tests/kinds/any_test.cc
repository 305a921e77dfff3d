// Filters of any kind: each function does what the kind's own does.  every_form_test reads them as
// filters of a known kind.
#include <lfbloom/growing_mapped.h>
#include <lfbloom/mapped.h>
#include <lfbloom/window_mapped.h>

#include <numeric>

#include "tests/support/files.h"
#include "tests/support/streams.h"
#include "tests/support/windows.h"

namespace {

constexpr uint64_t kKeys = 3000;  // a growing filter for 1024 then has several layers

// A kind, and how to make an empty filter of it; with a path, in a file that processes share.
struct Kind {
  std::string name;
  lfb_kind id;
  bool claims, removes, shared;
  lfb_any (*make)(const char* path);
};

lfb_config FloatConfig(uint64_t n) {
  lfb_config config = Config(n, 0.01, LFB_FAST);
  config.key_type = LFB_KEYS_F32;
  return config;
}

lfb_any MakePlain(const char* path) {
  const lfb_config config = FloatConfig(kKeys);
  lfb_any any = {LFB_KIND_PLAIN, {nullptr}};
  EXPECT_EQ(path == nullptr ? lfb_filter_create(&config, &any.plain)
                            : lfb_mapped_create(path, &config, &any.plain), LFB_OK);
  return any;
}

lfb_any MakeGrowing(const char* path) {
  const lfb_config config = FloatConfig(LFB_GROWING_LEAST);
  lfb_any any = {LFB_KIND_GROWING, {nullptr}};
  EXPECT_EQ(path == nullptr ? lfb_growing_create(&config, &any.growing)
                            : lfb_growing_mapped_create(path, &config, &any.growing), LFB_OK);
  return any;
}

lfb_any MakeCounting(const char*) {
  const lfb_config config = FloatConfig(kKeys);
  lfb_any any = {LFB_KIND_COUNTING, {nullptr}};
  EXPECT_EQ(lfb_counting_create(&config, &any.counting), LFB_OK);
  return any;
}

lfb_any MakeWindow(const char* path) {
  lfb_window_config config = WindowConfig(4 * kKeys, 0.01);
  config.key_type = LFB_KEYS_F32;
  lfb_any any = {LFB_KIND_WINDOW, {nullptr}};
  EXPECT_EQ(path == nullptr ? lfb_window_create(&config, &any.window)
                            : lfb_window_mapped_create(path, &config, &any.window), LFB_OK);
  return any;
}

const Kind kKinds[] = {
    {"plain", LFB_KIND_PLAIN, true, false, true, MakePlain},
    {"growing", LFB_KIND_GROWING, true, false, true, MakeGrowing},
    {"counting", LFB_KIND_COUNTING, false, true, false, MakeCounting},
    {"window", LFB_KIND_WINDOW, true, false, true, MakeWindow},
};

class AnyKind : public Files, public testing::WithParamInterface<Kind> {
 protected:
  AnyKind() : numbers_(kKeys), keys_(kKeys) {
    std::iota(numbers_.begin(), numbers_.end(), 1);
    for (size_t i = 0; i < kKeys; i++) keys_[i] = {&numbers_[i], sizeof(uint64_t)};
  }
  OwnAny Make() const { return OwnAny(GetParam().make(nullptr)); }
  bool Shares() const {
    return GetParam().shared && (GetParam().id != LFB_KIND_WINDOW || lfb_pair_runs_here());
  }
  // With keys, as bytes.
  OwnAny Filled() const {
    OwnAny any = Make();
    EXPECT_GT(Do(*any, LFB_PUT), kKeys * 9 / 10);
    return any;
  }
  size_t Do(const lfb_any& any, lfb_verb verb, std::vector<uint64_t>* answers = nullptr) const {
    if (answers != nullptr) answers->assign((kKeys + 63) / 64, ~UINT64_C(0));
    return lfb_any_many(any, verb, keys_.data(), kKeys, answers == nullptr ? nullptr
                                                                           : answers->data());
  }
  size_t DoNumbers(const lfb_any& any, lfb_verb verb, std::vector<uint64_t>* answers) const {
    answers->assign((kKeys + 63) / 64, ~UINT64_C(0));
    return lfb_any_many_u64(any, verb, numbers_.data(), kKeys, answers->data());
  }
  lfb_status Open(const std::string& name, lfb_kind kind, lfb_opening how, OwnAny* any) const {
    return lfb_any_open(Path(name).c_str(), kind, how, nullptr, any->out());
  }
  void ExpectHasAll(const lfb_any& any) const {
    EXPECT_EQ(any.kind, GetParam().id);
    EXPECT_EQ(Do(any, LFB_MIGHT_CONTAIN), kKeys);
    EXPECT_EQ(Figures(any).all.key_type, LFB_KEYS_F32);
  }

  std::vector<uint64_t> numbers_;
  std::vector<lfb_key> keys_;
};

size_t Ones(const std::vector<uint64_t>& answers) {
  return std::accumulate(answers.begin(), answers.end(), size_t{0}, [](size_t sum, uint64_t word) {
    return sum + static_cast<size_t>(__builtin_popcountll(word));
  });
}

// Of each verb the answers, and their number.
TEST_P(AnyKind, DoesWithManyKeysWhatItCan) {
  const OwnAny bytes = Make(), numbers = Make(), claimed = Make();
  std::vector<uint64_t> answers;
  EXPECT_LT(Do(*bytes, LFB_MIGHT_CONTAIN, &answers), kKeys / 10);
  for (const bool again : {false, true}) {
    for (const bool by_number : {false, true}) {
      const lfb_any& any = by_number ? *numbers : *bytes;
      const size_t put = by_number ? DoNumbers(any, LFB_PUT, &answers) : Do(any, LFB_PUT, &answers);
      EXPECT_EQ(put, Ones(answers));
      EXPECT_EQ(put >= kKeys * 9 / 10, !again || GetParam().removes) << put;
      EXPECT_EQ(by_number ? DoNumbers(any, LFB_MIGHT_CONTAIN, &answers)
                          : Do(any, LFB_MIGHT_CONTAIN, &answers),
                kKeys);
      EXPECT_EQ(Ones(answers), kKeys);
    }
    const size_t won = again ? DoNumbers(*claimed, LFB_CLAIM, &answers)
                             : Do(*claimed, LFB_CLAIM, &answers);
    // A number is another key than its bytes.
    EXPECT_EQ(won >= kKeys * 9 / 10, GetParam().claims) << won;
    EXPECT_EQ(won, Ones(answers));
    EXPECT_LT(Do(*claimed, LFB_CLAIM, &answers), 2u);
  }
  EXPECT_EQ(Do(*bytes, LFB_REMOVE, &answers), GetParam().removes ? kKeys : 0);
  EXPECT_EQ(Ones(answers), GetParam().removes ? kKeys : 0);
  EXPECT_EQ(DoNumbers(*numbers, LFB_REMOVE, &answers), GetParam().removes ? kKeys : 0);
  EXPECT_EQ(Ones(answers), GetParam().removes ? kKeys : 0);
}

TEST_P(AnyKind, HasTheFiguresOfItsKind) {
  const OwnAny any = Filled();
  const lfb_figures is = Figures(*any);
  lfb_figures plan;
  lfb_any_plan(*any, &plan);
  EXPECT_EQ(is.kind, GetParam().id);
  EXPECT_EQ(plan.kind, GetParam().id);
  EXPECT_GT(is.all.bits_set, kKeys);
  EXPECT_EQ(plan.all.bits_set, 0u);
  EXPECT_FALSE(is.all.saturated);
  EXPECT_NEAR(static_cast<double>(is.all.approximate_count), kKeys, kKeys / 10.0);
  EXPECT_EQ(is.all.fpp, 0.01);
  EXPECT_EQ(is.all.hash, LFB_HASH_XXH3);
  EXPECT_EQ(plan.all.expected_insertions, is.all.expected_insertions);
  EXPECT_EQ(plan.all.bit_count, is.all.bit_count);
  EXPECT_EQ(plan.all.bytes, is.all.bytes);
  EXPECT_EQ(plan.all.strategy, is.all.strategy);
  EXPECT_EQ(plan.all.seed, is.all.seed);
  if (is.kind == LFB_KIND_GROWING) {
    EXPECT_GT(is.growing.layers, 1u);
    EXPECT_EQ(is.all.bits_set, is.growing.bits_set);
    EXPECT_EQ(plan.growing.layers, is.growing.layers);
    EXPECT_EQ(plan.growing.bit_count, is.growing.bit_count);
  } else {
    EXPECT_EQ(is.growing.layers, 0u);
  }
  if (is.kind == LFB_KIND_WINDOW) {
    EXPECT_EQ(is.all.strategy, LFB_DEFAULT);
    EXPECT_EQ(plan.window.generation, is.window.generation);
    EXPECT_EQ(plan.window.generations, is.window.generations);
    EXPECT_EQ(is.all.bits_set, is.window.live[0].bits_set);
  } else {
    EXPECT_EQ(is.all.strategy, LFB_FAST);
    EXPECT_EQ(is.window.generations, 0u);
  }
}

TEST_P(AnyKind, IsKeptInAFile) {
  const OwnAny any = Filled();
  OwnAny opened;
  Source source{Bytes(*any) + "more", 7};
  ASSERT_EQ(lfb_any_read(Source::Read, &source, LFB_KIND_NONE, nullptr, opened.out()), LFB_OK);
  EXPECT_EQ(source.bytes.size() - source.at, 4u);
  ExpectHasAll(*opened);
  opened = OwnAny();
  ASSERT_EQ(lfb_any_save(*any, Path("saved").c_str()), LFB_OK);
  for (const lfb_kind kind : {LFB_KIND_NONE, GetParam().id})
    for (const lfb_opening how : {LFB_OPEN_COPY, LFB_OPEN_IN_PLACE}) {
      ASSERT_EQ(Open("saved", kind, how, &opened), LFB_OK);
      ExpectHasAll(*opened);
      EXPECT_EQ(lfb_any_sync(*opened),
                how == LFB_OPEN_IN_PLACE && GetParam().id == LFB_KIND_PLAIN ? LFB_OK
                                                                            : LFB_ERROR_NOT_MAPPED);
      opened = OwnAny();
    }
  EXPECT_NE(Open("saved", LFB_KIND_NONE, LFB_OPEN_SHARED, &opened), LFB_OK);
  Write("saved", Content("saved") + "x");
  EXPECT_EQ(Open("saved", LFB_KIND_NONE, LFB_OPEN_COPY, &opened), LFB_ERROR_TRAILING_BYTES);
  EXPECT_EQ((*opened).kind, LFB_KIND_NONE);
}

TEST_P(AnyKind, IsSharedByProcessesIfItsKindIs) {
  if (!Shares()) return;
  const OwnAny made(GetParam().make(Path("shared").c_str()));
  OwnAny opened;
  Do(*made, LFB_PUT);
  for (const lfb_kind kind : {LFB_KIND_NONE, GetParam().id}) {
    for (const lfb_opening how : {LFB_OPEN_SHARED, LFB_OPEN_IN_PLACE}) {
      ASSERT_EQ(Open("shared", kind, how, &opened), LFB_OK);
      ExpectHasAll(*opened);
      const bool copied = GetParam().id == LFB_KIND_WINDOW && how == LFB_OPEN_IN_PLACE;
      EXPECT_EQ(lfb_any_sync(*opened), copied ? LFB_ERROR_NOT_MAPPED : LFB_OK);
      const lfb_figures is = Figures(*opened), was = Figures(*made);
      EXPECT_EQ(is.all.bits_set, was.all.bits_set);
      opened = OwnAny();
    }
    EXPECT_EQ(Open("shared", kind, LFB_OPEN_COPY, &opened),
              GetParam().id == LFB_KIND_GROWING ? LFB_ERROR_GROWING_MAPPED : LFB_OK);
    opened = OwnAny();
  }
  EXPECT_EQ(lfb_any_sync(*made), LFB_OK);
}

TEST_P(AnyKind, IsCopiedUnlessItForgets) {
  const OwnAny any = Filled();
  OwnAny copy;
  lfb_filter* plain = nullptr;
  const bool forgets = (*any).kind == LFB_KIND_WINDOW;
  ASSERT_EQ(lfb_any_copy(*any, copy.out()), forgets ? LFB_ERROR_WINDOW : LFB_OK);
  EXPECT_EQ((*copy).kind, forgets ? LFB_KIND_NONE : GetParam().id);
  const lfb_status status = lfb_any_to_plain(*any, &plain);
  const Filter owner(plain);
  // The layers of a growing filter that has grown have several shapes.
  EXPECT_EQ(status == LFB_OK, (*any).kind == LFB_KIND_PLAIN || (*any).kind == LFB_KIND_COUNTING);
  EXPECT_EQ(plain != nullptr, status == LFB_OK);
  if (forgets) return;
  ExpectHasAll(*copy);
  EXPECT_EQ(Figures(*copy).all.bits_set, Figures(*any).all.bits_set);
  if (plain == nullptr) return;
  EXPECT_EQ(Do(Any(owner), LFB_MIGHT_CONTAIN), kKeys);
  EXPECT_EQ(Stats(owner).bits_set, Figures(*any).all.bits_set);
}

INSTANTIATE_TEST_SUITE_P(All, AnyKind, testing::ValuesIn(kKinds),
                         [](const auto& kind) { return kind.param.name; });

class AnyFiles : public Files {};

TEST_F(AnyFiles, AreRefusedIfTheyAreNone) {
  OwnAny any;
  lfb_damage damage;
  lfb_read_limits limits{};
  limits.damage = &damage;
  Write("short", "LFBG");
  Write("other", "hello, world");
  for (const lfb_opening how : {LFB_OPEN_COPY, LFB_OPEN_IN_PLACE, LFB_OPEN_SHARED}) {
    const auto open = [&](const std::string& name) {
      std::memset(&damage, 1, sizeof damage);
      const lfb_status status =
          lfb_any_open(Path(name).c_str(), LFB_KIND_NONE, how, &limits, any.out());
      EXPECT_EQ(damage.checked_bytes + damage.count, 0u);
      return status;
    };
    EXPECT_EQ(open("missing"), LFB_ERROR_OPEN);
    EXPECT_EQ(errno, ENOENT);
    EXPECT_EQ(open("short"), LFB_ERROR_TRUNCATED);
    EXPECT_EQ(open("other"), LFB_ERROR_UNKNOWN_FORM);
    limits.reserved[0] = 1;
    EXPECT_EQ(open("other"), LFB_ERROR_RESERVED);
    limits.reserved[0] = 0;
  }
  EXPECT_EQ((*any).kind, LFB_KIND_NONE);
}

// A window with one full generation is full, whatever the others are.
TEST(Any, OneFullGenerationIsAFullWindow) {
  const Window window = MakeWindow(WindowConfig(1, 0.1));
  const lfb_any any = {LFB_KIND_WINDOW, {window.get()}};
  for (uint64_t key = 0; key < 100'000; key++) lfb_window_put_u64(window.get(), key);
  for (int age = 0; age <= 3; age++) {
    const lfb_figures is = Figures(any);
    EXPECT_EQ(is.window.live[age].approximate_count, UINT64_MAX);
    EXPECT_TRUE(is.all.saturated) << age;
    EXPECT_EQ(is.all.approximate_count, UINT64_MAX);
    Advance(window);
  }
  EXPECT_FALSE(Figures(any).all.saturated);
}

// What is no filter does nothing.
TEST(Any, MayBeNone) {
  const lfb_any none{};
  const lfb_key key = {"a", 1};
  uint64_t answers = ~UINT64_C(0);
  for (const lfb_verb verb : {LFB_PUT, LFB_MIGHT_CONTAIN, LFB_CLAIM, LFB_REMOVE})
    EXPECT_EQ(lfb_any_many(none, verb, &key, 1, nullptr), 0u);
  EXPECT_EQ(lfb_any_many(none, LFB_PUT, &key, 1, &answers), 0u);
  EXPECT_EQ(answers, 0u);
  EXPECT_EQ(Figures(none).kind, LFB_KIND_NONE);
  EXPECT_EQ(lfb_any_sync(none), LFB_ERROR_NOT_MAPPED);
  lfb_any_free(none);
}

}  // namespace
