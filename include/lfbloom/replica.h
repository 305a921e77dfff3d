/*
 * lfbloom/replica.h - a local replica: a copy, in this process's memory, that follows a filter on
 * Redis.  Queries cost what they cost on a filter, and keys put here reach Redis, too.
 *
 * In liblfbloom_redis.  "Replica" below means a local replica.
 *
 *     lfb_replica_open(&options, "seen", NULL, &replica);
 *     const lfb_filter *filter = lfb_replica_filter(replica);
 *     lfb_filter_might_contain(filter, key, size);   here, without a round trip
 *     lfb_replica_put(replica, key, size);           here at once, and soon everywhere
 *     lfb_replica_flush(replica, 1000);              now Redis has acknowledged it
 *
 * 1. Own        A key is found here once its put here has returned, in the happens-before sense.
 * 2. Others     If another replica has put a key and flushed it more than state.lag_us before the
 *               state was taken, the key is found here once lfb_replica_state_now() has
 *               returned.  A read of the stream that leaves nothing unread gets all that was
 *               added before the read was sent.  The lag is the time since then, by this
 *               host's clock alone; it grows while there is no connection.
 * 3. Kept       What lfb_replica_flush() has covered is in the filter on Redis and in its stream,
 *               from which the other replicas get it.  This holds as far as the server keeps what
 *               it has acknowledged; with options.replicas, also through a failover.  While
 *               too few Redis replicas have it, it is not flushed, and state.status is
 *               LFB_ERROR_REDIS_REPLICAS.  If a process ends, what was not flushed is lost.
 * 4. Whole      Open returns once all that was in the filter is here.  Nothing is ever removed:
 *               if the filter is loaded again, it is or-ed into the copy.  A query never sees less
 *               than an earlier one.
 * 5. No gap     A replica may fall so far behind that entries are trimmed before it reads them, or
 *               its stream may be replaced (deleted, or lost by the server).  It notices this
 *               because the last entry that it read is gone, and loads the filter again.  It
 *               first remembers the stream's new end, so that no entry is missed in between.
 *               redis/replica/stream.h explains why nothing can be missed.
 * 6. Cut off    Without a connection the copy continues to answer and to accept puts.  Puts wait
 *               in a queue of config.queue_keys and are sent when there is a connection again.
 *               If the queue is full (and a batch of 4096 is in progress), puts still go into
 *               the copy.  A resync later compares copy and Redis to find what Redis lacks.
 *               Nothing is lost, and no put ever waits or fails.
 * 7. Resync     A resync empties the queue, loads the filter, and ors its bits into the copy.  It
 *               then sets on Redis the bits that only the copy has, and notifies the other
 *               replicas, which load the filter.  A resync follows a full queue, starts every
 *               config.resync_ms, and is started by lfb_replica_resync().  It also restores what a
 *               server has forgotten.
 * 8. Plain      Plain clients (lfb_redis_put(), a Java program, any that sets bits there) write
 *    clients    nothing to the stream.  A replica looks for their puts every config.look_ms, by
 *               default every 3 s, and a second more for each 2 MiB of the filter.  The server
 *               counts the filter's bits, a MiB at a time, and sends only the number.  If others
 *               have set bits that the copy may lack, the replica looks again up to 3 times within
 *               0.4 s, and then loads the filter.  So a plain put arrives within look_ms, 0.4 s,
 *               and the time of counting and loading, while the server can be reached.
 *               Price: if keys are put all the time, whether by plain clients or by replicas, each
 *               look loads the filter: with the default, less than 2 MiB a second for each replica.
 *               With many replicas and no plain clients, set look_ms to UINT64_MAX.
 * 9. Gone       If the filter was deleted, has expired or was renamed, state.status is
 *               LFB_ERROR_REDIS_PART permanently, and the copy stays unchanged.  (A guava or
 *               helper filter that is made anew under its name looks like the old one with
 *               bits missing, and gets them back: close its replicas first.)
 *
 * Progress      Queries, and all calls on lfb_replica_filter(): as lfbloom/filter.h.  Puts are
 *               lock-free.  A put of a present key is a query.  A put enters the kernel only to
 *               wake the sending thread.  A thread that stops inside a put and never runs again
 *               blocks the sending of later puts, but no query and no put.
 *               flush, resync and close wait.
 * Threads       All functions may run concurrently, except lfb_replica_close(), which runs alone.
 *               A replica has two threads of its own, one that sends and one that reads, with a
 *               connection each.  It may not be used across fork().
 * Memory        The copy, and 32 bytes for each key of the queue (a power of two of them).  While
 *               it is loaded again, the size of the filter once more; in a resync, twice more.
 */
#ifndef LFBLOOM_REPLICA_H
#define LFBLOOM_REPLICA_H

#include <lfbloom/filter.h>
#include <lfbloom/redis.h>

LFB_EXTERN_C_BEGIN

/* A local copy that follows a filter on Redis. */
typedef struct lfb_replica lfb_replica;

