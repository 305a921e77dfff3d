/* source.c - an open filter of any kind: in a file, or on a server. */
#define _POSIX_C_SOURCE 200809L
#include "cli/filters/source.h"

#include <errno.h>
#include <fcntl.h>
#include <lfbloom/growing_mapped.h>
#include <lfbloom/mapped.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bloom/files/disk.h"
#include "cli/base/output.h"
#include "cli/base/report.h"
#include "cli/filters/address.h"
#include "cli/filters/foreign.h"
#include "cli/filters/target.h"

#define SOURCE_STANDARD "/dev/stdin"

/* The file to open for "-". */
static const char *source_file(const char *path)
{
  return target_is_standard(path) ? SOURCE_STANDARD : path;
}

/* From this size on a file is opened in place: loading takes a tenth of a second or more, and
 * memory in every process. */
#define SOURCE_LARGE (INT64_C(64) << 20)

/* Whether a file is not loaded but read in place. */
static bool source_is_large(const char *path)
{
  struct stat found;

  return stat(path, &found) == 0 && S_ISREG(found.st_mode) && found.st_size >= SOURCE_LARGE;
}

/* ---- pipes ---------------------------------------------------------------------- */

/* Reads a plain filter; more bytes after it are an error. */
static lfb_status pipe_load(int fd, const lfb_read_limits *limits, lfb_any *any)
{
  lfb_any loaded;
  char more;
  size_t got;

  lfb_status status = lfb_any_read(lfb_disk_read, &fd, LFB_KIND_PLAIN, limits, &loaded);
  if (status != LFB_OK)
    return status;
  status = lfb_disk_read(&fd, &more, sizeof more, &got);
  if (status == LFB_OK && got > 0)
    status = LFB_ERROR_TRAILING_BYTES;
  if (status == LFB_OK)
    *any = loaded;
  else
    lfb_any_free(loaded);
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

/* Opens it, and reads it. */
static lfb_status pipe_open(const char *path, const lfb_read_limits *limits, lfb_any *any)
{
  const int fd = lfb_restarted_open(path, O_RDONLY, 0);

  if (fd < 0)
    return LFB_ERROR_OPEN;
  const lfb_status status = pipe_load(fd, limits, any);
  lfb_disk_leave(fd);
  return status;
}

/* ---- opening here ------------------------------------------------------------------- */

/* A copy of a window forgets what is over by now. */
static lfb_status source_opened(lfb_status status, const lfb_any *any)
{
  if (status == LFB_OK && any->kind == LFB_KIND_WINDOW)
    lfb_ignore(lfb_window_tick(any->window, NULL)); /* in memory it cannot fail */
  return status;
}

lfb_status source_open_copy(const char *path, lfb_kind kind, const lfb_read_limits *limits,
                            lfb_any *any)
{
  if (pipe_is(path))
    return pipe_open(path, limits, any);
  lfb_status status = lfb_any_open(path, kind, LFB_OPEN_COPY, limits, any);
  if (status == LFB_ERROR_GROWING_MAPPED && kind == LFB_KIND_NONE)
    status = lfb_any_open(path, LFB_KIND_GROWING, LFB_OPEN_IN_PLACE, limits, any);
  return source_opened(status, any);
}

/* Opens a filter to query it.  A file that cannot be used in place, being from another machine, or
 * not in a file system that can map it, is read into memory. */
static lfb_status source_open_here(const char *path, lfb_kind kind, const lfb_read_limits *limits,
                                   lfb_any *any)
{
  lfb_status status = LFB_ERROR_MAP;

  /* A shared one, so that puts of other processes are visible, or a large one. */
  if (source_is_large(path) || target_is_shared(path))
    status = lfb_any_open(path, kind, LFB_OPEN_IN_PLACE, limits, any);
  return status == LFB_ERROR_MAP || status == LFB_ERROR_BYTE_ORDER
             ? source_open_copy(path, kind, limits, any)
             : source_opened(status, any);
}

/* ---- checking in the background ---------------------------------------------------- */

static void *check_run(void *argument)
{
  const struct source *source = argument;

  const lfb_status status = lfb_mapped_verify(source->any.plain);
  if (status != LFB_OK && status != LFB_ERROR_NOT_MAPPED) { /* if it was loaded, it was compared */
    source_report(source->path, status);
    output_end_program(CLI_NOT_DONE);
  }
  return NULL;
}

void source_check(struct source *source)
{
  if (source->any.kind != LFB_KIND_PLAIN || !source_is_large(source_file(source->path)))
    return;
  source->checking = pthread_create(&source->thread, NULL, check_run, source) == 0;
  if (!source->checking)
    (void)check_run(source);
}

void source_checked(struct source *source)
{
  if (source->checking)
    (void)pthread_join(source->thread, NULL);
  source->checking = false;
}

/* ---- opening ------------------------------------------------------------------------ */

void source_report(const char *path, lfb_status status)
{
  const char *foreign = address_is(path) ? NULL : foreign_kind(source_file(path));
  const char *name = target_is_standard(path) ? "standard input" : path;
  struct stat found;

  if (address_is(path))
    (void)address_report(path, status);
  else if (foreign != NULL)
    (void)report_error("%s: this is %s", name, foreign);
  else if (status == LFB_ERROR_OPEN && errno == EACCES)
    (void)report_error("%s: %s: %s (a file that holds the key of its hash is its owner's alone: "
                       "build it with --key-file, or with --hash xxh3 if nobody hostile chooses "
                       "keys)", name, lfb_status_text(status), strerror(errno));
  else if (status == LFB_ERROR_BAD_CHECKSUM)
    (void)report_error("%s: %s (see 'lfbloom verify')", name, lfb_status_text(status));
  else if (status == LFB_ERROR_KEY_NEEDED)
    (void)report_error("%s: %s: give --key-file", name, lfb_status_text(status));
  else if (status == LFB_ERROR_NO_MEMORY && stat(source_file(path), &found) == 0)
    (void)report_error("%s: %s%s", name, lfb_status_text(status),
                       report_room(status, (uint64_t)found.st_size).text);
  else
    (void)report_status(name, status);
}

/* Opens or loads a filter on a server. */
static lfb_status source_open_there(const struct address *address, lfb_opening how,
                                    const uint8_t *key, struct source *source)
{
  const lfb_config wanted = there_wanted(key);
  lfb_redis_module_value value = {.period_ms = 0};

  if (how != LFB_OPEN_COPY)
    return there_open(address, &wanted, &source->there);
  const lfb_status status = there_load(address, &wanted, &value);
  if (status == LFB_OK) {
    source->any = value.any;
    source->period_ms = value.period_ms;
  }
  return status;
}

bool source_open(const char *path, lfb_opening how, lfb_kind kind, const lfb_read_limits *limits,
                 struct source *source)
{
  struct source opened = {.path = path};
  struct address address;
  lfb_status status;

  if (address_is(path) && !address_read(path, &address))
    return false;
  if (address_is(path))
    status = source_open_there(&address, how, limits->key, &opened);
  else
    status = (how == LFB_OPEN_COPY ? source_open_copy : source_open_here)(source_file(path), kind,
                                                                          limits, &opened.any);
  if (status == LFB_OK)
    *source = opened;
  else
    source_report(path, status);
  return status == LFB_OK;
}

bool source_load_any(const char *path, lfb_kind kind, const struct options_key *key,
                     lfb_key_type *type, lfb_any *any)
{
  const lfb_read_limits limits = {.key = options_key_bytes(key)};
  lfb_figures figures;
  const lfb_status status = source_open_copy(path, kind, &limits, any);

  if (status != LFB_OK) {
    source_report(path, status);
    return false;
  }
  lfb_any_plan(*any, &figures);
  if (typed_take(path, figures.all.key_type, type))
    return true;
  lfb_any_free(*any);
  return false;
}

lfb_filter *source_load(const char *path, const struct options_key *key, lfb_key_type *type)
{
  lfb_any any;

  return source_load_any(path, LFB_KIND_PLAIN, key, type, &any) ? any.plain : NULL;
}

lfb_status source_form(const char *path)
{
  struct stat found;
  lfb_form form;

  return stat(path, &found) == 0 && S_ISREG(found.st_mode) ? lfb_form_of_file(path, &form)
                                                            : LFB_OK;
}

void source_plan(const struct source *source, lfb_figures *figures)
{
  *figures = (lfb_figures){.kind = LFB_KIND_NONE};
  if (source->there.filter != NULL)
    lfb_redis_plan(source->there.filter, &figures->all);
  else
    lfb_any_plan(source->any, figures);
}

bool source_takes(struct source *source, struct keys_source *keys)
{
  lfb_figures figures;

  source_plan(source, &figures);
  const lfb_stats *stats = &figures.all;
  if (!typed_take(source->path, stats->key_type, &keys->type))
    return false;
  const char *misuse = keys_misuse(keys);
  if (misuse != NULL)
    return report_false("%s: holds keys of --keys=%s: %s", source->path,
                        typed_name(keys->type), misuse);
  source->numbers = keys->type == LFB_KEYS_I64;
  if (!source->numbers || source->there.filter == NULL || stats->strategy != LFB_FAST)
    return true;
  return report_false("%s: --keys=i64 cannot be used with strategy %s on Redis", source->path,
                      lfb_strategy_name(stats->strategy));
}

/* ---- keys --------------------------------------------------------------------------- */

/* Whether the filter has no need to grow, or can.  If not, more and more new keys would be taken
 * for present ones.  False after a report. */
static bool source_can_grow(const struct source *source)
{
  const lfb_status status =
      source->any.kind == LFB_KIND_GROWING ? lfb_growing_stuck(source->any.growing) : LFB_OK;

  return status == LFB_OK ||
         report_false("%s: is full and cannot grow: %s%s: once it can (free some space), run the "
                      "command again with all keys",
                      source->path, lfb_status_text(status), report_cause(status));
}

/* Numbers are put as other programs put them. */
static size_t here_do_numbers(lfb_any any, lfb_verb verb, const lfb_key *keys, size_t count,
                              uint64_t *answers)
{
  uint64_t numbers[SOURCE_BATCH];

  typed_numbers(keys, count, numbers);
  return lfb_any_many_u64(any, verb, numbers, count, answers);
}

bool source_do(const struct source *source, lfb_verb verb, const lfb_key *keys, size_t count,
               uint64_t *answers, size_t *yes)
{
  if (source->there.filter == NULL) {
    if (verb != LFB_MIGHT_CONTAIN && !source_can_grow(source))
      return false;
    if (verb == LFB_CLAIM && source->any.kind == LFB_KIND_WINDOW) {
      const lfb_status status = lfb_window_tick(source->any.window, NULL);
      if (status != LFB_OK)
        return report_false_status(source->path, status);
    }
    *yes = (source->numbers ? here_do_numbers : lfb_any_many)(source->any, verb, keys, count,
                                                             answers);
    return true;
  }
  const lfb_status status = there_do(&source->there, verb, keys, count, answers, yes);
  return status == LFB_OK || address_report(source->path, status);
}

size_t source_batch(const struct source *source)
{
  enum { BATCH_HERE = 1024 };

  return source->there.filter != NULL ? (size_t)SOURCE_BATCH : (size_t)BATCH_HERE;
}

lfb_status source_look(const struct source *source, lfb_figures *figures)
{
  *figures = (lfb_figures){.kind = LFB_KIND_NONE};
  if (source->there.filter == NULL) {
    lfb_any_stats(source->any, figures);
    return LFB_OK;
  }
  const lfb_status status = lfb_redis_stats(source->there.filter, figures);
  if (figures->kind == LFB_KIND_PLAIN)
    figures->kind = LFB_KIND_NONE;
  return status;
}

bool source_stats(const struct source *source, lfb_figures *figures)
{
  const lfb_status status = source_look(source, figures);

  return status == LFB_OK || address_report(source->path, status);
}

bool source_settle(const struct source *source)
{
  /* A server has acknowledged all keys. */
  if (source->there.filter != NULL || source->path == NULL)
    return true;
  const lfb_status status = lfb_any_sync(source->any);
  if (status == LFB_OK)
    return source_can_grow(source);
  return report_false_status(source->path, status);
}

void source_close(struct source *source)
{
  source_checked(source);
  lfb_any_free(source->any);
  lfb_redis_close(source->there.filter);
  *source = (struct source){.path = NULL};
}
