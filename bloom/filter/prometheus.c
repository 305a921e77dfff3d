/*
 * prometheus.c - the figures of watches as one text.
 *
 * All lines of one metric must stand together, so the figures of all watches are taken
 * first, and once each.
 *
 * Source: prometheus.io/docs/instrumenting/exposition_formats, text format 0.0.4.
 */
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

/* One metric. */
typedef struct metric {
  const char *name, *type, *help;
  double (*value)(const lfb_watch_figures *figures);
} metric;

#define METRIC_VALUE(noun, expression)                            \
  static double metric_##noun(const lfb_watch_figures *figures)   \
  {                                                               \
    return (double)(expression);                                  \
  }

METRIC_VALUE(bits, figures->stats.bit_count)
METRIC_VALUE(bytes, figures->stats.bytes)
METRIC_VALUE(bits_set, figures->stats.bits_set)
METRIC_VALUE(bits_set_age, figures->stats.bits_set_age)
METRIC_VALUE(fill, figures->fill)
METRIC_VALUE(expected, figures->stats.expected_fpp)
METRIC_VALUE(elements, figures->stats.saturated ? (double)INFINITY
                                                : (double)figures->stats.approximate_count)
METRIC_VALUE(saturated, figures->stats.saturated)
METRIC_VALUE(stuck, figures->stats.counters_stuck)
METRIC_VALUE(fill_crossed, (figures->crossed & LFB_WATCH_FILL) != 0)
METRIC_VALUE(expected_crossed, (figures->crossed & LFB_WATCH_EXPECTED_FPP) != 0)
METRIC_VALUE(maybe, figures->maybe)
METRIC_VALUE(no, figures->no)
METRIC_VALUE(false_positives, figures->false_positives)
METRIC_VALUE(observed, figures->observed_fpp)

/* The help holds no backslash and no line feed, which would have to be escaped. */
static const metric metrics[] = {
    {"lfbloom_filter_bits", "gauge", "Bits of the filter.", metric_bits},
    {"lfbloom_filter_bytes", "gauge", "Memory of the bits or counters.", metric_bytes},
    {"lfbloom_filter_bits_set", "gauge", "Bits that are set.", metric_bits_set},
    {"lfbloom_filter_bits_set_age_seconds", "gauge", "Seconds since the bits set were counted.",
     metric_bits_set_age},
    {"lfbloom_filter_fill_ratio", "gauge", "Share of the bits that are set.", metric_fill},
    {"lfbloom_filter_expected_false_positive_ratio", "gauge",
     "Probability of a wrong maybe now, from the bits set.", metric_expected},
    {"lfbloom_filter_approximate_elements", "gauge",
     "Distinct elements that are in, estimated.", metric_elements},
    {"lfbloom_filter_saturated", "gauge", "1 if every answer is maybe.", metric_saturated},
    {"lfbloom_filter_stuck_counters", "gauge", "Counters that are for ever full.", metric_stuck},
    {"lfbloom_filter_fill_limit_crossed", "gauge", "1 if the fill has crossed its limit.",
     metric_fill_crossed},
    {"lfbloom_filter_expected_false_positive_limit_crossed", "gauge",
     "1 if the expected ratio of false positives has crossed its limit.",
     metric_expected_crossed},
    {"lfbloom_filter_maybe_answers_total", "counter", "Answers maybe, as reported.",
     metric_maybe},
    {"lfbloom_filter_no_answers_total", "counter", "Answers no, as reported.", metric_no},
    {"lfbloom_filter_false_positives_total", "counter",
     "Answers maybe that were wrong, as reported.", metric_false_positives},
    {"lfbloom_filter_observed_false_positive_ratio", "gauge",
     "Wrong maybes among all answers for absent keys, as reported.", metric_observed},
};

enum { METRIC_COUNT = sizeof metrics / sizeof *metrics };

/* A label's value: a label has no line feed, so two characters need escaping. */
static void text_escape(const char *name, char escaped[NAME_SIZE])
{
  for (; *name != '\0'; name++) {
    if (*name == '\\' || *name == '"')
      *escaped++ = '\\';
    *escaped++ = *name;
  }
  *escaped = '\0';
}

/* Makes the decimal point, which is the locale's and may be of several bytes, a dot. */
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

/* A whole number with all its digits, others with nine. */
static void text_number(double value, char number[NUMBER_SIZE])
{
  if (isnan(value) || isinf(value)) {
    (void)snprintf(number, NUMBER_SIZE, "%s", isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
    return;
  }
  (void)snprintf(number, NUMBER_SIZE, value == floor(value) ? "%.17g" : "%.9g", value);
  text_dot(number);
}

static lfb_status metric_write_head(const metric *m, lfb_write_fn write, void *to)
{
  char line[LINE_SIZE];
  const int size = snprintf(line, sizeof line, "# HELP %s %s\n# TYPE %s %s\n", m->name, m->help,
                            m->name, m->type);
  return write(to, line, (size_t)size);
}

static lfb_status metric_write_sample(const metric *m, const lfb_watch_figures *figures,
                                      lfb_write_fn write, void *to)
{
  char line[LINE_SIZE], name[NAME_SIZE], number[NUMBER_SIZE];

  text_escape(figures->name, name);
  text_number(m->value(figures), number);
  const int size = snprintf(line, sizeof line, "%s{filter=\"%s\"} %s\n", m->name, name, number);
  return write(to, line, (size_t)size);
}

static lfb_status metric_write(const metric *m, const lfb_watch_figures *figures, size_t count,
                               lfb_write_fn write, void *to)
{
  lfb_status status = metric_write_head(m, write, to);

  for (size_t i = 0; status == LFB_OK && i < count; i++)
    status = metric_write_sample(m, &figures[i], write, to);
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
  for (int i = 0; status == LFB_OK && i < METRIC_COUNT; i++)
    status = metric_write(&metrics[i], figures, count, write, to);
  free(figures);
  return status;
}
