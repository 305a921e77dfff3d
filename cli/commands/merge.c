/*
 * merge.c - `lfbloom merge` merges filter files; `lfbloom fold` makes one of them smaller.
 */
#define _GNU_SOURCE /* optind */
#include <inttypes.h>
#include <lfbloom/filter_more.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/base/human.h"
#include "cli/base/json.h"
#include "cli/base/options.h"
#include "cli/base/report.h"
#include "cli/filters/figures.h"
#include "cli/filters/source.h"
#include "cli/filters/target.h"

struct merge {
  const struct command *command;
  struct options_count keys;   /* that a folded filter is to hold             */
  struct options_count factor; /* to fold by                                  */
  const char *out;
  lfb_form form;     /* LFB_FORM_NONE: the first filter's   */
  struct options_key key;
  lfb_key_type type; /* of the keys, as far as it is known */
  bool quiet;
  bool json;
  char *const *paths;
  size_t path_count;
  lfb_any into;         /* the first filter with those merged so far; or the folded one     */
};

/* Whether the form can hold the filter; chooses one, if none was given. */
static bool merge_choose_form(struct merge *merge)
{
  const char *first = merge->paths[0];
  lfb_figures figures;

  lfb_any_plan(merge->into, &figures);
  if (merge->form == LFB_FORM_NONE)
    merge->form = figures.all.form != LFB_FORM_NONE ? figures.all.form : LFB_FORM_NATIVE;
  if (merge->into.kind == LFB_KIND_COUNTING)
    return merge->form == LFB_FORM_NATIVE ||
           report_false("%s: is a counting filter: only the native form holds it", first);
  return target_holds(merge->out, merge->form, first, &figures.all);
}

/* Loads the first filter, which is plain or, to be merged, counting, and makes the checks that
 * depend on it. */
static bool merge_begin(struct merge *merge)
{
  const bool counting =
      merge->command == &command_merge && source_form(merge->paths[0]) == LFB_ERROR_COUNTING;

  return source_load_any(merge->paths[0], counting ? LFB_KIND_COUNTING : LFB_KIND_PLAIN,
                         &merge->key, &merge->type, &merge->into) &&
         merge_choose_form(merge) && target_spares_shared(merge->out, merge->form);
}

/* Folds the filter merged so far to the size of a smaller one, if it can. */
static lfb_status merge_fold(struct merge *merge, const lfb_filter *smaller)
{
  lfb_stats from, to;
  lfb_filter *folded;

  lfb_filter_stats(merge->into.plain, &from);
  lfb_filter_stats(smaller, &to);
  if (from.bit_count % to.bit_count != 0)
    return LFB_ERROR_BIT_COUNT_DIFFERS;
  const lfb_status status =
      lfb_filter_fold(merge->into.plain, from.bit_count / to.bit_count, &folded);
  if (status != LFB_OK)
    return status == LFB_ERROR_CANNOT_FOLD ? LFB_ERROR_BIT_COUNT_DIFFERS : status;
  lfb_any_free(merge->into);
  merge->into.plain = folded;
  return LFB_OK;
}

/* Puts a filter into the first one, which is folded before if it is larger. */
static lfb_status merge_unite(struct merge *merge, const lfb_filter *filter)
{
  lfb_status status = lfb_filter_put_all(merge->into.plain, filter);

  if (status != LFB_ERROR_BIT_COUNT_DIFFERS)
    return status;
  status = merge_fold(merge, filter);
  return status == LFB_OK ? lfb_filter_put_all(merge->into.plain, filter) : status;
}

/* Merges the filter of path `i`. */
static bool merge_add(struct merge *merge, size_t i)
{
  const bool plain = merge->into.kind == LFB_KIND_PLAIN;
  lfb_any any;

  if (!source_load_any(merge->paths[i], merge->into.kind, &merge->key, &merge->type, &any))
    return false;
  const lfb_status status = plain ? merge_unite(merge, any.plain)
                                  : lfb_counting_put_all(merge->into.counting, any.counting);
  lfb_any_free(any);
  return status == LFB_OK ||
         report_false("%s: cannot be merged with %s: %s%s", merge->paths[i], merge->paths[0],
                      lfb_status_text(status), report_misfit_advice(status));
}

/* ---- fold ---------------------------------------------------------------------- */

/* Folds by the largest factor that the filter allows, at most `most`.  Returns it; 0: no memory. */
static uint64_t fold_most(const lfb_filter *filter, uint64_t most, lfb_filter **folded)
{
  lfb_status status = LFB_ERROR_CANNOT_FOLD;
  uint64_t factor = most;

  while (factor > 0 && (status = lfb_filter_fold(filter, factor, folded)) == LFB_ERROR_CANNOT_FOLD)
    factor--;
  return status == LFB_OK ? factor : 0;
}

