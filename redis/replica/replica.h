/*
 * replica.h - what a replica is, and the work of its two threads.
 *
 * Where a key is put that is not in the copy, first it gets a place in the outbox, then its
 * bits are set.  So every bit of the copy is on Redis, or came with a place that was given
 * before, which a mark (outbox.h, 2) counts; and whoever finds a key in need not send it.
 *
 * Full    Where there is no place, the put is counted in `begun` before its bits are set and in
 *         `ended` after that.  A resync that has found as many ended as had begun, in this
 *         order, knows that the bits of all of them are there to be compared; until there was
 *         one, flush waits.  (`begun` is read as marks are, for the same reason.)
 * Sleep   The sender says that it sleeps, and then looks whether there is a put; a put has its
 *         place, and then looks whether the sender sleeps.  All four are seq_cst: in their one
 *         order the second look comes behind the other's deed, so that one of them sees it.
 */
#ifndef LFB_REDIS_REPLICA_H
#define LFB_REDIS_REPLICA_H

#include <lfbloom/replica.h>
#include <pthread.h>

#include "redis/replica/lags.h"
#include "redis/replica/outbox.h"
#include "redis/replica/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LFB_REPLICA_BATCH = 4096, /* puts sent at once, in one job and then their entries */
};

struct lfb_replica {
  lfb_redis *remote;
  lfb_filter *local;
  lfb_stream stream;
  lfb_outbox outbox;
  lfb_read_limits limits;
  uint64_t resync_us; /* 0: never */

  LFB_ATOMIC(uint64_t) begun, ended; /* Full, above                      */
  LFB_ATOMIC(bool) asleep;           /* the sender, or it is about to be */
  LFB_ATOMIC(bool) stopping;
  int wake; /* an eventfd that the sender sleeps on                      */
  int stop; /* .. that can be read from once both threads are to end     */

  pthread_mutex_t lock; /* has what follows, for those who wait          */
  pthread_cond_t told;
  uint64_t acknowledged; /* puts of the outbox                           */
  uint64_t compared;     /* puts of `begun` that a resync has covered    */
  uint64_t asked, done;  /* resyncs that somebody waits for, by number   */

  /* for the state */
  LFB_ATOMIC(uint64_t) sent, received, loads, resyncs, behind;
  LFB_ATOMIC(uint64_t) fresh; /* all that was added before is here, lfb_lags_now() */
  LFB_ATOMIC(int) sending, reading; /* lfb_status of the last attempt              */
  lfb_lags lags;

  lfb_stream_at at; /* the reader's */
  struct {          /* the sender's */
    lfb_outgoing puts[LFB_REPLICA_BATCH];
    lfb_hash hashes[LFB_REPLICA_BATCH];
    uint64_t resync_at;  /* lfb_lags_now(), of the next one by the clock */
    uint64_t not_before; /* .. of any                                   */
    uint32_t failures;   /* of resyncs, in a row                        */
    bool untold;         /* bits were set of which nobody was told       */
  } send;

  pthread_t sender, reader;
};

/* What the threads run; the argument is the replica. */
void *lfb_replica_send(void *argument);
void *lfb_replica_read(void *argument);

/*
 * Remembers the end of the stream, loads the filter, and has its bits in the copy, which is
 * made if there is none: for the reader, and before there are threads.
 *
 * Fails  as lfb_redis_load(), lfb_stream_greet().
 */
lfb_status lfb_replica_load(lfb_replica *replica);

bool lfb_replica_is_stopping(const lfb_replica *replica);

/* How long to pause after so many failed attempts in a row, and one more, in milliseconds. */
uint64_t lfb_replica_pause_ms(uint32_t failures);

/* Pauses so long, but not once it is to stop. */
void lfb_replica_pause(const lfb_replica *replica, uint32_t failures);

#ifdef __cplusplus
}
#endif

#endif
