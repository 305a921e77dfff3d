/*
 * records.h - processes all records of an input, in parallel and in order.
 *
 * Several threads take chunks in turn and work on them concurrently.  Between two parts of the work
 * each chunk can be decided: one at a time, in the order of the input.  The results are emitted in
 * that order, too.
 *
 * Memory   Each thread has one chunk (input.h) at a time: from when it is read until it is emitted.
 *          So a slow reader of the output stops the reading.
 */
#ifndef CLI_INPUT_RECORDS_H
#define CLI_INPUT_RECORDS_H

#include <lfbloom/c11.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/input/input.h"

struct records_job {
  struct input input; /* its public fields, but refuse_output */
  unsigned threads;
  const LFB_ATOMIC(bool) *enough; /* NULL, or whether enough was read: then no more is */
  void *context;
  /* Works on a chunk, and may change it.  Many threads call it at once, each with its number,
   * from 0.  False after a report: the chunk is emitted in its turn, and then the program ends at
   * once, because other threads may be waiting for more input.  It also ends after a chunk with a
   * refused line (chunk_refuse()), which is decided, finished and emitted first. */
  bool (*work)(void *context, unsigned thread, struct chunk *chunk);
  /* Decides the chunk after `work`: one call at a time, in order.  NULL: nothing is decided.  False
   * after a report: then no later chunk is decided, and the rest is as for `work`. */
  bool (*decide)(void *context, unsigned thread, struct chunk *chunk);
  /* Works on the decided chunk, again many threads at once, also if deciding failed. */
  void (*finish)(void *context, unsigned thread, struct chunk *chunk);
  /* Emits a finished chunk: one call at a time, in order.  NULL: nothing is emitted. */
  void (*emit)(void *context, unsigned thread, const struct chunk *chunk);
};

/* Returns false after a report if the input could not be read to its end. */
bool records_run(const struct records_job *job);

#endif
