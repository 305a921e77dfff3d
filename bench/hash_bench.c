/*
 * hash_bench.c - bare hash functions: hash/HASH/KEYS/CALL.
 *
 * HASH is
 *   xxh3, siphash13, aes   the hashes that fast can use; fastbloom has SipHash-1-3, too
 *   murmur3_128            Guava's
 *   murmur64a              RedisBloom's, which computes two for each key
 * KEYS is u64 (64-bit numbers) or bytesN (N bytes each).  CALL is
 *   single                 one key per call, as the filter calls its hash; murmur64a: by a call
 *   chain                  the same, but each key depends on the hash before: the latency
 *   many                   1024 keys per call
 *   inline, inline_chain   single and chain, with XXH3 compiled into the loop
 *
 * hash/xxh3/KEYS/inline is the peer of all others: XXH3 with a seed, of numbers as 8 bytes.
 * (The library's xxh3 hashes numbers by a mixer.)
 *
 * All keys are in the first-level cache.  The hashes are checked against those of the library's
 * portable functions, called one by one.
 */
#include <stdio.h>

#include "bench/benches.h"
#include "bench/contender.h"
#include "bench/shim.h"
#include "bloom/hashing/hasher.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum {
  BARE_KEYS = 1024,
  BARE_STEP = 17,  /* bytes from key to key, which overlap: every alignment occurs */
  BARE_MOST = 1000, /* bytes of a key */
};

typedef struct bare_keys {
  size_t size; /* of each key, in bytes */
  uint64_t numbers[BARE_KEYS];
  lfb_key refs[BARE_KEYS]; /* keys in `bytes` */
  unsigned char bytes[BARE_STEP * BARE_KEYS + BARE_MOST];
} bare_keys;

/* Writes the hashes of all keys, in the order in which it hashes them. */
typedef void (*bare_pass)(const lfb_hasher *hasher, const bare_keys *keys,
                          uint64_t *restrict hashes);

/* ---- one key after another ------------------------------------------------- */

/* `of` is the hash of one key: of(hasher, bytes, size).  flatten: the compiler may otherwise call a
 * function that is declared inline. */
#define BARE_PASS(pass)                                                                    \
  __attribute__((flatten)) static void pass(const lfb_hasher *hasher, const bare_keys *keys, \
                                            uint64_t *restrict hashes)

#define BARE_EACH(pass, of)                                                                \
  BARE_PASS(pass)                                                                          \
  {                                                                                        \
    for (size_t i = 0; i < BARE_KEYS; i++)                                                 \
      hashes[i] = lfb_scalar(of(hasher, keys->refs[i].bytes, keys->refs[i].size));         \
  }

#define BARE_EACH_U64(pass, of)                                                            \
  BARE_PASS(pass)                                                                          \
  {                                                                                        \
    for (size_t i = 0; i < BARE_KEYS; i++)                                                 \
      hashes[i] = lfb_scalar(of(hasher, &keys->numbers[i], sizeof keys->numbers[i]));      \
  }

/* The hash selects the address of the next key.  If it were written into the next key's bytes, the
 * chain would contain the time from a store to a wider load, too. */
#define BARE_CHAIN(pass, of)                                                               \
  BARE_PASS(pass)                                                                          \
  {                                                                                        \
    uint64_t hash = 0;                                                                     \
    for (size_t i = 0; i < BARE_KEYS; i++)                                                 \
      hashes[i] = hash =                                                                   \
          of(hasher, keys->bytes + BARE_STEP * ((hash + i) % BARE_KEYS), keys->size);      \
  }

#define BARE_CHAIN_U64(pass, of)                                                           \
  BARE_PASS(pass)                                                                          \
  {                                                                                        \
    uint64_t hash = 0;                                                                     \
    for (size_t i = 0; i < BARE_KEYS; i++) {                                               \
      const uint64_t number = keys->numbers[i] ^ hash;                                     \
      hashes[i] = hash = of(hasher, &number, sizeof number);                               \
    }                                                                                      \
  }

typedef struct bare_passes {
  bare_pass each, chain, each_u64, chain_u64;
} bare_passes;

