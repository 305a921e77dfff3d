/*
 * leases.h - a striped counter in a file that several processes have in memory, and
 * how its sum becomes right again after one of them has died.
 *
 * Floor 5.  May include: floors 0 to 4.
 *
 * Each process leases stripes, as many as a counter in private memory has, so that its
 * threads add by plain stores here too.  A lease is a lock of the kernel's on the file
 * (an open-file-description lock), which ends with the process, however that ends; it is
 * taken and given back only where the file is opened and closed.  A process that gets
 * none, since all are taken or the file system has no locks, adds to stripes for all.
 *
 * Counts     What a dead process added stays: the next owner adds to it.  What it had
 *            done and not yet added is missing, so that the sum is too low, never too
 *            high, until a recount.
 * Recount    Counts the bits while others go on, and then waits for each stripe to be
 *            without a mark for a moment (stripes.h).  What had been done before the
 *            bits were counted is then in the sum, or its doer is dead: if the bits are
 *            more than the sum, so many additions at least are missing, and are made up
 *            for by one addition.  If no stripe has changed meanwhile, nothing was turned
 *            on either, and the difference is exact.
 * Ordering   add and sum as stripes.h; the locks order the owners of one lease.
 * Progress   Nothing here is on a path of put or query.  take, give and recover call the
 *            kernel and wait for nobody; so does recount, but that it gives a marked
 *            stripe some time to be done, and then says that it was in vain.
 * Stopped    A process that is stopped for ever keeps its lease; a mark of its own keeps
 *            the sum from being corrected, and nothing else.
 * Threads    All at once, but for one fd: one call at a time.
 */
#ifndef LFB_ATOMIC_LEASES_H
#define LFB_ATOMIC_LEASES_H

#include "atomic/bits.h"
#include "atomic/stripes.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LFB_LEASES_FOR_ALL = 16, /* stripes before those that are leased */
};

#define LFB_LEASE_NONE UINT32_MAX

/* In the file; all zero at first. */
typedef struct lfb_lease_book {
  LFB_ATOMIC(uint64_t) deaths;    /* leases that were found without their owner */
  LFB_ATOMIC(uint64_t) recounted; /* .. when the sum was last known to be exact */
} lfb_lease_book;

/* Where they are in memory.  Whoever makes one keeps the memory for as long. */
typedef struct lfb_leases {
  lfb_lease_book *book;
  lfb_word *states;  /* `count`: 1 from when a lease is taken until it is given back */
  lfb_stripe *lines; /* lfb_leases_lines() of them                                   */
  uint32_t count;    /* leases                                                       */
  uint32_t owned;    /* stripes of a lease that have one writer each                 */
} lfb_leases;

/* How many stripes there are in all. */
uint64_t lfb_leases_lines(uint32_t count, uint32_t owned);

/* Takes a free lease by a lock on `fd`, for as long as `fd` is open; LFB_LEASE_NONE
 * where there is none. */
uint32_t lfb_leases_take(const lfb_leases *leases, int fd);

/* Gives a lease back: every thread's additions have been made. */
void lfb_leases_give(const lfb_leases *leases, int fd, uint32_t lease);

/* Whether leases and what is lent can be locked: not on every file system. */
bool lfb_leases_can_lock(int fd);

/*
 * Locks, for a process without a lease, one of the LFB_STRIPES_SHARED that are for all;
 * false while another process has it.  Ordering: who locks it next sees what its last
 * owner did.  Threads of one process exclude each other by other means.
 */
bool lfb_leases_lock_lent(int fd, uint32_t which);
void lfb_leases_unlock_lent(int fd, uint32_t which);

/* The counter of who has this lease, or of a process that has none. */
lfb_stripes lfb_leases_stripes(const lfb_leases *leases, uint32_t lease);

/* Gives back the leases of dead owners.  Takes: an `fd` that holds none. */
void lfb_leases_recover(const lfb_leases *leases, int fd);

/*
 * Whether an owner has died and nobody has given his lease back yet, or somebody without a
 * lease has with a mark on.  Writes nothing and locks nothing: for who may only read.  Right
 * but where leases are taken and given back meanwhile: it may then say so of nobody.  false
 * where nothing can be locked.
 */
bool lfb_leases_have_dead(const lfb_leases *leases, int fd);

/* How many deaths were found so far. */
uint64_t lfb_leases_deaths(const lfb_leases *leases);

/* Whether an owner has died since the sum was last known to be exact. */
bool lfb_leases_may_lack(const lfb_leases *leases);

/*
 * Makes the sum that of the bits.
 *
 * Fails  LFB_ERROR_COUNT_MOVED   others were adding: it may still be too low, though
 *                                less so than before
 *        LFB_ERROR_NO_MEMORY
 */
lfb_status lfb_leases_recount(const lfb_leases *leases, const lfb_bits *bits);

#ifdef __cplusplus
}
#endif

#endif
