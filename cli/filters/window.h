/*
 * window.h - --window: the keys of the last span only.
 */
#ifndef CLI_FILTERS_WINDOW_H
#define CLI_FILTERS_WINDOW_H

#include <lfbloom/window_mapped.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/base/options.h"

/* A span of time, or of keys. */
struct window_span {
  const char *text; /* as it was given; NULL: not given */
  uint64_t keys;    /* 0: a time                        */
  double number;    /* of keys, or of the unit          */
  const char *unit; /* "s", "m", "h", "d"; "" for keys  */
  double seconds;   /* 0: a number of keys              */
  uint32_t generations; /* of SPAN/G; 0: not given      */
};

struct option_row window_span_row(struct window_span *to);

/* The number of distinct keys per span: the one given, or the number of keys of the span.  False
 * after a report, which names the command. */
bool window_expected(const struct command *command, const struct window_span *span,
                     const struct options_count *given, uint64_t *expected);

/* The keys of a generation, rounded up so that the span is at least as long as given; 0: the span
 * is a time. */
uint64_t window_each(const struct window_span *span, uint32_t generations);

/* The configuration of a window of this span, for .expected_insertions keys. */
lfb_window_config window_config(const struct window_span *span, const lfb_config *config);

/* Whether the window of a file is the one that the options describe.  False after a report. */
bool window_fits(const struct window_span *span, const char *path, const struct options_key *key,
                 const lfb_config *config, const lfb_window_figures *figures);

/* What is left of the generation of a span of keys. */
struct window_count {
  uint64_t each; /* keys per generation; 0: a span of time, and this is unused */
  uint64_t keys; /* of them                                                    */
};

/* As lfb_any_many() with LFB_CLAIM, in a span of keys: ends a generation after its last key.  By
 * one thread. */
size_t window_claim(struct window_count *left, lfb_window *window, const lfb_key *keys,
                    size_t count, uint64_t *answers);

#endif