/* Defines noun_passes; of_u64 gets 8 bytes. */
#define BARE_PASSES(noun, of, of_u64)                                                      \
  BARE_EACH(noun##_each, of)                                                               \
  BARE_CHAIN(noun##_chain, of)                                                             \
  BARE_EACH_U64(noun##_each_u64, of_u64)                                                   \
  BARE_CHAIN_U64(noun##_chain_u64, of_u64)                                                 \
  static const bare_passes noun##_passes = {noun##_each, noun##_chain, noun##_each_u64,    \
                                            noun##_chain_u64};

static inline uint64_t bare_row(const lfb_hasher *hasher, const void *bytes, size_t size)
{
  return lfb_hasher_bytes(hasher, bytes, size).low;
}

static inline uint64_t bare_row_u64(const lfb_hasher *hasher, const void *bytes, size_t size)
{
  uint64_t number;
  memcpy(&number, bytes, sizeof number);
  (void)size;
  return lfb_hasher_u64(hasher, number).low;
}

static inline uint64_t bare_xxh3(const lfb_hasher *hasher, const void *bytes, size_t size)
{
  return XXH3_64bits_withSeed(bytes, size, hasher->identity.seed);
}

static inline uint64_t bare_murmur64a(const lfb_hasher *hasher, const void *bytes, size_t size)
{
  (void)hasher;
  return lfb_peer_murmur64a(bytes, size);
}

BARE_PASSES(row, bare_row, bare_row_u64)
BARE_PASSES(as_bytes, bare_row, bare_row) /* numbers as 8 bytes, by the row */
BARE_PASSES(xxh3, bare_xxh3, bare_xxh3)
BARE_PASSES(murmur64a, bare_murmur64a, bare_murmur64a)

/* ---- many keys in one call -------------------------------------------------- */

static void bare_many(const lfb_hasher *hasher, const bare_keys *keys, uint64_t *restrict hashes)
{
  lfb_hasher_bytes_many(hasher, keys->refs, BARE_KEYS, hashes, NULL);
}

static void bare_many_u64(const lfb_hasher *hasher, const bare_keys *keys,
                          uint64_t *restrict hashes)
{
  lfb_hasher_u64_many(hasher, keys->numbers, BARE_KEYS, hashes, NULL);
}

/* ---- the table ---------------------------------------------------------------- */

typedef struct bare_hash {
  const char *name;
  bool inlined;
  lfb_hash_identity identity;
  const bare_passes *passes;
  const bare_passes *right; /* must give the same hashes; NULL: runs_here() has checked them */
  bool (*runs_here)(void);  /* NULL: on every machine */
} bare_hash;

/* Whether the C++ library's hash is MurmurHash64A: RedisBloom's function gives this value. */
static bool bare_is_murmur64a(void)
{
  static const char text[] = "lock-free Bloom filter";
  return lfb_peer_murmur64a(text, sizeof text - 1) == UINT64_C(0x06154867912b5595);
}

#define BARE_XXH3 {LFB_KIND_XXH3, 1, {0, 0}}
#define BARE_KEYED(kind) {(kind), 0, {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)}}
#define BARE_MURMUR {LFB_KIND_MURMUR128, 0, {0, 0}}
#define BARE_ROW(name, identity) {name, false, identity, &row_passes, &row_passes, NULL}

static const bare_hash bare_hashes[] = {
    {"xxh3", true, BARE_XXH3, &xxh3_passes, &as_bytes_passes, NULL},
    BARE_ROW("xxh3", BARE_XXH3),
    BARE_ROW("aes", BARE_KEYED(LFB_KIND_AES)),
    BARE_ROW("siphash13", BARE_KEYED(LFB_KIND_SIPHASH13)),
    BARE_ROW("murmur3_128", BARE_MURMUR),
    {"murmur64a", false, BARE_MURMUR, &murmur64a_passes, NULL, bare_is_murmur64a},
};

/* 0: numbers. */
static const size_t bare_sizes[] = {0, 8, 16, 24, 36, 100, BARE_MOST};

typedef enum bare_call { BARE_SINGLE, BARE_CHAIN, BARE_MANY, BARE_CALLS } bare_call;

static const char *const bare_calls[2][BARE_CALLS] = {
    {"single", "chain", "many"},
    {"inline", "inline_chain", NULL},
};

typedef struct bare_case {
  lfb_hash_identity identity;
  size_t size;           /* of bare_sizes */
  bare_pass pass, right; /* right: as above */
} bare_case;

/* What the running benchmark uses; it has one thread. */
static struct {
  bare_keys keys;
  lfb_hasher hasher;
  uint64_t hashes[BARE_KEYS], right[BARE_KEYS];
} bare;

static void bare_make_keys(bare_keys *keys, size_t size)
{
  keys->size = size;
  for (size_t i = 0; i < sizeof keys->bytes; i++)
    keys->bytes[i] = (unsigned char)lfb_keys_number(i);
  for (size_t i = 0; i < BARE_KEYS; i++) {
    keys->numbers[i] = lfb_keys_number(i);
    keys->refs[i] = (lfb_key){keys->bytes + BARE_STEP * i, size};
  }
}

/* Whether the last pass gave the right hashes. */
static bool bare_right(const bare_case *c)
{
  if (c->right == NULL)
    return true;
  lfb_hasher_init(&bare.hasher, &c->identity, LFB_SIMD_NONE);
  c->right(&bare.hasher, &bare.keys, bare.right);
  return memcmp(bare.hashes, bare.right, sizeof bare.right) == 0;
}

static void bare_body(lfb_bench_state *state, const void *argument)
{
  const bare_case *c = argument;

  bare_make_keys(&bare.keys, c->size);
  memset(bare.hashes, 0, sizeof bare.hashes);
  lfb_hasher_init(&bare.hasher, &c->identity, lfb_simd_chosen());
  while (lfb_bench_keep_running(state, BARE_KEYS))
    c->pass(&bare.hasher, &bare.keys, bare.hashes);
  if (!bare_right(c))
    lfb_bench_fail(state, "wrong hashes");
}

/* NULL if there is none. */
static bare_pass bare_pass_of(const bare_passes *passes, size_t size, bare_call call)
{
  if (passes == NULL)
    return NULL;
  if (call == BARE_CHAIN)
    return size == 0 ? passes->chain_u64 : passes->chain;
  return size == 0 ? passes->each_u64 : passes->each;
}

/* The case of a hash; its pass is NULL if the hash has no such call. */
static bare_case bare_case_of(const bare_hash *hash, size_t size, bare_call call)
{
  bare_case made = {hash->identity, size, bare_pass_of(hash->passes, size, call),
                    bare_pass_of(hash->right, size, call)};

  if (call == BARE_MANY && hash->passes != &row_passes)
    made.pass = NULL;
  else if (call == BARE_MANY)
    made.pass = size == 0 ? bare_many_u64 : bare_many;
  return made;
}

static void bare_register(const bare_hash *hash, size_t size, bare_call call)
{
  static bare_case cases[COUNT(bare_hashes) * COUNT(bare_sizes) * BARE_CALLS];
  static bare_case *next = cases;
  char keys[32] = "u64", name[128];

  *next = bare_case_of(hash, size, call);
  if (next->pass == NULL || (hash->runs_here != NULL && !hash->runs_here()))
    return;
  if (size > 0)
    (void)snprintf(keys, sizeof keys, "bytes%zu", size);
  (void)snprintf(name, sizeof name, "hash/%s//%s/%s", hash->name,
                 bare_calls[hash->inlined][call], keys);
  lfb_bench_register(
      &(lfb_bench_row){.name = name, .body = bare_body, .argument = next++, .threads = 1});
}

void lfb_bench_register_hashes(void)
{
  /* Hash by hash last, so that compared figures are measured at nearly the same time. */
  for (size_t s = 0; s < COUNT(bare_sizes); s++)
    for (bare_call call = BARE_SINGLE; call < BARE_CALLS; call++)
      for (size_t h = 0; h < COUNT(bare_hashes); h++)
        bare_register(&bare_hashes[h], bare_sizes[s], call);
}
