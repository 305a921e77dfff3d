/*
 * lfbloom/redis.h - filters on a Redis server or cluster.
 *
 * Guarantees 19, 20 of docs/guarantees.md.
 *
 * In a library of its own, liblfbloom_redis, so that nobody else needs hiredis.
 */
#ifndef LFBLOOM_REDIS_H
#define LFBLOOM_REDIS_H

#include <lfbloom/filter.h>
#include <lfbloom/status.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Where the server is, or one node of a cluster, from which the others are found; and how
 * long to be patient.  All zero is the default.  Texts are copied by whoever takes options.
 *
 * A command that is not answered (the connection is lost, or timeout_ms passes) or is refused
 * for the time being (the server loads its data, has become a replica or has clients enough, a
 * cluster has lost a master) is sent again
 * after a pause of 20 ms, twice as long each time and 2 s at most: `retries` times as long as
 * nothing at all is answered.  The default is 20 s of pauses, in which a cluster with its own
 * default (cluster-node-timeout 15 s) puts a replica in its dead master's place.
 *
 * Failover  A server acknowledges a write before its replicas have it: what it acknowledged last
 *           is lost with it, if one of them takes its place.  With `replicas` n, whatever puts,
 *           creates, saves or publishes returns LFB_OK only once n replicas of each node that
 *           took part have all that it had by then (WAIT, over the same connection): asked once,
 *           at the end of a call, so that many keys pay for it once.  Where too few have it in
 *           replicas_ms, it is LFB_ERROR_REDIS_REPLICAS: it may be there, or be lost: put again.
 *           Where a connection is lost meanwhile, it is all done again, `retries` times.
 *           What has so been acknowledged outlives the master, if the replica that takes its
 *           place is one of the n: where there is one it is; of several, Redis prefers the one
 *           that has most.  (Not of a slot that moves to another node at that moment.)
 *           Off by default: a server may have no replicas, and a call waits for one round trip
 *           more, between servers.
 * Told      go_on and moved, for who wants to tell people how it goes, or to end it, are called
 *           on the thread that waits: the caller's, or a replica's or follower's own; on several
 *           at once where several wait.
 */
typedef struct lfb_redis_options {
  const char *host;     /* name or address; NULL: 127.0.0.1                           */
  uint16_t port;        /* 0: 6379                                                    */
  const char *user;     /* NULL: the server's default user                            */
  const char *password; /* NULL: none                                                 */
  uint32_t connect_ms;  /* for connecting and logging in, but for the lookup of a name; 0: 1000 */
  uint32_t timeout_ms;  /* that a node may be silent while an answer is due; 0: 5000  */
  uint32_t retries;     /* in a row; 0: 16; UINT32_MAX: none                          */
  uint32_t window;      /* commands that a node is sent ahead of its answers; 0: 1024 */
  uint32_t replicas;    /* of a node that must have what was put (Failover below); 0: none */
  uint32_t replicas_ms; /* .. within; 0: 1000; half of timeout_ms at most              */
  bool tls;             /* refused with LFB_ERROR_REDIS_TLS: Debian's hiredis has none */
  /* Asked before each pause whether to go on, `why` there is one and for how long nothing has
   * been answered; false: the call fails for that reason.  NULL: for as long as `retries` says. */
  bool (*go_on)(void *told, lfb_status why, uint64_t silent_ms);
  /* Told of bytes of a filter's words as they are saved or loaded; false: the call fails with
   * LFB_ERROR_STOPPED.  NULL: nobody. */
  bool (*moved)(void *told, uint64_t bytes);
  void *told;           /* what both get first: not copied                            */
} lfb_redis_options;

enum {
  LFB_REDIS_URL_SIZE = 1023, /* bytes of the longest address that is taken */
};

/* What an address says.  Not to be copied: its texts point into it. */
typedef struct lfb_redis_address {
  lfb_redis_options options; /* host, port, user, password and tls; the rest is zero */
  const char *name;          /* behind the slash, "" where there is none             */
  char text[LFB_REDIS_URL_SIZE + 1]; /* that they point into */
} lfb_redis_address;

