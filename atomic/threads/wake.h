/*
 * wake.h - a condition that is waited for by a clock that nobody sets.
 */
#ifndef LFB_ATOMIC_WAKE_H
#define LFB_ATOMIC_WAKE_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

/* Makes one whose timed waits go by CLOCK_MONOTONIC; false where there is no memory.  For
 * pthread_cond_destroy(). */
static inline bool lfb_wake_init(pthread_cond_t *wake)
{
  pthread_condattr_t by_clock;

  if (pthread_condattr_init(&by_clock) != 0)
    return false;
  const bool made = pthread_condattr_setclock(&by_clock, CLOCK_MONOTONIC) == 0 &&
                    pthread_cond_init(wake, &by_clock) == 0;
  (void)pthread_condattr_destroy(&by_clock);
  return made;
}

#endif
