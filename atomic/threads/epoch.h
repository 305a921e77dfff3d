/*
 * epoch.h - safe reclamation: an object that was taken away from readers is reclaimed only
 * after every reader that could have it has left.
 *
 * A reader enters a section, loads a published pointer, uses the object, and leaves.  The
 * writer publishes another pointer and retires the old object.  Each retirement ends one
 * number of the epoch and begins the next.  A reader that enters writes the number that it
 * reads into its place; the object is reclaimed once no place holds its number or a lower one.
 *
 * Correct    A reader that read the new number finds what was published before the object was
 *            retired: the number is stored with release and loaded with acquire.  A reader that
 *            read a lower one is either seen by the writer's scan of the places, or loads the
 *            pointer after the barrier that comes before the scan, and finds the same.
 * Barrier    The reader's store of its place may become visible after its later loads.  The
 *            writer prevents that by membarrier(2): every processor that runs a thread of this
 *            process passes a full barrier, so that a reader's store is before that barrier, or
 *            the reader's loads are after it.  Where the system had no membarrier(2) at init
 *            (before Linux 4.14, or a seccomp filter), each reader has a fence of its own.
 * Places     A thread enters at the place of its slot (slots.h), which no other thread
 *            writes to.  A place that counts 2^28 - 1 sections within one another stays entered
 *            for ever, as if its thread had stopped.  Threads without a slot, beyond 1024 living ones, take one of
 *            LFB_EPOCH_STRAYS places for the length of their outermost section.
 * Ordering   What a reader did before it left happens before the object is reclaimed.
 *            Publishing is the user's: store-release before retire, load-acquire after enter.
 * Progress   enter and leave are wait-free: a bounded number of steps, no allocation, no call
 *            into the kernel but by a thread's first lfb_slot().  Among threads without a slot
 *            only LFB_EPOCH_STRAYS can be inside; a further one waits.  retire and poll wait
 *            for nobody; poll enters the kernel.  lfb_epoch_wait() waits for all sections that
 *            are in progress.
 * Stopped    A thread that is stopped for ever inside a section, or ends in one, costs the
 *            memory of what is retired from then on and blocks lfb_epoch_wait(); nothing else.
 * Refused    If the system refuses membarrier(2) after it has granted it at init (a seccomp
 *            filter), nothing is reclaimed before free, and lfb_epoch_wait() does not return.
 * Exclusive  retire, poll and wait: one call at a time.  init and free run alone.
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

/* From one number to the next; the first is this one too.  28 bits count nested sections, 36 the
 * numbers. */
#define LFB_EPOCH_TURN (UINT64_C(1) << 28)

/* Where one thread at a time enters; a cache line. */
typedef struct lfb_epoch_place {
  LFB_ATOMIC(uint64_t) since; /* 0: outside; else the number at which the outermost section
                               * began, plus the sections within (Places) */
  LFB_ATOMIC(uint64_t) owner; /* the thread without a slot that has the place; 0: free */
  char padding[LFB_CACHE_LINE - 2 * sizeof(uint64_t)];
} lfb_epoch_place;

/* A retired object has one, which it leaves alone. */
typedef struct lfb_epoch_entry lfb_epoch_entry;
struct lfb_epoch_entry {
  lfb_epoch_entry *next;
  uint64_t number; /* that began when the object was retired */
  void (*reclaim)(lfb_epoch_entry *entry);
};

typedef struct lfb_epoch {
  LFB_ATOMIC(uint64_t) number;   /* never goes back; the writer's                     */
  bool by_writer;                /* the writer brings the barrier; fixed by init      */
  lfb_epoch_place *places;       /* the first is nobody's, then slots', then strays'  */
  void *memory;                  /* of the places                                    */
  lfb_epoch_entry *first, *last; /* retired and not reclaimed, the oldest first       */
  uint64_t pending;              /* how many                                         */
} lfb_epoch;

