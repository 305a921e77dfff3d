/*
 * follow.c - keeping a filter with versions up to date with a source (lfbloom/follow.h).
 */
#define _POSIX_C_SOURCE 200809L
#include <lfbloom/follow.h>

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include <lfbloom/c11.h>
#include <lfbloom/delta.h>

#include "atomic/threads/wake.h"
#include "atomic/words/reserved.h"
#include "bloom/versions/versions.h"

enum {
  DAY = 86400,            /* seconds                                                          */
  LONGEST_REST = 1 << 30, /* seconds between two polls, 34 years: now + rest fits any time_t  */
};

struct lfb_follow {
  lfb_versions *versions;
  lfb_source source;
  lfb_follow_config config;

  pthread_mutex_t polling;    /* guards the fields up to `failed_at`    */
  lfb_follow_figures figures;
  uint64_t rebuilt_version;   /* of the source, at the last rebuild     */
  uint64_t settled_at;        /* the daily rebuild is done, or not needed, up to here */
  uint64_t late_version;      /* of the source: its changes wait for the daily time   */
  uint64_t failed_at;
  lfb_status failed_with;     /* the last failure                       */
  bool waiting;               /* the last poll found nothing yet        */

  LFB_ATOMIC(bool) stopping;
  pthread_mutex_t thread_lock; /* guards `running`, `woken` and `shown`; held for no poll */
  pthread_cond_t wake;
  pthread_t thread;
  bool running;
  bool woken;                   /* the next poll comes without waiting  */
  lfb_follow_figures shown;     /* as of the end of the last poll       */
};

/* The target of keys: the handle, or the version that is being built. */
struct lfb_keys_sink {
  lfb_follow *follow;
  lfb_filter *building;        /* NULL: the handle                        */
  LFB_ATOMIC(uint64_t) count;  /* of keys given or removed                */
  uint64_t most;               /* keys that bring `count` here are refused */
};

static bool follow_is_stopping(lfb_follow *follow)
{
  /* relaxed: the request to stop publishes no other data. */
  return atomic_load_explicit(&follow->stopping, memory_order_relaxed);
}

/* ---- what sources call ----------------------------------------------------- */

/* Counts keys before they are taken.  Fails: LFB_ERROR_STOPPED if they are not wanted. */
static lfb_status sink_take(lfb_keys_sink *sink, uint64_t count)
{
  /* relaxed: the count publishes no other data. */
  const uint64_t before = lfb_add_u64(&sink->count, count, memory_order_relaxed);

  return follow_is_stopping(sink->follow) || before + count >= sink->most ||
                 before + count < before
             ? LFB_ERROR_STOPPED
             : LFB_OK;
}

lfb_status lfb_keys_give(lfb_keys_sink *sink, const void *keys, size_t count, lfb_key_kind kind)
{
  const lfb_status status = sink_take(sink, count);

  if (status == LFB_OK && sink->building != NULL)
    (void)lfb_filter_many(sink->building, LFB_PUT, keys, count, NULL, kind);
  else if (status == LFB_OK)
    (void)lfb_versions_many(sink->follow->versions, LFB_PUT, keys, count, NULL, kind);
  return status;
}

lfb_status lfb_keys_give_delta(lfb_keys_sink *sink, const void *delta, size_t size)
{
  lfb_status status = sink_take(sink, 0);

  if (status != LFB_OK)
    return status;
  status = sink->building != NULL ? lfb_delta_apply(sink->building, delta, size, NULL)
                                  : lfb_versions_apply_delta(sink->follow->versions, delta, size);
  return status == LFB_OK ? LFB_OK : LFB_ERROR_NO_CHANGES;
}

lfb_status lfb_keys_removed(lfb_keys_sink *sink, uint64_t count)
{
  /* A version that is being built never had these keys. */
  return sink->building != NULL ? LFB_OK : sink_take(sink, count);
}

/* ---- a rebuild ------------------------------------------------------------- */

/* One of the threads that load a version. */
typedef struct loader {
  lfb_keys_sink *sink;
  unsigned part, parts;
  pthread_t thread;
  lfb_status status;
} loader;

static void *loader_run(void *argument)
{
  loader *mine = argument;
  const lfb_source *source = &mine->sink->follow->source;

  mine->status = source->keys(source->self, mine->part, mine->parts, mine->sink);
  return NULL;
}

