/*
 * claim_figures.c - the figures at the end of `lfbloom claim`.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/figure.h"
#include "cli/base/human.h"
#include "cli/base/json.h"
#include "cli/base/report.h"
#include "cli/commands/claim.h"

enum { CLAIM_PARTS = 64 }; /* of the filling, each taken at its middle: error 0.3 % */

/* Whether figures->all.expected_fpp is all that is known of the filter while it was filled. */
static bool claim_is_bounded(const lfb_figures *figures)
{
  return figures->kind == LFB_KIND_GROWING || figures->kind == LFB_KIND_WINDOW ||
         !figures_counted(&figures->all);
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
static double claim_expected_false_positives(const struct claim *claim, const lfb_figures *figures)
{
  const lfb_stats *stats = &figures->all;

  if (stats->expected_fpp > 0.99)
    return INFINITY;
  if (claim->config.fpp == 0)
    return NAN;
  const uint64_t out = figure_get(&claim->out);
  if (claim_is_bounded(figures)) /* an upper bound: the probability only rises */
    return (double)out * stats->expected_fpp / (1 - stats->expected_fpp);

  /* Other processes fill a shared filter too; this one's keys are spread over all its filling. */
  const uint64_t span = claim->after > claim->before + out ? claim->after - claim->before : out;
  const uint64_t parts = span < CLAIM_PARTS ? span : (uint64_t)CLAIM_PARTS;
  double sum = 0;

  for (uint64_t part = 0; part < parts; part++) {
    const uint64_t each = span / parts, longer = span % parts; /* the first parts have one more */
    const uint64_t size = each + (part < longer);
    const uint64_t first = part * each + (part < longer ? part : longer);
    double fpp = 0;
    const uint64_t middle = claim->before + first + (size - 1) / 2;
    lfb_ignore(lfb_config_fpp_after(&claim->config, middle, &fpp));
    sum += (double)size * fpp / (1 - fpp);
  }
  return span == 0 ? 0 : sum * (double)out / (double)span;
}

static void claim_json(const struct claim *claim, const lfb_figures *figures, double wrong)
{
  json_open(NULL);
  json_count("in", figure_get(&claim->read.keys));
  json_count("out", figure_get(&claim->out));
  json_float("expected_false_positives", wrong);
  if (figures->kind == LFB_KIND_WINDOW)
    json_count("generations", figures->window.generations);
  figures_json_filled(&figures->all);
  json_count("bad_lines", figure_get(&claim->bad_lines));
  json_count("threads", claim->source.threads);
  json_count("input_bytes", figure_get(&claim->read.bytes));
  json_float("seconds", claim->seconds);
  json_close();
}

static void claim_text(const struct claim *claim, const lfb_figures *figures, double wrong)
{
  const uint64_t in = figure_get(&claim->read.keys);
  const double seconds = claim->seconds > 0 ? claim->seconds : 1e-9;
  char left_out[64] = "most distinct ones";

  if (isnan(wrong))
    (void)strcpy(left_out, "an unknown number");
  else if (isfinite(wrong))
    (void)snprintf(left_out, sizeof left_out, "%s %.3g distinct ones",
                   claim_is_bounded(figures) ? "at most about" : "about",
                   wrong);
  report_note("%s key%s in, %s out, %s wrongly left out; in %s; %s, %s keys/s",
              human_count(in).text, in == 1 ? "" : "s", human_count(figure_get(&claim->out)).text,
              left_out, human_bytes(figures->all.bytes).text, human_seconds(claim->seconds).text,
              human_short((double)in / seconds).text);
}

/* Whether more than n keys are in a span, also after generations of few keys were rounded up. */
static bool claim_window_overfull(const lfb_window_figures *figures)
{
  const double live = figures->generations + 1, each = live / figures->generations;
  const double room = each * (double)figures->expected_insertions + live;
  double keys = 0;

  for (uint32_t i = 0; i <= figures->generations; i++)
    keys += (double)figures->live[i].approximate_count;
  return keys > 1.02 * room; /* an estimate */
}

/* The same as a bound, for spans of at most n distinct keys: each key had at most the probability
 * p, or that of the end.  Nor are there more than keys that were left out. */
static double claim_window_false_positives(const struct claim *claim, const lfb_stats *stats)
{
  const double fpp = fmax(stats->fpp, stats->expected_fpp), out = (double)figure_get(&claim->out);
  const double left_out = (double)figure_get(&claim->read.keys) - out;

  return fpp > 0.99 ? (double)INFINITY : fmin(out * fpp / (1 - fpp), left_out);
}

int claim_figures(struct claim *claim)
{
  lfb_figures figures;

  if (!source_stats(&claim->into, &figures))
    return CLI_NOT_DONE;
  const lfb_stats *stats = &figures.all;
  const bool window = figures.kind == LFB_KIND_WINDOW;
  claim->after = stats->approximate_count;
  const bool overfull =
      stats->fpp > 0 && stats->expected_fpp > stats->fpp &&
      (window ? claim_window_overfull(&figures.window)
              : claim->before + figure_get(&claim->out) > stats->expected_insertions);
  const double wrong = window ? claim_window_false_positives(claim, stats)
                              : claim_expected_false_positives(claim, &figures);
  if (overfull)
    report_overfull(window ? "window was" : "filter was", stats);
  if (claim->json)
    claim_json(claim, &figures, wrong);
  else if (!claim->quiet)
    claim_text(claim, &figures, wrong);
  return overfull ? CLI_OTHERWISE : CLI_DONE;
}
