// Strategy `fast`: its sizes, its rates against its model, its hashes, and that
// all ways of computing it agree.
#include <lfbloom/fast.h>

#include <cmath>
#include <cstdlib>

#include "bloom/fast_model.h"
#include "bloom/fast_size.h"
#include "bloom/core.h"
#include "tests/filters.h"
#include "tests/race.h"

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

TEST(FastSize, SmallAndOddOnes) {
  EXPECT_EQ(Plan(Config(0, 0.01, LFB_FAST)).bit_count, 512u);
  EXPECT_EQ(Plan(Config(1, 0.5, LFB_FAST)).bit_count, 512u);
  EXPECT_EQ(Plan(Config(1, 0.999999, LFB_FAST)).bit_count, 512u);
  EXPECT_GE(Plan(Config(1, 1e-12, LFB_FAST)).bit_count, 512u);
  lfb_stats stats{};
  for (double fpp : {1e-30, 1e-300, 5e-324}) {
    const lfb_config config = Config(UINT64_MAX, fpp, LFB_FAST);
    EXPECT_EQ(lfb_config_plan(&config, &stats), LFB_ERROR_TOO_MANY_BITS) << fpp;
  }
}

// The model by brute force: keys thrown into blocks as the model says they fall.
TEST(FastModel, EqualsASimulation) {
  const lfb_fast_shape shapes[] = {{1, 4}, {2, 3}, {4, 2}, {4, 3}, {8, 1}};
  for (const lfb_fast_shape shape : shapes) {
    static lfb_fast_model model;
    lfb_fast_model_init(&model, shape);
    const lfb_geometry geometry = {512 * 4096, 8 * 4096, shape.words * shape.bits, shape.words};
    for (double load : {20.0, 50.0}) {
      lfb_config config = Config(1, 0.5, LFB_FAST);
      lfb_description description{};
      ASSERT_EQ(lfb_core_describe(&config, &description), LFB_OK);
      description.geometry = geometry;
      lfb_pages pages{};
      ASSERT_EQ(lfb_pages_init(&pages, geometry.word_count * 8, true), LFB_OK);
      lfb_filter* made = nullptr;
      ASSERT_EQ(lfb_core_make(&description, &pages, &made), LFB_OK);
      const Filter filter(made);
      for (uint64_t i = 0; i < load * 4096; i++) lfb_filter_put_hash(made, Mix(21, i));
      constexpr uint64_t kAsked = kUnderTsan ? 200000 : 4000000;
      uint64_t wrong = 0;
      for (uint64_t i = 0; i < kAsked; i++)
        wrong += lfb_filter_might_contain_hash(made, Mix(22, i));
      const double expected = lfb_fast_model_fpp(&model, load, 4096) * kAsked;
      EXPECT_NEAR(static_cast<double>(wrong), expected, 0.03 * expected + 4 * std::sqrt(expected) + 3)
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

// Keys that are alike are spread like random ones, with every hash.
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
    for (uint64_t i = n; i < 2 * n; i++) wrong += lfb_filter_might_contain_u64(filter.get(), i << shift);
    EXPECT_LE(static_cast<double>(wrong), n * fpp + 5 * std::sqrt(n * fpp)) << "integers << " << shift;
  }
}

TEST(Fast, ARandomSeedIsChosenKeptAndCanBeGivenAgain) {
  lfb_config config = Config(1000, 0.01, LFB_FAST);
  config.seed = 0;
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

// A shape in a view of its own words, as the definition in lfbloom/fast.h reads.
bool Defined(const lfb_fast& fast, uint64_t hash, uint32_t probe, uint32_t w) {
  const uint64_t rounds[] = {0x9e3779b97f4a7c15, 0x6a09e667f3bcc909, 0xbb67ae8584caa73b,
                             0x3c6ef372fe94f82b};
  const unsigned __int128 product = static_cast<unsigned __int128>(hash) * fast.blocks;
  const uint64_t block = static_cast<uint64_t>(product >> 64);
  const uint32_t group = probe % w, words = 8 / w, log = words == 8 ? 3 : words / 2;
  const uint64_t r0 = hash * rounds[0], r = hash * rounds[probe / 8];
  const uint64_t word = 8 * block + group * words + (r0 >> (12 + group * log)) % words;
  return lfb_word_get(&fast.words[word]) >> (r >> (16 + 6 * (probe % 8)) & 63) & 1;
}

// Every shape, by the vector code and by the scalar code, sets the bits of the
// definition, answers alike one by one, many at a time and inline, and counts.
TEST(Fast, AllWaysOfComputingAgree) {
  for (uint32_t w : {1u, 2u, 4u, 8u})
    for (uint32_t g = 1; w * g <= 32; g++)
      for (const char* simd : {"none", ""}) {
        setenv("LFBLOOM_SIMD", simd, 1);
        lfb_config config = Config(1, 0.5, LFB_FAST);
        lfb_description description{};
        ASSERT_EQ(lfb_core_describe(&config, &description), LFB_OK);
        description.geometry = {512 * 37, 8 * 37, w * g, w};
        lfb_pages pages{};
        ASSERT_EQ(lfb_pages_init(&pages, 64 * 37, true), LFB_OK);
        lfb_filter* filter = nullptr;
        ASSERT_EQ(lfb_core_make(&description, &pages, &filter), LFB_OK);
        const Filter owner(filter);
        lfb_fast fast{};
        ASSERT_EQ(lfb_fast_of(filter, &fast), LFB_OK);

        std::vector<uint64_t> hashes;
        for (uint64_t i = 0; i < 300; i++) hashes.push_back(Mix(41 + w, i));
        uint64_t expected_bits = 0;
        for (uint64_t hash : hashes) {
          bool all = true;
          for (uint32_t p = 0; p < w * g; p++) all &= Defined(fast, hash, p, w);
          ASSERT_EQ(lfb_filter_might_contain_hash(filter, hash), all);
          ASSERT_EQ(lfb_fast_might_contain(&fast, hash), all);
          uint64_t answer = 2;
          lfb_filter_might_contain_many_hash(filter, &hash, 1, &answer);
          ASSERT_EQ(answer, all);
          ASSERT_EQ(hash % 2 ? lfb_filter_put_hash(filter, hash) : lfb_fast_put(&fast, hash), !all);
          for (uint32_t p = 0; p < w * g; p++) ASSERT_TRUE(Defined(fast, hash, p, w));
          ASSERT_TRUE(lfb_fast_might_contain(&fast, hash));
          expected_bits = lfb_bits_count(&filter->layout.bits);
          ASSERT_EQ(lfb_stripes_sum(&filter->layout.count), expected_bits);
        }
        EXPECT_GT(expected_bits, 100u);
      }
  unsetenv("LFBLOOM_SIMD");
}

// The vector path beside writers: each 64-bit lane is whole, so a key that was put
// before is never missed while others fill the same lines.
TEST(FastRace, VectorReadsBesideWriters) {
  constexpr uint64_t n = kUnderTsan ? 3000 : 100000, kOld = 200;
  for (int round = 0; round < (kUnderTsan ? 2 : 20); round++) {
    const Filter filter = Make(2000, 0.001, LFB_FAST);
    std::vector<uint64_t> old;
    for (uint64_t i = 0; i < kOld; i++) old.push_back(Mix(51, i));
    lfb_filter_put_many_hash(filter.get(), old.data(), kOld, nullptr);
    lfb_fast fast{};
    ASSERT_EQ(lfb_fast_of(filter.get(), &fast), LFB_OK);
    std::atomic<uint64_t> missed{0};
    RunTogether(4, [&](unsigned t) {
      if (t < 2) {
        for (uint64_t i = 0; i < n / 50; i++)
          lfb_filter_put_hash(filter.get(), Mix(52 + t, i));
        return;
      }
      for (uint64_t i = 0; i < n / kOld; i++) {
        missed += lfb_filter_might_contain_many_hash(filter.get(), old.data(), kOld, nullptr) != kOld;
        for (uint64_t hash : old) missed += !lfb_fast_might_contain(&fast, hash);
      }
    });
    ASSERT_EQ(missed, 0u);
    ASSERT_EQ(Stats(filter).bits_set, lfb_bits_count(&filter->layout.bits));
  }
}

TEST(Fast, NoViewOfOtherStrategies) {
  lfb_fast fast{};
  EXPECT_EQ(lfb_fast_of(Make(10, 0.1).get(), &fast), LFB_ERROR_STRATEGY_DIFFERS);
  EXPECT_EQ(fast.words, nullptr);
}

}  // namespace
