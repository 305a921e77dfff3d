/*
 * wake.h - a condition variable with timed waits by a clock that is never set.
 */
#ifndef LFB_ATOMIC_WAKE_H
#define LFB_ATOMIC_WAKE_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

/* Makes a condition variable with timed waits by CLOCK_MONOTONIC, to be destroyed by
 * pthread_cond_destroy().  Returns false if there is no memory. */
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
