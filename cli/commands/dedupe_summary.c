/*
 * dedupe_summary.c - the figures at the end of `lfbloom dedupe`.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/human.h"
#include "cli/base/json.h"
#include "cli/base/report.h"
#include "cli/commands/dedupe.h"

enum { DEDUPE_PARTS = 64 }; /* of the filling, each taken at its middle: error 0.3 % */

/* Whether stats->expected_fpp is all that is known of the filter while it was filled. */
static bool dedupe_is_bounded(const struct dedupe *dedupe, const lfb_stats *stats)
{
  return dedupe->into.any.kind == LFB_KIND_GROWING || !figures_counted(stats);
}

/*
 * The expected number of distinct keys that were false positives.  After i keys, the next distinct
 * key is a false positive with probability f(i); so for each key that gets in, f / (1 - f) do not.
 * The result is the sum of this over all i below `out`, the number of keys that got in.
 *
 * The sum leaves out keys that came after the last one that got in.  This matters if nearly every
 * key is a false positive: the number is then unknown, and the result is infinity.  The result is
 * NaN if it is unknown what the filter was made for.
 */
static double dedupe_expected_false_positives(const struct dedupe *dedupe, const lfb_stats *stats)
{
  if (stats->expected_fpp > 0.99)
    return INFINITY;
  if (dedupe->config.fpp == 0)
    return NAN;
  const uint64_t out = figure_get(&dedupe->out);
  if (dedupe_is_bounded(dedupe, stats)) /* an upper bound: the probability only rises */
    return (double)out * stats->expected_fpp / (1 - stats->expected_fpp);

  /* Other processes fill a shared filter too; this one's keys are spread over all its filling. */
  const uint64_t span = dedupe->after > dedupe->before + out ? dedupe->after - dedupe->before : out;
  const uint64_t parts = span < DEDUPE_PARTS ? span : (uint64_t)DEDUPE_PARTS;
  double sum = 0;

  for (uint64_t part = 0; part < parts; part++) {
    const uint64_t each = span / parts, longer = span % parts; /* the first parts have one more */
    const uint64_t size = each + (part < longer);
    const uint64_t first = part * each + (part < longer ? part : longer);
    double fpp = 0;
    const uint64_t middle = dedupe->before + first + (size - 1) / 2;
    lfb_ignore(lfb_config_fpp_after(&dedupe->config, middle, &fpp));
    sum += (double)size * fpp / (1 - fpp);
  }
  return span == 0 ? 0 : sum * (double)out / (double)span;
}

static void dedupe_summary_json(const struct dedupe *dedupe, const lfb_stats *stats, double wrong)
{
  json_open(NULL);
  json_count("in", figure_get(&dedupe->in));
  json_count("out", figure_get(&dedupe->out));
  json_float("expected_false_positives", wrong);
  if (dedupe->window.filter != NULL)
    json_count("generations", dedupe->window.generations);
  figures_json_filled(stats);
  json_count("bad_lines", figure_get(&dedupe->bad_lines));
  json_count("threads", dedupe->source.threads);
  json_count("input_bytes", figure_get(&dedupe->bytes));
  json_float("seconds", dedupe->seconds);
  json_close();
}

static void dedupe_summary_text(const struct dedupe *dedupe, const lfb_stats *stats, double wrong)
{
  const uint64_t in = figure_get(&dedupe->in);
  const double seconds = dedupe->seconds > 0 ? dedupe->seconds : 1e-9;
  char left_out[64] = "most distinct ones";

  if (isnan(wrong))
    (void)strcpy(left_out, "an unknown number");
  else if (isfinite(wrong))
    (void)snprintf(left_out, sizeof left_out, "%s %.3g distinct ones",
                   dedupe->window.filter != NULL || dedupe_is_bounded(dedupe, stats)
                       ? "at most about"
                       : "about",
                   wrong);
  report_note("%s key%s in, %s out, %s wrongly left out; in %s; %s, %s keys/s",
              human_count(in).text, in == 1 ? "" : "s", human_count(figure_get(&dedupe->out)).text,
              left_out, human_bytes(stats->bytes).text, human_seconds(dedupe->seconds).text,
              human_short((double)in / seconds).text);
}

static void dedupe_print(const struct dedupe *dedupe, const lfb_stats *stats, double wrong)
{
  if (dedupe->json)
    dedupe_summary_json(dedupe, stats, wrong);
  else if (!dedupe->quiet)
    dedupe_summary_text(dedupe, stats, wrong);
}

/* Whether more than n keys are in a span, also after generations of few keys were rounded up. */
static bool dedupe_window_overfull(const lfb_window_figures *figures)
{
  const double live = figures->generations + 1, each = live / figures->generations;
  const double room = each * (double)figures->expected_insertions + live;
  double keys = 0;

  for (uint32_t i = 0; i <= figures->generations; i++)
    keys += (double)figures->live[i].approximate_count;
  return keys > 1.02 * room; /* an estimate */
}

/* The number of false positives is a bound for spans of at most n distinct keys: each key had at
 * most the probability p, or that of the end.  Nor are there more than keys that were left out. */
static int dedupe_summary_window(const struct dedupe *dedupe)
{
  lfb_figures figures;

  lfb_any_stats((lfb_any){LFB_KIND_WINDOW, {dedupe->window.filter}}, &figures);
  const lfb_stats stats = figures.all;
  const double fpp = fmax(stats.fpp, stats.expected_fpp), out = (double)figure_get(&dedupe->out);
  const double left_out = (double)figure_get(&dedupe->in) - out;
  const bool overfull = fpp > stats.fpp && dedupe_window_overfull(&figures.window);
  if (overfull)
    report_overfull("window was", &stats);
  dedupe_print(dedupe, &stats,
               fpp > 0.99 ? (double)INFINITY : fmin(out * fpp / (1 - fpp), left_out));
  return overfull ? CLI_OTHERWISE : CLI_DONE;
}

static int dedupe_summary_filter(struct dedupe *dedupe)
{
  lfb_stats stats;

  if (!source_shared_stats(&dedupe->into, &stats))
    return CLI_NOT_DONE;
  dedupe->after = stats.approximate_count;
  const bool overfull = stats.fpp > 0 && stats.expected_fpp > stats.fpp &&
                        dedupe->before + figure_get(&dedupe->out) > stats.expected_insertions;
  if (overfull)
    report_overfull("filter was", &stats);
  dedupe_print(dedupe, &stats, dedupe_expected_false_positives(dedupe, &stats));
  return overfull ? CLI_OTHERWISE : CLI_DONE;
}

int dedupe_summary(struct dedupe *dedupe)
{
  return dedupe->window.filter == NULL ? dedupe_summary_filter(dedupe)
                                       : dedupe_summary_window(dedupe);
}
