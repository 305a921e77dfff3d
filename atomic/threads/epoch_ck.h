/*
 * epoch_ck.h - ConcurrencyKit's epochs as they are: what atomic/threads/epoch.h stands on.
 *
 * epoch_ck.c alone includes ck_epoch.h, and alone is compiled without ThreadSanitizer:
 * ck's barriers are assembly that the sanitizer cannot see, so that it would report races
 * where there are none.  Whoever calls this says to the sanitizer what it orders.
 *
 * What a reader does each time is here instead, on the words of ck's record, whose places
 * epoch_ck.c checks: with calls a query through versions took 48 instructions beside the
 * filter's own, now 20 (query_present/versions/16MiB/single).  A processor has only so many
 * under way, so the fewer a query takes, the more queries wait for memory at once.
 *
 * Source: Concurrency Kit, ck_epoch.h and ck_epoch.c, 0.7; Fraser, "Practical
 * Lock-Freedom", 2004; the barrier by the writer: Desnoyers et al., "User-Level
 * Implementations of Read-Copy Update", 2012.
 */
#ifndef LFB_ATOMIC_EPOCH_CK_H
#define LFB_ATOMIC_EPOCH_CK_H

#include <lfbloom/c11.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LFB_CK_NONE UINT64_MAX

/* An epoch; all zero at first. */
typedef struct lfb_ck_epoch {
  uint64_t ck[4]; /* ck's own; begins with the number of the epoch */
  /* That number, perhaps not the newest one, where readers may enter by plain stores; else
   * LFB_CK_NONE, which no place's is. */
  LFB_ATOMIC(uint64_t) plain;
  bool by_writer; /* whether they may: the writer brings the barrier for them */
} lfb_ck_epoch;

/* A place in it from which one thread at a time enters; all zero at first, on a cache line.
 * A place, once entered, stays in its epoch's list. */
typedef struct lfb_ck_place {
  uint64_t head[2];              /* ck's own                                          */
  uint32_t state;                /* ck's own                                          */
  LFB_ATOMIC(uint32_t) epoch;    /* its number when the last outermost section was
                                  * entered; 0 before the first one                   */
  LFB_ATOMIC(uint32_t) active;   /* sections that it is in                            */
  uint32_t tail[57];             /* ck's own                                          */
} lfb_ck_place;

/* What waits to be reclaimed: the first part of it. */
typedef struct lfb_ck_entry lfb_ck_entry;
struct lfb_ck_entry {
  void *ck[2];                         /* ck_epoch_entry_t                 */
  void (*reclaim)(lfb_ck_entry *entry); /* called once nobody can have it   */
};

void lfb_ck_init(lfb_ck_epoch *epoch);

/* Enters; may be nested.  Plain stores where the system has membarrier(2), Linux 4.14;
 * else a locked operation. */
void lfb_ck_enter(lfb_ck_epoch *epoch, lfb_ck_place *place);

/* How many sections the place is in. */
static inline uint32_t lfb_ck_inside(const lfb_ck_place *place)
{
  /* relaxed: the calling thread alone writes it. */
  return LFB_STD atomic_load_explicit(&place->active, LFB_STD memory_order_relaxed);
}

/*
 * Enters as lfb_ck_enter() does, most of the time: false, and nothing has been done, inside
 * a section, at a place's first time, at its first in an epoch, and where the system has no
 * membarrier(2).
 *
 * Order  The store that says that the reader is inside may become visible after the loads
 *        of what it came for; no barrier of the reader's prevents that.  lfb_ck_poll()
 *        does: before it looks who is inside, each processor that runs a thread of this
 *        process passes a full barrier.  A reader's store is either before its barrier, and
 *        seen; or its loads are after it, and find what was published before the poll,
 *        hence nothing of what that poll and those before it reclaim.
 *        The epoch's number may be loaded before the store, and be an old one, as
 *        ck_epoch_begin() says of its own: it only holds the writer up.  The place has that
 *        number already, so that it need not be stored.
 */
static inline bool lfb_ck_enter_plainly(const lfb_ck_epoch *epoch, lfb_ck_place *place)
{
  if (__builtin_expect(lfb_ck_inside(place) > 0, 0))
    return false;
  /* acquire: pairs with the release in lfb_ck_poll().  A pointer that was loaded before the
   * number could be of the epoch before, which the next poll believes to be over. */
  const uint64_t now = LFB_STD atomic_load_explicit(&epoch->plain, LFB_STD memory_order_acquire);
  /* relaxed: the calling thread alone writes it. */
  if (__builtin_expect(
          now != LFB_STD atomic_load_explicit(&place->epoch, LFB_STD memory_order_relaxed), 0))
    return false;
  /* relaxed: as said above .. */
  LFB_STD atomic_store_explicit(&place->active, 1, LFB_STD memory_order_relaxed);
  /* .. but the compiler keeps the order, so that it is the processor's to mend. */
  LFB_STD atomic_signal_fence(LFB_STD memory_order_seq_cst);
  return true;
}

/* Leaves an outermost section. */
static inline void lfb_ck_leave_outermost(lfb_ck_place *place)
{
  /* release: what was loaded inside was loaded before whoever polls sees this. */
  LFB_STD atomic_store_explicit(&place->active, 0, LFB_STD memory_order_release);
}

/* Leaves; whether that was the outermost section of the place. */
static inline bool lfb_ck_leave(lfb_ck_place *place)
{
  const uint32_t active = lfb_ck_inside(place);

  if (__builtin_expect(active > 1, 0)) {
    /* relaxed: the section goes on. */
    LFB_STD atomic_store_explicit(&place->active, active - 1, LFB_STD memory_order_relaxed);
    return false;
  }
  lfb_ck_leave_outermost(place);
  return true;
}

/* Has `entry` reclaimed by a later poll of the same place. */
void lfb_ck_retire(lfb_ck_epoch *epoch, lfb_ck_place *place, lfb_ck_entry *entry);

/* Looks at all places, and reclaims what was retired at this one and nobody can have.
 * Enters the kernel. */
void lfb_ck_poll(lfb_ck_epoch *epoch, lfb_ck_place *place);

/* Reclaims all that was retired at a place, at once and whoever is inside. */
void lfb_ck_reclaim_all(lfb_ck_place *place);

#ifdef __cplusplus
}
#endif

#endif
