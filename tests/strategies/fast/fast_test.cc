// Strategy `fast`: its sizes, its bits and its hashes. simd_test.cc tests that all variants agree;
// block_model_test.cc and fpp_held_test.cc its rates.

#include <cmath>

#include "bloom/strategies/fast/fast_key.h"
#include "tests/support/race.h"
#include "tests/support/variants.h"

namespace {

lfb_stats Plan(const lfb_config& config) {
  lfb_stats stats{};
  EXPECT_EQ(lfb_config_plan(&config, &stats), LFB_OK);
  return stats;
}

TEST(FastSize, SmallAndOddOnes) {
  EXPECT_EQ(Plan(Config(0, 0.01, LFB_FAST)).bit_count, 128u);
  EXPECT_EQ(Plan(Config(1, 0.5, LFB_FAST)).bit_count, 128u);
  EXPECT_EQ(Plan(Config(1, 1e-3, LFB_FAST)).bit_count, 512u);
  EXPECT_EQ(Plan(Config(1, 1e-6, LFB_FAST)).bit_count, 1024u);
  for (double fpp : {0.999999, 1 - 1e-15, std::nextafter(1, 0)}) {
    EXPECT_EQ(Plan(Config(1, fpp, LFB_FAST)).bit_count, 128u) << fpp;
    EXPECT_GE(Plan(Config(1 << 30, fpp, LFB_FAST)).bit_count, 512u << 15) << fpp;
  }
}

// Below, sizes would explode: at 1e-40 to 20 KB a key, without a word.
TEST(FastSize, BelowTheLeastFppThereIsNone) {
  for (lfb_strategy_id strategy : {LFB_DEFAULT, LFB_FAST, LFB_FAST_PAIR})
    for (lfb_memory_preference preference :
         {LFB_MEMORY_BALANCED, LFB_MEMORY_SPEED, LFB_MEMORY_SMALLEST}) {
      lfb_config config = Config(100'000, 1e-18, strategy);
      config.memory_preference = preference;
      if (strategy != LFB_FAST_PAIR) {
        EXPECT_LT(Plan(config).bytes, 57u * 100'000);
      }
      lfb_stats stats{};
      for (double fpp : {0.99e-18, 1e-40, 1e-300, 5e-324}) {
        config.fpp = fpp;
        EXPECT_EQ(lfb_config_plan(&config, &stats), LFB_ERROR_FPP_TOO_LOW) << strategy;
      }
    }
}

// Four pairs of two bits and two of four have as many probes, and blocks of two sizes.
TEST(FastSize, ShapesAreNotUnited) {
  const Filter four = MakeShaped(lfb_simd_chosen(), 4, 2, 2),
               two = MakeShaped(lfb_simd_chosen(), 2, 4, 4);
  EXPECT_EQ(lfb_filter_put_all(four.get(), two.get()), LFB_ERROR_STRATEGY_DIFFERS);
}

// No bit of the first product both chooses a pair and names a bit of a word. Seen to fail with
// bits 15 + j for the choice, with probes 5 bits apart, and with probes that start one bit higher.
TEST(FastKey, SelectionAndProbesOverlapNowhere) {
  uint64_t inverse = 1;  // of M(0), by Newton's method: each step doubles the bits that are right
  for (int i = 0; i < 6; i++) inverse *= 2 - lfb_fast_round(1, 0) * inverse;
  ASSERT_EQ(inverse * lfb_fast_round(1, 0), 1u);
  uint64_t probes = 0;
  for (uint32_t probe = 0; probe < LFB_FAST_ROUND; probe++) {
    const uint64_t named = UINT64_C(63) << lfb_fast_shift(probe);
    ASSERT_LE(lfb_fast_shift(probe), 58u);
    EXPECT_EQ(probes & named, 0u) << "probe " << probe;
    probes |= named;
  }
  for (uint32_t pairs : {2u, 4u})
    for (uint32_t j = 0; j < pairs; j++) {
      uint64_t selects = 0;  // the bits of r(0) on which the pair depends
      for (uint32_t bit = 0; bit < 64; bit++)
        if (lfb_fast_pair_at((UINT64_C(1) << bit) * inverse, pairs, j) !=
            lfb_fast_pair_at(0, pairs, j))
          selects |= UINT64_C(1) << bit;
      EXPECT_EQ(selects, UINT64_C(1) << (12 + j)) << pairs << " pairs, pair " << j;
      EXPECT_EQ(selects & probes, 0u) << pairs << " pairs, pair " << j;
    }
}

struct Keys {
  const char* name;
  std::string (*key)(uint64_t i);
};

std::string LittleEndian(uint64_t value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

const Keys kKeys[] = {
    {"sequential", [](uint64_t i) { return LittleEndian(i); }},
    {"strided", [](uint64_t i) { return LittleEndian(i << 20); }},
    {"high strided", [](uint64_t i) { return LittleEndian(i << 40); }},
    {"short text", [](uint64_t i) { return std::to_string(i); }},
    {"one bit apart", [](uint64_t i) {
       std::string key(64, 'a');  // bit j of i flips bit 29 j of a 512-bit key
       for (unsigned j = 0; j < 20; j++)
         if (i >> j & 1) key[29 * j % 512 / 8] ^= static_cast<char>(1 << (29 * j % 8));
       return key;
     }},
};

// Similar keys are spread like random ones, with every hash.
TEST(Fast, AlikeKeysHoldTheRate) {
  constexpr uint64_t n = kUnderTsan ? 20000 : 200000;
  constexpr double fpp = 0.01;
  for (lfb_hash_id hash : {LFB_HASH_XXH3, LFB_HASH_SIPHASH13})
    for (const Keys& keys : kKeys) {
      lfb_config config = Config(n, fpp, LFB_FAST);
      config.hash = hash;
      config.seed = hash == LFB_HASH_XXH3 ? 77 : 0;
      if (hash == LFB_HASH_SIPHASH13) config.key[0] = 1;
      const Filter filter = Make(config);
      for (uint64_t i = 0; i < n; i++) Put(filter, keys.key(i));
      uint64_t wrong = 0;
      for (uint64_t i = n; i < 2 * n; i++) wrong += Has(filter, keys.key(i));
      EXPECT_LE(static_cast<double>(wrong), n * fpp + 5 * std::sqrt(n * fpp))
          << keys.name << " hash " << hash;
    }
  for (unsigned shift : {0u, 8u, 32u, 44u}) {
    const Filter filter = Make(n, fpp, LFB_FAST);
    for (uint64_t i = 0; i < n; i++) lfb_filter_put_u64(filter.get(), i << shift);
    uint64_t wrong = 0;
    for (uint64_t i = n; i < 2 * n; i++) wrong += lfb_filter_might_contain_u64(filter.get(),
                                                                               i << shift);
    EXPECT_LE(static_cast<double>(wrong),
              n * fpp + 5 * std::sqrt(n * fpp)) << "integers << " << shift;
  }
}

}  // namespace
