/* source.c - opens filters in files and on servers. */
#define _POSIX_C_SOURCE 200809L
#include "cli/filters/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <lfbloom/growing_mapped.h>
#include <lfbloom/mapped.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/human.h"
#include "cli/base/output.h"
#include "cli/base/report.h"
#include "cli/filters/figures.h"
#include "cli/filters/foreign.h"

#define SOURCE_STANDARD "/dev/stdin"

bool source_is_standard(const char *path)
{
  return strcmp(path, "-") == 0;
}

/* From this size on a file is opened in place: loading takes a tenth of a second or more, and
 * memory in every process. */
#define SOURCE_LARGE (INT64_C(64) << 20)

/* A pipe must not be opened twice: only a regular file may be opened in place. */
static bool source_is_regular(const char *path, struct stat *found)
{
  return stat(path, found) == 0 && S_ISREG(found->st_mode);
}

/* Whether a file is not loaded but read in place. */
static bool source_is_large(const char *path)
{
  struct stat found;

  return source_is_regular(path, &found) && found.st_size >= SOURCE_LARGE;
}

/* Whether a filter is opened in place: it is shared, so that puts of other processes are visible,
 * or large. */
static bool source_is_in_place(const char *path)
{
  struct stat found;
  lfb_form form;

  return source_is_regular(path, &found) &&
         (found.st_size >= SOURCE_LARGE ||
          (lfb_form_of_file(path, &form) == LFB_OK && form == LFB_FORM_MAPPED));
}

/* ---- pipes ---------------------------------------------------------------------- */

static lfb_status pipe_read(void *from, void *bytes, size_t size, size_t *got)
{
  ssize_t have;

  do
    have = read(*(const int *)from, bytes, size);
  while (have < 0 && errno == EINTR);
  if (have < 0)
    return LFB_ERROR_READ;
  *got = (size_t)have;
  return LFB_OK;
}

/* Reads a filter; more bytes after it are an error. */
static lfb_status pipe_load(int fd, const lfb_read_limits *limits, lfb_filter **filter)
{
  lfb_filter *loaded;
  char more;
  size_t got;

  lfb_status status = lfb_filter_read(pipe_read, &fd, limits, &loaded);
  if (status != LFB_OK)
    return status;
  status = pipe_read(&fd, &more, sizeof more, &got);
  if (status == LFB_OK && got > 0)
    status = LFB_ERROR_TRAILING_BYTES;
  if (status == LFB_OK)
    *filter = loaded;
  else
    lfb_filter_free(loaded);
  return status;
}

/* Whether `path` is to be read as a stream: a pipe, or standard input if it is a device. */
static bool pipe_is(const char *path)
{
  struct stat found;

  return stat(path, &found) == 0 &&
         (S_ISFIFO(found.st_mode) || S_ISSOCK(found.st_mode) ||
          (S_ISCHR(found.st_mode) && strcmp(path, SOURCE_STANDARD) == 0));
}

/* As lfb_filter_load(), but also from a pipe.  No report. */
static lfb_status source_load_file(const char *path, const lfb_read_limits *limits,
                                   lfb_filter **filter)
{
  if (!pipe_is(path))
    return lfb_filter_load(path, limits, filter);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return LFB_ERROR_OPEN;
  const lfb_status status = pipe_load(fd, limits, filter);
  const int cause = errno;
  (void)close(fd);
  errno = cause;
  return status;
}

/* ---- opening -------------------------------------------------------------------- */

/* A copy of a window forgets what is over by now. */
static lfb_status source_opened(lfb_status status, const lfb_any *any)
{
  if (status == LFB_OK && any->kind == LFB_KIND_WINDOW)
    (void)lfb_window_tick(any->window);
  return status;
}

lfb_status source_open_copy(const char *path, const lfb_read_limits *limits, lfb_any *any)
{
  lfb_filter *filter;

  if (pipe_is(path)) {
    const lfb_status status = source_load_file(path, limits, &filter);
    if (status == LFB_OK)
      *any = (lfb_any){LFB_KIND_PLAIN, {filter}};
    return status;
  }
  lfb_status status = lfb_any_open(path, LFB_KIND_NONE, LFB_OPEN_COPY, limits, any);
  if (status == LFB_ERROR_GROWING_MAPPED)
    status = lfb_any_open(path, LFB_KIND_GROWING, LFB_OPEN_IN_PLACE, limits, any);
  return source_opened(status, any);
}

