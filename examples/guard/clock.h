/*
 * clock.h - the system's clocks in one number.
 *
 * Whoever includes it defines _POSIX_C_SOURCE first.
 */
#ifndef GUARD_CLOCK_H
#define GUARD_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds: CLOCK_MONOTONIC's of some beginning, CLOCK_REALTIME's since 1970. */
static inline uint64_t clock_ns(clockid_t clock)
{
  struct timespec now;

  (void)clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

#endif
