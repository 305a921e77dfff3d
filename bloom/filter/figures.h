/*
 * figures.h - the figures that follow from a filter's description and the number of bits set.
 */
#ifndef LFB_BLOOM_FIGURES_H
#define LFB_BLOOM_FIGURES_H

#include "bloom/filter/description.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The figures of a filter of this description: empty, and with `bits_set` bits set, some of them
 * because damage, not keys, made `full_words` words all ones. */
void lfb_stats_plan(const lfb_description *description, lfb_stats *stats);
void lfb_stats_fill(const lfb_description *description, uint64_t bits_set,
                            uint64_t full_words, lfb_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