/*
 * Reads redis://[[user]:password@]host[:port][/name], or rediss:// for TLS.  In user, password
 * and name %XX stands for a byte, so that they may hold any but NUL; an IPv6 address is
 * written in brackets.
 *
 * Fails  LFB_ERROR_REDIS_ADDRESS, `address` untouched: another scheme, no host, no such port
 *        (1 to 65535), a lone %, %00, or more than LFB_REDIS_URL_SIZE bytes.
 */
LFB_API lfb_status lfb_redis_parse_url(const char *url, lfb_redis_address *address);

/*
 * A filter on the server, which any number of processes share.
 *
 * Each strategy has a layout of its own, which its name stands for below:
 *
 *   fast    LFB_FAST: a hash under the name describes it; its blocks are spread over strings
 *           {name:0}, {name:1}, .. of at most 64 MiB, which a cluster spreads over its nodes.
 *           Any size.  (Where the name has a hash tag, "{user}seen" say, they are name:0, ..,
 *           which stay in that slot.)
 *   guava   LFB_GUAVA_MITZ32, LFB_GUAVA_MITZ64: a string under the name, byte for byte what
 *           Guava writes: Java's BloomFilter.readFrom reads what GET gives, and
 *           BITCOUNT name 6 -1 is its bit count.  Up to 2^32 bits, the string's header included.
 *   helper  LFB_REDIS_MITZ32: a string under the name in which the well-known Java helper class
 *           over RedisTemplate sets bits, by SETBIT: filters of that class can be opened, asked
 *           and extended.  Hash keys as the class's funnel does: where it puts a string twice,
 *           as the example in circulation does, call the _object functions with a funnel that
 *           does so.  One bit behind the filter's last is set too, once it was opened here.
 *
 * 1. Found      If a put was acknowledged (returned LFB_OK) before a query began, the query
 *               says "maybe" or fails: never "no".  As far as the server keeps what it has
 *               acknowledged: what it loses in a crash (appendfsync) or a failover (without
 *               options.replicas) is lost here too; parts that are gone altogether are noticed.
 * 2. Parts      Each answer carries the proof that the part that it came from was there, in full
 *               and of this filter: a part that is missing, cut short or of another filter made
 *               under the name meanwhile is LFB_ERROR_REDIS_PART, never a silent "absent".
 *               (Of guava and helper, whose bytes are not ours to choose, one that was made
 *               anew of the same size and probes looks the same: close the old one first.)
 * 3. Changed    put says whether it turned on at least one bit, exactly: the server sets a
 *               key's bits at once, so that of any number of clients who put a new key one is
 *               told so.  But where a connection was lost while a put was under way, and it
 *               was sent again, it is said to have changed something: no new key is ever
 *               called old.  (What is done again for options.replicas keeps its first answer.)
 * 4. Many       The _many functions write commands ahead of their answers, options.window to
 *               each node, nodes beside each other; each command is short, and others are
 *               served in between.
 * 5. Failing    A put that fails may have put some of its keys, or none: put again.  Whatever a
 *               function was to write is untouched.
 * 6. Threads    Any function beside any other, but lfb_redis_close() and lfb_redis_rename(),
 *               which run alone.  Each call that is under way has a connection of its own; 16
 *               are kept.  Not across fork().
 *
 * All fail, beside what they say, as the connection does: LFB_ERROR_REDIS_CONNECT, _LOST,
 * _TIMEOUT, _LOGIN, _PROTOCOL, _MEMORY, _UNAVAILABLE, _REFUSED, LFB_ERROR_NO_MEMORY; and what
 * writes LFB_ERROR_REDIS_REPLICAS.
 */
typedef struct lfb_redis lfb_redis;

