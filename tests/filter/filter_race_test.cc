// The filter under races. Each test states one invariant that has one right answer, and was seen
// to fail with the bug planted (BUILD.bazel).
#include <algorithm>

#include "bloom/filter/filter.h"
#include "tests/support/filters.h"
#include "tests/support/race.h"
#include "tests/support/streams.h"

namespace {

constexpr unsigned kThreads = 4;  // more than the cores

uint64_t Popcount(const Filter& filter) { return lfb_filter_recount(&filter->layout.bits); }

class EveryStrategyRace : public testing::TestWithParam<lfb_strategy_id> {};
INSTANTIATE_TEST_SUITE_P(All, EveryStrategyRace, testing::ValuesIn(AllStrategies()),
                         StrategyTestName);

// A key that was put is found: by its own thread at once, by all threads after the join. A
// golden key that was put before the threads began is always found. The count is the number of
// bits. The filter is small, so that threads contend for its words. Seen to fail 50 times in 50
// with the CAS torn.
TEST_P(EveryStrategyRace, NoPutIsLost) {
  constexpr uint64_t kRounds = kUnderTsan ? 4 : 60, kKeys = 3000;
  for (uint64_t round = 0; round < kRounds; round++) {
    const Filter filter = Make(kKeys * kThreads, 0.01, GetParam());
    Put(filter, "golden");
    std::atomic<uint64_t> lost{0};
    RunTogether(kThreads, [&](unsigned t) {
      for (uint64_t i = 0; i < kKeys; i++) {
        const uint64_t key = Mix(round * kThreads + t, i);
        lfb_filter_put_u64(filter.get(), key);
        lost += !lfb_filter_might_contain_u64(filter.get(), key);
        lost += !Has(filter, "golden");
      }
    });
    for (unsigned t = 0; t < kThreads; t++)
      for (uint64_t i = 0; i < kKeys; i++)
        lost += !lfb_filter_might_contain_u64(filter.get(), Mix(round * kThreads + t, i));
    ASSERT_EQ(lost, 0u) << "round " << round;
    ASSERT_EQ(Stats(filter).bits_set, Popcount(filter)) << "round " << round;
  }
}

// All threads put the same keys in the same order, half of them one by one and half many at a
// time. The bits are those of a filter filled by one thread, exactly one call counts each bit,
// and each key is new to at least one thread. Seen to fail 50 times in 50 with the CAS torn.
TEST_P(EveryStrategyRace, TheCountIsExactAfterwards) {
  constexpr uint64_t kRounds = kUnderTsan ? 4 : 60, kKeys = 3000;
  for (uint64_t round = 0; round < kRounds; round++) {
    std::vector<uint64_t> keys;
    for (uint64_t i = 0; i < kKeys; i++) keys.push_back(Mix(100 + round, i));
    const lfb_config config = Config(kKeys, 0.01, GetParam());
    const Filter filter = Make(config), alone = Make(config);
    const uint64_t firsts = lfb_filter_put_many_u64(alone.get(), keys.data(), kKeys, nullptr);
    std::atomic<uint64_t> changed{0};
    RunTogether(kThreads, [&](unsigned t) {
      if (t % 2 == 0)
        changed += lfb_filter_put_many_u64(filter.get(), keys.data(), kKeys, nullptr);
      else
        for (uint64_t key : keys) changed += lfb_filter_put_u64(filter.get(), key);
    });
    ASSERT_EQ(Popcount(filter), Popcount(alone)) << "round " << round;
    ASSERT_EQ(Stats(filter).bits_set, Popcount(alone)) << "round " << round;
    ASSERT_GE(changed, firsts) << "a key was new to no thread, round " << round;
  }
}

// While puts run, the count never exceeds the number of set bits. Most puts are of new keys,
// into a filter so large that their bits are new, too. The observer reads the count first, then
// a few words. Seen to fail 50 times in 50 with bits counted before they are set.
TEST(FilterRace, TheCountIsNeverAboveTheTruth) {
  constexpr uint64_t kRounds = kUnderTsan ? 20 : 300, kKeys = 400;
  uint64_t above = 0;
  for (uint64_t round = 0; round < kRounds; round++) {
    const Filter filter = Make(kKeys, 0.01);
    std::atomic<unsigned> putting{kThreads - 1};
    RunTogether(kThreads, [&](unsigned t) {
      if (t > 0) {
        for (uint64_t i = 0; i < kKeys / kThreads; i++)
          lfb_filter_put_u64(filter.get(), Mix(round * kThreads + t, i));
        putting--;
        return;
      }
      while (putting > 0) {
        const uint64_t counted = Stats(filter).bits_set;
        above += counted > Popcount(filter);
      }
    });
    ASSERT_EQ(Stats(filter).bits_set, Popcount(filter));
    ASSERT_EQ(above, 0u) << "round " << round;
  }
}

// put_all during puts, both ways between two filters: each filter ends with all keys, and with
// the count of its bits. Seen to fail 50 times in 50 with the CAS torn (49 for go-fnv14: its 4
// MiB are hardly contended).
TEST_P(EveryStrategyRace, PutAllDuringPut) {
  constexpr uint64_t kRounds = kUnderTsan ? 4 : 60, kKeys = 1000;
  for (uint64_t round = 0; round < kRounds; round++) {
    const Filter a = Make(4 * kKeys, 0.01, GetParam()), b = Make(4 * kKeys, 0.01, GetParam());
    for (uint64_t i = 0; i < kKeys; i++) lfb_filter_put_u64(b.get(), Mix(round, i));
    RunTogether(kThreads, [&](unsigned t) {
      if (t == 0) {
        for (int i = 0; i < 20; i++) EXPECT_EQ(lfb_filter_put_all(a.get(), b.get()), LFB_OK);
      } else {
        for (uint64_t i = 0; i < kKeys; i++)
          lfb_filter_put_u64((t % 2 ? a : b).get(), Mix(1000 + round * kThreads + t, i));
      }
    });
    EXPECT_EQ(lfb_filter_put_all(a.get(), b.get()), LFB_OK);
    uint64_t lost = 0;
    for (uint64_t i = 0; i < kKeys; i++) {
      lost += !lfb_filter_might_contain_u64(a.get(), Mix(round, i));
      for (unsigned t = 1; t < kThreads; t++)
        lost += !lfb_filter_might_contain_u64(a.get(), Mix(1000 + round * kThreads + t, i));
    }
    ASSERT_EQ(lost, 0u) << "round " << round;
    ASSERT_EQ(Stats(a).bits_set, Popcount(a)) << "round " << round;
    ASSERT_EQ(Stats(b).bits_set, Popcount(b)) << "round " << round;
  }
}

// All threads put the same four filters, each with a damaged part, into one, during puts. Each
// damaged word is counted once. The count of bits during the race is never below that of these
// words. Seen to fail in each of 20 runs with a word counted by every call that finds it.
TEST(FilterRace, PutAllOfDamagedFiltersCountsEachWordOnce) {
  constexpr uint64_t kRounds = kUnderTsan ? 4 : 60, kPart = 256;
  for (uint64_t round = 0; round < kRounds; round++) {
    const Filter into = Make(8000, 0.01, LFB_FAST);
    std::vector<Filter> from;
    for (uint64_t f = 0; f < kThreads; f++) {  // half of each part is the next filter's, too
      from.push_back(Make(8000, 0.01, LFB_FAST));
      for (uint64_t i = 0; i < kPart; i++)
        lfb_bit_array_or(&from[f]->layout.bits, f * kPart / 2 + i, ~uint64_t{0});
      lfb_bit_array_add(&from[f]->layout.bits, 64 * kPart);
      from[f]->full_words = kPart;
    }
    std::atomic<uint64_t> below{0};
    RunTogether(kThreads, [&](unsigned t) {
      for (uint64_t f = 0; f < kThreads; f++) {
        for (uint64_t i = 0; i < 100; i++)
          lfb_filter_put_u64(into.get(), Mix(round * kThreads + t, 100 * f + i));
        EXPECT_EQ(lfb_filter_put_all(into.get(), from[(f + t) % kThreads].get()), LFB_OK);
        const uint64_t full = lfb_filter_full_words(into.get());
        below += Stats(into).bits_set < 64 * full;
      }
    });
    ASSERT_EQ(below, 0u) << "round " << round;
    ASSERT_EQ(lfb_filter_full_words(into.get()), (kThreads + 1) * kPart / 2) << "round " << round;
    ASSERT_EQ(Stats(into).bits_set, Popcount(into)) << "round " << round;
  }
}

// A copy and a form made during puts hold the keys that were put before, and count their own
// bits.
TEST(FilterRace, CopyAndWriteDuringPut) {
  constexpr uint64_t kKeys = kUnderTsan ? 4000 : 40000;
  const Filter filter = Make(2 * kKeys, 0.01);
  for (uint64_t i = 0; i < kKeys; i++) lfb_filter_put_u64(filter.get(), Mix(1, i));
  std::atomic<uint64_t> lost{0}, miscounted{0}, misshaped{0};
  RunTogether(3, [&](unsigned t) {
    if (t == 0) {
      for (uint64_t i = 0; i < kKeys; i++) lfb_filter_put_u64(filter.get(), Mix(2, i));
      return;
    }
    for (int round = 0; round < 5; round++) {
      lfb_filter* made = nullptr;
      if (lfb_filter_copy(filter.get(), &made) != LFB_OK) continue;
      const Filter copy(made);
      for (uint64_t i = 0; i < kKeys; i++)
        lost += !lfb_filter_might_contain_u64(copy.get(), Mix(1, i));
      miscounted += Stats(copy).bits_set != Popcount(copy);
      misshaped += Bytes(filter).size() != 6 + Stats(filter).bytes;
    }
  });
  EXPECT_EQ(lost, 0u);
  EXPECT_EQ(miscounted, 0u);
  EXPECT_EQ(misshaped, 0u);
}

// A file written during puts is a whole filter, and holds every key with a put that returned
// before the writing began. Each putting thread publishes how far it is. The filter has some
// MiB, so that puts happen while it is written. Seen to fail 20 times in 20 with checksums of
// the current words instead of the copied ones, and by hand with one word in a thousand left out
// of the copy.
TEST(FilterRace, SaveDuringPut) {
  constexpr uint64_t kRounds = kUnderTsan ? 2 : 10, kKeys = kUnderTsan ? 10000 : 100000;
  constexpr unsigned kPutting = 2;
  for (uint64_t round = 0; round < kRounds; round++) {
    const Filter filter = Make(2'000'000, 0.01, LFB_FAST);
    std::atomic<uint64_t> put[kPutting] = {};
    std::atomic<unsigned> putting{kPutting};
    uint64_t damaged = 0, lost = 0, miscounted = 0, known = 0;
    RunTogether(1 + kPutting, [&](unsigned t) {
      if (t < kPutting) {
        for (uint64_t i = 0; i < kKeys; i++) {
          lfb_filter_put_u64(filter.get(), Mix(round * kPutting + t, i));
          put[t].store(i + 1, std::memory_order_release);
        }
        putting--;
        return;
      }
      do {
        uint64_t before[kPutting];
        for (unsigned p = 0; p < kPutting; p++) before[p] = put[p].load(std::memory_order_acquire);
        Filter saved;
        damaged += ReadFrom({Bytes(filter, LFB_FORM_NATIVE)}, &saved) != LFB_OK;
        if (saved == nullptr) continue;
        miscounted += Stats(saved).bits_set != Popcount(saved);
        for (unsigned p = 0; p < kPutting; p++)
          for (uint64_t i = 0; i < before[p]; i++, known++)
            lost += !lfb_filter_might_contain_u64(saved.get(), Mix(round * kPutting + p, i));
      } while (putting > 0);
    });
    ASSERT_EQ(damaged, 0u) << "round " << round;
    ASSERT_EQ(lost, 0u) << "of " << known << " in round " << round;
    ASSERT_EQ(miscounted, 0u) << "round " << round;
  }
}

}  // namespace
