// Which hash a filter takes, where its key lies, and how two filters get the same one.
#include <gtest/gtest.h>

#include <cstring>

#include "bloom/filter/filter.h"
#include "tests/support/filters.h"
#include "tests/support/race.h"

namespace {

constexpr lfb_strategy_id kChoosing[] = {LFB_DEFAULT, LFB_FAST, LFB_FAST_PAIR};
constexpr lfb_hash_id kKeyed[] = {LFB_HASH_AES, LFB_HASH_SIPHASH13};

// A configuration that leaves the hash to the library.
lfb_config Open(lfb_strategy_id strategy = LFB_FAST) {
  lfb_config config = Config(1000, 0.01, strategy);
  config.seed = 0;
  return config;
}

// `hash` is a number, as it may be one that no lfb_hash_id has.
lfb_config Given(int hash, uint64_t seed, bool key, lfb_strategy_id strategy = LFB_FAST) {
  lfb_config config = Open(strategy);
  config.hash = static_cast<lfb_hash_id>(hash);
  config.seed = seed;
  config.key[5] = key ? 7 : 0;
  return config;
}

lfb_hash_id DefaultHere() {
  return lfb_simd_has_aes(LFB_SIMD_AES) && lfb_simd_chosen() != LFB_SIMD_NONE ? LFB_HASH_AES
                                                                              : LFB_HASH_SIPHASH13;
}

TEST(HashChoice, TheDefaultIsKeyed) {
  for (lfb_strategy_id strategy : kChoosing) {
    const lfb_stats stats = Stats(Make(Open(strategy)));
    EXPECT_EQ(stats.hash, DefaultHere());
    EXPECT_EQ(stats.seed, 0u);
    EXPECT_TRUE(stats.key_kept);
  }
}

// What each combination of hash, seed and key gives.
TEST(HashChoice, EveryCombinationGivesAHashOrIsRefused) {
  constexpr int none = -1, unknown = 4;
  const struct {
    int hash;
    uint64_t seed;
    bool key;
    int gives;
    bool kept;
  } rows[] = {
      {LFB_HASH_DEFAULT, 0, false, DefaultHere(), true},
      {LFB_HASH_DEFAULT, 0, true, DefaultHere(), false},
      {LFB_HASH_DEFAULT, 5, false, LFB_HASH_XXH3, false},
      {LFB_HASH_DEFAULT, 5, true, none, false},
      {LFB_HASH_XXH3, 0, false, LFB_HASH_XXH3, false},
      {LFB_HASH_XXH3, 5, false, LFB_HASH_XXH3, false},
      {LFB_HASH_XXH3, 0, true, none, false},
      {LFB_HASH_SIPHASH13, 0, false, LFB_HASH_SIPHASH13, true},
      {LFB_HASH_SIPHASH13, 0, true, LFB_HASH_SIPHASH13, false},
      {LFB_HASH_SIPHASH13, 5, false, none, false},
      {LFB_HASH_SIPHASH13, 5, true, none, false},
      {LFB_HASH_AES, 0, false, LFB_HASH_AES, true},
      {LFB_HASH_AES, 0, true, LFB_HASH_AES, false},
      {LFB_HASH_AES, 5, false, none, false},
      {LFB_HASH_AES, 5, true, none, false},
      {unknown, 0, false, none, false},
  };
  for (const auto& row : rows) {
    const lfb_config config = Given(row.hash, row.seed, row.key);
    lfb_filter* made = nullptr;
    const lfb_status status = lfb_filter_create(&config, &made);
    const Filter filter(made);
    ASSERT_EQ(status, row.gives == none ? LFB_ERROR_UNKNOWN_HASH : LFB_OK) << row.hash << row.seed;
    if (made == nullptr) continue;
    EXPECT_EQ(Stats(filter).hash, row.gives);
    EXPECT_EQ(Stats(filter).key_kept, row.kept);
    EXPECT_TRUE(row.seed == 0 || Stats(filter).seed == row.seed);
    lfb_config kept = config;
    kept.keep_key = true;
    EXPECT_EQ(Stats(Make(kept)).key_kept, row.gives != LFB_HASH_XXH3);
  }
  for (lfb_hash_id hash : {LFB_HASH_XXH3, LFB_HASH_SIPHASH13, LFB_HASH_AES}) {
    const lfb_config config = Given(hash, 0, false, LFB_SBBF);
    lfb_stats stats;
    EXPECT_EQ(lfb_config_plan(&config, &stats), LFB_ERROR_UNKNOWN_HASH);
  }
}

// Keys put by one kind of call are found by it, and by another only where filter.h says so.
TEST(HashChoice, EachHashIsAHash) {
  for (lfb_hash_id hash : {LFB_HASH_XXH3, LFB_HASH_SIPHASH13, LFB_HASH_AES})
    for (lfb_strategy_id strategy : kChoosing) {
      lfb_config config = Given(hash, 0, false, strategy);
      config.fpp = 1e-6;
      const Filter filter = Make(config);
      unsigned bytes_of_numbers = 0, others = 0;
      for (uint64_t i = 0; i < 1000; i++) lfb_filter_put_u64(filter.get(), Mix(1, i));
      for (uint64_t i = 0; i < 1000; i++) {
        const uint64_t key = Mix(1, i), little = LFB_LITTLE_64(key);
        EXPECT_TRUE(lfb_filter_might_contain_u64(filter.get(), key));
        bytes_of_numbers += lfb_filter_might_contain(filter.get(), &little, 8);
        others += lfb_filter_might_contain_u64(filter.get(), Mix(2, i));
      }
      if (hash == LFB_HASH_SIPHASH13)
        EXPECT_EQ(bytes_of_numbers, 1000u);
      else
        EXPECT_LE(bytes_of_numbers, 2u) << lfb_hash_name(hash);
      EXPECT_LE(others, 2u);
    }
}

TEST(HashChoice, TwoFiltersShareAHashOnlyIfItIsTaken) {
  std::vector<lfb_config> configs;
  for (lfb_strategy_id strategy : kChoosing) {
    configs.push_back(Open(strategy));
    for (lfb_hash_id hash : {LFB_HASH_XXH3, LFB_HASH_SIPHASH13, LFB_HASH_AES})
      configs.push_back(Given(hash, 0, false, strategy));
    configs.push_back(Given(LFB_HASH_AES, 0, true, strategy));
  }
  configs.push_back(Config(1000, 0.01, LFB_JAVA_DOUBLE));
  configs.back().seed = 0x500000003;
  configs.push_back(Config(1000, 0.01, LFB_GUAVA_MITZ64));
  configs.push_back(Config(1000, 0.001, LFB_DEFAULT));
  for (const lfb_config& config : configs) {
    const Filter first = Make(config);
    lfb_config same = Config(1000, config.fpp, config.strategy);
    if (config.strategy == LFB_FAST || config.strategy == LFB_FAST_PAIR) {
      lfb_config fresh = config;
      memset(fresh.key, 0, sizeof fresh.key);
      EXPECT_EQ(lfb_filter_put_all(first.get(), Make(fresh).get()), LFB_ERROR_HASH_DIFFERS);
    }
    lfb_config other = Config(1000, 0.01, config.strategy == LFB_SBBF ? LFB_FAST : LFB_SBBF);
    const lfb_config before = other;
    EXPECT_EQ(lfb_config_take_hash(&other, first.get()), LFB_ERROR_STRATEGY_DIFFERS);
    EXPECT_EQ(memcmp(&other, &before, sizeof other), 0);
    lfb_config any = Config(1000, config.fpp, LFB_DEFAULT);
    ASSERT_EQ(lfb_config_take_hash(&any, first.get()), LFB_OK);
    EXPECT_EQ(any.strategy, Stats(first).strategy);
    ASSERT_EQ(lfb_filter_put_all(first.get(), Make(any).get()), LFB_OK);
    ASSERT_EQ(lfb_config_take_hash(&same, first.get()), LFB_OK);
    const Filter second = Make(same);
    EXPECT_EQ(Stats(second).hash, Stats(first).hash);
    EXPECT_EQ(Stats(second).key_kept, Stats(first).key_kept);
    for (int i = 0; i < 100; i++) Put(second, std::to_string(i));
    ASSERT_EQ(lfb_filter_put_all(first.get(), second.get()), LFB_OK);
    for (int i = 0; i < 100; i++) EXPECT_TRUE(Has(first, std::to_string(i)));
  }
}

// One bit of the key makes another hash.
TEST(HashChoice, EveryBitOfTheKeyMatters) {
  for (lfb_hash_id hash : kKeyed) {
    lfb_config config = Given(hash, 0, true);
    const Filter filter = Make(config);
    for (int i = 0; i < 1000; i++) Put(filter, std::to_string(i));
    const std::string bits = Bytes(filter, LFB_FORM_NATIVE).substr(256);
    for (int bit = 0; bit < 128; bit++) {
      config.key[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
      const Filter other = Make(config);
      for (int i = 0; i < 1000; i++) Put(other, std::to_string(i));
      EXPECT_NE(Bytes(other, LFB_FORM_NATIVE).substr(256), bits) << bit;
      config.key[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    }
  }
}

// A filter without instructions for AES gives the answers of one with them.
TEST(HashChoice, AFileIsReadByEveryLevel) {
  const Filter filter = Make(Given(LFB_HASH_AES, 0, false));
  for (int i = 0; i < 1000; i++) Put(filter, std::string(static_cast<size_t>(i), 'x'));
  for (int level = LFB_SIMD_NONE; level <= lfb_simd_best(); level++) {
    const Filter other = Made<Filter>(lfb_filter_copy, filter.get());
    lfb_hasher_init(&other->layout.hasher, &other->description.hash, static_cast<lfb_simd>(level));
    for (int i = 0; i < 1000; i++)
      ASSERT_FALSE(Put(other, std::string(static_cast<size_t>(i), 'x'))) << level << " " << i;
  }
}

TEST(HashChoice, Names) {
  for (lfb_hash_id hash : {LFB_HASH_DEFAULT, LFB_HASH_XXH3, LFB_HASH_SIPHASH13, LFB_HASH_AES}) {
    lfb_hash_id found = static_cast<lfb_hash_id>(9);
    ASSERT_EQ(lfb_hash_from_name(lfb_hash_name(hash), &found), LFB_OK);
    EXPECT_EQ(found, hash);
  }
  lfb_hash_id untouched = LFB_HASH_AES;
  EXPECT_EQ(lfb_hash_from_name("murmur", &untouched), LFB_ERROR_UNKNOWN_HASH);
  EXPECT_EQ(untouched, LFB_HASH_AES);
  EXPECT_EQ(lfb_hash_name(static_cast<lfb_hash_id>(4)), nullptr);
  EXPECT_EQ(lfb_hash_name(static_cast<lfb_hash_id>(-1)), nullptr);
}

}  // namespace
