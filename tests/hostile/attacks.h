// attacks.h - every attack. Each file says how it works.
#pragma once

#include <optional>

#include "tests/hostile/target.h"

namespace hostile {

enum class By { kAnswers, kLines };  // what the attacker sees

// ---- swap.cc: keys of 32 bytes, against XXH3

// The seed of a target that hashes by XXH3; none if what the attacker sees does not reveal it.
std::optional<uint64_t> LearnSeed(Target* target, By by, std::mt19937_64* random);

// The number with a key's hash. Numbers are hashed by a bijection, which the seed determines.
uint64_t NumberFor(const std::string& key, uint64_t seed);

// Another key of 32 bytes that has the same hash for 1 seed in 2^18: a guess without answers.
std::string LikelySwapped(const std::string& key);

// ---- fixed.cc: hashes without a secret; no answers are needed, and for murmur no seed

// 2^pairs keys with one murmur3_x64_128 for any seed: Guava's strategies and redis-mitz32.
std::vector<std::string> SameMurmur128(unsigned pairs);

// 2^pairs keys with equal murmur3_x86_32 for every seed: java-double with any two seeds.
std::vector<std::string> SameMurmur32(unsigned pairs);

// `count` keys with one XXH64 with seed 0: sbbf.
std::vector<std::string> SameXxh64(unsigned count);

// The key of 16 bytes with the murmur3_x64_128, seed 0, of {low, high}.
std::string WithMurmur128(uint64_t low, uint64_t high);

// The number that Murmur's finaliser maps to this one.
uint64_t UnfinishMurmur(uint64_t finished);

}  // namespace hostile