/* Runs all loaders, the first one in this thread.  Returns the first failure. */
static lfb_status loaders_run(loader *loaders, unsigned count)
{
  unsigned started = 1;

  while (started < count && pthread_create(&loaders[started].thread, NULL, loader_run,
                                           &loaders[started]) == 0)
    started++;
  lfb_status status = started < count ? LFB_ERROR_NO_THREAD : LFB_OK;
  if (status == LFB_OK)
    loader_run(&loaders[0]);
  for (unsigned i = 1; i < started; i++)
    pthread_join(loaders[i].thread, NULL);
  for (unsigned i = 0; status == LFB_OK && i < count; i++)
    status = loaders[i].status;
  return status;
}

/* Fills a version from all keys of the source. */
static lfb_status follow_load(lfb_follow *follow, lfb_filter *building)
{
  const unsigned count = follow->config.threads == 0 ? 1 : follow->config.threads;
  lfb_keys_sink sink = {.follow = follow, .building = building, .most = UINT64_MAX};
  loader *loaders = calloc(count, sizeof *loaders);

  if (loaders == NULL)
    return LFB_ERROR_NO_MEMORY;
  for (unsigned i = 0; i < count; i++)
    loaders[i] = (loader){.sink = &sink, .part = i, .parts = count};
  const lfb_status status = loaders_run(loaders, count);
  free(loaders);
  return status;
}

/* The configuration of a new version: room for the source's keys, and a quarter more. */
static lfb_status follow_size(lfb_follow *follow, lfb_config *config)
{
  uint64_t count;

  *config = follow->config.rebuild;
  if (follow->source.count == NULL)
    return LFB_OK;
  const lfb_status status = follow->source.count(follow->source.self, &count);
  if (status != LFB_OK)
    return status;
  const uint64_t wanted = count > UINT64_MAX / 2 ? count : count + count / 4;
  if (config->expected_insertions < wanted)
    config->expected_insertions = wanted;
  return LFB_OK;
}

/* Begins a version: the source's filter, or an empty one for the source's keys. */
static lfb_status follow_begin(lfb_follow *follow, lfb_filter **building)
{
  lfb_config config;
  lfb_status status;

  if (follow->source.filter == NULL) {
    status = follow_size(follow, &config);
    return status == LFB_OK ? lfb_versions_begin_rebuild(follow->versions, &config, building)
                            : status;
  }
  status = follow->source.filter(follow->source.self, building);
  if (status != LFB_OK)
    return status;
  status = lfb_versions_begin_rebuild_with(follow->versions, *building);
  if (status != LFB_OK)
    lfb_filter_free(*building);
  return status;
}

/* Notes that the daily rebuild is done, or not needed, up to `now`.  A call may have waited for its
 * turn since its caller read the clock: a time that is older by less than a day undoes nothing.
 * Older by more: the clock was set back, and the daily time would be long after its own. */
static void follow_settle(lfb_follow *follow, uint64_t now)
{
  if (now > follow->settled_at || follow->settled_at - now >= DAY)
    follow->settled_at = now;
}

static lfb_status follow_rebuild(lfb_follow *follow, uint64_t version, uint64_t now)
{
  lfb_filter *building;

  lfb_status status = follow_begin(follow, &building);
  if (status != LFB_OK)
    return status;
  if (follow->source.filter == NULL)
    status = follow_load(follow, building);
  if (status == LFB_OK)
    status = lfb_versions_publish(follow->versions, follow->config.previous, NULL);
  if (status != LFB_OK) {
    lfb_ignore(lfb_versions_abandon(follow->versions));
    return status;
  }
  follow->rebuilt_version = version;
  follow_settle(follow, now);
  follow->figures.source_version = version;
  follow->figures.changes = 0;
  follow->figures.rebuilds++;
  return LFB_OK;
}

/* ---- a poll ---------------------------------------------------------------- */

static bool follow_is_full(lfb_follow *follow)
{
  lfb_stats stats;

  if (follow->config.most_fpp <= 0)
    return false;
  lfb_filter_stats(lfb_versions_enter(follow->versions, NULL), &stats);
  lfb_versions_leave(follow->versions);
  return stats.expected_fpp > follow->config.most_fpp;
}

