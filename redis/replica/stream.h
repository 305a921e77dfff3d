/*
 * stream.h - how the replicas of a filter tell each other what they have put: a Redis stream
 * beside the filter, {name}:stream.
 *
 * An entry has the fields
 *     o  who added it: a random number of 64 bits, drawn when a replica is opened
 *     n  the how manieth of theirs it is
 *     w  how long the oldest of its puts had waited when it was sent, in microseconds
 *     k  hashes of keys, 8 bytes each where the strategy's hash has 64 bits, else 16, the low
 *        half first, little-endian; "" in a greeting, which says that somebody reads from here
 * in this order, all but k in decimal digits.  An entry of any other shape says: load the
 * filter anew (our own have `load` in the place of k): so that later versions may add others.
 *
 * 1. Bits       are in the filter, acknowledged, before the entry of their keys is added.  Who
 *    first      remembers the end of the stream, and then loads the filter, has therefore
 *               all that was added before; what comes behind the end, he reads.
 * 2. No gap     is missed.  Entries leave a stream at its old end (trimming), or all at once
 *               (deleted, or the server has lost what it had, wholly or from some entry on).
 *               A reader who has read up to entry L reads what is behind it, and asks for L
 *               after that: where L is still there, the same by o and n, nothing behind it had
 *               left when he read, and what he read before is this stream's.  Where it is not,
 *               something may have: he is told, and loads the filter anew.  So whoever
 *               is not behind by the whole stream is told nothing false, if the stream is
 *               not deleted; and one that is empty has no L: who begins to read adds a
 *               greeting, which is his first.
 * 3. Twice      an entry may be added twice: hashes are put, and putting again changes nothing.
 *
 * Threads       Reading is for one thread at a time; the rest for any.
 */
#ifndef LFB_REDIS_STREAM_H
#define LFB_REDIS_STREAM_H

#include "redis/filter/remote.h"
#include "redis/replica/outbox.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LFB_STREAM_KEYS = 512,   /* in an entry: 4 or 8 KiB, so that one is no burden to a server  */
  LFB_STREAM_ENTRIES = 64, /* read at once                                                   */
};

typedef struct lfb_stream {
  lfb_redis *filter;
  lfb_key name;
  uint16_t slot;
  uint64_t most;     /* entries that are kept, about        */
  uint64_t block_ms; /* that a read waits for the first one */
  uint64_t origin;   /* o                                   */
  LFB_ATOMIC(uint64_t) number; /* n of the last one         */
  size_t width;                /* bytes of a hash           */
  char key[LFB_PART_NAME_SIZE];
} lfb_stream;

/* The last entry that was read. */
typedef struct lfb_stream_at {
  uint64_t ms, seq;        /* its id    */
  uint64_t origin, number; /* its o, n; 0 of an entry of another shape */
} lfb_stream_at;

/* What a read has found. */
typedef struct lfb_stream_news {
  bool reload;      /* entries may have been missed, or one says so: load the filter anew */
  uint64_t count;   /* entries                                                            */
  uint64_t keys;    /* .. of others                                                       */
  uint64_t behind;  /* entries that there may be more of, at most; 0: none was left       */
  struct {
    uint64_t keys;
    uint64_t microseconds; /* that they took at most, from the putter to here */
  } lags[LFB_STREAM_ENTRIES];
  uint32_t lag_count;
} lfb_stream_news;

/* A stream of a filter, which must outlive it.  Asks no server.  Fails: LFB_ERROR_NO_RANDOM. */
lfb_status lfb_stream_init(lfb_stream *stream, lfb_redis *filter, uint64_t most,
                           uint64_t block_ms);

/* Whether what is under its name is nothing, or ends in an entry of ours.
 * Fails: LFB_ERROR_REPLICA_STREAM. */
lfb_status lfb_stream_check(lfb_stream *stream);

/* Adds a greeting, and gives its place. */
lfb_status lfb_stream_greet(lfb_stream *stream, lfb_stream_at *at);

/* Adds entries of keys whose bits have been acknowledged; where there is no stream, nobody
 * reads, and whoever had read is going to miss his last entry: nothing is added. */
lfb_status lfb_stream_tell(lfb_stream *stream, const lfb_outgoing *puts, size_t count);

/* Adds an entry that has all others load the filter. */
lfb_status lfb_stream_tell_to_load(lfb_stream *stream);

/*
 * Waits for entries behind `at`, hands over the hashes of others, and moves `at` behind them;
 * where news->reload is given, it stays.
 *
 * Takes  take  gets a hash each.
 * Fails  as lfb_link_run(); LFB_ERROR_REPLICA_STREAM: something else is under the name.
 */
typedef void (*lfb_stream_take)(void *context, lfb_hash hash);
lfb_status lfb_stream_read(lfb_stream *stream, lfb_stream_at *at, lfb_stream_take take,
                           void *context, lfb_stream_news *news);

#ifdef __cplusplus
}
#endif

#endif
