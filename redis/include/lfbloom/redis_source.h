/*
 * lfbloom/redis_source.h - versions of a filter on a Redis server or cluster: one machine
 * publishes them, and any number follow, as a source for lfbloom/follow.h.
 *
 * Guarantees 14, 19 of docs/guarantees.md.
 *
 *     lfb_redis_publish(&options, "products", filter, NULL, &number);      the one machine
 *
 *     lfb_redis_source_create(&options, "products", NULL, &source);        each other one
 *     const lfb_source functions = lfb_redis_source_functions(source);
 *     lfb_follow_create(versions, &functions, &config, &follow);
 *     lfb_follow_start(follow);
 *     lfb_redis_source_listen(source, follow);
 *
 * 1. Whole      A version is announced by one command, once all of its filter is on the server;
 *               and it is loaded whole, or not at all: each part carries a mark, which is looked
 *               at behind the last byte.  Whoever is killed, and whenever: the others keep the
 *               version that they have, or get the next one.
 * 2. Numbers    Rise by one.  Of several who publish the version after one, one does; the others
 *               are told LFB_ERROR_REDIS_OVERTAKEN and leave nothing behind.
 * 3. News       A follower sees a new version when it polls; where it listens, as soon as the
 *               server has told it.  What is told is lost while a connection is: then a poll
 *               brings it, or the next connection.
 * 4. Changes    A version may be published with the keys that came since another one.  Who
 *               runs that one, or one from which such lists lead to the newest without a gap,
 *               puts these into his filter; everybody else loads the newest one in full, also
 *               where size or strategy differ.  The follower's config.most_changes says how
 *               many may be put: by default one is too many for a source that gives filters.
 * 5. Old ones   are deleted by who publishes, once `keep` newer ones but one are there: so is what
 *               a publisher left who was killed, whose names were noted before they were made.
 *               Who is loading a version that goes begins anew, with the newest.
 * 6. Forgotten  Where a server has lost versions that it had acknowledged (as far as it may:
 *               lfbloom/redis.h, 1), followers keep what they have, and take whatever is
 *               published next in full, though its number may not be higher.
 * Truth         The version is the whole truth: keys that were put through the handle only go
 *               with the version that is replaced.
 * Cluster       Its nodes share the versions as they share other filters.
 * Failing       beside what each says, as lfbloom/redis.h has it for all there; and
 *               LFB_ERROR_REDIS_NO_VERSIONS: something else is under the names.
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
  LFB_REDIS_VERSIONS_REACH = 64,       /* newest versions whose lists of changes are kept    */
  LFB_REDIS_CHANGES_SIZE = 1 << 20,    /* bytes of the longest list: 8 a number, 4 and its
                                          bytes a key, 24 more                               */
};

/* What came since version `after`: of each kind as many as there are. */
typedef struct lfb_redis_changes {
  uint64_t after;       /* which must be the newest                     */
  const lfb_key *keys;  /* as lfb_filter_put_many() takes them          */
  size_t key_count;     /* of keys                                      */
  const uint64_t *u64s; /* .. and lfb_filter_put_many_u64()             */
  size_t u64_count;     /* of u64s                                      */
  const uint64_t *hashes; /* .. and lfb_filter_put_many_hash()          */
  size_t hash_count;      /* of hashes                                  */
} lfb_redis_changes;

/* All zero is the default. */
typedef struct lfb_redis_publication {
  uint64_t part_bytes; /* as lfb_redis_save() takes it                                     */
  uint32_t keep;       /* newest versions whose filters are kept; 0: 2; at most
                          LFB_REDIS_VERSIONS_REACH                                         */
  const lfb_redis_changes *changes; /* NULL: it is to be loaded in full.  A list that is longer
                          than LFB_REDIS_CHANGES_SIZE is not published, its version is     */
} lfb_redis_publication;