/* Whether the configured time of day has passed since `settled_at`. */
static bool follow_is_daily_due(const lfb_follow *follow, uint64_t now)
{
  /* Plus a whole day, so that no difference falls below 0. */
  const uint64_t shift = DAY - follow->config.daily_second % DAY;
  return (follow->config.daily || follow->config.daily_only) &&
         (now + shift) / DAY > (follow->settled_at + shift) / DAY;
}

/* Whether this version of the source needs a rebuild, regardless of its changes. */
static bool follow_is_due(lfb_follow *follow, uint64_t version, uint64_t now)
{
  if (version == follow->rebuilt_version || now < follow->settled_at)
    follow_settle(follow, now);
  if (version == follow->rebuilt_version)
    return false;
  if (follow->rebuilt_version == 0 || follow_is_daily_due(follow, now))
    return true;
  return !follow->config.daily_only && (follow->source.changes == NULL || follow_is_full(follow));
}

static uint64_t follow_most_changes(const lfb_follow *follow)
{
  const uint64_t most = follow->config.most_changes, n = follow->config.rebuild.expected_insertions;
  return follow->config.daily_only ? UINT64_MAX : most != 0 ? most : n < 4 ? 1 : n / 4;
}

/* Puts the changed keys.  `*many` receives whether the changes since the last rebuild are too many
 * or cannot be listed, so that a rebuild is needed now. */
static lfb_status follow_change(lfb_follow *follow, uint64_t version, bool *many)
{
  lfb_keys_sink sink = {.follow = follow, .most = follow_most_changes(follow)};

  /* relaxed: no other thread has the sink yet. */
  atomic_store_explicit(&sink.count, follow->figures.changes, memory_order_relaxed);
  const lfb_status status =
      follow->source.changes == NULL
          ? LFB_ERROR_NO_CHANGES
          : follow->source.changes(follow->source.self, follow->figures.source_version, &sink);
  /* relaxed: no other thread has the sink any more. */
  const uint64_t count = atomic_load_explicit(&sink.count, memory_order_relaxed);
  *many = (count >= sink.most || status == LFB_ERROR_NO_CHANGES) && !follow_is_stopping(follow);
  if (*many && follow->config.daily_only) {
    follow->late_version = version;
    *many = false;
    return LFB_OK;
  }
  if (*many)
    return LFB_OK;
  if (status != LFB_OK)
    return status == LFB_ERROR_NO_CHANGES ? LFB_ERROR_STOPPED : status;
  follow->figures.changes = count;
  follow->figures.source_version = version;
  return LFB_OK;
}

/* `asked`: to rebuild in any case */
static lfb_status follow_act(lfb_follow *follow, uint64_t now, bool asked, lfb_followed *what)
{
  uint64_t version;

  lfb_status status = follow->source.version(follow->source.self, &version);
  if (status != LFB_OK)
    return status;
  if (version == 0) {
    *what = LFB_FOLLOWED_WAITING;
    return LFB_OK;
  }
  bool rebuild = follow_is_due(follow, version, now) || asked;
  if (!rebuild && (version == follow->figures.source_version || version == follow->late_version))
    return LFB_OK;
  if (!rebuild)
    status = follow_change(follow, version, &rebuild);
  if (status == LFB_OK && rebuild) {
    *what = LFB_FOLLOWED_REBUILT;
    return follow_rebuild(follow, version, now);
  }
  if (version == follow->figures.source_version)
    *what = LFB_FOLLOWED_CHANGES;
  return status;
}

static uint64_t or_default(uint64_t given, uint64_t otherwise)
{
  return given != 0 ? given : otherwise;
}

/* Delays the next attempt: twice as long after each further failure in a row. */
static void follow_back_off(lfb_follow *follow, uint64_t now)
{
  const uint64_t most = or_default(follow->config.most_retry_seconds, 300);
  uint64_t wait = or_default(follow->config.retry_seconds, 1);

  for (uint64_t i = 0; i < follow->figures.failures && wait < most; i++)
    wait = wait > UINT64_MAX / 2 ? UINT64_MAX : 2 * wait;
  if (wait > most)
    wait = most;
  follow->figures.failures++;
  follow->figures.retry_at = now > UINT64_MAX - wait ? UINT64_MAX : now + wait;
  follow->failed_at = now;
}

