/* share.c - opens or makes the filter that a command puts into. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <inttypes.h>
#include <lfbloom/growing_mapped.h>
#include <lfbloom/mapped.h>
#include <stdio.h>
#include <sys/stat.h>

#include "cli/base/human.h"
#include "cli/base/report.h"
#include "cli/filters/figures.h"
#include "cli/filters/source.h"
#include "cli/filters/target.h"
#include "cli/input/walk.h"

/* Whether the filter has the n and p that are wished for, as far as they were given.  Guava's
 * layout does not record them; then the bits and probes that follow from them must match. */
static bool share_size_fits(const struct source_wish *wish, const lfb_stats *stats, bool grows)
{
  lfb_config config = *wish->config;
  lfb_stats planned;

  if (grows) /* n was a first guess */
    return config.fpp == 0 || config.fpp == stats->fpp;
  if (stats->fpp > 0)
    return (config.fpp == 0 || config.fpp == stats->fpp) &&
           (!wish->expected->given || config.expected_insertions == stats->expected_insertions);
  config.strategy = stats->strategy;
  return config.fpp == 0 || !wish->expected->given ||
         (lfb_config_plan(&config, &planned) == LFB_OK && planned.bit_count == stats->bit_count &&
          planned.probes == stats->probes);
}

/* Reports which filter exists already. */
static void share_report_there(const char *path, const struct source_wish *wish,
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
      "choose another name", wish->command->name, path, size, lfb_strategy_name(stats->strategy),
      hash, seed, grows ? " --growing" : wish->only_growing ? " without --growing" : "",
      !keyed            ? "without a key"
      : stats->key_kept ? "with its key in the file"
                        : "with its key not in the file");
}

/* Whether the shared filter is the one wished for.  False after a report. */
static bool share_fits(const char *path, const struct source_wish *wish,
                       const lfb_figures *figures)
{
  const lfb_config *config = wish->config;
  const lfb_stats *stats = &figures->all;
  const bool grows = figures->kind == LFB_KIND_GROWING;

  if (share_size_fits(wish, stats, grows) && (grows || !wish->only_growing) &&
      (wish->any_strategy || config->strategy == stats->strategy ||
       (config->strategy == LFB_FAST_PAIR && stats->strategy == LFB_FAST && /* of one pair */
        stats->words_per_key <= 2)) &&
      (config->seed == 0 || config->seed == stats->seed) &&
      (config->hash == LFB_HASH_DEFAULT || config->hash == stats->hash) &&
      (!wish->key->given || figures_keyed(stats->hash)) &&
      (!config->keep_key || stats->key_kept))
    return true;
  share_report_there(path, wish, stats, grows);
  return false;
}

/* Reports why the file at `path` cannot be shared. */
static void share_refuse(const char *path, lfb_status status)
{
  const int cause = errno;
  struct stat found;

  if (status == LFB_ERROR_NOT_MAPPED)
    (void)report_error("%s: not a shared filter: 'lfbloom convert --to mapped' makes one of it",
                       path);
  else if (status == LFB_ERROR_TRUNCATED && stat(path, &found) == 0 && found.st_size == 0)
    (void)report_error("%s: an empty file, not a filter: delete it, then the command makes it",
                       path);
  else {
    errno = cause;
    source_report(path, status);
  }
}

/* Whether a new file can have the mode that is wished for: only its owner may read a file that
 * holds the key of its hash. */
static bool share_mode_fits(const char *path, const lfb_config *config)
{
  lfb_stats planned;

  if ((config->file_mode & ~0600U) == 0 || lfb_config_plan(config, &planned) != LFB_OK ||
      !planned.key_kept)
    return true;
  return report_false("%s: --mode %04" PRIo32
                      ": the file would hold the secret key of its hash, for its owner alone: "
                      "leave out --mode, or keep the key out of the file (--key-file), or give "
                      "--hash xxh3", path, config->file_mode);
}

/* Whether the filter, which does not exist, can be made; sets the number of its keys. */
static bool share_prepare(const char *path, const struct source_wish *wish)
{
  uint64_t *expected = &wish->config->expected_insertions;
  const bool window = wish->span != NULL, file = path != NULL && !address_is(path);

  if (wish->config->fpp == 0)
    return options_misused(wish->command, "no -p given: give the false-positive probability") !=
           CLI_NOT_DONE;
  if ((file && !target_check(path)) ||
      !(window ? window_expected(wish->command, wish->span, wish->expected, expected)
               : walk_expected(wish->keys, wish->command->name, wish->grows, wish->expected,
                               expected)))
    return false;
  return !file || share_mode_fits(path, wish->config);
}

/* Opens a window, a plain filter, or a growing one. */
static lfb_status here_share(const char *path, const struct source_wish *wish, lfb_any *opened)
{
  const lfb_read_limits limits = {.key = options_key_bytes(wish->key)};
  const lfb_kind kind = wish->span != NULL ? LFB_KIND_WINDOW : LFB_KIND_PLAIN;
  const lfb_status status = lfb_any_open(path, kind, LFB_OPEN_SHARED, &limits, opened);

  return status == LFB_ERROR_GROWING_MAPPED && kind == LFB_KIND_PLAIN
             ? lfb_any_open(path, LFB_KIND_GROWING, LFB_OPEN_SHARED, &limits, opened)
             : status;
}

