/*
 * canary.c - accesses beside the library's that ThreadSanitizer must report: for each kind of word
 * that threads share, and each kind of access.
 *
 *     canary KIND MODE     a thread uses the words, then, unordered, the library does:
 *       read     plain loads; the library changes them
 *       write    plain stores; the library changes them
 *       beneath  plain stores; the library reads them
 *       right    by the library; the library changes and reads them: nothing to report
 *     canary               prints KIND and MODE of each row
 *
 * If one is not reported, no report proves nothing for that kind.  One thread is done before the
 * other begins, and nothing but relaxed accesses tells it so: the sanitizer sees each race each
 * time.
 */
#define _DEFAULT_SOURCE /* sched_yield */
#include <lfbloom/versions.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bloom/counting/counting.h"
#include "bloom/window/window.h"

enum { KEYS = 100, KEY = 7 };

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

static void filter_make(double fpp, lfb_strategy_id strategy)
{
  const lfb_config config = {.expected_insertions = KEYS, .fpp = fpp, .strategy = strategy};
  expect(lfb_filter_create(&config, &filter) == LFB_OK);
  words_are(filter->pages.address, filter->pages.size);
}

static void word_make(void)
{
  filter_make(0.001, LFB_FAST);
}

static void pair_make(void)
{
  filter_make(0.01, LFB_FAST_PAIR);
}

static void filter_change(void)
{
  expect(lfb_filter_put_u64(filter, KEY + (uint64_t)lfb_filter_might_contain_u64(filter, KEY)));
}

static void filter_look(void)
{
  (void)lfb_filter_might_contain_u64(filter, KEY);
}

static void stripe_make(void)
{
  word_make();
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
  word_make();
  cells_are(&filter->claims);
}

static void cell_128_make(void)
{
  filter_make(0.01, LFB_GUAVA_MITZ64);
  cells_are(&filter->claims);
}

static void cell_change(void)
{
  expect(lfb_filter_claim_u64(filter, KEY) || lfb_filter_claim_u64(filter, KEY + 1));
}

static void window_make(void)
{
  const lfb_window_config config = {.expected_insertions = KEYS, .fpp = 0.01};
  expect(lfb_window_create(&config, &window) == LFB_OK);
  words_are(window->pages.address, window->pages.size);
}

static void window_change(void)
{
  expect(lfb_window_put_u64(window, KEY) || lfb_window_put_u64(window, KEY + 1));
}

static void window_look(void)
{
  (void)lfb_window_might_contain_u64(window, KEY);
}

static void window_cell_make(void)
{
  window_make();
  cells_are(&window->claims);
}

static void window_cell_change(void)
{
  expect(lfb_window_claim_u64(window, KEY) || lfb_window_claim_u64(window, KEY + 1));
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
  const lfb_config config = {.expected_insertions = KEYS, .fpp = 0.01};
  expect(lfb_counting_create(&config, &counting) == LFB_OK);
  words_are(counting->pages.address, counting->pages.size);
}

static void counter_change(void)
{
  (void)lfb_counting_put_u64(counting, KEY);
}

static void counter_look(void)
{
  (void)lfb_counting_might_contain_u64(counting, KEY);
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
  (void)lfb_versions_might_contain_u64(versions, KEY);
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

typedef struct kind {
  const char *name;
  void (*make)(void);
  void (*change)(void);
  void (*look)(void); /* NULL: only a change reads them */
} kind;

static const kind kinds[] = {
    {"word", word_make, filter_change, filter_look},
    {"pair", pair_make, filter_change, filter_look},
    {"stripe", stripe_make, stripe_change, stripe_look},
    {"stripe-shared", stripe_make, stripe_shared_change, stripe_look},
    {"cell", cell_make, cell_change, NULL},
    {"cell-128", cell_128_make, cell_change, NULL},
    {"window", window_make, window_change, window_look},
    {"window-cell", window_cell_make, window_cell_change, NULL},
    {"generation", generation_make, generation_change, window_look},
    {"counter", counter_make, counter_change, counter_look},
    {"versions", versions_make, versions_change, versions_look},
    {"version", version_make, versions_change, versions_look},
};

static const char *const modes[] = {"read", "write", "beneath", "right"};

enum { KINDS = sizeof kinds / sizeof *kinds, MODES = sizeof modes / sizeof *modes };

static const kind *chosen;
static bool writes, looks_only, right;
static _Atomic(bool) used;

/* The thread that uses the library. */
static void *of_library(void *unused)
{
  /* relaxed, also below: it must add no order, or the sanitizer would miss the race. */
  while (!atomic_load_explicit(&used, memory_order_relaxed))
    sched_yield();
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

int main(int argc, char **argv)
{
  for (size_t i = 0; i < KINDS; i++)
    for (size_t j = 0; j < MODES; j++)
      if (argc == 1 && (j != 2 || kinds[i].look != NULL))
        printf("%s %s\n", kinds[i].name, modes[j]);
  if (argc != 3)
    return argc == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
  for (size_t i = 0; i < KINDS; i++)
    if (strcmp(argv[1], kinds[i].name) == 0)
      chosen = &kinds[i];
  expect(chosen != NULL);
  writes = strcmp(argv[2], "read") != 0;
  looks_only = strcmp(argv[2], "beneath") == 0;
  right = strcmp(argv[2], "right") == 0;
  run();
  return EXIT_SUCCESS;
}
