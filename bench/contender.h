/*
 * contender.h - what is measured: a kind of filter, the library's own or a peer,
 * as one row of functions.
 *
 * A contender brings its ways: by which call keys are put and asked for, and which
 * keys.  What is done with them (put new, query present, ...) and how a filter gets
 * to the point where it is done is the same for all: filter_bench.c, scene.h.
 */
#ifndef LFB_BENCH_CONTENDER_H
#define LFB_BENCH_CONTENDER_H

#include <lfbloom/filter.h>

#include "bench/keys.h"

/* At most so many keys in one lfb_act. */
enum { LFB_ACT_MOST = 1024 };

/* Puts keys `first` to `first` + count - 1 into a filter, or asks for them; how many
 * answers were true. */
typedef size_t (*lfb_act)(void *filter, const lfb_keys *keys, size_t first, size_t count);

/* Puts among queries: keys from `put` on are put, those from `ask` on asked for. */
typedef struct lfb_mix {
  size_t ask, put;
  size_t puts;
  size_t asks_a_put; /* queries before each put */
} lfb_mix;

typedef size_t (*lfb_mixed_act)(void *filter, const lfb_keys *keys, const lfb_mix *mix);

/* What a way is measured for. */
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
  lfb_mixed_act mixed;      /* NULL where it is not measured                  */
  bool (*runs_here)(void);  /* NULL: on every processor                       */
} lfb_way;

/* The words of a filter. */
typedef struct lfb_bench_bits {
  void *address;
  uint64_t size; /* bytes */
} lfb_bench_bits;

typedef struct lfb_contender lfb_contender;
struct lfb_contender {
  const char *name;
  const lfb_way *ways;
  size_t way_count;
  bool one_thread;          /* threads may not share a filter                 */
  lfb_strategy_id strategy; /* of the library's own                           */

  /* Bytes of bits for n keys; false if it cannot be. */
  bool (*size)(const lfb_contender *contender, uint64_t n, double fpp, uint64_t *bytes);
  /* An empty filter of that size; NULL if it cannot be. */
  void *(*create)(const lfb_contender *contender, uint64_t n, double fpp);
  void (*free)(void *filter);
  /* Where its bits are: all that differs between two filters of one n and fpp. */
  lfb_bench_bits (*bits)(void *filter);
  /* Puts numbers, as its ways over numbers do or otherwise. */
  void (*fill)(void *filter, const uint64_t *numbers, size_t count);

  /* Its own file; both NULL: the bits as they are. */
  bool (*save)(const void *filter, const char *path);
  void *(*load)(const char *path);
};

/* What the library's own filters are made of, whatever their kind: one seed for all, since
 * words are copied from filter to filter. */
lfb_config lfb_own_config(const lfb_contender *own, uint64_t n, double fpp);

extern const lfb_contender lfb_own_fast, lfb_own_fast_pair, lfb_own_guava_mitz64;
extern const lfb_contender lfb_own_mapped, lfb_own_mapped_disk; /* fast, in a mapped file */
extern const lfb_contender lfb_own_mapped_mitz64;               /* guava-mitz64, likewise */
extern const lfb_contender lfb_own_counting, lfb_own_counting_mitz64; /* of fast, of the other */
extern const lfb_contender lfb_own_versions;                    /* fast, through versions */
extern const lfb_contender lfb_peer_libbloom, lfb_peer_ck_bitmap, lfb_peer_mutex;

/* The query of lfbloom/fast_avx512.h inline, and whether the processor has it. */
size_t lfb_inline512_query(void *filter, const lfb_keys *keys, size_t first, size_t count);
bool lfb_inline512_runs_here(void);

#endif
