/*
 * prometheus.c - writes the figures of filters of any kind, and of watches, as one text for Prometheus.
 *
 * All lines of one metric must be adjacent: first its head, then its samples.  So the figures of all filters are
 * taken first, once for each.
 *
 * Source: prometheus.io/docs/instrumenting/exposition_formats, text format 0.0.4.
 */
#include <lfbloom/any.h>
#include <lfbloom/watch.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  NAME_SIZE = 2 * LFB_LABEL_SIZE + 1, /* a name, each byte of it escaped */
  NUMBER_SIZE = 40,
  LINE_SIZE = 512,
};

/* What has a metric. */
typedef enum metric_of {
  OF_FILTER,     /* each filter that is no window    */
  OF_WATCH,      /* each watch                       */
  OF_WINDOW,     /* each window                      */
  OF_GENERATION, /* each live generation of a window */
} metric_of;

/* What is written of a filter. */
typedef struct exposed {
  const char *name;
  lfb_figures figures;
  bool watched;
  lfb_watch_figures watch; /* if it is watched */
  double fill;
  bool fill_crossed, fpp_crossed;
} exposed;

/* The type of a field. */
typedef enum metric_type { A_NUMBER, A_COUNT, A_BOOL } metric_type;

/* The help must have no backslash and no line feed: it is written without escaping. */
typedef struct metric {
  metric_of of;
  metric_type type;
  size_t at; /* of the value in an exposed, of the first generation's if each has one */
  const char *name, *kind, *help;
} metric;

#define OF_ALL(field) offsetof(exposed, figures.all.field)
#define OF_LIVE(field) offsetof(exposed, figures.window.live[0].field)
#define OF_FIGURES(field) offsetof(exposed, figures.window.field)

/* In the order in which they are written. */
static const metric metrics[] = {
    {OF_FILTER, A_COUNT, OF_ALL(bit_count), "lfbloom_filter_bits", "gauge", "Bits of the filter."},
    {OF_FILTER, A_COUNT, OF_ALL(bytes), "lfbloom_filter_bytes", "gauge", "Memory of the bits or counters."},
    {OF_FILTER, A_COUNT, OF_ALL(bits_set), "lfbloom_filter_bits_set", "gauge", "Bits that are set."},
    {OF_FILTER, A_NUMBER, OF_ALL(bits_set_age), "lfbloom_filter_bits_set_age_seconds", "gauge",
     "Seconds since the bits set were counted."},
    {OF_FILTER, A_NUMBER, offsetof(exposed, fill), "lfbloom_filter_fill_ratio", "gauge",
     "Share of the bits that are set."},
    {OF_FILTER, A_NUMBER, OF_ALL(expected_fpp), "lfbloom_filter_expected_false_positive_ratio", "gauge",
     "Probability of a false positive now, from the bits set."},
    {OF_FILTER, A_COUNT, OF_ALL(approximate_count), "lfbloom_filter_approximate_elements", "gauge",
     "Distinct keys that were put, estimated."},
    {OF_FILTER, A_BOOL, OF_ALL(saturated), "lfbloom_filter_saturated", "gauge", "1 if every answer is maybe."},
    {OF_FILTER, A_COUNT, OF_ALL(counters_stuck), "lfbloom_filter_stuck_counters", "gauge",
     "Counters that are permanently full."},
    {OF_WATCH, A_BOOL, offsetof(exposed, fill_crossed), "lfbloom_filter_fill_limit_crossed", "gauge",
     "1 if the fill has crossed its limit."},
    {OF_WATCH, A_BOOL, offsetof(exposed, fpp_crossed), "lfbloom_filter_expected_false_positive_limit_crossed", "gauge",
     "1 if the expected ratio of false positives has crossed its limit."},
    {OF_WATCH, A_COUNT, offsetof(exposed, watch.maybe), "lfbloom_filter_maybe_answers_total", "counter",
     "Answers maybe, as reported."},
    {OF_WATCH, A_COUNT, offsetof(exposed, watch.no), "lfbloom_filter_no_answers_total", "counter",
     "Answers no, as reported."},
    {OF_WATCH, A_COUNT, offsetof(exposed, watch.false_positives), "lfbloom_filter_false_positives_total", "counter",
     "False positives, as reported."},
    {OF_WATCH, A_NUMBER, offsetof(exposed, watch.observed_fpp), "lfbloom_filter_observed_false_positive_ratio", "gauge",
     "False positives per query of an absent key, as reported."},
    {OF_WINDOW, A_COUNT, OF_FIGURES(expected_insertions), "lfbloom_window_expected_insertions", "gauge",
     "Distinct keys per span that the window was made for."},
    {OF_WINDOW, A_COUNT, OF_ALL(bytes), "lfbloom_window_bytes", "gauge", "Memory of the bits."},
    {OF_WINDOW, A_COUNT, OF_FIGURES(bit_count), "lfbloom_window_generation_bits", "gauge", "Bits of one generation."},
    {OF_WINDOW, A_COUNT, OF_FIGURES(generation), "lfbloom_window_generations_total", "counter",
     "Number of the current generation."},
    {OF_WINDOW, A_NUMBER, OF_ALL(expected_fpp), "lfbloom_window_expected_false_positive_ratio", "gauge",
     "Probability of a false positive now, from the bits set."},
    {OF_GENERATION, A_COUNT, OF_LIVE(bits_set), "lfbloom_window_generation_bits_set", "gauge",
     "Bits of the generation that are set."},
    {OF_GENERATION, A_COUNT, OF_LIVE(approximate_count), "lfbloom_window_generation_approximate_elements", "gauge",
     "Distinct keys that were put into the generation, estimated."},
};

