/*
 * lfbloom/redis_source.h - versions of a filter on a Redis server or cluster: one process
 * publishes them, and any number follow; a source for lfbloom/follow.h.
 *
 *     lfb_redis_publish(&options, "products", filter, NULL, &number);      the publisher
 *
 *     lfb_redis_source_create(&options, "products", NULL, &source);        each follower
 *     const lfb_source functions = lfb_redis_source_functions(source);
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
 * 4. Changes    A version may be published with a list of the keys that came since another one.
 *               A follower puts these keys into its filter if it has that other version, or one
 *               from which such lists lead to the newest without a gap.  Any other follower
 *               loads the newest version in full.  If the size or the strategy differs, every
 *               follower does.  The follower's config.most_changes limits how many keys may be
 *               put that way: by default none, for a source that provides filters.
 * 5. Old ones   The publisher deletes the filters of all but the `keep` newest versions.  It also
 *               deletes what a killed publisher left: its names are noted before use.  A
 *               follower that is loading a deleted version starts again with the newest.
 * 6. Forgotten  If a server has lost versions that it had acknowledged (as far as it may:
 *               lfbloom/redis.h, 1), followers keep what they have.  They load the next
 *               published version in full, even if its number is not higher.
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

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LFB_REDIS_VERSIONS_NAME = 480,       /* bytes of the longest name of versions              */
  LFB_REDIS_VERSIONS_REACH = 64,       /* number of newest versions with lists of changes    */
  LFB_REDIS_CHANGES_SIZE = 1 << 20,    /* bytes of the longest list: 24, 8 per number, and 4 plus
                                          its bytes per key                                  */
};

/* The keys that came since version `after`, in up to three kinds. */
typedef struct lfb_redis_changes {
  uint64_t after;       /* a version's number; must be the newest       */
  const lfb_key *keys;  /* as lfb_filter_put_many() takes them          */
  size_t key_count;     /* of keys                                      */
  const uint64_t *u64s; /* as lfb_filter_put_many_u64() takes them      */
  size_t u64_count;     /* of u64s                                      */
  const uint64_t *hashes; /* as lfb_filter_put_many_hash() takes them   */
  size_t hash_count;      /* of hashes                                  */
  uint64_t reserved[4]; /* must be 0 (lfbloom/status.h) */
} lfb_redis_changes;

/* How to publish a version.  All zero is the default. */
typedef struct lfb_redis_publication {
  uint64_t part_bytes; /* as lfb_redis_save() takes it                                     */
  uint32_t keep;       /* newest versions with filters to keep; 0: 2; at most
                          LFB_REDIS_VERSIONS_REACH                                         */
  const lfb_redis_changes *changes; /* NULL: followers load the version in full.  A list longer
                          than LFB_REDIS_CHANGES_SIZE is not published; its version is     */
  uint64_t reserved[8]; /* must be 0 (lfbloom/status.h) */
} lfb_redis_publication;

/*
 * Publishes a filter as the version after the newest: all of it, with every key that was put
 * before the call.
 *
 * Takes  name         1 to LFB_REDIS_VERSIONS_NAME bytes, any but NUL; docs/formats.md lists the
 *                     keys that are made of it on the server.
 *        publication  NULL: the default.
 * Gives  number       the version's number, unless NULL.
 * Fails  LFB_ERROR_REDIS_OVERTAKEN: another publisher was faster, or changes->after is not the
 *        newest; LFB_ERROR_REDIS_CONNECT, without retries before the first command;
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
                                         const lfb_redis_publication *publication, uint64_t *number);

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
 * lfb_redis_load() do; LFB_ERROR_REDIS_ABSENT, _PART: the newest version is not complete. */
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
 * a connection that is being made (options.connect_ms).  It must not run concurrently with
 * lfb_redis_source_listen(). */
LFB_API void lfb_redis_source_silence(lfb_redis_source *source);

#ifdef __cplusplus
}
#endif

#endif
