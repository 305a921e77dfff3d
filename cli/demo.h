/*
 * demo.h - the known experiment: its options, and what came out.
 */
#ifndef CLI_DEMO_H
#define CLI_DEMO_H

#include <lfbloom/filter.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/interval.h"

/* Questions asked, and the time that the filter's calls took. */
struct demo_phase {
  uint64_t asked;
  uint64_t found;
  uint64_t call_ns; /* of all threads together */
  uint64_t wall_ns;
};

struct demo {
  lfb_config config; /* n is config.expected_insertions */
  uint64_t seed;
  unsigned threads;

  lfb_stats stats;           /* when all keys were in */
  struct demo_phase putting; /* asked: put */
  struct demo_phase meanwhile;
  struct demo_phase present;
  struct demo_phase absent;
  double model_fpp;                /* by the strategy's model, with n keys in */
  struct interval false_positives; /* to expect */
  uint64_t hash_set_bytes;
};

/* Present keys that the filter denied: more than 0 is a broken filter. */
uint64_t demo_missed(const struct demo *demo);

/* Runs the experiment: fills in the results.  False after a report. */
bool demo_measure(struct demo *demo, bool shows_progress);

void demo_print_text(const struct demo *demo);
void demo_print_json(const struct demo *demo);

#endif
