/*
 * delta.c - `lfbloom diff` writes what is new in a filter; `lfbloom patch` adds it to another copy.
 */
#define _GNU_SOURCE /* optind */
#include <lfbloom/delta.h>
#include <lfbloom/mapped.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/human.h"
#include "cli/base/options.h"
#include "cli/base/report.h"
#include "cli/base/spared.h"
#include "cli/filters/source.h"
#include "cli/filters/target.h"

struct delta {
  const char *out; /* NULL: not given */
  struct options_key key;
  bool quiet;
};

/* Reads the options, which are the same for both commands.  Returns an exit status, or
 * OPTIONS_GO_ON. */
static int delta_options(const struct command *command, const char *out_help, struct delta *delta,
                         int argc, char **argv)
{
  const struct option_row rows[] = {
      {'o', "output", "OUT", out_help, options_read_path, &delta->out},
      options_key_file(&delta->key),
      {'q', "quiet", NULL, "print no summary", NULL, &delta->quiet},
  };

  return options_parse(command, rows, sizeof rows / sizeof *rows, argc, argv);
}

/* Whether the status says that two filters are not versions of one. */
static bool delta_misfits(lfb_status status)
{
  return status == LFB_ERROR_PROBES_DIFFER || status == LFB_ERROR_PROBES_DIFFER_BY_FORMULA ||
         status == LFB_ERROR_BIT_COUNT_DIFFERS || status == LFB_ERROR_STRATEGY_DIFFERS ||
         status == LFB_ERROR_HASH_DIFFERS;
}

/* ---- diff ---------------------------------------------------------------------------- */

static void diff_summary(const char *out, const lfb_filter *earlier, const lfb_filter *later)
{
  lfb_stats before, after;
  struct stat file;

  lfb_filter_stats(earlier, &before);
  lfb_filter_stats(later, &after);
  const struct human bits = human_count(after.bits_set - before.bits_set);
  if (!target_is_standard(out) && stat(out, &file) == 0 && S_ISREG(file.st_mode))
    report_note("%s: %s new bits, in %s", out, bits.text,
                human_bytes((uint64_t)file.st_size).text);
  else
    report_note("%s: %s new bits", out, bits.text);
}

static bool diff_filters(const struct delta *delta, char *const paths[2],
                         const lfb_filter *earlier, const lfb_filter *later)
{
  const lfb_status status = target_save_delta(delta->out, earlier, later);

  if (status == LFB_ERROR_BITS_LOST || delta_misfits(status))
    (void)report_error("%s: no delta from %s: %s%s", paths[1], paths[0], lfb_status_text(status),
                       status == LFB_ERROR_BITS_LOST
                           ? ""
                           : ": make the later filter from the earlier one (lfbloom merge)");
  else if (status != LFB_OK)
    (void)report_status(delta->out, status);
  else if (!delta->quiet)
    diff_summary(delta->out, earlier, later);
  return status == LFB_OK;
}

static bool diff_files(const struct delta *delta, char *const paths[2])
{
  spared_add_operands(paths, 2);
  if (!target_check(delta->out))
    return false;
  lfb_key_type type = LFB_KEYS_UNKNOWN;
  lfb_filter *earlier = source_load(paths[0], &delta->key, &type);
  lfb_filter *later = earlier == NULL ? NULL : source_load(paths[1], &delta->key, &type);
  const bool done = later != NULL && diff_filters(delta, paths, earlier, later);

  lfb_filter_free(earlier);
  lfb_filter_free(later);
  return done;
}

static int diff_run(int argc, char **argv)
{
  struct delta delta = {0};
  const int status = delta_options(&command_diff, "delta to write", &delta, argc, argv);

  if (status != OPTIONS_GO_ON)
    return status;
  if (argc - optind != 2)
    return options_misused(&command_diff, "two filters are needed");
  if (delta.out == NULL)
    return options_misused(&command_diff, "no -o given: give the file to write");
  return diff_files(&delta, argv + optind) ? CLI_DONE : CLI_NOT_DONE;
}

/* ---- patch --------------------------------------------------------------------------- */

/* A patch of a filter. */
struct patch {
  const struct delta *options;
  const char *filter, *delta; /* paths */
};

/* Applies the delta.  False after a report. */
static bool patch_apply(const struct patch *patch, lfb_filter *filter, uint64_t *turned_on)
{
  const lfb_status status = lfb_delta_apply_file(filter, patch->delta, turned_on);

  if (delta_misfits(status))
    (void)report_error("%s: was not made for %s: %s", patch->delta, patch->filter,
                       lfb_status_text(status));
  else if (status != LFB_OK)
    (void)report_status(patch->delta, status);
  return status == LFB_OK;
}

