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
 * Marks      Between mark and end a stripe says that its thread is about to do
 *            something that it has not counted yet.  Whoever then finds what was
 *            done, and no mark, knows that it is in the count, or never will be:
 *            its owner died.  Only counters that outlive their owners need that.
 * Progress   add, mark, end and sum are wait-free after the thread's first (slots.h).
 * Stopped    A thread that is stopped for ever between its load and its store
 *            keeps its stripe to itself, and holds back only its own addition.
 * Threads    add beside add, mark, end and sum.  init and free run alone.
 *
 * Source: Java's LongAdder, with owners instead of contention probes.
 */
#ifndef LFB_ATOMIC_STRIPES_H
#define LFB_ATOMIC_STRIPES_H

#include <lfbloom/status.h>
#include <stddef.h>
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
  LFB_ATOMIC(uint64_t) running; /* owned: odd between mark and end; shared: how many are */
  LFB_ATOMIC(uint64_t) claim[3]; /* what its thread claims, in a file: bloom/claims.h     */
  LFB_ATOMIC(uint64_t) lent;     /* of the first for all, where there are no locks: which
                                    are lent to a claim                                   */
  char padding[LFB_CACHE_LINE - 6 * sizeof(uint64_t)];
} lfb_stripe;

typedef struct lfb_stripes lfb_stripes;
struct lfb_stripes {
  lfb_stripe *stripes; /* owned, then LFB_STRIPES_SHARED shared ones             */
  uint32_t owned;      /* stripes with one writer each                           */
  uint32_t all_count;  /* stripes in the sum                                     */
  lfb_stripe *all;     /* .. which begins here: `stripes`, and those of others   */
  /* What marks need; NULL where there are none.  While *ours is not 1, `stripes` are
   * another process's, and own() makes them this one's before it returns. */
  const LFB_ATOMIC(uint64_t) *ours;
  void (*own)(const lfb_stripes *stripes);
};

/* A stripe that is marked. */
typedef struct lfb_mark {
  LFB_ATOMIC(uint64_t) *running; /* NULL: none */
  uint64_t value;                /* 0 where threads share the stripe */
} lfb_mark;

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

/* Adds to the calling thread's stripe; what that one held before: no two additions to it
 * are told the same. */
static inline uint64_t lfb_stripes_add(const lfb_stripes *stripes, uint64_t amount)
{
  const uint32_t slot = lfb_slot();

  if (__builtin_expect(slot < stripes->owned, 1)) {
    LFB_ATOMIC(uint64_t) *mine = &stripes->stripes[slot].count;
    /* relaxed: only this thread writes here, and what an earlier owner wrote
     * came with the slot.  release: pairs with the acquire in the sum. */
    const uint64_t before = LFB_STD atomic_load_explicit(mine, LFB_STD memory_order_relaxed);
    LFB_STD atomic_store_explicit(mine, before + amount, LFB_STD memory_order_release);
    return before;
  }
  /* release: pairs with the acquire in the sum. */
  return lfb_add_u64(&lfb_stripes_shared(stripes, slot)->count, amount,
                     LFB_STD memory_order_release);
}

/* Marks the calling thread's stripe: what follows is counted before lfb_stripes_end(). */
static inline lfb_mark lfb_stripes_mark(const lfb_stripes *stripes)
{
  const uint32_t slot = lfb_slot();
  lfb_mark mark = {NULL, 0};

#ifdef LFB_PLANT_UNMARKED
  return mark;
#endif
  /* acquire: who sees that the stripes are this process's sees which they are. */
  if (__builtin_expect(
          LFB_STD atomic_load_explicit(stripes->ours, LFB_STD memory_order_acquire) != 1, 0))
    stripes->own(stripes);
  if (__builtin_expect(slot < stripes->owned, 1)) {
    mark.running = &stripes->stripes[slot].running;
    /* relaxed: only this thread writes here. */
    mark.value = 1 + LFB_STD atomic_load_explicit(mark.running, LFB_STD memory_order_relaxed);
    LFB_STD atomic_store_explicit(mark.running, mark.value, LFB_STD memory_order_relaxed);
  } else {
    mark.running = &lfb_stripes_shared(stripes, slot)->running;
    /* relaxed: the fence below orders it. */
    lfb_add_u64(mark.running, 1, LFB_STD memory_order_relaxed);
  }
  /* release: who sees what follows, and has an acquire fence behind that, sees the mark. */
  lfb_fence(LFB_STD memory_order_release);
  return mark;
}

/* The same where the stripes may be of a counter without marks. */
static inline lfb_mark lfb_stripes_begin(const lfb_stripes *stripes)
{
  const lfb_mark none = {NULL, 0};
  return __builtin_expect(stripes->ours == NULL, 1) ? none : lfb_stripes_mark(stripes);
}

/* Takes the mark back: everything that was done since has been counted. */
static inline void lfb_stripes_end(lfb_mark mark)
{
  if (mark.running == NULL)
    return;
  /* release: who sees no mark sees the count; all that is added to a shared one is a
   * release sequence. */
  if (__builtin_expect(mark.value != 0, 1))
    LFB_STD atomic_store_explicit(mark.running, mark.value + 1, LFB_STD memory_order_release);
  else
    lfb_add_u64(mark.running, UINT64_MAX, LFB_STD memory_order_release);
}

#ifdef __cplusplus
}
#endif

#endif