/* Whether it is too early to try again.  False if the clock was set back since the failure. */
static bool follow_is_backing_off(const lfb_follow *follow, uint64_t now)
{
  return follow->figures.failures > 0 && now >= follow->failed_at &&
         now < follow->figures.retry_at;
}

/* One poll; the caller holds the lock. */
static lfb_status follow_turn(lfb_follow *follow, uint64_t now, bool asked, lfb_followed *did)
{
  lfb_followed what = LFB_FOLLOWED_NOTHING;

  (void)lfb_versions_reclaim(follow->versions);
  if (!asked && follow_is_backing_off(follow, now))
    return LFB_OK;
  const bool failed_before = follow->figures.failures > 0;
  const lfb_status status = follow_act(follow, now, asked, &what);
  if (status != LFB_OK) {
    what = LFB_FOLLOWED_FAILED;
    follow->failed_with = status;
    follow_back_off(follow, now);
  } else {
    follow->figures.failures = 0;
    follow->figures.retry_at = 0;
  }
  const bool waits_on = what == LFB_FOLLOWED_WAITING && follow->waiting;
  follow->waiting = what == LFB_FOLLOWED_WAITING;
  if (((what != LFB_FOLLOWED_NOTHING && !waits_on) || failed_before) &&
      follow->config.report != NULL)
    follow->config.report(follow->config.report_to, what, status);
  *did = what;
  return status;
}

/* One poll, and what is shown of it; the caller holds the lock. */
static lfb_status follow_poll_locked(lfb_follow *follow, uint64_t now, bool asked,
                                     lfb_followed *what)
{
  lfb_followed did = LFB_FOLLOWED_NOTHING;
  const lfb_status status = follow_turn(follow, now, asked, &did);

  lfb_versions_set_failed_polls(follow->versions, follow->figures.failures);
  pthread_mutex_lock(&follow->thread_lock);
  follow->shown = follow->figures;
  pthread_mutex_unlock(&follow->thread_lock);
  if (what != NULL)
    *what = did;
  return status;
}

lfb_status lfb_follow_poll(lfb_follow *follow, uint64_t now, lfb_followed *what)
{
  pthread_mutex_lock(&follow->polling);
  const lfb_status status = follow_poll_locked(follow, now, false, what);
  pthread_mutex_unlock(&follow->polling);
  return status;
}

lfb_status lfb_follow_rebuild(lfb_follow *follow, uint64_t now)
{
  lfb_followed what;

  pthread_mutex_lock(&follow->polling);
  const lfb_status status = follow_poll_locked(follow, now, true, &what);
  pthread_mutex_unlock(&follow->polling);
  return status == LFB_OK && what == LFB_FOLLOWED_WAITING ? LFB_ERROR_NOTHING_YET : status;
}

void lfb_follow_stats(lfb_follow *follow, lfb_follow_figures *figures)
{
  pthread_mutex_lock(&follow->thread_lock);
  *figures = follow->shown;
  pthread_mutex_unlock(&follow->thread_lock);
}

/* ---- the thread ------------------------------------------------------------ */

/* Waits until the next poll is due, or until woken or stopped.  The caller holds the lock. */
static void follow_rest(lfb_follow *follow)
{
  const uint64_t rest = or_default(follow->config.poll_seconds, 1);
  struct timespec until;

  (void)clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += (time_t)(rest < LONGEST_REST ? rest : (uint64_t)LONGEST_REST);
  while (!follow_is_stopping(follow) && !follow->woken &&
         pthread_cond_timedwait(&follow->wake, &follow->thread_lock, &until) == 0)
    ;
}

static void *follow_run(void *argument)
{
  lfb_follow *follow = argument;

  pthread_mutex_lock(&follow->thread_lock);
  while (!follow_is_stopping(follow)) {
    follow->woken = false; /* before the poll: a wake-up during the poll causes another one */
    pthread_mutex_unlock(&follow->thread_lock);
    lfb_ignore(lfb_follow_poll(follow, (uint64_t)time(NULL), NULL)); /* it reports by itself */
    pthread_mutex_lock(&follow->thread_lock);
    follow_rest(follow);
  }
  pthread_mutex_unlock(&follow->thread_lock);
  return NULL;
}

