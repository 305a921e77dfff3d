/*
 * input.h - reads files or standard input as chunks of whole records.
 *
 * A record ends at a delimiter (newline or NUL) or at the end of its file.  It may have any length
 * and any other bytes.
 *
 * Files are read with read(), too, not mapped: if a file shrinks, it ends early, while a mapping
 * would end the program with SIGBUS.  A chunk is complete when one read() has brought the end of a
 * record, so keys from a pipe are processed as they arrive.  A compressed file is decompressed by
 * the thread that reads it: cli/input/packed.h.
 *
 * Threads  One thread at a time uses an input; chunks may be passed to other threads.
 */
#ifndef CLI_INPUT_INPUT_H
#define CLI_INPUT_INPUT_H

#include <lfbloom/sink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/input/lines.h"
#include "cli/input/packed.h"

enum { CHUNK_WHY = 256 };

/* Whole records.  All zero is an empty chunk.  A chunk is filled repeatedly, then freed. */
struct chunk {
  char *bytes; /* CHUNK_ROOM bytes after `size` may be read; the first may be written */
  size_t size;

  /* Private. */
  char *memory; /* `bytes` points into it */
  size_t capacity;
  const char *name; /* of the file, for reports                             */
  uint64_t lines;   /* in the file up to the chunk's end, with number_lines */
  lfb_key *parts;   /* of chunk_parts(); NULL: not needed yet               */
  char *text;       /* the same                                             */
  size_t text_capacity;
  uint64_t refused; /* the number of the line that was refused; 0: none was */
  char why[CHUNK_WHY];
};

enum { CHUNK_PARTS = 4096 };

/* Makes room for CHUNK_PARTS parts of records, and for `size` bytes of text.  The text stays if it
 * fits.  False after a report. */
bool chunk_parts(struct chunk *chunk, size_t size);

/* Notes that the line that begins at `at` has no key, and why; needs number_lines.  Only bytes
 * before `at` may have been changed. */
void chunk_refuse(struct chunk *chunk, char delimiter, const char *at, const char *why);

/* Reports the line that was refused, if there is one. */
void chunk_report(const struct chunk *chunk);

enum { CHUNK_ROOM = LINES_BLOCK };

void chunk_free(struct chunk *chunk);

/*
 * Finds the next records of a chunk, at most `most`, which is at least 64.  `*at` begins as 0; the
 * call advances it.  Returns the number of records, 0 at the end.  They point into the chunk.
 */
size_t chunk_keys(const struct chunk *chunk, char delimiter, size_t *at, lfb_key *keys,
                  size_t most);

/* The first lines of the first file, which are printed and are no records.  Those of each other
 * file are left out, and must be the same.  It stays over several reads of an input. */
struct input_header {
  uint64_t lines;
  bool prints;

  /* Private. */
  char *bytes;
  size_t size;
  bool known; /* all of it */
};

struct input {
  char *const *paths; /* "-" is standard input */
  size_t path_count;  /* 0: standard input     */
  char delimiter;
  bool refuse_output; /* reading the file that is standard output is an error */
  bool *skipped;      /* not NULL: a file that cannot be read is reported, skipped, and sets it */
  bool number_lines;  /* for chunk_refuse()                                   */
  bool crlf;          /* lines are expected to end in CR: no warning if all do */
  bool plain;         /* whatever a file begins with, it is text              */
  bool json;          /* an object in each line: a file that is other JSON is an error; needs
                         number_lines */
  uint64_t skip;      /* the bytes of text that are left out at the start: whole records */
  struct input_header *header; /* NULL: there is none; else left out before `skip` */

  /* Private. */
  size_t next_path;
  const char *name;      /* of the open file, for reports              */
  int fd;                /* -1: none open                              */
  bool fresh;            /* nothing of the open file has been read     */
  bool lines_end_in_cr;  /* all of the open file so far                */
  bool any_line;         /* there was one                              */
  struct packed *packed; /* reads `fd` if it is compressed; else NULL  */
  char *rest;            /* bytes read after the end of the last chunk */
  size_t rest_size;
  uint64_t lines; /* of the open file, with number_lines */
  uint64_t header_left; /* lines of the open file's header */
  size_t header_at;     /* bytes of the header that were found in it */
};

/* Checks that every file can be read, and decompressed by this program.  False after a report. */
bool input_check(char *const *paths, size_t path_count);

/* Checks that no regular file begins as something that is no list of keys (start.h).  False
 * after a report. */
bool input_check_starts(char *const *paths, size_t path_count, char delimiter);

/* Whether all are regular files, which can be read twice.  Standard input can be one. */
bool input_is_rereadable(char *const *paths, size_t path_count);

/* The bytes to read of all files together; 0 if that is unknown. */
uint64_t input_total_bytes(char *const *paths, size_t path_count);

/* Begins reading.  The caller has set the public fields and zeroed the others.  False after a
 * report. */
bool input_begin(struct input *input);

enum input_result { INPUT_CHUNK, INPUT_END, INPUT_FAILED };

/* Fills the chunk with the next records, at least one byte.  INPUT_FAILED: after a report. */
enum input_result input_next(struct input *input, struct chunk *chunk);

void input_end(struct input *input);

#endif
