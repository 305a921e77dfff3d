/*
 * merge.c - `lfbloom merge`: merges filter files.
 */
#define _GNU_SOURCE /* optind */
#include <lfbloom/filter.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/figures.h"
#include "cli/human.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/source.h"
#include "cli/target.h"

struct merge {
  const char *out;
  const char *label; /* NULL: the first filter's            */
  lfb_form form;     /* LFB_FORM_NONE: the first filter's   */
  struct options_reading reading;
  bool quiet;
  bool json;
  char *const *paths;
  size_t path_count;
  lfb_filter *into; /* the first filter, with the others merged so far */
};

/* Loads the first filter, and makes the checks that depend on it. */
static bool merge_begin(struct merge *merge)
{
  lfb_stats stats;

  merge->into = source_load(merge->paths[0], &merge->reading, NULL);
  if (merge->into == NULL)
    return false;
  lfb_filter_stats(merge->into, &stats);
  if (merge->form == LFB_FORM_NONE)
    merge->form = stats.form != LFB_FORM_NONE ? stats.form : LFB_FORM_NATIVE;
  if (!target_holds(merge->out, merge->form, merge->paths[0], &stats) ||
      !target_spares_shared(merge->out, merge->form) ||
      !options_label_fits(&command_merge, merge->label, merge->form))
    return false;
  if (merge->label != NULL)
    (void)lfb_filter_set_label(merge->into, merge->label); /* checked with the options */
  return true;
}

static bool merge_add(const struct merge *merge, const char *path)
{
  lfb_filter *filter = source_load(path, &merge->reading, NULL);

  if (filter == NULL)
    return false;
  const lfb_status status = lfb_filter_put_all(merge->into, filter);
  lfb_filter_free(filter);
  if (status != LFB_OK)
    (void)report_error("%s: cannot be merged with %s: %s%s", path, merge->paths[0],
                       lfb_status_text(status), report_misfit_advice(status));
  return status == LFB_OK;
}

static void merge_summary_json(const struct merge *merge, const lfb_stats *stats)
{
  json_open(NULL);
  json_count("files", merge->path_count);
  figures_json(remote_is(merge->out) ? "redis" : lfb_form_name(stats->form), stats);
  json_close();
}

static void merge_summary_text(const struct merge *merge, const lfb_stats *stats)
{
  char distinct[80] = "saturated";

  if (!stats->saturated)
    (void)snprintf(distinct, sizeof distinct, "about %s distinct keys",
                   human_count(stats->approximate_count).text);
  report_note("%s: %s file%s, %s, in %s; expected fpp %s", merge->out,
              human_count(merge->path_count).text, merge->path_count == 1 ? "" : "s", distinct,
              human_bytes(stats->bytes).text, human_probability(stats->expected_fpp).text);
}

static void merge_summary(const struct merge *merge)
{
  lfb_stats stats;

  lfb_filter_stats(merge->into, &stats);
  stats.form = merge->form;
  /* A tenth more, because the number of keys is an estimate. */
  if (stats.fpp > 0 && stats.expected_fpp > 1.1 * stats.fpp)
    report_overfull("filters were", &stats);
  if (merge->json)
    merge_summary_json(merge, &stats);
  else if (!merge->quiet)
    merge_summary_text(merge, &stats);
}

static bool merge_files(struct merge *merge)
{
  if (!merge_begin(merge))
    return false;
  for (size_t i = 1; i < merge->path_count; i++)
    if (!merge_add(merge, merge->paths[i]))
      return false;
  return target_save(merge->out, merge->into, merge->form);
}

static int merge_run(int argc, char **argv)
{
  struct merge merge = {0};
  struct remote_manner manner = {0};
  enum progress_when progress = PROGRESS_AUTO;
  const struct option_row rows[] = {
      {'o', "output", "OUT", "filter file to write", options_read_text, &merge.out},
      {'\0', "form", "FORM", "file form (default: that of the first FILTER)", options_read_form,
       &merge.form},
      options_label(&merge.label),
      options_key_file(&merge.reading.key),
      options_helper(&merge.reading.helper),
      {'q', "quiet", NULL, "print no summary", NULL, &merge.quiet},
      options_json(&merge.json),
      options_progress(&progress),
      options_timeout(&manner.timeout_ms),
  };
  const int status = options_parse(&command_merge, rows, sizeof rows / sizeof *rows, argc, argv);

  if (status != OPTIONS_GO_ON)
    return status;
  manner.progress = progress_wanted(progress);
  remote_behave(manner);
  if (merge.out == NULL)
    return options_misused(&command_merge, "no -o given: give the file to write");
  if (optind == argc)
    return options_misused(&command_merge, "no filter given");
  if (merge.json && target_is_standard(merge.out))
    return options_misused(&command_merge, "-o - and --json both write to standard output");
  if (remote_is(merge.out) && merge.form != LFB_FORM_NONE)
    return options_misused(&command_merge, "--form does not apply to a filter on Redis");
  if (remote_is(merge.out) && merge.label != NULL)
    return options_misused(&command_merge, "a filter on Redis has no room for a --label");
  merge.paths = argv + optind;
  merge.path_count = (size_t)(argc - optind);
  if (!target_check(merge.out, NULL, 0))
    return CLI_TROUBLE;
  const bool merged = merge_files(&merge);
  if (merged)
    merge_summary(&merge);
  lfb_filter_free(merge.into);
  return merged ? CLI_FOUND : CLI_TROUBLE;
}

const struct command command_merge = {
    .name = "merge",
    .operands = "FILTER...",
    .summary = "merge filter files into one that contains the keys of all",
    .details =
        "Filters can be merged if they were built with the same -n, -p and strategy and\n"
        "have the same hash: the later ones were built with --hash-of the first, or all\n"
        "with the same --hash and --key-file, or all with the same --seed.  OUT is\n"
        "written as a whole or not at all, after all filters were read, so it may be one\n"
        "of them; - is standard output.  n, p, the label and whether a key is kept come\n"
        "from the first filter.  Only --form mapped replaces a shared filter.\n"
        "\n"
        "FILTER and OUT may be on Redis; the name of OUT must be unused there.\n"
        "\n" REMOTE_HELP
        "\n"
        "  lfbloom build -n 50M -p 0.001 -o mon.lfb mon.txt\n"
        "  lfbloom build -n 50M -p 0.001 --hash-of mon.lfb -o tue.lfb tue.txt\n"
        "  lfbloom merge -o seen.lfb mon.lfb tue.lfb\n",
    .run = merge_run,
};