static lfb_status here_make_window(const char *path, const struct source_wish *wish, lfb_any *made)
{
  const lfb_window_config config = window_config(wish->span, wish->config);

  made->kind = LFB_KIND_WINDOW;
  return path == NULL ? lfb_window_create(&config, &made->window)
                      : lfb_window_mapped_create(path, &config, &made->window);
}

static lfb_status here_create(const char *path, const struct source_wish *wish, lfb_any *made)
{
  made->kind = wish->grows ? LFB_KIND_GROWING : LFB_KIND_PLAIN;
  if (wish->span != NULL)
    return here_make_window(path, wish, made);
  if (path == NULL)
    return lfb_filter_create(wish->config, &made->plain);
  return wish->grows ? lfb_growing_mapped_create(path, wish->config, &made->growing)
                     : lfb_mapped_create(path, wish->config, &made->plain);
}

/* Makes the filter, or opens it if another process makes it first; again if that is deleted just
 * then. */
static lfb_status here_make(const char *path, const struct source_wish *wish, lfb_any *made)
{
  enum { TRIES = 100 };
  lfb_status status = LFB_ERROR_OPEN;

  errno = ENOENT;
  for (int try = 0; try < TRIES && status == LFB_ERROR_OPEN && errno == ENOENT; try++) {
    status = here_create(path, wish, made);
    if (status == LFB_ERROR_EXISTS)
      status = here_share(path, wish, made);
  }
  return status;
}

/* Opens the filter at an address.  One of the Java helper class needs its n and p to be opened;
 * then it can be made, too. */
static lfb_status there_share(const struct address *address, const struct source_wish *wish,
                              struct there *there)
{
  lfb_config wanted = there_wanted(options_key_bytes(wish->key));

  if (!wish->any_strategy && wish->config->strategy == LFB_REDIS_MITZ32)
    wanted = *wish->config;
  const lfb_status status = there_open(address, &wanted, there);
  return status == LFB_ERROR_REDIS_ABSENT && address->helper.fpp > 0
             ? there_make(address, &address->helper, there)
             : status;
}

/* Passes on the filter that was opened if it is the one wished for; else closes it, after a
 * report. */
static bool share_accept(const struct source_wish *wish, struct source *opened,
                         struct source *source)
{
  const char *path = opened->path;
  lfb_figures figures;

  source_plan(opened, &figures);
  const bool window = figures.kind == LFB_KIND_WINDOW;
  if (path != NULL && !(window ? window_fits(wish->span, path, wish->key, wish->config,
                                             &figures.window)
                               : share_fits(path, wish, &figures))) {
    source_close(opened);
    return false;
  }
  *source = *opened;
  return true;
}

/* The bytes of the filter or window that is wished for; 0: it cannot be. */
static uint64_t share_bytes(const struct source_wish *wish)
{
  lfb_window_figures window = {.bytes = 0};
  lfb_stats stats = {.bytes = 0};

  if (wish->span != NULL) {
    const lfb_window_config config = window_config(wish->span, wish->config);
    lfb_ignore(lfb_window_config_plan(&config, &window));
  } else {
    lfb_ignore(lfb_config_plan(wish->config, &stats));
  }
  return stats.bytes + window.bytes;
}

/* Makes the filter, which was not found. */
static bool share_make(const char *path, const struct address *address,
                       const struct source_wish *wish, struct source *source)
{
  const lfb_config *config = wish->config;
  struct source made = {.path = path};

  if (!share_prepare(path, wish))
    return false;
  const lfb_status status = address != NULL ? there_make(address, config, &made.there)
                                            : here_make(path, wish, &made.any);
  if (status == LFB_OK)
    return share_accept(wish, &made, source);
  if (path == NULL)
    return report_unmade(wish->command->name, config, share_bytes(wish), status) != CLI_NOT_DONE;
  share_refuse(path, status);
  return false;
}

bool source_share(const char *path, const struct source_wish *wish, struct source *source)
{
  const bool there = path != NULL && address_is(path);
  struct source opened = {.path = path};
  struct address address;

  wish->config->expected_insertions = wish->expected->value;
  if (there ? !address_read(path, &address) : path != NULL && !target_check_state(path))
    return false;
  if (path == NULL)
    return share_make(NULL, NULL, wish, source);
  const lfb_status status =
      there ? there_share(&address, wish, &opened.there) : here_share(path, wish, &opened.any);
  if (status == LFB_OK)
    return share_accept(wish, &opened, source);
  if (status == LFB_ERROR_REDIS_ABSENT || (status == LFB_ERROR_OPEN && errno == ENOENT))
    return share_make(path, there ? &address : NULL, wish, source);
  share_refuse(path, status);
  return false;
}
