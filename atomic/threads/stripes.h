/*
 * stripes.h - a counter to which many threads add without contention.
 *
 * The first `owned` stripes have one writer each: the thread that has the slot of that number
 * (slots.h).  A thread without such a slot adds to one of the `shared` stripes, chosen by the
 * processor that it runs on.  A counter in a file has shared stripes only.
 *
 * Ordering   An add is a release, a sum an acquire: a thread that sees a count also sees what
 *            was done before that count was added.  If each user adds after the act that it
 *            counts, a sum is never above the truth.
 * Exactness  The sum is exact when no add is running (in the happens-before sense).  While
 *            adds run, the sum lies between the truth before them and the truth after them.
 * Signals    An add is one instruction, or one atomic operation.  A handler may therefore add to
 *            the same stripe, and no addition is lost.
 * fork       The child gets a copy of stripes in private memory.  An addition that another thread
 *            of the parent had not made yet is permanently missing in that copy.  Stripes in a
 *            file stay shared.
 * Progress   add and sum are wait-free after the thread's first call (slots.h).
 * Stopped    If a thread never runs again, only its own addition is missing.
 * Threads    add and sum at any time.  init and free run alone.
 * Cost       An add to an owned stripe takes 0.3 ns, an add to a shared one 3 to 7 ns while
 *            one thread at a time adds to it (//bench, counter/stripes_add).
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
#include "atomic/threads/slots.h"
#include "atomic/words/shown.h"

LFB_EXTERN_C_BEGIN

enum {
  LFB_STRIPES_SHARED = 8,   /* of a counter in memory; a power of two */
  LFB_STRIPES_IN_FILE = 64, /* of a counter in a file; a power of two */
};

typedef struct lfb_stripe {
  LFB_ATOMIC(uint64_t) count;
  char padding[LFB_CACHE_LINE - sizeof(uint64_t)];
} lfb_stripe;

typedef struct lfb_stripes {
  lfb_stripe *stripes; /* the owned ones, then the shared ones */
  uint32_t owned;      /* at most LFB_SLOT_COUNT               */
  uint32_t shared;     /* a power of two                       */
} lfb_stripes;

/*
 * Makes a counter at 0 with one owned stripe for each processor of the host, but at least
 * 64 and at most LFB_SLOT_COUNT.  Fails: LFB_ERROR_NO_MEMORY.
 */
lfb_status lfb_stripes_init(lfb_stripes *stripes);

/* As lfb_stripes_init(), with this number of owned stripes: for tests. */
lfb_status lfb_stripes_init_owned(lfb_stripes *stripes, uint32_t owned);

/* Frees the memory of lfb_stripes_init(). */
void lfb_stripes_free(lfb_stripes *stripes);

/* The counter of LFB_STRIPES_IN_FILE stripes that are mapped at `stripes`. */
lfb_stripes lfb_stripes_over(lfb_stripe *stripes);

/* The sum of all additions. */
uint64_t lfb_stripes_sum(const lfb_stripes *stripes);

/* Adds to a shared stripe; returns what that stripe held before. */
uint64_t lfb_stripes_add_shared(const lfb_stripes *stripes, uint64_t amount);

/* Adds to a stripe to which only the calling thread and its signal handlers write. */
static inline void lfb_stripe_add_owned(lfb_stripe *mine, uint64_t amount)
{
#if defined(LFB_MODEL) /* for the model checks: two writers of one stripe lose an addition */
  const uint64_t before =
      LFB_STD atomic_load_explicit(&mine->count, LFB_STD memory_order_relaxed);
  LFB_STD atomic_store_explicit(&mine->count, before + amount, LFB_STD memory_order_release);
#elif defined(__x86_64__)
  lfb_show_write(&mine->count, 1, LFB_STD memory_order_release); /* release: as below */
  /* One instruction, so that no signal splits it.  No lock prefix, since no other thread writes
   * here.  On x86-64 each store is a release; "memory" makes the compiler keep that order. */
  __asm__ volatile("addq %1, %0"
                   : "+m"(*(uint64_t *)(void *)&mine->count)
                   : "er"(amount)
                   : "memory", "cc");
#else
  /* release: pairs with the acquire in the sum. */
  (void)lfb_add_u64(&mine->count, amount, LFB_STD memory_order_release);
#endif
}

/* The slow half of lfb_stripes_add(): the thread has no slot yet, or no stripe of its own. */
void lfb_stripes_add_slow(const lfb_stripes *stripes, uint64_t amount);

/* Adds to the counter. */
static inline void lfb_stripes_add(const lfb_stripes *stripes, uint64_t amount)
{
  const uint32_t slot = lfb_slot_or_none();

  if (__builtin_expect(slot < stripes->owned, 1))
    lfb_stripe_add_owned(&stripes->stripes[slot], amount);
  else
    lfb_stripes_add_slow(stripes, amount);
}

/*
 * Adds to the counter; returns what the stripe held before.  Two additions to the same stripe
 * return different values, unless a signal handler adds between the two steps of one of them.
 */
static inline uint64_t lfb_stripes_fetch_add(const lfb_stripes *stripes, uint64_t amount)
{
  const uint32_t slot = lfb_slot();

  if (__builtin_expect(slot >= stripes->owned, 0))
    return lfb_stripes_add_shared(stripes, amount);
  lfb_stripe *mine = &stripes->stripes[slot];
  lfb_stripe_add_owned(mine, amount);
  /* relaxed: this thread reads what it wrote itself. */
  return LFB_STD atomic_load_explicit(&mine->count, LFB_STD memory_order_relaxed) - amount;
}

LFB_EXTERN_C_END

#endif
