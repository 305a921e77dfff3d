/* claims.c - claiming, and helping others to; argued in claims.h.  Floor 9. */
#define _DEFAULT_SOURCE /* sched_yield */
#include "bloom/claims.h"

#include <sched.h>
#include <stdlib.h>

/* Bugs for the tests to find: a claim that is decided without a second look, and bits that
 * are on before it is decided. */
#ifdef LFB_PLANT_UNLOOKED
enum { CLAIMS_PLANTED_UNLOOKED = 1 };
#else
enum { CLAIMS_PLANTED_UNLOOKED = 0 };
#endif
#ifdef LFB_PLANT_UNDECIDED
enum { CLAIMS_PLANTED_UNDECIDED = 1 };
#else
enum { CLAIMS_PLANTED_UNDECIDED = 0 };
#endif

_Static_assert((int)LFB_CLAIMANTS <= (int)LFB_CLAIMANTS_MOST, "each has a number of his own");
_Static_assert(sizeof(lfb_claimant) == sizeof(lfb_stripe) &&
                   offsetof(lfb_claimant, low) == offsetof(lfb_stripe, claim) &&
                   offsetof(lfb_claimant, lent) == offsetof(lfb_stripe, lent),
               "in a file they are the same lines");

/* Zero pages until a thread claims: of filters in this process's own memory. */
static lfb_claimant claims_private[LFB_CLAIMANTS] __attribute__((aligned(LFB_CACHE_LINE)));

lfb_status lfb_claims_init(lfb_claims *claims)
{
  return lfb_claims_init_places(claims, LFB_CLAIM_PLACES);
}

lfb_status lfb_claims_init_places(lfb_claims *claims, uint64_t places)
{
  const uint64_t words = places < LFB_CACHE_LINE / 8 ? LFB_CACHE_LINE / 8 : places;
  lfb_word *made = aligned_alloc(LFB_CACHE_LINE, (size_t)words * sizeof *made);

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  for (uint64_t i = 0; i < words; i++)
    atomic_init(&made[i], 0);
  *claims = (lfb_claims){.places = made,
                         .mask = places - 1,
                         .each = claims_private,
                         .count = LFB_CLAIMANTS,
                         .owned = LFB_SLOT_COUNT,
                         .lent = LFB_CLAIMANTS_LENT,
                         .lent_map = &claims_private[LFB_SLOT_COUNT].lent,
                         .lent_fd = -1};
  return LFB_OK;
}

void lfb_claims_free(lfb_claims *claims)
{
  free(claims->places);
  claims->places = NULL;
}

/* ---- whose claim ----------------------------------------------------------- */

static void claimants_return(const lfb_claims *claims, uint32_t bit)
{
  /* release: pairs with the acquire in claimants_borrow_from(). */
  atomic_fetch_and_explicit(claims->lent_map, ~(UINT64_C(1) << bit), memory_order_release);
}

/* Whether another process has the one that this one's map has just lent. */
static bool claimants_elsewhere(const lfb_claims *claims, uint32_t bit)
{
  return claims->lent_fd >= 0 && !lfb_leases_lock_lent(claims->lent_fd, bit);
}

/* Borrows one of `free`; its bit, or the number of bits where that cannot be. */
static uint32_t claimants_borrow_from(const lfb_claims *claims, uint64_t free)
{
  uint64_t seen = lfb_word_get(claims->lent_map);

  while ((~seen & free) != 0) {
    const uint32_t bit = (uint32_t)__builtin_ctzll(~seen & free);
    /* acquire: pairs with the release in claimants_return(), so that the sequence goes on
     * from the last borrower's. */
    if (!lfb_cas_u64(claims->lent_map, &seen, seen | UINT64_C(1) << bit, memory_order_acquire))
      continue;
    if (!claimants_elsewhere(claims, bit))
      return bit;
    claimants_return(claims, bit);
    free &= ~(UINT64_C(1) << bit);
  }
  return LFB_WORD_BITS;
}

