/* kept.c - keeps some records of a chunk. */
#include "cli/kept.h"

#include <string.h>

struct kept kept_begin(struct chunk *chunk, char delimiter)
{
  return (struct kept){chunk, chunk->bytes, delimiter};
}

/* Moves one record down to `to`; the record is at or above it. */
static void kept_add_one(struct kept *kept, const lfb_key *key)
{
  memmove(kept->to, key->bytes, key->size);
  kept->to += key->size;
  *kept->to++ = kept->delimiter; /* at most at its old place, or in the extra byte */
}

void kept_add(struct kept *kept, const lfb_key *keys, size_t count, const uint64_t *answers,
              bool wanted)
{
  for (size_t i = 0; i < count; i++)
    if (((answers[i / 64] >> (i % 64) & 1) != 0) == wanted)
      kept_add_one(kept, &keys[i]);
}

void kept_end(const struct kept *kept)
{
  kept->chunk->size = (size_t)(kept->to - kept->chunk->bytes);
}