/*
 * Makes an empty filter under a name that nothing is under, nor under those of its parts.
 *
 * Takes  name        1 to 512 bytes, any but NUL.
 *        config      as for lfb_filter_create(); its strategy is the layout.
 *        part_bytes  fast: of a part at most, up to 64 MiB; 0: 4 MiB.
 * Fails  as lfb_filter_create(), memory apart; LFB_ERROR_FORM_CANNOT_HOLD: no layout is for this
 *        strategy; LFB_ERROR_REDIS_BAD_NAME, _EXISTS, _TOO_MANY_BITS; LFB_ERROR_REDIS_PART: what
 *        describes it went meanwhile, with a master say.
 * Killed a process that is killed meanwhile leaves what nobody opens (LFB_ERROR_REDIS_UNFINISHED;
 *        with helper an empty filter): delete it.
 * Server memory is taken in full.  A part grows by a MiB at a time, so that others are served in
 *        between: they wait for a millisecond or two, but now and then, where the server moves
 *        what is there, for 8 to 16 ms at 64 MiB, and 100 to 160 at the 512 MiB that the one string
 *        of guava or helper can have.  So parts of 4 MiB are best for fast.
 */
LFB_API lfb_status lfb_redis_create(const lfb_redis_options *options, const char *name,
                                    const lfb_config *config, uint64_t part_bytes,
                                    lfb_redis **filter);

/*
 * Opens the filter under a name, and looks at each of its parts.
 *
 * Takes  wanted  NULL: whatever is there, but helper, which does not say what it is.  Else the
 *                configuration that it must have been made with (fpp 0: any, but helper); a
 *                keyed hash's key; a seed other than 0 must be its.
 * Fails  LFB_ERROR_REDIS_BAD_NAME, _ABSENT: nothing is there; _NO_FILTER: something else,
 *        _UNFINISHED, _PART; LFB_ERROR_PROBES_DIFFER, _BIT_COUNT_DIFFERS, _STRATEGY_DIFFERS,
 *        _HASH_DIFFERS: it is not what was wanted; LFB_ERROR_KEY_NEEDED, _WRONG_KEY,
 *        _UNKNOWN_VERSION, _BAD_HEADER, _BAD_CHECKSUM, _BAD_STRATEGY, _BAD_PROBES,
 *        _BAD_WORD_COUNT: its description; as lfb_filter_create() where `wanted` is no such.
 */
LFB_API lfb_status lfb_redis_open(const lfb_redis_options *options, const char *name,
                                  const lfb_config *wanted, lfb_redis **filter);

/* Closes connections and frees; the filter stays on the server.  NULL is ignored. */
LFB_API void lfb_redis_close(lfb_redis *filter);

/*
 * Puts a key; asks for one.  Keys are hashed as the functions of lfbloom/filter.h hash them.
 *
 * Gives  changed, maybe  whether it turned on a bit (may be NULL); whether it may be in.
 * Fails  LFB_ERROR_REDIS_PART.
 */
LFB_API lfb_status lfb_redis_put(lfb_redis *filter, const void *bytes, size_t size, bool *changed);
LFB_API lfb_status lfb_redis_put_u64(lfb_redis *filter, uint64_t key, bool *changed);
LFB_API lfb_status lfb_redis_put_hash(lfb_redis *filter, uint64_t hash, bool *changed);
LFB_API lfb_status lfb_redis_put_object(lfb_redis *filter, lfb_funnel funnel, const void *object,
                                        bool *changed);
LFB_API lfb_status lfb_redis_might_contain(lfb_redis *filter, const void *bytes, size_t size,
                                           bool *maybe);
LFB_API lfb_status lfb_redis_might_contain_u64(lfb_redis *filter, uint64_t key, bool *maybe);
LFB_API lfb_status lfb_redis_might_contain_hash(lfb_redis *filter, uint64_t hash, bool *maybe);
LFB_API lfb_status lfb_redis_might_contain_object(lfb_redis *filter, lfb_funnel funnel,
                                                  const void *object, bool *maybe);

/*
 * The same for many keys.
 *
 * Gives  answers  NULL, or (count + 63) / 64 words that receive answer i in bit i % 64 of word
 *                 i / 64; bits beyond the last answer are 0.
 *        yes      how many answers are true; may be NULL.
 * Order  a key that comes twice counts as new once: the first time, but where a cluster moves
 *        its slot meanwhile.
 * Fails  LFB_ERROR_REDIS_PART; LFB_ERROR_NO_MEMORY.
 */
LFB_API lfb_status lfb_redis_put_many(lfb_redis *filter, const lfb_key *keys, size_t count,
                                      uint64_t *answers, size_t *yes);