/* Opens a filter to query it.  A file that cannot be used in place, being from another machine, or
 * not in a file system that can map it, is read into memory. */
static lfb_status source_open_file(const char *path, const lfb_read_limits *limits, lfb_any *any)
{
  lfb_status status = LFB_ERROR_MAP;

  if (source_is_in_place(path))
    status = lfb_any_open(path, LFB_KIND_NONE, LFB_OPEN_IN_PLACE, limits, any);
  return status == LFB_ERROR_MAP || status == LFB_ERROR_BYTE_ORDER
             ? source_open_copy(path, limits, any)
             : source_opened(status, any);
}

/* ---- checking in the background ---------------------------------------------------- */

struct source_check {
  const lfb_filter *filter;
  const char *path;
  pthread_t thread;
};

static void *check_run(void *argument)
{
  struct source_check *check = argument;

  const lfb_status status = lfb_mapped_verify(check->filter);
  if (status != LFB_OK && status != LFB_ERROR_NOT_MAPPED) { /* if it was loaded, it was compared */
    source_report(check->path, status);
    output_end_program(CLI_NOT_DONE);
  }
  return NULL;
}

/* Begins to compare the checksums of a file that was opened in place.  False after a report. */
static bool check_begin(const char *path, struct source *source)
{
  struct source_check *check = calloc(1, sizeof *check);

  if (check == NULL)
    return report_false_errno(path);
  check->filter = source->any.plain;
  check->path = path;
  if (pthread_create(&check->thread, NULL, check_run, check) == 0) {
    source->check = check;
    return true;
  }
  (void)check_run(check); /* without a thread: now */
  free(check);
  return true;
}

void source_checked(struct source *source)
{
  if (source->check == NULL)
    return;
  (void)pthread_join(source->check->thread, NULL);
  free(source->check);
  source->check = NULL;
}

/* --helper is only for filters on Redis.  False after a report. */
static bool source_takes_helper(const char *path, const struct options_reading *reading)
{
  if (!reading->helper.given || remote_is(path))
    return true;
  return report_false("%s: --helper applies only to a filter on Redis, redis://host:port/name",
                      path);
}

/* Opens a filter on a server, to be queried there. */
static bool source_open_remote(const char *path, const struct options_reading *reading,
                               struct source *source)
{
  const lfb_config wanted = options_wanted(reading);
  struct source opened = {0};

  if (!remote_open(path, &wanted, reading->helper.twice, &opened.remote))
    return false;
  *source = opened;
  return true;
}

bool source_takes_type(const char *path, const struct remote *remote, enum typed type)
{
  lfb_stats stats;

  if (type != TYPED_I64 || remote->filter == NULL)
    return true;
  lfb_redis_plan(remote->filter, &stats);
  if (stats.strategy != LFB_FAST && stats.strategy != LFB_FAST_PAIR)
    return true;
  return report_false("%s: --keys=i64 cannot be used with strategy %s on Redis", path,
                      lfb_strategy_name(stats.strategy));
}

void source_report(const char *path, lfb_status status)
{
  const char *foreign = foreign_kind(path);

  if (foreign != NULL)
    (void)report_error("%s: this is %s", path, foreign);
  else if (status == LFB_ERROR_OPEN && errno == EACCES)
    (void)report_error("%s: %s: %s (a file that holds the key of its hash is its owner's alone: "
                       "build it with --key-file, or with --hash xxh3 if nobody hostile chooses "
                       "keys)", path, lfb_status_text(status), strerror(errno));
  else if (status == LFB_ERROR_BAD_CHECKSUM)
    (void)report_error("%s: %s (see 'lfbloom verify')", path, lfb_status_text(status));
  else if (status == LFB_ERROR_KEY_NEEDED)
    (void)report_error("%s: %s: give --key-file", path, lfb_status_text(status));
  else
    (void)report_status(path, status);
}

bool source_open_any(const char *path, const struct options_reading *reading,
                     struct source *source)
{
  const lfb_read_limits limits = {.key = options_key_bytes(&reading->key)};
  const char *from = source_is_standard(path) ? SOURCE_STANDARD : path;
  struct source opened = {0};

