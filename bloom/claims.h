/*
 * claims.h - of all who claim a key, one wins.
 *
 * Floor 9.  May include: floors 0 to 8.
 *
 * A put of a new key turns on several bits, and two threads that put it at once can
 * each turn on some: both are told that it is new.  A claim is decided by one word.
 *
 * Data       A table of places, one word each: a hash has one place.  A place is free
 *            (0) or holds a ticket: which claimant, and his how many-th claim, his
 *            sequence.  A claimant is a line of three words: the hash that he claims,
 *            in two halves, and his status: sequence and pending, won or lost.  All is
 *            plain words and numbers, no pointers: it may be mapped anywhere.
 * Claiming   1. Look: a key that is in has been claimed.  Nothing is written.
 *            2. Publish: write hash and status (sequence + 1, pending) to one's claimant.
 *            3. Enter: put the ticket into the free place of the hash, by CAS.  If a
 *               ticket is there, help it, look again, try again.
 *            4. Help one's own ticket.  One's status then says who won.
 * Helping    is the same for everybody, the owner too: read the claimant; if his
 *            sequence has moved on, the ticket is gone.  If he is pending, look whether
 *            the hash is in and change his status, by CAS, to lost or won.  If he has
 *            won, turn on the bits.  Then change the place from the ticket to 0, by CAS.
 *
 * Why it is right.  A ticket enters the table once, since its sequence is used once, and
 * its owner goes on to the next only after it has left: his own helping ends with it gone.
 *
 * At most    Tickets of one hash have one place, so they are in the table one after the
 * one        other.  If one has won it leaves after somebody has seen all bits of the
 *            hash on: who takes it out has turned them on, or found them on.  The next
 *            one's helpers look after it has entered, so after that (Order): whoever
 *            of them looks sees them on, and none can decide for won.
 * Exactly    A claim is false because all bits of its hash were seen on.  Bits of that
 * one        hash that no other key has come from a put, or from a helper who saw won
 *            in some status: so somebody has won, or the key was a false positive, or
 *            came in by a put.
 * The trap   A helper that turned on bits before the status says won would make the next
 *            one see the key as in and decide for lost: then nobody wins.  A helper may
 *            fall asleep between its look and its CAS; its CAS then fails, since the
 *            status is no longer pending or no longer of that sequence: what it saw is
 *            worth nothing, and that is all.  Bits that it turns on late are on already.
 * Order      Who frees a place by CAS (release) has seen the bits on; who enters it next
 *            (acquire, and release again) comes after that, and so does whoever reads his
 *            ticket there (acquire).  By coherence he sees the bits on, though both read
 *            and write those relaxed.  A helper that is late may read the hash of a later
 *            claim; what tells him is the status, which the owner writes before the hash
 *            (release) and the helper reads after it (acquire).  No fences:
 *            ThreadSanitizer knows none.
 * Progress   Lock-free.  Who finds a ticket in his place completes that claim, so he
 *            tries again only after another claim of that place is complete.
 * Stopped    A thread that stops for ever leaves at most a ticket, which the next one
 *            helps.  If that wins, the winner is the one who stopped: nobody is told.
 * Cost       A key that is in: nothing beside the look.  One that is not, and meets
 *            nobody: three locked operations beside the bits' own.
 * Threads    Claim beside claim, put, query and all else.  init and free run alone.  A
 *            thread has one claimant, so a signal handler must not claim where it may have
 *            interrupted a claim.
 * Numbers    Each thread slot (slots.h) has a claimant.  Threads without one borrow one of
 *            some more (64; 8 in a mapped file, where 64 threads of a process have their
 *            own) for the time of a claim; when so many of those are inside claims at
 *            once, further ones wait for them: only there is it not lock-free.  Which
 *            are lent a process keeps to itself.  Processes without a lease have the same
 *            8, so each locks the byte of the one that it has borrowed: the kernel takes
 *            that back if it dies.  Where there are no locks they note it in the file, and
 *            one that dies inside a claim keeps what it had borrowed.
 * Processes  In a mapped file the claimants are those who lease its stripes
 *            (atomic/leases.h).  The ticket of a process that has died is helped like
 *            that of any thread that stopped, by whoever meets it or who gets the lease.
 *            What is in such a file may be anything: a ticket of a number that nobody
 *            has is taken out, and the rest makes answers wrong at most.
 *
 * Source: the helping is that of Harris, Fraser and Pratt, "A Practical Multi-word
 * Compare-and-Swap Operation", 2002, with one word that decides.
 */
#ifndef LFB_BLOOM_CLAIMS_H
#define LFB_BLOOM_CLAIMS_H