enum { METRICS = sizeof metrics / sizeof *metrics };

/* The value of a metric; `age` is that of a generation.  A count of UINT64_MAX is not known: infinite. */
static double metric_value(const metric *of, const exposed *filter, uint32_t age)
{
  const char *at = (const char *)filter + of->at + age * sizeof filter->figures.window.live[0];
  uint64_t count;
  double number;
  bool flag;

  switch (of->type) {
  case A_NUMBER:
    memcpy(&number, at, sizeof number);
    return number;
  case A_BOOL:
    memcpy(&flag, at, sizeof flag);
    return flag;
  default: /* A_COUNT */
    memcpy(&count, at, sizeof count);
    return count == UINT64_MAX ? (double)INFINITY : (double)count;
  }
}

/* How many samples of a metric a filter has. */
static uint32_t metric_samples(metric_of of, const exposed *filter)
{
  const bool window = filter->figures.kind == LFB_KIND_WINDOW;

  switch (of) {
  case OF_FILTER:
    return !window;
  case OF_WATCH:
    return filter->watched;
  case OF_WINDOW:
    return window;
  default: /* OF_GENERATION */
    return window ? filter->figures.window.generations + 1 : 0;
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

static lfb_status metric_write_head(const metric *of, lfb_write_fn write, void *to)
{
  char line[LINE_SIZE];
  const int size = snprintf(line, sizeof line, "# HELP %s %s\n# TYPE %s %s\n", of->name,
                            of->help, of->name, of->kind);
  return write(to, line, (size_t)size);
}

/* Writes one sample: of a window it has its name as label `window`, of others as label `filter`. */
static lfb_status metric_write_sample(const metric *of, const exposed *filter, uint32_t age,
                                      lfb_write_fn write, void *to)
{
  char line[LINE_SIZE], escaped[NAME_SIZE], digits[NUMBER_SIZE], generation[32] = "";

  text_escape(filter->name, escaped);
  text_number(metric_value(of, filter, age), digits);
  if (of->of == OF_GENERATION)
    (void)snprintf(generation, sizeof generation, ",generation=\"%u\"", (unsigned)age);
  const int size = snprintf(line, sizeof line, "%s{%s=\"%s\"%s} %s\n", of->name,
                            of->of == OF_WINDOW || of->of == OF_GENERATION ? "window" : "filter",
                            escaped, generation, digits);
  return write(to, line, (size_t)size);
}

/* Writes a metric, if one of the filters has it. */
static lfb_status metric_write(const metric *of, const exposed *filters, size_t count, lfb_write_fn write,
                               void *to)
{
  lfb_status status = LFB_OK;
  bool begun = false;

  for (size_t i = 0; i < count; i++) {
    const uint32_t samples = metric_samples(of->of, &filters[i]);
    if (samples > 0 && !begun)
      status = metric_write_head(of, write, to);
    begun |= samples > 0;
    for (uint32_t age = 0; status == LFB_OK && age < samples; age++)
      status = metric_write_sample(of, &filters[i], age, write, to);
    if (status != LFB_OK)
      return status;
  }
  return LFB_OK;
}

/* Checks the names. */
static lfb_status exposed_check(const exposed *filters, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (lfb_label_check(filters[i].name) != LFB_OK)
      return LFB_ERROR_BAD_LABEL;
    for (size_t j = 0; j < i; j++)
      if (strcmp(filters[i].name, filters[j].name) == 0)
        return LFB_ERROR_SAME_NAME;
  }
  return LFB_OK;
}

/* Writes the text, and frees the filters' figures; NULL: there was no memory for them. */
static lfb_status exposed_write(exposed *filters, size_t count, lfb_write_fn write, void *to)
{
  if (filters == NULL)
    return LFB_ERROR_NO_MEMORY;
  lfb_status status = exposed_check(filters, count);
  for (size_t i = 0; i < count; i++) {
    const lfb_stats *stats = &filters[i].figures.all;
    filters[i].fill = (double)stats->bits_set / (double)stats->reachable_bits;
    filters[i].fill_crossed = (filters[i].watch.crossed & LFB_WATCH_FILL) != 0;
    filters[i].fpp_crossed = (filters[i].watch.crossed & LFB_WATCH_EXPECTED_FPP) != 0;
  }
  for (size_t i = 0; status == LFB_OK && i < METRICS; i++)
    status = metric_write(&metrics[i], filters, count, write, to);
  free(filters);
  return status;
}

lfb_status lfb_watch_prometheus(const lfb_watch *const *watches, size_t count,
                                lfb_write_fn write, void *to)
{
  exposed *filters = calloc(count + 1, sizeof *filters); /* never of 0 bytes */

  for (size_t i = 0; filters != NULL && i < count; i++) {
    lfb_watch_stats(watches[i], &filters[i].watch);
    filters[i].name = filters[i].watch.name;
    filters[i].figures.all = filters[i].watch.stats;
    filters[i].watched = true;
  }
  return exposed_write(filters, count, write, to);
}

lfb_status lfb_any_prometheus(const lfb_any *anys, const char *const *names, size_t count,
                              lfb_write_fn write, void *to)
{
  exposed *filters = calloc(count + 1, sizeof *filters);

  for (size_t i = 0; filters != NULL && i < count; i++) {
    filters[i].name = names[i];
    lfb_any_stats(anys[i], &filters[i].figures);
  }
  return exposed_write(filters, count, write, to);
}
