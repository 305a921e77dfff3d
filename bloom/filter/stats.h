/*
 * stats.h - how many bits are set, and what that says of a filter.
 */
#ifndef LFB_BLOOM_STATS_H
#define LFB_BLOOM_STATS_H

#include "bloom/filter/create.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The bits that are set: those that were counted, or of a shared filter those of its words. */
uint64_t lfb_filter_bits_set(const lfb_filter *filter);

/* The same as counted lately: a shared filter is counted again once the last count is older
 * than 100 times what it took.  `*age` receives how old the count is, in seconds. */
uint64_t lfb_filter_bits_recent(const lfb_filter *filter, double *age);

/* The figures of such a filter while it is empty, and with so many bits set. */
LFB_KIN void lfb_stats_plan(const lfb_description *description, lfb_stats *stats);
LFB_KIN void lfb_stats_fill(const lfb_description *description, uint64_t bits_set,
                            lfb_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
