// The counting filter with counters, of any strategy but tags: on one thread against counters kept
// by hand, and under races.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tests/support/countings.h"
#include "tests/support/property.h"
#include "tests/support/race.h"

namespace {

// Checks that its bits and figures are those of a plain filter of these keys.
void ExpectHolds(const Counting& counting, const lfb_config& config,
                 const std::vector<uint64_t>& keys) {
  const Filter filter = Make(config), plain = Plain(counting);
  for (uint64_t key : keys) lfb_filter_put_u64(filter.get(), key);
  ASSERT_EQ(Words(plain), Words(filter));
  ASSERT_EQ(Stats(counting).bytes, 4 * Stats(filter).bytes);
  ASSERT_EQ(Stats(plain).bits_set, Stats(filter).bits_set);
  ASSERT_EQ(Stats(counting).bits_set, Stats(filter).bits_set);
  ASSERT_EQ(Stats(counting).approximate_count, Stats(filter).approximate_count);
  ASSERT_EQ(Stats(counting).expected_fpp, Stats(filter).expected_fpp);
}

// ---- a word of counters --------------------------------------------------------

TEST(Counters, RaiseAndLowerEachAlone) {
  for (unsigned i = 0; i < 16; i++) {
    lfb_word word{0};
    const uint64_t one = uint64_t{1} << (4 * i);
    lfb_counters_step step;
    EXPECT_FALSE(lfb_counters_lower(&word, one, &step));
    for (uint64_t n = 1; n <= 15; n++) {
      step = lfb_counters_raise(&word, one);
      EXPECT_EQ(step.before, (n - 1) << (4 * i));
      EXPECT_EQ(step.after, n << (4 * i));
      EXPECT_EQ(lfb_counters_above_0(lfb_word_get(&word)), one);
      EXPECT_EQ(lfb_counters_stuck(lfb_word_get(&word)), n == 15 ? one : 0);
    }
    EXPECT_EQ(lfb_counters_gather(one), uint64_t{1} << i);
    lfb_counters_raise(&word, one);
    EXPECT_TRUE(lfb_counters_lower(&word, one, &step));
    EXPECT_EQ(lfb_word_get(&word), uint64_t{15} << (4 * i)) << "stuck";
  }
}

TEST(Counters, LowerAllOrNone) {
  lfb_word word{0x0f21};
  lfb_counters_step step;
  EXPECT_FALSE(lfb_counters_lower(&word, 0x1111, &step));
  EXPECT_EQ(lfb_word_get(&word), 0x0f21u);
  EXPECT_TRUE(lfb_counters_lower(&word, 0x0111, &step));
  EXPECT_EQ(lfb_word_get(&word), 0x0f10u);
  for (unsigned n = 0; n <= 16; n++)
    EXPECT_EQ(lfb_counters_count(n == 0 ? 0 : LFB_COUNTER_ONES >> (4 * (16 - n))), n);
  EXPECT_EQ(lfb_counters_gather(LFB_COUNTER_ONES), 0xffffu);
  EXPECT_EQ(lfb_counters_gather(0x1000100010001001), 0x8889u);
}

// Each pair of two counters' values, next to full and empty neighbours.
TEST(Counters, SumsStayBelow16) {
  for (uint64_t a = 0; a < 16; a++)
    for (uint64_t b = 0; b < 16; b++) {
      const uint64_t sum = std::min<uint64_t>(a + b, 15);
      EXPECT_EQ(lfb_counters_sum(a << 4, b << 4), sum << 4) << a << " " << b;
      EXPECT_EQ(lfb_counters_sum(a << 4 | 0xf0f, b << 4 | 0xf0f), sum << 4 | 0xf0f) << a << b;
      EXPECT_EQ(lfb_counters_sum(a << 60, b << 60), sum << 60);
      lfb_word word{a * LFB_COUNTER_ONES};
      const lfb_counters_step step = lfb_counters_add(&word, b * LFB_COUNTER_ONES);
      EXPECT_EQ(step.before, a * LFB_COUNTER_ONES);
      EXPECT_EQ(step.after, sum * LFB_COUNTER_ONES);
      EXPECT_EQ(lfb_word_get(&word), step.after);
    }
}

// ---- one thread ------------------------------------------------------------------

class EveryStrategyCounting : public testing::TestWithParam<lfb_strategy_id> {};
INSTANTIATE_TEST_SUITE_P(All, EveryStrategyCounting, testing::ValuesIn(AllStrategies()),
                         StrategyTestName);

// Random puts and removals, of present and absent keys, against counters kept by hand. Seen to fail
// with a removal that subtracts from stuck counters, made small in 12 steps.
TEST_P(EveryStrategyCounting, IsACounterForEachBit) {
  const bool big = GetParam() == LFB_GO_FNV14;  // 4 MiB for each key's bits
  const uint64_t keys = big ? 12 : 150;
  const lfb_config config = Config(keys / 3, 0.05, GetParam());
  std::vector<std::vector<uint64_t>> bits;
  for (uint64_t i = 0; i < keys; i++) bits.push_back(BitsOf(config, Mix(1, i)));
  uint64_t refused = 0, stuck = 0;

  ExpectFor(big ? 10 : 60, [&] {
    // Whether to put or to remove, and the number of a key. Of two keys, counters become stuck.
    const auto number = rc::gen::inRange<uint64_t>(0, *rc::gen::element(keys, uint64_t{2}));
    const auto put_or_not = rc::gen::weightedElement<bool>({{2, true}, {1, false}});
    const auto acts = *rc::gen::resize(
        400, rc::gen::container<std::vector<std::pair<bool, uint64_t>>>(
                 rc::gen::pair(put_or_not, number)));
    const Counting counting = Count(config);
    std::map<uint64_t, unsigned> counts;
    uint64_t now_stuck = 0;
    for (const auto& [put, i] : acts) {
      bool in = true;
      for (uint64_t bit : bits[i]) in = in && counts[bit] > 0;
      RC_ASSERT(lfb_counting_might_contain_u64(counting.get(), Mix(1, i)) == in);
      if (put)
        RC_ASSERT(lfb_counting_put_u64(counting.get(), Mix(1, i)));
      else
        RC_ASSERT(lfb_counting_remove_u64(counting.get(), Mix(1, i)) == in);
      refused += !put && !in;
      if (!put && !in) continue;
      for (uint64_t bit : bits[i])
        if (counts[bit] < 15) now_stuck += (counts[bit] += put ? 1 : -1) == 15;
    }
    uint64_t set = 0;
    for (const auto& count : counts) set += count.second > 0;
    RC_ASSERT(Stats(counting).bits_set == set);
    RC_ASSERT(Stats(counting).counters_stuck == now_stuck);
    const Filter plain = Plain(counting);
    RC_ASSERT(Stats(plain).bits_set == set);
    for (const auto& [bit, count] : counts)
      RC_ASSERT(lfb_bit_array_get(&plain->layout.bits, bit) == (count > 0));
    stuck += now_stuck;
  });
  EXPECT_GT(refused, 0u);
  EXPECT_GT(stuck, 0u);
}

// One by one and many at a time, for each kind of key: the result is the plain filter of the
// keys that were not removed.
TEST_P(EveryStrategyCounting, ConvertsToThePlainFilterOfWhatIsLeft) {
  for (double fpp : {0.3, 0.01, 1e-3, 1e-4}) {
    for (uint64_t n : {1ul, 65ul, 3000ul}) {
      const lfb_config config = Config(n, fpp, GetParam());
      const Counting counting = Count(config);
      std::vector<uint64_t> kept(n), gone(n / 2 + 1);
      for (uint64_t i = 0; i < n; i++) kept[i] = Mix(1, i);
      for (uint64_t i = 0; i < gone.size(); i++) gone[i] = Mix(2, i);
      any::put_many(counting.get(), kept.data(), kept.size(), nullptr);
      for (uint64_t key : gone) PutInto(counting.get(), key);
      ASSERT_EQ(any::might_contain_many(counting.get(), gone.data(), gone.size(),
                                                    nullptr),
                gone.size());
      ASSERT_EQ(any::remove_many(counting.get(), gone.data(), gone.size(), nullptr),
                gone.size());
      ASSERT_EQ(Stats(counting).counters_stuck, 0u);
      ASSERT_NO_FATAL_FAILURE(ExpectHolds(counting, config, kept)) << fpp << " " << n;
      for (uint64_t key : kept) ASSERT_TRUE(lfb_counting_remove_u64(counting.get(), key));
      ASSERT_NO_FATAL_FAILURE(ExpectHolds(counting, config, {})) << fpp << " " << n;
    }
  }
}

// Counters are added: keys of both filters can be removed as often as both had them.
TEST_P(EveryStrategyCounting, UnionsAddCounters) {
  const lfb_config config = Config(1000, 0.01, GetParam());
  const Counting into = Count(config), from = Count(config);
  std::vector<uint64_t> all, both;
  for (uint64_t i = 0; i < 600; i++) {
    if (i < 400) PutInto(into.get(), Mix(1, i));
    if (i >= 200) PutInto(from.get(), Mix(1, i));
    all.push_back(Mix(1, i));
    if (i >= 200 && i < 400) both.push_back(Mix(1, i));
  }
  ASSERT_EQ(lfb_counting_put_all(into.get(), from.get()), LFB_OK);
  ASSERT_NO_FATAL_FAILURE(ExpectHolds(into, config, all));
  for (uint64_t key : all) ASSERT_TRUE(lfb_counting_remove_u64(into.get(), key));
  ASSERT_NO_FATAL_FAILURE(ExpectHolds(into, config, both));
}

// From 15 on a counter stays at 15 for any removal: the key is permanently present. Seen to fail
// with stuck counters lowered.
TEST_P(EveryStrategyCounting, AFullCounterStays) {
  const lfb_config config = Config(100, 0.01, GetParam());
  const Counting counting = Count(config);
  const uint64_t bits = BitsOf(config, 7).size();
  for (int i = 0; i < 14; i++) PutInto(counting.get(), 7);
  EXPECT_EQ(Stats(counting).counters_stuck, 0u);
  for (int i = 0; i < 6; i++) PutInto(counting.get(), 7);
  EXPECT_EQ(Stats(counting).counters_stuck, bits);
  for (int i = 0; i < 40; i++) EXPECT_TRUE(lfb_counting_remove_u64(counting.get(), 7));
  EXPECT_TRUE(lfb_counting_might_contain_u64(counting.get(), 7));
  EXPECT_EQ(Stats(counting).counters_stuck, bits);
  EXPECT_EQ(Stats(counting).bits_set, bits);
}

// The header's figures for stuck counters: with n keys, the number of keys per bit is Poisson
// with mean k n / m.
TEST_P(EveryStrategyCounting, CountersSeldomGetStuck) {
  if (GetParam() == LFB_GO_FNV14) return;  // its size is fixed
  for (double fpp : {0.5, 0.2, 0.05, 0.01, 1e-3, 1e-4, 1e-6}) {
    const lfb_config config = Config(100000, fpp, GetParam());
    lfb_stats plan;
    ASSERT_EQ(lfb_config_plan(&config, &plan), LFB_OK);
    const double mean = plan.probes * 1e5 / static_cast<double>(plan.bit_count);
    double above = 0;
    for (int i = 15; i < 60; i++) above += std::exp(i * std::log(mean) - mean - std::lgamma(i + 1));
    EXPECT_LT(above, 1e-9) << fpp;
  }
}

TEST(CountingTest, RefusesWhatAFilterRefuses) {
  lfb_counting* counting = nullptr;
  lfb_config config = Config(100, 0, LFB_FAST);
  EXPECT_EQ(lfb_counting_create(&config, &counting), LFB_ERROR_FPP_TOO_LOW);
  config = Config(100, 0.01, static_cast<lfb_strategy_id>(63));
  EXPECT_EQ(lfb_counting_create(&config, &counting), LFB_ERROR_UNKNOWN_STRATEGY);
  // 2^42 words of bits and more, so 2^47 bytes of counters: no address space has room for them.
  config = Config(uint64_t{1} << 45, 0.01, LFB_FAST);
  EXPECT_NE(lfb_counting_create(&config, &counting), LFB_OK);
  EXPECT_EQ(counting, nullptr);
  lfb_counting_free(nullptr);
}

// ---- under races -----------------------------------------------------------------

constexpr unsigned kThreads = 4;  // more than the cores

// Against the rule, all threads remove the same keys, each of which was put once. Of all
// removals of a key one succeeds, and at the end no key is missing that was not removed. The
// removed keys have no bit in common, and each has a bit that no kept key has, so there is one
// right answer. They share other bits with kept keys; a removal may subtract there before it is
// refused. Threads walk in step; otherwise they would not meet. Seen to fail 20 times in 20 with
// refused removals that restore nothing.
TEST(CountingRace, OneOfSeveralRemovalsOfAKeySucceeds) {
  constexpr uint64_t kKept = 1200, kRounds = kUnderSanitizer ? 10 : 300, kRemoved = 100;
  const lfb_config config = Config(1200, 0.05, LFB_GUAVA_MITZ64);
  std::vector<uint64_t> kept(kKept), removed;
  std::set<uint64_t> theirs, used;
  for (uint64_t i = 0; i < kKept; i++) {
    kept[i] = Mix(1, i);
    for (uint64_t bit : BitsOf(config, kept[i])) theirs.insert(bit);
  }
  for (uint64_t i = 0; removed.size() < kRemoved && i < 100000; i++) {
    const std::vector<uint64_t> bits = BitsOf(config, Mix(2, i));
    const auto taken = [&](uint64_t bit) { return used.count(bit) > 0; };
    const auto shared = [&](uint64_t bit) { return theirs.count(bit) > 0; };
    if (std::any_of(bits.begin(), bits.end(), taken) ||
        std::all_of(bits.begin(), bits.end(), shared))
      continue;
    used.insert(bits.begin(), bits.end());
    removed.push_back(Mix(2, i));
  }
  ASSERT_EQ(removed.size(), kRemoved);

  const Counting counting = Count(config);
  lfb_counting* c = counting.get();
  any::put_many(c, kept.data(), kKept, nullptr);
  for (uint64_t round = 0; round < kRounds; round++) {
    any::put_many(c, removed.data(), kRemoved, nullptr);
    InStep in_step(kThreads);
    std::atomic<uint64_t> did{0};
    RunTogether(kThreads, [&](unsigned) {
      for (unsigned i = 0; i < kRemoved; i++) {
        in_step.Wait(i + 1);
        did += lfb_counting_remove_u64(c, removed[i]);
      }
    });
    ASSERT_EQ(did, kRemoved) << "round " << round;
    ASSERT_EQ(any::might_contain_many(c, kept.data(), kKept, nullptr), kKept)
        << "round " << round;
    ASSERT_NO_FATAL_FAILURE(ExpectHolds(counting, config, kept)) << "round " << round;
  }
}

// During puts and removals every reading of the count is at most the number of bits: a header
// with more would be refused. Seen to fail 8 times in 10 without that limit, with a third of the
// readings.
TEST(CountingRace, NoMoreBitsAreCountedThanThereAre) {
  const Counting counting = Count(Config(1, 0.5, LFB_FAST));
  const uint64_t bits = Stats(counting).bit_count;
  std::atomic<bool> read{false};
  RunTogether(kThreads, [&](unsigned t) {
    if (t == 0) {
      for (int i = 0; i < (kUnderTsan ? 3000 : 300000) && !HasFailure(); i++)
        EXPECT_LE(Stats(counting).bits_set, bits) << "reading " << i;
      read = true;
    }
    while (!read) {
      PutInto(counting.get(), t);
      ASSERT_TRUE(lfb_counting_remove_u64(counting.get(), t));
    }
  });
}

}  // namespace
