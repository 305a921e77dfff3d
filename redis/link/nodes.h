/*
 * nodes.h - the nodes of a cluster, and which of them has which slot; a single server is a
 * cluster of one.
 *
 * Nodes are numbered from 0 on and stay as long as the whole does, at most
 * LFB_MOST_NODES of them; number 0 is the one that it was found from.
 */
#ifndef LFB_REDIS_NODES_H
#define LFB_REDIS_NODES_H

#include <lfbloom/redis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "redis/link/connection.h"
#include "redis/link/queue.h"
#include "redis/link/said.h"
#include "redis/link/slots.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LFB_MOST_NODES = 4096 }; /* four times what Redis recommends at most */

typedef struct lfb_node {
  char *host;
  uint16_t port;
  bool full;                  /* gets nothing until it has answered half of its window */
  lfb_connection *connection; /* NULL: none                                            */
  lfb_queue flight;           /* what it was sent and has not answered                 */
  uint64_t heard;             /* when it last moved, lfb_net_now()                     */
  bool owes;                  /* did, over this connection, what its replicas may lack  */
  bool demoted;               /* is a replica: its address may be another server's now  */
} lfb_node;

typedef struct lfb_nodes {
  lfb_redis_options options; /* defaults filled in; texts are ours */
  bool cluster;
  lfb_node *nodes;
  uint16_t count;
  uint16_t asked;                 /* the node that was last asked for the map */
  uint16_t owner[LFB_KEY_SLOTS]; /* number of a slot's node                  */
} lfb_nodes;

/* Finds out what is there, and connects to the node of the options.
 * Fails: LFB_ERROR_REDIS_TLS; as lfb_connection_open(). */
lfb_status lfb_nodes_init(lfb_nodes *nodes, const lfb_redis_options *options, lfb_said *said);
void lfb_nodes_free(lfb_nodes *nodes);

/* The number of the node at an address, which is added if need be; LFB_NO_NODE: there is no
 * memory for it, or are too many. */
uint16_t lfb_nodes_find(lfb_nodes *nodes, const char *host, size_t size, uint16_t port);

/* Reads "host:port", "" for a host being that of node `from`; as lfb_nodes_find(). */
uint16_t lfb_nodes_find_text(lfb_nodes *nodes, uint16_t from, const char *text, size_t size);

/* The number of a slot's node; LFB_ANY_SLOT: of any node that has some. */
static inline uint16_t lfb_nodes_of(const lfb_nodes *nodes, uint16_t slot)
{
  return nodes->owner[slot == LFB_ANY_SLOT ? 0 : slot];
}

/* Connects to a node, if need be. */
lfb_status lfb_node_connect(const lfb_nodes *nodes, lfb_node *node, lfb_said *said);
void lfb_node_disconnect(lfb_node *node);

/*
 * Asks one node after the other, each time another one first, for the map of slots, over
 * connections of its own, until one answers.  Of a single server it does nothing.
 *
 * Fails  as lfb_connection_open() did with the last of them; the map is as it was.
 */
lfb_status lfb_nodes_refresh(lfb_nodes *nodes, lfb_said *said);

#ifdef __cplusplus
}
#endif

#endif
