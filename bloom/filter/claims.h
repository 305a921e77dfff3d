/*
 * claims.h - claims: of all threads and processes that claim one hash, at most one wins.
 *
 * Claims are decided in 256 cells.  A hash has one cell.  The cell's number stands for 8 bits of
 * the hash and the cell holds the rest.  The 8 bits that are free so hold a state:
 *
 *   0     nobody has claimed here yet
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
 * One winner   No hash becomes WON twice.  Suppose that none has so far.  Then a value that the
 *              cell has left does not come back, so no claim won here between 2 and 4.  Each
 *              claim that won here before 2 was DONE before 2, with its bits on, and the look
 *              in 3 sees them.  That look failed, so this hash is none of theirs.
 * The tag      The last winner's hash keeps the CAS in 4 from being fooled.  So there is no
 *              sequence number and no owner: nothing here belongs to a thread or a process.
 * Exactly one  wins, unless the key was a false positive, came in by a put, or the winner died
 *              before its claim returned.
 * Order        Every change of a cell is a read-modify-write, so all of them are one release
 *              sequence.  A thread that acquires a value of the cell sees the bits of all hashes
 *              that were DONE here before.  The CAS in 4 may be relaxed: the hash in the cell is
 *              the whole message.
 * Progress     Lock-free.  2 and 4 repeat only because another claim has won or was completed.
 * Stopped      A thread that stops for ever, or is killed, leaves a cell at WON at most.  The
 *              next thread that needs the cell completes that claim.
 * Signals      A handler may claim.  It completes the claim that it interrupted, if the cell is
 *              the same.
 * fork         Nothing has to be renewed in a child.  In private memory a hash that is WON in
 *              the parent is completed in the child, where no claim of it returns true.
 * Width        Both words of a cell change together where a strategy uses more than 64 bits of
 *              hash (guava-mitz64).  On a machine without a 16-byte exchange (pair.h) such
 *              claims take a lock per cell instead, and may not be made in a shared file.
 *
 * Nothing may ever turn a bit off: a hash could win again.
 */
#ifndef LFB_BLOOM_CLAIMS_H
#define LFB_BLOOM_CLAIMS_H

#include <lfbloom/status.h>
#include <stdbool.h>

#include "atomic/words/pair.h"
#include "bloom/hashing/hasher.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LFB_CLAIM_CELLS = 256,
  LFB_CLAIM_STATE_BITS = 8, /* of a cell's first word: its low ones */
};

typedef enum lfb_claim_state { LFB_CLAIM_NONE, LFB_CLAIM_WON, LFB_CLAIM_DONE } lfb_claim_state;

/* The state and most of a hash; the second word is 0 unless the hash has 128 bits. */
typedef struct lfb_cell {
  lfb_word half[2] __attribute__((aligned(16)));
} lfb_cell;

/* The cells of one filter, in its own memory or in a file. */
typedef struct lfb_claims {
  lfb_cell *cells;
  lfb_hash_width width;
  bool locked; /* for want of a 16-byte exchange */
} lfb_claims;

/* Where hashes are claimed: a filter, or all layers of a growing one (layers.h). */
typedef struct lfb_claimed {
  const void *of;
  bool (*might_contain)(const void *of, lfb_hash hash); /* whether all bits of a hash are on */
  void (*put)(const void *of, lfb_hash hash); /* turns them on, and counts them */
} lfb_claimed;

/* Makes cells in which nobody has claimed.  Fails: LFB_ERROR_NO_MEMORY. */
lfb_status lfb_claims_init(lfb_claims *claims, lfb_hash_width width);

/* Frees the memory of lfb_claims_init(). */
void lfb_claims_free(lfb_claims *claims);

/* The claims of LFB_CLAIM_CELLS cells that lie elsewhere: zeroed, or used before. */
lfb_claims lfb_claims_over(lfb_cell *cells, lfb_hash_width width);

/* Whether claims of this width can be made in a shared file: LFB_OK, or LFB_ERROR_NO_PAIRS. */
lfb_status lfb_claims_sharable(lfb_hash_width width);

/* The first word of a hash as a cell sees it; the second is hash.high or nothing. */
static inline uint64_t lfb_claims_low(const lfb_claims *claims, lfb_hash hash)
{
  return claims->width == LFB_HASH_32_32 ? hash.low | hash.high << 32 : hash.low;
}

/* What a cell's number differs by from the low 8 bits of a hash: 8 bits that depend on all the
 * others, for hashes of which only some bits are random. */
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
 * Claims a hash that the caller has just looked for and not found: step 1 is the caller's.
 *
 * Returns  true to at most one of all callers that ever claim it; false says that its bits were
 *          all on, by another claim, a put or other keys.  They are on when the call returns.
 * Progress lock-free (head of this file).
 */
bool lfb_claims_claim(const lfb_claims *claims, const lfb_claimed *in, lfb_hash hash);

#ifdef __cplusplus
}
#endif

#endif