  if (remote_is(path))
    return source_open_remote(path, reading, source);
  if (!source_takes_helper(path, reading))
    return false;
  const lfb_status status = source_open_file(from, &limits, &opened.any);
  if (status != LFB_OK) {
    source_report(from == path ? path : "standard input", status);
    return false;
  }
  *source = opened;
  return reading->no_verify || opened.any.kind != LFB_KIND_PLAIN || !source_is_large(from) ||
         check_begin(from == path ? path : "standard input", source);
}

size_t source_do(lfb_any any, lfb_verb verb, bool numbers, const lfb_key *keys, size_t count,
                 uint64_t *answers)
{
  uint64_t of_keys[SOURCE_BATCH];

  if (!numbers)
    return lfb_any_many(any, verb, keys, count, answers);
  typed_numbers(keys, count, of_keys);
  return lfb_any_many_u64(any, verb, of_keys, count, answers);
}

bool source_ask(const struct source *source, const lfb_key *keys, size_t count,
                uint64_t *answers, size_t *yes)
{
  if (source->remote.filter != NULL)
    return remote_ask(&source->remote, keys, count, answers, yes);
  *yes = source_do(source->any, LFB_MIGHT_CONTAIN, source->numbers, keys, count, answers);
  return true;
}

static size_t source_batch_for(const struct remote *remote)
{
  enum { BATCH_HERE = 1024 };

  return remote->filter != NULL ? (size_t)SOURCE_BATCH : (size_t)BATCH_HERE;
}

size_t source_batch(const struct source *source)
{
  return source_batch_for(&source->remote);
}

void source_close(struct source *source)
{
  source_checked(source);
  lfb_any_free(source->any);
  remote_close(&source->remote);
}

/* ---- loading -------------------------------------------------------------------- */

static lfb_filter *source_load_remote(const char *path, const struct options_reading *reading)
{
  struct source source;

  if (!source_open_remote(path, reading, &source))
    return NULL;
  lfb_filter *filter = remote_load(&source.remote);
  source_close(&source);
  return filter;
}

lfb_filter *source_load(const char *path, const struct options_reading *reading,
                        const lfb_read_limits *limits)
{
  lfb_read_limits with_key = {0};
  lfb_filter *filter;

  if (limits != NULL)
    with_key = *limits;
  if (remote_is(path))
    return source_load_remote(path, reading);
  if (!source_takes_helper(path, reading))
    return NULL;
  with_key.key = options_key_bytes(&reading->key);
  const lfb_status status = source_load_file(path, &with_key, &filter);
  if (status == LFB_OK)
    return filter;
  source_report(path, status);
  return NULL;
}

/* ---- sharing -------------------------------------------------------------------- */

/* Whether the filter has the n and p that are wished for, as far as they were given.  Guava's
 * layout does not record them; then the bits and probes that follow from them must match. */
static bool source_size_fits(const struct source_wish *wish, const lfb_stats *stats, bool grows)
{
  lfb_config config = *wish->config;
  lfb_stats planned;

  if (grows) /* n was a first guess */
    return config.fpp == 0 || config.fpp == stats->fpp;
  if (stats->fpp > 0)
    return (config.fpp == 0 || config.fpp == stats->fpp) &&
           (wish->any_count || config.expected_insertions == stats->expected_insertions);
  config.strategy = stats->strategy;
  return config.fpp == 0 || wish->any_count ||
         (lfb_config_plan(&config, &planned) == LFB_OK && planned.bit_count == stats->bit_count &&
          planned.probes == stats->probes);
}

/* Reports which filter exists already. */
static void source_report_there(const char *path, const struct source_wish *wish,
                                const lfb_stats *stats, bool grows)
{
  const lfb_hash_id wanted = wish->config->hash;
  const bool keyed = figures_keyed(stats->hash);
  char size[96], hash[32] = "", seed[64] = "";

  if (stats->fpp > 0)
    (void)snprintf(size, sizeof size, "made with -n %" PRIu64 " -p %g", stats->expected_insertions,
                   stats->fpp);
  else
    (void)snprintf(size, sizeof size, "of %" PRIu64 " bits, %" PRIu32 " a key,", stats->bit_count,
                   stats->probes);
  if (keyed ||
      (wanted != LFB_HASH_DEFAULT && stats->hash == LFB_HASH_XXH3 && wanted != stats->hash))
    (void)snprintf(hash, sizeof hash, " --hash %s", lfb_hash_name(stats->hash));
  if (stats->seed != 0)
    (void)snprintf(seed, sizeof seed, " --seed %" PRIu64, stats->seed);
  (void)report_error(
      "%s: %s exists already, %s --strategy %s%s%s%s, %s: leave out the options that differ, or "
      "choose another name", wish->command, path, size, lfb_strategy_name(stats->strategy), hash,
      seed, grows ? " --growing" : wish->only_growing ? " without --growing" : "",
      !keyed            ? "without a key"
      : stats->key_kept ? "with its key in the file"
                        : "with its key not in the file");
}

