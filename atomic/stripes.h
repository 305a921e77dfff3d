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
 * Marks      Between begin and end a stripe says that its thread is about to do
 *            something that it has not counted yet.  Whoever then finds what was
 *            done, and no mark, knows that it is in the count, or never will be:
 *            its owner died.  Only counters that outlive their owners need that.
 * Progress   add, begin, end and sum are wait-free after the thread's first (slots.h).
 * Stopped    A thread that is stopped for ever between its load and its store
 *            keeps its stripe to itself, and holds back only its own addition.
 * Threads    add beside add, begin, end and sum.  init and free run alone.
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
  LFB_ATOMIC(uint64_t) running; /* owned: odd between begin and end; shared: how many are */
  char padding[LFB_CACHE_LINE - 2 * sizeof(uint64_t)];
} lfb_stripe;

typedef struct lfb_stripes {
  lfb_stripe *stripes; /* owned, then LFB_STRIPES_SHARED shared ones             */
  uint32_t owned;      /* stripes with one writer each                           */
  uint32_t all_count;  /* stripes in the sum                                     */
  lfb_stripe *all;     /* .. which begins here: `stripes`, and those of others   */
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

/* The shared stripe of a thread without one of its own. */
static inline lfb_stripe *lfb_stripes_shared(const lfb_stripes *stripes, uint32_t slot)
{
  return &stripes->stripes[stripes->owned + slot % LFB_STRIPES_SHARED];
}

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
    /* release: pairs with the acquire in the sum. */
    lfb_add_u64(&lfb_stripes_shared(stripes, slot)->count, amount, LFB_STD memory_order_release);
  }
}

/* Marks the calling thread's stripe: what follows will be counted before lfb_stripes_end(). */
static inline void lfb_stripes_begin(const lfb_stripes *stripes)
{
  const uint32_t slot = lfb_slot();

#ifdef LFB_PLANT_UNMARKED
  return;
#endif
  if (__builtin_expect(slot < stripes->owned, 1)) {
    LFB_ATOMIC(uint64_t) *mine = &stripes->stripes[slot].running;
    /* relaxed: only this thread writes here. */
    const uint64_t before = LFB_STD atomic_load_explicit(mine, LFB_STD memory_order_relaxed);
    LFB_STD atomic_store_explicit(mine, before + 1, LFB_STD memory_order_relaxed);
  } else {
    /* relaxed: the fence below orders it. */
    lfb_add_u64(&lfb_stripes_shared(stripes, slot)->running, 1, LFB_STD memory_order_relaxed);
  }
  /* release: who sees what follows, and has an acquire fence behind that, sees the mark. */
  lfb_fence(LFB_STD memory_order_release);
}

/* Takes the mark back: everything that followed lfb_stripes_begin() has been counted. */
static inline void lfb_stripes_end(const lfb_stripes *stripes)
{
  const uint32_t slot = lfb_slot();

#ifdef LFB_PLANT_UNMARKED
  return;
#endif
  if (__builtin_expect(slot < stripes->owned, 1)) {
    LFB_ATOMIC(uint64_t) *mine = &stripes->stripes[slot].running;
    /* relaxed: as above.  release: who sees no mark sees the count. */
    const uint64_t before = LFB_STD atomic_load_explicit(mine, LFB_STD memory_order_relaxed);
    LFB_STD atomic_store_explicit(mine, before + 1, LFB_STD memory_order_release);
  } else {
    /* release: as above; the sum of all that is added here is a release sequence. */
    lfb_add_u64(&lfb_stripes_shared(stripes, slot)->running, UINT64_MAX,
                LFB_STD memory_order_release);
  }
}

#ifdef __cplusplus
}
#endif

#endif
