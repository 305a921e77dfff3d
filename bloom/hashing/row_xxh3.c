/* row_xxh3.c - the rows of XXH3 with a seed, and the seeded mixer of 64-bit numbers. */
#include "bloom/hashing/hasher.h"

/* Inlines XXH3 of up to 128 bytes: 0.1 to 0.5 ns less than a call.  Longer keys stay out of line,
 * with the stack that they need. */
#define XXH3_FLAT __attribute__((flatten))

XXH3_FLAT static lfb_hash xxh3_bytes(const lfb_hasher *hasher, const void *bytes, size_t size)
{
  return (lfb_hash){XXH3_64bits_withSeed(bytes, size, hasher->identity.seed), 0};
}

static lfb_hash xxh3_u64(const lfb_hasher *hasher, uint64_t key)
{
  return (lfb_hash){lfb_hash_mixed(key, hasher->identity.seed), 0};
}

XXH3_FLAT static void xxh3_bytes_many(const lfb_hasher *hasher, const lfb_key *keys, size_t count,
                                      uint64_t *low, uint64_t *high)
{
  lfb_hash_each_bytes(hasher, keys, count, low, high, xxh3_bytes);
}

static void xxh3_u64_many(const lfb_hasher *hasher, const uint64_t *keys, size_t count,
                          uint64_t *low, uint64_t *high)
{
  lfb_hash_each_u64(hasher, keys, count, low, high, xxh3_u64);
}

/* Cold, as that of XXH64: the functions on the state are compiled for their size. */
__attribute__((cold))
static lfb_hash xxh3_piece(lfb_hash_pieces *key, const unsigned char *bytes, size_t size)
{
  XXH3_state_t *const state = &key->state.xxh3;

  if (key->before == 0) {
    XXH3_INITSTATE(state); /* with a seed of 0, reset reads the old state */
    (void)XXH3_64bits_reset_withSeed(state, key->hasher->identity.seed);
  }
  (void)XXH3_64bits_update(state, bytes, size);
  return (lfb_hash){XXH3_64bits_digest(state), 0};
}

const lfb_hash_function lfb_hash_xxh3 = {
    .bytes = xxh3_bytes,
    .u64 = xxh3_u64,
    .bytes_many = xxh3_bytes_many,
    .u64_many = xxh3_u64_many,
    .piece = xxh3_piece,
};
