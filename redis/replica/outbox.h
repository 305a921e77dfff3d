/*
 * outbox.h - a bounded queue of puts to be sent to a server: any number of threads put, one
 * thread, the taker, takes.
 *
 * 1. Order      Puts are taken in the order in which their places were given.
 * 2. Marks      lfb_outbox_mark() counts every put that was given its place before the mark, in
 *               the happens-before sense.  It also counts every put with an effect that the
 *               caller has seen: anything that the put's thread did after lfb_outbox_put(), read
 *               by a load of any order, even relaxed.
 *               Proof: the put and the mark are read-modify-writes of one number, each acquire
 *               and release.  Suppose the mark came first in that number's order.  Then all that
 *               the mark's caller had read before would happen before all that the put's thread
 *               did after.  But no load returns a value from a store that happens after it.
 * Progress      lfb_outbox_put() is lock-free: it retries only because another thread got the
 *               place.  If a thread never runs again between taking a place and filling it, it
 *               blocks the taker, but no other put: once the queue is full, puts return false.
 * Source        Dmitry Vyukov, "Bounded MPMC queue", 2010, with one consumer.
 */
#ifndef LFB_REDIS_OUTBOX_H
#define LFB_REDIS_OUTBOX_H

#include <lfbloom/c11.h>
#include <lfbloom/cpu.h>
#include <lfbloom/status.h>
#include <stddef.h>

#include "bloom/hashing/murmur.h"

LFB_EXTERN_C_BEGIN

/* A queued put. */
typedef struct lfb_outgoing {
  lfb_hash hash;
  uint64_t since; /* when it was put, lfb_lags_now() */
} lfb_outgoing;

typedef struct lfb_outbox_slot {
  LFB_ATOMIC(uint64_t) turn; /* i: free for place i; i + 1: place i is filled */
  lfb_outgoing what;
} lfb_outbox_slot;

typedef struct lfb_outbox {
  lfb_outbox_slot *slots;
  uint64_t mask;  /* number of slots - 1                         */
  uint64_t taken; /* puts taken so far; used by the taker only   */
  char padding[LFB_CACHE_LINE];
  LFB_ATOMIC(uint64_t) given; /* places given so far */
} lfb_outbox;

/* Makes an outbox for `count` puts, rounded up to a power of two, at least 2.
 * Fails: LFB_ERROR_SIZE_OVERFLOW, LFB_ERROR_NO_MEMORY. */
lfb_status lfb_outbox_init(lfb_outbox *outbox, uint64_t count);

/* Frees the slots; no other call may run. */
void lfb_outbox_free(lfb_outbox *outbox);

/* Puts a hash; returns false if the outbox is full. */
bool lfb_outbox_put(lfb_outbox *outbox, lfb_hash hash, uint64_t since);

/* Returns how many places have been given: 2 of this file's head. */
uint64_t lfb_outbox_mark(lfb_outbox *outbox);

/* Takes at most `most` puts in order, and stops at a place that is not filled yet.  Returns how
 * many it took.  For the taker. */
size_t lfb_outbox_take(lfb_outbox *outbox, lfb_outgoing *puts, size_t most);

/* Whether every given place has been taken.  For the taker. */
bool lfb_outbox_is_empty(const lfb_outbox *outbox);

LFB_EXTERN_C_END

#endif
