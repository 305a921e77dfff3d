// fixed.h - keys against hashes without a secret: they need no answers, and for murmur no seed.
#pragma once

#include "tests/hostile/target.h"

namespace hostile {

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
