/*
 * outbox.h - a bounded queue of puts on their way to a server: any number of threads put into
 * it, one takes out.
 *
 * 1. Order      What is taken comes in the order in which places were given.
 * 2. Marks      lfb_outbox_mark() counts every put whose place was given before, in the
 *               happens-before sense; and every put of which the caller has seen, by however
 *               relaxed a load, anything that its thread did after lfb_outbox_put().
 *               For: both are read-modify-writes of one number, acquire and release.  Were the
 *               mark before the put in that number's order, all that its caller had read
 *               before would happen before what the put's thread did after; and nobody reads
 *               what happens later.
 * Progress      lfb_outbox_put() is lock-free: a place is lost only to another thread, which
 *               has it then.  A thread that is stopped for ever between taking a place and
 *               filling it holds up the taker, never another thread that puts: they are told
 *               that there is no room once there is none.
 * Source        Dmitry Vyukov, "Bounded MPMC queue", 2010, with one consumer.
 */
#ifndef LFB_REDIS_OUTBOX_H
#define LFB_REDIS_OUTBOX_H

#include <lfbloom/c11.h>
#include <lfbloom/cpu.h>
#include <lfbloom/status.h>
#include <stddef.h>

#include "bloom/hashing/murmur.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A put that is on its way. */
typedef struct lfb_outgoing {
  lfb_hash hash;
  uint64_t since; /* when it was put, lfb_lags_now() */
} lfb_outgoing;

typedef struct lfb_outbox_slot {
  LFB_ATOMIC(uint64_t) turn; /* i: free for place i; i + 1: that is filled */
  lfb_outgoing what;
} lfb_outbox_slot;

typedef struct lfb_outbox {
  lfb_outbox_slot *slots;
  uint64_t mask; /* slots - 1 */
  uint64_t taken; /* the taker's */
  char padding[LFB_CACHE_LINE];
  LFB_ATOMIC(uint64_t) given; /* places */
} lfb_outbox;

/* Makes one for at least `count` puts, rounded up to a power of two, 2 at least.
 * Fails: LFB_ERROR_SIZE_OVERFLOW, LFB_ERROR_NO_MEMORY. */
lfb_status lfb_outbox_init(lfb_outbox *outbox, uint64_t count);
void lfb_outbox_free(lfb_outbox *outbox);

/* Puts; false: there is no room. */
bool lfb_outbox_put(lfb_outbox *outbox, lfb_hash hash, uint64_t since);

/* How many have been put: 2 of this file's head. */
uint64_t lfb_outbox_mark(lfb_outbox *outbox);

/* Takes at most so many, in order, up to one whose place is not filled yet; how many. */
size_t lfb_outbox_take(lfb_outbox *outbox, lfb_outgoing *puts, size_t most);

/* Whether every place that was given has been taken: for the taker. */
bool lfb_outbox_is_empty(const lfb_outbox *outbox);

#ifdef __cplusplus
}
#endif

#endif
