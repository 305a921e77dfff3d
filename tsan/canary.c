/*
 * canary.c - a planted race that ThreadSanitizer must report.
 *
 * One thread puts into a filter, while another one writes a third of its words with
 * plain stores, as no code of the library does.  If this is not reported, a run of
 * the other tests without a report proves nothing.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "bloom/filter/filter.h"

enum { KEYS = 20000 };

static void *canary_put(void *filter)
{
  for (uint64_t key = 0; key < KEYS; key++)
    (void)lfb_filter_put_u64(filter, key);
  return NULL;
}

static void *canary_scribble(void *of)
{
  const lfb_filter *filter = of;
  uint64_t *words = filter->pages.address; /* the bug: not through atomic/words/bits.h */

  for (uint64_t i = 0; i < filter->layout.bits.word_count; i += 3)
    words[i] |= 1;
  return NULL;
}

int main(void)
{
  const lfb_config config = {.expected_insertions = KEYS, .fpp = 0.01};
  pthread_t putter, scribbler;
  lfb_filter *filter;

  if (lfb_filter_create(&config, &filter) != LFB_OK ||
      pthread_create(&putter, NULL, canary_put, filter) != 0 ||
      pthread_create(&scribbler, NULL, canary_scribble, filter) != 0)
    return EXIT_FAILURE;
  pthread_join(putter, NULL);
  pthread_join(scribbler, NULL);
  lfb_filter_free(filter);
  puts("ended without a report");
  return EXIT_SUCCESS;
}
