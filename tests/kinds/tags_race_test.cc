// Strategy `tags` under races: no key that stays is missing, no removal by the rule is refused, and
// what is saved, copied and merged meanwhile has the keys that stay. The tables are so small, and
// the tags so few, that nearly all keys share their class with others, and nearly full, so that
// puts move tags.
#include <map>

#include "bloom/counting/tags_key.h"
#include "tests/support/countings.h"
#include "tests/support/files.h"
#include "tests/support/race.h"
#include "tests/support/streams.h"

namespace {

constexpr unsigned kThreads = 4;  // more than the cores

// A hash with one of a few tags.
uint64_t Hash(uint64_t key, uint64_t tags) {
  return (Mix(1, key) >> 32 << 32) | (1 + Mix(2, key) % tags);
}

// A filter with hashes as its keys.
class Hashed {
 public:
  Hashed(double fpp, uint64_t n) {
    lfb_config config = Config(n, fpp, LFB_TAGS);
    config.seed = 7;
    counting = Count(config);
  }
  bool Put(uint64_t hash) { return counting->kernel->change(counting.get(), {hash, 0}, false); }
  bool Remove(uint64_t hash) { return counting->kernel->change(counting.get(), {hash, 0}, true); }
  bool Has(uint64_t hash) const {
    return counting->kernel->might_contain(counting.get(), {hash, 0});
  }
  lfb_stats Figures() const { return Stats(counting); }

  Counting counting;
};

bool Empty(const Counting& counting) {
  for (uint64_t i = 0; i < counting->pages.size / sizeof(lfb_word); i++)
    if (lfb_word_get(&lfb_counting_words(counting.get())[i]) != 0) return false;
  return true;
}

// T of a tag, how many different ones, and the part of the slots with keys that stay, in percent.
struct Row {
  double fpp;
  uint64_t tags, stay;
};
class TagsRace : public testing::TestWithParam<Row> {
 protected:
  // Puts keys that stay, and puts and removes others concurrently, as many as there are slots.
  // `look` runs beside, on a thread of its own, until it returns false.
  template <typename Look>
  void Run(Hashed* hashed, const Look& look) {
    const Row& row = GetParam();
    const uint64_t slots = hashed->Figures().slots;
    for (uint64_t key = 0; stay.size() < slots * row.stay / 100; key++)
      if (hashed->Put(Hash(key, row.tags))) stay.push_back(Hash(key, row.tags));
    const uint64_t own = (slots - stay.size()) / (kThreads - 1) + 2;
    std::atomic<bool> over{false};
    RunTogether(kThreads, [&](unsigned t) {
      if (t == 0) {
        while (look()) continue;
        over = true;
        return;
      }
      for (uint64_t next = uint64_t{t} << 32; !over;) {
        std::vector<uint64_t> mine;
        for (uint64_t i = 0; i < own; i++) {
          const uint64_t hash = Hash(next++, row.tags);
          if (!hashed->Put(hash)) break;
          mine.push_back(hash);
          missing += !hashed->Has(hash);
        }
        for (uint64_t hash : mine) refused += !hashed->Remove(hash);
      }
    });
  }

  void ExpectNothingLost(Hashed* hashed) {
    EXPECT_EQ(missing, 0u);
    EXPECT_EQ(refused, 0u);
    EXPECT_EQ(hashed->Figures().copies, stay.size());
    for (uint64_t hash : stay) ASSERT_TRUE(hashed->Remove(hash));
    EXPECT_TRUE(Empty(hashed->counting));
    EXPECT_EQ(hashed->Figures().copies, 0u);
  }

  std::vector<uint64_t> stay;
  std::atomic<uint64_t> missing{0}, refused{0};
};
INSTANTIATE_TEST_SUITE_P(Bits, TagsRace,
                         testing::Values(Row{0.01, 4, 20}, Row{0.01, 200, 90}, Row{1e-4, 200, 85},
                                         Row{1e-6, 200, 80}),
                         [](const testing::TestParamInfo<Row>& row) {
                           return std::to_string(row.index);
                         });

TEST_P(TagsRace, NoKeyThatStaysIsMissing) {
  Hashed hashed(GetParam().fpp, 250);
  uint64_t left = kUnderSanitizer ? 20'000 : 1'000'000;
  Run(&hashed, [&] {
    missing += !stay.empty() && !hashed.Has(stay[left % stay.size()]);
    return --left > 0;
  });
  ExpectNothingLost(&hashed);
}

// Removals of all copies of a few keys at once all succeed.
TEST_P(TagsRace, NoRemovalIsRefused) {
  constexpr uint64_t kKeys = 4, kCopies = 2;
  const uint64_t rounds = kUnderSanitizer ? 200 : 10'000;
  Hashed hashed(GetParam().fpp, 60);
  std::atomic<uint64_t> lost{0};
  InStep in_step(kThreads);
  RunTogether(kThreads, [&](unsigned) {
    for (uint64_t round = 0; round < rounds; round++) {
      for (uint64_t i = 0; i < kKeys * kCopies; i++) lost += !hashed.Put(Hash(i % kKeys, 2));
      in_step.Wait(static_cast<unsigned>(round + 1));
      for (uint64_t i = 0; i < kKeys * kCopies; i++) refused += !hashed.Remove(Hash(i % kKeys, 2));
    }
  });
  EXPECT_EQ(lost, 0u);
  ExpectNothingLost(&hashed);
}

// Of each class, what is written has at least as many copies as keys that stay.
void ExpectHasAll(const Counting& counting, const std::vector<uint64_t>& stay) {
  for (uint64_t hash : stay)
    ASSERT_TRUE(counting->kernel->change(counting.get(), {hash, 0}, true));
}

TEST_P(TagsRace, WhatIsSavedHasTheKeysThatStay) {
  Hashed hashed(GetParam().fpp, 250);
  int left = kUnderSanitizer ? 10 : 500;
  Run(&hashed, [&] {
    Counting read, copy = Copy(hashed.counting);
    EXPECT_EQ(ReadBy(any::read<lfb_counting>, Source{Bytes(hashed.counting)}, &read, {}), LFB_OK);
    ExpectHasAll(read, stay);
    ExpectHasAll(copy, stay);
    return !HasFailure() && --left > 0;
  });
  ExpectNothingLost(&hashed);
}

TEST_P(TagsRace, WhatIsMergedHasTheKeysThatStay) {
  Hashed hashed(GetParam().fpp, 250);
  lfb_config config = Config(250, GetParam().fpp, LFB_TAGS);
  config.seed = 7;
  int left = kUnderSanitizer ? 10 : 500;
  Run(&hashed, [&] {
    const Counting into = Count(config);
    const lfb_status status = lfb_counting_put_all(into.get(), hashed.counting.get());
    if (status == LFB_OK) ExpectHasAll(into, stay);
    EXPECT_TRUE(status == LFB_OK || status == LFB_ERROR_FULL);
    return !HasFailure() && --left > 0;
  });
  const Counting into = Count(config);
  ASSERT_EQ(lfb_counting_put_all(into.get(), hashed.counting.get()), LFB_OK);
  ExpectHasAll(into, stay);
  EXPECT_TRUE(Empty(into));
  ExpectNothingLost(&hashed);
}

}  // namespace
