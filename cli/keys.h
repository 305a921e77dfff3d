/*
 * keys.h - the keys that a command reads, under a bar; how many there are.
 */
#ifndef CLI_KEYS_H
#define CLI_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/options.h"
#include "cli/progress.h"
#include "cli/records.h"

/* Where a command's keys come from, and how they are read. */
struct keys_source {
  char *const *paths; /* "-" is standard input */
  size_t path_count;  /* 0: standard input     */
  bool nul;           /* keys end in NUL bytes */
  unsigned threads;
  enum progress_when progress;
};

char keys_delimiter(const struct keys_source *source);

/*
 * Reads all keys once; label, work, emit and context are the job's, the rest the source's.
 * By default no bar is shown where keys are typed, or printed, on a terminal.
 *
 * Returns false after a report where the input could not be read to its end.
 */
bool keys_read(const struct keys_source *source, const char *label, struct records_job job);

/*
 * Sets n: as given, or by counting the keys, where they can be read twice.
 *
 * Returns false after a report, which names the command.
 */
bool keys_expected(const struct keys_source *source, const char *command,
                   const struct options_count *given, uint64_t *expected);

#endif