/* Whether the shared filter is the one wished for.  False after a report. */
static bool source_fits(const char *path, const struct source_wish *wish, const lfb_stats *stats,
                        bool grows)
{
  const lfb_config *config = wish->config;

  if (source_size_fits(wish, stats, grows) && (grows || !wish->only_growing) &&
      (wish->any_strategy || config->strategy == stats->strategy) &&
      (config->seed == 0 || config->seed == stats->seed) &&
      (config->hash == LFB_HASH_DEFAULT || config->hash == stats->hash) &&
      (!wish->reading->key.given || figures_keyed(stats->hash)) &&
      (!config->keep_key || stats->key_kept))
    return true;
  source_report_there(path, wish, stats, grows);
  return false;
}

/* Warns if another process has just made the filter for fewer keys than this one has counted. */
static void source_warn_small(const char *path, const struct source_wish *wish,
                              const lfb_stats *stats)
{
  if (wish->any_count && stats->fpp > 0 &&
      wish->config->expected_insertions > stats->expected_insertions)
    report_note("warning: %s: another process made it for %s distinct keys, but up to %s come from "
                "this process: give all processes the same -n",
                path, human_count(stats->expected_insertions).text,
                human_count(wish->config->expected_insertions).text);
}

/* Reports why the file at `path` cannot be shared. */
static void source_refuse(const char *path, lfb_status status)
{
  const int cause = errno;
  struct stat found;

  if (status == LFB_ERROR_NOT_MAPPED)
    (void)report_error("%s: not a shared filter: 'lfbloom convert --to mapped' makes one of it",
                       path);
  else if (status == LFB_ERROR_TRUNCATED && stat(path, &found) == 0 && found.st_size == 0)
    (void)report_error("%s: an empty file, not a filter: delete it, then the command makes it",
                       path);
  else if (status == LFB_ERROR_OPEN && cause == ENOENT && lstat(path, &found) == 0)
    (void)report_error("%s: a symbolic link to nothing: delete it, or create its target", path);
  else {
    errno = cause;
    source_report(path, status);
  }
}

bool source_mode_fits(const char *path, uint32_t mode, bool key_kept)
{
  if ((mode & ~0600U) == 0 || !key_kept)
    return true;
  return report_false("%s: --mode %04" PRIo32
                      ": the file would hold the secret key of its hash, for its owner alone: "
                      "leave out --mode, or keep the key out of the file (--key-file), or give "
                      "--hash xxh3", path, mode);
}

/* The same for a new filter of this configuration. */
static bool source_wish_fits(const char *path, const struct source_wish *wish)
{
  lfb_stats planned;

  return lfb_config_plan(wish->config, &planned) != LFB_OK ||
         source_mode_fits(path, wish->config->file_mode, planned.key_kept);
}

/* Opens a plain filter, or a growing one. */
static lfb_status source_map_open(const char *path, const struct source_wish *wish, lfb_any *opened)
{
  const lfb_read_limits limits = {.key = options_key_bytes(&wish->reading->key)};
  const lfb_status status =
      lfb_any_open(path, LFB_KIND_PLAIN, LFB_OPEN_SHARED, &limits, opened);

  return status == LFB_ERROR_GROWING_MAPPED
             ? lfb_any_open(path, LFB_KIND_GROWING, LFB_OPEN_SHARED, &limits, opened)
             : status;
}

static lfb_status source_map_create(const char *path, const struct source_wish *wish, lfb_any *made)
{
  made->kind = wish->grows ? LFB_KIND_GROWING : LFB_KIND_PLAIN;
  return wish->grows ? lfb_growing_mapped_create(path, wish->config, &made->growing)
                     : lfb_mapped_create(path, wish->config, &made->plain);
}

