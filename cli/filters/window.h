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

/* The first one, for a window that exists: only a time. */
struct option_row window_time_row(struct window_span *to);

/* The number of distinct keys per span: the one given, or the number of keys of the span.  False
 * after a report, which names the command. */
bool window_expected(const struct command *command, const struct window_span *span,
                     const struct options_count *given, uint64_t *expected);

/* The keys of a generation, rounded up so that the span is at least as long as given; 0: the span
 * is a time. */
uint64_t window_each(const struct window_span *span, uint32_t generations);

/*
 * The keys of the last span.  Its generations end by the library's clocks, or after a number of
 * keys.
 *
 * Threads  Any may claim in a span of time; one thread in a span of keys.
 */
struct window {
  lfb_window *filter;
  const char *state; /* the path of its file; NULL: none */
  uint32_t generations;
  uint64_t each; /* keys per generation; 0: a span of time */
  uint64_t left; /* of them */
};

/* Opens the window in the file `state`, if there is one; otherwise, or without a file (NULL),
 * window->filter stays NULL.  What the span and the configuration say must be so there.  False
 * after a report. */
bool window_resume(struct window *window, const struct window_span *span, const char *state,
                   const uint8_t *key, const lfb_config *config);

/* Makes an empty window, in its file if it has one.  False after a report. */
bool window_begin(struct window *window, const struct command *command,
                  const struct window_span *span, const char *state, const uint8_t *key,
                  const lfb_config *config);

/* Makes what was claimed durable.  False after a report. */
bool window_settle(const struct window *window);

/* As lfb_any_many() with LFB_CLAIM. */
size_t window_claim(struct window *window, const lfb_key *keys, size_t count, uint64_t *answers);

void window_end(struct window *window);

#endif
