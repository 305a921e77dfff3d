/*
 * records.h - work on all records of an input, in parallel and in order.
 *
 * Any number of threads take chunks in turn and work on them at once; what is
 * to be emitted is emitted one chunk after another, in the input's order.
 */
#ifndef CLI_RECORDS_H
#define CLI_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/input.h"

struct records_job {
  char *const *paths; /* "-" is standard input */
  size_t path_count;  /* 0: standard input     */
  char delimiter;
  unsigned threads;
  void *context;
  /* Works on a chunk, and may change it; called by many threads at once, each with its
   * number, from 0 on.  False after a report: what is left of the chunk is emitted in its
   * turn, and the program ended, at once: other threads may be waiting for more input. */
  bool (*work)(void *context, unsigned thread, struct chunk *chunk);
  /* Emits a chunk that was worked on; one call at a time, in order.  NULL: nothing to emit. */
  void (*emit)(void *context, const struct chunk *chunk);
};

/* Returns false after a report where the input could not be read to its end. */
bool records_run(const struct records_job *job);

#endif
