/*
 * window_clock.c - generations that end by clocks: lfb_window_tick(), and a thread that calls it
 * until the window is freed (lfbloom/window.h).
 *
 * A generation's begin is noted by two clocks.  In the boot that noted it, the time since then is
 * that of the boot's own clock, which runs also while the host sleeps: a wall clock that jumps does
 * no harm.  In another boot it is that of the wall clock.  If that is negative, the wall clock is
 * or was wrong: the generation begins anew, so that nothing is forgotten early.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "atomic/threads/forks.h"
#include "atomic/threads/wake.h"
#include "bloom/window/window.h"

#define CLOCK_SECOND UINT64_C(1000000000) /* ns */

/* The time from one moment to another in ns, which may be negative. */
static int64_t clock_since(const lfb_window_moment *then, const lfb_window_moment *now)
{
  const bool same_boot = then->boot[0] == now->boot[0] && then->boot[1] == now->boot[1] &&
                         (now->boot[0] | now->boot[1]) != 0;
  return (int64_t)(same_boot ? now->boottime - then->boottime : now->realtime - then->realtime);
}

/* ---- ticks -------------------------------------------------------------------- */

/* The age of the current generation. */
static int64_t tick_age(const lfb_window *window, uint64_t e, const lfb_window_moment *now)
{
  const lfb_window_moment began = lfb_window_began(window->head, e);
  return clock_since(&began, now);
}

/* Under the lock: ends the generations that are over, but at most `most`.  The last one begins at
 * its place in the schedule, or now if `late`.  Returns how many it ended. */
static uint32_t tick_locked(lfb_window *window, uint32_t most, bool late)
{
  /* Not read before the lock: a thread that slept there would note a begin of long ago, and the
   * next tick would end the generation early. */
  const lfb_window_moment now = lfb_window_moment_now();
  uint64_t e = lfb_window_generation(window);
  const int64_t age = tick_age(window, e, &now);
  uint64_t over = age < 0 ? 0 : (uint64_t)age;
  uint32_t ended = 0;

  if (age < 0)
    lfb_window_begins(window->head, e, &now);
  for (; over >= window->length && ended < most && e < LFB_WINDOW_LAST; ended++, e++) {
    over -= window->length;
    if (late || ended + 1 == most)
      over %= window->length;
    lfb_window_moment begins = now;
    if (!late) {
      begins.boottime -= over;
      begins.realtime -= over;
    }
    lfb_window_next(window, e, &begins);
  }
  return ended;
}

/* Without success `*ended` is unchanged. */
static lfb_status window_tick(lfb_window *window, uint32_t most, bool late, uint32_t *ended)
{
  const uint64_t e = lfb_window_generation(window);

  if (window->length == 0)
    return LFB_OK;
  const lfb_window_moment now = lfb_window_moment_now();
  const int64_t age = tick_age(window, e, &now);
  /* A generation that has begun meanwhile may have changed what was read: then the lock's holder,
   * or the next tick, sees it. */
  if (age >= 0 && (uint64_t)age < window->length)
    return LFB_OK;
  const lfb_status status = lfb_window_lock(window);
  if (status != LFB_OK) /* held: another thread or process does it */
    return status == LFB_ERROR_WINDOW_HELD ? LFB_OK : status;
  *ended = tick_locked(window, most, late);
  lfb_window_unlock(window);
  return LFB_OK;
}

lfb_status lfb_window_tick(lfb_window *window, uint32_t *ended)
{
  uint32_t over = 0;
  const lfb_status status =
      window_tick(window, lfb_window_layers(&window->geometry), false, &over);

  if (status == LFB_OK && ended != NULL)
    *ended = over;
  return status;
}

/* ---- the thread ---------------------------------------------------------------- */

struct lfb_window_clock {
  lfb_window *window;
  uint64_t process; /* lfb_forks_process() of the thread: a child of a fork has none */
  pthread_t thread;
  pthread_mutex_t lock; /* guards what follows */
  pthread_cond_t wake;
  bool stopping;
  lfb_status failed; /* its last tick    */
  int cause;         /* errno after that */
};

/* Waits until the current generation is over.  Returns false if the thread is to stop.  The caller
 * holds the lock. */
static bool clock_wait(lfb_window_clock *clock)
{
  const lfb_window *window = clock->window;
  const lfb_window_moment now = lfb_window_moment_now();
  const int64_t age = tick_age(window, lfb_window_generation(window), &now);
  const uint64_t left = age < 0 ? 0 : (uint64_t)age < window->length
                        ? window->length - (uint64_t)age : 0;
  /* At least a 16th of a generation: another process may be advancing. */
  const uint64_t wait = left > window->length / 16 ? left : window->length / 16 + 1;
  struct timespec at = {0, 0};
  int result = 0;

  (void)clock_gettime(CLOCK_MONOTONIC, &at);
  const uint64_t until = (uint64_t)at.tv_nsec + wait;
  at.tv_sec += (time_t)(until / CLOCK_SECOND);
  at.tv_nsec = (long)(until % CLOCK_SECOND);
  while (!clock->stopping && result == 0)
    result = pthread_cond_timedwait(&clock->wake, &clock->lock, &at);
  return !clock->stopping;
}

/* Ends one generation at a time, and each begins when it does: so none is too short if it runs
 * late. */
static void *clock_run(void *argument)
{
  lfb_window_clock *clock = argument;
  uint32_t ended;

  (void)pthread_mutex_lock(&clock->lock);
  while (clock_wait(clock)) {
    (void)pthread_mutex_unlock(&clock->lock);
    const lfb_status status = window_tick(clock->window, 1, true, &ended);
    const int cause = errno;
    (void)pthread_mutex_lock(&clock->lock);
    clock->failed = status;
    clock->cause = cause;
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

/* The clock that runs in this process, or NULL.  A child forgets its parent's: the lock may be
 * taken forever, and its memory stays. */
static lfb_window_clock *clock_own(lfb_window *window)
{
  if (window->clock != NULL && window->clock->process != lfb_forks_process())
    window->clock = NULL;
  return window->clock;
}

/* What the last tick of the thread failed with. */
static lfb_status clock_failed(lfb_window_clock *clock)
{
  (void)pthread_mutex_lock(&clock->lock);
  const lfb_status status = clock->failed;
  if (status != LFB_OK)
    errno = clock->cause;
  (void)pthread_mutex_unlock(&clock->lock);
  return status;
}

lfb_status lfb_window_start_clock(lfb_window *window)
{
  if (window->length == 0)
    return LFB_ERROR_BAD_SPAN;
  if (clock_own(window) != NULL)
    return clock_failed(window->clock);
  const lfb_status status = lfb_window_prepare_lock(window);
  if (status != LFB_OK)
    return status;
  lfb_window_clock *clock = calloc(1, sizeof *clock);
  if (clock == NULL || !lfb_wake_init(&clock->wake)) {
    free(clock);
    return LFB_ERROR_NO_MEMORY;
  }
  (void)pthread_mutex_init(&clock->lock, NULL); /* never fails with default attributes */
  clock->window = window;
  clock->process = lfb_forks_process();
  if (pthread_create(&clock->thread, NULL, clock_run, clock) != 0) {
    clock_free(clock);
    return LFB_ERROR_NO_THREAD;
  }
  window->clock = clock;
  return LFB_OK;
}

void lfb_window_stop_clock(lfb_window *window)
{
  lfb_window_clock *clock = clock_own(window);

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

void lfb_window_free(lfb_window *window)
{
  if (window == NULL)
    return;
  lfb_window_stop_clock(window);
  lfb_window_dispose(window);
}
