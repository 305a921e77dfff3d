/* epoch.c - entering and leaving places, retiring and reclaiming objects; argued in epoch.h. */
#define _GNU_SOURCE /* syscall */
#include "atomic/threads/epoch.h"

#include <assert.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
  STRAYS = 1 + LFB_SLOT_COUNT, /* the first place for threads without a slot */
  PLACES = STRAYS + LFB_EPOCH_STRAYS,
};

static bool epoch_membarrier(int command)
{
  return syscall(SYS_membarrier, command, 0, 0) == 0;
}

lfb_status lfb_epoch_init(lfb_epoch *epoch)
{
  lfb_epoch_place *places = aligned_alloc(LFB_CACHE_LINE, PLACES * sizeof *places);

  if (places == NULL)
    return LFB_ERROR_NO_MEMORY;
  memset(places, 0, PLACES * sizeof *places);
  *epoch = (lfb_epoch){.by_writer = epoch_membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED),
                       .places = places};
  /* relaxed: the caller publishes the epoch to other threads.  Place 0 belongs to no thread and is
   * always entered: a thread without a slot, which reads it, does not enter plainly. */
  atomic_store_explicit(&epoch->number, LFB_EPOCH_TURN, memory_order_relaxed);
  atomic_store_explicit(&epoch->places[0].since, LFB_EPOCH_TURN, memory_order_relaxed);
  return LFB_OK;
}

/* ---- readers --------------------------------------------------------------- */

/* The place that `owner`, a thread without a slot, has taken; for 0 a free place.  NULL if there
 * is none. */
static lfb_epoch_place *epoch_stray_of(lfb_epoch *epoch, uint64_t owner)
{
  for (uint32_t i = STRAYS; i < PLACES; i++)
    /* relaxed: a thread looks for its own write.  A free place is taken by a CAS later. */
    if (atomic_load_explicit(&epoch->places[i].owner, memory_order_relaxed) == owner)
      return &epoch->places[i];
  return NULL;
}

/* A number that no other living thread has: the address of a thread-local variable. */
static uint64_t epoch_me(void)
{
  return (uint64_t)(uintptr_t)&lfb_slot_plus_one;
}

/* Takes a free place.  If the CAS fails, another thread has taken the place. */
static lfb_epoch_place *epoch_take_stray(lfb_epoch *epoch)
{
  for (;;) {
    uint64_t unowned = 0;
    lfb_epoch_place *place = epoch_stray_of(epoch, unowned);
    if (place == NULL)
      sched_yield(); /* all are inside */
    /* acquire: pairs with the release in lfb_epoch_leave_stray(), after the last owner's leave. */
    else if (lfb_cas_u64(&place->owner, &unowned, epoch_me(), memory_order_acquire))
      return place;
  }
}

/* The calling thread's place; NULL if it has no slot and is outside sections. */
static lfb_epoch_place *epoch_own(lfb_epoch *epoch)
{
  const uint32_t own = lfb_slot_own_plus_one;

  return own > 0 ? &epoch->places[own] : epoch_stray_of(epoch, epoch_me());
}

/* Reads the calling thread's own place. */
static uint64_t epoch_since(const lfb_epoch_place *place)
{
  /* relaxed: the calling thread alone writes it. */
  return atomic_load_explicit(&place->since, memory_order_relaxed);
}

bool lfb_epoch_inside(lfb_epoch *epoch)
{
  const lfb_epoch_place *place = epoch_own(epoch);

  return place != NULL && epoch_since(place) != 0;
}

void lfb_epoch_enter_slowly(lfb_epoch *epoch)
{
  (void)lfb_slot(); /* the thread's first call takes a slot */
  lfb_epoch_place *place = epoch_own(epoch);
  if (place == NULL)
    place = epoch_take_stray(epoch);
  const uint64_t since = epoch_since(place);
  /* relaxed: the fence below makes it an acquire. */
  const uint64_t now = atomic_load_explicit(&epoch->number, memory_order_relaxed);
  if (lfb_epoch_full(since))
    return;
  /* release: pairs with the acquire in epoch_oldest().  The writer may read this value instead of
   * the last owner's leave, which the calling thread acquired when it took the place. */
  atomic_store_explicit(&place->since, since == 0 ? now : since + 1, memory_order_release);
  if (since == 0)
    /* seq_cst: orders the store before the section's loads; pairs with that in epoch_oldest(). */
    lfb_fence(memory_order_seq_cst);
}

