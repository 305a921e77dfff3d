/*
 * records.h - processes all records of an input, in parallel and in order.
 *
 * Several threads take chunks in turn and work on them concurrently.  The results are emitted one
 * chunk after another, in the order of the input.
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
  bool *skipped; /* not NULL: files that cannot be read are reported, skipped, and set it */
  bool number_lines; /* for chunk_line() */
  void *context;
  /* Works on a chunk, and may change it.  Many threads call it at once, each with its number,
   * from 0.  False after a report: the chunk is emitted in its turn, and then the program ends at
   * once, because other threads may be waiting for more input. */
  bool (*work)(void *context, unsigned thread, struct chunk *chunk);
  /* Emits a finished chunk: one call at a time, in order.  NULL: nothing is emitted. */
  void (*emit)(void *context, const struct chunk *chunk);
};

/* Returns false after a report if the input could not be read to its end. */
bool records_run(const struct records_job *job);

#endif
