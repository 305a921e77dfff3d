/*
 * queue.h - a job's commands in flight, first in, first out.
 */
#ifndef LFB_REDIS_QUEUE_H
#define LFB_REDIS_QUEUE_H

#include <lfbloom/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

LFB_EXTERN_C_BEGIN

enum { LFB_NO_NODE = UINT16_MAX };

/* A command that was sent, or that waits to be sent again. */
typedef struct lfb_errand {
  uint64_t i;          /* its number in the job                                               */
  uint16_t node;       /* number of the node to send it to; LFB_NO_NODE: the node of its slot */
  uint8_t redirects;   /* in a row                                                            */
  bool again;          /* may have been executed before a connection was lost                 */
  bool asking;         /* not a command, but the ASKING before one                            */
  bool keeping;        /* not a command, but the WAIT for replicas at the end                 */
} lfb_errand;

/* All zero is an empty queue. */
typedef struct lfb_queue {
  lfb_errand *ring;
  size_t capacity; /* 0 or a power of two */
  size_t first, count;
} lfb_queue;

void lfb_queue_free(lfb_queue *queue);

/* Doubles the capacity; false: no memory. */
bool lfb_queue_grow(lfb_queue *queue);

/* Adds to the end; false: no memory. */
static inline bool lfb_queue_add(lfb_queue *queue, lfb_errand errand)
{
  if (queue->count == queue->capacity && !lfb_queue_grow(queue))
    return false;
  queue->ring[(queue->first + queue->count++) & (queue->capacity - 1)] = errand;
  return true;
}

/* Takes the first errand.  The queue must not be empty. */
static inline lfb_errand lfb_queue_take(lfb_queue *queue)
{
  const lfb_errand errand = queue->ring[queue->first];

  queue->first = (queue->first + 1) & (queue->capacity - 1);
  queue->count--;
  return errand;
}

/* Takes the last errand.  The queue must not be empty, and nothing may have been taken from its
 * beginning. */
static inline lfb_errand lfb_queue_take_last(lfb_queue *queue)
{
  return queue->ring[--queue->count];
}

/* Sorts such a queue so that the job's earlier commands come last. */
void lfb_queue_sort(lfb_queue *queue);

LFB_EXTERN_C_END

#endif
