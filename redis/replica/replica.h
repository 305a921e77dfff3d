/*
 * replica.h - the struct of a local replica, and its two threads: the sender and the reader.
 *
 * A put of a key that is absent from the local filter first gets a place in the outbox, then sets
 * the key's bits.  Every bit of the local filter is therefore on Redis, or was set after a place
 * was given; a mark (outbox.h, 2) counts that place.  A put of a key that is present need not send
 * it.
 *
 * Full    If the outbox is full, the put is counted in `begun` before it sets its bits and in
 *         `ended` after that.  A resync reads `ended`, then `begun`.  If they are equal, all bits
 *         of these puts are set and will be compared.  flush waits until such a resync is done.
 *         (`begun` is read by a read-modify-write, as a mark is, for the same reason.)
 * Look    The sender counts the bits of the copy, and then those on Redis.  If all of the copy's
 *         were sent before the second count, and the counts are equal, the copy has all bits: its
 *         own were among those on Redis.  If the count on Redis is the one of the last time when
 *         the copy had all, it has all now.  Otherwise a plain client may have put, or puts are on
 *         their way through the stream: the sender looks again soon, and then loads the filter.
 * Sleep   The sender stores `asleep`, then checks the outbox for a put.  A put takes its place,
 *         then checks `asleep`.  All four accesses are seq_cst, so they have one total order: the
 *         later of the two checks comes after the other thread's write and sees it.
 */
#ifndef LFB_REDIS_REPLICA_H
#define LFB_REDIS_REPLICA_H

#include <lfbloom/replica.h>
#include <pthread.h>

#include "redis/replica/lags.h"
#include "redis/replica/outbox.h"
#include "redis/replica/stream.h"

LFB_EXTERN_C_BEGIN

enum {
  LFB_REPLICA_BATCH = 4096, /* puts sent at once: the bits in one job, then the entries */
};

struct lfb_replica {
  lfb_redis *remote;
  lfb_filter *local;
  lfb_stream stream;
  lfb_outbox outbox;
  lfb_read_limits limits;
  uint64_t resync_us; /* interval between resyncs; 0: none by the clock  */
  uint64_t look_us;   /* interval between looks; 0: none                 */

  LFB_ATOMIC(uint64_t) begun, ended; /* Full, above                      */
  LFB_ATOMIC(bool) asleep;           /* the sender sleeps or is about to */
  LFB_ATOMIC(bool) stopping;
  int wake; /* an eventfd that the sender sleeps on                      */
  int stop; /* an eventfd, readable once both threads must end           */

  pthread_mutex_t lock;  /* protects the following numbers               */
  pthread_cond_t told;   /* broadcast when one of them changes           */
  uint64_t acknowledged; /* puts of the outbox that Redis acknowledged   */
  uint64_t compared;     /* puts of `begun` that a resync has covered    */
  uint64_t asked, done;  /* last resync requested; last one done for it  */

  /* For lfb_replica_state_now(): */
  LFB_ATOMIC(uint64_t) sent, received, loads, resyncs, behind;
  LFB_ATOMIC(uint64_t) fresh; /* all that was added before this time is local, lfb_lags_now() */
  LFB_ATOMIC(int) sending, reading; /* lfb_status of the last attempt */
  lfb_lags lags;

  lfb_stream_at at;   /* used by the reader only                                    */
  uint64_t keep_at;   /* the same: when to keep the stream again, lfb_lags_now()    */
  struct {          /* used by the sender only; times are lfb_lags_now() */
    lfb_outgoing puts[LFB_REPLICA_BATCH];
    lfb_hash hashes[LFB_REPLICA_BATCH];
    uint64_t resync_at;  /* when the next resync by the clock is due     */
    uint64_t not_before; /* earliest time of the next resync of any kind */
    uint32_t failures;   /* resyncs that failed in a row                 */
    bool untold;         /* a resync set bits that are not announced yet */
    uint64_t look_at;    /* when the next look is due                    */
    uint32_t looks;      /* in a row that found a difference             */
    uint64_t seen;       /* bits on Redis when the copy last had all     */
  } send;

  pthread_t sender, reader;
};

/* The functions of the two threads; the argument is the replica. */
void *lfb_replica_send(void *argument);
void *lfb_replica_read(void *argument);

/*
 * Notes the end of the stream, loads the filter and merges its bits into the local filter, which it
 * makes if there is none.  For the reader, or before the threads start.
 *
 * Fails  as lfb_redis_load(), lfb_stream_greet().
 */
lfb_status lfb_replica_load(lfb_replica *replica);

/* Whether both threads must end. */
bool lfb_replica_is_stopping(const lfb_replica *replica);

/* Pauses for lfb_pause_ms(failures); returns early once the replica is stopping. */
void lfb_replica_pause(const lfb_replica *replica, uint32_t failures);

LFB_EXTERN_C_END

#endif
