/*
 * input.h - files or standard input, read as chunks of whole records.
 *
 * A record ends in a delimiter, newline or NUL, or with its file; it may be of
 * any length and hold any other bytes.  Empty records are no keys.
 *
 * Everything is read with read(), files too: a file that shrinks meanwhile then
 * ends early, where a mapping would end the program with SIGBUS.  And a chunk is
 * done when one read() has brought the end of a record, so that a pipe's keys
 * are worked on as they come.
 *
 * Threads  An input belongs to one thread at a time; chunks may go to others.
 */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <lfbloom/sink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whole records.  All zero is an empty chunk; filled again and again, then freed. */
struct chunk {
  char *bytes; /* with room for one byte after `size` */
  size_t size;
  size_t capacity;
};

void chunk_free(struct chunk *chunk);

/*
 * The next keys of a chunk, `most` at most; `*at` begins as 0 and moves on.
 * Returns how many; 0 is the end.  They point into the chunk.
 */
size_t chunk_keys(const struct chunk *chunk, char delimiter, size_t *at, lfb_key *keys,
                  size_t most);

struct input {
  char *const *paths; /* "-" is standard input */
  size_t path_count;  /* 0: standard input     */
  char delimiter;
  bool refuse_output; /* a file that standard output goes to is an error */

  /* Private. */
  size_t next_path;
  const char *name; /* of the open file, for reports */
  int fd;           /* -1: none open                 */
  char *rest;       /* what was read beyond the last chunk */
  size_t rest_size;
};

/* Looks at every file without opening one; false after a report where one cannot be read. */
bool input_check(char *const *paths, size_t path_count);

/* Whether all are regular files, so can be read twice. */
bool input_is_rereadable(char *const *paths, size_t path_count);

/* The size of all files; 0 where that is unknown. */
uint64_t input_total_bytes(char *const *paths, size_t path_count);

/* Begins; the public fields are set, the others zero.  False after a report. */
bool input_begin(struct input *input);

enum input_result { INPUT_CHUNK, INPUT_END, INPUT_FAILED };

/* Fills the chunk with the next records, at least one byte; INPUT_FAILED after a report. */
enum input_result input_next(struct input *input, struct chunk *chunk);

void input_end(struct input *input);

#endif