/* How a replica follows.  All zero is the default. */
typedef struct lfb_replica_config {
  const lfb_config *wanted; /* as for lfb_redis_open()                                      */
  uint64_t max_bytes;       /* limit for the copy's words; above: LFB_ERROR_OVER_LIMIT; 0: none */
  uint64_t queue_keys;      /* puts that may wait, rounded up to a power of two; 0: 2^20     */
  uint64_t stream_entries;  /* about how many the stream keeps, each of up to 512 keys or 8 KiB;
                               0: as many as take the memory of the filter, but from 100 to
                               16,384.  If fewer than are added while the filter is loaded,
                               a replica loads it again and again                           */
  uint64_t resync_ms;       /* from one resync to the next; 0: only when one is needed       */
  uint64_t look_ms;         /* from one look to the next (8, above); 0: 3 s, and a second more for
                               each 2 MiB of the copy; UINT64_MAX: none                     */
  uint64_t reserved[7]; /* must be 0 (lfbloom/status.h) */
} lfb_replica_config;

/* A replica's state.  Times are in microseconds. */
typedef struct lfb_replica_state {
  bool connected;        /* both threads reach Redis: status is LFB_OK                      */
  lfb_status status;     /* why one of them does not, or LFB_OK                             */
  uint64_t lag_us;       /* at most this much is missing (2, above); while no replica puts, up
                            to 2.5 s: a read then returns only after that time             */
  uint64_t behind;       /* entries of the stream still to be read, at most; 0: the last read
                            left none                                                      */
  uint64_t queued;       /* own puts that are not acknowledged                             */
  bool resyncs_due;      /* the queue was full: Redis may lack bits that only a resync sends */
  uint64_t sent;         /* own keys that were acknowledged                                */
  uint64_t received;     /* keys of other replicas, from the stream                        */
  uint64_t loads;        /* of the filter, including those by lfb_replica_open() and by looks */
  uint64_t resyncs;      /* that were completed                                            */
  uint64_t lag_50_us, lag_90_us, lag_99_us, lag_most_us; /* percentiles and maximum, over
                            `received`, of the time from a key's put to its arrival here; the way
                            of its packet to the server is not included.  Each is up to 12.5 %
                            too high                                                       */
  uint64_t reserved[8]; /* 0 (lfbloom/status.h) */
} lfb_replica_state;

/*
 * Opens the filter under a name, loads it, and follows it from then on.
 *
 * Takes  options  retries is ignored: a replica tries again until it is closed.
 *        config   NULL: the default.
 * Fails  as lfb_redis_open() and lfb_redis_load(); LFB_ERROR_REPLICA_STREAM: another program's
 *        stream, or something else, is under the name of the filter's stream (docs/formats.md);
 *        LFB_ERROR_SIZE_OVERFLOW: the queue is too large; LFB_ERROR_NO_THREAD,
 *        LFB_ERROR_NO_RANDOM.
 * Needs  the right to write, even if no key is ever put; Redis 6.2 (XADD NOMKSTREAM).  The stream
 *        expires a day after the last replica is closed.
 */
LFB_CHECKED lfb_status lfb_replica_open(const lfb_redis_options *options, const char *name,
                                        const lfb_replica_config *config, lfb_replica **replica);

/*
 * Ends both threads and frees the replica.  Puts that were not flushed may be lost: flush first.
 * NULL is ignored.
 *
 * Waits  for what is in progress: some round trips; if the stream has just been deleted, 2.5 s; if
 *        the server does not answer, 2 * (connect_ms + timeout_ms), and with a cluster twice that.
 */
LFB_API void lfb_replica_close(lfb_replica *replica);

/* Returns the copy, for all functions of lfbloom/filter.h that query; the same one until the
 * replica is closed.  A key that is put into it directly would not be sent. */
LFB_API const lfb_filter *lfb_replica_filter(const lfb_replica *replica);

/*
 * Puts a key, as the functions of lfbloom/filter.h do.
 *
 * Returns  whether it turned on a bit of the copy.  For one key, any number of replicas may
 *          return true; lfb_redis_put() gives the server's answer.
 */
LFB_API bool lfb_replica_put(lfb_replica *replica, const void *bytes, size_t size);
LFB_API bool lfb_replica_put_u64(lfb_replica *replica, uint64_t key);

/* Puts many keys; returns how many turned on a bit. */
LFB_API size_t lfb_replica_put_many(lfb_replica *replica, const lfb_key *keys, size_t count);
LFB_API size_t lfb_replica_put_many_u64(lfb_replica *replica, const uint64_t *keys, size_t count);

/*
 * Waits until every earlier put is acknowledged: earlier in the happens-before sense, by any
 * thread, including puts of keys that were already present.
 *
 * Takes  milliseconds  to wait at most.
 * Fails  LFB_ERROR_REPLICA_UNSENT: not yet acknowledged; state.status may hold the reason.
 */
LFB_CHECKED lfb_status lfb_replica_flush(lfb_replica *replica, uint64_t milliseconds);

/* Starts a resync and waits for its end, so many milliseconds at most.  Fails:
 * LFB_ERROR_REPLICA_UNSENT: not yet finished. */
LFB_CHECKED lfb_status lfb_replica_resync(lfb_replica *replica, uint64_t milliseconds);

/* Reads the replica's state. */
LFB_API void lfb_replica_state_now(const lfb_replica *replica, lfb_replica_state *state);

LFB_EXTERN_C_END

#endif
