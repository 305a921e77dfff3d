// The sizes of filters of all strategies: more keys or a smaller fpp never take less memory.
#include <gtest/gtest.h>
#include <lfbloom/filter_more.h>
#include <lfbloom/growing.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/countings.h"
#include "tests/support/filters.h"

namespace {

constexpr lfb_memory_preference kPreferences[] = {LFB_MEMORY_BALANCED, LFB_MEMORY_SPEED,
                                                  LFB_MEMORY_SMALLEST};

// 10^-low to 10^-high, in steps of the exponent.
std::vector<double> Probabilities(double low, double high, double step) {
  std::vector<double> all;
  for (double exponent =
       low; exponent < high; exponent += step) all.push_back(std::pow(10, -exponent));
  return all;
}

// 0 if there is no such filter.
uint64_t Bits(lfb_config config, uint64_t n, double fpp) {
  lfb_stats stats{};
  config.expected_insertions = n;
  config.fpp = fpp;
  return lfb_config_plan(&config, &stats) == LFB_OK ? stats.bit_count : 0;
}

// Calls test(config) for all strategies, preferences, and with and without `foldable`.
template <typename Test>
void ForAll(Test test) {
  for (lfb_strategy_id strategy : AllStrategies())
    for (lfb_memory_preference preference : kPreferences)
      for (bool foldable : {false, true}) {
        lfb_config config = Config(1, 0.5, strategy);
        config.memory_preference = preference;
        config.foldable = foldable;
        test(config);
      }
}

// A foldable filter is up to 1/32 or 12 blocks larger than its rate needs. Seen to fail with two
// pairs at any p below 0.005, without the size of the limit: at 1e9 keys, 0.005 took 13.1 bits a
// key and 0.0049 11.9. So does the next test.
TEST(Sizes, RiseWithKeysAndWithASmallerFpp) {
  const std::vector<double> probabilities = Probabilities(0.02, 12.5, 0.02);
  uint64_t compared = 0;
  ForAll([&](const lfb_config& config) {
    std::vector<uint64_t> fewer(probabilities.size(), 0); // of the n before
    for (uint64_t n = 1000; n <= 1000000000; n *= 10) {
      uint64_t before = 0;
      for (size_t i = 0; i < probabilities.size(); i++) {
        const uint64_t bits = Bits(config, n, probabilities[i]);
        if (bits == 0) continue;
        const uint64_t rounding = config.foldable ? bits / 32 + 12 * 1024 : 0;
        ASSERT_GE(bits + rounding, before) << lfb_strategy_name(config.strategy) << " n " << n
                                           << " p " << probabilities[i] << " "
                                           << config.memory_preference;
        ASSERT_GE(bits, fewer[i]) << lfb_strategy_name(config.strategy) << " n " << n;
        fewer[i] = before = bits;
        compared++;
      }
    }
  });
  EXPECT_GT(compared, 100000u);
}

// Near the limits of `fast`, where the number of pairs changes.
TEST(Sizes, RiseInSmallStepsToo) {
  for (lfb_memory_preference preference : kPreferences) {
    lfb_config config = Config(1, 0.5, LFB_FAST);
    config.memory_preference = preference;
    uint64_t before = 0;
    for (double fpp : Probabilities(0.02, 12.5, 0.004)) {
      const uint64_t bits = Bits(config, 100000000, fpp);
      ASSERT_GE(bits, before) << fpp << " " << preference;
      before = bits;
    }
  }
}

TEST(Sizes, FastKeepsToTheSharesOfItsPreferences) {
  lfb_config config = Config(1, 0.5, LFB_FAST);
  for (double fpp : Probabilities(0.02, 12.5, 0.01)) {
    uint64_t bits[3] = {0, 0, 0};
    for (lfb_memory_preference preference : kPreferences) {
      config.memory_preference = preference;
      bits[preference] = Bits(config, 100000000, fpp);
    }
    const auto smallest = static_cast<double>(bits[LFB_MEMORY_SMALLEST]);
    // `smallest` has four pairs from 8e-4 on, `balanced` from 3.3e-5 on, `speed` below 2e-9.
    EXPECT_LE(static_cast<double>(bits[LFB_MEMORY_BALANCED]),
              (fpp > 8e-4 ? 1.11 : fpp > 1e-5 ? 1.14 : 1.0001) * smallest)
        << fpp;
    EXPECT_LE(static_cast<double>(bits[LFB_MEMORY_SPEED]),
              (fpp > 8e-4 ? 1.2 : fpp > 1e-6 ? 1.43 : 1.58) * smallest) << fpp;
    EXPECT_LE(bits[LFB_MEMORY_SMALLEST], bits[LFB_MEMORY_BALANCED]) << fpp;
    EXPECT_LE(bits[LFB_MEMORY_BALANCED], bits[LFB_MEMORY_SPEED]) << fpp;
  }
}

// What lfb_config.bytes makes of n and p: the filter fits, with more keys or a smaller p it would
// not, and n and p alone give the same size. Returns whether there is such a filter.
bool Fits(const lfb_config& config) {
  lfb_stats stats{};
  const lfb_status status = lfb_config_plan(&config, &stats);
  EXPECT_TRUE(status == LFB_OK || status == LFB_ERROR_BAD_BYTES) << lfb_status_text(status);
  if (status != LFB_OK) return false;
  EXPECT_LE(stats.bytes, config.bytes);
  lfb_config alone = config;
  alone.bytes = 0;
  EXPECT_EQ(Bits(alone, stats.expected_insertions, stats.fpp), stats.bit_count);
  const bool n_follows = config.expected_insertions == 0;
  EXPECT_TRUE(n_follows ? stats.fpp == config.fpp : stats.fpp >= config.fpp) << stats.fpp;
  EXPECT_TRUE(n_follows || stats.expected_insertions == config.expected_insertions);

  double after = 0;
  EXPECT_EQ(lfb_config_fpp_after(&config, stats.expected_insertions, &after), LFB_OK);
  if (config.bytes < 65536 || !(n_follows || stats.fpp > config.fpp)) return true;
  // Guava's k is rounded, and double hashing adds to the rate.
  EXPECT_LE(after, stats.words_per_key > 0
                       ? stats.fpp * 1.0001
                       : stats.fpp * 1.08 + 10 / static_cast<double>(stats.bit_count));
  // sbbf has a power of two; mitz32 reaches 2^31 bits, and go-fnv14 has 2^25.
  const double most = std::min(8.0 * static_cast<double>(config.bytes), 0x1p31);
  if (config.strategy == LFB_GO_FNV14) return true;
  EXPECT_GE(static_cast<double>(stats.bit_count), (config.strategy == LFB_SBBF ? 0.5 : 0.9) * most);
  const uint64_t more = n_follows ? stats.expected_insertions / 9 * 10 : stats.expected_insertions;
  const uint64_t larger = Bits(alone, more, n_follows ? stats.fpp : stats.fpp / 1.2);
  EXPECT_TRUE(larger == 0 || larger > stats.bit_count) << larger;
  return true;
}

// Seen to fail with bits taken for bytes, with an n that is not told, with a p that is not raised,
// and with an n of half the bytes.
TEST(Sizes, FitIntoBytes) {
  uint64_t fitted = 0, refused = 0;
  ForAll([&](lfb_config config) {
    for (uint64_t bytes : {1, 8, 100, 4096, 65536, 1000000, 5 << 20, 300 << 20})
      for (double fpp : {0.3, 0.03, 1e-3, 1e-6})
        for (uint64_t n : {UINT64_C(0), bytes, 3 * bytes}) {
          SCOPED_TRACE(testing::Message() << lfb_strategy_name(config.strategy) << " " << bytes
                                          << " bytes, n " << n << " p " << fpp << " foldable "
                                          << config.foldable << " " << config.memory_preference);
          config.bytes = bytes;
          config.fpp = fpp;
          config.expected_insertions = n;
          (Fits(config) ? fitted : refused)++;
        }
  });
  EXPECT_GT(fitted, 3000u);
  EXPECT_GT(refused, 100u);
}

TEST(Sizes, OnlyKindsOfOneSizeTakeBytes) {
  lfb_config config = Config(0, 0.01, LFB_DEFAULT);
  config.bytes = 1 << 20;
  lfb_stats stats{};
  lfb_counting_stats(Count(config).get(), &stats);
  EXPECT_TRUE(stats.bytes <= config.bytes && stats.bytes > config.bytes * 9 / 10) << stats.bytes;
  stats = Stats(Make(config));
  EXPECT_TRUE(stats.bytes <= config.bytes && stats.bytes > config.bytes * 9 / 10) << stats.bytes;

  lfb_growing* growing = nullptr;
  lfb_counting* counting = nullptr;
  EXPECT_EQ(lfb_growing_create(&config, &growing), LFB_ERROR_BAD_BYTES);
  config.strategy = LFB_FAST;
  EXPECT_EQ(lfb_counting_create(&config, &counting), LFB_ERROR_BAD_BYTES);
}

}  // namespace
