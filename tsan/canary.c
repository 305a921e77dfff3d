/*
 * canary.c - accesses beside the library's that ThreadSanitizer must report: for each kind of word
 * that threads share, each kind of access, and each kernel of filters, tags and windows.
 *
 *     canary KIND MODE LEVEL  a thread uses the words, then, unordered, the library does:
 *       read     plain loads; the library changes them
 *       write    plain stores; the library changes them
 *       beneath  plain stores; the library reads them
 *       right    by the library; the library changes and reads them: nothing to report
 *     canary                  prints KIND, MODE and LEVEL of each row
 *
 * LEVEL is a value of LFBLOOM_SIMD: one that this processor has, or "any" if no vector reads the
 * words.
 *
 * If one is not reported, no report proves nothing for that kind.  One thread is done before the
 * other begins, and nothing but relaxed accesses tells it so: the sanitizer sees each race each
 * time.
 */
#define _DEFAULT_SOURCE /* sched_yield, setenv */
#include <lfbloom/versions.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bloom/counting/counting.h"
#include "bloom/hashing/simd.h"
#include "bloom/window/window.h"

enum { KEYS = 100, MANY = 8 };

typedef struct kind {
  const char *name;
  void (*make)(void);
  void (*change)(void);
  void (*look)(void); /* NULL: only a change reads them */
  lfb_strategy_id strategy;
  double fpp;
  uint32_t words; /* of a key, if each level has a kernel of its own; else 0 */
} kind;

static const kind *chosen;
static _Thread_local uint64_t key = 7; /* the first of the thread's MANY keys */

static lfb_filter *filter;
static lfb_window *window;
static lfb_counting *counting;
static lfb_versions *versions;

/* The words of the present kind. */
static volatile uint64_t *words;
static size_t word_count;

static void expect(bool holds)
{
  if (!holds)
    abort();
}

static void words_are(const void *address, size_t bytes)
{
  words = (volatile uint64_t *)(uintptr_t)address;
  word_count = bytes / sizeof *words;
}

/* ---- the kinds: makes an object, changes it, looks ------------------------------------ */

static void filter_make(void)
{
  const lfb_config config = {
      .expected_insertions = KEYS, .fpp = chosen->fpp, .strategy = chosen->strategy};
  expect(lfb_filter_create(&config, &filter) == LFB_OK);
  expect(chosen->words == 0 || chosen->words == filter->description.geometry.words_per_key);
  words_are(filter->pages.address, filter->pages.size);
}

static void filter_change(void)
{
  expect(lfb_filter_put_u64(filter, key));
}

static void filter_look(void)
{
  (void)lfb_filter_might_contain_u64(filter, key);
}

/* Puts, queries or removes MANY keys in one call, by the kernel's other functions. */
static size_t many(lfb_verb verb)
{
  const lfb_any any = filter != NULL   ? (lfb_any){LFB_KIND_PLAIN, {filter}}
                      : window != NULL ? (lfb_any){LFB_KIND_WINDOW, {window}}
                                       : (lfb_any){LFB_KIND_COUNTING, {.counting = counting}};
  uint64_t keys[MANY];

  for (uint64_t i = 0; i < MANY; i++)
    keys[i] = key + i;
  return lfb_any_many_u64(any, verb, keys, MANY, NULL);
}

static void many_change(void)
{
  expect(many(LFB_PUT) > 0);
}

static void many_remove(void)
{
  expect(many(LFB_REMOVE) == MANY);
}

static void many_look(void)
{
  (void)many(LFB_MIGHT_CONTAIN);
}

static void stripe_make(void)
{
  filter_make();
  const lfb_stripes *count = &filter->layout.bits.count;
  words_are(count->stripes, (count->owned + count->shared) * sizeof(lfb_stripe));
}

static void stripe_change(void)
{
  lfb_stripes_add(&filter->layout.bits.count, 1);
}

static void stripe_shared_change(void)
{
  (void)lfb_stripes_add_shared(&filter->layout.bits.count, 1);
}

static void stripe_look(void)
{
  (void)lfb_bit_array_count(&filter->layout.bits);
}

static void cells_are(const lfb_claims *claims)
{
  words_are(claims->cells, LFB_CLAIM_CELLS * sizeof(lfb_cell));
}

static void cell_make(void)
{
  filter_make();
  cells_are(&filter->claims);
}

static void cell_change(void)
{
  expect(lfb_filter_claim_u64(filter, key));
}

