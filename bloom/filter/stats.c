/* stats.c - counts the bits that are set, and derives a filter's figures from that. */
#define _DEFAULT_SOURCE /* CLOCK_MONOTONIC */
#include "bloom/filter/stats.h"

#include <math.h>
#include <time.h>

#include "bloom/filter/digest.h"

/* Nanoseconds of the monotonic clock, which may or may not stop while the host sleeps; never 0. */
static uint64_t stats_now(void)
{
  struct timespec now = {0};

  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return 1 + (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Counts the words of a file.  If vectors cannot read them as they are, copies of some at a time. */
static uint64_t stats_count_words(const lfb_bits *bits)
{
  enum { PIECE = 512 }; /* words; stays in the first-level cache */
  uint64_t copy[PIECE], set = 0;

#ifdef LFB_SIMD_X86 /* a vector load reads each 64-bit lane whole, also during puts */
  if (bits->words != NULL)
    return lfb_digest_bits((const uint64_t *)(const void *)bits->words, (size_t)bits->word_count);
#endif
  for (uint64_t first = 0; first < bits->word_count; first += PIECE) {
    const uint64_t left = bits->word_count - first;
    const size_t count = left < PIECE ? (size_t)left : (size_t)PIECE;
    lfb_bits_snapshot(bits, first, copy, count);
    set += lfb_digest_bits(copy, count);
  }
  return set;
}

/* Counts the words of a shared filter, and keeps the result for lfb_filter_bits_recent(). */
static uint64_t stats_count_shared(const lfb_filter *filter)
{
  lfb_counted *kept = (lfb_counted *)&filter->counted; /* a cache, not a part of the value */
  const uint64_t start = stats_now();
  const uint64_t words_say = stats_count_words(&filter->layout.bits);
  const uint64_t most = filter->description.geometry.bit_count;
  const uint64_t bits_set = words_say < most ? words_say : most; /* a file may have any bits */

  /* relaxed, both: the release below orders them. */
  atomic_store_explicit(&kept->bits_set, bits_set, memory_order_relaxed);
  atomic_store_explicit(&kept->took, stats_now() - start, memory_order_relaxed);
  /* release: pairs with the acquire in lfb_filter_bits_recent(): a thread that reads this time
   * reads a count that is as new, or newer. */
  atomic_store_explicit(&kept->at, start, memory_order_release);
  return bits_set;
}

uint64_t lfb_filter_bits_set(const lfb_filter *filter)
{
  return filter->shared ? stats_count_shared(filter) : lfb_stripes_sum(&filter->layout.count);
}

uint64_t lfb_filter_bits_recent(const lfb_filter *filter, double *age)
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

void lfb_stats_plan(const lfb_description *description, lfb_stats *stats)
{
  const lfb_geometry *geometry = &description->geometry;
  const uint64_t reach = description->strategy->reachable_bits;

  *stats = (lfb_stats){
      .strategy = description->strategy->id,
      .form = description->form,
      .expected_insertions = description->config.expected_insertions,
      .fpp = description->config.fpp,
      .bit_count = geometry->bit_count,
      .reachable_bits = geometry->bit_count < reach ? geometry->bit_count : reach,
      .probes = geometry->probes,
      .words_per_key = geometry->words_per_key,
      .hash = lfb_hash_id_of(&description->hash),
      .key_kept = lfb_description_writes_key(description),
      .seed = description->hash.seed,
      .bytes = geometry->word_count * sizeof(lfb_word),
      .written = description->written,
  };
}

/*
 * Writes the figures of a filter in which damage, not keys, made `full_words` words all ones.  An
 * absent key with its bits in these words is a false positive.  All other keys have their bits in
 * the remaining words, and the bits of these words give their fill.  The remaining words have a
 * proportional share of the keys that were put.
 */
static void stats_of_damaged(const lfb_description *description, uint64_t full_words,
                              lfb_stats *stats)
{
  const lfb_strategy *strategy = description->strategy;
  const lfb_rates *rates = strategy->rates;
  lfb_geometry rest = description->geometry;
  const double full = (double)full_words / (double)rest.word_count;
  const uint64_t bits_set = stats->bits_set - full_words * LFB_WORD_BITS;

  rest.word_count -= full_words;
  rest.bit_count -= full_words * LFB_WORD_BITS;
  /* round() rounds halves up; floor(x + 0.5) is wrong just below 0.5. */
  stats->approximate_count = (uint64_t)round(rates->count(strategy, &rest, bits_set) / (1 - full));
  stats->expected_fpp = full + (1 - full) * rates->fpp_now(strategy, &rest, bits_set);
}

void lfb_stats_fill(const lfb_description *description, uint64_t bits_set, uint64_t full_words,
                    lfb_stats *stats)
{
  /* If a key's bits can be anywhere, keys have bits in the full words, too: the fill of the whole is
   * what counts. */
  const uint64_t apart = description->geometry.words_per_key > 0 ? full_words : 0;
  /* Puts in progress may have turned on bits of full words and not counted them yet. */
  const uint64_t least = apart * LFB_WORD_BITS;

  lfb_stats_plan(description, stats);
  stats->bits_set = bits_set > least ? bits_set : least;
  stats->saturated = stats->bits_set >= stats->reachable_bits;
  if (stats->saturated) {
    stats->approximate_count = UINT64_MAX;
    stats->expected_fpp = description->strategy->rates->fpp_now(
        description->strategy, &description->geometry, stats->bits_set);
  } else {
    stats_of_damaged(description, apart, stats);
  }
}
