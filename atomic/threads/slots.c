/* slots.c - the map of free slots; a thread's exit gives its slot back. */
#include "atomic/threads/slots.h"

#include <pthread.h>
#include <stdbool.h>

#include <lfbloom/word.h>

enum {
  MAP_WORDS = LFB_SLOT_COUNT / LFB_WORD_BITS,
  ONCE_MORE = 1 << 30, /* a flag on a slot: its destructor has been called */
};

LFB_THREAD_LOCAL uint32_t lfb_slot_plus_one = 0;
LFB_THREAD_LOCAL uint32_t lfb_slot_own_plus_one = 0;

static lfb_word slots_map[MAP_WORDS]; /* bit s is on while slot s has an owner */
static lfb_word slots_shared_next;    /* spreads the threads without a slot    */
static lfb_word slots_key; /* the key of slots_at_exit() plus one; 0: none yet */

static uint32_t slots_remember(uint32_t slot)
{
  lfb_slot_plus_one = slot + 1;
  lfb_slot_own_plus_one = slot < LFB_SLOT_COUNT ? slot + 1 : 0;
  return slot;
}

/* Takes a number that other threads may have too: for threads without a slot. */
static uint32_t slots_share(void)
{
  /* relaxed: the ticket only spreads threads.  The wrap at 2^16 keeps the sum below 2^32. */
  const uint64_t ticket = lfb_add_u64(&slots_shared_next, 1, memory_order_relaxed);
  return slots_remember(LFB_SLOT_COUNT + (uint32_t)(ticket % 65536));
}

static void slots_give(uint32_t slot)
{
  /* release: pairs with the acquire in slots_take_from().  The next owner of the slot then sees
   * all that this thread wrote as the slot's only writer. */
  atomic_fetch_and_explicit(&slots_map[slot / LFB_WORD_BITS],
                            ~(UINT64_C(1) << (slot % LFB_WORD_BITS)), memory_order_release);
}

/* Makes the thread's exit call slots_at_exit() with a value.  Returns whether it will. */
static bool slots_note(uintptr_t value)
{
  /* acquire: pairs with the release in slots_has_key(), so that the key exists for pthread. */
  const uint64_t plus_one = atomic_load_explicit(&slots_key, memory_order_acquire);

  return pthread_setspecific((pthread_key_t)(plus_one - 1), (void *)value) == 0;
}

/* Runs at the exit of a thread that owns a slot.  It gives the slot back in the next round of
 * destructors: other destructors of this round may still leave sections that the thread entered
 * at its slot.  Destructors that run later may still put.  The thread then has no slot, since no
 * destructor would give back a second one. */
static void slots_at_exit(void *given)
{
  const uint32_t plus_one = (uint32_t)(uintptr_t)given & ~(uint32_t)ONCE_MORE;
  const uintptr_t again = plus_one | (uint32_t)ONCE_MORE;

  if ((uintptr_t)given != again && slots_note(again))
    return;
  slots_share();
  slots_give(plus_one - 1);
}

/* Makes the key unless there is one.  Returns whether there is one.  Not by pthread_once(): a
 * thread that never runs again inside it would block all others. */
static bool slots_has_key(void)
{
  uint64_t seen = lfb_word_get(&slots_key);
  pthread_key_t made;

  if (seen != 0)
    return true;
  if (pthread_key_create(&made, slots_at_exit) != 0)
    return false;
  /* release: pairs with the acquire in slots_note().  The CAS fails if another thread has made a
   * key before. */
  if (!lfb_cas_u64(&slots_key, &seen, (uint64_t)made + 1, memory_order_release))
    (void)pthread_key_delete(made);
  return true;
}

/* Takes the lowest free slot of one map word; LFB_SLOT_COUNT if there is none. */
static uint32_t slots_take_from(uint32_t map_word)
{
  lfb_word *word = &slots_map[map_word];
  uint64_t seen = atomic_load_explicit(word, memory_order_relaxed);

  while (~seen != 0) {
    const uint32_t bit = (uint32_t)__builtin_ctzll(~seen);
    /* acquire: pairs with the release in slots_give(). */
    if (lfb_cas_u64(word, &seen, seen | UINT64_C(1) << bit, memory_order_acquire))
      return map_word * LFB_WORD_BITS + bit;
  }
  return LFB_SLOT_COUNT;
}

uint32_t lfb_slot_take(void)
{
  /* First, so that a signal handler that interrupts this function finds a number. */
  const uint32_t shared = slots_share();

  if (!slots_has_key())
    return shared;
  uint32_t slot = LFB_SLOT_COUNT;
  for (uint32_t i = 0; i < MAP_WORDS && slot == LFB_SLOT_COUNT; i++)
    slot = slots_take_from(i);
  if (slot == LFB_SLOT_COUNT)
    return shared;
  if (!slots_note(slot + 1)) {
    slots_give(slot);
    return shared;
  }
  return slots_remember(slot);
}
