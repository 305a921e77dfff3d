/* leases.c - taking, giving back and recovering leases, and recounting.  Floor 5. */
#if __SIZEOF_LONG__ == 4
#define _FILE_OFFSET_BITS 64 /* off_t has 32 otherwise */
#endif
#define _GNU_SOURCE /* F_OFD_SETLK, F_OFD_GETLK */
#include "atomic/leases.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

enum {
  CORRECTION = LFB_STRIPES_SHARED, /* the stripe that makes up for what is missing */
  PATIENCE = 1000,                 /* times that a recount yields to a marked stripe */
};

/* What is locked, far beyond the file's bytes: this one by all who have no lease, the
 * ones behind it by who has one, the ones before it by who has borrowed. */
#define LOCKS_AT (INT64_C(1) << 62)

static uint32_t lease_lines(const lfb_leases *leases)
{
  return leases->owned + LFB_STRIPES_SHARED;
}

uint64_t lfb_leases_lines(uint32_t count, uint32_t owned)
{
  return LFB_LEASES_FOR_ALL + (uint64_t)count * (owned + (uint64_t)LFB_STRIPES_SHARED);
}

static lfb_stripe *lease_first(const lfb_leases *leases, uint32_t lease)
{
  return leases->lines + LFB_LEASES_FOR_ALL + (size_t)lease * lease_lines(leases);
}

/* One byte that is locked. */
static struct flock lease_byte(int type, int64_t which)
{
  return (struct flock){
      .l_type = (short)type, .l_whence = SEEK_SET, .l_start = LOCKS_AT + which, .l_len = 1};
}

