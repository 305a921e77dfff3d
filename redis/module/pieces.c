/* pieces.c - a queue of bytes. */
#include "redis/module/pieces.h"

#include <stdlib.h>
#include <string.h>

#include "redis/module/memory.h"

typedef struct piece {
  struct piece *next;
  size_t size;
  unsigned char bytes[];
} piece;

struct lfb_pieces {
  piece *first, **end;
  uint64_t size; /* of all that came   */
  size_t taken;  /* of the first piece */
};

lfb_status lfb_pieces_create(lfb_pieces **pieces)
{
  lfb_pieces *made = calloc(1, sizeof *made);

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  made->end = &made->first;
  *pieces = made;
  return LFB_OK;
}

lfb_status lfb_pieces_add(void *to, const void *bytes, size_t size)
{
  lfb_pieces *pieces = to;

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

static void pieces_drop_first(lfb_pieces *pieces)
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

lfb_status lfb_pieces_take(void *from, void *bytes, size_t size, size_t *got)
{
  lfb_pieces *pieces = from;

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

lfb_status lfb_pieces_write(const lfb_pieces *pieces, lfb_write_fn write, void *to)
{
  lfb_status status = LFB_OK;

  for (const piece *at = pieces->first; status == LFB_OK && at != NULL; at = at->next)
    status = write(to, at->bytes, at->size);
  return status;
}

uint64_t lfb_pieces_size(const lfb_pieces *pieces)
{
  return pieces == NULL ? 0 : pieces->size;
}

void lfb_pieces_free(lfb_pieces *pieces)
{
  if (pieces == NULL)
    return;
  while (pieces->first != NULL)
    pieces_drop_first(pieces);
  free(pieces);
}
