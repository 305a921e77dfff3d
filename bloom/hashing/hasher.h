/*
 * hasher.h - computes the hash of an element, by any of the hash functions that
 * strategies use.
 *
 * A switch, not a function pointer: for one filter it always takes the same branch, and
 * an operation's only indirect call is the strategy's.  All functions are wait-free.
 */
#ifndef LFB_BLOOM_HASHER_H
#define LFB_BLOOM_HASHER_H

#include <lfbloom/cpu.h>
#include <stdbool.h>

#include "atomic/words/kin.h"
#include "bloom/hashing/murmur.h"
#include "bloom/hashing/siphash.h"

#define XXH_INLINE_ALL /* so that none of its names leaves the library */
#include <xxhash.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lfb_hash_kind {
  LFB_KIND_MURMUR128,     /* murmur3_x64_128, seed 0: low and high                     */
  LFB_KIND_MURMUR32_PAIR, /* murmur3_x86_32 with two seeds: the low 32 bits of each    */
  LFB_KIND_FNV1A32,       /* FNV-1a, 32 bits: the low 32 bits of low; integers as text */
  LFB_KIND_XXH3,          /* XXH3, 64 bits, seeded: low; integers by a seeded mixer    */
  LFB_KIND_SIPHASH13,     /* SipHash-1-3, keyed: low                                   */
  LFB_KIND_XXH64,         /* XXH64, seed 0: low                                        */
} lfb_hash_kind;

/* Which bits of a hash its strategy uses. */
typedef enum lfb_hash_width {
  LFB_HASH_64,    /* the low half              */
  LFB_HASH_32_32, /* 32 bits of each half      */
  LFB_HASH_128,   /* both halves               */
} lfb_hash_width;

typedef struct lfb_hasher {
  lfb_hash_kind kind;
  uint64_t seed;   /* MURMUR32_PAIR: first seed low, second high 32 bits; XXH3: its
                      seed; others: 0 */
  uint64_t key[2]; /* SIPHASH13: its key as two little-endian words; others: 0 */
} lfb_hasher;

enum { LFB_HASHER_KEY = 16 }; /* bytes of a key */

/* Writes the key of a keyed hasher as the 16 bytes that the caller gave. */
static inline void lfb_hasher_key(const lfb_hasher *hasher, uint8_t key[LFB_HASHER_KEY])
{
  lfb_store_le64(key, hasher->key[0]);
  lfb_store_le64(key + 8, hasher->key[1]);
}

#define LFB_FNV32_BASIS UINT32_C(0x811c9dc5)

static inline uint32_t lfb_fnv1a32(uint32_t h, const void *bytes, size_t size)
{
  const unsigned char *at = (const unsigned char *)bytes;

  for (size_t i = 0; i < size; i++)
    h = (h ^ at[i]) * UINT32_C(0x01000193);
  return h;
}

/* The hash of `size` bytes, if it is not murmur128.  Out of line, so that operations do not pay
 * for the registers and the stack that these hashes need. */
LFB_KIN lfb_hash lfb_hasher_bytes_other(const lfb_hasher *hasher, const void *bytes, size_t size);

/* The hash of `size` bytes. */
static inline lfb_hash lfb_hasher_bytes(const lfb_hasher *hasher, const void *bytes, size_t size)
{
  if (hasher->kind == LFB_KIND_MURMUR128)
    return lfb_murmur128(bytes, size, 0);
  return lfb_hasher_bytes_other(hasher, bytes, size);
}

/* Writes a signed decimal number without a NUL.  Returns its size in bytes, at most 20. */
size_t lfb_decimal(int64_t value, char text[20]);

/* XXH64, seed 0, of a 64-bit key's 8 bytes, little-endian. */
static inline uint64_t lfb_xxh64_u64(uint64_t key)
{
  const uint64_t little = LFB_LITTLE_64(key);
  return XXH64(&little, sizeof little, 0);
}

/* The hash of a 64-bit key, if it is neither murmur128 nor XXH3's integer mixer. */
LFB_KIN lfb_hash lfb_hasher_u64_other(const lfb_hasher *hasher, uint64_t key);

/* The hash of a 64-bit key: of its 8 bytes, little-endian; or of its decimal text; or, for XXH3,
 * of the number by a seeded mixer.  The mixer is a bijection: different keys have different
 * hashes. */
LFB_INLINE lfb_hash lfb_hasher_u64(const lfb_hasher *hasher, uint64_t key)
{
  const uint64_t little = LFB_LITTLE_64(key);

  if (__builtin_expect(hasher->kind == LFB_KIND_XXH3, 1))
    return (lfb_hash){lfb_murmur_finish64(key ^ hasher->seed), 0};
  if (hasher->kind == LFB_KIND_MURMUR128)
    return lfb_murmur128(&little, sizeof little, 0);
  return lfb_hasher_u64_other(hasher, key);
}

/* Whether a caller's own 64-bit hash is used unchanged, as the low half. */
LFB_INLINE bool lfb_hasher_takes_hashes(const lfb_hasher *hasher)
{
  return hasher->kind == LFB_KIND_XXH3 || hasher->kind == LFB_KIND_SIPHASH13 ||
         hasher->kind == LFB_KIND_XXH64;
}

/* Widens a caller's own 64-bit hash to the width of this hasher. */
LFB_INLINE lfb_hash lfb_hasher_widen(const lfb_hasher *hasher, uint64_t hash)
{
  if (__builtin_expect(lfb_hasher_takes_hashes(hasher), 1))
    return (lfb_hash){hash, 0};
  if (hasher->kind == LFB_KIND_MURMUR32_PAIR)
    return (lfb_hash){(uint32_t)hash, hash >> 32};
  if (hasher->kind == LFB_KIND_FNV1A32)
    return (lfb_hash){(uint32_t)hash, 0};
  /* The constant, 2^64 divided by the golden ratio, prevents a stride of 0 for hash 0. */
  return (lfb_hash){hash, lfb_murmur_finish64(hash + UINT64_C(0x9e3779b97f4a7c15))};
}

/* The state of a hash in progress, of a key that is given in parts. */
typedef struct lfb_hash_stream {
  lfb_hasher hasher;
  union {
    lfb_hash hash;      /* murmur and FNV */
    lfb_sip sip;
    XXH3_state_t xxh3;   /* gathers its bytes itself */
    XXH64_state_t xxh64; /* as well                  */
  } state;
  uint64_t size;             /* bytes put so far           */
  unsigned char pending[16]; /* the last size % 16 of them */
} lfb_hash_stream;

/* Starts the hash of a key. */
void lfb_hash_stream_init(lfb_hash_stream *stream, const lfb_hasher *hasher);

/* Adds the next `size` bytes of the key. */
void lfb_hash_stream_put(lfb_hash_stream *stream, const void *bytes, size_t size);

/* Returns the hash of all bytes that were put: equal to lfb_hasher_bytes() of the whole key. */
lfb_hash lfb_hash_stream_finish(const lfb_hash_stream *stream);

#ifdef __cplusplus
}
#endif

#endif
