/*
 * nodes.h - the nodes of a cluster, and which of them has which slot.  A single server is a
 * cluster of one.
 *
 * Nodes are numbered from 0; number 0 is the one of the options.  There are at most LFB_MOST_NODES,
 * and none is removed before lfb_nodes_free().
 */
#ifndef LFB_REDIS_NODES_H
#define LFB_REDIS_NODES_H

#include <lfbloom/redis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "redis/link/connection.h"
#include "redis/link/said.h"

LFB_EXTERN_C_BEGIN

enum {
  LFB_KEY_SLOTS = 16384,
  LFB_ANY_SLOT = UINT16_MAX, /* of a command without a key: any node will do */
};

/*
 * The bytes of a key that decide its slot, CRC-16/XMODEM mod 16384: those between the first { and
 * the next }; the whole key if there are none.
 *
 * Source: Redis Cluster Specification, "Key distribution model" and "Hash tags".
 */
const void *lfb_key_hashed(const void *key, size_t *size);
uint16_t lfb_key_slot(const void *key, size_t size);

enum {
  LFB_MOST_NODES = 4096, /* four times Redis' recommended maximum */
  LFB_NO_NODE = UINT16_MAX,
};

/* A command that was sent, or that waits to be sent again. */
typedef struct lfb_errand {
  uint64_t i;          /* its number in the job                                               */
  uint16_t node;       /* number of the node to send it to; LFB_NO_NODE: the node of its slot */
  uint8_t redirects;   /* in a row                                                            */
  bool again;          /* may have been executed before a connection was lost                 */
  bool asking;         /* not a command, but the ASKING before one                            */
  bool keeping;        /* not a command, but the WAIT for replicas at the end                 */
} lfb_errand;

/* Commands, first in, first out.  All zero is an empty queue. */
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

typedef struct lfb_node {
  char *host;
  uint16_t port;
  bool full;                  /* is sent nothing until it has answered half of its window    */
  lfb_connection *connection; /* NULL: none                                                  */
  lfb_queue flight;           /* commands that it has not answered                           */
  uint64_t heard;             /* when bytes last moved, lfb_net_now()                        */
  bool owes;                  /* executed writes, over connection, that its replicas may lack */
  bool demoted;               /* is a replica now: its address may be another server's       */
} lfb_node;

typedef struct lfb_nodes {
  lfb_redis_options options; /* defaults filled in; with texts of its own */
  lfb_tls_context *tls;      /* NULL: connections without TLS              */
  bool known; /* a server has said whether there is a cluster */
  bool cluster;
  lfb_node *nodes;
  uint16_t count;
  uint16_t asked;                 /* the last node that was asked for the map */
  uint16_t owner[LFB_KEY_SLOTS]; /* of each slot: the number of its node */
} lfb_nodes;

/* Copies the options; lfb_nodes_refresh() connects.  Fails as lfb_options_copy() and
 * lfb_tls_create(). */
lfb_status lfb_nodes_init(lfb_nodes *nodes, const lfb_redis_options *options, lfb_said *said);
void lfb_nodes_free(lfb_nodes *nodes); /* twice does no harm */

/* Returns the number of the node at "host:port", adding it if needed.  An empty host is the host of
 * node `from`.  LFB_NO_NODE: no such address, no memory, or too many nodes. */
uint16_t lfb_nodes_find_text(lfb_nodes *nodes, uint16_t from, const char *text, size_t size);

/* The number of a slot's node; for LFB_ANY_SLOT, of any node that has slots. */
static inline uint16_t lfb_nodes_of(const lfb_nodes *nodes, uint16_t slot)
{
  return nodes->owner[slot == LFB_ANY_SLOT ? 0 : slot];
}

/* Connects to a node that is not connected.  Fails as lfb_connection_open(). */
lfb_status lfb_node_open(lfb_nodes *nodes, lfb_node *node, lfb_said *said);

/* Connects to a node, if it is not connected. */
static inline lfb_status lfb_node_connect(lfb_nodes *nodes, lfb_node *node, lfb_said *said)
{
  return node->connection != NULL ? LFB_OK : lfb_node_open(nodes, node, said);
}
void lfb_node_disconnect(lfb_node *node);

/*
 * Requests the map of slots.  The first time, `known` is false: connects to the node of the
 * options and finds out whether there is a cluster.  Later, it asks one node after the other until
 * one answers, over connections of its own, each time beginning with another node; for a single
 * server it does nothing.
 *
 * Fails  as lfb_connection_open() did for the last node; the map stays unchanged.
 */
lfb_status lfb_nodes_refresh(lfb_nodes *nodes, lfb_said *said);

LFB_EXTERN_C_END

#endif
