/*
 * slots.h - a small number for each thread, its own while it lives.
 *
 * A thread's first call takes the lowest free slot; its exit gives it back, in the
 * second round of destructors: in the first round the thread still has it.
 * When all are taken the thread gets none, now and for the rest of its life,
 * but a number above them all by which it can be spread over something shared.
 *
 * Global     The map of free slots is the library's only mutable state that
 *            belongs to no object: slots belong to threads, not to filters.
 * Ordering   What a thread did before it gave a slot back happens before what
 *            the next owner does after it took it.
 * Progress   lfb_slot() is wait-free after the thread's first call.  The first
 *            call may allocate and enter the kernel; its CAS loop retries only
 *            because another thread took or gave a slot of the same map word.
 * Stopped    A thread that is stopped for ever keeps its slot; nobody waits.
 * Late       A thread whose first call comes in the last two rounds of its exit's
 *            destructors keeps its slot taken: nothing is left to give it back.
 * Signals    A handler that interrupts a thread's first call gets a shared number, once.  A
 *            thread's first call may not come in a handler: pthread's functions are called.
 * Fork       The child keeps the forking thread's slot; those of the threads
 *            that the child does not have stay taken in it.
 */
#ifndef LFB_ATOMIC_SLOTS_H
#define LFB_ATOMIC_SLOTS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LFB_SLOT_COUNT = 1024, /* slots with an owner; numbers from here on are shared */
};

/* 0 until the thread's first call, then its number plus one; lfb_slot() reads it.
 * __thread, because C++ reads it too, without a wrapper.  Initial-exec: one load
 * at a fixed offset even in a shared library, for 4 bytes of static TLS. */
extern __thread uint32_t lfb_slot_plus_one __attribute__((tls_model("initial-exec")));

/* The same while the number is the thread's own slot; else 0.  For arrays whose element 0 is
 * nobody's, so that who has no slot need not be asked for. */
extern __thread uint32_t lfb_slot_own_plus_one __attribute__((tls_model("initial-exec")));

/* Takes a number for the calling thread: the slow half of lfb_slot(). */
uint32_t lfb_slot_take(void);

/* The calling thread's number, or one beyond all others if it has not called yet. */
static inline uint32_t lfb_slot_or_none(void)
{
  return lfb_slot_plus_one - 1;
}

/*
 * The calling thread's number: below LFB_SLOT_COUNT its own slot, which no
 * other living thread has; otherwise one that others may have as well.
 */
static inline uint32_t lfb_slot(void)
{
  const uint32_t plus_one = lfb_slot_plus_one;
  return __builtin_expect(plus_one != 0, 1) ? plus_one - 1 : lfb_slot_take();
}

#ifdef __cplusplus
}
#endif

#endif
