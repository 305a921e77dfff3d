// fixed.h - keys against hashes that everybody knows: no answer is needed, and for murmur
// no seed either.
#pragma once

#include "tests/hostile/target.h"

namespace hostile {

// 2^pairs keys of one murmur3_x64_128, whatever its seed: Guava's strategies and redis-mitz32.
std::vector<std::string> SameMurmur128(unsigned pairs);

// 2^pairs keys that agree in murmur3_x86_32 with every seed: java-double, whatever its two.
std::vector<std::string> SameMurmur32(unsigned pairs);

// `count` keys of one XXH64 with seed 0: sbbf.
std::vector<std::string> SameXxh64(unsigned count);

// The key of 16 bytes whose murmur3_x64_128, seed 0, is {low, high}.
std::string WithMurmur128(uint64_t low, uint64_t high);

// The number that Murmur's finaliser makes into this one.
uint64_t UnfinishMurmur(uint64_t finished);

}  // namespace hostile
