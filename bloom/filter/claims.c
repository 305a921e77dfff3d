/* claims.c - claims a hash, and completes other claims; argued in claims.h. */
#define _DEFAULT_SOURCE /* sched_yield */
#include "bloom/filter/claims.h"

#include <sched.h>
#include <stdlib.h>

/* A place where a thread can be stopped for any time: tests define it before this file. */
#ifndef LFB_CLAIM_HAZARD
#define LFB_CLAIM_HAZARD() ((void)0)
#endif

#define STATE_MASK ((UINT64_C(1) << LFB_CLAIM_STATE_BITS) - 1)

/* `uses`, a constant in each call, states what the second word of a cell is for.  The two words are
 * scalars, in functions of their own: gcc 12 stores those of a struct, and of a hash in two
 * registers, one by one and loads them as one vector: 63 ns a claim for 41 (Zen 3). */

/* ---- cells ------------------------------------------------------------------ */

typedef enum cell_uses {
  CELL_ONE,        /* nothing               */
  CELL_128,        /* the rest of a hash    */
  CELL_GENERATION, /* that of what forgets  */
} cell_uses;

/* The first word of a cell for a hash. */
static uint64_t cell_word(uint64_t low, lfb_claim_state state)
{
  return (low & ~STATE_MASK) | (uint64_t)state;
}

static lfb_claim_state cell_state(uint64_t word)
{
  return (lfb_claim_state)(word & STATE_MASK);
}

/* The hash that a cell with these words holds. */
LFB_INLINE lfb_hash cell_hash(const lfb_claims *claims, const lfb_cell *cell, uint64_t low,
                              uint64_t high)
{
  const uint64_t upper = low & ~STATE_MASK, number = (uint64_t)(cell - claims->cells);

  return lfb_claims_hash(claims, upper | (number ^ lfb_claims_spread(upper)), high);
}

/* Reads the first word, which is all that CELL_ONE has. */
static uint64_t cell_read_one(const lfb_cell *cell)
{
  /* acquire: pairs with the release in cell_change_one(), and shows the bits of what was DONE. */
  return LFB_STD atomic_load_explicit(&cell->half[0], LFB_STD memory_order_acquire);
}

/* Changes the first word if it still is `low`.  Returns whether it did. */
static bool cell_change_one(lfb_cell *cell, uint64_t low, uint64_t to)
{
  /* release: the bits are on before DONE; pairs with the acquire above. */
  return lfb_cas_u64(&cell->half[0], &low, to, LFB_STD memory_order_release);
}

/* Reads a cell: both words as of the same time, unless the second is a generation.  Then a mixture
 * of two times does no harm: the hash is whole, and no exchange that expects a mixture succeeds. */
LFB_INLINE void cell_read(lfb_cell *cell, uint64_t *low, uint64_t *high, cell_uses uses)
{
  if (uses == CELL_GENERATION) {
    const lfb_two now = lfb_pair_get_acquire(cell->half); /* as above */
    *low = now.low;
    *high = now.high;
  } else if (uses == CELL_128) {
    lfb_two now = {0, 0};
    (void)lfb_pair_cas(cell->half, &now, now); /* changes nothing: it reads */
    lfb_fence(LFB_STD memory_order_acquire);   /* acquire: as above */
    *low = now.low;
    *high = now.high;
  } else {
    *low = cell_read_one(cell);
    *high = 0;
  }
}

/* Changes a cell if its words still are `low` and `high`.  Returns whether it did. */
LFB_INLINE bool cell_change(lfb_cell *cell, uint64_t low, uint64_t high, uint64_t to_low,
                            uint64_t to_high, cell_uses uses)
{
  lfb_two seen = {low, high};

  if (uses == CELL_ONE)
    return cell_change_one(cell, low, to_low);
  lfb_fence(LFB_STD memory_order_release); /* release: as above; the exchange itself is relaxed */
  return lfb_pair_cas(cell->half, &seen, (lfb_two){to_low, to_high});
}

/* ---- claiming --------------------------------------------------------------- */

static bool claimed_might_contain(const lfb_claimed *in, lfb_hash hash)
{
  return in->might_contain(in->of, hash);
}

static void claimed_put(const lfb_claimed *in, lfb_hash hash)
{
  in->put(in->of, hash);
}

/* Changes a cell that holds WON in these words to DONE: the bits of its hash are on.  It fails only
 * if another thread has completed the claim: this WON never returns. */
LFB_INLINE void cell_leave(lfb_cell *cell, uint64_t low, uint64_t high, cell_uses uses)
{
  (void)cell_change(cell, low, high, cell_word(low, LFB_CLAIM_DONE), high, uses);
}

/* Completes the claim that another thread left at WON in these words. */
LFB_INLINE void cell_complete(const lfb_claims *claims, const lfb_claimed *in, lfb_cell *cell,
                              uint64_t low, uint64_t high, cell_uses uses)
{
  const lfb_hash hash = cell_hash(claims, cell, low, high);

  /* The bits may be on in an older layer (layers.h); but those of a window may soon be
   * forgotten. */
  if (uses == CELL_GENERATION || !claimed_might_contain(in, hash))
    claimed_put(in, hash);
  LFB_CLAIM_HAZARD();
  cell_leave(cell, low, high, uses);
}

