/* window_clock.c - a thread that advances a window by the monotonic clock (lfbloom/window.h). */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <time.h>

#include "atomic/threads/wake.h"
#include "bloom/kinds/window.h"

#define CLOCK_SECOND 1000000000 /* ns */
#define CLOCK_LEAST_SPAN 0.001
#define CLOCK_MOST_SPAN 1e9

struct lfb_window_clock {
  lfb_window *window;
  pthread_mutex_t lock; /* guards `stopping` */
  pthread_cond_t wake;
  pthread_t thread;
  uint64_t length; /* of a generation in ns */
  bool stopping;
};

/* Waits for the length of a generation, from now on.  Returns false if the thread is to stop.  The
 * caller holds the lock. */
static bool clock_wait(lfb_window_clock *clock)
{
  struct timespec until;

  (void)clock_gettime(CLOCK_MONOTONIC, &until);
  const uint64_t ns = (uint64_t)until.tv_nsec + clock->length;
  until.tv_sec += (time_t)(ns / CLOCK_SECOND);
  until.tv_nsec = (long)(ns % CLOCK_SECOND);
  while (!clock->stopping &&
         pthread_cond_timedwait(&clock->wake, &clock->lock, &until) == 0)
    ;
  return !clock->stopping;
}

/* The length of a generation counts from its beginning or later, so that none is too short. */
static void *clock_run(void *argument)
{
  lfb_window_clock *clock = argument;

  (void)pthread_mutex_lock(&clock->lock);
  while (clock_wait(clock)) {
    (void)pthread_mutex_unlock(&clock->lock);
    /* If it is refused, the generation lasts longer. */
    (void)lfb_window_advance(clock->window, lfb_window_generation(clock->window));
    (void)pthread_mutex_lock(&clock->lock);
  }
  (void)pthread_mutex_unlock(&clock->lock);
  return NULL;
}

static void clock_free(lfb_window_clock *clock)
{
  (void)pthread_cond_destroy(&clock->wake);
  (void)pthread_mutex_destroy(&clock->lock);
  free(clock);
}

lfb_status lfb_window_start_clock(lfb_window *window, double span)
{
  if (!(span >= CLOCK_LEAST_SPAN && span <= CLOCK_MOST_SPAN)) /* also if it is NaN */
    return LFB_ERROR_BAD_SPAN;
  lfb_window_clock *clock = calloc(1, sizeof *clock);
  if (clock == NULL || !lfb_wake_init(&clock->wake)) {
    free(clock);
    return LFB_ERROR_NO_MEMORY;
  }
  (void)pthread_mutex_init(&clock->lock, NULL); /* never fails with default attributes */
  clock->window = window;
  clock->length = (uint64_t)(span / window->config.generations * CLOCK_SECOND) + 1;
  lfb_window_stop_clock(window);
  if (pthread_create(&clock->thread, NULL, clock_run, clock) != 0) {
    clock_free(clock);
    return LFB_ERROR_NO_THREAD;
  }
  window->clock = clock;
  return LFB_OK;
}

void lfb_window_stop_clock(lfb_window *window)
{
  lfb_window_clock *clock = window->clock;

  if (clock == NULL)
    return;
  (void)pthread_mutex_lock(&clock->lock);
  clock->stopping = true;
  (void)pthread_cond_signal(&clock->wake);
  (void)pthread_mutex_unlock(&clock->lock);
  (void)pthread_join(clock->thread, NULL);
  clock_free(clock);
  window->clock = NULL;
}
