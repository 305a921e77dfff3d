/*
 * lfbloom/redis_source.h - versions of a filter on a Redis server or cluster: one process
 * publishes them, and any number follow; a source for lfbloom/follow.h.
 *
 *     lfb_redis_publisher_create(&options, "products", NULL, &publisher);  the publisher
 *     lfb_redis_publisher_publish(publisher, filter, &number);             again and again
 *
 *     lfb_redis_source_create(&options, "products", NULL, &source);        each follower
 *     const lfb_source functions = lfb_redis_source_functions(source);
 *     lfb_versions_create_waiting(&versions);
 *     lfb_follow_create(versions, &functions, &config, &follow);
 *     lfb_follow_start(follow);
 *     lfb_redis_source_listen(source, follow);
 *
 * 1. Whole      One command announces a version, once all of its filter is on the server.  A
 *               follower loads it completely or not at all: each part carries a mark, which is
 *               checked after the last byte.  If any process is killed at any time, the others
 *               keep the version that they have, or get the next one.
 * 2. Numbers    Version numbers rise by one.  If several processes publish the version after the
 *               same one, one succeeds.  The others get LFB_ERROR_REDIS_OVERTAKEN and leave
 *               nothing on the server.
 * 3. News       A follower sees a new version when it polls.  If it listens, it sees it as soon
 *               as the server has sent the news.  News is lost while there is no connection;
 *               then the next poll or the next connection finds the version.
 * 4. Deltas     A publisher that keeps a copy of its last version sends a delta (lfbloom/delta.h)
 *               instead of the filter: the bits that are new since that version, some 260 bytes
 *               for one key.  It sends the whole filter if this is its first version, if another
 *               publisher's version came between, if a bit was lost, or if the delta, or all of
 *               them since the last whole filter, would cost more.
 *               A follower applies deltas in place if they lead without a gap from the version
 *               that it has to the newest.  Any other follower loads the newest in full.
 *               If the server has lost or evicted the newest version's delta, or a part of its
 *               filter, followers that need it keep what they have until a version is published in
 *               full (lfb_redis_publish()).
 * 5. Old ones   The publisher deletes the filters of all but the `keep` newest versions.  It also
 *               deletes what a killed publisher left: its names are noted before use.  A
 *               follower that is loading a deleted version starts again with the newest.
 * 6. Forgotten  If a server has lost versions that it had acknowledged (as far as it may:
 *               lfbloom/redis.h, 1), followers keep what they have, though the server still has
 *               older versions.  They load the next published version in full, even if its number
 *               is not higher.  If it has lost only bits of a delta, in a cluster whose nodes
 *               fail over without options.replicas, a follower that loads in full may lack them.
 * Truth         A new version replaces everything.  Keys that were put only through the handle
 *               are lost with the version that it replaces.
 * Cluster       Versions are spread over its nodes as other filters are.
 * Failing       Each function can also fail as those of lfbloom/redis.h do; and with
 *               LFB_ERROR_REDIS_NO_VERSIONS: something else exists under the names.
 */
#ifndef LFBLOOM_REDIS_SOURCE_H
#define LFBLOOM_REDIS_SOURCE_H

#include <lfbloom/follow.h>
#include <lfbloom/redis.h>

LFB_EXTERN_C_BEGIN

enum {
  LFB_REDIS_VERSIONS_NAME = 480, /* bytes of the longest name of versions */
  LFB_REDIS_VERSIONS_REACH = 64, /* number of newest versions with deltas */
};

/* How to publish a version.  All zero is the default. */
typedef struct lfb_redis_publication {
  uint64_t part_bytes; /* as lfb_redis_save() takes it                                     */
  uint32_t keep;       /* newest versions with filters to keep; 0: 2; at most
                          LFB_REDIS_VERSIONS_REACH                                         */
  uint64_t reserved[8]; /* must be 0 (lfbloom/status.h) */
} lfb_redis_publication;

/*
 * Publishes a filter as the version after the newest: in full, with every key that was put before
 * the call.
 *
 * Takes  name         1 to LFB_REDIS_VERSIONS_NAME bytes, any but NUL; docs/formats.md lists the
 *                     keys that are made of it on the server.
 *        publication  NULL: the default.
 * Gives  number       the version's number, unless NULL.
 * Fails  LFB_ERROR_REDIS_OVERTAKEN: another publisher was faster;
 *        LFB_ERROR_REDIS_BAD_NAME; as lfb_redis_save(), and LFB_ERROR_FORM_CANNOT_HOLD for
 *        LFB_REDIS_MITZ32, too.  Then nothing is published, and nothing is left on the server if
 *        it can be reached.  Exception: after the first command, LFB_ERROR_REDIS_CONNECT, _LOST,
 *        _TIMEOUT, _UNAVAILABLE and _REPLICAS mean that the version may have been published.
 *        What is left on the server is then deleted when the next version is published.
 * Killed If the process is killed during the call, the version is either published or not.  What
 *        is left on the server is deleted when the next version is published.
 */
