// swap.h - finds the seed of XXH3 from answers, or from lines.
//
// For a key of 32 bytes XXH3 takes the words a, b of each half as the product of a ^ (S + seed)
// and b ^ (T - seed); S and T are in its source. A product does not change if its factors are
// swapped. With V = (S + seed) ^ (T - seed), the words b ^ V, a ^ V give the same product, so
// both keys have one hash. V is S + T with the borrows of a subtraction, and the source
// determines about half of them: some 2^30 values remain, and few of those have most of the
// probability.
//
// A put of a, a ^ D and a query for c, c ^ D test the single V = a ^ c ^ D; many puts and many
// queries test all pairs of them. So puts range over one half's likely bits, queries over the
// other's: 2^16 puts and some 2^18 queries find V, 99 times in 100. Two such Vs leave few seeds,
// and each can be tested.
//
// By lines, nothing needs to be put: two keys with one hash have one line, and keys that share
// their lines in three rounds are swapped ones.
#pragma once

#include <optional>

#include "tests/hostile/target.h"

namespace hostile {

enum class By { kAnswers, kLines };  // what the attacker sees

struct Tries {
  size_t put = 1 << 16;    // the most halves of V to put
  size_t asked = 1 << 19;  // the most halves of V to query
  unsigned rounds = 3;     // queries that must all give the same answer
};

// The seed of a target that hashes by XXH3, found by its answers only, or by the lines of keys;
// none if they do not reveal it.
std::optional<uint64_t> LearnSeed(Target* target, By by, const Tries& tries,
                                  std::mt19937_64* random);

// The number with a key's hash. Numbers are hashed by a bijection, which the seed determines.
uint64_t NumberFor(const std::string& key, uint64_t seed);

// The likeliest V of the second half of a key of 32 bytes: a guess without answers.
uint64_t LikeliestV();

// Another key with the same hash, if V is that of its second half.
std::string Swapped(const std::string& key, uint64_t v);

}  // namespace hostile
