/*
 * recent.h - the hashes of the keys that were added to a filter last: what a follower lacks.
 *
 * A key's hash, 64 bits, determines its bits, so a follower that puts the hashes has the same bits.
 * Hash i of the filter, counted from when the log was made, is at place i % room of a ring.
 *
 * Epoch    A log has a random number.  A follower that names another one, or a hash that the ring
 *          no longer holds, must load the filter in full.  A log is neither saved, copied nor
 *          replicated: after a restart or a failover there is another one.
 * Memory   A ring takes a sixteenth to an eighth of its filter: when so many hashes have come, a
 *          load in full is not much more.
 * Idle     Once more hashes have come than the ring holds, and no follower has asked meanwhile, every
 *          follower must load in full anyway: the log can be freed (lfb_recent_is_idle()).
 *
 * Threads  One at a time.
 */
#ifndef LFB_REDIS_MODULE_RECENT_H
#define LFB_REDIS_MODULE_RECENT_H

#include <lfbloom/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lfb_recent {
  uint64_t epoch;  /* random, from 1 to 2^53 - 1: an integer that a double holds */
  uint64_t count;  /* of hashes that were ever added                       */
  uint64_t asked;  /* `count` when it was last asked for                   */
  uint64_t room;   /* of hashes in the ring                                */
  uint64_t at;     /* count % room: where the next one goes                */
  uint64_t memory; /* bytes that it takes of Redis' allocator              */
  uint64_t ring[]; /* little-endian                                        */
} lfb_recent;

/* Makes the log of a filter whose words have so many bytes.  Fails: LFB_ERROR_NO_MEMORY,
 * LFB_ERROR_NO_RANDOM. */
LFB_CHECKED lfb_status lfb_recent_create(uint64_t bytes, lfb_recent **recent);

/* NULL is ignored. */
void lfb_recent_free(lfb_recent *recent);

/* Adds a hash. */
void lfb_recent_add(lfb_recent *recent, uint64_t hash);

/* Whether every follower must load in full (Idle, above). */
bool lfb_recent_is_idle(const lfb_recent *recent);

/*
 * Finds the hashes after the first `since`.
 *
 * Gives    hashes, count  up to `most` of them, in the ring, little-endian.  Fewer than there are if
 *                         the ring ends: ask again.
 * Returns  false if the ring lacks one, or if so many were never added.
 */
bool lfb_recent_find(lfb_recent *recent, uint64_t since, size_t most, const uint64_t **hashes,
                     size_t *count);

#endif
