/*
 * hash_function.h - what a hash function is: the functions of one kind of hash, compiled for one
 * set of instructions.
 *
 * Each kind has a row, or one for each set of instructions; all rows of a kind give the same
 * hashes.  hasher.h chooses the row when a filter is made.  All functions are wait-free.
 */
#ifndef LFB_BLOOM_HASH_FUNCTION_H
#define LFB_BLOOM_HASH_FUNCTION_H

#include <lfbloom/cpu.h>
#include <lfbloom/sink.h>
#include <stdbool.h>

#include "bloom/hashing/aes.h"
#include "bloom/hashing/murmur.h"
#include "bloom/hashing/simd.h"
#include "bloom/hashing/siphash.h"

#define XXH_INLINE_ALL /* so that none of its names leaves the library */
#include <xxhash.h>

LFB_EXTERN_C_BEGIN

typedef enum lfb_hash_kind {
  LFB_KIND_MURMUR128,     /* murmur3_x64_128, seed 0: low and high                     */
  LFB_KIND_MURMUR32_PAIR, /* murmur3_x86_32 with two seeds: the low 32 bits of each    */
  LFB_KIND_FNV1A32,       /* FNV-1a, 32 bits: the low 32 bits of low; integers as text */
  LFB_KIND_XXH3,          /* XXH3, 64 bits, seeded: low; integers by a seeded mixer    */
  LFB_KIND_SIPHASH13,     /* SipHash-1-3, keyed: low                                   */
  LFB_KIND_XXH64,         /* XXH64, seed 0: low                                        */
  LFB_KIND_AES,           /* the AES hash (aes.h), keyed: low, and high of many keys of
                             bytes if it is wanted (hash128.h); integers as numbers       */
} lfb_hash_kind;

/* Which bits of a hash its strategy uses. */
typedef enum lfb_hash_width {
  LFB_HASH_64,    /* the low half              */
  LFB_HASH_32_32, /* 32 bits of each half      */
  LFB_HASH_128,   /* both halves               */
} lfb_hash_width;

/* What determines the hashes: filters with equal identities hash each key alike. */
typedef struct lfb_hash_identity {
  lfb_hash_kind kind;
  uint64_t seed;   /* MURMUR32_PAIR: first seed low, second high 32 bits; XXH3: its
                      seed; others: 0 */
  uint64_t key[2]; /* SIPHASH13, AES: the key as two little-endian words; others: 0 */
} lfb_hash_identity;

typedef struct lfb_hash_function lfb_hash_function;

/* The hash of a 64-bit key that a filter's single operations inline. */
typedef enum lfb_hash_inlined {
  LFB_INLINED_NONE,  /* function->u64 is called         */
  LFB_INLINED_MIXER, /* that of kind XXH3               */
  LFB_INLINED_AES,   /* lfb_aes128_u64(), by instructions */
} lfb_hash_inlined;

/* Hashes keys.  The AES hash reads up to 1,280 bytes of it, any other only the first cache
 * line. */
typedef struct lfb_hasher {
  const lfb_hash_function *function;
  lfb_hash_identity identity;
  lfb_hash_inlined inlined;
  lfb_aes_secrets aes; /* of kind AES; of other kinds unset */
} lfb_hasher;

/* Bytes of a long key that are hashed at a time: whole chunks of the AES hash. */
enum { LFB_HASH_PIECE = 2 * LFB_AES_CHUNK };

/* A key of more than LFB_HASH_PIECE bytes, of which the first pieces, of that size, are hashed. */
typedef struct lfb_hash_pieces {
  const lfb_hasher *hasher;
  uint64_t before; /* bytes that are hashed; 0: none, and the state is unset */
  union {
    lfb_hash hash;     /* murmur, 128 bits                            */
    uint32_t words[2]; /* murmur, twice 32 bits; FNV: the first       */
    lfb_sip sip;
    XXH3_state_t xxh3;
    XXH64_state_t xxh64;
    lfb_aes_sum aes;   /* Y * P of the chunks before, and their groups */
  } state;
} lfb_hash_pieces;

struct lfb_hash_function {
  /* The hash of `size` bytes, and of a 64-bit key. */
  lfb_hash (*bytes)(const lfb_hasher *hasher, const void *bytes, size_t size);
  lfb_hash (*u64)(const lfb_hasher *hasher, uint64_t key);

  /* The hashes of `count` keys, as two arrays of halves.  `high` is NULL, and not written, if the
   * caller wants only low halves.  If a function is NULL, keys are hashed one by one. */
  void (*bytes_many)(const lfb_hasher *hasher, const lfb_key *keys, size_t count, uint64_t *low,
                     uint64_t *high);
  void (*u64_many)(const lfb_hasher *hasher, const uint64_t *keys, size_t count, uint64_t *low,
                   uint64_t *high);

  /* Hashes the next piece of a long key, of `size` bytes; only the last may be shorter than
   * LFB_HASH_PIECE.  Of a later piece, the key's 64 bytes before it are at bytes - 64.  Returns the
   * hash of the key up to here. */
  lfb_hash (*piece)(lfb_hash_pieces *key, const unsigned char *bytes, size_t size);
};

/* The rows. */
extern const lfb_hash_function lfb_hash_murmur128, lfb_hash_murmur32_pair, lfb_hash_fnv1a32,
    lfb_hash_xxh64, lfb_hash_xxh3, lfb_hash_siphash13, lfb_hash_aes;
#ifdef LFB_SIMD_X86
extern const lfb_hash_function lfb_hash_aes256, lfb_hash_aes512;
#endif
#ifdef LFB_AES_COMPILED
extern const lfb_hash_function lfb_hash_aes128;
/* Of all rows by AES instructions. */
lfb_hash lfb_aes_piece(lfb_hash_pieces *key, const unsigned char *bytes, size_t size);
#endif

#define LFB_FNV32_BASIS UINT32_C(0x811c9dc5)

static inline uint32_t lfb_fnv1a32(uint32_t h, const void *bytes, size_t size)
{
  const unsigned char *at = (const unsigned char *)bytes;

  for (size_t i = 0; i < size; i++)
    h = (h ^ at[i]) * UINT32_C(0x01000193);
  return h;
}

typedef lfb_hash (*lfb_hash_bytes)(const lfb_hasher *hasher, const void *bytes, size_t size);
typedef lfb_hash (*lfb_hash_u64)(const lfb_hasher *hasher, uint64_t key);

/* bytes_many and u64_many of a row that hashes key after key.  `of` is a constant after
 * inlining. */
LFB_INLINE void lfb_hash_each_bytes(const lfb_hasher *hasher, const lfb_key *keys, size_t count,
                                    uint64_t *low, uint64_t *high, lfb_hash_bytes of)
{
  for (size_t i = 0; i < count; i++) {
    const lfb_hash hash = of(hasher, keys[i].bytes, keys[i].size);
    low[i] = hash.low;
    if (high != NULL)
      high[i] = hash.high;
  }
}

LFB_INLINE void lfb_hash_each_u64(const lfb_hasher *hasher, const uint64_t *keys, size_t count,
                                  uint64_t *low, uint64_t *high, lfb_hash_u64 of)
{
  for (size_t i = 0; i < count; i++) {
    const lfb_hash hash = of(hasher, keys[i]);
    low[i] = hash.low;
    if (high != NULL)
      high[i] = hash.high;
  }
}

LFB_EXTERN_C_END

#endif