/* The largest factor that leaves room for the keys; 0 after a report. */
static uint64_t fold_wanted(const struct merge *merge, const lfb_stats *stats)
{
  const uint64_t keys = merge->keys.given ? merge->keys.value : stats->approximate_count;
  const uint64_t n = stats->expected_insertions > 0 ? stats->expected_insertions : 1;

  if (merge->factor.given)
    return merge->factor.value;
  if (!figures_made_for(stats))
    (void)report_error("%s: the file does not record n: give --factor", merge->paths[0]);
  else if (merge->keys.given && keys > n)
    (void)report_error("%s: was made for %s keys: build it again from its keys, for more",
                       merge->paths[0], human_count(n).text);
  else
    return keys < n ? n / (keys > 0 ? keys : 1) : 1;
  return 0;
}

/* Folds the filter.  False after a report. */
static bool fold_filter(struct merge *merge)
{
  lfb_filter *folded = NULL;
  lfb_stats stats;

  lfb_filter_stats(merge->into.plain, &stats);
  const uint64_t wanted = fold_wanted(merge, &stats);
  if (wanted == 0)
    return false;
  /* No block is smaller than a word. */
  const uint64_t words = stats.bytes / sizeof(uint64_t);
  const uint64_t factor = fold_most(merge->into.plain, wanted < words ? wanted : words, &folded);
  if (factor == 0)
    (void)report_status(merge->out, LFB_ERROR_NO_MEMORY);
  else if (merge->factor.given && factor != wanted)
    (void)report_error("%s: --factor %" PRIu64 ": %s: the largest below is %" PRIu64,
                       merge->paths[0], wanted, lfb_status_text(LFB_ERROR_CANNOT_FOLD), factor);
  const bool done = factor > 0 && (!merge->factor.given || factor == wanted);
  lfb_filter_free(done ? merge->into.plain : folded);
  if (done)
    merge->into.plain = folded;
  merge->factor.value = factor;
  return done;
}

/* ---- both ---------------------------------------------------------------------- */

static void merge_summary_json(const struct merge *merge, const lfb_figures *figures)
{
  json_open(NULL);
  if (merge->command == &command_fold)
    json_count("factor", merge->factor.value);
  else
    json_count("files", merge->path_count);
  figures_json(figures_form(figures->kind, figures->all.form), &figures->all);
  json_close();
}

static void merge_summary_text(const struct merge *merge, const lfb_stats *stats)
{
  const bool folds = merge->command == &command_fold;
  const uint64_t count = folds ? merge->factor.value : merge->path_count;
  char distinct[80] = "saturated";

  if (!stats->saturated)
    (void)snprintf(distinct, sizeof distinct,
                   stats->strategy == LFB_TAGS ? "%s keys" : "about %s distinct keys",
                   human_count(stats->approximate_count).text);
  report_note("%s: %s%s%s, %s, in %s; expected fpp %s", merge->out, folds ? "folded by " : "",
              human_count(count).text, folds ? "" : count == 1 ? " file" : " files", distinct,
              human_bytes(stats->bytes).text, human_probability(stats->expected_fpp).text);
}

/* Returns the exit status. */
static int merge_summary(const struct merge *merge)
{
  lfb_figures figures;
  lfb_stats *stats = &figures.all;

  lfb_any_stats(merge->into, &figures);
  stats->form = merge->form;
  /* A tenth more, because the number of keys is an estimate. */
  const bool full = stats->fpp > 0 && stats->expected_fpp > 1.1 * stats->fpp;
  if (full)
    report_overfull(merge->command == &command_fold ? "folded filter is" : "filters were", stats);
  if (merge->json)
    merge_summary_json(merge, &figures);
  else if (!merge->quiet)
    merge_summary_text(merge, stats);
  return full ? CLI_OTHERWISE : CLI_DONE;
}

static bool merge_files(struct merge *merge)
{
  if (!merge_begin(merge))
    return false;
  for (size_t i = 1; i < merge->path_count; i++)
    if (!merge_add(merge, i))
      return false;
  if (merge->command == &command_fold && !fold_filter(merge))
    return false;
  return target_save(merge->out, &(lfb_redis_module_value){.any = merge->into}, merge->form);
}

