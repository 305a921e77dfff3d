/* source.c - opening filters in files.  Floor 4 of cli/. */
#define _POSIX_C_SOURCE 200809L
#include "cli/source.h"

#include <errno.h>
#include <inttypes.h>
#include <lfbloom/mapped.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/human.h"
#include "cli/report.h"

bool source_is_standard(const char *path)
{
  return strcmp(path, "-") == 0;
}

/* A pipe must not be opened twice. */
static bool source_may_be_shared(const char *path)
{
  struct stat found;
  return stat(path, &found) == 0 && S_ISREG(found.st_mode);
}

/* Opens a filter that does not grow. */
static lfb_status source_open_plain(const char *path, const lfb_read_limits *limits,
                                    const lfb_filter **opened)
{
  lfb_status status = LFB_ERROR_NOT_MAPPED;
  lfb_filter *filter;

  if (source_may_be_shared(path))
    status = lfb_mapped_open_read_only(path, limits, opened);
  if (status == LFB_OK)
    return LFB_OK;
  /* What is no shared filter, or one of another machine's, may be one that can be read. */
  if (status == LFB_ERROR_NOT_MAPPED || status == LFB_ERROR_UNKNOWN_FORM ||
      status == LFB_ERROR_BYTE_ORDER || status == LFB_ERROR_MAP)
    status = lfb_filter_load(path, limits, &filter);
  if (status == LFB_OK)
    *opened = filter;
  return status;
}

/* Opens a growing filter, of which it is known where its layers are: in its file, or in others. */
static lfb_status source_open_growing(const char *path, const lfb_read_limits *limits, bool mapped,
                                      const lfb_growing **opened)
{
  lfb_growing *growing;

  if (mapped)
    return lfb_growing_mapped_open_read_only(path, limits, opened);
  const lfb_status status = lfb_growing_load(path, limits, &growing);
  if (status == LFB_OK)
    *opened = growing;
  return status;
}

bool source_open_any(const char *path, const struct options_key *key, struct source *source)
{
  const lfb_read_limits limits = {.key = options_key_bytes(key)};
  const char *from = source_is_standard(path) ? "/dev/stdin" : path;
  struct source opened = {0};

  lfb_status status = source_open_plain(from, &limits, &opened.plain);
  if ((status == LFB_ERROR_GROWING || status == LFB_ERROR_GROWING_MAPPED) &&
      source_may_be_shared(from))
    status = source_open_growing(from, &limits, status == LFB_ERROR_GROWING_MAPPED,
                                 &opened.growing);
  else if (status == LFB_ERROR_COUNTING && source_may_be_shared(from))
    status = lfb_counting_load(from, &limits, &opened.counting);
  if (status != LFB_OK) {
    (void)report_status(from == path ? path : "standard input", status);
    return false;
  }
  *source = opened;
  return true;
}

size_t source_ask(const struct source *source, const lfb_key *keys, size_t count,
                  uint64_t *answers)
{
  if (source->plain != NULL)
    return lfb_filter_might_contain_many(source->plain, keys, count, answers);
  if (source->growing != NULL)
    return lfb_growing_might_contain_many(source->growing, keys, count, answers);
  return lfb_counting_might_contain_many(source->counting, keys, count, answers);
}

void source_close(struct source *source)
{
  if (source->plain != NULL)
    lfb_mapped_close(source->plain);
  lfb_growing_mapped_close(source->growing);
  lfb_counting_free(source->counting);
}

bool source_is_there(const char *path)
{
  struct stat found;
  return stat(path, &found) == 0;
}

/* Whether the shared filter is what is wished for; a report if not. */
static bool source_fits(const char *path, const struct source_wish *wish, const lfb_filter *filter)
{
  const lfb_config *config = wish->config;
  lfb_stats stats;

  lfb_filter_stats(filter, &stats);
  if ((config->fpp == 0 || config->fpp == stats.fpp) &&
      (wish->any_count || config->expected_insertions == stats.expected_insertions) &&
      (wish->any_strategy || config->strategy == stats.strategy) &&
      (config->seed == 0 || config->seed == stats.seed) &&
      (!wish->key->given || stats.hash == LFB_HASH_SIPHASH13) &&
      (!config->keep_key || stats.key_kept))
    return true;
  const bool keyed = stats.hash == LFB_HASH_SIPHASH13;
  char seed[64] = "";
  if (stats.seed != 0)
    (void)snprintf(seed, sizeof seed, " --seed %" PRIu64, stats.seed);
  (void)report_error("%s: %s is there already, made with -n %" PRIu64 " -p %g --strategy %s%s, %s",
                     wish->command, path, stats.expected_insertions, stats.fpp,
                     lfb_strategy_name(stats.strategy), seed,
                     !keyed           ? "without a key"
                     : stats.key_kept ? "its key kept in it"
                                      : "its key not kept in it");
  return false;
}

/* Says so where another process has just made it, for fewer keys than this one has counted. */
static void source_warn_small(const char *path, const struct source_wish *wish,
                              const lfb_filter *filter)
{
  lfb_stats stats;

  lfb_filter_stats(filter, &stats);
  if (wish->any_count && wish->config->expected_insertions > stats.expected_insertions)
    report_note("warning: %s: another process has made it for %s distinct keys, and there are up "
                "to %s here alone: give all one -n",
                path, human_count(stats.expected_insertions).text,
                human_count(wish->config->expected_insertions).text);
}

/* Says why what is at `path` cannot be shared; a report. */
static void source_refuse(const char *path, lfb_status status)
{
  const int cause = errno;
  struct stat found;

  if (status == LFB_ERROR_NOT_MAPPED)
    (void)report_error("%s: not a shared filter: see 'lfbloom convert --to mapped'", path);
  else if (status == LFB_ERROR_TRUNCATED && stat(path, &found) == 0 && found.st_size == 0)
    (void)report_error("%s: an empty file, not a filter: delete it, and it will be made", path);
  else if (status == LFB_ERROR_OPEN && cause == ENOENT && lstat(path, &found) == 0)
    (void)report_error("%s: a symbolic link to nothing: delete it, or make its target", path);
  else {
    errno = cause;
    (void)report_status(path, status);
  }
}

lfb_filter *source_share(const char *path, const struct source_wish *wish)
{
  const lfb_read_limits limits = {.key = options_key_bytes(wish->key)};
  lfb_filter *filter;
  lfb_status status = lfb_mapped_open(path, &limits, &filter);

  if (status == LFB_ERROR_OPEN && errno == ENOENT)
    status = lfb_mapped_create(path, wish->config, &filter);
  if (status == LFB_ERROR_EXISTS) /* another process was faster */
    status = lfb_mapped_open(path, &limits, &filter);
  if (status != LFB_OK) {
    source_refuse(path, status);
    return NULL;
  }
  if (!source_fits(path, wish, filter)) {
    lfb_mapped_close(filter);
    return NULL;
  }
  source_warn_small(path, wish, filter);
  return filter;
}

void source_recount(const char *path, lfb_filter *filter)
{
  lfb_stats stats;

  lfb_filter_stats(filter, &stats);
  if (stats.bits_set_low && lfb_mapped_recount(filter) != LFB_OK)
    report_note("warning: %s: a process died while it put, and others are putting now: its bit "
                "count may be too low",
                path);
}

bool source_settle(const char *path, lfb_filter *filter)
{
  source_recount(path, filter);
  const lfb_status status = lfb_mapped_sync(filter);
  if (status != LFB_OK)
    (void)report_status(path, status);
  return status == LFB_OK;
}
