/*
 * epoch.h - safe reclamation: what is taken away from readers is given back only
 * after the last of them that could have it has left.
 *
 * A reader enters, loads a published pointer, uses what it points to, and leaves.  The
 * writer publishes another pointer and retires what the old one pointed to.
 *
 * Places     A thread enters at the place of its slot (slots.h), which no other thread
 *            writes to.  Threads without a slot, beyond 1024 living ones, take one of
 *            LFB_EPOCH_STRAYS places for the length of their outermost section.
 * Ordering   What a reader did before it left happens before what was retired is
 *            reclaimed.  Publishing is the user's: store-release before retire, and
 *            load-acquire after enter.
 * Progress   enter and leave are wait-free; a thread's first enter appends its place to a
 *            list (lock-free: it retries because another thread has appended one).
 *            Nothing of theirs allocates or enters the kernel.  (Of threads without a
 *            slot, LFB_EPOCH_STRAYS can be inside; a further one waits.)
 *            retire and poll wait for nobody; poll enters the kernel.  lfb_epoch_wait()
 *            waits for every section that is under way.
 * Stopped    A thread that is stopped for ever inside a section costs the memory of what
 *            is retired from then on, and stops lfb_epoch_wait(); nothing else.
 * Refused    A process to which the system refuses membarrier(2) after it has granted it (a
 *            seccomp filter) reclaims nothing until free, and lfb_epoch_wait() does not return.
 * Exclusive  retire, poll, wait and pending: one call at a time.  init and free run alone.
 * Fork       Sections in which other threads are at that time stay entered in the child.
 * Memory     1090 places of 256 bytes, of which the system backs those that are used.
 */
#ifndef LFB_ATOMIC_EPOCH_H
#define LFB_ATOMIC_EPOCH_H

#include <lfbloom/c11.h>
#include <lfbloom/cpu.h>
#include <lfbloom/status.h>

#include "atomic/threads/epoch_ck.h"
#include "atomic/threads/slots.h"

#ifdef LFB_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum { LFB_EPOCH_STRAYS = 64 };

typedef struct lfb_epoch lfb_epoch;
struct lfb_epoch {
  lfb_ck_epoch epoch;
  lfb_ck_place *places; /* nobody's, of slots, then of strays  */
  lfb_ck_place *writer; /* where is retired and polled         */
  void *memory;         /* of all places                       */
  uint64_t pending;     /* retired and not reclaimed           */
  LFB_ATOMIC(uint64_t) owners[LFB_EPOCH_STRAYS]; /* of a stray's place; 0: free */
};

/* What is to be retired has one, which it leaves alone. */
typedef struct lfb_epoch_entry lfb_epoch_entry;
struct lfb_epoch_entry {
  lfb_ck_entry ck;
  lfb_epoch *epoch;
  void (*reclaim)(lfb_epoch_entry *entry);
};

/* Fails: LFB_ERROR_NO_MEMORY. */
lfb_status lfb_epoch_init(lfb_epoch *epoch);

/* Reclaims all that was retired: nobody is inside, or will ever look again (a thread that has
 * ended in a section, one that is not in this process since a fork). */
void lfb_epoch_free(lfb_epoch *epoch);

/* The slow halves: for whoever lfb_epoch_enter_plainly() does not let in; and for a thread
 * without a slot. */
void lfb_epoch_enter_slowly(lfb_epoch *epoch);
void lfb_epoch_leave_stray(lfb_epoch *epoch);

/*
 * Enters an outermost section for the price of a plain store, where it can be had for that:
 * false, and nothing has been entered, where lfb_ck_enter_plainly() says so and for threads
 * without a slot; lfb_epoch_enter_slowly() then does it.
 *
 * Gives  place  for lfb_epoch_leave_plainly().
 */
static inline bool lfb_epoch_enter_plainly(lfb_epoch *epoch, lfb_ck_place **place)
{
  *place = &epoch->places[lfb_slot_own_plus_one];
  return lfb_ck_enter_plainly(&epoch->epoch, *place);
}

/* Says to ThreadSanitizer that the section that is being left is over: what was done in it
 * comes before anything is reclaimed. */
static inline void lfb_epoch_leaving(lfb_epoch *epoch)
{
#ifdef LFB_THREAD_SANITIZER
  __tsan_release(epoch); /* pairs with the acquire in epoch_reclaim() */
#else
  (void)epoch;
#endif
}

/* Leaves what lfb_epoch_enter_plainly() entered; sections within have been left. */
static inline void lfb_epoch_leave_plainly(lfb_epoch *epoch, lfb_ck_place *place)
{
  lfb_epoch_leaving(epoch);
  lfb_ck_leave_outermost(place);
}

/* Enters a section: what is loaded from now on stays until it is left.  Sections of one
 * thread may be nested. */
static inline void lfb_epoch_enter(lfb_epoch *epoch)
{
  lfb_ck_place *place;

  if (__builtin_expect(!lfb_epoch_enter_plainly(epoch, &place), 0))
    lfb_epoch_enter_slowly(epoch);
}

/* Leaves the calling thread's innermost section. */
static inline void lfb_epoch_leave(lfb_epoch *epoch)
{
  const uint32_t own = lfb_slot_own_plus_one;

  lfb_epoch_leaving(epoch);
  if (__builtin_expect(own > 0, 1))
    (void)lfb_ck_leave(&epoch->places[own]);
  else
    lfb_epoch_leave_stray(epoch);
}

/* Whether the calling thread is in a section: for assertions. */
bool lfb_epoch_inside(lfb_epoch *epoch);

/*
 * Has reclaim(entry) called by a later poll, wait or free, once every section that is
 * under way now has been left.  What the entry is part of is no longer published.
 */
void lfb_epoch_retire(lfb_epoch *epoch, lfb_epoch_entry *entry,
                      void (*reclaim)(lfb_epoch_entry *entry));

/* Reclaims what can be by now, without waiting; how many are still pending. */
uint64_t lfb_epoch_poll(lfb_epoch *epoch);

/*
 * Returns after every section that was under way when it was called; not from inside one.
 *
 * Takes  pause  called with `context` from time to time; it gives the processor to others,
 *               and may let another of the exclusive calls run.
 */
void lfb_epoch_wait(lfb_epoch *epoch, void (*pause)(void *context), void *context);

#ifdef __cplusplus
}
#endif

#endif