static void window_make(void)
{
  const lfb_window_config config = {.expected_insertions = KEYS, .fpp = chosen->fpp};
  expect(lfb_window_create(&config, &window) == LFB_OK);
  expect(chosen->words == 0 || chosen->words == LFB_PAIR_WORDS * window->view.pairs);
  words_are(window->pages.address, window->pages.size);
}

static void window_change(void)
{
  expect(lfb_window_put_u64(window, key));
}

static void window_look(void)
{
  (void)lfb_window_might_contain_u64(window, key);
}

static void window_cell_make(void)
{
  window_make();
  cells_are(&window->claims);
}

static void window_cell_change(void)
{
  expect(lfb_window_claim_u64(window, key));
}

static void generation_make(void)
{
  window_make();
  words_are(&window->head->generation, sizeof window->head->generation);
}

static void generation_change(void)
{
  expect(lfb_window_advance(window, lfb_window_generation(window)) == LFB_OK);
}

static void counter_make(void)
{
  const lfb_config config = {
      .expected_insertions = KEYS, .fpp = chosen->fpp, .strategy = chosen->strategy};
  expect(lfb_counting_create(&config, &counting) == LFB_OK);
  words_are(counting->pages.address, counting->pages.size);
}

static void counter_change(void)
{
  expect(lfb_counting_put_u64(counting, key));
}

/* With the keys that both threads remove. */
static void removal_make(void)
{
  counter_make();
  for (uint64_t i = 0; i < 2 * (uint64_t)MANY; i++)
    expect(lfb_counting_put_u64(counting, key + i));
}

static void removal_change(void)
{
  expect(lfb_counting_remove_u64(counting, key));
}

static void counter_look(void)
{
  (void)lfb_counting_might_contain_u64(counting, key);
}

static void versions_change(void)
{
  const lfb_config config = {.expected_insertions = KEYS, .fpp = 0.01};
  lfb_filter *building;
  expect(lfb_versions_begin_rebuild(versions, &config, &building) == LFB_OK);
  expect(lfb_versions_publish(versions, LFB_DROP_PREVIOUS, NULL) == LFB_OK);
}

static void versions_look(void)
{
  (void)lfb_versions_might_contain_u64(versions, key);
}

/* The pointer to the published version: the first member of a struct of versions.c. */
static void versions_make(void)
{
  const lfb_config config = {.expected_insertions = KEYS, .fpp = 0.01};
  expect(lfb_versions_create(&config, &versions) == LFB_OK);
  words_are(versions, sizeof(void *));
}

/* A version that a thread uses after it has left it; to publish the next one frees it. */
static void version_make(void)
{
  versions_make();
  words_are(lfb_versions_enter(versions, NULL), LFB_CACHE_LINE);
  lfb_versions_leave(versions);
}

/* ---- the rows -------------------------------------------------------------------------- */

#define TAGS_ROWS(bits, fpp)                                                               \
  {"tags-" bits, counter_make, counter_change, counter_look, LFB_TAGS, fpp, 16},           \
      {"tags-" bits "-many", counter_make, many_change, many_look, LFB_TAGS, fpp, 16},     \
      {"tags-" bits "-removal", removal_make, removal_change, NULL, LFB_TAGS, fpp, 16},    \
      {"tags-" bits "-removal-many", removal_make, many_remove, NULL, LFB_TAGS, fpp, 16}

static const kind kinds[] = {
    {"word", filter_make, filter_change, filter_look, LFB_GUAVA_MITZ64, 0.01, 0},
    {"1p", filter_make, filter_change, filter_look, LFB_FAST, 0.01, 2},
    {"1p-many", filter_make, many_change, many_look, LFB_FAST, 0.01, 2},
    {"2p", filter_make, filter_change, filter_look, LFB_FAST, 0.001, 4},
    {"2p-many", filter_make, many_change, many_look, LFB_FAST, 0.001, 4},
    {"4p", filter_make, filter_change, filter_look, LFB_FAST, 1e-6, 8},
    {"4p-many", filter_make, many_change, many_look, LFB_FAST, 1e-6, 8},
    {"sbbf", filter_make, filter_change, filter_look, LFB_SBBF, 0.01, 4},
    {"sbbf-many", filter_make, many_change, many_look, LFB_SBBF, 0.01, 4},
    {"window-1p", window_make, window_change, window_look, LFB_DEFAULT, 0.01, 2},
    {"window-1p-many", window_make, many_change, many_look, LFB_DEFAULT, 0.01, 2},
    {"window-2p", window_make, window_change, window_look, LFB_DEFAULT, 1e-4, 4},
    {"window-2p-many", window_make, many_change, many_look, LFB_DEFAULT, 1e-4, 4},
    {"window-4p", window_make, window_change, window_look, LFB_DEFAULT, 1e-6, 8},
    {"window-4p-many", window_make, many_change, many_look, LFB_DEFAULT, 1e-6, 8},
    {"stripe", stripe_make, stripe_change, stripe_look, LFB_DEFAULT, 0.01, 0},
    {"stripe-shared", stripe_make, stripe_shared_change, stripe_look, LFB_DEFAULT, 0.01, 0},
    {"cell", cell_make, cell_change, NULL, LFB_FAST, 0.001, 0},
    {"cell-128", cell_make, cell_change, NULL, LFB_GUAVA_MITZ64, 0.01, 0},
    {"window-cell", window_cell_make, window_cell_change, NULL, LFB_DEFAULT, 0.01, 0},
    {"generation", generation_make, generation_change, window_look, LFB_DEFAULT, 0.01, 0},
    {"counter", counter_make, counter_change, counter_look, LFB_FAST, 0.01, 0},
    TAGS_ROWS("16", 0.01),
    TAGS_ROWS("21", 1e-4),
    TAGS_ROWS("32", 1e-6),
    {"versions", versions_make, versions_change, versions_look, LFB_DEFAULT, 0.01, 0},
    {"version", version_make, versions_change, versions_look, LFB_DEFAULT, 0.01, 0},
};