void lfb_epoch_leave_stray(lfb_epoch *epoch)
{
  lfb_epoch_place *place = epoch_own(epoch);

  assert(place != NULL);
  if (lfb_epoch_leave_place(place))
    /* release: pairs with the acquire in epoch_take_stray(). */
    atomic_store_explicit(&place->owner, 0, memory_order_release);
}

/* ---- the writer ------------------------------------------------------------ */

/* Begins the next number and returns it.  A reader that loads this number does not find an object
 * that was unpublished before. */
static uint64_t epoch_turn(lfb_epoch *epoch)
{
  /* relaxed: the writer alone changes it. */
  const uint64_t next =
      atomic_load_explicit(&epoch->number, memory_order_relaxed) + LFB_EPOCH_TURN;

  /* release: pairs with the acquire in lfb_epoch_enter_plainly() and the fence of the slow half. */
  atomic_store_explicit(&epoch->number, next, memory_order_release);
  return next;
}

/* The lowest number that a place holds; UINT64_MAX if no thread is inside, 0 if the kernel
 * refuses the barrier. */
static uint64_t epoch_oldest(lfb_epoch *epoch)
{
  uint64_t oldest = UINT64_MAX;

  if (epoch->by_writer && !epoch_membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
    return 0;
  lfb_fence(memory_order_seq_cst); /* pairs with that of readers that entered slowly */
  for (uint32_t i = 1; i < PLACES; i++) {
    /* acquire: pairs with the release in lfb_epoch_leave_plainly(). */
    const uint64_t since = atomic_load_explicit(&epoch->places[i].since, memory_order_acquire);
    if (since != 0 && since < oldest)
      oldest = since;
  }
  return oldest;
}

/* Reclaims what was retired when the number `oldest` began, or earlier. */
static void epoch_reclaim(lfb_epoch *epoch, uint64_t oldest)
{
  lfb_epoch_entry *entry;

  while ((entry = epoch->first) != NULL && entry->number <= oldest) {
    epoch->first = entry->next;
    epoch->pending--;
    entry->reclaim(entry);
  }
}

uint64_t lfb_epoch_oldest(lfb_epoch *epoch)
{
  return epoch_oldest(epoch) / LFB_EPOCH_TURN;
}

bool lfb_epoch_next(lfb_epoch *epoch, uint64_t from)
{
  uint64_t number = from * LFB_EPOCH_TURN;

  /* seq_cst: a user's operation in the current number comes before the next number begins. */
  return lfb_cas_u64(&epoch->number, &number, number + LFB_EPOCH_TURN, memory_order_seq_cst);
}

void lfb_epoch_free(lfb_epoch *epoch)
{
  epoch_reclaim(epoch, UINT64_MAX);
  free(epoch->places);
}

void lfb_epoch_retire(lfb_epoch *epoch, lfb_epoch_entry *entry,
                      void (*reclaim)(lfb_epoch_entry *entry))
{
  *entry = (lfb_epoch_entry){.number = epoch_turn(epoch), .reclaim = reclaim};
  if (epoch->first == NULL)
    epoch->first = entry;
  else
    epoch->last->next = entry;
  epoch->last = entry;
  epoch->pending++;
}

uint64_t lfb_epoch_poll(lfb_epoch *epoch)
{
  if (epoch->pending > 0)
    epoch_reclaim(epoch, epoch_oldest(epoch));
  return epoch->pending;
}

void lfb_epoch_wait(lfb_epoch *epoch, void (*pause)(void *context), void *context)
{
  const uint64_t next = epoch_turn(epoch);
  uint64_t oldest;

  assert(!lfb_epoch_inside(epoch));
  while (oldest = epoch_oldest(epoch), epoch_reclaim(epoch, oldest), oldest < next)
    pause(context); /* a section that began before the call is still in progress */
}
