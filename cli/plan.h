/*
 * plan.h - the filter that each strategy would make for n and p.
 */
#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include <lfbloom/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/options.h"

struct plan_row {
  lfb_config config;
  const char *name;
  lfb_status status; /* LFB_OK, or the reason why there are no figures */
  lfb_stats stats;
  double fpp; /* after n keys */
};

struct plan {
  uint64_t n;
  double fpp;
  struct plan_row rows[OPTIONS_STRATEGIES];
  size_t row_count;
  lfb_strategy_id chosen; /* by default; LFB_DEFAULT if that cannot have n and p */
};

/*
 * Writes an SVG picture of the false-positive probability of each strategy's filter against its
 * load.  False after a report; then `path` is unchanged.
 */
bool plot_write(const struct plan *plan, const char *path);

#endif
