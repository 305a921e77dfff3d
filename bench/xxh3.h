/* xxh3.h - XXH3 of a benchmark's keys, compiled into the caller's loop: the hash of peers that have
 * none, and of callers that hash themselves. */
#ifndef LFB_BENCH_XXH3_H
#define LFB_BENCH_XXH3_H

#include "bench/keys.h"
#include "bloom/hashing/hash_function.h"

/* The seed of fast by XXH3: the same hashes. */
enum { LFB_XXH3_SEED = 1 };

typedef uint64_t (*lfb_xxh3_of)(const lfb_keys *keys, size_t i);

/* Hashes number `i` as 8 bytes. */
static inline uint64_t lfb_xxh3_number(const lfb_keys *keys, size_t i)
{
  return XXH3_64bits_withSeed(&keys->numbers[i], sizeof keys->numbers[i], LFB_XXH3_SEED);
}

/* Hashes UUID `i`. */
static inline uint64_t lfb_xxh3_uuid(const lfb_keys *keys, size_t i)
{
  return XXH3_64bits_withSeed(keys->texts + LFB_UUID_SIZE * i, LFB_UUID_SIZE, LFB_XXH3_SEED);
}

#endif
