/*
 * kept.h - of a chunk's records, those that are to be printed.
 *
 * They are moved together in place, in their order, each ended by a delimiter.
 */
#ifndef CLI_KEPT_H
#define CLI_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/input.h"

struct kept {
  struct chunk *chunk;
  char *to; /* where the next one goes */
  char delimiter;
};

struct kept kept_begin(struct chunk *chunk, char delimiter);

/* Keeps those of the chunk's next keys whose answer, bit i % 64 of answers[i / 64], is
 * `wanted`. */
void kept_add(struct kept *kept, const lfb_key *keys, size_t count, const uint64_t *answers,
              bool wanted);

/* Makes the chunk what was kept of it. */
void kept_end(const struct kept *kept);

#endif
