/* outbox.c - a ring of slots; each slot holds the place it is free for, or filled for. */
#include "redis/replica/outbox.h"

#include <stdlib.h>

static uint64_t outbox_round(uint64_t count)
{
  uint64_t power = 2;

  while (power < count)
    power *= 2;
  return power;
}

lfb_status lfb_outbox_init(lfb_outbox *outbox, uint64_t count)
{
  if (count > SIZE_MAX / 2 / sizeof *outbox->slots)
    return LFB_ERROR_SIZE_OVERFLOW;
  const uint64_t size = outbox_round(count);
  lfb_outbox_slot *slots = malloc(size * sizeof *slots);
  if (slots == NULL)
    return LFB_ERROR_NO_MEMORY;
  for (uint64_t i = 0; i < size; i++)
    atomic_init(&slots[i].turn, i);
  outbox->slots = slots;
  outbox->mask = size - 1;
  outbox->taken = 0;
  atomic_init(&outbox->given, 0);
  return LFB_OK;
}

void lfb_outbox_free(lfb_outbox *outbox)
{
  free(outbox->slots);
  outbox->slots = NULL;
}

/* Takes place `*at`; its slot must be free. */
static bool outbox_win(lfb_outbox *outbox, uint64_t *at)
{
  /* acquire and release: pair with lfb_outbox_mark() (outbox.h, 2).  seq_cst: a taker that goes to
   * sleep must not miss the put; pairs with lfb_outbox_is_empty() (replica.h, Sleep). */
  return lfb_cas_u64(&outbox->given, at, *at + 1, memory_order_seq_cst);
}

/* Takes a place with a free slot; false if the outbox is full. */
static bool outbox_place(lfb_outbox *outbox, uint64_t *at)
{
  /* relaxed: the exchange in outbox_win() fails if the value is out of date. */
  *at = atomic_load_explicit(&outbox->given, memory_order_relaxed);
  for (;;) {
    lfb_outbox_slot *slot = &outbox->slots[*at & outbox->mask];
    /* acquire: pairs with the release in lfb_outbox_take(), after the taker read the slot. */
    const uint64_t turn = atomic_load_explicit(&slot->turn, memory_order_acquire);
    if (turn == *at) {
      if (outbox_win(outbox, at))
        return true;
      continue; /* another thread took the place; *at was reloaded */
    }
    /* relaxed: as above. */
    const uint64_t now = atomic_load_explicit(&outbox->given, memory_order_relaxed);
    if (now == *at && turn < *at)
      return false;
    *at = now; /* other threads have taken places since */
  }
}

bool lfb_outbox_put(lfb_outbox *outbox, lfb_hash hash, uint64_t since)
{
  uint64_t at;

  if (!outbox_place(outbox, &at))
    return false;
  lfb_outbox_slot *slot = &outbox->slots[at & outbox->mask];
  slot->what = (lfb_outgoing){hash, since};
  /* release: pairs with the acquire in lfb_outbox_take(). */
  atomic_store_explicit(&slot->turn, at + 1, memory_order_release);
  return true;
}

uint64_t lfb_outbox_mark(lfb_outbox *outbox)
{
  /* acquire and release: pair with the exchange in outbox_win() (outbox.h, 2). */
  return lfb_add_u64(&outbox->given, 0, memory_order_acq_rel);
}

size_t lfb_outbox_take(lfb_outbox *outbox, lfb_outgoing *puts, size_t most)
{
  size_t count = 0;

  for (; count < most; count++) {
    lfb_outbox_slot *slot = &outbox->slots[outbox->taken & outbox->mask];
    /* acquire: pairs with the release in lfb_outbox_put(), which filled the slot. */
    if (atomic_load_explicit(&slot->turn, memory_order_acquire) != outbox->taken + 1)
      break;
    puts[count] = slot->what;
    /* release: pairs with the acquire in outbox_place(), of the slot's next put. */
    atomic_store_explicit(&slot->turn, outbox->taken + outbox->mask + 1, memory_order_release);
    outbox->taken++;
  }
  return count;
}

bool lfb_outbox_is_empty(const lfb_outbox *outbox)
{
  /* seq_cst: pairs with the exchange in outbox_win() (replica.h, Sleep). */
  return atomic_load_explicit(&outbox->given, memory_order_seq_cst) == outbox->taken;
}
