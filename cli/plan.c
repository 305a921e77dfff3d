/*
 * plan.c - `lfbloom plan`: calculates the sizes of filters.
 */
#define _GNU_SOURCE /* optind */
#include "cli/plan.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/human.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/target.h"

/* Computes the row of one strategy, except LFB_DEFAULT, which stands for another.  False if the
 * library has no strategy of that number. */
static bool plan_ask(const struct plan *plan, lfb_strategy_id strategy, struct plan_row *row)
{
  *row = (struct plan_row){.name = lfb_strategy_name(strategy)};
  row->config.expected_insertions = plan->n;
  row->config.fpp = plan->fpp;
  row->config.strategy = strategy;
  if (row->name == NULL || strategy == LFB_DEFAULT)
    return false;
  row->status = lfb_config_plan(&row->config, &row->stats);
  if (row->status == LFB_OK)
    row->status = lfb_config_fpp_after(&row->config, plan->n, &row->fpp);
  return true;
}

static void plan_fill(struct plan *plan)
{
  const lfb_config config = {.expected_insertions = plan->n, .fpp = plan->fpp};
  lfb_stats stats = {.strategy = LFB_DEFAULT};

  /* A number without a strategy has no name.  The highest comes first: `fast`, the newest number. */
  for (int i = OPTIONS_STRATEGIES; i-- > 0;)
    if (plan_ask(plan, (lfb_strategy_id)i, &plan->rows[plan->row_count]))
      plan->row_count++;
  plan->chosen = lfb_config_plan(&config, &stats) == LFB_OK ? stats.strategy : LFB_DEFAULT;
}

static double plan_bits_per_key(const struct plan *plan, const struct plan_row *row)
{
  return (double)row->stats.bit_count / (double)(plan->n > 0 ? plan->n : 1);
}

static void plan_json_row(const struct plan *plan, const struct plan_row *row)
{
  json_open(row->name);
  if (row->status == LFB_OK) {
    json_count("bits", row->stats.bit_count);
    json_count("bytes", row->stats.bytes);
    json_count("probes", row->stats.probes);
    json_real("bits_per_key", plan_bits_per_key(plan, row));
    json_real("fpp_at_n", row->fpp);
    json_count("reachable_bits", row->stats.reachable_bits);
  } else {
    static const char *const keys[] = {"bits",         "bytes",    "probes",
                                       "bits_per_key", "fpp_at_n", "reachable_bits"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
      json_null(keys[i]);
    json_text("error", lfb_status_text(row->status));
  }
  json_close();
}

static void plan_json(const struct plan *plan)
{
  json_open(NULL);
  json_count("n", plan->n);
  json_real("fpp", plan->fpp);
  if (plan->chosen == LFB_DEFAULT)
    json_null("default");
  else
    json_text("default", lfb_strategy_name(plan->chosen));
  json_open("strategies");
  for (size_t i = 0; i < plan->row_count; i++)
    plan_json_row(plan, &plan->rows[i]);
  json_close();
  json_close();
}

static const char *plan_remark(const struct plan *plan, const struct plan_row *row)
{
  if (row->stats.reachable_bits < row->stats.bit_count)
    return "  cannot use all its bits";
  if (row->fpp > 2 * plan->fpp)
    return "  more than asked for";
  if (row->config.strategy == plan->chosen)
    return "  the default";
  return "";
}

static void plan_text_row(const struct plan *plan, const struct plan_row *row)
{
  if (row->status != LFB_OK) {
    printf("%-14s -  %s\n", row->name, lfb_status_text(row->status));
    return;
  }
  printf("%-14s %17s %14s %12.2f %7u %10s%s\n", row->name, human_count(row->stats.bit_count).text,
         human_bytes(row->stats.bytes).text, plan_bits_per_key(plan, row),
         (unsigned)row->stats.probes, human_probability(row->fpp).text, plan_remark(plan, row));
}

static void plan_text(const struct plan *plan)
{
  printf("For %s key%s at a false-positive probability of %s:\n\n", human_count(plan->n).text,
         plan->n == 1 ? "" : "s", human_probability(plan->fpp).text);
  printf("%-14s %17s %14s %12s %7s %10s\n", "strategy", "bits", "memory", "bits per key", "probes",
         "fpp then");
  for (size_t i = 0; i < plan->row_count; i++)
    plan_text_row(plan, &plan->rows[i]);
}

static int plan_run(int argc, char **argv)
{
  struct plan plan = {0};
  struct options_count n = {0};
  const char *picture = NULL;
  bool json = false;
  const struct option_row rows[] = {
      {'n', NULL, "N", "number of distinct keys", options_read_count, &n},
      options_fpp(&plan.fpp),
      options_json(&json),
      {'\0', "plot", "FILE.svg", "draw the false-positive probability against the load",
       options_read_text, &picture},
  };
  const int status = options_parse(&command_plan, rows, sizeof rows / sizeof *rows, argc, argv);

  if (status != OPTIONS_GO_ON)
    return status;
  if (optind < argc)
    return options_misused(&command_plan, "takes no files");
  if (!n.given || plan.fpp == 0)
    return options_misused(&command_plan, "both -n and -p are needed");
  plan.n = n.value;
  plan_fill(&plan);
  if (picture != NULL && !(target_check(picture, NULL, 0) && plot_write(&plan, picture)))
    return CLI_TROUBLE;
  if (json)
    plan_json(&plan);
  else
    plan_text(&plan);
  return CLI_FOUND;
}

const struct command command_plan = {
    .name = "plan",
    .operands = "",
    .summary = "calculate a filter's size for each strategy",
    .details =
        "\"fpp then\" is the false-positive probability after N keys, by the strategy's\n"
        "model.  go-fnv14 has one fixed size; the size of sbbf is a power of two, at most\n"
        "128 MiB.  The default is fast-pair from -p 0.005 on, where the processor has it,\n"
        "and fast below that.\n"
        "\n"
        "  lfbloom plan -n 10M -p 0.0001 --plot fpp.svg\n",
    .run = plan_run,
};