/*
 * Publishes a filter as the version after the newest: all of it, with what was put before the
 * call.
 *
 * Takes  name         1 to LFB_REDIS_VERSIONS_NAME bytes, any but NUL; docs/formats.md says which
 *                     keys of the server are made of it.
 *        publication  NULL: the default.
 * Gives  number       unless NULL: the version's.
 * Fails  LFB_ERROR_REDIS_OVERTAKEN: somebody else has published it meanwhile, or
 *        changes->after is not the newest; LFB_ERROR_REDIS_CONNECT, of which there are no
 *        retries before the first command; LFB_ERROR_REDIS_BAD_NAME; as lfb_redis_save(), and
 *        LFB_ERROR_FORM_CANNOT_HOLD of LFB_REDIS_MITZ32 as well.  Nothing is published then,
 *        and nothing left on the server if it can be reached; but where LFB_ERROR_REDIS_LOST,
 *        _TIMEOUT, _UNAVAILABLE or _REPLICAS come of the announcement itself, it may have been
 *        made.
 * Killed a process that is killed meanwhile has published the version or not; what it leaves on
 *        the server goes when the next one is published.
 */
LFB_API lfb_status lfb_redis_publish(const lfb_redis_options *options, const char *name,
                                     const lfb_filter *filter,
                                     const lfb_redis_publication *publication, uint64_t *number);

/* Deletes all versions of a name, and what else publishers have left.  Nobody publishes
 * meanwhile; followers keep what they have.  Fails: LFB_ERROR_REDIS_BAD_NAME. */
LFB_API lfb_status lfb_redis_unpublish(const lfb_redis_options *options, const char *name);

/* Versions of one name, to be followed by one follower. */
typedef struct lfb_redis_source lfb_redis_source;

/* All zero is the default. */
typedef struct lfb_redis_source_config {
  lfb_config wanted;  /* as lfb_redis_open() takes it: what each version must be (fpp 0:
                         anything), a keyed hash's key                                    */
  uint64_t max_bytes; /* of a version's words; 0: any                                      */
} lfb_redis_source_config;

/*
 * Makes a source; connects nowhere.
 *
 * Takes  options  of which retries and timeout_ms say how long a poll may take where the server
 *                 does not answer: with none (UINT32_MAX) it fails at once, and the follower tries
 *                 again as its own config says.
 *        config   NULL: the default.
 * Fails  LFB_ERROR_REDIS_BAD_NAME, LFB_ERROR_NO_MEMORY.
 * Owner  the caller, until lfb_redis_source_free().
 */
LFB_API lfb_status lfb_redis_source_create(const lfb_redis_options *options, const char *name,
                                           const lfb_redis_source_config *config,
                                           lfb_redis_source **source);

/* Ends listening, and frees.  Its follower runs no more.  NULL is ignored. */
LFB_API void lfb_redis_source_free(lfb_redis_source *source);

/* What lfb_follow_create() takes.  Its functions fail as lfb_redis_open() and lfb_redis_load() do;
 * LFB_ERROR_REDIS_ABSENT, _PART: the newest version is not all there. */
LFB_API lfb_source lfb_redis_source_functions(lfb_redis_source *source);

/*
 * Starts a thread that is subscribed to news of versions, and wakes the follower's thread for
 * each, and for each new connection: lost ones are made again, to any node of a cluster, after
 * pauses of 20 ms to 2 s, for as long as it listens.
 *
 * Fails  LFB_ERROR_FOLLOWING: it listens already; LFB_ERROR_NO_THREAD, _NO_MEMORY.  A server that
 *        cannot be reached is none: polls go on.
 */
LFB_API lfb_status lfb_redis_source_listen(lfb_redis_source *source, lfb_follow *follow);

/* Ends that thread, before the follower is freed: at once, but for a connection that is being
 * made (options.connect_ms).  Nothing without one.  Not beside lfb_redis_source_listen(). */
LFB_API void lfb_redis_source_silence(lfb_redis_source *source);

#ifdef __cplusplus
}
#endif

#endif
