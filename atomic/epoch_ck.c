/* epoch_ck.c - the one file that knows ck_epoch.h.  Floor 1.
 *
 * Built without ThreadSanitizer (atomic/BUILD.bazel). */
#include "atomic/epoch_ck.h"

#include <ck_epoch.h>
#include <stddef.h>

#include <lfbloom/cpu.h>

_Static_assert(sizeof(ck_epoch_t) <= LFB_CK_SIZE && sizeof(ck_epoch_record_t) <= LFB_CK_SIZE &&
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

void lfb_ck_init(lfb_ck *epoch)
{
  ck_epoch_init(ck_of(epoch));
}

void lfb_ck_enter(lfb_ck *epoch, lfb_ck *place)
{
  ck_epoch_begin(ck_record(epoch, place), NULL);
  /* ck reads the epoch last, and orders nothing behind that: a pointer that was loaded
   * before it could be of the epoch before, which the next poll believes to be over. */
  ck_pr_fence_load();
}

bool lfb_ck_leave(lfb_ck *place)
{
  return ck_epoch_end((ck_epoch_record_t *)(void *)place, NULL);
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
  (void)ck_epoch_poll(ck_record(epoch, place));
}