#include "atomic/leases.h"
#include "atomic/slots.h"
#include "bloom/strategies/strategy.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LFB_CLAIM_PLACES = 512,  /* of a filter: a page of 4 KiB; a power of two   */
  LFB_CLAIMANTS_LENT = 64, /* for threads that have no slot; the bits of a word */
  LFB_CLAIMANTS = LFB_SLOT_COUNT + LFB_CLAIMANTS_LENT, /* of a process, for its own filters */
  /* A ticket is its claimant's number in the low bits and the sequence above them, from
   * 1 on.  51 bits of sequence last a thread of 10^8 claims a second for 8 months;
   * then it begins again, when nobody has looked at one of its first for as long. */
  LFB_TICKET_NUMBER_BITS = 13,
  LFB_CLAIMANTS_MOST = 1 << LFB_TICKET_NUMBER_BITS,
  LFB_STATUS_STATE_BITS = 2, /* a status: the state, and the sequence above it */
};

typedef enum lfb_claim_state { LFB_CLAIM_PENDING, LFB_CLAIM_WON, LFB_CLAIM_LOST } lfb_claim_state;

/* Whose claim this is, and how it stands: a line of its own; in a file, of a stripe's. */
typedef struct lfb_claimant {
  uint64_t count, running; /* of a stripe: not touched here                  */
  lfb_word low, high;                /* the hash that is claimed             */
  lfb_word status;
  lfb_word lent; /* of the first that is lent, where `lent_map` is here */
  char padding[LFB_CACHE_LINE - 6 * sizeof(uint64_t)];
} lfb_claimant;

/* The claims of one filter that are under way. */
typedef struct lfb_claims {
  lfb_word *places;
  uint64_t mask;      /* the number of places, less 1                               */
  lfb_claimant *each; /* everybody, by number                                       */
  uint32_t count;     /* .. so many                                                 */
  uint32_t first;     /* this process's own begin here: one a slot below `owned`,   */
  uint32_t owned;     /* .. and then `lent` of them, at most 64, for other threads  */
  uint32_t lent;
  lfb_word *lent_map; /* bit i is on while the i-th is lent                         */
  int lent_fd;        /* locked for who borrows (leases.h); -1: there is no need    */
} lfb_claims;

/* Makes an empty table of LFB_CLAIM_PLACES.  Fails: LFB_ERROR_NO_MEMORY. */
lfb_status lfb_claims_init(lfb_claims *claims);

/* The same of `places`, a power of two: for tests, where claims are to meet. */
lfb_status lfb_claims_init_places(lfb_claims *claims, uint64_t places);

void lfb_claims_free(lfb_claims *claims);

/* The place of a hash.  Multiplied, so that all bits of it count whichever are random. */
static inline lfb_word *lfb_claims_place(const lfb_claims *claims, lfb_hash hash)
{
  const uint64_t mixed = (hash.low ^ hash.high) * UINT64_C(0x9e3779b97f4a7c15);
  return &claims->places[mixed >> 32 & claims->mask];
}

/* Where hashes are claimed: a filter, or one of several layers (layers.h). */
typedef struct lfb_claimed {
  const void *of;
  bool (*is_in)(const void *of, lfb_hash hash);   /* whether all bits of a hash are on */
  void (*turn_on)(const void *of, lfb_hash hash); /* turns them on, and counts them    */
} lfb_claimed;

/*
 * Claims a hash that the caller has just looked for and not found: step 1 is his.
 *
 * Returns  true to one caller at most of all who ever claim it; false says that its bits
 *          were all on, by another claim, a put or other keys.  They are on afterwards.
 * Progress lock-free (head of this file).
 */
bool lfb_claims_claim(const lfb_claims *claims, const lfb_claimed *in, lfb_hash hash);

/*
 * Completes what an earlier owner of this process's claimants, who died, has left in the
 * table.  Before the process claims: to those who help, a ticket whose owner has gone on
 * is none.
 */
void lfb_claims_adopt(const lfb_claims *claims, const lfb_claimed *in);

/* ---- the steps, for tests that stop between them --------------------------- */

/* Publishes the next claim of a claimant whose last one is complete; its ticket. */
uint64_t lfb_claims_publish(const lfb_claims *claims, uint32_t number, lfb_hash hash);

/* Puts a ticket into its place once that is free; false if the hash is in by then. */
bool lfb_claims_enter(const lfb_claims *claims, const lfb_claimed *in, lfb_hash hash,
                      uint64_t ticket);

/* Completes the claim of a ticket seen in a place: it is no longer there afterwards. */
void lfb_claims_help(const lfb_claims *claims, const lfb_claimed *in, lfb_word *place,
                     uint64_t ticket);

/* How the last claim of a claimant stands. */
lfb_claim_state lfb_claims_state(const lfb_claims *claims, uint32_t number);

#ifdef __cplusplus
}
#endif

#endif
