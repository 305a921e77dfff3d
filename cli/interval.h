/*
 * interval.h - confidence intervals of the binomial distribution.
 */
#ifndef CLI_INTERVAL_H
#define CLI_INTERVAL_H

#include <stdint.h>

struct interval {
  uint64_t low;
  uint64_t high;
};

/*
 * Returns the exact central 95 % interval of the binomial distribution.  Of `trials`, each true
 * with `probability`, fewer than `low` are true in at most 2.5 % of experiments, and more than
 * `high` in at most 2.5 %.
 */
struct interval interval_95(uint64_t trials, double probability);

#endif
