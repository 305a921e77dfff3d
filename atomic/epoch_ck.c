/* epoch_ck.c - the one file that knows ck_epoch.h.  Floor 1.
 *
 * Built without ThreadSanitizer (atomic/BUILD.bazel). */
#define _GNU_SOURCE /* syscall */
#include "atomic/epoch_ck.h"

#include <ck_epoch.h>
#include <linux/membarrier.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <lfbloom/cpu.h>

_Static_assert(sizeof(ck_epoch_t) <= LFB_CK_BY_WRITER * sizeof(uint64_t) && sizeof(ck_epoch_record_t) <= LFB_CK_SIZE &&
                   LFB_CK_SIZE % LFB_CACHE_LINE == 0,
               "lfb_ck has room for either");
_Static_assert(_Alignof(ck_epoch_record_t) <= LFB_CACHE_LINE, "a cache line is enough");
_Static_assert(sizeof(ck_epoch_entry_t) <= sizeof((lfb_ck_entry *)0)->ck,
               "an entry has room for ck's");
_Static_assert(offsetof(lfb_ck_entry, ck) == 0, "an entry begins with ck's");

static ck_epoch_t *ck_of(lfb_ck *epoch)
{
  return (ck_epoch_t *)(void *)epoch;
}

/* The place's record, part of the epoch from the first call on: nothing but a push on ck's
 * list of records, which retries only because another thread has pushed one. */
static ck_epoch_record_t *ck_record(lfb_ck *epoch, lfb_ck *place)
{
  ck_epoch_record_t *record = (ck_epoch_record_t *)(void *)place;

  if (__builtin_expect(record->global == NULL, 0))
    ck_epoch_register(ck_of(epoch), record, NULL);
  return record;
}

static bool ck_barrier(int command)
{
  return syscall(SYS_membarrier, command, 0, 0) == 0;
}

void lfb_ck_init(lfb_ck *epoch)
{
  ck_epoch_init(ck_of(epoch));
  epoch->room[LFB_CK_BY_WRITER] = ck_barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

/*
 * As ck_epoch_begin(), less its barrier between the store that says that the reader is
 * inside and the loads of what it came for: a locked operation, which holds up all loads
 * behind it, so that queries of a filter in memory could not overlap (three times their
 * time: query_present/versions/16MiB/single).  lfb_ck_poll() has each processor that runs
 * a thread of this process pass a barrier instead, before it looks who is inside.
 */
static void ck_enter_plainly(const ck_epoch_t *epoch, ck_epoch_record_t *record)
{
  if (record->active == 0) {
    ck_pr_store_uint(&record->active, 1);
    ck_pr_barrier(); /* of the compiler */
    ck_pr_store_uint(&record->epoch, ck_pr_load_uint(&epoch->epoch));
  } else {
    ck_pr_store_uint(&record->active, record->active + 1);
  }
}

void lfb_ck_enter(lfb_ck *epoch, lfb_ck *place)
{
  ck_epoch_record_t *record = ck_record(epoch, place);

  if (__builtin_expect(epoch->room[LFB_CK_BY_WRITER] != 0, 1))
    ck_enter_plainly(ck_of(epoch), record);
  else
    ck_epoch_begin(record, NULL);
  /* ck reads the epoch last, and orders nothing behind that: a pointer that was loaded
   * before it could be of the epoch before, which the next poll believes to be over. */
  ck_pr_fence_load();
}

bool lfb_ck_leave(lfb_ck *place)
{
  ck_epoch_record_t *record = (ck_epoch_record_t *)(void *)place;

  if (__builtin_expect(record->active != 1, 0))
    return ck_epoch_end(record, NULL);
  /* As ck_epoch_end(), but for a constant: the next section's store need not wait for this
   * one to be computed. */
  ck_pr_fence_release();
  ck_pr_store_uint(&record->active, 0);
  return true;
}

bool lfb_ck_inside(const lfb_ck *place)
{
  return ((const ck_epoch_record_t *)(const void *)place)->active != 0;
}

static void ck_reclaim(ck_epoch_entry_t *entry)
{
  lfb_ck_entry *whole = (lfb_ck_entry *)(void *)entry;
  whole->reclaim(whole);
}

void lfb_ck_retire(lfb_ck *epoch, lfb_ck *place, lfb_ck_entry *entry)
{
  ck_epoch_call(ck_record(epoch, place), (ck_epoch_entry_t *)(void *)entry, ck_reclaim);
}

void lfb_ck_poll(lfb_ck *epoch, lfb_ck *place)
{
  /* Whoever has not been seen inside after this loads what is published by now. */
  if (epoch->room[LFB_CK_BY_WRITER] != 0 && !ck_barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
    return;
  (void)ck_epoch_poll(ck_record(epoch, place));
}
