/* stats.c - counts the bits of a filter that are set, and writes its figures. */
#include "bloom/filter/date.h"
#include "bloom/filter/digest.h"
#include "bloom/filter/figures.h"

uint64_t lfb_filter_recount(const lfb_bit_array *bits)
{
  const bool whole = bits->words != NULL;
  uint64_t set = whole ? lfb_digest_copy(NULL, bits->words, (size_t)bits->word_count) : 0;

  for (uint64_t i = 0; !whole && i < bits->word_count; i++)
    set += lfb_word_count(lfb_bit_array_read(bits, i));
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

void lfb_filter_date(lfb_filter *filter, uint64_t written)
{
  if (filter->description.written == 0)
    filter->description.written = written;
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