LFB_CHECKED lfb_status lfb_redis_publish(const lfb_redis_options *options, const char *name,
                                         const lfb_filter *filter,
                                         const lfb_redis_publication *publication,
                                         uint64_t *number);

/* A publisher of versions of one name, with a copy of the last one. */
typedef struct lfb_redis_publisher lfb_redis_publisher;

/*
 * Makes a publisher, without connecting.  Several processes may have one for the same name.
 *
 * Takes  as lfb_redis_publish().
 * Fails  LFB_ERROR_REDIS_BAD_NAME, LFB_ERROR_NO_MEMORY.
 * Owner  the caller, until lfb_redis_publisher_free().
 */
LFB_CHECKED lfb_status lfb_redis_publisher_create(const lfb_redis_options *options,
                                                  const char *name,
                                                  const lfb_redis_publication *publication,
                                                  lfb_redis_publisher **publisher);

/*
 * Publishes a filter as the version after the newest: its delta where that suffices (4 above),
 * otherwise in full.  It has every key that was put before the call.
 *
 * Takes  filter  may have more keys than the last one, or lack some; threads may put into it.
 * Gives  number  the version's number, unless NULL.
 * Fails  as lfb_redis_publish().  The next call then publishes what this one would have.
 * Memory the filter's size once more from the first call on; while it runs, at most as much again
 *        for a delta.
 *
 * One thread at a time may call this for one publisher.
 */
LFB_CHECKED lfb_status lfb_redis_publisher_publish(lfb_redis_publisher *publisher,
                                                   const lfb_filter *filter, uint64_t *number);

/* Frees the publisher; its versions stay.  No call may run.  NULL is ignored. */
LFB_API void lfb_redis_publisher_free(lfb_redis_publisher *publisher);

/* Deletes all versions of a name, and anything else that publishers have left.  No publisher may
 * run during the call.  Followers keep what they have.  Fails: LFB_ERROR_REDIS_BAD_NAME. */
LFB_CHECKED lfb_status lfb_redis_unpublish(const lfb_redis_options *options, const char *name);

/* The versions of one name, as a source for one follower. */
typedef struct lfb_redis_source lfb_redis_source;

/* What a source accepts.  All zero is the default. */
typedef struct lfb_redis_source_config {
  lfb_config wanted;  /* as lfb_redis_open() takes it: what each version must be (fpp 0:
                         anything), and the key of a keyed hash                            */
  uint64_t max_bytes; /* limit for a version's words; 0: none                              */
  uint64_t reserved[8]; /* must be 0 (lfbloom/status.h) */
} lfb_redis_source_config;

/*
 * Makes a source, without connecting.
 *
 * Takes  options  retries and timeout_ms limit how long a poll waits for a server that does not
 *                 answer.  Without retries (UINT32_MAX) it fails at once, and the follower tries
 *                 again as its own config asks.
 *        config   NULL: the default.
 * Fails  LFB_ERROR_REDIS_BAD_NAME, LFB_ERROR_NO_MEMORY.
 * Owner  the caller, until lfb_redis_source_free().
 */
LFB_CHECKED lfb_status lfb_redis_source_create(const lfb_redis_options *options, const char *name,
                                               const lfb_redis_source_config *config,
                                               lfb_redis_source **source);

/* Stops listening and frees the source.  Its follower must have stopped.  NULL is ignored. */
LFB_API void lfb_redis_source_free(lfb_redis_source *source);

/* Returns the functions that lfb_follow_create() takes.  They fail as lfb_redis_open() and
 * lfb_redis_load() do; LFB_ERROR_REDIS_ABSENT, _PART: the newest version is not complete;
 * LFB_ERROR_REDIS_OUTPACED: each of 8 versions was deleted before it was loaded. */
LFB_API lfb_source lfb_redis_source_functions(lfb_redis_source *source);

/*
 * Starts a thread that subscribes to news of versions.  It wakes the follower's thread for each
 * piece of news and for each new connection.  As long as it listens, it replaces a lost connection
 * after pauses of 20 ms to 2 s; in a cluster by one to any node.
 *
 * Fails  LFB_ERROR_FOLLOWING: it already listens; LFB_ERROR_NO_THREAD, _NO_MEMORY.  If the server
 *        cannot be reached, the call does not fail: polls continue.
 */
LFB_CHECKED lfb_status lfb_redis_source_listen(lfb_redis_source *source, lfb_follow *follow);

/* Ends that thread, if there is one; to be called before the follower is freed.  It waits only for
 * a connection that is being made (options.connect_ms for each step, and options.timeout_ms).  It
 * must not run concurrently with lfb_redis_source_listen(). */
LFB_API void lfb_redis_source_silence(lfb_redis_source *source);

LFB_EXTERN_C_END

#endif