/* Locks or unlocks one byte, without waiting; whether that could be done. */
static bool lease_lock(int fd, int type, int64_t which)
{
  struct flock lock = lease_byte(type, which);
  return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

/* Whether nobody else has locked it; false where that cannot be told. */
static bool lease_is_unlocked(int fd, int64_t which)
{
  struct flock lock = lease_byte(F_WRLCK, which);
  return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
}

static bool lease_lock_one(int fd, int type, uint32_t lease)
{
  return lease_lock(fd, type, 1 + (int64_t)lease);
}

bool lfb_leases_can_lock(int fd)
{
  return lease_lock(fd, F_RDLCK, 0);
}

bool lfb_leases_lock_lent(int fd, uint32_t which)
{
  return lease_lock(fd, F_WRLCK, -1 - (int64_t)which);
}

void lfb_leases_unlock_lent(int fd, uint32_t which)
{
  (void)lease_lock(fd, F_UNLCK, -1 - (int64_t)which);
}

/* Takes back the marks that nobody will, and what was lent; whether there were any marks. */
static bool lease_unmark(lfb_stripe *stripes, uint32_t owned, uint32_t shared)
{
  bool any = false;

  /* relaxed: as below. */
  atomic_store_explicit(&stripes[owned].lent, 0, memory_order_relaxed);
  for (uint32_t i = 0; i < owned + shared; i++) {
    /* relaxed: nobody else is here, and the lock orders who was and who will be. */
    const uint64_t running = atomic_load_explicit(&stripes[i].running, memory_order_relaxed);
    const bool marked = i < owned ? running % 2 != 0 : running != 0;
    any |= marked;
    if (marked)
      atomic_store_explicit(&stripes[i].running, i < owned ? running + 1 : 0,
                            memory_order_relaxed);
  }
  return any;
}

/* Notes that an owner has died; the caller holds its lock. */
static void lease_bury(const lfb_leases *leases, uint32_t lease)
{
  (void)lease_unmark(lease_first(leases, lease), leases->owned, LFB_STRIPES_SHARED);
  /* release: who has seen this death sees no mark of it. */
  lfb_add_u64(&leases->book->deaths, 1, memory_order_release);
}

uint32_t lfb_leases_take(const lfb_leases *leases, int fd)
{
  for (uint32_t lease = 0; lease < leases->count; lease++) {
    if (!lease_lock_one(fd, F_WRLCK, lease))
      continue;
    /* relaxed: under the lock. */
    if (atomic_load_explicit(&leases->states[lease], memory_order_relaxed) != 0)
      lease_bury(leases, lease);
    atomic_store_explicit(&leases->states[lease], 1, memory_order_relaxed);
    return lease;
  }
  (void)lease_lock(fd, F_RDLCK, 0); /* says that somebody is there without a lease */
  return LFB_LEASE_NONE;
}

void lfb_leases_give(const lfb_leases *leases, int fd, uint32_t lease)
{
  if (lease == LFB_LEASE_NONE) {
    (void)lease_lock(fd, F_UNLCK, 0);
    return;
  }
  /* release: who takes the lease next sees its stripes as they are. */
  atomic_store_explicit(&leases->states[lease], 0, memory_order_release);
  (void)lease_lock_one(fd, F_UNLCK, lease);
}

lfb_stripes lfb_leases_stripes(const lfb_leases *leases, uint32_t lease)
{
  const bool none = lease == LFB_LEASE_NONE;
  const uint64_t lines = lfb_leases_lines(leases->count, leases->owned);

  return (lfb_stripes){.stripes = none ? leases->lines : lease_first(leases, lease),
                       .owned = none ? 0 : leases->owned,
                       .all_count = (uint32_t)lines,
                       .all = leases->lines};
}

/* Those who died without a lease: known only once none of them is left. */
static void lease_recover_for_all(const lfb_leases *leases, int fd)
{
  if (!lease_lock(fd, F_WRLCK, 0))
    return;
  if (lease_unmark(leases->lines, 0, LFB_STRIPES_SHARED))
    lfb_add_u64(&leases->book->deaths, 1, memory_order_release);
  (void)lease_lock(fd, F_UNLCK, 0);
}

void lfb_leases_recover(const lfb_leases *leases, int fd)
{
  for (uint32_t lease = 0; lease < leases->count; lease++) {
    /* relaxed: a hint, looked at again under the lock. */
    LFB_ATOMIC(uint64_t) *state = &leases->states[lease];
    if (atomic_load_explicit(state, memory_order_relaxed) == 0 ||
        !lease_lock_one(fd, F_WRLCK, lease))
      continue;
    if (atomic_load_explicit(state, memory_order_relaxed) != 0)
      lease_bury(leases, lease);
    lfb_leases_give(leases, fd, lease);
  }
  lease_recover_for_all(leases, fd);
}

/* Whether a lease says that it has an owner, and has none. */
static bool lease_is_dead(const lfb_leases *leases, int fd, uint32_t lease)
{
  const LFB_ATOMIC(uint64_t) *state = &leases->states[lease];

  /* acquire: what the lock says is asked after that, and the state again after the lock,
   * since its owner may have given it back in between. */
  return atomic_load_explicit(state, memory_order_acquire) != 0 &&
         lease_is_unlocked(fd, 1 + (int64_t)lease) &&
         atomic_load_explicit(state, memory_order_acquire) != 0;
}

/* Whether one of those without a lease has left a mark, and none of them is there. */
static bool lease_for_all_is_dead(const lfb_leases *leases, int fd)
{
  bool marked = false;

  /* acquire: as above, a mark that is taken back. */
  for (uint32_t i = 0; i < LFB_STRIPES_SHARED; i++)
    marked |= atomic_load_explicit(&leases->lines[i].running, memory_order_acquire) != 0;
  return marked && lease_is_unlocked(fd, 0);
}

bool lfb_leases_have_dead(const lfb_leases *leases, int fd)
{
  for (uint32_t lease = 0; lease < leases->count; lease++)
    if (lease_is_dead(leases, fd, lease))
      return true;
  return lease_for_all_is_dead(leases, fd);
}

uint64_t lfb_leases_deaths(const lfb_leases *leases)
{
  /* acquire: pairs with the release in lease_bury(). */
  return atomic_load_explicit(&leases->book->deaths, memory_order_acquire);
}

bool lfb_leases_may_lack(const lfb_leases *leases)
{
  /* acquire: pairs with the release in lease_bury() and recount_finish(). */
  return atomic_load_explicit(&leases->book->deaths, memory_order_acquire) !=
         atomic_load_explicit(&leases->book->recounted, memory_order_acquire);
}

/* Whether line i is a stripe of a lease that has one writer. */
static bool recount_is_owned(const lfb_leases *leases, uint64_t i)
{
  return i >= LFB_LEASES_FOR_ALL &&
         (i - LFB_LEASES_FOR_ALL) % lease_lines(leases) < leases->owned;
}

static uint64_t recount_count(const lfb_stripe *stripe)
{
  /* acquire: pairs with the release in lfb_stripes_add(). */
  return atomic_load_explicit(&stripe->count, memory_order_acquire);
}

/*
 * Waits for a moment at which whatever was under way when it was called is counted: the
 * stripe is without a mark, or its one writer has put on another.  Whether it came.
 */
static bool recount_wait(const lfb_stripe *stripe, bool owned)
{
  /* acquire: pairs with the release in lfb_stripes_end(), for the count. */
  const uint64_t first = atomic_load_explicit(&stripe->running, memory_order_acquire);
  uint64_t now = first;

  for (int patience = PATIENCE; patience > 0; patience--) {
    if (owned ? now % 2 == 0 || now != first : now == 0)
      return true;
    (void)sched_yield();
    now = atomic_load_explicit(&stripe->running, memory_order_acquire);
  }
  return false;
}

/* Adds what is missing, unless another recount came first; whether it did. */
static bool recount_correct(const lfb_leases *leases, uint64_t correction, uint64_t missing)
{
  /* release: pairs with the acquire in the sum. */
  return missing == 0 || lfb_cas_u64(&leases->lines[CORRECTION].count, &correction,
                                     correction + missing, memory_order_release);
}

/* Says up to which death the sum is exact: never fewer than another has said. */
static void recount_finish(const lfb_leases *leases, uint64_t deaths)
{
  LFB_ATOMIC(uint64_t) *recounted = &leases->book->recounted;
  uint64_t seen = atomic_load_explicit(recounted, memory_order_relaxed);

  /* release: who reads it reads the correction.  A retry: another recount is further. */
  while (seen < deaths && !lfb_cas_u64(recounted, &seen, deaths, memory_order_release))
    continue;
}

/* Compares the bits with the stripes, whose counts before are in `before`. */
static lfb_status recount_compare(const lfb_leases *leases, const lfb_bits *bits, uint64_t lines,
                                  const uint64_t *before)
{
  const uint64_t there = lfb_bits_count(bits);
  uint64_t sum = 0;
  bool still = true;

  /* acquire: pairs with the fence in lfb_stripes_mark(): whose bits were counted, their
   * mark is seen, or the count that took its place. */
  lfb_fence(memory_order_acquire);
  for (uint64_t i = 0; i < lines; i++) {
    if (!recount_wait(&leases->lines[i], recount_is_owned(leases, i)))
      return LFB_ERROR_COUNT_MOVED;
    const uint64_t count = recount_count(&leases->lines[i]);
    still &= count == before[i];
    sum += count;
  }
  /* While others add, what is missing is at least the difference; fewer bits than the
   * sum has are possible in the file of a machine that lost its power. */
  if (still || (int64_t)(there - sum) > 0)
    still &= recount_correct(leases, before[CORRECTION], there - sum);
  return still ? LFB_OK : LFB_ERROR_COUNT_MOVED;
}

lfb_status lfb_leases_recount(const lfb_leases *leases, const lfb_bits *bits)
{
  const uint64_t lines = lfb_leases_lines(leases->count, leases->owned);
  /* acquire: pairs with the release in lease_bury(). */
  const uint64_t deaths = atomic_load_explicit(&leases->book->deaths, memory_order_acquire);
  uint64_t *before = calloc((size_t)lines, sizeof *before);

  if (before == NULL)
    return LFB_ERROR_NO_MEMORY;
  for (uint64_t i = 0; i < lines; i++)
    before[i] = recount_count(&leases->lines[i]);
  const lfb_status status = recount_compare(leases, bits, lines, before);
  if (status == LFB_OK)
    recount_finish(leases, deaths);
  free(before);
  return status;
}
