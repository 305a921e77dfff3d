// Keys chosen by an attacker that knows the source.
#include <gtest/gtest.h>

#include <cmath>

#include "bloom/hashing/hasher.h"
#include "tests/hostile/attacks.h"
#include "tests/hostile/fixed.h"
#include "tests/hostile/mixer.h"
#include "tests/hostile/pairing.h"
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

// ---- attacks that learn a secret

unsigned Filters(const Attack& attack, const Hash& hash) {
  return attack.slow ? hash.filters : kFilters;
}

// Each attack learns the seed of every filter with XXH3 that it was made for, and no other secret.
TEST(Attacks, LearnTheSeedOfXxh3AndNoKey) {
  for (const Attack& attack : kAttacks)
    for (const Hash& hash : kHashes) {
      unsigned learnt = 0;
      for (unsigned i = 0; i < Filters(attack, hash); i++) {
        std::mt19937_64 random(i);
        const Outcome outcome = Play(attack, hash, &random);
        learnt += outcome.learnt;
        EXPECT_LE(outcome.puts, attack.room);
        EXPECT_LE(outcome.asked, 2000100u);
      }
      EXPECT_EQ(learnt, !hash.keyed && attack.takes_xxh3 ? Filters(attack, hash) : 0)
          << attack.name << " by " << attack.sees << ", " << hash.name;
    }
}

// The attack on pairs works where it should, so that the games above mean something.
TEST(Attacks, LearnTheSecretOfProductsOf32Bits) {
  std::mt19937_64 random(2);
  for (unsigned i = 0; i < 6; i++) {
    const Outcome outcome = PlayPairing32(&random);
    EXPECT_TRUE(outcome.learnt);
    EXPECT_LT(outcome.puts, 1u << 17);
  }
}

// ---- what a learnt secret is good for

constexpr uint64_t kMany = 1000000;

// With the seed, the attacker has any number of absent keys that are all found.
TEST(Learnt, ASeedGivesANumberForEachKey) {
  std::mt19937_64 random(3);
  const lfb_config config = With(kXxh3, Config(LFB_FAST, kMany, 0.01), &random);
  Target target(config);
  ASSERT_TRUE(target.Made());
  for (uint64_t i = 0; i < 1000; i++) {
    const std::string key = std::to_string(i);
    target.Put(key);
    EXPECT_TRUE(target.AskU64(NumberFor(key, config.seed)));
  }
}

// The same if only numbers are put: they have no hash in common, but the attacker finds false
// positives in a filter of its own, without asking.
TEST(Learnt, ASeedGivesFalsePositivesToNumbersAlone) {
  std::mt19937_64 random(4);
  const lfb_config config = With(kXxh3, Config(LFB_FAST, 1000, 0.01), &random);
  Target target(config);
  ASSERT_TRUE(target.Made());
  Answers answers(&target, config, Answers::Tries(), &random);
  const auto seed = LearnNumberSeed(&answers, &random);
  ASSERT_TRUE(seed.has_value());
  Target own = answers.Own(*seed);
  ASSERT_TRUE(own.Made());
  unsigned found = 0;
  for (uint64_t number = 0; found < 1000; number++)
    if (own.AskU64(number)) {
      found++;
      EXPECT_TRUE(target.AskU64(number));
    }
}

// After the secret of products is known, every pair has a false positive.
TEST(Learnt, ProductsOfPairsGiveOneForEachPair) {
  std::mt19937_64 random(5);
  Target target(With(kXxh3, Config(LFB_FAST, kMany, 0.01), &random));
  ASSERT_TRUE(target.Made());
  const Pairing32 hash(&random);
  for (uint32_t i = 0; i < 1000; i++) {
    const uint32_t a = i, b = i * i;
    target.PutHash(hash(a, b));
    EXPECT_TRUE(target.AskHash(hash(b ^ hash.Secret(), a ^ hash.Secret())));
  }
}

// ---- lines

// A put changes the line that the attacks by lines see, and no other.
TEST(Lines, AreAFunctionOfTheHash) {
  std::mt19937_64 random(6);
  for (const Hash& hash : kHashes)
    for (uint64_t i = 0; i < 20; i++) {
      Target bytes(With(hash, Config(LFB_FAST, 1000, 0.01), &random));
      Target numbers(With(hash, Config(LFB_FAST, 1000, 0.01), &random));
      ASSERT_TRUE(bytes.Made() && numbers.Made());
      const std::string key = std::to_string(i);
      bytes.Put(key);
      numbers.PutU64(i);
      for (uint64_t line = 0; line < bytes.Lines(); line++) {
        EXPECT_EQ(bytes.IsEmpty(line), line != bytes.Line(key)) << hash.name;
        EXPECT_EQ(numbers.IsEmpty(line), line != numbers.LineU64(i)) << hash.name;
      }
    }
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
// Keys for hashes that multiply two words of 8 bytes, or of 16 (pairing.h).
std::string Pair64(uint64_t i) { return Lanes<8>(i, ~i); }
std::string Pair128(uint64_t i) { return Lanes<16>(i, ~i); }
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
    {"Zeroed", Zeroed}, {"SwapTried", SwapTried},   {"Pair64", Pair64},     {"Pair128", Pair128},
    {"Long", Long},     {"Murmured", Murmured},
};

constexpr uint64_t kFew = 1 << 14;

// Every other key of a family is put; the rest are queried.
void AsChance(const lfb_config& config, const Family& family, const char* hash) {
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
  EXPECT_LT(static_cast<double>(hits), expected + kSigmas * std::sqrt(expected))
      << family.name << ", " << hash;
  // A key turns on at most k bits. The total for all keys varies less than if each bit were drawn
  // independently.
  const double bits = static_cast<double>(fair.Stats().bits_set);
  EXPECT_NEAR(static_cast<double>(target.Stats().bits_set), bits, kSigmas * std::sqrt(2 * bits))
      << family.name << ", " << hash;
}

TEST(Unanswered, EveryHashIsAsChance) {
  std::mt19937_64 random(7);
  for (const Hash& hash : kHashes)
    for (unsigned secret = 0; secret < 2; secret++)
      for (const Family& family : kFamilies)
        AsChance(With(hash, Config(LFB_FAST, kFew, 0.01), &random), family, hash.name);
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

// None of these keys is better than chance against a hash with a secret.
TEST(Known, NoHashWithASecretIsTaken) {
  std::mt19937_64 random(8);
  for (const Hash& hash : kHashes)
    for (const auto& same : {SameMurmur128(12), SameMurmur32(12), SameXxh64(4096)}) {
      Target target(With(hash, Config(LFB_FAST, kFew, 1e-6), &random));
      ASSERT_TRUE(target.Made());
      target.Put(same[0]);
      uint64_t in = 0;
      for (const std::string& key : same) in += target.Ask(key);
      EXPECT_EQ(in, 1u) << hash.name;
    }
}

}  // namespace
}  // namespace hostile
