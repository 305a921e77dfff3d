/*
 * keys.h - reads or counts the keys of a command, with a progress bar.
 */
#ifndef CLI_KEYS_H
#define CLI_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/options.h"
#include "cli/progress.h"
#include "cli/records.h"

/* The source of a command's keys, and how they are read. */
struct keys_source {
  char *const *paths; /* "-" is standard input */
  size_t path_count;  /* 0: standard input     */
  bool nul;           /* keys end in NUL bytes */
  unsigned threads;
  enum progress_when progress;
  bool *skipped; /* as in records.h */
};

/* For the details of a command that reads keys. */
#define KEYS_HELP                                                                   \
  "A FILE whose name ends in .gz, .zst or .xz is decompressed; standard input is\n" \
  "not.  If its keys are counted first, such a FILE is decompressed twice.\n"

char keys_delimiter(const struct keys_source *source);

/*
 * Reads all keys once.  work, emit and context are those of `job`; its other fields are set from
 * the source.  By default no bar is shown if keys are typed or printed on a terminal.
 *
 * Returns false after a report if the input could not be read to its end.
 */
bool keys_read(const struct keys_source *source, const char *label, struct records_job job);

/*
 * Sets `*expected` to the number given, or else counts the keys, which must be readable twice.
 *
 * Returns false after a report, which names the command.
 */
bool keys_expected(const struct keys_source *source, const char *command,
                   const struct options_count *given, uint64_t *expected);

#endif
