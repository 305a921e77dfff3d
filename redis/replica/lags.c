/* lags.c - buckets an eighth of a power of two wide. */
#define _POSIX_C_SOURCE 200809L
#include "redis/replica/lags.h"

#include <time.h>

enum { LAGS_SHIFT = 3 }; /* log2 of the buckets in a power of two */

uint64_t lfb_lags_now(void)
{
  struct timespec now;

  (void)clock_gettime(CLOCK_MONOTONIC, &now); /* always available on Linux */
  return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* The bucket of a number: its highest set bit, and the three bits below that. */
static uint32_t lags_bucket(uint64_t number)
{
  if (number < LFB_LAGS_EIGHTHS)
    return (uint32_t)number;
  const uint32_t high = 63 - (uint32_t)__builtin_clzll(number);
  const uint32_t eighth = (uint32_t)(number >> (high - LAGS_SHIFT)) % LFB_LAGS_EIGHTHS;
  return LFB_LAGS_EIGHTHS * (high - LAGS_SHIFT + 1) + eighth;
}

/* The largest number of a bucket. */
static uint64_t lags_top(uint32_t bucket)
{
  if (bucket < LFB_LAGS_EIGHTHS)
    return bucket;
  const uint32_t shift = bucket / LFB_LAGS_EIGHTHS - 1;
  const uint64_t first = LFB_LAGS_EIGHTHS + bucket % LFB_LAGS_EIGHTHS;
  return (first << shift) + ((UINT64_C(1) << shift) - 1);
}

/* relaxed, here and below: lags.h, Ordering. */
static uint64_t lags_load(const LFB_ATOMIC(uint64_t) *number)
{
  return atomic_load_explicit(number, memory_order_relaxed);
}

void lfb_lags_add(lfb_lags *lags, uint64_t microseconds, uint64_t count)
{
  uint64_t most = lags_load(&lags->most);

  (void)lfb_add_u64(&lags->counts[lags_bucket(microseconds)], count, memory_order_relaxed);
  /* Retries only because another thread raised the maximum. */
  while (most < microseconds &&
         !lfb_cas_u64(&lags->most, &most, microseconds, memory_order_relaxed)) {
  }
}

uint64_t lfb_lags_most(const lfb_lags *lags)
{
  return lags_load(&lags->most);
}

uint64_t lfb_lags_percentile(const lfb_lags *lags, unsigned percent)
{
  uint64_t total = 0, below = 0;

  for (uint32_t i = 0; i < LFB_LAGS_BUCKETS; i++)
    total += lags_load(&lags->counts[i]);
  if (total == 0)
    return 0;
  for (uint32_t i = 0; i < LFB_LAGS_BUCKETS; i++) {
    const uint64_t top = lags_top(i), most = lfb_lags_most(lags);
    below += lags_load(&lags->counts[i]);
    if ((double)below >= (double)total * percent / 100)
      return top < most ? top : most;
  }
  return lfb_lags_most(lags);
}
