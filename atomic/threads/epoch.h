/*
 * epoch.h - safe reclamation: a retired object is reclaimed only after every reader that could
 * have a pointer to it has left its section.
 *
 * A reader enters a section, loads a published pointer, uses the object, and leaves.  The
 * writer publishes another pointer and retires the old object.  Each retirement ends one
 * number of the epoch and begins the next.  A reader that enters loads the number and stores it
 * in its place.  The object is reclaimed once no place holds the number that its retirement
 * ended, or a lower one.
 *
 * Correct    A reader that loads the new number does not find the retired object: the writer
 *            stores the number with release, and the reader loads it with acquire.  So the
 *            reader's next loads see the pointer that replaced the retired object, or a later one.
 *            For a reader that loads a lower number there are two cases.  Either the writer's
 *            scan of the places sees that number, and the object stays.  Or the reader loads
 *            the pointer after the barrier that precedes the scan, and sees the new pointer.
 * Barrier    The reader's store to its place may become visible after its later loads.  The
 *            writer prevents that by membarrier(2): every processor that runs a thread of this
 *            process passes a full barrier.  Either the reader's store comes before that
 *            barrier, or the reader's later loads come after it.  If the kernel refused
 *            membarrier(2) at init (before Linux 4.14, or by a seccomp filter), each reader
 *            executes a fence of its own.
 * Places     A thread enters at the place of its slot (slots.h); no other thread writes to that
 *            place.  A place that counts 2^28 - 1 sections within one another stays entered
 *            permanently, as if its thread never ran again.  A thread without a slot (beyond
 *            1024 living threads) takes one of LFB_EPOCH_STRAYS places while it is in its
 *            outermost section.
 * Ordering   What a reader did before it left happens before the object is reclaimed.
 *            The user publishes: store-release before retire, load-acquire after enter.
 * Progress   enter and leave are wait-free: a bounded number of steps.  They do not allocate or
 *            enter the kernel, except in a thread's first lfb_slot().  Of the threads without a
 *            slot, only LFB_EPOCH_STRAYS can be inside; a further one waits.  retire and poll
 *            wait for no thread; poll enters the kernel.  lfb_epoch_wait() waits for all
 *            sections in progress.
 * Stopped    A thread that never runs again inside a section, or ends in one, costs the memory
 *            of what is retired from then on, and blocks lfb_epoch_wait(); nothing else.
 * Refused    If the kernel granted membarrier(2) at init but refuses it later (a seccomp
 *            filter), nothing is reclaimed before free, and lfb_epoch_wait() does not return.
 * Exclusive  retire, poll and wait: one call at a time.  init and free run alone.
 * Shared     An epoch to which nothing is retired only counts: any thread begins its next number
 *            (lfb_epoch_next()), and sees which number the slowest section began at.
 * Signals    A handler may enter and leave if its thread has a slot.
 * Fork       Sections of other threads that are in progress stay entered in the child.
 * Memory     1089 places of 64 bytes.
 *
 * Source: Fraser, "Practical Lock-Freedom", 2004; the writer's barrier: Desnoyers et al.,
 * "User-Level Implementations of Read-Copy Update", 2012.
 */
#ifndef LFB_ATOMIC_EPOCH_H
#define LFB_ATOMIC_EPOCH_H

#include <lfbloom/c11.h>
#include <lfbloom/cpu.h>
#include <lfbloom/status.h>

#include "atomic/threads/slots.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LFB_EPOCH_STRAYS = 64 };

/* The difference between two numbers, and the first number.  The low 28 bits of a place count
 * nested sections, the high 36 bits are the number. */
#define LFB_EPOCH_TURN (UINT64_C(1) << 28)

/* A place, at which one thread at a time enters; a cache line. */
typedef struct lfb_epoch_place {
  LFB_ATOMIC(uint64_t) since; /* 0: outside; else the number at which the outermost section
                               * began, plus the number of sections within it (Places) */
  LFB_ATOMIC(uint64_t) owner; /* the thread without a slot that has taken the place; 0: free */
  char padding[LFB_CACHE_LINE - 2 * sizeof(uint64_t)];
} lfb_epoch_place;

/* A part of each object that can be retired.  From retire to reclaim it belongs to the epoch. */
typedef struct lfb_epoch_entry lfb_epoch_entry;
struct lfb_epoch_entry {
  lfb_epoch_entry *next;
  uint64_t number; /* the one that began when the object was retired */
  void (*reclaim)(lfb_epoch_entry *entry);
};

typedef struct lfb_epoch {
  LFB_ATOMIC(uint64_t) number;   /* only grows; only the writer changes it            */
  bool by_writer;                /* the writer executes the barrier; fixed by init    */
  lfb_epoch_place *places;       /* one of no thread, then the slots', then the strays' */
  lfb_epoch_entry *first, *last; /* retired and not reclaimed, the oldest first       */
  uint64_t pending;              /* the number of those entries                       */
} lfb_epoch;

/* Makes an epoch.  Fails: LFB_ERROR_NO_MEMORY. */
lfb_status lfb_epoch_init(lfb_epoch *epoch);

/* Reclaims all that was retired and frees the epoch.  No thread is inside, except threads that
 * will never use it again: they ended in a section, or exist only in the parent of a fork. */
void lfb_epoch_free(lfb_epoch *epoch);

/* The slow halves: enters a section that lfb_epoch_enter_plainly() refuses; leaves a section of
 * a thread without a slot. */
void lfb_epoch_enter_slowly(lfb_epoch *epoch);
void lfb_epoch_leave_stray(lfb_epoch *epoch);

