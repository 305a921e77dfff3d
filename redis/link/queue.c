/* queue.c - the memory of a queue. */
#include "redis/link/queue.h"

#include <assert.h>
#include <stdlib.h>

enum { QUEUE_LEAST = 64 };

void lfb_queue_free(lfb_queue *queue)
{
  free(queue->ring);
  *queue = (lfb_queue){0};
}

bool lfb_queue_grow(lfb_queue *queue)
{
  const size_t capacity = queue->capacity == 0 ? QUEUE_LEAST : 2 * queue->capacity;
  lfb_errand *ring = malloc(capacity * sizeof *ring);

  if (ring == NULL)
    return false;
  for (size_t i = 0; i < queue->count; i++)
    ring[i] = queue->ring[(queue->first + i) & (queue->capacity - 1)];
  free(queue->ring);
  *queue = (lfb_queue){ring, capacity, 0, queue->count};
  return true;
}

static int queue_compare(const void *a, const void *b)
{
  const uint64_t first = ((const lfb_errand *)a)->i, second = ((const lfb_errand *)b)->i;
  return (first < second) - (first > second);
}

void lfb_queue_sort(lfb_queue *queue)
{
  assert(queue->first == 0);
  if (queue->count > 1)
    qsort(queue->ring, queue->count, sizeof *queue->ring, queue_compare);
}
