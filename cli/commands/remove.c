/*
 * remove.c - `lfbloom remove`: removes keys from a counting filter.
 */
#define _GNU_SOURCE /* optind */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/figure.h"
#include "cli/base/human.h"
#include "cli/base/options.h"
#include "cli/base/report.h"
#include "cli/base/spared.h"
#include "cli/filters/source.h"
#include "cli/filters/target.h"
#include "cli/input/walk.h"

struct removal {
  const char *path; /* of the filter */
  struct keys_source source;
  struct source filter; /* a copy in memory, which replaces the file */
  bool quiet;
  _Atomic(uint64_t) removed, absent, bad_lines;
};

static bool removal_take(void *context, struct walk_lines *lines, size_t first,
                         const lfb_key *keys)
{
  struct removal *removal = context;
  const size_t count = lines->count - first;
  size_t removed;

  if (!source_do(&removal->filter, LFB_REMOVE, keys, count, NULL, &removed))
    return false;
  figure_add(&removal->removed, removed);
  figure_add(&removal->absent, count - removed);
  return true;
}

/* Removes the keys, and prints the filter if that changed it.  Returns the exit status. */
static int removal_walk(struct removal *removal)
{
  const struct decider decider = {.batch = source_batch(&removal->filter), .take = removal_take};
  const bool read_all = walk_run(&(struct walk){.source = &removal->source,
                                                .label = "removing",
                                                .decider = &decider,
                                                .context = removal});
  const uint64_t removed = figure_get(&removal->removed), absent = figure_get(&removal->absent);
  const lfb_redis_module_value value = {.any = removal->filter.any};

  keys_note_bad(&removal->source);
  const bool done = read_all && (removed == 0 || target_save("-", &value, LFB_FORM_NATIVE));
  if (!target_settle(removal->path, done && removed > 0) && (!done || removed > 0))
    return CLI_NOT_DONE;
  if (!removal->quiet)
    report_note("%s: %s key%s removed, %s absent", removal->path, human_count(removed).text,
                removed == 1 ? "" : "s", human_count(absent).text);
  return absent > 0 ? CLI_OTHERWISE : CLI_DONE;
}

/*
 * Locks the file until the program ends.  Without the lock, another removal could read it while
 * this one writes the new file, and replace that.  If any program changes or replaces it between
 * target_redirect(), before it is read, and the end, target_settle() reports that.  Some file
 * systems cannot lock what is open for reading only: there that is all.
 */
static bool removal_lock(const char *path)
{
  struct stat found;

  if (stat(path, &found) != 0)
    return report_false_errno(path);
  if (!S_ISREG(found.st_mode)) /* a pipe must not be opened: its writer would be lost */
    return report_false("%s: is no regular file", path);
  const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return report_false_errno(path);
  return flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK ||
         report_false("%s: another removal is running, so no key was removed: run it again", path);
}

static int removal_run(struct removal *removal, const struct options_key *key)
{
  const lfb_read_limits limits = {.key = options_key_bytes(key)};

  if (!target_check(removal->path) || !removal_lock(removal->path))
    return CLI_NOT_DONE;
  spared_add(removal->path);
  if (!target_redirect(removal->path))
    return CLI_NOT_DONE;
  const bool opened = source_open(removal->path, LFB_OPEN_COPY, LFB_KIND_COUNTING, &limits,
                                  &removal->filter);
  const bool begins = opened && source_takes(&removal->filter, &removal->source) &&
                      keys_check(&removal->source, &command_remove);
  const int status = begins ? removal_walk(removal) : CLI_NOT_DONE;
  if (!begins)
    (void)target_settle(removal->path, false);
  if (opened)
    source_close(&removal->filter);
  return status;
}

static int remove_run(int argc, char **argv)
{
  struct options_key key = {0};
  struct removal removal = {.source.threads = options_default_threads()};
  const struct option_row rows[] = {
      KEYS_ROWS(removal.source),
      options_key_file(&key),
      options_threads(&removal.source.threads),
      {'q', "quiet", NULL, "print no summary", NULL, &removal.quiet},
      options_progress(&removal.source.progress),
  };
  const int status = options_parse(&command_remove, rows, sizeof rows / sizeof *rows, argc, argv);

  if (status != OPTIONS_GO_ON)
    return status;
  if (optind == argc)
    return options_misused(&command_remove, "no filter given");
  removal.path = argv[optind];
  if (target_is_standard(removal.path))
    return options_misused(&command_remove, "FILTER must be a file");
  removal.source.paths = argv + optind + 1;
  removal.source.path_count = (size_t)(argc - optind - 1);
  removal.source.bad = &removal.bad_lines;
  if (removal.source.bad_lines == KEYS_PASS) /* nothing is printed */
    removal.source.bad_lines = KEYS_SKIP;
  spared_add_operands(removal.source.paths, removal.source.path_count);
  return removal_run(&removal, &key);
}

const struct command command_remove = {
    .name = "remove",
    .operands = "FILTER [FILE...]",
    .summary = "remove keys from a filter of 'build --counting'",
    .purpose = "Remove only keys that were put, and as often.\n",
    .examples =
        "  lfbloom build --counting -n 1M -p 0.001 -o users.lfb users.txt\n"
        "  lfbloom remove users.lfb gone.txt\n",
    .details =
        "Each line takes back one put of its key: a key that was put twice must be removed twice.  "
        "A note says how many keys were absent.  If any was, the exit status is 1.\n\n"
        "A key that was never put can look present, with the probability -p.  If it is removed, "
        "another key becomes absent that was not removed.\n\n"
        "FILTER is replaced as a whole, after all keys were removed, or not at all.  If another "
        "removal of it is running, or another program has changed it meanwhile, that is an error.  "
        "'lfbloom info' says whether a filter is a counting one.\n",
    .run = remove_run,
};
