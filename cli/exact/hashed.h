/*
 * hashed.h - the hashes of a chunk's lines, while one of the reads of exact.h works on it.
 */
#ifndef CLI_EXACT_HASHED_H
#define CLI_EXACT_HASHED_H

#include "cli/exact/run.h"
#include "cli/input/walk.h"

/* Of the lines of a thread's chunk, beside struct walk_lines.  Bit i % 64 of word i / 64 is that of
 * line i. */
struct exact_lines {
  uint64_t *low, *high;      /* of the hashes */
  uint64_t *maybe;           /* whether the table may have it, by a filter */
  uint64_t *seen;            /* whether an earlier run has printed it */
  uint64_t *doubts;          /* whether it is in doubt, unless the table has it */
  struct table_slot **slots; /* where the table has the open ones; NULL: they are in doubt */
  size_t capacity;
  size_t waiting; /* the first line that waits for spill_decide(); walk_lines.count: none does */
  bool inserted;  /* the table had room for all hashes */
  size_t now;     /* the bytes of the chunk to be printed at once */
  char *text;     /* what is printed, if the chunk is not: exact->numbered */
  size_t text_size, text_capacity;
};

static inline struct exact_hash hashed_at(const struct exact_lines *hashed, size_t i)
{
  return (struct exact_hash){hashed->low[i], hashed->high[i]};
}

/* A walk_taker: hashes the keys. */
bool hashed_take(void *context, struct walk_lines *lines, size_t first, const lfb_key *keys);

/* What follows from all lines of a chunk: which an earlier run has printed.  False after a
 * report. */
bool hashed_ask(const struct exact *exact, struct exact_lines *hashed,
                const struct walk_lines *lines);

/* Adds the lines and those of the first `count` that are printed to the figures; those that pass
 * are none. */
void hashed_tally(struct exact *exact, const struct walk_lines *lines, size_t count);

/* Writes the wanted lines to hashed->text, each after how often its key comes, as `uniq -c` does;
 * those that pass, as they stand.  The table has all open lines, and has counted them; the others
 * come once.  False after a report. */
bool hashed_number(const struct exact *exact, struct exact_lines *hashed,
                   const struct walk_lines *lines);

void hashed_free(struct exact_lines *hashed);

#endif
