/* window_clock.c - a thread that advances a window by the monotonic clock (lfbloom/window.h). */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "atomic/threads/wake.h"
#include "bloom/kinds/window.h"

#define CLOCK_SECOND 1000000000 /* ns */
#define CLOCK_LEAST_SPAN 0.001
#define CLOCK_MOST_SPAN 1e9

struct lfb_window_clock {
  lfb_window *window;
  pid_t process; /* the thread is in this one: a child of a fork has none */
  pthread_t thread;
  pthread_mutex_t lock; /* guards `length` and `stopping` */
  pthread_cond_t wake;
  uint64_t length; /* of a generation in ns */
  bool stopping;
};

/* Waits until the length of a generation has passed from now on, also if it changes.  Returns false if
 * the thread is to stop.  The caller holds the lock. */
static bool clock_wait(lfb_window_clock *clock)
{
  struct timespec since;
  int result = 0;

  (void)clock_gettime(CLOCK_MONOTONIC, &since);
  while (!clock->stopping && result == 0) {
    const uint64_t ns = (uint64_t)since.tv_nsec + clock->length;
    const struct timespec until = {since.tv_sec + (time_t)(ns / CLOCK_SECOND),
                                   (long)(ns % CLOCK_SECOND)};
    result = pthread_cond_timedwait(&clock->wake, &clock->lock, &until);
  }
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
    lfb_ignore(lfb_window_advance(clock->window, lfb_window_generation(clock->window)));
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

/* The clock that runs in this process, or NULL.  A child forgets its parent's: the lock may be taken
 * forever, and its memory stays. */
static lfb_window_clock *clock_here(lfb_window *window)
{
  if (window->clock != NULL && window->clock->process != getpid())
    window->clock = NULL;
  return window->clock;
}

/* Changes the length of a generation, or stops the thread if it is 0. */
static void clock_change(lfb_window_clock *clock, uint64_t length)
{
  (void)pthread_mutex_lock(&clock->lock);
  clock->length = length;
  clock->stopping = length == 0;
  (void)pthread_cond_signal(&clock->wake);
  (void)pthread_mutex_unlock(&clock->lock);
}

lfb_status lfb_window_start_clock(lfb_window *window, double span)
{
  if (!(span >= CLOCK_LEAST_SPAN && span <= CLOCK_MOST_SPAN)) /* also if it is NaN */
    return LFB_ERROR_BAD_SPAN;
  const uint64_t length = (uint64_t)(span / window->config.generations * CLOCK_SECOND) + 1;
  lfb_window_clock *clock = clock_here(window);
  if (clock != NULL) {
    clock_change(clock, length);
    return LFB_OK;
  }
  clock = calloc(1, sizeof *clock);
  if (clock == NULL || !lfb_wake_init(&clock->wake)) {
    free(clock);
    return LFB_ERROR_NO_MEMORY;
  }
  (void)pthread_mutex_init(&clock->lock, NULL); /* never fails with default attributes */
  clock->window = window;
  clock->process = getpid();
  clock->length = length;
  if (pthread_create(&clock->thread, NULL, clock_run, clock) != 0) {
    clock_free(clock);
    return LFB_ERROR_NO_THREAD;
  }
  window->clock = clock;
  return LFB_OK;
}

void lfb_window_stop_clock(lfb_window *window)
{
  lfb_window_clock *clock = clock_here(window);

  if (clock == NULL)
    return;
  clock_change(clock, 0);
  (void)pthread_join(clock->thread, NULL);
  clock_free(clock);
  window->clock = NULL;
}
