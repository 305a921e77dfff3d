/* stats.c - counts the bits of a filter that are set, and writes its figures. */
#define _DEFAULT_SOURCE /* CLOCK_MONOTONIC */
#include "bloom/filter/figures.h"

#include <time.h>

#include "bloom/filter/digest.h"

/* Nanoseconds of the monotonic clock, which may or may not stop while the host sleeps; never 0. */
static uint64_t stats_now(void)
{
  struct timespec now = {0};

  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return 1 + (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* If vectors cannot read the words as they are, it counts copies of some at a time. */
uint64_t lfb_filter_recount(const lfb_bit_array *bits)
{
  enum { PIECE = 512 }; /* words; stays in the first-level cache */
  uint64_t copy[PIECE], set = 0;

/* A vector load reads each 64-bit lane whole, also during puts, unknown to ThreadSanitizer. */
#if defined LFB_SIMD_X86 && !defined LFB_THREAD_SANITIZER
  if (bits->words != NULL)
    return lfb_digest_bits((const uint64_t *)(const void *)bits->words, (size_t)bits->word_count);
#endif
  for (uint64_t first = 0; first < bits->word_count; first += PIECE) {
    const uint64_t left = bits->word_count - first;
    const size_t count = left < PIECE ? (size_t)left : (size_t)PIECE;
    lfb_bit_array_snapshot(bits, first, copy, count);
    set += lfb_digest_bits(copy, count);
  }
  return set;
}

/* Counts the words of a shared filter, and keeps the result for stats_bits_recent(). */
static uint64_t stats_count_shared(const lfb_filter *filter)
{
  lfb_counted *kept = (lfb_counted *)&filter->counted; /* a cache, not a part of the value */
  const uint64_t start = stats_now();
  const uint64_t words_say = lfb_filter_recount(&filter->layout.bits);
  const uint64_t most = filter->description.geometry.bit_count;
  const uint64_t bits_set = words_say < most ? words_say : most; /* a file may have any bits */

  /* relaxed, both: the release below orders them. */
  atomic_store_explicit(&kept->bits_set, bits_set, memory_order_relaxed);
  atomic_store_explicit(&kept->took, stats_now() - start, memory_order_relaxed);
  /* release: pairs with the acquire in stats_bits_recent(): a thread that reads this time
   * reads a count that is as new, or newer. */
  atomic_store_explicit(&kept->at, start, memory_order_release);
  return bits_set;
}

uint64_t lfb_filter_bits_set(const lfb_filter *filter)
{
  return filter->shared ? stats_count_shared(filter) : lfb_bit_array_count(&filter->layout.bits);
}

/* The same, but a shared filter is counted again only if the last count is older than 100 times
 * its duration.  `*age` receives the age of the count in seconds. */
static uint64_t stats_bits_recent(const lfb_filter *filter, double *age)
{
  enum { PATIENCE = 100 }; /* times the duration of a count: at most 1 % of a processor */
  const lfb_counted *kept = &filter->counted;
  /* acquire: pairs with the release in stats_count_shared(). */
  const uint64_t at = atomic_load_explicit(&kept->at, memory_order_acquire);
  /* relaxed, also for bits_set below: the acquire above orders them. */
  const uint64_t took = atomic_load_explicit(&kept->took, memory_order_relaxed);
  const uint64_t passed = filter->shared ? stats_now() - at : 0;

  if (!filter->shared || at == 0 || passed / PATIENCE >= took) {
    *age = 0;
    return lfb_filter_bits_set(filter);
  }
  *age = (double)passed / 1e9;
  return atomic_load_explicit(&kept->bits_set, memory_order_relaxed);
}

void lfb_filter_stats(const lfb_filter *filter, lfb_stats *stats)
{
  const uint64_t full_words = lfb_filter_full_words(filter); /* first: see there */

  lfb_stats_fill(&filter->description, lfb_filter_bits_set(filter), full_words, stats);
}

void lfb_filter_stats_recent(const lfb_filter *filter, lfb_stats *stats)
{
  double age;
  const uint64_t full_words = lfb_filter_full_words(filter); /* first: see there */
  const uint64_t bits_set = stats_bits_recent(filter, &age);

  lfb_stats_fill(&filter->description, bits_set, full_words, stats);
  stats->bits_set_age = age;
}

lfb_status lfb_config_plan(const lfb_config *config, lfb_stats *stats)
{
  lfb_description description;
  const lfb_status status = lfb_description_make_any(config, &description);

  if (status == LFB_OK)
    lfb_stats_plan(&description, stats);
  return status;
}

lfb_status lfb_config_fpp_after(const lfb_config *config, uint64_t insertions, double *fpp)
{
  lfb_description description;
  const lfb_status status = lfb_description_make_any(config, &description);

  if (status == LFB_OK)
    *fpp = lfb_strategy_fpp_after(description.strategy, &description.geometry, (double)insertions);
  return status;
}
