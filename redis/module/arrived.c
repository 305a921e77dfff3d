/* pieces.c - a queue of bytes. */
#include "redis/module/arrived.h"

#include <stdlib.h>
#include <string.h>

#include "redis/module/memory.h"

typedef struct piece {
  struct piece *next;
  size_t size;
  unsigned char bytes[];
} piece;

struct lfb_arrived {
  piece *first, **end;
  uint64_t size; /* of all that came   */
  size_t taken;  /* of the first piece */
};

lfb_status lfb_arrived_create(lfb_arrived **pieces)
{
  lfb_arrived *made = calloc(1, sizeof *made);

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  made->end = &made->first;
  *pieces = made;
  return LFB_OK;
}

lfb_status lfb_arrived_add(void *to, const void *bytes, size_t size)
{
  lfb_arrived *pieces = to;

  piece *made = malloc(sizeof *made + size);
  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  *made = (piece){.size = size};
  memcpy(made->bytes, bytes, size);
  *pieces->end = made;
  pieces->end = &made->next;
  pieces->size += size;
  return LFB_OK;
}

void lfb_arrived_count(lfb_arrived *pieces, uint64_t size)
{
  pieces->size += size;
}

static void pieces_drop_first(lfb_arrived *pieces)
{
  const uint64_t tally = lfb_memory_tally();
  piece *first = pieces->first;

  pieces->first = first->next;
  pieces->taken = 0;
  if (pieces->first == NULL)
    pieces->end = &pieces->first;
  free(first);
  lfb_memory_tally_reset(tally); /* the code that reads a value from pieces counts the value */
}

lfb_status lfb_arrived_take(void *from, void *bytes, size_t size, size_t *got)
{
  lfb_arrived *pieces = from;

  while (pieces->first != NULL && pieces->taken == pieces->first->size)
    pieces_drop_first(pieces);
  *got = 0;
  if (pieces->first == NULL)
    return LFB_OK;
  const size_t left = pieces->first->size - pieces->taken;
  *got = size < left ? size : left;
  memcpy(bytes, pieces->first->bytes + pieces->taken, *got);
  pieces->taken += *got;
  return LFB_OK;
}

lfb_status lfb_arrived_write(const lfb_arrived *pieces, lfb_write_fn write, void *to)
{
  lfb_status status = LFB_OK;

  for (const piece *at = pieces->first; status == LFB_OK && at != NULL; at = at->next)
    status = write(to, at->bytes, at->size);
  return status;
}

uint64_t lfb_arrived_size(const lfb_arrived *pieces)
{
  return pieces == NULL ? 0 : pieces->size;
}

void lfb_arrived_free(lfb_arrived *pieces)
{
  if (pieces == NULL)
    return;
  while (pieces->first != NULL)
    pieces_drop_first(pieces);
  free(pieces);
}
