/*
 * figures.h - the number of bits of a filter that are set, and the figures that follow from it and
 * the description.
 */
#ifndef LFB_BLOOM_FIGURES_H
#define LFB_BLOOM_FIGURES_H

#include "bloom/filter/filter.h"

LFB_EXTERN_C_BEGIN

/* The figures of a filter of this description: empty, and with `bits_set` bits set, some of them
 * because damage, not keys, made `full_words` words all ones. */
void lfb_stats_plan(const lfb_description *description, lfb_stats *stats);
void lfb_stats_fill(const lfb_description *description, uint64_t bits_set,
                            uint64_t full_words, lfb_stats *stats);

/* Returns how many bits are set: by the counter, or, if the filter is shared, by its words. */
uint64_t lfb_filter_bits_set(const lfb_filter *filter);

LFB_EXTERN_C_END

#endif
