/* stats.c - counts the bits of a filter that are set, and writes its figures. */
#include "bloom/filter/digest.h"
#include "bloom/filter/figures.h"

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

uint64_t lfb_filter_bits_set(const lfb_filter *filter)
{
  if (!filter->shared)
    return lfb_bit_array_count(&filter->layout.bits);
  const uint64_t words_say = lfb_filter_recount(&filter->layout.bits);
  const uint64_t most = filter->description.geometry.bit_count;
  return words_say < most ? words_say : most; /* a file may have any bits */
}

void lfb_filter_stats(const lfb_filter *filter, lfb_stats *stats)
{
  const uint64_t full_words = lfb_filter_full_words(filter); /* first: see there */

  lfb_stats_fill(&filter->description, lfb_filter_bits_set(filter), full_words, stats);
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
