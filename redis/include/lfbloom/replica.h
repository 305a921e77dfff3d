/*
 * lfbloom/replica.h - a filter on Redis as a copy in this process's memory, which follows it:
 * queries cost what they cost on a filter, and what is put here is put there, too.
 *
 * In liblfbloom_redis.
 *
 * Guarantees 19, 21 of docs/guarantees.md.
 *
 *     lfb_replica_open(&options, "seen", NULL, &replica);
 *     const lfb_filter *filter = lfb_replica_filter(replica);
 *     lfb_filter_might_contain(filter, key, size);   here, without a round trip
 *     lfb_replica_put(replica, key, size);           here at once, and soon everywhere
 *     lfb_replica_flush(replica, 1000);              .. now Redis has acknowledged it
 *
 * 1. Own        A put is found here once it has returned, in the happens-before sense.
 * 2. Others     What another replica has put and flushed more than state.lag_us before the state
 *               was taken is found here, once that has returned.  (Each read of the stream that
 *               leaves nothing unread gets all that was added before it was asked for: the lag
 *               is the time since then, by this machine's clock alone, and grows while there
 *               is no connection.)
 * 3. Kept       What lfb_replica_flush() has covered is in the filter on Redis and in its stream,
 *               which is how the other replicas get it: as far as the server keeps what it
 *               has acknowledged; with options.replicas, through a failover: while too few
 *               have it, it is not flushed, and state.status is LFB_ERROR_REDIS_REPLICAS.
 *               What was not flushed is lost with a process that dies.
 * 4. Whole      Open returns once all that was in the filter is here, and nothing is ever taken
 *               away: what has to be loaded again is or-ed into the copy.  A query never sees
 *               less than an earlier one.
 * 5. No gap     Who falls behind so far that the stream was trimmed before he had read it, or
 *               whose stream is not what it was (deleted, lost by the server), notices by the
 *               entry that he had read last, which is gone, and loads the filter again; he
 *               first remembers the stream's new end, so that nothing falls between.  Why that
 *               can miss nothing is argued in redis/replica/stream.h.
 * 6. Cut off    Without a connection the copy goes on answering, and puts go on: they wait in a
 *               queue of config.queue_keys, and are sent when there is one again.  If the queue
 *               is full (and a batch of 4096 is under way), puts still go into the copy, and
 *               what Redis lacks of it is found out afterwards by comparing the two (a
 *               resync): nothing is lost, and no put ever waits or fails.
 * 7. Resync     The queue is emptied, the filter is loaded, its bits are or-ed into the copy, and
 *               bits that the copy has and Redis lacks are set there, of which the other
 *               replicas are told, who load the filter then.  It comes after a full queue, each
 *               config.resync_ms, and by lfb_replica_resync().  So does whatever a server
 *               has forgotten come back.
 *               Plain clients, lfb_redis_put() and whoever else sets bits there, put nothing
 *               into the stream: what they put arrives by the next resync, or by the next
 *               loading, and not before.
 * 8. Gone       Where the filter was deleted, has expired or has another name, state.status is
 *               LFB_ERROR_REDIS_PART for ever; the copy stays what it is.  (A guava or helper
 *               filter that is made anew under its name looks like the old one with bits
 *               missing, and gets them back: close its replicas first.)
 *
 * Progress      Queries and what lfb_replica_filter() gives: as lfbloom/filter.h.  Puts are
 *               lock-free, and for a key that is in they are a query; they enter the kernel
 *               only to wake the sending thread.  A thread that is stopped for ever inside a
 *               put holds up what is sent behind it, no query and no put.
 *               flush, resync and close wait.
 * Threads       Any function beside any other, but lfb_replica_close(), which runs alone.  A
 *               replica has two threads of its own, one that sends and one that reads, and a
 *               connection for each.  Not across fork().
 * Memory        The copy, 32 bytes for each key of the queue (a power of two of them), and, while
 *               it is loaded again, the filter once more; twice more in a resync.
 */
#ifndef LFBLOOM_REPLICA_H
#define LFBLOOM_REPLICA_H

#include <lfbloom/fast.h>
#include <lfbloom/redis.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A local copy that follows a filter on Redis. */
typedef struct lfb_replica lfb_replica;

/* All zero is the default. */
typedef struct lfb_replica_config {
  const lfb_config *wanted; /* as for lfb_redis_open()                                      */
  uint64_t max_bytes;       /* of the copy's words; larger: LFB_ERROR_OVER_LIMIT; 0: any     */
  uint64_t queue_keys;      /* puts that may wait, rounded up to a power of two; 0: 2^20     */
  uint64_t stream_entries;  /* that the stream keeps, about, of up to 512 keys or 8 KiB
                               each; 0: 16,384.  More than come in while the filter is
                               loaded, or a replica loads it again and again                */
  uint64_t resync_ms;       /* from one resync to the next; 0: only where it takes one       */
} lfb_replica_config;

