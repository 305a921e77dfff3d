/*
 * claim.h - the parts of `lfbloom claim`: options, filter and lines (claim.c), and the figures at
 * the end (claim_figures.c).
 */
#ifndef CLI_COMMANDS_CLAIM_H
#define CLI_COMMANDS_CLAIM_H

#include <lfbloom/filter.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/base/options.h"
#include "cli/filters/figures.h"
#include "cli/filters/source.h"
#include "cli/filters/window.h"
#include "cli/input/walk.h"

struct claim {
  struct keys_source source;
  struct options_count expected;
  struct options_strategy strategy;
  struct options_hash hash;
  struct options_key key;
  struct options_mode mode;
  lfb_config config;
  bool unordered;
  bool quiet;
  bool json;
  const char *state, *shared; /* the options; below, `kept` has either */
  const char *kept; /* the path or address of a filter that stays; NULL: none */
  struct window_span span; /* --window */

  struct source into;        /* where keys are claimed                            */
  struct window_count count; /* of --window with a number of keys                 */
  uint64_t before;           /* estimates of the distinct keys: at the start, and at the end */
  uint64_t after;
  struct walk_figures read;
  _Atomic(uint64_t) out; /* keys that were claimed */
  _Atomic(uint64_t) bad_lines;
  double seconds;
};

/* Prints the figures at the end: of a window, or of another filter.  Returns the exit status:
 * CLI_OTHERWISE after a warning that more keys came than the filter was made for. */
int claim_figures(struct claim *claim);

#endif
