// Keys chosen by an attacker that knows the source.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "bloom/hashing/hasher.h"
#include "tests/hostile/attacks.h"

namespace hostile {
namespace {

constexpr double kSigmas = 6;  // 1 in 10^9 by chance
constexpr uint64_t kMany = 1000000, kFew = 1 << 14, kSmall = 1000;  // expected insertions

// A hash of strategy `fast`.
struct Hash {
  const char* name;
  lfb_hash_id id;
  bool keyed;  // its secret is config.key, and no attack learns it; otherwise it is config.seed
  unsigned filters;  // that are attacked
};

constexpr Hash kXxh3 = {"XXH3", LFB_HASH_XXH3, false, 2};
constexpr Hash kHashes[] = {
    kXxh3,
    {"AES", LFB_HASH_AES, true, 11},  // the default
    {"SipHash-1-3", LFB_HASH_SIPHASH13, true, 3},
};

// A configuration of this hash, with a secret drawn from `random`.
lfb_config With(const Hash& hash, uint64_t n, std::mt19937_64* random, double fpp = 0.01) {
  lfb_config config = Config(n, fpp, LFB_FAST);
  config.hash = hash.id;
  config.seed = hash.keyed ? 0 : (*random)() | 1;
  for (uint8_t& byte : config.key) byte = hash.keyed ? static_cast<uint8_t>((*random)()) : 0;
  return config;
}

// ---- attacks that learn a secret

// How many filters are attacked: LFB_HOSTILE_FILTERS=81 for the figures of docs/verify.md.
unsigned Filters(const Hash& hash) {
  const char* chosen = std::getenv("LFB_HOSTILE_FILTERS");
  return chosen != nullptr ? static_cast<unsigned>(std::atoi(chosen)) : hash.filters;
}

// The attack learns the seed of every filter with XXH3, and no other secret. A keyed filter has no
// seed, so any that is "learnt" counts.
TEST(Attacks, LearnTheSeedOfXxh3AndNoKey) {
  for (const By by : {By::kAnswers, By::kLines})
    for (const Hash& hash : kHashes) {
      const unsigned filters = Filters(hash);
      unsigned learnt = 0;
      uint64_t puts = 0, asked = 0;
      for (unsigned i = 0; i < filters; i++) {
        std::mt19937_64 random(i);
        Target target(With(hash, kMany, &random));
        const std::optional<uint64_t> seed = LearnSeed(&target, by, &random);
        learnt += seed && (hash.keyed || *seed == target.Stats().seed);
        puts += target.Puts();
        asked += target.Asked();
        EXPECT_LE(target.Puts(), kMany);
        EXPECT_LE(target.Asked(), hash.keyed ? 2000100u : 1u << 25);
      }
      std::printf("by %s %-12s %3u of %-3u %8.0f puts %8.0f queries\n",
                  by == By::kLines ? "lines  " : "answers", hash.name, learnt, filters,
                  double(puts) / filters, double(asked) / filters);
      EXPECT_EQ(learnt, hash.keyed ? 0 : filters) << hash.name;
    }
}

// ---- what a learnt secret is good for

// With the seed, the attacker has any number of absent keys that are all found.
TEST(Learnt, ASeedGivesANumberForEachKey) {
  std::mt19937_64 random(3);
  const lfb_config config = With(kXxh3, kMany, &random);
  Target target(config);
  for (uint64_t i = 0; i < 1000; i++) {
    const std::string key = std::to_string(i);
    target.Put(key);
    EXPECT_TRUE(target.AskU64(NumberFor(key, config.seed)));
  }
}

// ---- lines

// A put changes the line that the attacks by lines see, and no other.
TEST(Lines, AreAFunctionOfTheHash) {
  std::mt19937_64 random(6);
  for (const Hash& hash : kHashes)
    for (uint64_t i = 0; i < 20; i++) {
      Target bytes(With(hash, kSmall, &random));
      Target numbers(With(hash, kSmall, &random));
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
  return i % 2 == 0 ? key : LikelySwapped(key);
}
// The key of two lanes, of 8 or 16 bytes each; the lanes end with these words.
template <unsigned bytes>
std::string Lanes(uint64_t a, uint64_t b) {
  const std::string fill(bytes - 8, '\0');
  return fill + Bytes({a}) + fill + Bytes({b});
}
// Keys for hashes that multiply two words of 8 bytes, or of 16.
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

// Every other key of a family is put; the rest are queried.
void AsChance(const lfb_config& config, const Family& family, const char* hash) {
  Target target(config), fair(config);
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
        AsChance(With(hash, kFew, &random), family, hash.name);
}

// ---- hashes without a secret

// One key is put, and all others are found.
void AllAreIn(const lfb_config& config, const std::vector<std::string>& same) {
  Target target(config);
  ASSERT_TRUE(target.Put(same[0]));
  for (const std::string& key : same) ASSERT_TRUE(target.Ask(key));
}

TEST(Known, GuavasStrategiesTakeOneKeyForThousands) {
  const auto same = SameMurmur128(12);
  for (lfb_strategy_id strategy : {LFB_GUAVA_MITZ32, LFB_GUAVA_MITZ64, LFB_REDIS_MITZ32})
    AllAreIn(Config(kFew, 1e-6, strategy), same);
}

// The same for any two seeds.
TEST(Known, SeedsDoNotHelpJavaDouble) {
  for (uint64_t seeds : {UINT64_C(0), UINT64_C(0x8badf00d12345678)}) {
    lfb_config config = Config(kFew, 1e-6, LFB_JAVA_DOUBLE);
    config.seed = seeds;
    AllAreIn(config, SameMurmur32(12));
  }
}

TEST(Known, SbbfTakesOneKeyForThousands) {
  AllAreIn(Config(kFew, 1e-6, LFB_SBBF), SameXxh64(4096));
}

// m / k keys fill the filter to the last bit; as many random keys leave 37 % off.
TEST(Known, GuavasFilterIsFilled) {
  Target target(Config(kFew, 0.01, LFB_GUAVA_MITZ64));
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
      Target target(With(hash, kFew, &random, 1e-6));
          target.Put(same[0]);
      uint64_t in = 0;
      for (const std::string& key : same) in += target.Ask(key);
      EXPECT_EQ(in, 1u) << hash.name;
    }
}

}  // namespace
}  // namespace hostile
