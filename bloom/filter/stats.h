/*
 * stats.h - the number of bits of a filter that are set.
 */
#ifndef LFB_BLOOM_STATS_H
#define LFB_BLOOM_STATS_H

#include "bloom/filter/create.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns how many bits are set: by the counter, or, if the filter is shared, by its words. */
uint64_t lfb_filter_bits_set(const lfb_filter *filter);

/* The same, but a shared filter is counted again only if the last count is older than 100 times
 * its duration.  `*age` receives the age of the count in seconds. */
uint64_t lfb_filter_bits_recent(const lfb_filter *filter, double *age);

#ifdef __cplusplus
}
#endif

#endif
