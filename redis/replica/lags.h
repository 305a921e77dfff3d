/*
 * lags.h - how long things took, as counts in a few hundred buckets, and percentiles of them.
 *
 * A bucket is an eighth of a power of two wide: what a percentile says is at most 12.5 % above
 * the truth, and never below it.
 *
 * Ordering   relaxed: counts order nothing.
 * Progress   adding is wait-free, reading takes as many steps as there are buckets.
 * Threads    any, at once; a percentile is of what was added before, and some of the rest.
 */
#ifndef LFB_REDIS_LAGS_H
#define LFB_REDIS_LAGS_H

#include <lfbloom/c11.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LFB_LAGS_EIGHTHS = 8,
  LFB_LAGS_BUCKETS = LFB_LAGS_EIGHTHS * (64 - 2), /* the first 8 are one number wide */
};

/* All zero is an empty one. */
typedef struct lfb_lags {
  LFB_ATOMIC(uint64_t) counts[LFB_LAGS_BUCKETS];
  LFB_ATOMIC(uint64_t) most; /* the largest that was added */
} lfb_lags;

/* Microseconds that have passed since some moment; never set back. */
uint64_t lfb_lags_now(void);

/* Adds `count` that took so many microseconds each. */
void lfb_lags_add(lfb_lags *lags, uint64_t microseconds, uint64_t count);

/* What `percent` of all, 0 to 100, took at most, in microseconds; 0 where there are none. */
uint64_t lfb_lags_percentile(const lfb_lags *lags, unsigned percent);

/* The largest; 0 where there are none. */
uint64_t lfb_lags_most(const lfb_lags *lags);

#ifdef __cplusplus
}
#endif

#endif
