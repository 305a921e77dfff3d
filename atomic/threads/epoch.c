/* epoch.c - sections, and what is retired. */
#include "atomic/threads/epoch.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>

enum {
  STRAYS = 1 + LFB_SLOT_COUNT, /* where their places begin       */
  WRITER = STRAYS + LFB_EPOCH_STRAYS,
  PLACES,
  /* A poll moves the epoch on by one, and what is retired waits for two. */
  POLLS = 4,
};

lfb_status lfb_epoch_init(lfb_epoch *epoch)
{
  /* calloc, so that places that nobody enters are never touched. */
  void *memory = calloc(1, PLACES * sizeof(lfb_ck_place) + LFB_CACHE_LINE);

  if (memory == NULL)
    return LFB_ERROR_NO_MEMORY;
  const uintptr_t line =
      ((uintptr_t)memory + LFB_CACHE_LINE - 1) & ~((uintptr_t)LFB_CACHE_LINE - 1);
  lfb_ck_place *places = (lfb_ck_place *)line;
  *epoch = (lfb_epoch){.places = places, .writer = &places[WRITER], .memory = memory};
  lfb_ck_init(&epoch->epoch);
  /* Of nobody, who is always inside, so that nobody enters it.
   * relaxed: whoever enters got the epoch from the calling thread. */
  atomic_store_explicit(&places[0].active, 1, memory_order_relaxed);
  return LFB_OK;
}

void lfb_epoch_free(lfb_epoch *epoch)
{
  if (epoch->pending > 0)
    lfb_ck_reclaim_all(epoch->writer);
  free(epoch->memory);
}

/* ---- threads without a slot ------------------------------------------------ */

/* A number that no other living thread has: where a variable of its own is. */
static uint64_t epoch_me(void)
{
  return (uint64_t)(uintptr_t)&lfb_slot_plus_one;
}

/* The stray's place that belongs to `owner`; LFB_EPOCH_STRAYS where none does. */
static uint32_t epoch_stray_of(lfb_epoch *epoch, uint64_t owner)
{
  uint32_t i = 0;

  /* relaxed: looks for what this thread itself has written. */
  while (i < LFB_EPOCH_STRAYS &&
         atomic_load_explicit(&epoch->owners[i], memory_order_relaxed) != owner)
    i++;
  return i;
}

/* Takes a free place: of those that do, one at least gets on. */
static uint32_t epoch_stray_take(lfb_epoch *epoch)
{
  for (;;) {
    for (uint32_t i = 0; i < LFB_EPOCH_STRAYS; i++) {
      uint64_t nobody = 0;
      /* relaxed: a look before the attempt. */
      if (atomic_load_explicit(&epoch->owners[i], memory_order_relaxed) == 0 &&
          /* acquire: pairs with the release in lfb_epoch_leave_stray(), so that the
           * place is as its last owner left it. */
          lfb_cas_u64(&epoch->owners[i], &nobody, epoch_me(), memory_order_acquire))
        return i;
    }
    sched_yield(); /* all are inside */
  }
}

static void epoch_enter_stray(lfb_epoch *epoch)
{
  uint32_t stray = epoch_stray_of(epoch, epoch_me());

  if (stray == LFB_EPOCH_STRAYS)
    stray = epoch_stray_take(epoch);
  lfb_ck_enter(&epoch->epoch, &epoch->places[STRAYS + stray]);
}

void lfb_epoch_enter_slowly(lfb_epoch *epoch)
{
  (void)lfb_slot(); /* takes one, if the thread never has */
  if (lfb_slot_own_plus_one > 0)
    lfb_ck_enter(&epoch->epoch, &epoch->places[lfb_slot_own_plus_one]);
  else
    epoch_enter_stray(epoch);
}

void lfb_epoch_leave_stray(lfb_epoch *epoch)
{
  const uint32_t stray = epoch_stray_of(epoch, epoch_me());

  assert(stray < LFB_EPOCH_STRAYS);
  if (lfb_ck_leave(&epoch->places[STRAYS + stray]))
    /* release: pairs with the acquire in epoch_stray_take(). */
    atomic_store_explicit(&epoch->owners[stray], 0, memory_order_release);
}

bool lfb_epoch_inside(lfb_epoch *epoch)
{
  const uint32_t own = lfb_slot_own_plus_one;

  return own > 0 ? lfb_ck_inside(&epoch->places[own]) > 0
                 : epoch_stray_of(epoch, epoch_me()) < LFB_EPOCH_STRAYS;
}

/* ---- retiring -------------------------------------------------------------- */

/* What ck calls, not from an instrumented file, once nobody can have the entry. */
static void epoch_reclaim(lfb_ck_entry *ck)
{
  lfb_epoch_entry *entry = (lfb_epoch_entry *)(void *)ck;
  lfb_epoch *epoch = entry->epoch;

#ifdef LFB_THREAD_SANITIZER
  __tsan_acquire(epoch); /* pairs with the release of every section that was left */
#endif
  epoch->pending--;
  entry->reclaim(entry);
}

void lfb_epoch_retire(lfb_epoch *epoch, lfb_epoch_entry *entry,
                      void (*reclaim)(lfb_epoch_entry *entry))
{
  *entry = (lfb_epoch_entry){.ck = {.reclaim = epoch_reclaim}, .epoch = epoch, .reclaim = reclaim};
  epoch->pending++;
  lfb_ck_retire(&epoch->epoch, epoch->writer, &entry->ck);
}

uint64_t lfb_epoch_poll(lfb_epoch *epoch)
{
  for (int i = 0; i < POLLS && epoch->pending > 0; i++)
    lfb_ck_poll(&epoch->epoch, epoch->writer);
  return epoch->pending;
}

/* What is retired so that its going tells of all that was under way before. */
typedef struct epoch_marker {
  lfb_epoch_entry entry; /* first */
  bool gone;
} epoch_marker;

static void epoch_mark_gone(lfb_epoch_entry *entry)
{
  ((epoch_marker *)(void *)entry)->gone = true;
}

void lfb_epoch_wait(lfb_epoch *epoch, void (*pause)(void *context), void *context)
{
  epoch_marker marker = {.gone = false};

  assert(!lfb_epoch_inside(epoch));
  lfb_epoch_retire(epoch, &marker.entry, epoch_mark_gone);
  while (lfb_epoch_poll(epoch), !marker.gone)
    pause(context); /* somebody is inside */
}
