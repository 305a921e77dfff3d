/*
 * slots.h - a small number for each thread, which no other living thread has.
 *
 * A thread's first call takes the lowest free slot.  The thread's exit gives the slot
 * back in the second round of destructors; in the first round the thread still has it.
 * If all slots are taken, the thread has none for the rest of its life.  It gets a
 * number above all slots instead, by which threads are spread over shared memory.
 *
 * Global     The map of free slots is the library's only mutable state that
 *            belongs to no object: slots belong to threads, not to filters.
 * Ordering   What a thread did before it gave a slot back happens before what
 *            the next owner does after it took it.
 * Progress   lfb_slot() is wait-free after the thread's first call.  The first
 *            call may allocate and enter the kernel; its CAS loop retries only
 *            because another thread took or gave a slot of the same map word.
 * Stopped    A thread that never runs again keeps its slot; no other thread waits.
 * Late       If a thread makes its first call in the last two rounds of destructors at its
 *            exit, its slot stays taken: no later destructor gives it back.
 * Signals    A handler that interrupts a thread's first call gets a shared number, that time
 *            only.  A handler may not make a thread's first call, which calls functions of
 *            pthread.
 * Fork       The child keeps the forking thread's slot.  The slots of the parent's other
 *            threads stay taken in the child.
 */
#ifndef LFB_ATOMIC_SLOTS_H
#define LFB_ATOMIC_SLOTS_H

#include <lfbloom/status.h>
#include <stdint.h>

LFB_EXTERN_C_BEGIN

enum {
  LFB_SLOT_COUNT = 1024, /* slots with an owner; numbers from here on are shared */
};

/* Memory of each thread.  __thread, because C++ reads it too, without a wrapper.  glibc keeps
 * static TLS for libraries that dlopen() brings, so one load at a fixed offset finds it there, too.
 * Other C libraries keep none: musl refuses such a library. */
#ifdef __GLIBC__
#define LFB_THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))
#else
#define LFB_THREAD_LOCAL __thread
#endif

/* 0 until the thread's first call, then its number plus one; lfb_slot() reads it. */
extern LFB_THREAD_LOCAL uint32_t lfb_slot_plus_one;

/* The same while the number is the thread's own slot; else 0.  An array with an element 0 that
 * belongs to no thread can be indexed by it without a test whether the thread has a slot. */
extern LFB_THREAD_LOCAL uint32_t lfb_slot_own_plus_one;

/* Takes a number for the calling thread: the slow half of lfb_slot(). */
uint32_t lfb_slot_take(void);

/* The calling thread's number; UINT32_MAX before its first call. */
static inline uint32_t lfb_slot_or_none(void)
{
  return lfb_slot_plus_one - 1;
}

/*
 * The calling thread's number.  Below LFB_SLOT_COUNT it is the thread's own slot, which no
 * other living thread has; from there on other threads may have the same number.
 */
static inline uint32_t lfb_slot(void)
{
  const uint32_t plus_one = lfb_slot_plus_one;
  return __builtin_expect(plus_one != 0, 1) ? plus_one - 1 : lfb_slot_take();
}

LFB_EXTERN_C_END

#endif
