/*
 * lags.h - a histogram of durations in a few hundred buckets, and its percentiles.
 *
 * A bucket is an eighth of a power of two wide: a percentile is at most 12.5 % above the true
 * value, and never below it.
 *
 * Ordering   relaxed: the counts order nothing.
 * Progress   adding is wait-free; reading takes as many steps as there are buckets.
 * Threads    any calls, concurrently; a percentile covers all that was added before the call, and
 *            some of what is added during it.
 */
#ifndef LFB_REDIS_LAGS_H
#define LFB_REDIS_LAGS_H

#include <lfbloom/c11.h>
#include <lfbloom/status.h>

LFB_EXTERN_C_BEGIN

enum {
  LFB_LAGS_EIGHTHS = 8,
  LFB_LAGS_BUCKETS = LFB_LAGS_EIGHTHS * (64 - 2), /* the first 8 are one number wide */
};

/* A histogram; all zero is an empty one. */
typedef struct lfb_lags {
  LFB_ATOMIC(uint64_t) counts[LFB_LAGS_BUCKETS];
  LFB_ATOMIC(uint64_t) most; /* the largest that was added */
} lfb_lags;

/* Returns the time in microseconds since some fixed moment; it never goes back. */
uint64_t lfb_lags_now(void);

/* Adds `count` events that took `microseconds` each. */
void lfb_lags_add(lfb_lags *lags, uint64_t microseconds, uint64_t count);

/* Returns the duration in microseconds that `percent` of all events, 0 to 100, did not exceed; 0
 * if nothing was added. */
uint64_t lfb_lags_percentile(const lfb_lags *lags, unsigned percent);

/* Returns the largest duration; 0 if nothing was added. */
uint64_t lfb_lags_most(const lfb_lags *lags);

LFB_EXTERN_C_END

#endif