/* The number of a claimant that nobody else has until it is given back. */
static uint32_t claimants_borrow(const lfb_claims *claims)
{
  const uint64_t all = UINT64_MAX >> (LFB_WORD_BITS - claims->lent);

  for (;;) {
    const uint32_t bit = claimants_borrow_from(claims, all);
    if (bit < LFB_WORD_BITS)
      return claims->first + claims->owned + bit;
    (void)sched_yield(); /* all are lent (head of claims.h, Numbers) */
  }
}

static uint32_t claimants_take(const lfb_claims *claims)
{
  const uint32_t slot = lfb_slot();
  return slot < claims->owned ? claims->first + slot : claimants_borrow(claims);
}

static void claimants_give_back(const lfb_claims *claims, uint32_t number)
{
  const uint32_t lent_from = claims->first + claims->owned;

  if (number < lent_from)
    return;
  if (claims->lent_fd >= 0)
    lfb_leases_unlock_lent(claims->lent_fd, number - lent_from);
  claimants_return(claims, number - lent_from);
}

/* ---- tickets and statuses -------------------------------------------------- */

static uint32_t ticket_number(uint64_t ticket)
{
  return (uint32_t)(ticket & ((UINT64_C(1) << LFB_TICKET_NUMBER_BITS) - 1));
}

static uint64_t status_of(uint64_t sequence, lfb_claim_state state)
{
  return sequence << LFB_STATUS_STATE_BITS | state;
}

/* What a ticket's status is while it is pending, won or lost. */
static uint64_t ticket_status(uint64_t ticket, lfb_claim_state state)
{
  return status_of(ticket >> LFB_TICKET_NUMBER_BITS, state);
}

/* The sequence behind another: as many as a ticket has room for, then again from 1 on. */
static uint64_t sequence_next(uint64_t sequence)
{
  const uint64_t most = (UINT64_C(1) << (LFB_WORD_BITS - LFB_TICKET_NUMBER_BITS)) - 1;
  return sequence % most + 1;
}

uint64_t lfb_claims_publish(const lfb_claims *claims, uint32_t number, lfb_hash hash)
{
  lfb_claimant *mine = &claims->each[number];
  /* relaxed: only the owner moves the sequence on, and an earlier owner's came along with
   * the slot. */
  const uint64_t before = atomic_load_explicit(&mine->status, memory_order_relaxed);
  const uint64_t sequence = sequence_next(before >> LFB_STATUS_STATE_BITS);

  /* release: who learns here that the last ticket is gone sees what its claim did. */
  atomic_store_explicit(&mine->status, status_of(sequence, LFB_CLAIM_PENDING),
                        memory_order_release);
  /* release: a late helper that reads these then sees the new sequence. */
  atomic_store_explicit(&mine->low, hash.low, memory_order_release);
  atomic_store_explicit(&mine->high, hash.high, memory_order_release);
  return sequence << LFB_TICKET_NUMBER_BITS | number;
}

lfb_claim_state lfb_claims_state(const lfb_claims *claims, uint32_t number)
{
  /* acquire: whoever decided had looked, and the owner goes on from what he saw. */
  const uint64_t status =
      atomic_load_explicit(&claims->each[number].status, memory_order_acquire);
  return (lfb_claim_state)(status & ((1 << LFB_STATUS_STATE_BITS) - 1));
}

/* ---- helping --------------------------------------------------------------- */

static bool claimed_is_in(const lfb_claimed *in, lfb_hash hash)
{
  return in->is_in(in->of, hash);
}

static void claimed_turn_on(const lfb_claimed *in, lfb_hash hash)
{
  in->turn_on(in->of, hash);
}

