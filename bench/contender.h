/*
 * contender.h - a kind of filter that is measured, the library's own or a peer,
 * as one row of functions.
 *
 * A contender has ways: which call puts and queries keys, and which kind of keys.  The
 * operations (put new, query present, ...) and the preparation of a filter for them are
 * the same for all contenders: filter_bench.c, scene.h.
 */
#ifndef LFB_BENCH_CONTENDER_H
#define LFB_BENCH_CONTENDER_H

#include <lfbloom/filter.h>

#include "bench/keys.h"

/* The most keys in one lfb_act. */
enum { LFB_ACT_MOST = 1024 };

/* Puts keys `first` to `first` + count - 1 into a filter, or queries them; returns how many
 * answers were true. */
typedef size_t (*lfb_act)(void *filter, const lfb_keys *keys, size_t first, size_t count);

/* Puts among queries: keys from `put` on are put, those from `ask` on are queried. */
typedef struct lfb_mix {
  size_t ask, put;
  size_t puts;
  size_t asks_a_put; /* queries before each put */
} lfb_mix;

typedef size_t (*lfb_mixed_act)(void *filter, const lfb_keys *keys, const lfb_mix *mix);

/* The operations that a way is measured for. */
enum {
  LFB_WAY_ASK = 1,
  LFB_WAY_PUT_PRESENT = 2,
  LFB_WAY_PUT_NEW = 4,
  LFB_WAY_MIXED = 8,
  LFB_WAY_PUT_RACE = 16,
  LFB_WAY_ALL = 31,
  LFB_WAY_CLAIM_RACE = 32,
};

typedef struct lfb_way {
  const char *name; /* CALL/KEYS */
  lfb_keys_kind kind;
  unsigned uses;
  lfb_act put, query;
  lfb_mixed_act mixed; /* NULL: not measured */
} lfb_way;

/* The memory of a filter's words. */
typedef struct lfb_bench_bits {
  void *address;
  uint64_t size; /* bytes */
} lfb_bench_bits;

/* The hash of the library's own contenders. */
typedef enum lfb_own_hash {
  LFB_OWN_CONFIGURED, /* as lfb_own_config() says             */
  LFB_OWN_CHOSEN,     /* the library's choice, with a key      */
  LFB_OWN_AES,
  LFB_OWN_SIPHASH13,
} lfb_own_hash;

typedef struct lfb_contender lfb_contender;
struct lfb_contender {
  const char *name;
  const lfb_way *ways;
  size_t way_count;
  bool one_thread;          /* threads may not share a filter                 */
  bool silent;              /* a put does not say whether the key was new     */
  lfb_strategy_id strategy; /* of the library's own contenders                */
  lfb_memory_preference memory; /* the same                                   */
  lfb_own_hash hash;        /* the same                                       */
  const void *context;      /* of the contender's own functions               */

  /* Bytes of bits for n keys; false if such a filter is impossible. */
  bool (*size)(const lfb_contender *contender, uint64_t n, double fpp, uint64_t *bytes);
  /* An empty filter of that size; NULL on failure. */
  void *(*create)(const lfb_contender *contender, uint64_t n, double fpp);
  void (*free)(void *filter);
  /* Its bits: two filters of one n and fpp differ in nothing else.  NULL: copy() is given. */
  lfb_bench_bits (*bits)(void *filter);
  /* Copies what was put into a filter of the same n and fpp. */
  void (*copy)(void *to, const void *from);
  /* Puts numbers, by any call. */
  void (*fill)(void *filter, const uint64_t *numbers, size_t count);

  /* Saves it in Guava's form.  NULL: it has none. */
  bool (*save)(const void *filter, const char *path);
};

/* The seed of XXH3, in fast and in peers: the same hashes. */
enum { LFB_XXH3_SEED = 1 };

/* The configuration of the library's own filters of all kinds, fast with XXH3: one seed for all,
 * since words are copied from filter to filter. */
lfb_config lfb_own_config(const lfb_contender *own, uint64_t n, double fpp);

extern const lfb_contender lfb_own_fast, lfb_own_guava_mitz64;
extern const lfb_contender lfb_own_fast_speed; /* fast with LFB_MEMORY_SPEED */
extern const lfb_contender lfb_own_sbbf;
extern const lfb_contender lfb_own_fast_siphash13, lfb_own_fast_aes; /* fast by another hash */
extern const lfb_contender lfb_own_default; /* the library's choice for n and fpp */
extern const lfb_contender lfb_own_counting, lfb_own_counting_mitz64; /* of tags, of guava-mitz64 */
extern const lfb_contender lfb_own_window;                      /* G = 3 */
extern const lfb_contender lfb_own_versions;                    /* fast, through versions */
extern const lfb_contender lfb_peer_mutex;

/* Returns the hash through a register: gcc 12 otherwise computes XXH3 of two numbers at once in
 * vectors, which takes 1.74 ns each instead of 1.37 (hash/xxh3/u64/inline, Zen 5). */
static inline uint64_t lfb_scalar(uint64_t hash)
{
  __asm__ volatile("" : "+r"(hash));
  return hash;
}

#endif
