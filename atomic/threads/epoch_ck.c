/* epoch_ck.c - the one file that knows ck_epoch.h.
 *
 * Built without ThreadSanitizer (atomic/BUILD.bazel). */
#define _GNU_SOURCE /* syscall */
#include "atomic/threads/epoch_ck.h"

#include <ck_epoch.h>
#include <linux/membarrier.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <lfbloom/cpu.h>

_Static_assert(sizeof(ck_epoch_t) <= sizeof((lfb_ck_epoch *)0)->ck, "an epoch has room for ck's");
_Static_assert(_Alignof(ck_epoch_t) <= _Alignof(lfb_ck_epoch), "and stands where ck's may");
_Static_assert(sizeof(ck_epoch_record_t) <= sizeof(lfb_ck_place) &&
                   sizeof(lfb_ck_place) % LFB_CACHE_LINE == 0 &&
                   _Alignof(ck_epoch_record_t) <= LFB_CACHE_LINE,
               "a place has room for a record, and is whole cache lines");
_Static_assert(offsetof(ck_epoch_record_t, epoch) == offsetof(lfb_ck_place, epoch) &&
                   offsetof(ck_epoch_record_t, active) == offsetof(lfb_ck_place, active) &&
                   sizeof((ck_epoch_record_t *)0)->active == sizeof((lfb_ck_place *)0)->active,
               "what readers write is where ck looks");
_Static_assert(sizeof(ck_epoch_entry_t) <= sizeof((lfb_ck_entry *)0)->ck,
               "an entry has room for ck's");
_Static_assert(offsetof(lfb_ck_entry, ck) == 0, "an entry begins with ck's");

static ck_epoch_t *ck_of(lfb_ck_epoch *epoch)
{
  return (ck_epoch_t *)(void *)epoch;
}

static ck_epoch_record_t *ck_record(lfb_ck_place *place)
{
  return (ck_epoch_record_t *)(void *)place;
}

/* The place's record, part of the epoch from the first call on: nothing but a push on ck's
 * list of records, which retries only because another thread has pushed one. */
static ck_epoch_record_t *ck_record_in(lfb_ck_epoch *epoch, lfb_ck_place *place)
{
  ck_epoch_record_t *record = ck_record(place);

  if (record->global == NULL)
    ck_epoch_register(ck_of(epoch), record, NULL);
  return record;
}

static bool ck_barrier(int command)
{
  return syscall(SYS_membarrier, command, 0, 0) == 0;
}

/* Tells readers the epoch's number; but 0 is what a place has that is not in the list. */
static void ck_tell(lfb_ck_epoch *epoch)
{
  const uint64_t now = ck_pr_load_uint(&ck_of(epoch)->epoch);

  /* release: pairs with the acquire in lfb_ck_enter_plainly(). */
  atomic_store_explicit(&epoch->plain, epoch->by_writer && now != 0 ? now : LFB_CK_NONE,
                        memory_order_release);
}

void lfb_ck_init(lfb_ck_epoch *epoch)
{
  ck_epoch_init(ck_of(epoch));
  epoch->by_writer = ck_barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
  ck_tell(epoch);
}

/*
 * As ck_epoch_begin(), less its barrier between the store that says that the reader is
 * inside and the loads of what it came for: a locked operation, which holds up all loads
 * behind it, so that queries of a filter in memory could not overlap.  lfb_ck_poll() brings
 * it instead: lfb_ck_enter_plainly() says how.
 */
static void ck_begin_plainly(const ck_epoch_t *epoch, ck_epoch_record_t *record)
{
  if (record->active == 0) {
    ck_pr_store_uint(&record->active, 1);
    ck_pr_barrier(); /* of the compiler */
    ck_pr_store_uint(&record->epoch, ck_pr_load_uint(&epoch->epoch));
  } else {
    ck_pr_store_uint(&record->active, record->active + 1);
  }
}

void lfb_ck_enter(lfb_ck_epoch *epoch, lfb_ck_place *place)
{
  ck_epoch_record_t *record = ck_record_in(epoch, place);

  if (epoch->by_writer)
    ck_begin_plainly(ck_of(epoch), record);
  else
    ck_epoch_begin(record, NULL);
  /* ck reads the epoch last, and orders nothing behind that: a pointer that was loaded
   * before it could be of the epoch before, which the next poll believes to be over. */
  ck_pr_fence_load();
}

static void ck_reclaim(ck_epoch_entry_t *entry)
{
  lfb_ck_entry *whole = (lfb_ck_entry *)(void *)entry;
  whole->reclaim(whole);
}

void lfb_ck_retire(lfb_ck_epoch *epoch, lfb_ck_place *place, lfb_ck_entry *entry)
{
  ck_epoch_call(ck_record_in(epoch, place), (ck_epoch_entry_t *)(void *)entry, ck_reclaim);
}

void lfb_ck_poll(lfb_ck_epoch *epoch, lfb_ck_place *place)
{
  /* Whoever has not been seen inside after this loads what is published by now. */
  if (epoch->by_writer && !ck_barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
    return;
  (void)ck_epoch_poll(ck_record_in(epoch, place));
  ck_tell(epoch);
}

void lfb_ck_reclaim_all(lfb_ck_place *place)
{
  ck_epoch_reclaim(ck_record(place));
}