LFB_API lfb_status lfb_redis_put_many_u64(lfb_redis *filter, const uint64_t *keys, size_t count,
                                          uint64_t *answers, size_t *yes);
LFB_API lfb_status lfb_redis_put_many_hash(lfb_redis *filter, const uint64_t *hashes,
                                           size_t count, uint64_t *answers, size_t *yes);
LFB_API lfb_status lfb_redis_might_contain_many(lfb_redis *filter, const lfb_key *keys,
                                                size_t count, uint64_t *answers, size_t *yes);
LFB_API lfb_status lfb_redis_might_contain_many_u64(lfb_redis *filter, const uint64_t *keys,
                                                    size_t count, uint64_t *answers, size_t *yes);
LFB_API lfb_status lfb_redis_might_contain_many_hash(lfb_redis *filter, const uint64_t *hashes,
                                                     size_t count, uint64_t *answers,
                                                     size_t *yes);

/*
 * The filter's figures; bits_set is counted on the server, a MiB at a time, while others may
 * put.  `form` is LFB_FORM_NONE.  Fails: LFB_ERROR_REDIS_PART.
 */
LFB_API lfb_status lfb_redis_stats(lfb_redis *filter, lfb_stats *stats);

/* The figures that do not change: those of an empty filter.  Asks no server. */
LFB_API void lfb_redis_plan(const lfb_redis *filter, lfb_stats *stats);

/* Calls `each` with every key of the server that the filter is made of, its name first; any
 * status but LFB_OK ends it and is returned.  Asks no server.  (Not with the stream of its
 * replicas, lfbloom/replica.h, which expires and is deleted with them all the same.) */
LFB_API lfb_status lfb_redis_keys(const lfb_redis *filter,
                                  lfb_status (*each)(void *context, const char *key, size_t size),
                                  void *context);

/*
 * Has the whole filter expire in so many milliseconds, or never: 0.  Its parts go within
 * moments of each other; who asks in between is told LFB_ERROR_REDIS_PART.  Fails so too.
 */
LFB_API lfb_status lfb_redis_expire(lfb_redis *filter, uint64_t milliseconds);

/*
 * Gives the whole filter another name, which nothing is under.  Others who have it open are told
 * LFB_ERROR_REDIS_PART from then on.
 *
 * Fails  LFB_ERROR_REDIS_BAD_NAME, _EXISTS, _PART, _OTHER_SLOT: in a cluster both names must have
 *        one hash tag.  What was renamed has got its old name back, if the server can be reached.
 */
LFB_API lfb_status lfb_redis_rename(lfb_redis *filter, const char *name);

/*
 * Deletes all that there is of the filter under a name, also one that is unfinished or lacks
 * parts.  The server frees the memory in the background.
 *
 * Takes  strategy  LFB_REDIS_MITZ32 for a string that the Java helper class made, which says
 *                  nothing of itself; else 0 or the filter's.
 * Fails  LFB_ERROR_REDIS_BAD_NAME, _ABSENT, _NO_FILTER.
 */
LFB_API lfb_status lfb_redis_delete(const lfb_redis_options *options, const char *name,
                                    lfb_strategy_id strategy);

/*
 * Makes a filter under a name that nothing is under of one in memory: what was put before the
 * call, and some of what is put meanwhile.  Nobody opens it before it is whole, but with helper,
 * where nothing tells.
 *
 * Fails  as lfb_redis_create(); LFB_ERROR_STOPPED.
 */
LFB_API lfb_status lfb_redis_save(const lfb_redis_options *options, const char *name,
                                  const lfb_filter *from, uint64_t part_bytes);

/*
 * Reads the filter into memory: what was acknowledged before the call, and some of what is put
 * meanwhile.
 *
 * Takes  limits  NULL, or of which max_bytes counts.
 * Fails  LFB_ERROR_OVER_LIMIT, LFB_ERROR_REDIS_PART, LFB_ERROR_STOPPED, LFB_ERROR_NO_MEMORY.
 * Owner  the caller, until lfb_filter_free().
 */
LFB_API lfb_status lfb_redis_load(lfb_redis *filter, const lfb_read_limits *limits,
                                  lfb_filter **local);

#ifdef __cplusplus
}
#endif

#endif
