/*
 * lfbloom/follow.h - keeps a filter with versions (lfbloom/versions.h) up to date with a source of
 * truth: by small changes in place, or by a full rebuild if necessary.
 *
 * A source is a struct of the caller's functions.  Each poll asks it for its version number:
 *
 *   version                                                   | the poll
 *   the same as at the last poll                              | does nothing (but see the last row)
 *   new: a few keys more or fewer                             | puts the new keys in place
 *   new: many changes, or the source cannot list them         | rebuilds
 *   the first one                                             | rebuilds
 *   not that of the last rebuild, and the filter is too full  | rebuilds
 *   or the daily time has passed                              |
 *
 * With config.daily_only the last row's daily time is the only one for rebuilds after the first.
 *
 * A rebuild fills a new version from all keys, on the configured number of threads, or takes a
 * filter from the source; then it publishes the version.  The caller polls, or a thread that
 * lfb_follow_start() starts.
 *
 * Failure    A source that fails changes nothing: the running version stays, and a version that
 *            was being built is abandoned.  Polls then do nothing for some seconds, twice as many
 *            after each further failure in a row.
 * Rebuilds   One at a time: polls take turns, and a handle has at most one version that is being
 *            built.  If another caller is building one, the poll fails (LFB_ERROR_REBUILDING).
 * Removal    No key can be removed from a Bloom filter.  A source may report that keys were
 *            removed; these count as changes, and a full rebuild leaves them out.
 * Other puts A put that another caller makes through the handle is kept as lfbloom/versions.h
 *            promises, if the source of truth has its key.
 * Progress   Queries and puts through the handle: as lfbloom/versions.h.  A poll takes as long as
 *            its source, and if it rebuilds, it waits for the handle's sections in progress.
 *
 * Which calls may run at once on one follower
 *
 *                          | poll, rebuild | start, stop, wake | stats | create, free
 *   poll, rebuild          |    in turn    |        yes        |  yes  |     no
 *   start, stop, wake      |      yes      |        yes        |  yes  |     no
 *   stats                  |      yes      |        yes        |  yes  |     no
 */
#ifndef LFBLOOM_FOLLOW_H
#define LFBLOOM_FOLLOW_H

#include <lfbloom/versions.h>

LFB_EXTERN_C_BEGIN

/* Receives a source's keys; exists only during the source's call. */
typedef struct lfb_keys_sink lfb_keys_sink;

/*
 * Passes `count` keys of a kind to the follower, as lfb_filter_many() takes them; from any thread.
 *
 * Returns LFB_OK, or the status that the source must return at once.  LFB_ERROR_STOPPED: no more
 *         keys are wanted.
 */
LFB_CHECKED lfb_status lfb_keys_give(lfb_keys_sink *sink, const void *keys, size_t count,
                                     lfb_key_kind kind);

/*
 * Passes a delta (lfbloom/delta.h) to the follower, from a source's `changes`: the bits of all
 * changes since a version.  They do not count as changes.
 *
 * Returns as lfb_keys_give(); LFB_ERROR_NO_CHANGES: the delta is damaged, or for another filter.
 */
LFB_CHECKED lfb_status lfb_keys_give_delta(lfb_keys_sink *sink, const void *delta, size_t size);

/* Reports that `count` keys were removed.  Returns as lfb_keys_give(). */
LFB_CHECKED lfb_status lfb_keys_removed(lfb_keys_sink *sink, uint64_t count);

/*
 * A source of truth.  Each function receives `self` first, and returns LFB_OK or the status that
 * the poll is to fail with.  One thread at a time calls them, except `keys`.  None may call the
 * follower.
 */
typedef struct lfb_source {
  void *self; /* for the caller's use */
  /* Writes the version number, from 1 on; 0 means that there is nothing yet.  It never falls. */
  lfb_status (*version)(void *self, uint64_t *version);
  /* Gives what changed after version `since`, up to at least the version reported last.
   * LFB_ERROR_NO_CHANGES: it cannot list them for this version, so the poll rebuilds; with
   * config.daily_only the next rebuild brings them.  NULL: it never can. */
  lfb_status (*changes)(void *self, uint64_t since, lfb_keys_sink *sink);
  /* Gives part `part` of `parts` of all keys.  Each part has a thread of its own. */
  lfb_status (*keys)(void *self, unsigned part, unsigned parts, lfb_keys_sink *sink);
  /* Writes the number of keys, for the size of the filter.  NULL: as configured. */
  lfb_status (*count)(void *self, uint64_t *count);
  /* Gives a filter that is already filled, instead of `keys`.  On LFB_OK the follower owns it.
   * NULL: `keys` is used. */
  lfb_status (*filter)(void *self, lfb_filter **filter);
  uint64_t reserved[8]; /* must be 0 (lfbloom/status.h) */
} lfb_source;

/* What a poll did. */
typedef enum lfb_followed {
  LFB_FOLLOWED_NOTHING = 0, /* there was nothing to do                     */
  LFB_FOLLOWED_CHANGES = 1, /* put some keys into the running version      */
  LFB_FOLLOWED_REBUILT = 2, /* published a new version                     */
  LFB_FOLLOWED_FAILED = 3,  /* failed, and the running version is in use   */
  LFB_FOLLOWED_WAITING = 4, /* the source has nothing yet (version 0)      */
} lfb_followed;

/* How to follow.  All zero is the default, except that rebuild.fpp must be set if the source gives
 * keys. */
