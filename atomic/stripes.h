/*
 * stripes.h - a counter that many threads add to without meeting each other.
 *
 * Floor 4.  May include: floors 0 to 3.
 *
 * One stripe, a cache line of its own, for each thread slot: its owner adds by
 * a plain load and store, no locked instruction.  Threads without a slot add
 * atomically to a few stripes that they share.
 *
 * Ordering   An add is a release, a sum an acquire: whoever sees a count also
 *            sees what was done before it was added.  A user who counts after
 *            the act therefore never reads a sum above the truth.
 * Exactness  The sum is exact when no add is running (in the happens-before
 *            sense); while some are it lies between the truth before and the
 *            truth after them.
 * Progress   add and sum are wait-free after the thread's first add (slots.h).
 * Stopped    A thread that is stopped for ever between its load and its store
 *            keeps its stripe to itself, and holds back only its own addition.
 * Threads    add beside add and sum.  init and free run alone.
 *
 * Source: Java's LongAdder, with owners instead of contention probes.
 */
#ifndef LFB_ATOMIC_STRIPES_H
#define LFB_ATOMIC_STRIPES_H

#include <lfbloom/status.h>
#include <stdint.h>

#include <lfbloom/c11.h>
#include <lfbloom/cpu.h>
#include "atomic/slots.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LFB_STRIPES_SHARED = 8, /* stripes for the threads without one of their own;
                             a power of two */
};

typedef struct lfb_stripe {
  LFB_ATOMIC(uint64_t) count;
  char padding[LFB_CACHE_LINE - sizeof(uint64_t)];
} lfb_stripe;

typedef struct lfb_stripes {
  lfb_stripe *stripes; /* owned, then LFB_STRIPES_SHARED shared ones */
  uint32_t owned;      /* stripes with one writer each               */
} lfb_stripes;

/*
 * Makes a counter at 0 with at least as many owned stripes as the machine has
 * processors, 64 to LFB_SLOT_COUNT.  Fails: LFB_ERROR_NO_MEMORY.
 */
lfb_status lfb_stripes_init(lfb_stripes *stripes);

/* As lfb_stripes_init() with a stated number of owned stripes: for tests. */
lfb_status lfb_stripes_init_owned(lfb_stripes *stripes, uint32_t owned);

void lfb_stripes_free(lfb_stripes *stripes);

/* The sum of all additions. */
uint64_t lfb_stripes_sum(const lfb_stripes *stripes);

/* Adds to the calling thread's stripe. */
static inline void lfb_stripes_add(const lfb_stripes *stripes, uint64_t amount)
{
  const uint32_t slot = lfb_slot();

  if (__builtin_expect(slot < stripes->owned, 1)) {
    LFB_ATOMIC(uint64_t) *mine = &stripes->stripes[slot].count;
    /* relaxed: only this thread writes here, and what an earlier owner wrote
     * came with the slot.  release: pairs with the acquire in the sum. */
    const uint64_t before = LFB_STD atomic_load_explicit(mine, LFB_STD memory_order_relaxed);
    LFB_STD atomic_store_explicit(mine, before + amount, LFB_STD memory_order_release);
  } else {
    LFB_ATOMIC(uint64_t) *ours =
        &stripes->stripes[stripes->owned + slot % LFB_STRIPES_SHARED].count;
    /* release: pairs with the acquire in the sum. */
    lfb_add_u64(ours, amount, LFB_STD memory_order_release);
  }
}

#ifdef __cplusplus
}
#endif

#endif
