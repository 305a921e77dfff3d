/*
 * queue.h - the commands of a job that are on their way, first in, first out.
 */
#ifndef LFB_REDIS_QUEUE_H
#define LFB_REDIS_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LFB_NO_NODE = UINT16_MAX };

/* A command that was sent, or is to be sent again. */
typedef struct lfb_errand {
  uint64_t i;          /* which of the job                                             */
  uint16_t node;       /* that was asked for it, by its number; LFB_NO_NODE: its slot's */
  uint8_t redirects;   /* in a row                                                     */
  bool again;          /* may have been done before a connection was lost              */
  bool asking;         /* no command, but the ASKING before one                        */
  bool keeping;        /* .., but the WAIT for replicas after all                      */
} lfb_errand;

/* All zero is an empty one. */
typedef struct lfb_queue {
  lfb_errand *ring;
  size_t capacity; /* 0 or a power of two */
  size_t first, count;
} lfb_queue;

void lfb_queue_free(lfb_queue *queue);

/* Doubles the room. */
bool lfb_queue_grow(lfb_queue *queue);

/* Adds to the end; false: there is no memory. */
static inline bool lfb_queue_add(lfb_queue *queue, lfb_errand errand)
{
  if (queue->count == queue->capacity && !lfb_queue_grow(queue))
    return false;
  queue->ring[(queue->first + queue->count++) & (queue->capacity - 1)] = errand;
  return true;
}

/* Takes the first, of at least one. */
static inline lfb_errand lfb_queue_take(lfb_queue *queue)
{
  const lfb_errand errand = queue->ring[queue->first];

  queue->first = (queue->first + 1) & (queue->capacity - 1);
  queue->count--;
  return errand;
}

/* Takes the last, of at least one, of a queue from whose beginning nothing is taken. */
static inline lfb_errand lfb_queue_take_last(lfb_queue *queue)
{
  return queue->ring[--queue->count];
}

/* Sorts such a queue so that the job's earlier commands come last. */
void lfb_queue_sort(lfb_queue *queue);

#ifdef __cplusplus
}
#endif

#endif
