// swap.h - the seed of XXH3, from answers.
//
// Of a key of 32 bytes XXH3 takes the words a, b of each half as the product of
// a ^ (S + seed) and b ^ (T - seed), whose S and T are in its source.  A product does not mind
// which factor is which: with V = (S + seed) ^ (T - seed), the words b ^ V, a ^ V give the same,
// so both keys have one hash.  V is S + T with the borrows of a subtraction, of which the source
// tells about half: some 2^30 values in all, and few of those are most of the probability.
//
// A put of a, a ^ D and a question for c, c ^ D try the one V = a ^ c ^ D; many puts and many
// questions try all pairs of them.  So puts range over one half's likely bits, questions over the
// other's: 2^16 and some 2^18 of them find it, 99 times in 100.  Two such Vs leave
// few seeds, and each can be asked about.
#pragma once

#include <optional>

#include "tests/hostile/target.h"

namespace hostile {

struct Tries {
  size_t put = 1 << 16;    // halves of V that are put, at most
  size_t asked = 1 << 19;  // .. and that are asked for
  unsigned rounds = 3;     // questions that each must answer alike
};

// The seed of a target that hashes by XXH3, found by its answers alone; none if they do not
// give it away.
std::optional<uint64_t> LearnSeed(Target* target, const Tries& tries, std::mt19937_64* random);

// The number that has a key's hash: numbers are hashed by a bijection, which the seed tells.
uint64_t NumberFor(const std::string& key, uint64_t seed);

// The likeliest V of the second half of a key of 32 bytes: what one can try without answers.
uint64_t LikeliestV();

// Another key with the same hash where V is that of its second half.
std::string Swapped(const std::string& key, uint64_t v);

}  // namespace hostile
