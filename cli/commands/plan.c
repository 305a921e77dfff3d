/*
 * plan.c - `lfbloom plan`: calculates the sizes of filters.
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
#include "cli/filters/figures.h"
#include "cli/filters/window.h"

/* The filter that a strategy would make. */
struct plan_row {
  lfb_config config;
  const char *name;
  lfb_status status; /* LFB_OK, or the reason why there are no figures */
  lfb_stats stats;
  double fpp; /* after n keys */
};

struct plan {
  uint64_t n;
  double fpp;
  bool counting;
  struct options_count copies;
  struct plan_row rows[OPTIONS_STRATEGIES];
  size_t row_count;
  lfb_strategy_id chosen; /* by default; LFB_DEFAULT if that cannot have n and p */
};

/* Computes the row of one strategy, except LFB_DEFAULT, which stands for another, and LFB_TAGS of
 * plain filters.  False if the library has no strategy of that number. */
static bool plan_ask(const struct plan *plan, lfb_strategy_id strategy, struct plan_row *row)
{
  *row = (struct plan_row){.name = lfb_strategy_name(strategy)};
  row->config.expected_insertions = plan->n;
  row->config.fpp = plan->fpp;
  row->config.strategy = strategy;
  row->config.copies = plan->copies.value;
  if (row->name == NULL || strategy == LFB_DEFAULT || (strategy == LFB_TAGS && !plan->counting))
    return false;
  row->status = lfb_config_plan(&row->config, &row->stats);
  if (plan->counting)
    figures_of_counters(&row->stats);
  if (row->status == LFB_OK)
    row->status = lfb_config_fpp_after(&row->config, plan->n, &row->fpp);
  return true;
}

static void plan_fill(struct plan *plan)
{
  const lfb_config config = {.expected_insertions = plan->n,
                             .fpp = plan->fpp,
                             .strategy = plan->counting ? LFB_TAGS : LFB_DEFAULT,
                             .copies = plan->copies.value};
  lfb_stats stats = {.strategy = LFB_DEFAULT};

  /* A number without a strategy has no name.  The highest comes first: the newest number, a
   * default. */
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
  const bool can_be = row->status == LFB_OK;

  json_open(row->name);
  json_count_if("bits", row->stats.bit_count, can_be);
  json_count_if("bytes", row->stats.bytes, can_be);
  json_count_if("probes", row->stats.probes, can_be);
  json_float("bits_per_key", can_be ? plan_bits_per_key(plan, row) : NAN);
  json_float("fpp_at_n", can_be ? row->fpp : NAN);
  json_count_if("reachable_bits", row->stats.reachable_bits, can_be);
  if (!can_be)
    json_text("error", lfb_status_text(row->status));
  json_close();
}

