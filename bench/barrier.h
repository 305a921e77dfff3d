/*
 * barrier.h - a barrier for benchmark threads, short enough to be timed.
 */
#ifndef LFB_BENCH_BARRIER_H
#define LFB_BENCH_BARRIER_H

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

enum { LFB_BARRIER_TURNS = 64 }; /* before a thread sleeps */

typedef struct lfb_barrier {
  unsigned threads;
  atomic_uint missing, round;
} lfb_barrier;

static inline void lfb_barrier_init(lfb_barrier *barrier, unsigned threads)
{
  barrier->threads = threads;
  atomic_init(&barrier->missing, threads);
  atomic_init(&barrier->round, 0);
}

/*
 * Returns once all threads have called it.  What each thread did before the call is then visible
 * to all.  The last thread calls `last` before it releases the others.
 */
static inline void lfb_barrier_wait(lfb_barrier *barrier, void (*last)(void))
{
  /* relaxed: the round cannot end before this thread's decrement below. */
  const unsigned round = atomic_load_explicit(&barrier->round, memory_order_relaxed);

  /* acq_rel: the last thread acquires what the others did before; the release store of the
   * round below passes it on. */
  if (atomic_fetch_sub_explicit(&barrier->missing, 1, memory_order_acq_rel) == 1) {
    last();
    /* relaxed: a thread that waits in the next round has acquired the store below first. */
    atomic_store_explicit(&barrier->missing, barrier->threads, memory_order_relaxed);
    /* release: pairs with the acquire load in the loop below. */
    atomic_store_explicit(&barrier->round, round + 1, memory_order_release);
    return;
  }
  for (unsigned turn = 0;
       atomic_load_explicit(&barrier->round, memory_order_acquire) == round; turn++) {
    /* Waiting threads must not take processor time from those that still work. */
    const struct timespec pause = {0, 20000};
    if (turn < LFB_BARRIER_TURNS)
      (void)sched_yield();
    else
      (void)nanosleep(&pause, NULL);
  }
}

#endif