/* Changes a shared filter in place. */
static bool patch_shared(const struct patch *patch, uint64_t *turned_on)
{
  const lfb_read_limits limits = {.key = options_key_bytes(&patch->options->key)};
  lfb_filter *filter;
  lfb_status status = lfb_mapped_open(patch->filter, &limits, &filter);

  if (status != LFB_OK)
    return report_false_status(patch->filter, status);
  const bool applied = patch_apply(patch, filter, turned_on);
  status = applied ? lfb_mapped_sync(filter) : LFB_OK;
  if (status != LFB_OK)
    (void)report_status(patch->filter, status);
  lfb_mapped_close(filter);
  return applied && status == LFB_OK;
}

/* Writes the patched filter to `out`, in its form. */
static bool patch_loaded(const struct patch *patch, lfb_filter *filter, const char *out,
                         uint64_t *turned_on)
{
  lfb_stats stats;

  lfb_filter_stats(filter, &stats);
  const lfb_form form = stats.form != LFB_FORM_NONE ? stats.form : LFB_FORM_NATIVE;
  return target_holds(out, form, patch->filter, &stats) && target_spares_shared(out, form) &&
         patch_apply(patch, filter, turned_on) &&
         target_save(out, &(lfb_redis_module_value){.any = {LFB_KIND_PLAIN, {filter}}}, form);
}

static bool patch_file(const struct patch *patch, const char *out, uint64_t *turned_on)
{
  if (!target_check(out))
    return false;
  lfb_key_type type = LFB_KEYS_UNKNOWN;
  lfb_filter *filter = source_load(patch->filter, &patch->options->key, &type);
  const bool done = filter != NULL && patch_loaded(patch, filter, out, turned_on);

  lfb_filter_free(filter);
  return done;
}

static int patch_run(int argc, char **argv)
{
  struct delta options = {0};
  uint64_t turned_on = 0;
  const int status = delta_options(
      &command_patch, "filter file to write (default: FILTER is changed)", &options, argc, argv);

  if (status != OPTIONS_GO_ON)
    return status;
  if (argc - optind != 2)
    return options_misused(&command_patch, "a filter and a delta are needed");
  const struct patch patch = {&options, argv[optind], argv[optind + 1]};
  if (options.out == NULL && target_is_standard(patch.filter))
    return options_misused(&command_patch, "this FILTER cannot be changed in place: give -o");
  spared_add(patch.delta);
  const bool in_place = options.out == NULL && target_is_shared(patch.filter);
  const char *out = options.out != NULL ? options.out : patch.filter;
  if (!(in_place ? patch_shared(&patch, &turned_on) : patch_file(&patch, out, &turned_on)))
    return CLI_NOT_DONE;
  if (!options.quiet)
    report_note("%s: %s bits turned on", out, human_count(turned_on).text);
  return CLI_DONE;
}

const struct command command_diff = {
    .name = "diff",
    .operands = "OLD NEW",
    .summary = "write what is new in a filter since an earlier version",
    .purpose = "'lfbloom patch' adds it to copies of the earlier version.\n",
    .examples =
        "  lfbloom diff -o tue.delta mon.lfb tue.lfb\n"
        "  lfbloom patch copy-of-mon.lfb tue.delta\n"
        "  lfbloom build -n 50M -p 0.001 -o mon.lfb mon.txt\n"
        "  lfbloom build --like mon.lfb -o more.lfb tue.txt\n"
        "  lfbloom merge -o tue.lfb mon.lfb more.lfb\n",
    .details =
        "OUT is a delta: the bits that NEW has and OLD lacks, in few bytes.  It does not hold the "
        "key of a keyed hash.  OUT is written as a whole or not at all; - is standard output.\n\n"
        "NEW must be OLD with more keys: a copy into which keys were put, or a merge of OLD and "
        "others, as in the examples.  A filter that was built again from other keys has no "
        "delta.\n",
    .run = diff_run,
};

const struct command command_patch = {
    .name = "patch",
    .operands = "FILTER DELTA",
    .summary = "add what 'lfbloom diff' wrote to a filter",
    .examples =
        "  lfbloom patch copy-of-mon.lfb tue.delta\n"
        "  lfbloom patch -o tue.lfb mon.lfb tue.delta\n",
    .details =
        "DELTA is checked as a whole before FILTER changes.  A damaged delta, or one of another "
        "filter, changes nothing.  Deltas may be applied in any order, repeatedly, and to a filter "
        "that has more keys.\n\n"
        "Without -o, a shared filter ('build --shared') is changed in place, while other processes "
        "use it.  Another file is replaced as a whole or not at all.  With -o, OUT gets FILTER's "
        "form; - is standard output.\n",
    .run = patch_run,
};
