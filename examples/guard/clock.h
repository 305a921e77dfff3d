/*
 * clock.h - the system's clocks as one number.
 *
 * Define _POSIX_C_SOURCE before you include it.
 */
#ifndef GUARD_CLOCK_H
#define GUARD_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Returns nanoseconds: CLOCK_REALTIME counts from 1970, CLOCK_MONOTONIC from some fixed moment. */
static inline uint64_t clock_ns(clockid_t clock)
{
  struct timespec now;

  (void)clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

#endif
