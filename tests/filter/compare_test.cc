// compare_test.cc - what two filters have in common (bloom/filter/compare.c), against exact sets.
#include <gtest/gtest.h>
#include <lfbloom/filter_more.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bloom/strategies/spread.h"
#include "tests/support/filters.h"
#include "tests/support/skip.h"
#include "tests/support/streams.h"

namespace {

enum Figure { kA, kB, kBoth, kEither, kJaccard, kAInB, kBInA, kFigures };
constexpr const char* kNames[kFigures] =
    {"a", "b", "both", "either", "jaccard", "a_in_b", "b_in_a"};
constexpr double kOverlaps[] = {0, 0.01, 0.1, 0.5, 0.9, 1};
constexpr double kLoads[] = {0.01, 0.1, 0.5, 1, 2};
constexpr uint64_t kExpected = 1000;

std::array<lfb_estimate, kFigures> Figures(const lfb_comparison& result) {
  return {result.a,       result.b,      result.both,  result.either,
          result.jaccard, result.a_in_b, result.b_in_a};
}

lfb_comparison Compare(const Filter& a, const Filter& b) {
  lfb_comparison result{};
  EXPECT_EQ(lfb_filter_compare(a.get(), b.get(), &result), LFB_OK);
  return result;
}

// Keys from first on, of which no two calls share one if their ranges differ.
void PutRange(const Filter& filter, uint64_t first, uint64_t count) {
  std::vector<uint64_t> keys(count);
  for (uint64_t i = 0; i < count; i++) keys[i] = first + i;
  lfb_filter_put_many_u64(filter.get(), keys.data(), keys.size(), nullptr);
}

// Two filters of `size` keys each, with `both` keys in both; another `run` has other keys.
struct Pair {
  Pair(const lfb_config& config, uint64_t size, uint64_t both, uint64_t run)
      : a(Make(config)), b(Make(config)) {
    const uint64_t first = (run + 1) << 32;
    PutRange(a, first, size);
    PutRange(b, first + size - both, size);
  }
  Filter a, b;
};

// How often the truth was within two errors, and how many errors it was away on average.
struct Tally {
  void Add(const lfb_estimate& estimate, double truth) {
    const double away = std::fabs(estimate.value - truth);
    runs++;
    held += away <= 2 * estimate.error;
    errors_away += away == 0 ? 0 : away / estimate.error;
  }
  double Held() const { return held / runs; }
  double ErrorsAway() const { return errors_away / runs; }
  double runs = 0, held = 0, errors_away = 0;
};

struct Kind {
  const char* name;
  lfb_strategy_id strategy;
  double fpp;
};

class Coverage : public testing::TestWithParam<Kind> {};

// The mean distance of a normal variable from its mean is 0.8 standard deviations.  If few keys are
// shared, the value is cut off at 0; if the sets are equal, a ratio is exact.  There the errors are
// larger than the misses, so the lower bound is for the other cells only.
//
// Seen to fail with the covariances left out, with v(c) of the common keys left out, with the
// errors times 1.5 or 0.7, and without any one of the four classes of bits in spread.c.
TEST_P(Coverage, TheTruthIsWithinTwoErrors95TimesIn100) {
  constexpr uint64_t kRuns = 60;
  const lfb_config config = Config(kExpected, GetParam().fpp, GetParam().strategy);
  lfb_stats plan;
  if (lfb_config_plan(&config, &plan) == LFB_ERROR_NO_PAIRS) return NotHere("no pairs");
  std::array<Tally, kFigures> all, inner;

  for (const double load : kLoads)
    for (const double overlap : kOverlaps)
      for (uint64_t run = 0; run < kRuns; run++) {
        const double size = load * kExpected, both = std::floor(overlap * size);
        const double either = 2 * size - both;
        const std::array<double, kFigures> truth = {size,          size,        both,       either,
                                                    both / either, both / size, both / size};
        const uint64_t salt = static_cast<uint64_t>(1000 * load + overlap * 100) * kRuns + run;
        const Pair pair(config, static_cast<uint64_t>(size), static_cast<uint64_t>(both), salt);
        const std::array<lfb_estimate, kFigures> got = Figures(Compare(pair.a, pair.b));
        for (int i = 0; i < kFigures; i++) {
          all[i].Add(got[i], truth[i]);
          if (load >= 0.5 && overlap >= 0.1 && overlap < 1) inner[i].Add(got[i], truth[i]);
        }
      }
  for (int i = 0; i < kFigures; i++) {
    RecordProperty(std::string(kNames[i]) + "_held", std::to_string(all[i].Held()));
    EXPECT_GE(all[i].Held(), 0.94) << kNames[i];
    EXPECT_GE(inner[i].Held(), 0.925) << kNames[i];
    EXPECT_LE(inner[i].Held(), 0.99) << kNames[i];
    EXPECT_GE(inner[i].ErrorsAway(), 0.7) << kNames[i];
    EXPECT_LE(inner[i].ErrorsAway(), 0.9) << kNames[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Coverage,
                         testing::Values(Kind{"fast_1x3", LFB_FAST, 0.1},
                                         Kind{"fast_2x3", LFB_FAST, 0.01},
                                         Kind{"fast_4x3", LFB_FAST, 0.0001},
                                         Kind{"fast_8x2", LFB_FAST, 0.000001},
                                         Kind{"fast_pair", LFB_FAST_PAIR, 0.01},
                                         Kind{"sbbf", LFB_SBBF, 0.01},
                                         Kind{"guava_mitz32", LFB_GUAVA_MITZ32, 0.001},
                                         Kind{"guava_mitz64", LFB_GUAVA_MITZ64, 0.01},
                                         Kind{"java_double", LFB_JAVA_DOUBLE, 0.01},
                                         Kind{"redis_mitz32", LFB_REDIS_MITZ32, 0.01}),
                         [](const auto& kind) { return std::string(kind.param.name); });

class EveryStrategyCompares : public testing::TestWithParam<lfb_strategy_id> {};

TEST_P(EveryStrategyCompares, EqualFiltersAreAlike) {
  const Pair pair(Config(kExpected, 0.01, GetParam()), 500, 500, 0);
  const lfb_comparison result = Compare(pair.a, pair.b);
  EXPECT_EQ(result.jaccard.value, 1);
  EXPECT_EQ(result.a_in_b.value, 1);
  EXPECT_EQ(result.b_in_a.value, 1);
  EXPECT_EQ(result.both.value, result.a.value);
  EXPECT_EQ(result.either.value, result.a.value);
  EXPECT_EQ(std::llround(result.a.value), Stats(pair.a).approximate_count);
  EXPECT_NEAR(result.a.value, 500, 2 * result.a.error);
  // A key of which all bits were set already would be invisible: the error is not 0.
  EXPECT_GT(result.jaccard.error, 0);
  EXPECT_LT(result.jaccard.error, 0.01);
}

TEST_P(EveryStrategyCompares, AFilterWithItself) {
  const Pair pair(Config(kExpected, 0.01, GetParam()), 500, 0, 0);
  EXPECT_EQ(Compare(pair.a, pair.a).jaccard.value, 1);
}

TEST_P(EveryStrategyCompares, DisjointFiltersShareNothing) {
  const Pair pair(Config(kExpected, 0.01, GetParam()), 500, 0, 0);
  const lfb_comparison result = Compare(pair.a, pair.b);
  EXPECT_GE(result.both.value, 0);
  EXPECT_LE(result.both.value, 2 * result.both.error);
  EXPECT_LE(result.jaccard.value, 2 * result.jaccard.error);
  EXPECT_NEAR(result.either.value, 1000, 2 * result.either.error);
  EXPECT_LT(result.both.error, 20);
}

TEST_P(EveryStrategyCompares, NothingIsKnownOfTheRatiosToAnEmptyFilter) {
  const Pair pair(Config(kExpected, 0.01, GetParam()), 500, 0, 0);
  const Filter none = Make(Config(kExpected, 0.01, GetParam()));
  const lfb_comparison result = Compare(pair.a, none);
  EXPECT_EQ(result.b.value, 0);
  EXPECT_LT(result.b.error, 1);
  EXPECT_EQ(result.both.value, 0);
  EXPECT_EQ(result.a_in_b.value, 0);
  EXPECT_EQ(result.either.value, result.a.value);
  EXPECT_TRUE(std::isnan(result.b_in_a.value));
  EXPECT_EQ(result.b_in_a.error, INFINITY);
  EXPECT_TRUE(std::isnan(Compare(none, none).jaccard.value));
}

INSTANTIATE_TEST_SUITE_P(All, EveryStrategyCompares, testing::ValuesIn(AllStrategies()),
                         StrategyTestName);

// Of disjoint sets the raw estimate of the common keys is negative half the time.  No negative
// number of keys is reported, and none enters the error: it would say that the two filters err in
// opposite directions.  Their errors are then independent, and the error of `both` follows from the
// other three. Seen to fail with each of the two bounds left out.
TEST(Compare, ANegativeNumberOfCommonKeysCountsAsNone) {
  const lfb_config config = Config(kExpected, 0.01, LFB_GUAVA_MITZ64);
  int negative = 0;
  for (uint64_t run = 0; run < 20; run++) {
    const Pair pair(config, 1000, 0, run);
    const lfb_comparison result = Compare(pair.a, pair.b);
    if (result.a.value + result.b.value - result.either.value > -1) continue;
    negative++;
    EXPECT_EQ(result.both.value, 0);
    EXPECT_EQ(result.jaccard.value, 0);
    double variance = result.either.error * result.either.error;
    for (const auto& [filter, own] : {std::pair(&pair.a, result.a), std::pair(&pair.b, result.b)}) {
      const lfb_stats stats = Stats(*filter);
      const lfb_spread spread = {1, 1, static_cast<double>(stats.bit_count), 1, 1,
                                 static_cast<double>(stats.probes)};
      const double step = lfb_spread_step(&spread, stats.bits_set);
      variance += 2 * step * step - own.error * own.error;
    }
    EXPECT_NEAR(result.both.error, std::sqrt(variance), 1e-6);
  }
  EXPECT_GT(negative, 4);
}

// From a few free bits on down to none, no small error is stated.
TEST(Compare, NearSaturationTheErrorsAreLargeOrInfinite) {
  for (const lfb_strategy_id strategy : {LFB_FAST, LFB_SBBF, LFB_GUAVA_MITZ64}) {
    int unknown = 0;
    Tally both;
    for (uint64_t size = 5000; size <= 12000; size += 1000)
      for (uint64_t run = 0; run < 20; run++) {
        const Pair pair(Config(kExpected, 0.01, strategy), size, size / 2, run);
        const lfb_comparison result = Compare(pair.a, pair.b);
        if (std::isinf(result.both.error)) {
          unknown++;
          EXPECT_TRUE(std::isnan(result.both.value));
          EXPECT_TRUE(std::isnan(result.jaccard.value));
          EXPECT_EQ(result.either.error, INFINITY);
        } else {
          both.Add(result.both, static_cast<double>(size) / 2);
          EXPECT_GT(result.both.error, 50);
        }
      }
    EXPECT_GE(both.Held(), 0.92);
    EXPECT_GT(unknown, 0);
  }
}

// Nothing is known but how many keys B has.
void ExpectOnlyBKnown(const lfb_comparison& result, double keys) {
  EXPECT_NEAR(result.b.value, keys, 2 * result.b.error + 1);
  EXPECT_LT(result.b.error, keys / 5);
  const auto figures = Figures(result);
  for (int i = 0; i < kFigures; i++)
    if (i != kB) {
      EXPECT_TRUE(std::isnan(figures[i].value)) << kNames[i];
      EXPECT_EQ(figures[i].error, INFINITY) << kNames[i];
    }
}

TEST(Compare, OfASaturatedFilterOnlyTheOtherIsKnown) {
  const lfb_config config = Config(10, 0.01, LFB_GUAVA_MITZ64);
  const Filter full = Make(config), other = Make(config);
  PutRange(full, 0, 10000);
  PutRange(other, 0, 5);
  ASSERT_TRUE(Stats(full).saturated);
  ExpectOnlyBKnown(Compare(full, other), 5);
  // Nor is it taken for damage when it was written and read.
  Filter loaded;
  ASSERT_EQ(ReadFrom({Bytes(full, LFB_FORM_NATIVE)}, &loaded), LFB_OK);
  ExpectOnlyBKnown(Compare(loaded, other), 5);
}

TEST(Compare, AKeyPutTwiceCountsOnce) {
  const Pair once(Config(kExpected, 0.01, LFB_FAST), 500, 100, 0);
  const lfb_comparison before = Compare(once.a, once.b);
  PutRange(once.a, uint64_t{1} << 32, 500);
  EXPECT_EQ(Compare(once.a, once.b).both.value, before.both.value);
}

// Damage says nothing about keys, also where put_all took it: of such a filter nothing is known.
TEST(Compare, WhatDamageFilledIsUnknown) {
  for (const lfb_strategy_id strategy : {LFB_FAST, LFB_GUAVA_MITZ64}) {
    const Filter filter = Make(Config(2000000, 0.01, strategy));
    PutRange(filter, 0, 1000);
    std::string bytes = Bytes(filter, LFB_FORM_NATIVE);
    bytes[1 << 20] ^= 1;
    lfb_read_limits limits{};
    limits.open_damaged = true;
    Filter damaged;
    ASSERT_EQ(ReadFrom({bytes}, &damaged, limits), LFB_OK);
    ExpectOnlyBKnown(Compare(damaged, filter), 1000);
    const Filter united = Make(Config(2000000, 0.01, strategy));
    ASSERT_EQ(lfb_filter_put_all(united.get(), damaged.get()), LFB_OK);
    ExpectOnlyBKnown(Compare(united, filter), 1000);
    for (const lfb_estimate& figure : Figures(Compare(damaged, united)))
      EXPECT_EQ(figure.error, INFINITY);
  }
}

TEST(Compare, RefusesFiltersThatDoNotFit) {
  const Filter base = Make(kExpected, 0.01, LFB_FAST);
  const auto refusal = [&base](const lfb_config& config) {
    lfb_comparison result{};
    result.a.value = 7;
    const Filter other = Make(config);
    const lfb_status status = lfb_filter_compare(base.get(), other.get(), &result);
    EXPECT_EQ(result.a.value, 7);  // untouched
    EXPECT_EQ(status, lfb_filter_put_all(other.get(), base.get()));
    return status;
  };
  lfb_config seeded = Config(kExpected, 0.01, LFB_FAST);
  seeded.seed = 2;
  EXPECT_EQ(refusal(seeded), LFB_ERROR_HASH_DIFFERS);
  EXPECT_EQ(refusal(Config(2 * kExpected, 0.01, LFB_FAST)), LFB_ERROR_BIT_COUNT_DIFFERS);
  EXPECT_EQ(refusal(Config(kExpected, 0.0001, LFB_FAST)), LFB_ERROR_PROBES_DIFFER);
  const Filter guava = Make(kExpected, 0.01, LFB_GUAVA_MITZ64);
  lfb_comparison result{};
  EXPECT_EQ(lfb_filter_compare(guava.get(), Make(kExpected, 0.01, LFB_GUAVA_MITZ32).get(), &result),
            LFB_ERROR_STRATEGY_DIFFERS);
}

}  // namespace
