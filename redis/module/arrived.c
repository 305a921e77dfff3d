/* arrived.c - a queue of bytes. */
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

lfb_status lfb_arrived_create(lfb_arrived **arrived)
{
  lfb_arrived *made = calloc(1, sizeof *made);

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  made->end = &made->first;
  *arrived = made;
  return LFB_OK;
}

lfb_status lfb_arrived_add(void *to, const void *bytes, size_t size)
{
  lfb_arrived *arrived = to;

  piece *made = malloc(sizeof *made + size);
  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  *made = (piece){.size = size};
  memcpy(made->bytes, bytes, size);
  *arrived->end = made;
  arrived->end = &made->next;
  arrived->size += size;
  return LFB_OK;
}

void lfb_arrived_count(lfb_arrived *arrived, uint64_t size)
{
  arrived->size += size;
}

static void arrived_drop_first(lfb_arrived *arrived)
{
  const uint64_t tally = lfb_memory_tally();
  piece *first = arrived->first;

  arrived->first = first->next;
  arrived->taken = 0;
  if (arrived->first == NULL)
    arrived->end = &arrived->first;
  free(first);
  lfb_memory_tally_reset(tally); /* the code that reads a value from pieces counts the value */
}

lfb_status lfb_arrived_take(void *from, void *bytes, size_t size, size_t *got)
{
  lfb_arrived *arrived = from;

  while (arrived->first != NULL && arrived->taken == arrived->first->size)
    arrived_drop_first(arrived);
  *got = 0;
  if (arrived->first == NULL)
    return LFB_OK;
  const size_t left = arrived->first->size - arrived->taken;
  *got = size < left ? size : left;
  memcpy(bytes, arrived->first->bytes + arrived->taken, *got);
  arrived->taken += *got;
  return LFB_OK;
}

lfb_status lfb_arrived_write(const lfb_arrived *arrived, lfb_write_fn write, void *to)
{
  lfb_status status = LFB_OK;

  for (const piece *at = arrived->first; status == LFB_OK && at != NULL; at = at->next)
    status = write(to, at->bytes, at->size);
  return status;
}

uint64_t lfb_arrived_size(const lfb_arrived *arrived)
{
  return arrived == NULL ? 0 : arrived->size;
}

void lfb_arrived_free(lfb_arrived *arrived)
{
  if (arrived == NULL)
    return;
  while (arrived->first != NULL)
    arrived_drop_first(arrived);
  free(arrived);
}
