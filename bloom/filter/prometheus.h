/*
 * prometheus.h - writes metrics in Prometheus' text format 0.0.4.
 *
 * All lines of one metric must be adjacent: first its head, then its samples.
 */
#ifndef LFB_BLOOM_PROMETHEUS_H
#define LFB_BLOOM_PROMETHEUS_H

#include <lfbloom/filter.h>

/* The help must have no backslash and no line feed: it is written without escaping. */
typedef struct lfb_metric {
  const char *name, *type, *help;
} lfb_metric;

/* Writes a metric's help and type.  Returns what `write` returned. */
lfb_status lfb_metric_write_head(const lfb_metric *metric, lfb_write_fn write, void *to);

/*
 * Writes one sample, `metric{label="value"more} number`.
 *
 * Takes    value  a text as lfb_label_check() allows; it is escaped.
 *          more   further labels, each after a comma; or "".
 * Returns  what `write` returned.
 */
lfb_status lfb_metric_write_sample(const lfb_metric *metric, const char *label, const char *value,
                                   const char *more, double number, lfb_write_fn write, void *to);

#endif
