/*
 * exact_lines.h - the lines of a chunk, while one of the reads of exact.h works on it.
 */
#ifndef CLI_EXACT_LINES_H
#define CLI_EXACT_LINES_H

#include "cli/exact/exact.h"

enum { LINES_AHEAD = 16,     /* hashes that are prefetched                  */
       LINES_BATCH = 1024 }; /* records that are found and hashed at once */

/* The lines of a thread's chunk. */
struct exact_lines {
  lfb_key *records;
  uint64_t *low, *high;      /* of their hashes */
  uint64_t *answers;         /* bit i % 64 of word i / 64: whether line i is printed or, of those
                                that wait, kept */
  uint64_t *passing;         /* the same: whether it has no key, and is printed as it stands */
  uint64_t *seen;            /* the same: whether an earlier run has printed it */
  uint64_t *doubts;          /* the same: whether it is in doubt, unless the table has it */
  uint32_t *open;            /* the lines to be decided, in their order */
  struct table_slot **slots; /* where the table has the open ones; NULL: they are in doubt */
  size_t count;
  size_t open_count;
  size_t capacity;
  size_t waiting; /* the first line that waits for spill_decide(); `count`: none does */
  size_t now;     /* the bytes of the chunk to be printed at once */
  char *text;     /* what is printed, if the chunk is not: exact->numbered */
  size_t text_size, text_capacity;
};

/* One read of the input. */
struct exact_read {
  struct exact *exact;
  struct keys_source source;
};

static inline struct exact_hash lines_hash(const struct exact_lines *lines, size_t i)
{
  return (struct exact_hash){lines->low[i], lines->high[i]};
}

static inline void bits_set(uint64_t *bits, size_t i, bool value)
{
  const uint64_t bit = UINT64_C(1) << (i % 64);

  bits[i / 64] = value ? bits[i / 64] | bit : bits[i / 64] & ~bit;
}

/* How many of the first `count` bits are set. */
uint64_t bits_sum(const uint64_t *bits, size_t count);

/* Finds all lines of the chunk: those that pass have the answer true, the others false.  Returns
 * false after a report; then there is nothing to print. */
bool lines_find(struct exact_lines *lines, const struct exact_read *read, struct chunk *chunk);

/* Adds lines and printed lines to the figures; those that pass are none. */
void lines_tally(const struct exact_lines *lines, struct exact *exact, uint64_t printed);

/* Keeps the lines of the chunk whose answer is true. */
void lines_keep(const struct exact_lines *lines, const struct exact *exact, struct chunk *chunk);

/* Writes the lines whose answer is true to lines->text, each after how often its key comes, as
 * `uniq -c` does; those that pass, as they stand.  The table has all open lines, and has counted
 * them; the others come once.  False after a report. */
bool lines_number(struct exact_lines *lines, const struct exact *exact);

#endif