/* Opens or makes the mapped filter at `path`.  False after a report. */
static bool source_map(const char *path, const struct source_wish *wish, lfb_any *opened)
{
  lfb_status status = source_map_open(path, wish, opened);

  if (status == LFB_ERROR_OPEN && errno == ENOENT) {
    if (!source_wish_fits(path, wish))
      return false;
    status = source_map_create(path, wish, opened);
  }
  if (status == LFB_ERROR_EXISTS) /* another process made it first */
    status = source_map_open(path, wish, opened);
  if (status != LFB_OK)
    source_refuse(path, status);
  return status == LFB_OK;
}

/* The figures of a shared filter, without counting its bits. */
static void source_shared_plan(const struct source_shared *shared, lfb_stats *stats)
{
  lfb_figures figures;

  if (shared->remote.filter != NULL) {
    lfb_redis_plan(shared->remote.filter, stats);
    return;
  }
  lfb_any_plan(shared->any, &figures);
  *stats = figures.all;
}

/* Passes on the opened filter if it is the one wished for; else closes it, after a report. */
static bool source_accept(const char *path, const struct source_wish *wish,
                          struct source_shared *opened, struct source_shared *shared)
{
  const bool grows = opened->any.kind == LFB_KIND_GROWING;
  lfb_stats stats;

  source_shared_plan(opened, &stats);
  if (!source_fits(path, wish, &stats, grows)) {
    source_shared_close(opened);
    return false;
  }
  if (!grows)
    source_warn_small(path, wish, &stats);
  *shared = *opened;
  return true;
}

/* Opens the filter if it exists.  A filter of the Java helper class needs its n and p to open. */
static enum remote_found source_find_remote(const char *path, const struct source_wish *wish,
                                            struct remote *remote)
{
  lfb_config wanted = options_wanted(wish->reading);

  if (!wish->any_strategy && wish->config->strategy == LFB_REDIS_MITZ32)
    wanted = *wish->config;
  return remote_find(path, &wanted, wish->reading->helper.twice, remote);
}

bool source_share(const char *path, const struct source_wish *wish, bool *there,
                  struct source_shared *shared)
{
  struct source_shared opened = {0};
  struct stat file;

  if (!source_takes_helper(path, wish->reading))
    return false;
  if (!remote_is(path)) {
    *there = stat(path, &file) == 0;
    return !*there || source_share_new(path, wish, shared);
  }
  const enum remote_found found = source_find_remote(path, wish, &opened.remote);
  *there = found == REMOTE_FOUND;
  return found == REMOTE_NOTHING ||
         (*there && source_accept(path, wish, &opened, shared));
}

bool source_share_new(const char *path, const struct source_wish *wish,
                      struct source_shared *shared)
{
  struct source_shared opened = {0};

  return (remote_is(path) ? remote_create(path, wish->config, wish->reading->helper.twice,
                                          &opened.remote)
                          : source_map(path, wish, &opened.any)) &&
         source_accept(path, wish, &opened, shared);
}

bool source_can_grow(const char *path, const struct source_shared *shared)
{
  const lfb_status status =
      shared->any.kind == LFB_KIND_GROWING ? lfb_growing_stuck(shared->any.growing) : LFB_OK;

  return status == LFB_OK ||
         report_false("%s: is full and cannot grow: %s: once it can (free some space), run the "
                      "command again with all keys", path, lfb_status_text(status));
}

bool source_settle(const char *path, const struct source_shared *shared)
{
  if (shared->remote.filter != NULL) /* the server has acknowledged all keys */
    return true;
  const lfb_status status = lfb_any_sync(shared->any);
  if (status == LFB_OK)
    return source_can_grow(path, shared);
  return report_false_status(path, status);
}

bool source_shared_stats(const struct source_shared *shared, lfb_stats *stats)
{
  lfb_figures figures;

  if (shared->remote.filter != NULL)
    return remote_stats(&shared->remote, stats);
  lfb_any_stats(shared->any, &figures);
  *stats = figures.all;
  return true;
}

size_t source_shared_batch(const struct source_shared *shared)
{
  return source_batch_for(&shared->remote);
}

void source_shared_close(struct source_shared *shared)
{
  lfb_any_free(shared->any);
  shared->any = (lfb_any){0};
  remote_close(&shared->remote);
}
