/*
 * exact_spill.h - lines that memory has no room to decide: temporary files decide them.
 *
 * Their hashes go to partitions by some of their bits, in the order of the input.  spill_decide()
 * then finds in each partition alone which hash is the first of its kind: one bit for each.  The
 * lines are read again in the same order, and spill_next() takes the next bit of the line's
 * partition; so no file says where a line was.  For an input that cannot be read again, the lines
 * themselves are kept in a file, too.
 *
 * The two files have no name: nothing is left of them, however the program ends.
 *
 * Threads  One at a time, except within spill_decide().
 */
#ifndef CLI_EXACT_SPILL_H
#define CLI_EXACT_SPILL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/exact/table.h"

enum { SPILL_PARTS = 64,
       SPILL_BUFFER = 32 * 1024,
       SPILL_HASHES = SPILL_BUFFER / sizeof(struct exact_hash) };

struct spill_part {
  uint32_t *blocks; /* of the file, each of SPILL_BUFFER bytes: of hashes, then the first of bits
                       instead */
  size_t block_count;
  unsigned char *buffer;
  size_t filled;  /* of the buffer */
  uint64_t count; /* hashes        */
  uint64_t next;  /* of spill_next() */
};

struct spill {
  const char *folder; /* of the files; NULL: $TMPDIR, or /tmp */
  bool begun;
  uint64_t count; /* hashes */
  _Atomic(uint64_t) repeated; /* those that come more than once; after spill_decide() */
  _Atomic(uint64_t) bytes; /* in all files: of text by the thread that prints, of hashes by the one
                              that decides */

  /* Private. */
  struct spill_part parts[SPILL_PARTS];
  int file; /* of all partitions: of 64 files, making them would take most of the time */
  uint32_t blocks;
  int text; /* the file of lines; 0: none */
};

/* Whether a temporary file can be made.  False after a report. */
bool spill_check(const struct spill *spill);

/* All functions below return false after a report. */

/* Makes the files; that of lines only if `text`. */
bool spill_begin(struct spill *spill, bool text);

bool spill_add(struct spill *spill, struct exact_hash hash);

/* The same for a partition that the caller has chosen; of these, no line is decided. */
bool spill_add_to(struct spill *spill, unsigned part, struct exact_hash hash);

/* Writes what is left in the buffers. */
bool spill_flush_all(struct spill *spill);

/* Reads hashes of a flushed partition, from number `at` on, a multiple of SPILL_HASHES: at most
 * SPILL_HASHES. */
bool spill_hashes(const struct spill *spill, const struct spill_part *part, uint64_t at,
                  struct exact_hash *hashes, size_t *count);

bool spill_add_text(struct spill *spill, const char *bytes, size_t size);

/* Decides all hashes by `threads` threads, which together take about `memory` bytes for it. */
bool spill_decide(struct spill *spill, unsigned threads, uint64_t memory);

/* Makes standard input of the file of lines, at its start. */
bool spill_read_text(const struct spill *spill);

/* Sets `*first` to whether the line's hash, which was added, was the first of its kind. */
bool spill_next(struct spill *spill, struct exact_hash hash, bool *first);

void spill_end(struct spill *spill);

#endif
