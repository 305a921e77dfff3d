/*
 * compare.c - `lfbloom compare`: estimates what two filters have in common.
 */
#define _GNU_SOURCE /* optind */
#include <lfbloom/filter_more.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/base/human.h"
#include "cli/base/json.h"
#include "cli/base/options.h"
#include "cli/base/report.h"
#include "cli/filters/source.h"

/* One figure of a comparison. */
struct compare_row {
  const char *field; /* of --json */
  const char *name;
  bool is_count; /* not a ratio */
  lfb_estimate estimate;
};

enum { COMPARE_ROWS = 7 };

static void compare_json(const struct compare_row rows[COMPARE_ROWS])
{
  json_open(NULL);
  for (int i = 0; i < COMPARE_ROWS; i++) {
    json_open(rows[i].field);
    json_float("value", rows[i].estimate.value);
    json_float("error", rows[i].estimate.error);
    json_close();
  }
  json_close();
}

/* A number of keys; the largest that a program can count stands for any that is larger. */
static struct human compare_keys(double keys)
{
  return human_count(keys < 0x1p64 ? (uint64_t)keys : UINT64_MAX);
}

static void compare_text_row(const struct compare_row *row)
{
  const lfb_estimate *estimate = &row->estimate;
  const double within = 2 * estimate->error;

  printf("%-16s ", row->name);
  if (isinf(within))
    printf("unknown\n");
  else if (row->is_count) /* rounded up: the truth is not outside */
    printf("%s +- %s\n", compare_keys(round(estimate->value)).text,
           compare_keys(ceil(within)).text);
  else
    printf("%.4f +- %.4f\n", estimate->value, ceil(fmin(within, 1) * 1e4) / 1e4);
}

static bool compare_filters(const char *path_a, const char *path_b, const lfb_filter *a,
                            const lfb_filter *b, lfb_comparison *result)
{
  const lfb_status status = lfb_filter_compare(a, b, result);

  if (status == LFB_ERROR_BIT_COUNT_DIFFERS)
    (void)report_error("%s: cannot be compared with %s: %s: fold the larger one first (lfbloom "
                       "fold), or build both with the same -n and -p",
                       path_b, path_a, lfb_status_text(status));
  else if (status != LFB_OK)
    (void)report_error("%s: cannot be compared with %s: %s%s", path_b, path_a,
                       lfb_status_text(status), report_misfit_advice(status));
  return status == LFB_OK;
}

static bool compare_files(char *const paths[2], const struct options_key *key,
                          lfb_comparison *result)
{
  lfb_key_type type = LFB_KEYS_UNKNOWN;
  lfb_filter *a = source_load(paths[0], key, &type);
  lfb_filter *b = a == NULL ? NULL : source_load(paths[1], key, &type);
  const bool compared = b != NULL && compare_filters(paths[0], paths[1], a, b, result);

  lfb_filter_free(a);
  lfb_filter_free(b);
  return compared;
}

static int compare_run(int argc, char **argv)
{
  bool json = false;
  struct options_key key = {0};
  const struct option_row options[] = {
      options_key_file(&key),
      options_json(&json),
  };
  const int status =
      options_parse(&command_compare, options, sizeof options / sizeof *options, argc, argv);
  lfb_comparison result;

  if (status != OPTIONS_GO_ON)
    return status;
  if (argc - optind != 2)
    return options_misused(&command_compare, "two filters are needed");
  if (!compare_files(argv + optind, &key, &result))
    return CLI_NOT_DONE;
  const struct compare_row rows[COMPARE_ROWS] = {
      {"a", "keys in A", true, result.a},
      {"b", "keys in B", true, result.b},
      {"union", "keys in A or B", true, result.either},
      {"intersection", "keys in A and B", true, result.both},
      {"jaccard", "Jaccard index", false, result.jaccard},
      {"a_in_b", "part of A in B", false, result.a_in_b},
      {"b_in_a", "part of B in A", false, result.b_in_a},
  };
  if (json)
    compare_json(rows);
  for (int i = 0; !json && i < COMPARE_ROWS; i++)
    compare_text_row(&rows[i]);
  return CLI_DONE;
}

const struct command command_compare = {
    .name = "compare",
    .operands = "A B",
    .summary = "estimate how many keys two filters have in common",
    .examples =
        "  lfbloom compare mon.lfb tue.lfb\n"
        "  lfbloom compare --json mon.lfb tue.lfb\n"
        "  lfbloom build -n 50M -p 0.001 -o mon.lfb mon.txt\n"
        "  lfbloom build --like mon.lfb -o tue.lfb tue.txt\n",
    .details =
        "The command estimates the distinct keys in A, in B, in both, and in at least one of "
        "them.  It prints the part of each filter's keys that is in the other, and the Jaccard "
        "index: the keys in both / the keys in at least one.\n\n"
        "The estimates come from the bits.  The truth is within the +-, two standard errors, about "
        "95 times in 100; --json has one standard error.  A figure is unknown if all bits of a "
        "filter are set.\n\n"
        "Two filters can be compared if they were built with the same -n, -p and strategy and have "
        "the same hash, as in the examples ('lfbloom merge --help' has other ways).  If the size "
        "of one is a multiple of the other's, fold the larger one first ('lfbloom fold').\n",
    .run = compare_run,
};