/* Fails: LFB_ERROR_NO_MEMORY. */
lfb_status lfb_epoch_init(lfb_epoch *epoch);

/* Reclaims all that was retired: no thread is inside, or will ever look again (it ended in a
 * section, or is not in this process since a fork). */
void lfb_epoch_free(lfb_epoch *epoch);

/* The slow halves: for a section that lfb_epoch_enter_plainly() does not enter; and for a
 * thread without a slot. */
void lfb_epoch_enter_slowly(lfb_epoch *epoch);
void lfb_epoch_leave_stray(lfb_epoch *epoch);

/*
 * Enters an outermost section for the price of a plain store.  Returns false, and has entered
 * nothing, inside a section, without a slot, and where the writer does not bring the barrier:
 * lfb_epoch_enter_slowly() then enters.
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
  /* acquire: pairs with the release in epoch_turn().  A pointer that was loaded before the
   * number could be older than the number says. */
  const uint64_t now = LFB_STD atomic_load_explicit(&epoch->number, LFB_STD memory_order_acquire);
  /* relaxed: the writer's barrier orders it before what the section loads.  It also stands for
   * the last leave of the place, which the writer then acquires: by C11's release sequence, if
   * this thread left; if the slot has another owner since, because a store that follows an
   * acquire becomes visible to no thread before what was acquired (x86, ARMv8, RISC-V). */
  LFB_STD atomic_store_explicit(&own->since, now, LFB_STD memory_order_relaxed);
  /* Keeps the compiler from reordering them. */
  LFB_STD atomic_signal_fence(LFB_STD memory_order_seq_cst);
  return true;
}

/* Leaves an outermost section; sections within have been left. */
static inline void lfb_epoch_leave_plainly(lfb_epoch_place *place)
{
  /* release: pairs with the acquire in epoch_oldest(). */
  LFB_STD atomic_store_explicit(&place->since, 0, LFB_STD memory_order_release);
}

/* Whether a place counts as many sections as it can: it then stays as it is. */
static inline bool lfb_epoch_full(uint64_t since)
{
  return (since + 1) % LFB_EPOCH_TURN == 0;
}

/* Leaves the innermost section of the calling thread's place; whether it was the outermost. */
static inline bool lfb_epoch_leave_place(lfb_epoch_place *place)
{
  /* relaxed: the calling thread alone writes its place. */
  const uint64_t since = LFB_STD atomic_load_explicit(&place->since, LFB_STD memory_order_relaxed);

  if (__builtin_expect(since % LFB_EPOCH_TURN == 0, 1)) {
    lfb_epoch_leave_plainly(place);
    return true;
  }
  /* relaxed: the outermost section goes on. */
  if (!lfb_epoch_full(since))
    LFB_STD atomic_store_explicit(&place->since, since - 1, LFB_STD memory_order_relaxed);
  return false;
}

/* Enters a section: an object whose pointer is loaded from now on stays until the section is
 * left.  Sections of one thread may be nested. */
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

/* Whether the calling thread is in a section: for assertions. */
bool lfb_epoch_inside(lfb_epoch *epoch);

/*
 * Has reclaim(entry) called by a later poll, wait or free, once every section that is in
 * progress now has been left.  The object of the entry is no longer published.
 */
void lfb_epoch_retire(lfb_epoch *epoch, lfb_epoch_entry *entry,
                      void (*reclaim)(lfb_epoch_entry *entry));

/* Reclaims what can be reclaimed now.  Returns how many are still pending. */
uint64_t lfb_epoch_poll(lfb_epoch *epoch);

/*
 * Returns after every section that was in progress when it was called; not from inside one.
 *
 * Takes  pause  called with `context` from time to time; it yields the processor, and may let
 *               another of the exclusive calls run.
 */
void lfb_epoch_wait(lfb_epoch *epoch, void (*pause)(void *context), void *context);

#ifdef __cplusplus
}
#endif

#endif
