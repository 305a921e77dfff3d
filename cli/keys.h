/*
 * keys.h - reads or counts the keys of a command, with a progress bar.
 */
#ifndef CLI_KEYS_H
#define CLI_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/part.h"
#include "cli/progress.h"
#include "cli/records.h"

/* The source of a command's keys, and how they are read. */
struct keys_source {
  char *const *paths; /* "-" is standard input */
  size_t path_count;  /* 0: standard input     */
  bool nul;           /* keys end in NUL bytes */
  struct part part;   /* of a record: its key  */
  unsigned threads;
  enum progress_when progress;
  bool *skipped; /* as in records.h */
};

/* For the details of a command that reads keys. */
#define KEYS_HELP                                                                       \
  "A FILE whose name ends in .gz, .zst or .xz is decompressed; standard input is\n"     \
  "not.  If its keys are counted first, such a FILE is decompressed twice.\n"           \
  "\n"                                                                                  \
  "With -k N, the key of a line is its field N alone, as with 'sort -k N,N'; with\n"    \
  "-k N,M, it reaches to the end of field M, separators included.  dedupe and query\n"  \
  "print whole lines.  Without -t, runs of spaces and tabs separate fields, and\n"      \
  "those at the start and the end of a line belong to no field, as in awk.  With\n"     \
  "-t, each BYTE separates two fields; quotes have no meaning.  A line without\n"       \
  "field N has the empty key, which is a key as any other.  A carriage return that\n"   \
  "ends a line is part of its last field.\n"                                            \
  "\n"                                                                                  \
  "With --jsonl, each line is a JSON object, and the key is a string's text without\n"  \
  "escapes, in UTF-8, or a number, true, false or null as it stands.  So 1 and \"1\"\n" \
  "are the same key, 1 and 1.0 are not.  If a name comes twice, the last counts.  A\n"  \
  "line that is no JSON, or lacks the member, or has an object or array there, ends\n"  \
  "the command with an error that names the file and the first such line, after the\n"  \
  "output for the lines before it.\n"

char keys_delimiter(const struct keys_source *source);

/* Checks the options of the source and, unless unreadable files are skipped, that every file can be
 * read, without opening one.  False after a report. */
bool keys_check(const struct keys_source *source, const struct command *command);

/*
 * Finds the keys of `*count` records, at most CHUNK_PARTS, which chunk_keys() found in the chunk.
 * If one has no key, it is refused (chunk_refuse()), and `*count` becomes the number before it.
 *
 * Returns `records` if whole records are keys, else an array of the chunk, until the next call; the
 * bytes of its keys stay until the chunk is filled again.  NULL after a report.
 */
const lfb_key *keys_of(const struct keys_source *source, struct chunk *chunk,
                       const lfb_key *records, size_t *count);

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
