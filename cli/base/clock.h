/* clock.h - the monotonic clock, and a thread's. */
#ifndef CLI_BASE_CLOCK_H
#define CLI_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds since some time in the past.  Cannot fail for these clocks. */
static inline uint64_t clock_of(clockid_t clock)
{
  struct timespec now = {0};

  (void)clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_ns(void)
{
  return clock_of(CLOCK_MONOTONIC);
}

static inline double clock_seconds(uint64_t ns)
{
  return (double)ns / 1e9;
}

#endif
