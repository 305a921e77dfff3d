/*
 * prometheus.c - writes the figures of watches as one text for Prometheus.
 *
 * All lines of one metric must be adjacent.  So the figures of all watches are taken first, once
 * for each watch.
 *
 * Source: prometheus.io/docs/instrumenting/exposition_formats, text format 0.0.4.
 */
#include "bloom/filter/prometheus.h"

#include <lfbloom/watch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  NAME_SIZE = 2 * LFB_LABEL_SIZE + 1, /* a name, each byte of it escaped */
  NUMBER_SIZE = 40,
  LINE_SIZE = 512,
};

/* The metrics of each watch, in the order in which they are written. */
typedef enum metric_id {
  METRIC_BITS,
  METRIC_BYTES,
  METRIC_BITS_SET,
  METRIC_BITS_SET_AGE,
  METRIC_FILL,
  METRIC_EXPECTED,
  METRIC_ELEMENTS,
  METRIC_SATURATED,
  METRIC_STUCK,
  METRIC_FILL_CROSSED,
  METRIC_EXPECTED_CROSSED,
  METRIC_MAYBE,
  METRIC_NO,
  METRIC_FALSE_POSITIVES,
  METRIC_OBSERVED,
  METRIC_COUNT,
} metric_id;

static const lfb_metric metrics[METRIC_COUNT] = {
    [METRIC_BITS] = {"lfbloom_filter_bits", "gauge", "Bits of the filter."},
    [METRIC_BYTES] = {"lfbloom_filter_bytes", "gauge", "Memory of the bits or counters."},
    [METRIC_BITS_SET] = {"lfbloom_filter_bits_set", "gauge", "Bits that are set."},
    [METRIC_BITS_SET_AGE] = {"lfbloom_filter_bits_set_age_seconds", "gauge",
                             "Seconds since the bits set were counted."},
    [METRIC_FILL] = {"lfbloom_filter_fill_ratio", "gauge", "Share of the bits that are set."},
    [METRIC_EXPECTED] = {"lfbloom_filter_expected_false_positive_ratio", "gauge",
                         "Probability of a false positive now, from the bits set."},
    [METRIC_ELEMENTS] = {"lfbloom_filter_approximate_elements", "gauge",
                         "Distinct keys that were put, estimated."},
    [METRIC_SATURATED] = {"lfbloom_filter_saturated", "gauge", "1 if every answer is maybe."},
    [METRIC_STUCK] = {"lfbloom_filter_stuck_counters", "gauge",
                      "Counters that are permanently full."},
    [METRIC_FILL_CROSSED] = {"lfbloom_filter_fill_limit_crossed", "gauge",
                             "1 if the fill has crossed its limit."},
    [METRIC_EXPECTED_CROSSED] = {"lfbloom_filter_expected_false_positive_limit_crossed", "gauge",
        "1 if the expected ratio of false positives has crossed its limit."},
    [METRIC_MAYBE] = {"lfbloom_filter_maybe_answers_total", "counter",
                      "Answers maybe, as reported."},
    [METRIC_NO] = {"lfbloom_filter_no_answers_total", "counter", "Answers no, as reported."},
    [METRIC_FALSE_POSITIVES] = {"lfbloom_filter_false_positives_total", "counter",
                                "False positives, as reported."},
    [METRIC_OBSERVED] = {"lfbloom_filter_observed_false_positive_ratio", "gauge",
                         "False positives per query of an absent key, as reported."},
};

static double metric_value(metric_id id, const lfb_watch_figures *figures)
{
  const lfb_stats *stats = &figures->stats;

  switch (id) {
  case METRIC_BITS:
    return (double)stats->bit_count;
  case METRIC_BYTES:
    return (double)stats->bytes;
  case METRIC_BITS_SET:
    return (double)stats->bits_set;
  case METRIC_BITS_SET_AGE:
    return stats->bits_set_age;
  case METRIC_FILL:
    return figures->fill;
  case METRIC_EXPECTED:
    return stats->expected_fpp;
  case METRIC_ELEMENTS:
    return stats->saturated ? (double)INFINITY : (double)stats->approximate_count;
  case METRIC_SATURATED:
    return stats->saturated;
  case METRIC_STUCK:
    return (double)stats->counters_stuck;
  case METRIC_FILL_CROSSED:
    return (figures->crossed & LFB_WATCH_FILL) != 0;
  case METRIC_EXPECTED_CROSSED:
    return (figures->crossed & LFB_WATCH_EXPECTED_FPP) != 0;
  case METRIC_MAYBE:
    return (double)figures->maybe;
  case METRIC_NO:
    return (double)figures->no;
  case METRIC_FALSE_POSITIVES:
    return (double)figures->false_positives;
  default: /* METRIC_OBSERVED */
    return figures->observed_fpp;
  }
}