/* Polls for the first version, in the caller's thread.  Fails if there is none. */
static lfb_status follow_first(lfb_follow *follow)
{
  pthread_mutex_lock(&follow->thread_lock);
  const bool begun = follow->running || follow->shown.rebuilds > 0;
  pthread_mutex_unlock(&follow->thread_lock);
  if (begun || follow->config.start_at_once)
    return LFB_OK;
  pthread_mutex_lock(&follow->polling);
  lfb_status status = follow_poll_locked(follow, (uint64_t)time(NULL), false, NULL);
  /* It failed, and rests, or there is nothing. */
  if (status == LFB_OK && follow->figures.rebuilds == 0)
    status = follow->figures.failures > 0 ? follow->failed_with : LFB_ERROR_NOTHING_YET;
  pthread_mutex_unlock(&follow->polling);
  return status;
}

lfb_status lfb_follow_start(lfb_follow *follow)
{
  lfb_status status = follow_first(follow);

  if (status != LFB_OK)
    return status;
  status = LFB_ERROR_FOLLOWING;

  pthread_mutex_lock(&follow->thread_lock);
  if (!follow->running) {
    follow->running = pthread_create(&follow->thread, NULL, follow_run, follow) == 0;
    status = follow->running ? LFB_OK : LFB_ERROR_NO_THREAD;
  }
  pthread_mutex_unlock(&follow->thread_lock);
  return status;
}

void lfb_follow_wake(lfb_follow *follow)
{
  pthread_mutex_lock(&follow->thread_lock);
  follow->woken = true;
  pthread_cond_signal(&follow->wake);
  pthread_mutex_unlock(&follow->thread_lock);
}

/* Requests the thread and the loaders to stop, or withdraws that.  relaxed: the lock orders it for
 * the thread, and loaders need no order. */
static void follow_say_stop(lfb_follow *follow, bool stop)
{
  atomic_store_explicit(&follow->stopping, stop, memory_order_relaxed);
}

void lfb_follow_stop(lfb_follow *follow)
{
  pthread_mutex_lock(&follow->thread_lock);
  const bool mine = follow->running && !follow_is_stopping(follow);
  if (mine) {
    follow_say_stop(follow, true);
    pthread_cond_signal(&follow->wake);
  }
  pthread_mutex_unlock(&follow->thread_lock);
  if (!mine)
    return;
  pthread_join(follow->thread, NULL);
  pthread_mutex_lock(&follow->thread_lock);
  follow->running = false;
  follow_say_stop(follow, false); /* the caller may poll afterwards */
  pthread_mutex_unlock(&follow->thread_lock);
}

/* ---- creating and freeing --------------------------------------------------- */

static lfb_status follow_check(const lfb_source *source, const lfb_follow_config *config)
{
  lfb_stats stats;

  if (LFB_RESERVED(source) != LFB_OK || LFB_RESERVED(config) != LFB_OK ||
      LFB_RESERVED(&config->rebuild) != LFB_OK)
    return LFB_ERROR_RESERVED;
  if (source->version == NULL || (source->keys == NULL && source->filter == NULL))
    return LFB_ERROR_BAD_SOURCE;
  return source->filter != NULL ? LFB_OK : lfb_config_plan(&config->rebuild, &stats);
}

lfb_status lfb_follow_create(lfb_versions *versions, const lfb_source *source,
                             const lfb_follow_config *config, lfb_follow **follow)
{
  const lfb_status status = follow_check(source, config);

  if (status != LFB_OK)
    return status;
  lfb_follow *made = calloc(1, sizeof *made);
  if (made == NULL || !lfb_wake_init(&made->wake)) {
    free(made);
    return LFB_ERROR_NO_MEMORY;
  }
  /* These calls never fail with default attributes. */
  (void)pthread_mutex_init(&made->polling, NULL);
  (void)pthread_mutex_init(&made->thread_lock, NULL);
  made->versions = versions;
  made->source = *source;
  made->config = *config;
  *follow = made;
  return LFB_OK;
}

void lfb_follow_free(lfb_follow *follow)
{
  if (follow == NULL)
    return;
  lfb_follow_stop(follow);
  lfb_versions_set_failed_polls(follow->versions, 0);
  (void)pthread_cond_destroy(&follow->wake);
  (void)pthread_mutex_destroy(&follow->polling);
  (void)pthread_mutex_destroy(&follow->thread_lock);
  free(follow);
}