/* What is wrong with the combination of options; NULL: nothing. */
static const char *merge_misuse(const struct merge *merge)
{
  if (merge->out == NULL)
    return "no -o given: give the file to write";
  if (merge->path_count == 0)
    return "no filter given";
  if (merge->json && target_is_standard(merge->out))
    return "-o - and --json both write to standard output";
  if (merge->command == &command_fold && merge->path_count > 1)
    return "needs one filter: merge several first";
  if (merge->factor.given && merge->factor.value == 0)
    return "--factor must be at least 1";
  if (merge->factor.given && merge->keys.given)
    return "-n and --factor cannot be combined";
  return NULL;
}

static int merge_main(const struct command *command, int argc, char **argv)
{
  enum { FOLD_ROWS = 2 };
  const size_t skipped = command == &command_fold ? 0 : FOLD_ROWS;
  struct merge merge = {.command = command};
  const struct option_row rows[] = {
      {'n', NULL, "N", "number of distinct keys to leave room for (default: those of FILTER)",
       options_read_count, &merge.keys},
      {'\0', "factor", "F", "make the filter F times smaller", options_read_count, &merge.factor},
      {'o', "output", "OUT", "filter file to write", options_read_path, &merge.out},
      {'\0', "form", "FORM", "file form (default: that of the first FILTER)", options_read_form,
       &merge.form},
      options_key_file(&merge.key),
      {'q', "quiet", NULL, "print no summary", NULL, &merge.quiet},
      options_json(&merge.json),
  };
  const int status = options_parse(command, rows + skipped, sizeof rows / sizeof *rows - skipped,
                                   argc, argv);

  if (status != OPTIONS_GO_ON)
    return status;
  merge.paths = argv + optind;
  merge.path_count = (size_t)(argc - optind);
  const char *misuse = merge_misuse(&merge);
  if (misuse != NULL)
    return options_misused(command, misuse);
  if (!target_check(merge.out))
    return CLI_NOT_DONE;
  const int done = merge_files(&merge) ? merge_summary(&merge) : CLI_NOT_DONE;
  lfb_any_free(merge.into);
  return done;
}

static int merge_run(int argc, char **argv)
{
  return merge_main(&command_merge, argc, argv);
}

static int fold_run(int argc, char **argv)
{
  return merge_main(&command_fold, argc, argv);
}

const struct command command_merge = {
    .name = "merge",
    .operands = "FILTER...",
    .summary = "merge filter files into one that contains the keys of all",
    .examples =
        "  lfbloom merge -o seen.lfb mon.lfb tue.lfb\n"
        "  lfbloom merge -o seen.lfb days/*.lfb\n"
        "  lfbloom build -n 50M -p 0.001 -o mon.lfb mon.txt\n"
        "  lfbloom build --like mon.lfb -o tue.lfb tue.txt\n",
    .details =
        "Filters can be merged if they were built with the same -n, -p and strategy and have the "
        "same hash.  To get the same hash, build the later ones with --like the first.  Or build "
        "all with the same --hash and --key-file, or with the same --seed.\n\n"
        "OUT is written as a whole or not at all, after all filters were read, so it may be one of "
        "them; - is standard output.  OUT has the n and p of the first filter, and keeps the key "
        "of the hash if that does.  Only --form mapped replaces a shared filter.\n\n"
        "Sizes may differ if each is a multiple of the smallest one: name that first.  Large "
        "filters with --foldable have such sizes if their -n differ by a factor of 2, 4, 8 and so "
        "on.  OUT has the smallest size.  If the first filter is larger, its n is divided by as "
        "much.\n\n"
        "Counting filters can be merged if all have one size and hash: build them with the same "
        "-n, -p and --key-file or --seed.  A key is then present as often as in all together.  If "
        "they have more keys than the first one was made for, the command ends with status 2.\n",
    .run = merge_run,
};

const struct command command_fold = {
    .name = "fold",
    .operands = "FILTER",
    .summary = "make a smaller filter that contains the same keys",
    .examples =
        "  lfbloom fold -o seen.lfb large.lfb\n"
        "  lfbloom fold -n 10M -o seen.lfb large.lfb\n"
        "  lfbloom build -n 50M -p 0.001 --foldable -o large.lfb keys.txt\n",
    .details =
        "If fewer keys came than a filter was made for, fold it: OUT has the same keys in fewer "
        "bits.  Its false-positive probability is that of a filter that was built at that size.  "
        "FILTER stays as it is, unless OUT is the same file.\n\n"
        "The factor must divide FILTER's number of blocks.  Without --factor, it is the largest "
        "one that leaves room for the keys at FILTER's -p.  Build the filter with --foldable, so "
        "that there are many factors; small filters have few.  A filter of sbbf up to 128 MiB "
        "folds by 2, 4, 8 and so on, as Arrow does.\n",
    .run = fold_run,
};
