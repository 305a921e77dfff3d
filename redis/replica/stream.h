/*
 * stream.h - the Redis stream through which the local replicas of a filter announce their puts to
 * each other.  Its key is {name}:stream, or name:stream if the name has a hash tag of its own.  It
 * is not one of the keys that hold the filter.
 *
 * An entry has these fields in this order, all except k in decimal digits:
 *     o  origin: a random 64-bit number, drawn when a replica is opened
 *     n  the entry's index among the entries of its origin
 *     w  how long the oldest of its puts had waited when it was sent, in microseconds
 *     k  hashes of keys, little-endian, 8 bytes each if the strategy's hash has 64 bits, else 16
 *        with the low half first; "" in a greeting, which marks where a replica begins to read
 * An entry of any other shape means: load the filter again.  Our own have `load` in the place of
 * k.  Later versions can therefore add other shapes.
 *
 * 1. Bits       Redis has acknowledged the bits of a key before the key's entry is added.  A
 *    first      replica that notes the end of the stream and then loads the filter therefore
 *               has all that was added before.  It reads the entries after that end.
 * 2. No gap     A reader notices every gap.  A stream loses entries at its old end (trimming),
 *               or all at once (it was deleted, or the server lost it, wholly or from some
 *               entry on).  A reader that has read up to entry L reads the entries after L, and
 *               then asks for L.  If L is still there, with the same o and n, no entry after it
 *               had been lost when the reader read, and what it read before is of this stream.
 *               Otherwise entries may have been lost: the read reports this, and the reader
 *               loads the filter again.  There is no false report unless the reader is behind by
 *               the whole stream or the stream is deleted.  An empty stream has no L: a replica
 *               that begins to read adds a greeting, which is its first L.
 * 3. Twice      An entry may be added twice.  Putting its hashes again changes nothing.
 *
 * Threads       One thread at a time may read; the other functions may be called by any thread.
 */
#ifndef LFB_REDIS_STREAM_H
#define LFB_REDIS_STREAM_H

#include "redis/filter/remote.h"
#include "redis/replica/outbox.h"

LFB_EXTERN_C_BEGIN

enum {
  LFB_STREAM_KEYS = 512,   /* keys in an entry at most: 4 or 8 KiB, a small command for a server */
  LFB_STREAM_ENTRIES = 64, /* entries read at once                                               */
};

/* A filter's stream. */
typedef struct lfb_stream {
  lfb_redis *filter;
  lfb_key name;
  uint16_t slot;
  uint64_t most;       /* about how many entries are kept            */
  uint64_t block_ms;   /* how long the next read waits for an entry  */
  uint64_t longest_ms; /* upper limit of block_ms                    */
  uint64_t origin;   /* o of our entries                         */
  LFB_ATOMIC(uint64_t) number; /* n of our last entry            */
  size_t width;                /* bytes of a hash: 8 or 16       */
  char key[LFB_PART_NAME_SIZE];
} lfb_stream;

/* The last entry that was read. */
typedef struct lfb_stream_at {
  uint64_t ms, seq;        /* its id                                   */
  uint64_t origin, number; /* its o and n; 0 if it has another shape   */
} lfb_stream_at;

/* The result of a read. */
typedef struct lfb_stream_news {
  bool reload;     /* load the filter: entries may have been lost, or an entry asks for it */
  uint64_t count;  /* entries read                                                       */
  uint64_t keys;   /* keys in the entries of other replicas                              */
  uint64_t behind; /* upper bound of the entries left unread; 0: none                    */
  struct {
    uint64_t keys;
    uint64_t microseconds; /* the longest time of these keys from the put to here */
  } lags[LFB_STREAM_ENTRIES];
  uint32_t lag_count;
} lfb_stream_news;

/*
 * Initialises the stream of a filter, which must outlive it.  Sends nothing to a server.
 *
 * Takes  most  about how many entries are kept; 0: so many that the stream takes no more memory
 *              than the filter, but from 100 to 16,384.
 * Fails  LFB_ERROR_NO_RANDOM.
 */
lfb_status lfb_stream_init(lfb_stream *stream, lfb_redis *filter, uint64_t most,
                           uint64_t longest_ms);

/* Checks that the stream is absent or empty, or ends in an entry of an lfbloom replica.
 * Fails: LFB_ERROR_REPLICA_STREAM: the key is something else. */
lfb_status lfb_stream_check(lfb_stream *stream);

/* Adds a greeting, and sets `at` to it. */
lfb_status lfb_stream_greet(lfb_stream *stream, lfb_stream_at *at);

/* Ends a read that waits, of any replica.  Does nothing if there is no stream. */
lfb_status lfb_stream_rouse(lfb_stream *stream);

/* Makes the stream expire with the filter, and at the latest in LFB_STREAM_LIFE_MS. */
lfb_status lfb_stream_keep(lfb_stream *stream);

/* Adds entries for keys with acknowledged bits.  If there is no stream, it adds nothing: no replica
 * has begun to read, or each that had will find its last entry gone and load the filter. */
lfb_status lfb_stream_tell(lfb_stream *stream, const lfb_outgoing *puts, size_t count);

/* Adds an entry that makes all other replicas load the filter. */
lfb_status lfb_stream_tell_to_load(lfb_stream *stream);

/*
 * Waits for entries after `at`, passes the hashes of other replicas to `take`, and moves `at` to
 * the last entry read.  If news->reload is set, `at` stays unchanged.  The first reads after one
 * with entries wait only for moments, so that it is soon known that nothing is missing.  Each
 * further one waits twice as long, which keeps an idle replica's commands few.
 *
 * Takes  take  is called once per hash.
 * Fails  as lfb_link_run(); LFB_ERROR_REPLICA_STREAM: the key is something else.
 */
typedef void (*lfb_stream_take)(void *context, lfb_hash hash);
lfb_status lfb_stream_read(lfb_stream *stream, lfb_stream_at *at, lfb_stream_take take,
                           void *context, lfb_stream_news *news);

LFB_EXTERN_C_END

#endif