/*
 * Enters an outermost section at the cost of a plain store.  Returns false and enters nothing if
 * the thread is inside a section or has no slot, or if the writer does not execute the barrier.
 * The caller then uses lfb_epoch_enter_slowly().
 *
 * Gives  place  for lfb_epoch_leave_plainly().
 */
static inline bool lfb_epoch_enter_plainly(const lfb_epoch *epoch, lfb_epoch_place **place)
{
  lfb_epoch_place *own = &epoch->places[lfb_slot_own_plus_one];

  *place = own;
  /* relaxed: the calling thread alone writes its place. */
  if (__builtin_expect(
          LFB_STD atomic_load_explicit(&own->since, LFB_STD memory_order_relaxed) != 0, 0) ||
      __builtin_expect(!epoch->by_writer, 0))
    return false;
  /* acquire: pairs with the release in epoch_turn().  Without it, the section could load a
   * pointer that was replaced before this number began. */
  const uint64_t now = LFB_STD atomic_load_explicit(&epoch->number, LFB_STD memory_order_acquire);
  /* relaxed: the writer's barrier orders this store before the section's loads.  The writer may
   * read this value instead of the place's last leave, and must acquire that leave by it.  If
   * this thread left, C11's release sequence does that.  If the slot has had another owner, the
   * processor does: a store that follows an acquire becomes visible to no thread before what was
   * acquired (x86, ARMv8, RISC-V). */
  LFB_STD atomic_store_explicit(&own->since, now, LFB_STD memory_order_relaxed);
  /* Keeps the compiler from moving the section's loads before the store. */
  LFB_STD atomic_signal_fence(LFB_STD memory_order_seq_cst);
  return true;
}

/* Leaves an outermost section, after all sections within it. */
static inline void lfb_epoch_leave_plainly(lfb_epoch_place *place)
{
  /* release: pairs with the acquire in epoch_oldest(). */
  LFB_STD atomic_store_explicit(&place->since, 0, LFB_STD memory_order_release);
}

/* Whether a place counts as many sections as it can.  It is then never changed again. */
static inline bool lfb_epoch_full(uint64_t since)
{
  return (since + 1) % LFB_EPOCH_TURN == 0;
}

/* Leaves the innermost section of the calling thread's place.  Returns whether it was the
 * outermost too. */
static inline bool lfb_epoch_leave_place(lfb_epoch_place *place)
{
  /* relaxed: the calling thread alone writes its place. */
  const uint64_t since = LFB_STD atomic_load_explicit(&place->since, LFB_STD memory_order_relaxed);

  if (__builtin_expect(since % LFB_EPOCH_TURN == 0, 1)) {
    lfb_epoch_leave_plainly(place);
    return true;
  }
  /* relaxed: the outermost section continues. */
  if (!lfb_epoch_full(since))
    LFB_STD atomic_store_explicit(&place->since, since - 1, LFB_STD memory_order_relaxed);
  return false;
}

/* Enters a section.  If the thread loads a published pointer inside the section, the object is not
 * reclaimed before the thread has left it.  Sections of one thread may be nested. */
static inline void lfb_epoch_enter(lfb_epoch *epoch)
{
  lfb_epoch_place *place;

  if (__builtin_expect(!lfb_epoch_enter_plainly(epoch, &place), 0))
    lfb_epoch_enter_slowly(epoch);
}

/* Leaves the calling thread's innermost section. */
static inline void lfb_epoch_leave(lfb_epoch *epoch)
{
  const uint32_t own = lfb_slot_own_plus_one;

  if (__builtin_expect(own > 0, 1))
    (void)lfb_epoch_leave_place(&epoch->places[own]);
  else
    lfb_epoch_leave_stray(epoch);
}

/* Whether the calling thread is inside a section: for assertions. */
bool lfb_epoch_inside(lfb_epoch *epoch);

/* The current number, counted from 1. */
LFB_INLINE uint64_t lfb_epoch_now(const lfb_epoch *epoch)
{
  /* seq_cst: the users of lfb_epoch_next() order their own operations by it. */
  return LFB_STD atomic_load_explicit(&epoch->number, LFB_STD memory_order_seq_cst) /
         LFB_EPOCH_TURN;
}

/* The lowest number at which a thread that is inside entered; UINT64_MAX / LFB_EPOCH_TURN if no
 * thread is inside, 0 if the kernel refuses the barrier.  If a thread enters during the call and is
 * missed, its later loads see what the caller wrote before the call.  Any thread may call it. */
uint64_t lfb_epoch_oldest(lfb_epoch *epoch);

/* Begins number `from` + 1 if `from` is current.  Returns whether this call did.  Any thread may
 * call it, for an epoch to which nothing is ever retired. */
bool lfb_epoch_next(lfb_epoch *epoch, uint64_t from);

/*
 * Retires the object of `entry`, which is no longer published.  A later poll, wait or free calls
 * reclaim(entry) after every section that is in progress now has been left.
 */
void lfb_epoch_retire(lfb_epoch *epoch, lfb_epoch_entry *entry,
                      void (*reclaim)(lfb_epoch_entry *entry));

/* Reclaims what can be reclaimed now.  Returns how many objects are still pending. */
uint64_t lfb_epoch_poll(lfb_epoch *epoch);

/*
 * Returns after every section has been left that was in progress at the call.  May not be called
 * inside a section.
 *
 * Takes  pause  called with `context` from time to time.  It yields the processor, and may let
 *               another of the exclusive calls run.
 */
void lfb_epoch_wait(lfb_epoch *epoch, void (*pause)(void *context), void *context);

#ifdef __cplusplus
}
#endif

#endif
