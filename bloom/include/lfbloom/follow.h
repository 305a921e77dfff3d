/*
 * lfbloom/follow.h - keeps a filter with versions up to date with a source of truth: small
 * changes in place, and a rebuild in full when it takes one.
 *
 * Guarantees 14, 19 of docs/guarantees.md.
 *
 * A source is three functions or four.  Each poll asks it for its version number:
 *   the same as before           nothing to do
 *   a few keys more or fewer     the new ones are put into the running version
 *   many of them, or nobody      a new version is filled from all keys, on some threads,
 *   knows which, a filter too    and published
 *   full, the hour of the day,
 *   or the first poll
 * A poll may be called by hand, or by a thread that lfb_follow_start() starts.
 *
 * Failing    A source that fails changes nothing: the running version goes on, a version
 *            that was being built is abandoned, and polls do nothing until some seconds
 *            have passed, twice as many after each failure in a row.
 * Rebuilds   One at a time: polls run in turn, and a handle has one version that is being
 *            built.  If somebody else is building one, that is a failure (LFB_ERROR_REBUILDING).
 * Removal    A Bloom filter forgets nothing.  A source may say that keys were removed; they
 *            count as changes, and a rebuild in full is without them.
 * Puts       made through the handle beside a follower are kept as lfbloom/versions.h says,
 *            if the source of truth has them.
 * Progress   Of queries and puts through the handle as lfbloom/versions.h.  A poll takes as
 *            long as its source, and waits for sections of the handle where it rebuilds.
 * Threads    poll beside poll, start, stop, wake and figures: in turn.  create and free run
 *            alone.
 */
#ifndef LFBLOOM_FOLLOW_H
#define LFBLOOM_FOLLOW_H

#include <lfbloom/versions.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a source hands over keys; exists only during its call. */
typedef struct lfb_keys_sink lfb_keys_sink;

/*
 * Hand over `count` keys, as lfb_filter_put_many() and its kin take them; any thread.
 *
 * Returns LFB_OK, or what the source has to return at once: LFB_ERROR_STOPPED, nobody wants
 *         more of them.
 */
LFB_API lfb_status lfb_keys_give(lfb_keys_sink *sink, const lfb_key *keys, size_t count);
LFB_API lfb_status lfb_keys_give_u64(lfb_keys_sink *sink, const uint64_t *keys, size_t count);
LFB_API lfb_status lfb_keys_give_hash(lfb_keys_sink *sink, const uint64_t *hashes, size_t count);

/* Says that `count` keys were removed.  Returns as lfb_keys_give(). */
LFB_API lfb_status lfb_keys_removed(lfb_keys_sink *sink, uint64_t count);

/*
 * A source of truth.  Each function gets `self` first; returns LFB_OK, or what the poll is to
 * fail with.  They are called by one thread at a time, but for `keys`; none may call the
 * follower.
 */
typedef struct lfb_source {
  void *self; /* the caller's own */
  /* The version number, from 1 on; 0: there is nothing yet.  It only rises. */
  lfb_status (*version)(void *self, uint64_t *version);
  /* Gives what changed after version `since`, up to at least the version said last;
   * LFB_ERROR_NO_CHANGES: it cannot say of this one, which takes a rebuild.
   * NULL: it can never say, so that each new version is a rebuild. */
  lfb_status (*changes)(void *self, uint64_t since, lfb_keys_sink *sink);
  /* Gives part `part` of all keys, `parts` of them, each on a thread of its own. */
  lfb_status (*keys)(void *self, unsigned part, unsigned parts, lfb_keys_sink *sink);
  /* How many keys there are, for the size of the filter; NULL: as configured. */
  lfb_status (*count)(void *self, uint64_t *count);
  /* Gives a filter that is filled already, instead of `keys`; the follower's on LFB_OK.
   * NULL: there are `keys`. */
  lfb_status (*filter)(void *self, lfb_filter **filter);
} lfb_source;

/* What a poll did. */
typedef enum lfb_followed {
  LFB_FOLLOWED_NOTHING = 0, /* there was nothing to do            */
  LFB_FOLLOWED_CHANGES = 1, /* put some keys into the running version */
  LFB_FOLLOWED_REBUILT = 2, /* published a new version                */
  LFB_FOLLOWED_FAILED = 3,  /* the running version goes on        */
} lfb_followed;

