/* window_prometheus.c - writes the figures of windows as one text for Prometheus. */
#include <lfbloom/window.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bloom/filter/prometheus.h"

/* The metrics of each window, in the order in which they are written. */
typedef enum window_metric {
  WINDOW_METRIC_EXPECTED_INSERTIONS,
  WINDOW_METRIC_BYTES,
  WINDOW_METRIC_BITS,
  WINDOW_METRIC_GENERATION,
  WINDOW_METRIC_EXPECTED_FPP,
  WINDOW_METRIC_BITS_SET, /* this and the next: of each live generation */
  WINDOW_METRIC_ELEMENTS,
  WINDOW_METRIC_COUNT,
} window_metric;

static const lfb_metric window_metrics[WINDOW_METRIC_COUNT] = {
    [WINDOW_METRIC_EXPECTED_INSERTIONS] = {"lfbloom_window_expected_insertions", "gauge",
        "Distinct keys per span that the window was made for."},
    [WINDOW_METRIC_BYTES] = {"lfbloom_window_bytes", "gauge", "Memory of the bits."},
    [WINDOW_METRIC_BITS] = {"lfbloom_window_generation_bits", "gauge", "Bits of one generation."},
    [WINDOW_METRIC_GENERATION] = {"lfbloom_window_generations_total", "counter",
                                  "Number of the current generation."},
    [WINDOW_METRIC_EXPECTED_FPP] = {"lfbloom_window_expected_false_positive_ratio", "gauge",
                                    "Probability of a false positive now, from the bits set."},
    [WINDOW_METRIC_BITS_SET] = {"lfbloom_window_generation_bits_set", "gauge",
                                "Bits of the generation that are set."},
    [WINDOW_METRIC_ELEMENTS] = {"lfbloom_window_generation_approximate_elements", "gauge",
        "Distinct keys that were put into the generation, estimated."},
};

/* The value of a metric of the generation of this age. */
static double window_metric_value(window_metric id, const lfb_window_figures *figures, uint32_t age)
{
  const lfb_window_generation_figures *live = &figures->live[age];

  switch (id) {
  case WINDOW_METRIC_EXPECTED_INSERTIONS:
    return (double)figures->expected_insertions;
  case WINDOW_METRIC_BYTES:
    return (double)figures->bytes;
  case WINDOW_METRIC_BITS:
    return (double)figures->bit_count;
  case WINDOW_METRIC_GENERATION:
    return (double)figures->generation;
  case WINDOW_METRIC_EXPECTED_FPP:
    return figures->expected_fpp;
  case WINDOW_METRIC_BITS_SET:
    return (double)live->bits_set;
  default: /* WINDOW_METRIC_ELEMENTS */
    return live->approximate_count == UINT64_MAX ? (double)INFINITY
                                                 : (double)live->approximate_count;
  }
}

/* Writes the samples of one window. */
static lfb_status window_metric_write(window_metric id, const lfb_window_figures *figures,
                                      const char *name, lfb_write_fn write, void *to)
{
  const bool each = id >= WINDOW_METRIC_BITS_SET;
  const uint32_t ages = each ? figures->generations + 1 : 1;
  lfb_status status = LFB_OK;

  for (uint32_t age = 0; status == LFB_OK && age < ages; age++) {
    char more[32] = "";
    if (each)
      (void)snprintf(more, sizeof more, ",generation=\"%u\"", (unsigned)age);
    status = lfb_metric_write_sample(&window_metrics[id], "window", name, more,
                                     window_metric_value(id, figures, age), write, to);
  }
  return status;
}

static lfb_status window_names_check(const char *const *names, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (lfb_label_check(names[i]) != LFB_OK)
      return LFB_ERROR_BAD_LABEL;
    for (size_t j = 0; j < i; j++)
      if (strcmp(names[i], names[j]) == 0)
        return LFB_ERROR_SAME_NAME;
  }
  return LFB_OK;
}

lfb_status lfb_window_prometheus(const lfb_window *const *windows, const char *const *names,
                                 size_t count, lfb_write_fn write, void *to)
{
  lfb_status status = window_names_check(names, count);
  if (status != LFB_OK)
    return status;
  lfb_window_figures *figures = calloc(count + 1, sizeof *figures); /* never of 0 bytes */
  if (figures == NULL)
    return LFB_ERROR_NO_MEMORY;
  for (size_t i = 0; i < count; i++)
    lfb_window_stats(windows[i], &figures[i]);
  for (window_metric id = 0; status == LFB_OK && id < WINDOW_METRIC_COUNT; id++) {
    status = lfb_metric_write_head(&window_metrics[id], write, to);
    for (size_t i = 0; status == LFB_OK && i < count; i++)
      status = window_metric_write(id, &figures[i], names[i], write, to);
  }
  free(figures);
  return status;
}