/* Decides a claim that is pending, unless another thread has; the status it has then. */
static uint64_t claims_decide(lfb_claimant *claimant, const lfb_claimed *in, lfb_hash hash,
                              uint64_t ticket)
{
  uint64_t status = ticket_status(ticket, LFB_CLAIM_PENDING);
  const bool late = !CLAIMS_PLANTED_UNLOOKED && claimed_is_in(in, hash);
  const uint64_t decided = ticket_status(ticket, late ? LFB_CLAIM_LOST : LFB_CLAIM_WON);

  if (CLAIMS_PLANTED_UNDECIDED) {
    claimed_turn_on(in, hash);
    (void)sched_yield();
  }
  /* acq_rel: who reads the outcome sees what was looked at; failing says that another
   * thread has decided, whose outcome is read in order (acquire). */
  if (lfb_cas_u64(&claimant->status, &status, decided, memory_order_acq_rel))
    return decided;
  return atomic_load_explicit(&claimant->status, memory_order_acquire);
}

/* Does what a ticket is about, whosever it is. */
static void claims_complete(lfb_claimant *claimant, const lfb_claimed *in, uint64_t ticket)
{
  /* acquire: if they are of a later claim, the status read below is too. */
  const lfb_hash hash = {atomic_load_explicit(&claimant->low, memory_order_acquire),
                         atomic_load_explicit(&claimant->high, memory_order_acquire)};
  /* acquire: pairs with the CAS that decided, and with publishing. */
  uint64_t status = atomic_load_explicit(&claimant->status, memory_order_acquire);

  if (status == ticket_status(ticket, LFB_CLAIM_PENDING))
    status = claims_decide(claimant, in, hash, ticket);
  if (status == ticket_status(ticket, LFB_CLAIM_WON))
    claimed_turn_on(in, hash);
}

void lfb_claims_help(const lfb_claims *claims, const lfb_claimed *in, lfb_word *place,
                     uint64_t ticket)
{
  const uint32_t number = ticket_number(ticket);

  if (number < claims->count) /* which in a file is only as true as the file */
    claims_complete(&claims->each[number], in, ticket);
  /* release: the bits are on before the next ticket may enter.  It fails if the ticket
   * is gone, by another helper; it cannot have come back. */
  (void)lfb_cas_u64(place, &ticket, 0, memory_order_release);
}

/* ---- claiming -------------------------------------------------------------- */

bool lfb_claims_enter(const lfb_claims *claims, const lfb_claimed *in, lfb_hash hash,
                      uint64_t ticket)
{
  lfb_word *place = lfb_claims_place(claims, hash);

  for (;;) {
    /* acquire: pairs with the release of whoever entered: his hash and sequence. */
    uint64_t seen = atomic_load_explicit(place, memory_order_acquire);
    if (seen == 0) {
      /* acquire: the bits that the last one here turned on.  release: as just said. */
      if (lfb_cas_u64(place, &seen, ticket, memory_order_acq_rel))
        return true;
      continue; /* to read, in order, who has entered instead */
    }
    lfb_claims_help(claims, in, place, seen);
    if (claimed_is_in(in, hash))
      return false;
  }
}

bool lfb_claims_claim(const lfb_claims *claims, const lfb_claimed *in, lfb_hash hash)
{
  const uint32_t number = claimants_take(claims);
  const uint64_t ticket = lfb_claims_publish(claims, number, hash);
  bool won = false;

  if (lfb_claims_enter(claims, in, hash, ticket)) {
    lfb_claims_help(claims, in, lfb_claims_place(claims, hash), ticket);
    won = lfb_claims_state(claims, number) == LFB_CLAIM_WON;
  }
  claimants_give_back(claims, number);
  return won;
}

void lfb_claims_adopt(const lfb_claims *claims, const lfb_claimed *in)
{
  const uint32_t end = claims->first + claims->owned + claims->lent;

  for (uint64_t i = 0; i <= claims->mask; i++) {
    /* acquire: as in lfb_claims_enter(). */
    const uint64_t ticket = atomic_load_explicit(&claims->places[i], memory_order_acquire);
    const uint32_t number = ticket_number(ticket);
    if (ticket != 0 && number >= claims->first && number < end)
      lfb_claims_help(claims, in, &claims->places[i], ticket);
  }
}