static const char *const modes[] = {"read", "write", "beneath", "right"};

static const struct {
  const char *name;
  lfb_simd simd;
} levels[] = {{"none", LFB_SIMD_NONE}, {"avx2", LFB_SIMD_AVX2}, {"avx512", LFB_SIMD_AVX512}};

enum {
  KINDS = sizeof kinds / sizeof *kinds,
  MODES = sizeof modes / sizeof *modes,
  LEVELS = sizeof levels / sizeof *levels,
};

static bool writes, looks_only, right;
static _Atomic(bool) used;

/* The thread that uses the library. */
static void *of_library(void *unused)
{
  /* relaxed, also below: it must add no order, or the sanitizer would miss the race. */
  while (!atomic_load_explicit(&used, memory_order_relaxed))
    sched_yield();
  key += MANY;
  if (!looks_only)
    chosen->change();
  if (chosen->look != NULL && (looks_only || right))
    chosen->look();
  return unused;
}

static void use(void)
{
  if (chosen->look != NULL)
    chosen->look(); /* in the versions' rows: as a thread that then has left a version */
  if (right)
    chosen->change();
  for (size_t i = 0; !right && i < word_count; i++) {
    const uint64_t seen = words[i];
    if (writes)
      words[i] = seen;
  }
}

static void run(void)
{
  pthread_t thread;

  chosen->make();
  expect(pthread_create(&thread, NULL, of_library, NULL) == 0);
  use();
  atomic_store_explicit(&used, true, memory_order_relaxed);
  pthread_join(thread, NULL);
  lfb_filter_free(filter);
  lfb_window_free(window);
  lfb_counting_free(counting);
  lfb_versions_free(versions);
  puts("ended without a report");
}

/* Prints the rows that this processor can run, and which levels it lacks. */
static void list(void)
{
  const lfb_simd best = lfb_simd_best();

  for (size_t i = 0; i < (size_t)KINDS * MODES * LEVELS; i++) {
    const kind *row = &kinds[i / MODES / LEVELS];
    const size_t mode = i / LEVELS % MODES, level = i % LEVELS;
    if (levels[level].simd <= (row->strategy == LFB_TAGS ? LFB_SIMD_AVX2 : best) &&
        levels[level].simd <= best && (row->words != 0 || level == 0) &&
        (row->look != NULL || strcmp(modes[mode], "beneath") != 0))
      printf("%s %s %s\n", row->name, modes[mode], row->words == 0 ? "any" : levels[level].name);
  }
  for (size_t i = 0; i < LEVELS; i++)
    if (levels[i].simd > best)
      printf("NOT ON THIS MACHINE: %s\n", levels[i].name);
}

int main(int argc, char **argv)
{
  if (argc == 1)
    list();
  if (argc != 4)
    return argc == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
  for (size_t i = 0; i < KINDS; i++)
    if (strcmp(argv[1], kinds[i].name) == 0)
      chosen = &kinds[i];
  expect(chosen != NULL && setenv("LFBLOOM_SIMD", argv[3], 1) == 0);
  writes = strcmp(argv[2], "read") != 0;
  looks_only = strcmp(argv[2], "beneath") == 0;
  right = strcmp(argv[2], "right") == 0;
  run();
  return EXIT_SUCCESS;
}
