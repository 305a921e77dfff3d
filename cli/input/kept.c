/* kept.c - keeps some records of a chunk. */
#include "cli/input/kept.h"

#include <lfbloom/filter.h>

#include <string.h>

struct kept kept_begin(struct chunk *chunk, char delimiter)
{
  return (struct kept){chunk, chunk->bytes, delimiter};
}

/* Moves the records from `first` to `last`, which follow one another, down to `to`. */
static void kept_add_run(struct kept *kept, const lfb_key *first, const lfb_key *last)
{
  const char *const begin = first->bytes;
  const size_t size = (size_t)((const char *)last->bytes + last->size - begin);

  if (kept->to != begin)
    memmove(kept->to, begin, size);
  kept->to += size;
  *kept->to++ = kept->delimiter; /* at most at its old place, or in the extra byte */
}

static bool kept_is_next(const lfb_key *key, const lfb_key *next)
{
  return (const char *)key->bytes + key->size + 1 == (const char *)next->bytes;
}

void kept_add(struct kept *kept, const lfb_key *records, size_t count, const uint64_t *wanted)
{
  for (size_t i = 0; i < count; i++) {
    if (!lfb_answer(wanted, i))
      continue;
    const size_t first = i;
    while (i + 1 < count && lfb_answer(wanted, i + 1) && kept_is_next(&records[i], &records[i + 1]))
      i++;
    kept_add_run(kept, &records[first], &records[i]);
  }
}

void kept_end(const struct kept *kept)
{
  kept->chunk->size = (size_t)(kept->to - kept->chunk->bytes);
}
