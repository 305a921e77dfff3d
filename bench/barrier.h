/*
 * barrier.h - a meeting of benchmark threads, short enough to be timed.
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
 * Returns once all threads have called it; what each did before, all then see.  The
 * last of them calls `last` before it lets the others go.
 */
static inline void lfb_barrier_wait(lfb_barrier *barrier, void (*last)(void))
{
  /* relaxed: the round cannot end before this thread's decrement below. */
  const unsigned round = atomic_load_explicit(&barrier->round, memory_order_relaxed);

  /* acq_rel: the last one collects what the others did, and passes it on ... */
  if (atomic_fetch_sub_explicit(&barrier->missing, 1, memory_order_acq_rel) == 1) {
    last();
    /* relaxed: whoever waits in the next round saw the store below first. */
    atomic_store_explicit(&barrier->missing, barrier->threads, memory_order_relaxed);
    /* release: ... by this store, with which the acquire below pairs. */
    atomic_store_explicit(&barrier->round, round + 1, memory_order_release);
    return;
  }
  for (unsigned turn = 0;
       atomic_load_explicit(&barrier->round, memory_order_acquire) == round; turn++) {
    /* Many that wait must not take turns with those that still work. */
    const struct timespec pause = {0, 20000};
    if (turn < LFB_BARRIER_TURNS)
      (void)sched_yield();
    else
      (void)nanosleep(&pause, NULL);
  }
}

#endif
