/*
 * interval.h - how often something with a known probability happens.
 */
#ifndef CLI_INTERVAL_H
#define CLI_INTERVAL_H

#include <stdint.h>

struct interval {
  uint64_t low;
  uint64_t high;
};

/*
 * The exact central 95 % interval of the binomial distribution: of `trials`, each
 * true with `probability`, fewer than `low` or more than `high` are true in at
 * most 2.5 % of all experiments each.
 */
struct interval interval_95(uint64_t trials, double probability);

#endif