/* Escapes a name as a label's value.  A name has no line feed, so two characters need escaping. */
static void text_escape(const char *name, char escaped[NAME_SIZE])
{
  for (; *name != '\0'; name++) {
    if (*name == '\\' || *name == '"')
      *escaped++ = '\\';
    *escaped++ = *name;
  }
  *escaped = '\0';
}

/* Replaces the locale's decimal point, which may have several bytes, by a dot. */
static void text_dot(char *number)
{
  char *to = number;

  for (const char *at = number; *at != '\0'; at++) {
    const bool plain = strchr("0123456789+-e", *at) != NULL;
    if (plain)
      *to++ = *at;
    else if (to == number || to[-1] != '.')
      *to++ = '.';
  }
  *to = '\0';
}

/* Writes a whole number with all its digits, any other with nine. */
static void text_number(double value, char number[NUMBER_SIZE])
{
  if (isnan(value) || isinf(value)) {
    (void)snprintf(number, NUMBER_SIZE, "%s", isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
    return;
  }
  (void)snprintf(number, NUMBER_SIZE, value == floor(value) ? "%.17g" : "%.9g", value);
  text_dot(number);
}

lfb_status lfb_metric_write_head(const lfb_metric *metric, lfb_write_fn write, void *to)
{
  char line[LINE_SIZE];
  const int size = snprintf(line, sizeof line, "# HELP %s %s\n# TYPE %s %s\n", metric->name,
                            metric->help, metric->name, metric->type);
  return write(to, line, (size_t)size);
}

lfb_status lfb_metric_write_sample(const lfb_metric *metric, const char *label, const char *value,
                                   const char *more, double number, lfb_write_fn write, void *to)
{
  char line[LINE_SIZE], escaped[NAME_SIZE], digits[NUMBER_SIZE];

  text_escape(value, escaped);
  text_number(number, digits);
  const int size = snprintf(line, sizeof line, "%s{%s=\"%s\"%s} %s\n", metric->name, label, escaped,
                            more, digits);
  return write(to, line, (size_t)size);
}

static lfb_status metric_write(metric_id id, const lfb_watch_figures *figures, size_t count,
                               lfb_write_fn write, void *to)
{
  lfb_status status = lfb_metric_write_head(&metrics[id], write, to);

  for (size_t i = 0; status == LFB_OK && i < count; i++)
    status = lfb_metric_write_sample(&metrics[id], "filter", figures[i].name, "",
                                     metric_value(id, &figures[i]), write, to);
  return status;
}

static bool figures_same_name(const lfb_watch_figures *figures, size_t count)
{
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < i; j++)
      if (strcmp(figures[i].name, figures[j].name) == 0)
        return true;
  return false;
}

lfb_status lfb_watch_prometheus(const lfb_watch *const *watches, size_t count,
                                lfb_write_fn write, void *to)
{
  lfb_watch_figures *figures = calloc(count + 1, sizeof *figures); /* never of 0 bytes */
  lfb_status status = figures == NULL ? LFB_ERROR_NO_MEMORY : LFB_OK;

  for (size_t i = 0; status == LFB_OK && i < count; i++)
    lfb_watch_look(watches[i], &figures[i]);
  if (status == LFB_OK && figures_same_name(figures, count))
    status = LFB_ERROR_SAME_NAME;
  for (metric_id id = METRIC_BITS; status == LFB_OK && id < METRIC_COUNT; id++)
    status = metric_write(id, figures, count, write, to);
  free(figures);
  return status;
}
