/*
 * hasher.h - computes the hash of an element, by any of the hash functions that
 * strategies use.
 *
 * One indirect call per key, none for the seeded mixer of numbers.  All functions are wait-free.
 */
#ifndef LFB_BLOOM_HASHER_H
#define LFB_BLOOM_HASHER_H

#include "bloom/hashing/hash_function.h"

LFB_EXTERN_C_BEGIN

enum { LFB_HASHER_KEY = 16 }; /* bytes of a key */

/* Makes a hasher, by the best instructions up to level `most` that this processor has. */
void lfb_hasher_init(lfb_hasher *hasher, const lfb_hash_identity *identity, lfb_simd most);

/* Whether the hashes of this kind depend on a key of LFB_HASHER_KEY bytes. */
static inline bool lfb_hash_keyed(lfb_hash_kind kind)
{
  return kind == LFB_KIND_SIPHASH13 || kind == LFB_KIND_AES;
}

/* Whether this process has instructions for AES (LFBLOOM_SIMD can forbid them).  Without them the
 * AES hash of up to 128 bytes takes 0.35 to 1.6 us. */
bool lfb_hash_aes_is_fast(void);

/* The identity of a keyed hash. */
static inline lfb_hash_identity lfb_hash_with_key(lfb_hash_kind kind,
                                                  const uint8_t key[LFB_HASHER_KEY])
{
  const lfb_hash_identity identity = {kind, 0, {lfb_load_le64(key), lfb_load_le64(key + 8)}};
  return identity;
}

/* Writes the key of a keyed hash as the 16 bytes that the caller gave; 0 for another hash. */
static inline void lfb_hash_key(const lfb_hash_identity *identity, uint8_t key[LFB_HASHER_KEY])
{
  lfb_store_le64(key, identity->key[0]);
  lfb_store_le64(key + 8, identity->key[1]);
}

/* Whether two hashes are the same function. */
bool lfb_hash_same(const lfb_hash_identity *a, const lfb_hash_identity *b);

/* The hash of `size` bytes. */
LFB_INLINE lfb_hash lfb_hasher_bytes(const lfb_hasher *hasher, const void *bytes, size_t size)
{
  return hasher->function->bytes(hasher, bytes, size);
}

/* XXH64, seed 0, of a 64-bit key's 8 bytes, little-endian. */
static inline uint64_t lfb_xxh64_u64(uint64_t key)
{
  const uint64_t little = LFB_LITTLE_64(key);
  return XXH64(&little, sizeof little, 0);
}

/* The hash of a 64-bit key by kind XXH3: a bijection, so different keys have different hashes. */
static inline uint64_t lfb_hash_mixed(uint64_t key, uint64_t seed)
{
  return lfb_murmur_finish64(key ^ seed);
}

/* The hash of a 64-bit key: by AES, of the number; by XXH3, of the number, with a seeded mixer; by
 * FNV-1a, of its decimal text; by all others, of its 8 bytes, little-endian. */
LFB_INLINE lfb_hash lfb_hasher_u64(const lfb_hasher *hasher, uint64_t key)
{
  uint64_t low, high = 0;

  if (hasher->inlined == LFB_INLINED_MIXER) {
    low = lfb_hash_mixed(key, hasher->identity.seed);
  } else {
    const lfb_hash called = hasher->function->u64(hasher, key);
    low = called.low;
    high = called.high;
  }
#ifdef __LP64__
  /* Both halves stay in registers: gcc 12 would join them on the stack (1 to 2 ns). */
  __asm__(""
          : "+r"(low), "+r"(high));
#endif
  return (lfb_hash){low, high};
}

/* The hashes of `count` keys, as two arrays of halves; `high` may be NULL. */
LFB_INLINE void lfb_hasher_bytes_many(const lfb_hasher *hasher, const lfb_key *keys, size_t count,
                                      uint64_t *low, uint64_t *high)
{
  const lfb_hash_function *function = hasher->function;

  if (function->bytes_many != NULL)
    function->bytes_many(hasher, keys, count, low, high);
  else
    lfb_hash_each_bytes(hasher, keys, count, low, high, function->bytes);
}

LFB_INLINE void lfb_hasher_u64_many(const lfb_hasher *hasher, const uint64_t *keys, size_t count,
                                    uint64_t *low, uint64_t *high)
{
  const lfb_hash_function *function = hasher->function;

  if (function->u64_many != NULL)
    function->u64_many(hasher, keys, count, low, high);
  else
    lfb_hash_each_u64(hasher, keys, count, low, high, function->u64);
}

/* Whether a caller's own 64-bit hash is used unchanged, as the low half. */
LFB_INLINE bool lfb_hasher_takes_hashes(const lfb_hasher *hasher)
{
  return hasher->identity.kind >= LFB_KIND_XXH3;
}

/* Makes a hash of this hasher of a caller's own 64-bit hash. */
LFB_INLINE lfb_hash lfb_hasher_from_64(const lfb_hasher *hasher, uint64_t hash)
{
  if (__builtin_expect(lfb_hasher_takes_hashes(hasher), 1))
    return (lfb_hash){hash, 0};
  if (hasher->identity.kind == LFB_KIND_MURMUR32_PAIR)
    return (lfb_hash){(uint32_t)hash, hash >> 32};
  if (hasher->identity.kind == LFB_KIND_FNV1A32)
    return (lfb_hash){(uint32_t)hash, 0};
  /* The constant, 2^64 divided by the golden ratio, prevents a stride of 0 for hash 0. */
  return (lfb_hash){hash, lfb_murmur_finish64(hash + UINT64_C(0x9e3779b97f4a7c15))};
}

/* The hash of an object, through its funnel. */
lfb_hash lfb_sink_hash(const lfb_hasher *hasher, lfb_funnel funnel, const void *object);

LFB_EXTERN_C_END

#endif