/* The present generation of what forgets. */
LFB_INLINE uint64_t claims_generation(const lfb_claims *claims)
{
  /* seq_cst: after the cell, and in one order with the generations that puts read
   * (bloom/window/window.h). */
  return LFB_STD atomic_load_explicit(claims->generation, LFB_STD memory_order_seq_cst);
}

/* Steps 2 to 4 of claims.h.  Returns whether the claim has won; then `*second` is the cell's second
 * word. */
LFB_INLINE bool claims_enter(const lfb_claims *claims, const lfb_claimed *in, lfb_cell *cell,
                             lfb_hash hash, cell_uses uses, uint64_t *second)
{
  const uint64_t mine = cell_word(lfb_claims_low(claims, hash), LFB_CLAIM_WON);
  uint64_t low, high;

  for (;;) {
    cell_read(cell, &low, &high, uses);
    LFB_CLAIM_HAZARD();
    if (cell_state(low) == LFB_CLAIM_WON) {
      cell_complete(claims, in, cell, low, high, uses);
      continue;
    }
    if (uses == CELL_GENERATION)
      hash.high = claims_generation(claims);
    if (claimed_might_contain(in, hash))
      return false;
    LFB_CLAIM_HAZARD();
    *second = hash.high;
    if (cell_change(cell, low, high, mine, hash.high, uses)) /* else another claim has won */
      return true;
  }
}

/* Steps 2 to 5 of claims.h. */
LFB_INLINE bool claims_claim(const lfb_claims *claims, const lfb_claimed *in, lfb_hash hash,
                             cell_uses uses)
{
  lfb_cell *cell = lfb_claims_cell(claims, hash);
  uint64_t second;

  if (!claims_enter(claims, in, cell, hash, uses, &second))
    return false;
  LFB_CLAIM_HAZARD();
  claimed_put(in, hash);
  LFB_CLAIM_HAZARD();
  cell_leave(cell, cell_word(lfb_claims_low(claims, hash), LFB_CLAIM_WON), second, uses);
  return true;
}

/* Claims under a lock of the cell: the processor cannot change both words together. */
static bool claims_claim_locked(const lfb_claims *claims, const lfb_claimed *in, lfb_hash hash)
{
  lfb_word *lock = &lfb_claims_cell(claims, hash)->half[0];
  uint64_t unlocked = 0;

  /* acquire: pairs with the release below, and shows the bits of earlier winners. */
  while (!lfb_cas_u64(lock, &unlocked, 1, LFB_STD memory_order_acquire)) {
    unlocked = 0;
    (void)sched_yield();
  }
  if (claims->generation != NULL)
    hash.high = claims_generation(claims);
  const bool won = !claimed_might_contain(in, hash);
  if (won)
    claimed_put(in, hash);
  /* release: pairs with the acquire above. */
  LFB_STD atomic_store_explicit(lock, UINT64_C(0), LFB_STD memory_order_release);
  return won;
}

static __attribute__((noinline)) bool claims_claim_one(const lfb_claims *claims,
                                                       const lfb_claimed *in,
                                                       uint64_t low, uint64_t high)
{
  return claims_claim(claims, in, (lfb_hash){low, high}, CELL_ONE);
}

static __attribute__((noinline)) bool claims_claim_128(const lfb_claims *claims,
                                                       const lfb_claimed *in, uint64_t low,
                                                           uint64_t high)
{
  return claims_claim(claims, in, (lfb_hash){low, high}, CELL_128);
}

static __attribute__((noinline)) bool claims_claim_dated(const lfb_claims *claims,
                                                         const lfb_claimed *in,
                                                         uint64_t low, uint64_t high)
{
  return claims_claim(claims, in, (lfb_hash){low, high}, CELL_GENERATION);
}

bool lfb_claims_claim(const lfb_claims *claims, const lfb_claimed *in, lfb_hash hash)
{
  if (claims->generation == NULL && claims->width != LFB_HASH_128)
    return claims_claim_one(claims, in, hash.low, hash.high);
  if (claims->locked)
    return claims_claim_locked(claims, in, hash);
  return claims->generation == NULL ? claims_claim_128(claims, in, hash.low, hash.high)
                                    : claims_claim_dated(claims, in, hash.low, hash.high);
}

/* ---- where the cells are ---------------------------------------------------- */

lfb_claims lfb_claims_over(lfb_cell *cells, lfb_hash_width width)
{
  return (lfb_claims){cells, width, lfb_claims_sharable(width) != LFB_OK, NULL};
}

lfb_claims lfb_claims_forgetting(lfb_cell *cells, const LFB_ATOMIC(uint64_t) *generation)
{
  return (lfb_claims){cells, LFB_HASH_64, !lfb_pair_runs_here(), generation};
}

lfb_status lfb_claims_sharable(lfb_hash_width width)
{
  return width != LFB_HASH_128 || lfb_pair_runs_here() ? LFB_OK : LFB_ERROR_NO_PAIRS;
}

lfb_status lfb_claims_init(lfb_claims *claims, lfb_hash_width width)
{
  lfb_cell *made = aligned_alloc(LFB_CACHE_LINE, LFB_CLAIM_CELLS * sizeof *made);

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  for (uint32_t i = 0; i < LFB_CLAIM_CELLS; i++) {
    atomic_init(&made[i].half[0], 0);
    atomic_init(&made[i].half[1], 0);
  }
  *claims = lfb_claims_over(made, width);
  return LFB_OK;
}

void lfb_claims_free(lfb_claims *claims)
{
  free(claims->cells);
  claims->cells = NULL;
}
