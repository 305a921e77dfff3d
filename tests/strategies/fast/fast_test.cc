// Strategy `fast`: its sizes, its rates against its model, and its hashes. simd_test.cc tests
// that all variants agree.

#include <cmath>

#include "bloom/strategies/block_model.h"
#include "bloom/strategies/fast/fast.h"
#include "tests/support/race.h"
#include "tests/support/variants.h"

namespace {

lfb_stats Plan(const lfb_config& config) {
  lfb_stats stats{};
  EXPECT_EQ(lfb_config_plan(&config, &stats), LFB_OK);
  return stats;
}

double BitsPerKey(double fpp, lfb_memory_preference preference = LFB_MEMORY_BALANCED) {
  lfb_config config = Config(100'000'000, fpp, LFB_FAST);
  config.memory_preference = preference;
  return static_cast<double>(Plan(config).bit_count) / 1e8;
}

double Classic(double fpp) { return -std::log(fpp) / std::log(2) / std::log(2); }

TEST(FastSize, KeepsItsBudget) {
  EXPECT_LE(BitsPerKey(0.01), 1.09 * Classic(0.01));
  EXPECT_LE(BitsPerKey(0.001), 1.12 * Classic(0.001));
  EXPECT_LE(BitsPerKey(0.0001), 1.18 * Classic(0.0001));
  EXPECT_LE(BitsPerKey(1e-6), 1.2 * Classic(1e-6));
  EXPECT_LE(BitsPerKey(1e-6), 35);
  EXPECT_LE(BitsPerKey(1e-9), 63);
}

// Down to 1e-5 a block is one line, below two; for speed it is always one.
TEST(FastSize, TwoLinesBelow1e5) {
  const auto lines = [](double fpp, lfb_memory_preference preference) {
    lfb_config config = Config(1000000, fpp, LFB_FAST);
    config.memory_preference = preference;
    return 1u << Make(config)->description.geometry.lines_shift;
  };
  for (double fpp
       : {0.1, 0.01, 0.001, 1e-4, 1e-5}) EXPECT_EQ(lines(fpp, LFB_MEMORY_BALANCED), 1u) << fpp;
  for (double fpp
       : {9.5e-6, 3e-6, 1e-6, 1e-9, 1e-12}) EXPECT_EQ(lines(fpp, LFB_MEMORY_BALANCED), 2u) << fpp;
  for (double fpp : {0.01, 1e-6, 1e-9, 1e-12}) EXPECT_EQ(lines(fpp, LFB_MEMORY_SPEED), 1u) << fpp;
  EXPECT_EQ(lines(1e-3, LFB_MEMORY_SMALLEST), 1u);
  EXPECT_EQ(lines(1e-4, LFB_MEMORY_SMALLEST), 2u);
}

TEST(FastSize, ChoosesFewWordsWhereTheyAreEnough) {
  const auto words = [](double fpp, lfb_memory_preference preference) {
    lfb_config config = Config(1000000, fpp, LFB_FAST);
    config.memory_preference = preference;
    const lfb_stats stats = Plan(config);
    return std::make_pair(stats.words_per_key, stats.probes);
  };
  EXPECT_EQ(words(0.01, LFB_MEMORY_BALANCED), std::make_pair(2u, 6u));
  EXPECT_EQ(words(0.001, LFB_MEMORY_BALANCED), std::make_pair(4u, 8u));
  EXPECT_EQ(words(0.0001, LFB_MEMORY_BALANCED), std::make_pair(4u, 12u));
  EXPECT_EQ(words(0.01, LFB_MEMORY_SPEED).first, 1u);
  EXPECT_EQ(words(0.001, LFB_MEMORY_SPEED).first, 2u);
  for (double fpp : {0.1, 0.01, 0.001, 1e-4, 1e-5, 1e-6}) {
    EXPECT_LE(BitsPerKey(fpp, LFB_MEMORY_SMALLEST), BitsPerKey(fpp)) << fpp;
    EXPECT_LE(BitsPerKey(fpp), BitsPerKey(fpp, LFB_MEMORY_SPEED)) << fpp;
  }
}

TEST(FastSize, APreferenceCostsItsShareAndALine) {
  const auto bytes = [](uint64_t n, double fpp, lfb_memory_preference preference) {
    lfb_config config = Config(n, fpp, LFB_FAST);
    config.memory_preference = preference;
    return static_cast<double>(Plan(config).bytes);
  };
  for (uint64_t n = 1; n < 5000; n += 1 + n / 50)
    for (double fpp : {0.3, 0.01, 0.001}) {
      const double smallest = bytes(n, fpp, LFB_MEMORY_SMALLEST);
      EXPECT_LE(bytes(n, fpp, LFB_MEMORY_BALANCED), 1.05 * smallest + 64) << n << " " << fpp;
      EXPECT_LE(bytes(n, fpp, LFB_MEMORY_SPEED), 1.25 * smallest + 64) << n << " " << fpp;
    }
}

TEST(FastSize, SmallAndOddOnes) {
  EXPECT_EQ(Plan(Config(0, 0.01, LFB_FAST)).bit_count, 512u);
  EXPECT_EQ(Plan(Config(1, 0.5, LFB_FAST)).bit_count, 512u);
  for (double fpp : {0.999999, 1 - 1e-15, std::nextafter(1, 0)}) {
    EXPECT_EQ(Plan(Config(1, fpp, LFB_FAST)).bit_count, 512u) << fpp;
    EXPECT_GE(Plan(Config(1 << 30, fpp, LFB_FAST)).bit_count, 512u << 15) << fpp;
  }
  EXPECT_GE(Plan(Config(1, 1e-12, LFB_FAST)).bit_count, 512u);
  lfb_stats stats{};
  // Below 1e-18 the size would explode: at 1e-40 it was 20 KB a key, without a word.
  for (lfb_strategy_id strategy : {LFB_DEFAULT, LFB_FAST, LFB_FAST_PAIR, LFB_SBBF}) {
    lfb_config config = Config(1000, 1e-18, strategy);
    EXPECT_NE(lfb_config_plan(&config, &stats), LFB_ERROR_FPP_TOO_LOW);
    for (double fpp : {9e-19, 1e-40, 1e-300, 5e-324}) {
      config.fpp = fpp;
      EXPECT_EQ(lfb_config_plan(&config, &stats), LFB_ERROR_FPP_TOO_LOW) << strategy << " " << fpp;
    }
  }
  EXPECT_LT(Plan(Config(1000, 1e-18, LFB_FAST)).bytes, 1000u * 44);
}

TEST(FastSize, BlocksOfOneLineAndOfTwoAreNotUnited) {
  const Filter one = MakeShaped(lfb_simd_chosen(), 8, 2, 4),
                     two = MakeShaped(lfb_simd_chosen(), 8, 2, 2, 2);
  EXPECT_EQ(lfb_filter_put_all(one.get(), two.get()), LFB_ERROR_STRATEGY_DIFFERS);
}

// The model by brute force: keys thrown into blocks at random, as the model assumes.
TEST(FastModel, EqualsASimulation) {
  const lfb_block_shape shapes[] =
      {{1, 4, 8}, {2, 3, 8}, {4, 2, 8}, {4, 3, 8}, {8, 1, 8}, {8, 1, 16}, {8, 2, 16}};
  for (const lfb_block_shape shape : shapes) {
    static lfb_block_model model;
    lfb_block_model_init(&model, shape, LFB_WORD_BITS);
    for (double load : {20.0, 50.0}) {
      load *= shape.of_words / 8;
      const Filter filter =
          MakeShaped(lfb_simd_chosen(), shape.words, shape.bits, 4096, shape.of_words / 8);
      lfb_filter* made = filter.get();
      for (uint64_t i = 0; i < load * 4096; i++) lfb_filter_put_hash(made, Mix(21, i));
      constexpr uint64_t kAsked = kUnderTsan ? 200000 : 4000000;
      uint64_t wrong = 0;
      for (uint64_t i = 0; i < kAsked; i++)
        wrong += lfb_filter_might_contain_hash(made, Mix(22, i));
      const double expected = lfb_block_model_fpp(&model, load, 4096) * kAsked;
      EXPECT_NEAR(static_cast<double>(wrong), expected,
                  0.03 * expected + 4 * std::sqrt(expected) + 3)
          << shape.words << "x" << shape.bits << " at " << load;
    }
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

TEST(Fast, ARandomSeedIsChosenKeptAndCanBeGivenAgain) {
  lfb_config config = Config(1000, 0.01, LFB_FAST);
  config.seed = 0;
  config.hash = LFB_HASH_XXH3;
  const Filter a = Make(config), b = Make(config);
  EXPECT_NE(Stats(a).seed, 0u);
  EXPECT_NE(Stats(a).seed, Stats(b).seed);
  EXPECT_EQ(lfb_filter_put_all(a.get(), b.get()), LFB_ERROR_HASH_DIFFERS);
  config.seed = Stats(a).seed;
  const Filter c = Make(config);
  Put(c, "x");
  EXPECT_EQ(lfb_filter_put_all(a.get(), c.get()), LFB_OK);
  EXPECT_TRUE(Has(a, "x"));
}

TEST(Fast, SipHashKeysDiffer) {
  lfb_config config = Config(1000, 0.0001, LFB_FAST);
  config.seed = 0;
  config.hash = LFB_HASH_SIPHASH13;
  const Filter random1 = Make(config), random2 = Make(config);
  EXPECT_EQ(lfb_filter_put_all(random1.get(), random2.get()), LFB_ERROR_HASH_DIFFERS);
  config.key[15] = 9;
  const Filter a = Make(config), b = Make(config);
  Put(a, "x");
  EXPECT_EQ(lfb_filter_put_all(b.get(), a.get()), LFB_OK);
  EXPECT_TRUE(Has(b, "x"));
  EXPECT_EQ(Stats(a).hash, LFB_HASH_SIPHASH13);
}

}  // namespace