typedef struct lfb_follow_config {
  lfb_config rebuild;      /* a new version; expected_insertions is at least the source's
                              count plus a quarter                                          */
  unsigned threads;        /* that load a new version; 0: 1                                 */
  uint64_t most_changes;   /* rebuild at this number of keys put or removed since the last
                              rebuild; 0: a quarter of rebuild.expected_insertions          */
  double most_fpp;         /* rebuild when expected_fpp is above it, if the source has changed
                              since then; above the p that rebuild.bytes allow; 0: never    */
  bool daily;              /* also rebuild at the daily time, if the source has changed since
                              the last rebuild                                              */
  uint32_t daily_second;   /* time of the daily rebuild, in seconds after midnight, UTC     */
  lfb_previous previous;   /* whether a rebuild keeps the version that it replaces          */
  uint64_t poll_seconds;   /* between two polls of the thread; 0: 1                         */
  uint64_t retry_seconds;  /* after the first failure; 0: 1                                 */
  uint64_t most_retry_seconds; /* the longest, after many failures in a row; 0: 300         */
  /* Called after each poll that did something or failed, and after the first that found nothing to
   * do after failures, or nothing yet; on the polling thread.  NULL: not called.  `status` is
   * LFB_OK, except after LFB_FOLLOWED_FAILED.  Must not call the follower, except
   * lfb_follow_wake(). */
  void (*report)(void *to, lfb_followed what, lfb_status status);
  void *report_to; /* first argument of `report` */
  bool start_at_once; /* lfb_follow_start() does not wait for a first version */
  /* Rebuild at the daily time only, if the source has changed since the last rebuild: for a source
   * with a version that changes all day, such as max(id).  At other times a poll puts all changed
   * keys in place, also beyond most_changes; what the source cannot list waits for the daily time,
   * and these keys are absent until then, unless the caller puts them itself.  The first version
   * and lfb_follow_rebuild() wait for no time. */
  bool daily_only;
  uint64_t reserved[7]; /* must be 0 (lfbloom/status.h) */
} lfb_follow_config;

/* What a follower has done so far. */
typedef struct lfb_follow_figures {
  uint64_t source_version; /* the source's, which the running version contains; 0: none */
  uint64_t rebuilds;       /* versions that were published                           */
  uint64_t changes;        /* keys that were put or removed since the last rebuild   */
  uint64_t failures;       /* in a row; lfb_versions_stats() has them, too           */
  uint64_t retry_at;       /* seconds since 1970; polls do nothing before it         */
  uint64_t reserved[8]; /* 0 (lfbloom/status.h) */
} lfb_follow_figures;

/* A follower: a filter with versions, and its source. */
typedef struct lfb_follow lfb_follow;

/*
 * Makes a follower, which does nothing yet.
 *
 * Takes  versions  must outlive the follower.
 *        source    copied; what `self` points to must outlive the follower.
 * Fails  LFB_ERROR_BAD_SOURCE  it has no `version`, or neither `keys` nor `filter`.
 *        LFB_ERROR_NO_MEMORY; if the source gives keys, also as lfb_config_plan().
 */
LFB_CHECKED lfb_status lfb_follow_create(lfb_versions *versions, const lfb_source *source,
                                         const lfb_follow_config *config, lfb_follow **follow);

/* Stops the thread, if there is one, and frees the follower.  NULL is ignored. */
LFB_API void lfb_follow_free(lfb_follow *follow);

/*
 * Asks the source once, and does what is necessary.
 *
 * Takes  now   the time, in seconds since 1970.  If it is less than a day before that of an earlier
 *              poll, the clock is taken for late, and no daily rebuild is repeated.
 * Gives  what  what it did, also if it fails; may be NULL.
 * Fails  as the source, lfb_versions_begin_rebuild() and lfb_versions_publish() do;
 *        LFB_ERROR_NO_THREAD; LFB_ERROR_STOPPED: lfb_follow_stop() was called during the poll.
 */
LFB_CHECKED lfb_status lfb_follow_poll(lfb_follow *follow, uint64_t now, lfb_followed *what);

/*
 * Rebuilds now, in the calling thread: an administrator's request.  It is a poll that rebuilds in
 * any case, also if nothing is new, or a failure was just now.  It takes its turn: if a poll is in
 * progress, the rebuild begins after it.
 *
 * Order  A query that begins after the return finds each key that the source had before the call.
 * Fails  as lfb_follow_poll(); LFB_ERROR_NOTHING_YET: the source has nothing yet.
 */
LFB_CHECKED lfb_status lfb_follow_rebuild(lfb_follow *follow, uint64_t now);

/*
 * Starts a thread that polls.  If the follower has published no version yet, it polls once itself
 * before that, unless config.start_at_once: so the caller serves no key before the source's keys
 * are there.  With start_at_once make the handle by lfb_versions_create_waiting(): queries answer
 * "maybe" until the first poll has ended; an empty first version would deny each key.
 *
 * Fails  LFB_ERROR_NO_THREAD; LFB_ERROR_FOLLOWING: there is one, which runs or is being stopped; as
 *        lfb_follow_poll(); LFB_ERROR_NOTHING_YET: the source has nothing yet.  Then no thread
 *        runs, and the call may be repeated.
 */
LFB_CHECKED lfb_status lfb_follow_start(lfb_follow *follow);

/* Makes that thread poll now; if it is polling, once more afterwards.  A caller that knows of a
 * change need not wait for poll_seconds.  Without a thread it does nothing.  Any thread may call
 * it; `report` may, too. */
LFB_API void lfb_follow_wake(lfb_follow *follow);

/* Ends that thread.  A rebuild in progress is abandoned when the source next gives keys. */
LFB_API void lfb_follow_stop(lfb_follow *follow);

/* Writes the figures as of the end of the last poll.  Waits for no poll. */
LFB_API void lfb_follow_stats(lfb_follow *follow, lfb_follow_figures *figures);

LFB_EXTERN_C_END

#endif
