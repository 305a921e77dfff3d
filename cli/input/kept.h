/*
 * kept.h - keeps the records of a chunk that are to be printed.
 *
 * They are moved together in place, in their order, each with a delimiter at its end.
 */
#ifndef CLI_INPUT_KEPT_H
#define CLI_INPUT_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/input/input.h"

struct kept {
  struct chunk *chunk;
  char *to; /* the place of the next record */
  char delimiter;
};

struct kept kept_begin(struct chunk *chunk, char delimiter);

/* Takes the chunk's next records.  Keeps record i if bit i % 64 of wanted[i / 64] is set. */
void kept_add(struct kept *kept, const lfb_key *records, size_t count, const uint64_t *wanted);

/* Cuts the chunk to the records that were kept. */
void kept_end(const struct kept *kept);

#endif
