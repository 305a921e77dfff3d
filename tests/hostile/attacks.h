// attacks.h - every attack that learns a secret, and every hash that it is played against.
#pragma once

#include "tests/hostile/target.h"

namespace hostile {

constexpr unsigned kFilters = 11;  // that hostile_test attacks

// A hash of strategy `fast`.
struct Hash {
  const char* name;
  lfb_hash_id id;
  bool keyed;  // its secret is config.key, and no attack learns it; otherwise it is config.seed
  unsigned filters;  // that hostile_test attacks in the slow ways
};

inline constexpr Hash kXxh3 = {"XXH3", LFB_HASH_XXH3, false, 2};

inline constexpr Hash kHashes[] = {
    kXxh3,
    {"AES", LFB_HASH_AES, true, kFilters},  // the default
    {"SipHash-1-3", LFB_HASH_SIPHASH13, true, 3},
};

// Gives a configuration this hash, with a secret drawn from `random`.
lfb_config With(const Hash& hash, lfb_config config, std::mt19937_64* random);

// How one attack ended: whether it learnt the secret, and what it took.
struct Outcome {
  bool learnt;
  uint64_t puts, asked;
};

struct Attack {
  const char* name;
  const char* sees;  // answers, or the lines of keys
  uint64_t room;     // the filter's expected insertions
  bool takes_xxh3;   // whether it learns the seed of XXH3
  bool slow;         // takes more than 0.2 s
  Outcome (*play)(Target* target, const lfb_config& config, std::mt19937_64* random);
};

extern const std::vector<Attack> kAttacks;

// Plays an attack against a new filter with a random secret.
Outcome Play(const Attack& attack, const Hash& hash, std::mt19937_64* random);

// Plays the attack on pairs against the hash that it was made for (pairing.h).
Outcome PlayPairing32(std::mt19937_64* random);

}  // namespace hostile
