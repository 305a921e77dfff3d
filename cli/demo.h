/*
 * demo.h - the experiment of `lfbloom demo`: its options and its results.
 */
#ifndef CLI_DEMO_H
#define CLI_DEMO_H

#include <lfbloom/filter.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/interval.h"

/* Keys of one call: as `build` passes.  With 256, a put of 10 M took 1.4 times as long, since the
 * first keys of each call wait for their lines. */
enum { DEMO_BATCH = 1024 };

/* Queries or puts, and the time of the filter's calls. */
struct demo_phase {
  uint64_t asked;
  uint64_t found;
  uint64_t call_ns; /* summed over all threads */
  uint64_t wall_ns;
};

struct demo {
  lfb_config config; /* n is config.expected_insertions */
  uint64_t seed;
  unsigned threads;

  lfb_stats stats;           /* after all puts */
  struct demo_phase putting; /* asked: keys that were put */
  struct demo_phase during; /* queries during the puts */
  struct demo_phase present;
  struct demo_phase absent;
  double model_fpp;                /* by the strategy's model, after n keys */
  struct interval false_positives; /* the expected range */
  uint64_t hash_set_bytes;
};

/* Present keys that the filter did not find: the filter is broken if there is one. */
uint64_t demo_missed(const struct demo *demo);

/* Runs the experiment and stores the results.  False after a report. */
bool demo_measure(struct demo *demo, bool shows_progress);

void demo_print_text(const struct demo *demo);
void demo_print_json(const struct demo *demo);

#endif