/* All zero is the default, but `rebuild`'s fpp must be set where the source gives keys. */
typedef struct lfb_follow_config {
  lfb_config rebuild;      /* what a new version is to be; expected_insertions is at least
                              what the source counts, and a quarter                         */
  unsigned threads;        /* that load it; 0: 1                                            */
  uint64_t most_changes;   /* keys put or removed since the last rebuild, from which on there
                              is another; 0: a quarter of rebuild.expected_insertions       */
  double most_fpp;         /* rebuilds once expected_fpp is above it; 0: never for that.  Only
                              when the source has changed since the last rebuild            */
  bool daily;              /* rebuilds once a day, if the source has changed since the last .. */
  uint32_t daily_second;   /* .. at so many seconds after midnight, UTC                     */
  lfb_previous previous;   /* whether a rebuild keeps the version it replaces               */
  uint64_t poll_seconds;   /* between two polls of the thread; 0: 1                         */
  uint64_t retry_seconds;  /* after a first failure; 0: 1                                   */
  uint64_t most_retry_seconds; /* after many in a row; 0: 300                               */
  /* Told of each poll that did something, on its thread, and of the first that found nothing
   * to do after some had failed; NULL: nobody.  `status` is LFB_OK but of LFB_FOLLOWED_FAILED.
   * Must not call the follower, but lfb_follow_wake(). */
  void (*report)(void *to, lfb_followed what, lfb_status status);
  void *report_to; /* what it is given first */
} lfb_follow_config;

/* What a follower has done so far. */
typedef struct lfb_follow_figures {
  uint64_t source_version; /* that the running version is up to date with; 0: none   */
  uint64_t rebuilds;       /* versions that were published                       */
  uint64_t changes;        /* keys that were put or removed since the last rebuild   */
  uint64_t failures;       /* in a row                                               */
  uint64_t retry_at;       /* seconds since 1970, before which polls do nothing      */
} lfb_follow_figures;

/* A follower: a filter with versions and its source. */
typedef struct lfb_follow lfb_follow;

/*
 * Makes a follower, which does nothing yet.
 *
 * Takes  versions  which must outlive it.
 *        source    copied; what `self` points to must outlive it.
 * Fails  LFB_ERROR_BAD_SOURCE  it has no `version`, or neither `keys` nor `filter`
 *        LFB_ERROR_NO_MEMORY; and, where the source gives keys, as lfb_config_plan().
 */
LFB_API lfb_status lfb_follow_create(lfb_versions *versions, const lfb_source *source,
                                     const lfb_follow_config *config, lfb_follow **follow);

/* Stops the thread, if there is one, and frees the follower.  NULL is ignored. */
LFB_API void lfb_follow_free(lfb_follow *follow);

/*
 * Asks the source once and does what there is to do.
 *
 * Takes  now   seconds since 1970: whoever passes it decides what time it is.
 * Gives  what  unless NULL; also where it fails.
 * Fails  as the source, lfb_versions_begin_rebuild() and lfb_versions_publish() do;
 *        LFB_ERROR_NO_THREAD; LFB_ERROR_STOPPED: lfb_follow_stop() came in between.
 */
LFB_API lfb_status lfb_follow_poll(lfb_follow *follow, uint64_t now, lfb_followed *what);

/* Starts a thread that polls.  Fails: LFB_ERROR_NO_THREAD; LFB_ERROR_FOLLOWING: it runs, or
 * is being stopped. */
LFB_API lfb_status lfb_follow_start(lfb_follow *follow);

/* Has that thread poll now, or once more if it is polling: whoever knows that there is news
 * need not wait for poll_seconds.  Nothing without a thread.  Any thread, `report` too. */
LFB_API void lfb_follow_wake(lfb_follow *follow);

/* Ends that thread: a rebuild under way is abandoned at the next keys that are given. */
LFB_API void lfb_follow_stop(lfb_follow *follow);

/* The figures now.  Waits for a poll that is under way. */
LFB_API void lfb_follow_figures_now(lfb_follow *follow, lfb_follow_figures *figures);

#ifdef __cplusplus
}
#endif

#endif
