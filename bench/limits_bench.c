/*
 * limits_bench.c - the best that the machine can do: one access to a random cache line, with 128
 * lines in progress or as many as the processor finds by itself, on huge pages; and one addition to
 * a counter.
 *
 * A query can be no faster than the read, a put of a bit no faster than the CAS, and a put of a key
 * of `fast` no faster than the exchanges of its pairs: one, two in a line, or four in two lines.
 * A put or removal of `tags` reads two lines, and does one CAS.
 */
#include <stdio.h>
#include <string.h>

#include "atomic/bit_array.h"
#include "atomic/words/pages.h"
#include "atomic/words/pair.h"
#include "atomic/threads/stripes.h"
#include "bench/benches.h"
#include "bench/keys.h"
#include "bench/shim.h"

enum {
  BATCH = 1024,
  AHEAD = 128,       /* lines in progress */
  HALF = LFB_CACHE_LINE / 16, /* words of half a line */
  SAMPLE = 1 << 20,  /* random numbers; a power of two */
  ADDITIONS = 1 << 24,
};

/* Memory of one size, and random numbers that select lines. */
static struct {
  lfb_pages pages;
  lfb_keys random;
} arena;

/* The smallest sizes get a whole huge page too. */
static bool arena_init(uint64_t size)
{
  const uint64_t whole = size < LFB_HUGE_PAGE ? LFB_HUGE_PAGE : size;

  if (lfb_pages_init(&arena.pages, whole, false) != LFB_OK)
    return false;
  (void)memset(arena.pages.address, 0, whole); /* backs all pages */
  return true;
}

static bool arena_enter(uint64_t size)
{
  static uint64_t entered;

  if (arena.random.numbers == NULL) {
    if (!lfb_keys_init(&arena.random, LFB_KEYS_NUMBERS, SAMPLE))
      return false;
    lfb_keys_fill(&arena.random, 0);
  }
  if (arena.pages.address != NULL && entered == size)
    return true;
  if (arena.pages.address != NULL)
    lfb_pages_free(&arena.pages);
  entered = size;
  return arena_init(size);
}

void lfb_bench_clear_limits(void)
{
  if (arena.pages.address != NULL)
    lfb_pages_free(&arena.pages);
  lfb_keys_free(&arena.random);
}

/* Changes a thread's random numbers, so that none writes what another has just written. */
static _Thread_local uint64_t arena_salt;

/* The first word of `lines` lines, a power of two, that random number `i` selects; sizes are powers
 * of two. */
static inline lfb_word *arena_lines(uint64_t size, size_t i, uint64_t lines)
{
  char *start = arena.pages.address;
  const uint64_t number = arena.random.numbers[i % SAMPLE] ^ arena_salt;
  return (lfb_word *)(void *)(start + (number & (size - lines * LFB_CACHE_LINE)));
}

static inline lfb_word *arena_word(uint64_t size, size_t i)
{
  return arena_lines(size, i, 1);
}

/* Accesses BATCH words from random number `first` on; returns a value that depends on them. */
typedef uint64_t (*limit_access)(uint64_t size, size_t first);

static uint64_t limit_read(uint64_t size, size_t first)
{
  uint64_t sum = 0;
  for (size_t i = first; i < first + BATCH; i++) {
    lfb_prefetch_read(arena_word(size, i + AHEAD));
    /* relaxed, here and below: only the access is measured, nothing is published. */
    sum += atomic_load_explicit(arena_word(size, i), memory_order_relaxed);
  }
  return sum;
}

/* Without prefetching: the processor overlaps what it finds in its window of instructions. */
static uint64_t limit_load(uint64_t size, size_t first)
{
  uint64_t sum = 0;
  for (size_t i = first; i < first + BATCH; i++)
    sum += atomic_load_explicit(arena_word(size, i), memory_order_relaxed);
  return sum;
}

static uint64_t limit_cas(uint64_t size, size_t first)
{
  uint64_t failed = 0;
  for (size_t i = first; i < first + BATCH; i++) {
    lfb_prefetch_write(arena_word(size, i + AHEAD));
    lfb_word *word = arena_word(size, i);
    uint64_t seen = atomic_load_explicit(word, memory_order_relaxed);
    failed += !lfb_cas_u64(word, &seen, seen + 1, memory_order_relaxed);
  }
  return failed;
}

/* Reads a word of two lines, and writes that of the first. */
static uint64_t limit_cas_of_two(uint64_t size, size_t first)
{
  uint64_t failed = 0;
  for (size_t i = first; i < first + BATCH; i++) {
    lfb_prefetch_write(arena_word(size, i + AHEAD));
    lfb_prefetch_read(arena_word(size, i + AHEAD + SAMPLE / 4));
    lfb_word *word = arena_word(size, i);
    uint64_t seen = atomic_load_explicit(word, memory_order_relaxed);
    /* The exchange waits for the other line. */
    const uint64_t more =
        1 + (atomic_load_explicit(arena_word(size, i + SAMPLE / 4), memory_order_relaxed) >> 63);
    failed += !lfb_cas_u64(word, &seen, seen + more, memory_order_relaxed);
  }
  return failed;
}

