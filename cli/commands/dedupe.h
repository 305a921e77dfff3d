/*
 * dedupe.h - the parts of `lfbloom dedupe`: options (dedupe.c), keys (dedupe_keys.c) and figures
 * (dedupe_summary.c); and without a filter's loss, dedupe_exact.c.
 */
#ifndef CLI_COMMANDS_DEDUPE_H
#define CLI_COMMANDS_DEDUPE_H

#include <lfbloom/filter.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/base/options.h"
#include "cli/exact/seen.h"
#include "cli/filters/figures.h"
#include "cli/filters/source.h"
#include "cli/filters/window.h"
#include "cli/input/keys.h"

struct dedupe {
  struct keys_source source;
  struct options_count expected;
  struct options_strategy strategy;
  struct options_hash hash;
  struct options_reading reading;
  struct options_mode mode;
  lfb_config config;
  bool growing; /* --growing */
  bool unordered;
  bool quiet;
  bool json;
  bool counted, repeated, unique; /* --count, --repeated, --unique */
  struct options_count header_lines; /* --header */
  struct input_header header;
  const char *out_path; /* -o; NULL: standard output */

  struct options_count memory; /* --memory */
  const char *temp;            /* --temp   */
  const char *seen_path;       /* --seen   */
  struct seen *seen; /* that file, from dedupe_exactly() to dedupe_remember() */
  uint64_t given_memory; /* that of --memory, or its default */
  const char *shared; /* the path of a shared filter; NULL: none */
  struct window_options forgets;

  struct window window;      /* where keys are claimed with --window; else its filter is NULL */
  struct source_shared into; /* where they are claimed otherwise */
  uint64_t before;           /* estimates of the distinct keys: at the start, and at the end */
  uint64_t after;
  _Atomic(uint64_t) in, out; /* keys read, and keys that were new */
  _Atomic(uint64_t) bad_lines;
  _Atomic(uint64_t) bytes;
  double seconds;
};

/* Reads all keys, claims them, and prints those that are new.  False after a report. */
bool dedupe_keys(struct dedupe *dedupe);

/* Does it all without loss.  Returns the exit status. */
int dedupe_exactly(struct dedupe *dedupe);

/* If that ended with this status, and all output is in its place, adds it to the file of --seen.
 * Returns the exit status. */
int dedupe_remember(struct dedupe *dedupe, int status);

/* Prints the figures at the end: of a window, or of another filter.  Returns the exit status:
 * CLI_OTHERWISE after a warning that more keys came than the filter was made for. */
int dedupe_summary(struct dedupe *dedupe);

#endif
