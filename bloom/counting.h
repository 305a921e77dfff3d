/*
 * counting.h - where the counters of a counting filter are: for benchmarks, which copy them.
 *
 * Floor 13.  May include: floors 0 to 12.
 */
#ifndef LFB_BLOOM_COUNTING_H
#define LFB_BLOOM_COUNTING_H

#include <lfbloom/counting.h>

#include "atomic/pages.h"

/* The words of its counters; the counting filter's own, and the same until it is freed. */
const lfb_pages *lfb_counting_pages(const lfb_counting *counting);

#endif