/* Writes `pairs` pairs, two of a line, each by one operation. */
LFB_INLINE uint64_t limit_pairs(uint64_t size, size_t first, uint32_t pairs)
{
  const uint64_t lines = pairs > 2 ? pairs / 2 : 1;
  uint64_t failed = 0;

  for (size_t i = first; i < first + BATCH; i++) {
    const size_t half = HALF;
    lfb_two seen[LFB_PAIRS_MOST];
    lfb_word *word = arena_lines(size, i, lines), *ahead = arena_lines(size, i + AHEAD, lines);
    LFB_EACH(l, 0, lines, 1, lfb_prefetch_write(ahead + 2 * half * l));
    LFB_EACH(p, 0, pairs, 1,
             seen[p] = (lfb_two){atomic_load_explicit(&word[half * p], memory_order_relaxed),
                                 atomic_load_explicit(&word[half * p + 1], memory_order_relaxed)});
    LFB_EACH(p, 0, pairs, 1,
             failed += !lfb_pair_cas(&word[half * p], &seen[p],
                                     (lfb_two){seen[p].low + 1, seen[p].high}));
  }
  return failed;
}

static uint64_t limit_pair(uint64_t size, size_t first)
{
  return limit_pairs(size, first, 1);
}

static uint64_t limit_two_pairs(uint64_t size, size_t first)
{
  return limit_pairs(size, first, 2);
}

static uint64_t limit_four_pairs(uint64_t size, size_t first)
{
  return limit_pairs(size, first, 4);
}

typedef struct limit {
  const char *name;
  limit_access access;
  bool exclusive; /* counts CAS that fail; 0 if alone       */
  bool pairs;     /* needs the exchange of 16 bytes         */
} limit;

static const limit limits[] = {
    {"read", limit_read, false, false},
    {"load", limit_load, false, false},
    {"lock_cmpxchg", limit_cas, true, false},
    {"two_lines_cmpxchg", limit_cas_of_two, true, false},
    {"cmpxchg16b", limit_pair, true, true},
    {"two_cmpxchg16b", limit_two_pairs, true, true},
    {"four_cmpxchg16b", limit_four_pairs, true, true},
};

enum { LIMITS = sizeof limits / sizeof *limits };

typedef struct limit_case {
  const limit *limit;
  uint64_t size;
} limit_case;

static bool arena_ready; /* written by thread 0 before the loop */

static void limit_body(lfb_bench_state *state, const void *argument)
{
  const limit_case *c = argument;
  size_t at = (size_t)SAMPLE / lfb_bench_threads(state) * lfb_bench_thread(state);
  uint64_t seen = 0;

  arena_salt = lfb_bench_thread(state) * UINT64_C(0x9e3779b97f4a7c15);
  if (lfb_bench_thread(state) == 0)
    arena_ready = arena_enter(c->size);
  while (lfb_bench_keep_running(state, BATCH)) {
    if (!arena_ready)
      continue;
    seen += c->limit->access(c->size, at);
    at = (at + BATCH) % SAMPLE;
  }
  if (!arena_ready)
    lfb_bench_fail(state, "no memory");
  else if (c->limit->exclusive && lfb_bench_threads(state) == 1 && seen > 0)
    lfb_bench_fail(state, "a CAS failed without another thread");
  __asm__ volatile("" : : "r"(seen)); /* keeps the loads */
}

static void stripes_body(lfb_bench_state *state, const void *argument)
{
  static lfb_stripes stripes;
  static lfb_status status;
  uint64_t added = 0;
  (void)argument;

  if (lfb_bench_thread(state) == 0)
    status = lfb_stripes_init(&stripes);
  while (lfb_bench_keep_running(state, BATCH)) {
    if (status != LFB_OK)
      continue;
    for (unsigned i = 0; i < BATCH; i++)
      lfb_stripes_add(&stripes, 1);
    added += BATCH;
  }
  if (status != LFB_OK) {
    lfb_bench_fail(state, "no memory");
  } else if (lfb_bench_thread(state) == 0) {
    /* All threads have left their loops, and have added equally often. */
    if (lfb_stripes_sum(&stripes) != added * lfb_bench_threads(state))
      lfb_bench_fail(state, "additions were lost");
    lfb_stripes_free(&stripes);
  }
}

static void register_for_all_threads(const char *name, lfb_bench_body body, const void *argument,
                                     uint64_t iterations)
{
  for (const unsigned *threads = lfb_bench_thread_counts; *threads > 0; threads++) {
    const lfb_bench_row row = {.name = name, .body = body, .argument = argument,
                               .threads = *threads, .iterations = iterations};
    lfb_bench_register(&row);
  }
}

void lfb_bench_register_limits(const lfb_bench_size *size)
{
  static limit_case cases[LIMITS * LFB_BENCH_SIZES];
  static limit_case *next = cases;

  for (size_t l = 0; l < LIMITS; l++) {
    char name[128];
    if (limits[l].pairs && !lfb_pair_runs_here())
      continue;
    *next = (limit_case){&limits[l], size->bytes};
    (void)snprintf(name, sizeof name, "limit/%s/%s", limits[l].name, size->name);
    register_for_all_threads(name, limit_body, next++, 0);
  }
}

void lfb_bench_register_counter(void)
{
  register_for_all_threads("counter/stripes_add", stripes_body, NULL, ADDITIONS);
}
