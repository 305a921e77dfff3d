/*
 * claims.h - claims: of all threads and processes that claim one hash, at most one wins.
 *
 * Claims are decided in 256 cells.  A hash has one cell.  The number of the cell encodes 8 bits of
 * the hash, and the cell holds the others.  The 8 bits that this frees in the cell hold a state:
 *
 *   0     no claim has won here yet
 *   WON   the claim of this hash has won; its bits may not all be on yet
 *   DONE  the last claim that won here was of this hash, and its bits are on
 *
 * A claim:
 *
 *   1. Look.  If all bits of the hash are on, the claim is lost; nothing is written.
 *   2. Read the cell (acquire).  If it is WON: turn on the bits of the hash in it, change it to
 *      DONE (release) by a CAS, and begin 2 again.
 *   3. Look again.  If the bits are on now, the claim is lost.
 *   4. Change the cell from the value that 2 read to WON with this hash, by a CAS.  If that
 *      fails, go to 2.  If it succeeds, the claim has won.
 *   5. Turn on the bits, then change the cell to DONE (release) by a CAS.
 *
 * One winner   No hash becomes WON twice.  Suppose that no hash of the cell has become WON twice
 *              so far.  Then the cell never returns to a value that it has left.  So if the CAS
 *              in 4 succeeds, no claim won here between 2 and 4.  All claims that won here
 *              before were DONE in 2, since the cell was not WON.  Their bits are on, and the
 *              look in 3 sees them (Order).  That look did not find this hash, so this hash has
 *              not won before.
 * The tag      The last winner's hash in the cell protects the CAS in 4 from a value that
 *              returns (ABA).  No sequence number and no owner is needed: nothing here belongs
 *              to a thread or a process.
 * Exactly one  claim wins, unless the key was a false positive, came in by a put, or the winner
 *              ended before its claim returned.
 * Order        Every change of a cell is a read-modify-write, so all of them are one release
 *              sequence.  A thread that acquires a value of the cell sees the bits of all hashes
 *              that were DONE here before.  The CAS in 4 may be relaxed: the hash in the cell is
 *              the whole message.
 * Progress     Lock-free.  2 and 4 repeat only because another claim has won or was completed.
 * Stopped      A thread that never runs again, or is killed, leaves a cell at WON at most.  The
 *              next thread that needs the cell completes that claim.
 * Signals      A handler may claim.  If it needs the cell of the claim that it interrupted, it
 *              completes that claim.
 * fork         A child renews nothing.  If a hash is WON at a fork, a child with its own copy of
 *              the cells completes it, and no claim of it in the child returns true.
 * Width        If a strategy uses more than 64 bits of hash (guava-mitz64), both words of a cell
 *              change together.  On a processor without a 16-byte exchange (pair.h) such claims,
 *              and those of a window, take a lock per cell instead, and are not possible in a
 *              shared file.
 *
 * Forgetting   Code that turns bits off lets a hash win again, on purpose: in a window.  Three
 *              things change there.  (a) Both words of a cell change together, and the second is
 *              the generation of the win, so that no value of the cell ever returns.  (b) A thread
 *              that completes a claim always puts its hash: bits that are found may belong to a
 *              generation that ends.  (c) The generation is read after the cell, so a look that
 *              begins after it misses no winner.  "Not won before" means: not since the generation
 *              that the contract names (lfbloom/window.h, 4).  In any other filter no code may turn
 *              a bit off.
 */
#ifndef LFB_BLOOM_CLAIMS_H
#define LFB_BLOOM_CLAIMS_H

#include <lfbloom/status.h>
#include <stdbool.h>

#include "atomic/words/pair.h"
#include "bloom/hashing/hasher.h"

LFB_EXTERN_C_BEGIN

enum {
  LFB_CLAIM_CELLS = 256,
  LFB_CLAIM_STATE_BITS = 8, /* the low bits of a cell's first word */
};

typedef enum lfb_claim_state { LFB_CLAIM_NONE, LFB_CLAIM_WON, LFB_CLAIM_DONE } lfb_claim_state;

/* The state and most of a hash.  The second word is the rest of a hash of 128 bits, or the
 * generation of the win, or 0. */
typedef struct lfb_cell {
  lfb_word half[2] __attribute__((aligned(16)));
} lfb_cell;

/* The cells of one filter, in its own memory or in a file. */
typedef struct lfb_claims {
  lfb_cell *cells;
  lfb_hash_width width;
  bool locked; /* a lock per cell, for lack of a 16-byte exchange */
  const LFB_ATOMIC(uint64_t) *generation; /* of what forgets; NULL: nothing is forgotten */
} lfb_claims;

/* What the claims belong to: a filter, all layers of a growing one (layers.h), or a window, for
 * which hash.high is the present generation. */
typedef struct lfb_claimed {
  const void *of;
  bool (*might_contain)(const void *of, lfb_hash hash); /* whether all bits of a hash are on */
  void (*put)(const void *of, lfb_hash hash); /* turns them on, and counts them */
} lfb_claimed;

/* Makes cells in which no claim has won.  Fails: LFB_ERROR_NO_MEMORY. */
lfb_status lfb_claims_init(lfb_claims *claims, lfb_hash_width width);

/* Frees the memory of lfb_claims_init(). */
void lfb_claims_free(lfb_claims *claims);

/* The claims over LFB_CLAIM_CELLS cells of the caller, zeroed or used before. */
lfb_claims lfb_claims_over(lfb_cell *cells, lfb_hash_width width);

/* The same for what forgets: hashes of 64 bits, and the generation that each claim reads. */
lfb_claims lfb_claims_forgetting(lfb_cell *cells, const LFB_ATOMIC(uint64_t) *generation);

/* Whether claims of this width can be made in a shared file: LFB_OK, or LFB_ERROR_NO_PAIRS. */
lfb_status lfb_claims_sharable(lfb_hash_width width);

/* The bits of a hash for the first word of a cell.  The second word is hash.high, or is unused. */
static inline uint64_t lfb_claims_low(const lfb_claims *claims, lfb_hash hash)
{
  return claims->width == LFB_HASH_32_32 ? hash.low | hash.high << 32 : hash.low;
}

/* The hash of such bits; `high` is the second word. */
static inline lfb_hash lfb_claims_hash(const lfb_claims *claims, uint64_t low, uint64_t high)
{
  return claims->width == LFB_HASH_32_32 ? (lfb_hash){(uint32_t)low, low >> 32}
                                         : (lfb_hash){low, high};
}

/* 8 bits that depend on all bits of the hash except the low 8.  A cell's number is the low 8 bits
 * xor these, so that hashes with few random bits spread over all cells. */
static inline uint32_t lfb_claims_spread(uint64_t low)
{
  return (uint32_t)((low >> LFB_CLAIM_STATE_BITS) * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

/* The cell of a hash. */
static inline lfb_cell *lfb_claims_cell(const lfb_claims *claims, lfb_hash hash)
{
  const uint64_t low = lfb_claims_low(claims, hash);
  return &claims->cells[(low ^ lfb_claims_spread(low)) % LFB_CLAIM_CELLS];
}

/*
 * Claims a hash.  The caller has done step 1: it has looked for the hash and not found it.
 *
 * Returns  true to at most one of all callers that ever claim the hash.  false: its bits were all
 *          on, by another claim, a put or other keys.  All its bits are on when the call returns.
 * Progress lock-free (head of this file).
 */
bool lfb_claims_claim(const lfb_claims *claims, const lfb_claimed *in, lfb_hash hash);

LFB_EXTERN_C_END

#endif