/* Times are in microseconds. */
typedef struct lfb_replica_state {
  bool connected;        /* both ways                                                       */
  lfb_status status;     /* why not; LFB_OK                                                 */
  uint64_t lag_us;       /* 2 of this file's head: at most so much is missing; some 250 ms
                            where nobody puts, since only then a read returns              */
  uint64_t behind;       /* entries of the stream that are still to be read, at most; 0:
                            all were, when it was read last                                */
  uint64_t queued;       /* own puts that are not acknowledged                             */
  bool resyncs_due;      /* the queue was full: Redis may lack bits that only a resync sends */
  uint64_t sent;         /* own keys that were acknowledged                                */
  uint64_t received;     /* keys of others, by the stream                                  */
  uint64_t loads;        /* of the filter, the one by lfb_replica_open() included          */
  uint64_t resyncs;      /* that were completed                                            */
  uint64_t lag_50_us, lag_90_us, lag_99_us, lag_most_us; /* of `received`: percentiles of the time
                            from the put there until here, but for the way of the packet that
                            brought it to the server; each up to 12.5 % too high           */
} lfb_replica_state;

/*
 * Opens the filter under a name, loads it, and follows it from then on.
 *
 * Takes  config   NULL: the default.
 *        options  .retries does not count: a replica goes on trying until it is closed.
 * Fails  as lfb_redis_open() and lfb_redis_load(); LFB_ERROR_REPLICA_STREAM: somebody else's
 *        stream, or something else, is under the name of the filter's (docs/formats.md);
 *        LFB_ERROR_SIZE_OVERFLOW: such a queue; LFB_ERROR_NO_THREAD, LFB_ERROR_NO_RANDOM.
 * Needs  the right to write, even if nothing is ever put; Redis 6.2 (XADD NOMKSTREAM).
 */
LFB_API lfb_status lfb_replica_open(const lfb_redis_options *options, const char *name,
                                    const lfb_replica_config *config, lfb_replica **replica);

/*
 * Ends both threads and frees.  What was not flushed may not be sent any more: flush first.
 * NULL is ignored.
 *
 * Waits  for what is under way: some 250 ms, and with a server that does not answer
 *        2 * (connect_ms + timeout_ms), twice with a cluster.
 */
LFB_API void lfb_replica_close(lfb_replica *replica);

/* The copy, to be asked by all functions of lfbloom/filter.h that ask; the same one until the
 * replica is closed.  What was put into it by other ways would not be sent. */
LFB_API const lfb_filter *lfb_replica_filter(const lfb_replica *replica);

/* The same for the inline functions of lfbloom/fast.h that ask.  Fails as lfb_fast_of(). */
LFB_API lfb_status lfb_replica_fast(const lfb_replica *replica, lfb_fast *fast);

/*
 * Puts a key, as the functions of lfbloom/filter.h do.
 *
 * Returns  whether it turned on a bit of the copy.  Any number of replicas may be told that for
 *          one key: lfb_redis_put() asks the server.
 */
LFB_API bool lfb_replica_put(lfb_replica *replica, const void *bytes, size_t size);
LFB_API bool lfb_replica_put_u64(lfb_replica *replica, uint64_t key);
LFB_API bool lfb_replica_put_hash(lfb_replica *replica, uint64_t hash);
LFB_API bool lfb_replica_put_object(lfb_replica *replica, lfb_funnel funnel, const void *object);

/* The same for many keys: how many turned on a bit. */
LFB_API size_t lfb_replica_put_many(lfb_replica *replica, const lfb_key *keys, size_t count);
LFB_API size_t lfb_replica_put_many_u64(lfb_replica *replica, const uint64_t *keys, size_t count);
LFB_API size_t lfb_replica_put_many_hash(lfb_replica *replica, const uint64_t *hashes,
                                         size_t count);

/*
 * Waits until all that was put before, by any thread in the happens-before sense, is
 * acknowledged; also a key whose put found it in already.
 *
 * Takes  milliseconds  to wait at most.
 * Fails  LFB_ERROR_REPLICA_UNSENT: not yet; state.status may say why.
 */
LFB_API lfb_status lfb_replica_flush(lfb_replica *replica, uint64_t milliseconds);

/* Has a resync begin, and waits for its end.  Fails: LFB_ERROR_REPLICA_UNSENT: not yet. */
LFB_API lfb_status lfb_replica_resync(lfb_replica *replica, uint64_t milliseconds);

/* The state now. */
LFB_API void lfb_replica_state_now(const lfb_replica *replica, lfb_replica_state *state);

#ifdef __cplusplus
}
#endif

#endif