static void plan_json(const struct plan *plan)
{
  json_open(NULL);
  json_count("n", plan->n);
  json_float("fpp", plan->fpp);
  json_text("default", plan->chosen == LFB_DEFAULT ? NULL : lfb_strategy_name(plan->chosen));
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

/* ---- windows ------------------------------------------------------------------- */

/* The windows of n and p: of 1, 3 and 7 generations. */
enum { PLAN_WINDOWS = 3 };

struct plan_windows {
  const struct plan *plan;
  const struct window_span *span;
  lfb_window_figures figures[PLAN_WINDOWS];
};

/* The span after which a key is certainly forgotten, in the unit of the given span. */
static double plan_most(const struct plan_windows *windows, const lfb_window_figures *figures)
{
  const struct window_span *span = windows->span;
  const double live = figures->generations + 1.0;

  return live * (span->keys > 0 ? (double)window_each(span, figures->generations)
                                : span->number / figures->generations);
}

static double plan_window_bits_per_key(const struct plan_windows *windows,
                                       const lfb_window_figures *figures)
{
  const uint64_t n = windows->plan->n;
  return 8 * (double)figures->bytes / (double)(n > 0 ? n : 1);
}

static void plan_windows_json(const struct plan_windows *windows)
{
  const struct window_span *span = windows->span;
  const double unit = span->keys > 0 ? 1 : span->seconds / span->number;

  json_open(NULL);
  json_count("n", windows->plan->n);
  json_float("fpp", windows->plan->fpp);
  json_float("span", unit * span->number);
  json_text("span_unit", span->keys > 0 ? "keys" : "seconds");
  json_open("generations");
  for (size_t i = 0; i < PLAN_WINDOWS; i++) {
    const lfb_window_figures *figures = &windows->figures[i];
    char name[16];
    (void)snprintf(name, sizeof name, "%u", (unsigned)figures->generations);
    json_open(name);
    json_count("bits", 8 * figures->bytes);
    json_count("bytes", figures->bytes);
    json_count("probes", figures->probes);
    json_float("bits_per_key", plan_window_bits_per_key(windows, figures));
    json_float("forgotten_after", unit * plan_most(windows, figures));
    json_close();
  }
  json_close();
  json_close();
}

static void plan_windows_text(const struct plan_windows *windows)
{
  const struct window_span *span = windows->span;

  printf("For %s distinct key%s in a span of %s%s at a false-positive probability of %s:\n\n",
         human_count(windows->plan->n).text, windows->plan->n == 1 ? "" : "s", span->text,
         span->keys > 0 ? " keys" : "", human_probability(windows->plan->fpp).text);
  printf("%-11s %17s %14s %12s %7s  %s\n", "generations", "bits", "memory", "bits per key",
         "probes", "forgotten after at most");
  for (size_t i = 0; i < PLAN_WINDOWS; i++) {
    const lfb_window_figures *figures = &windows->figures[i];
    const double most = plan_most(windows, figures);
    char after[64];
    (void)snprintf(after, sizeof after, "%.4g%s", most, span->unit);
    printf("%-11u %17s %14s %12.2f %7u  %s\n", (unsigned)figures->generations,
           human_count(8 * figures->bytes).text, human_bytes(figures->bytes).text,
           plan_window_bits_per_key(windows, figures), (unsigned)figures->probes,
           span->keys > 0 ? human_short(most).text : after);
  }
}

/* Fills in the windows.  Returns false after a report. */
static bool plan_windows_fill(struct plan_windows *windows)
{
  static const uint32_t generations[PLAN_WINDOWS] = {1, 3, 7};

  for (size_t i = 0; i < PLAN_WINDOWS; i++) {
    const lfb_window_config config = {.expected_insertions = windows->plan->n,
                                      .fpp = windows->plan->fpp,
                                      .generations = generations[i]};
    const lfb_status status = lfb_window_config_plan(&config, &windows->figures[i]);
    if (status != LFB_OK)
      return report_false_status("plan: --window", status);
  }
  return true;
}

static int plan_windows(struct plan *plan, const struct window_span *span,
                        const struct options_count *n, bool json)
{
  struct plan_windows windows = {.plan = plan, .span = span};

  if (!window_expected(&command_plan, span, n, &plan->n) || !plan_windows_fill(&windows))
    return CLI_NOT_DONE;
  if (json)
    plan_windows_json(&windows);
  else
    plan_windows_text(&windows);
  return CLI_DONE;
}

/* ---- the command --------------------------------------------------------------- */

static int plan_run(int argc, char **argv)
{
  struct plan plan = {0};
  struct options_count n = {0};
  struct window_span span = {0};
  bool json = false;
  const struct option_row rows[] = {
      {'n', NULL, "N", "number of distinct keys", options_read_count, &n},
      options_fpp(&plan.fpp),
      options_counting(&plan.counting),
      options_copies(&plan.copies),
      window_span_row(&span),
      options_json(&json),
  };
  const int status = options_parse(&command_plan, rows, sizeof rows / sizeof *rows, argc, argv);

  if (status != OPTIONS_GO_ON)
    return status;
  if (optind < argc)
    return options_misused(&command_plan, "takes no files");
  if (span.generations != 0)
    return options_misused(&command_plan, "leave out /G: it prints all");
  if (plan.counting ? span.text != NULL : plan.copies.given)
    return options_misused(&command_plan, plan.counting ? "--counting takes no --window"
                                                        : "--copies needs --counting");
  if (plan.fpp == 0 || !(n.given || span.text != NULL))
    return options_misused(&command_plan, "both -n and -p are needed");
  if (span.text != NULL)
    return plan_windows(&plan, &span, &n, json);
  plan.n = n.value;
  plan_fill(&plan);
  if (json)
    plan_json(&plan);
  else
    plan_text(&plan);
  return CLI_DONE;
}

const struct command command_plan = {
    .name = "plan",
    .operands = "",
    .summary = "calculate a filter's size for each strategy",
    .examples =
        "  lfbloom plan -n 10M -p 0.0001\n"
        "  lfbloom plan --window 24h -n 10M -p 0.01\n"
        "  lfbloom plan --counting -n 10M -p 0.001\n",
    .details =
        "The default strategy is fast.  fast-pair is fast with one pair of words for each key, so "
        "that at any P a put is a claim.  go-fnv14 has one fixed size.  The size of sbbf is a "
        "power of two, 128 MiB at most.\n\n"
        "The column \"fpp then\" is the false-positive probability after N keys, by the strategy's "
        "model.\n\n"
        "With --counting, the sizes are those of counting filters, from which keys can be "
        "removed.  Their default is tags, and its \"probes\" are the bits of a tag.  The other "
        "strategies have a counter of 4 bits in place of each bit.\n\n"
        "With --window, the sizes are those of windows, as 'lfbloom claim --window' makes them.  N "
        "is the number of distinct keys within a SPAN.  P holds with all generations full.\n",
    .run = plan_run,
};
