/*
 * versions_canary.c - frees a version while readers use it, which ThreadSanitizer must report.
 *
 * Under the sanitizer this is linked with a library that frees a retired version at once;
 * otherwise with the correct library, and must end normally.  Readers are in a section before the
 * first swap.
 */
#include <lfbloom/versions.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { READERS = 2, SWAPS = 200, KEYS = 1000 };

static lfb_versions *versions;
static _Atomic(int) inside;
static _Atomic(bool) done;

static void *canary_read(void *unused)
{
  for (uint64_t key = 0; !atomic_load_explicit(&done, memory_order_relaxed); key++) {
    const lfb_filter *filter = lfb_versions_enter(versions, NULL);
    if (key == 0)
      atomic_fetch_add_explicit(&inside, 1, memory_order_relaxed);
    for (uint64_t i = 0; i < KEYS; i++)
      (void)lfb_filter_might_contain_u64(filter, key + i);
    lfb_versions_leave(versions);
  }
  return unused;
}

static bool canary_swap(const lfb_config *config)
{
  lfb_filter *building;

  return lfb_versions_begin_rebuild(versions, config, &building) == LFB_OK &&
         lfb_versions_publish(versions, LFB_DROP_PREVIOUS, NULL) == LFB_OK;
}

int main(void)
{
  const lfb_config config = {.expected_insertions = KEYS, .fpp = 0.01};
  pthread_t readers[READERS];
  bool swapped = true;

  if (lfb_versions_create(&config, &versions) != LFB_OK)
    return EXIT_FAILURE;
  for (int i = 0; i < READERS; i++)
    if (pthread_create(&readers[i], NULL, canary_read, NULL) != 0)
      return EXIT_FAILURE;
  /* relaxed, also above: they must add no order, or the sanitizer would miss the race. */
  while (atomic_load_explicit(&inside, memory_order_relaxed) < READERS)
    ;
  for (int i = 0; i < SWAPS && swapped; i++)
    swapped = canary_swap(&config);
  atomic_store_explicit(&done, true, memory_order_relaxed);
  for (int i = 0; i < READERS; i++)
    pthread_join(readers[i], NULL);
  lfb_versions_free(versions);
  puts("ended without a report");
  return swapped ? EXIT_SUCCESS : EXIT_FAILURE;
}
