// Keys chosen by an attacker that knows the source.
#include <gtest/gtest.h>

#include <cmath>

#include "bloom/hashing/hasher.h"
#include "tests/hostile/fixed.h"
#include "tests/hostile/swap.h"

namespace hostile {
namespace {

constexpr double kSigmas = 6;  // 1 in 10^9 by chance

lfb_config Config(lfb_strategy_id strategy, uint64_t n, double fpp) {
  lfb_config config = {};
  config.strategy = strategy;
  config.expected_insertions = n;
  config.fpp = fpp;
  return config;
}

lfb_config Keyed(lfb_config config) {
  config.hash = LFB_HASH_SIPHASH13;
  for (unsigned i = 0; i < sizeof config.key; i++) config.key[i] = static_cast<uint8_t>(7 * i + 1);
  return config;
}

// ---- answers that reveal a seed

constexpr uint64_t kMany = 1000000;

// The default's seed is not secret from an attacker that puts keys and sees answers.
TEST(Answers, GiveAwayTheSeedOfXxh3) {
  for (uint64_t seed : {UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210)}) {
    lfb_config config = Config(LFB_FAST, kMany, 0.01);
    config.seed = seed;
    Target target(config);
    ASSERT_TRUE(target.Made());
    std::mt19937_64 random(seed);
    const auto learnt = LearnSeed(&target, Tries(), &random);
    ASSERT_TRUE(learnt.has_value()) << target.Puts() << " puts, " << target.Asked() << " asked";
    EXPECT_EQ(*learnt, seed);
    EXPECT_LT(target.Puts(), kMany);
    EXPECT_LT(target.Asked(), 4 * kMany);
    // With the seed, the attacker has any number of absent keys that are all found.
    for (uint64_t i = 0; i < 1000; i++) {
      const std::string key = std::to_string(i);
      target.Put(key);
      EXPECT_TRUE(target.AskU64(NumberFor(key, *learnt)));
    }
  }
}

// A keyed filter answers the same queries at random, and reveals nothing.
TEST(Answers, GiveNothingAwayOfAKey) {
  Target target(Keyed(Config(LFB_FAST, kMany, 0.01)));
  ASSERT_TRUE(target.Made());
  std::mt19937_64 random(1);
  EXPECT_FALSE(LearnSeed(&target, Tries(), &random).has_value());
}

// ---- no answers

// Families of keys that the source makes promising.
struct Family {
  const char* name;
  std::string (*key)(uint64_t i);
};

std::string Number(uint64_t i) { return Bytes({i}); }
std::string HighNumber(uint64_t i) { return Bytes({i << 40}); }
// The top bits, which the first multiplication of Murmur's finaliser hardly mixes.
std::string TopCoset(uint64_t i) { return Bytes({UnfinishMurmur(0) ^ i << 44 ^ i << 11}); }
std::string Words(uint64_t i) { return Bytes({i, i, i, i}); }
// One factor of XXH3's product is its secret, except for the seed.
std::string Zeroed(uint64_t i) {
  return Bytes({lfb_load_le64(XXH3_kSecret), i, lfb_load_le64(XXH3_kSecret + 16), i});
}
// Even and odd keys have one hash if V is the likeliest one: for 1 seed in 2^18.
std::string SwapTried(uint64_t i) {
  const std::string key = Bytes({7, 7, i / 2, ~(i / 2)});
  return i % 2 == 0 ? key : Swapped(key, LikeliestV());
}
std::string Long(uint64_t i) {
  std::string key(512, 'x');
  const std::string number = Bytes({i});
  return key.replace(8 * (i % 64), 8, number);
}
std::string Murmured(uint64_t i) {
  static const std::vector<std::string> same = SameMurmur128(16);
  return same[i % same.size()];
}

constexpr Family kFamilies[] = {
    {"Number", Number}, {"HighNumber", HighNumber}, {"TopCoset", TopCoset}, {"Words", Words},
    {"Zeroed", Zeroed}, {"SwapTried", SwapTried},   {"Long", Long},         {"Murmured", Murmured},
};

constexpr uint64_t kFew = 1 << 14;

// Every other key of a family is put; the rest are queried.
void AsChance(const lfb_config& config, const Family& family) {
  Target target(config), fair(config);
  ASSERT_TRUE(target.Made() && fair.Made());
  std::mt19937_64 random(3);
  uint64_t hits = 0;
  for (uint64_t i = 0; i < kFew; i++) {
    target.Put(family.key(2 * i));
    fair.Put(Bytes({random(), random()}));
  }
  for (uint64_t i = 0; i < kFew; i++) hits += target.Ask(family.key(2 * i + 1));
  const double fpp = config.fpp * 1.05, expected = fpp * kFew;  // at most 2 % above p
  EXPECT_LT(static_cast<double>(hits), expected + kSigmas * std::sqrt(expected)) << family.name;
  // A key turns on at most k bits. The total for all keys varies less than if each bit were drawn
  // independently.
  const double bits = static_cast<double>(fair.Stats().bits_set);
  EXPECT_NEAR(static_cast<double>(target.Stats().bits_set), bits, kSigmas * std::sqrt(2 * bits))
      << family.name;
}

TEST(Unanswered, TheDefaultIsAsChance) {
  for (uint64_t seed = 1; seed <= 2; seed++)
    for (const Family& family : kFamilies) {
      lfb_config config = Config(LFB_FAST, kFew, 0.01);
      config.seed = seed * UINT64_C(0x9e3779b97f4a7c15);
      AsChance(config, family);
    }
}

TEST(Unanswered, AKeyedFilterIsAsChance) {
  for (const Family& family : kFamilies) AsChance(Keyed(Config(LFB_FAST, kFew, 0.01)), family);
}

// ---- hashes without a secret

// One key is put, and all others are found.
void AllAreIn(const lfb_config& config, const std::vector<std::string>& same) {
  Target target(config);
  ASSERT_TRUE(target.Made());
  ASSERT_TRUE(target.Put(same[0]));
  for (const std::string& key : same) ASSERT_TRUE(target.Ask(key));
}

TEST(Known, GuavasStrategiesTakeOneKeyForThousands) {
  const auto same = SameMurmur128(12);
  for (lfb_strategy_id strategy : {LFB_GUAVA_MITZ32, LFB_GUAVA_MITZ64, LFB_REDIS_MITZ32})
    AllAreIn(Config(strategy, kFew, 1e-6), same);
}

// The same for any two seeds.
TEST(Known, SeedsDoNotHelpJavaDouble) {
  for (uint64_t seeds : {UINT64_C(0), UINT64_C(0x8badf00d12345678)}) {
    lfb_config config = Config(LFB_JAVA_DOUBLE, kFew, 1e-6);
    config.seed = seeds;
    AllAreIn(config, SameMurmur32(12));
  }
}

TEST(Known, SbbfTakesOneKeyForThousands) {
  AllAreIn(Config(LFB_SBBF, kFew, 1e-6), SameXxh64(4096));
}

// m / k keys fill the filter to the last bit; as many random keys leave 37 % off.
TEST(Known, GuavasFilterIsFilled) {
  Target target(Config(LFB_GUAVA_MITZ64, kFew, 0.01));
  ASSERT_TRUE(target.Made());
  const uint64_t bits = target.Stats().bit_count, probes = target.Stats().probes;
  for (uint64_t at = 0; at < bits; at += probes) target.Put(WithMurmur128(at, 1));
  EXPECT_TRUE(target.Stats().saturated);
  EXPECT_EQ(target.Puts(), (bits + probes - 1) / probes);
}

// None of these keys is better than chance against the default.
TEST(Known, TheDefaultIsNotTaken) {
  for (const auto& same : {SameMurmur128(12), SameMurmur32(12), SameXxh64(4096)}) {
    Target target(Config(LFB_FAST, kFew, 1e-6));
    ASSERT_TRUE(target.Made());
    target.Put(same[0]);
    uint64_t in = 0;
    for (const std::string& key : same) in += target.Ask(key);
    EXPECT_EQ(in, 1u);
  }
}

}  // namespace
}  // namespace hostile
