/* nodes.c - finds the nodes of a cluster, by CLUSTER SLOTS. */
#define _POSIX_C_SOURCE 200809L /* strndup */
#include "redis/link/nodes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "redis/link/net.h"
#include "redis/link/options.h"

enum {
  NODES_PORT = 6379,
  NODES_CONNECT_MS = 1000,
  NODES_TIMEOUT_MS = 5000,
  NODES_RETRIES = 16,
  NODES_WINDOW = 64, /* docs/performance.md, What other clients of the server notice */
  NODES_REPLICAS_MS = 1000,
  QUEUE_LEAST = 64,
};

static const char NODES_HOST[] = "127.0.0.1";

/* ---- slots of keys -------------------------------------------------------- */

/* Polynomial x^16 + x^12 + x^5 + 1, from 0, not reflected; four bits at a time. */
static uint16_t slots_crc(const unsigned char *bytes, size_t size)
{
  static const uint16_t of_nibble[16] = {
      0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50a5, 0x60c6, 0x70e7,
      0x8108, 0x9129, 0xa14a, 0xb16b, 0xc18c, 0xd1ad, 0xe1ce, 0xf1ef,
  };
  uint16_t crc = 0;

  for (size_t i = 0; i < size; i++) {
    crc = (uint16_t)(crc << 4 ^ of_nibble[crc >> 12 ^ bytes[i] >> 4]);
    crc = (uint16_t)(crc << 4 ^ of_nibble[crc >> 12 ^ (bytes[i] & 15)]);
  }
  return crc;
}

const void *lfb_key_hashed(const void *key, size_t *size)
{
  const char *open = *size == 0 ? NULL : memchr(key, '{', *size);

  if (open == NULL)
    return key;
  const size_t left = *size - (size_t)(open + 1 - (const char *)key);
  const char *close = left == 0 ? NULL : memchr(open + 1, '}', left);
  if (close == NULL || close == open + 1)
    return key;
  *size = (size_t)(close - open - 1);
  return open + 1;
}

uint16_t lfb_key_slot(const void *key, size_t size)
{
  const void *hashed = lfb_key_hashed(key, &size);
  return slots_crc(hashed, size) % LFB_KEY_SLOTS;
}

/* ---- queues -------------------------------------------------------------- */

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

/* ---- addresses ----------------------------------------------------------- */

static bool node_is(const lfb_node *node, const char *host, size_t size, uint16_t port)
{
  return node->port == port && strncmp(node->host, host, size) == 0 &&
         node->host[size] == '\0';
}

static uint16_t nodes_add(lfb_nodes *nodes, const char *host, size_t size, uint16_t port)
{
  if (nodes->count == LFB_MOST_NODES)
    return LFB_NO_NODE;
  lfb_node *grown = realloc(nodes->nodes, (nodes->count + 1u) * sizeof *grown);
  if (grown == NULL)
    return LFB_NO_NODE;
  nodes->nodes = grown;
  char *copy = strndup(host, size);
  if (copy == NULL)
    return LFB_NO_NODE;
  grown[nodes->count] = (lfb_node){.host = copy, .port = port};
  return nodes->count++;
}

/* The number of the node at an address, which is added if needed; LFB_NO_NODE: no memory, or too
 * many nodes. */
static uint16_t nodes_find(lfb_nodes *nodes, const char *host, size_t size, uint16_t port)
{
  for (uint16_t i = 0; i < nodes->count; i++)
    if (node_is(&nodes->nodes[i], host, size, port))
      return i;
  return nodes_add(nodes, host, size, port);
}

/* The host of a node, as other nodes can be reached at it.  A Unix socket is on this host. */
static const char *nodes_host(const lfb_nodes *nodes, uint16_t node)
{
  const char *host = nodes->nodes[node].host;
  return *host == '/' ? NODES_HOST : host;
}

uint16_t lfb_nodes_find_text(lfb_nodes *nodes, uint16_t from, const char *text, size_t size)
{
  const char *end = text + size, *colon = end;
  uint64_t port;

  while (colon > text && colon[-1] != ':') /* the last colon: IPv6 has others */
    colon--;
  const char *behind = colon;
  while (behind < end && *behind >= '0' && *behind <= '9')
    behind++;
  if (colon == text ||
      !lfb_wire_read_digits(colon, (size_t)(behind - colon), UINT16_MAX, &port) || port == 0)
    return LFB_NO_NODE;
  const size_t host_size = (size_t)(colon - 1 - text);
  if (host_size == 0) {
    const char *host = nodes_host(nodes, from);
    return nodes_find(nodes, host, strlen(host), (uint16_t)port);
  }
  return nodes_find(nodes, text, host_size, (uint16_t)port);
}

/* ---- connections --------------------------------------------------------- */

static lfb_status nodes_open(const lfb_nodes *nodes, const lfb_node *node, lfb_said *said,
                             lfb_connection **connection)
{
  return lfb_connection_open(&nodes->options, nodes->tls, node->host, node->port, said, connection);
}

lfb_status lfb_node_open(lfb_nodes *nodes, lfb_node *node, lfb_said *said)
{
  node->full = node->demoted = false;
  return nodes_open(nodes, node, said, &node->connection);
}

void lfb_node_disconnect(lfb_node *node)
{
  lfb_connection_close(node->connection);
  node->connection = NULL;
}

/* ---- the map of slots ---------------------------------------------------- */

static bool nodes_is_number(const redisReply *reply, long long least, long long most)
{
  return reply->type == REDIS_REPLY_INTEGER && reply->integer >= least && reply->integer <= most;
}

/* Reads [host, port, ...].  The host is nil or "" if it is that of the node asked. */
static bool nodes_read_address(const lfb_nodes *nodes, const redisReply *entry, uint16_t from,
                               const char **host, uint16_t *port)
{
  if (entry->type != REDIS_REPLY_ARRAY || entry->elements < 2 ||
      !nodes_is_number(entry->element[1], 1, UINT16_MAX))
    return false;
  const redisReply *name = entry->element[0];
  const bool named = name->type == REDIS_REPLY_STRING && name->len != 0;
  *host = named ? name->str : nodes_host(nodes, from);
  *port = (uint16_t)entry->element[1]->integer;
  return true;
}

/* Reads one row of CLUSTER SLOTS, [first, last, master, replicas...], into a map. */
static bool nodes_read_row(lfb_nodes *nodes, const redisReply *row, uint16_t from, uint16_t *owner)
{
  const char *host;
  uint16_t port;

  if (row->type != REDIS_REPLY_ARRAY || row->elements < 3 ||
      !nodes_is_number(row->element[0], 0, LFB_KEY_SLOTS - 1) ||
      !nodes_is_number(row->element[1], row->element[0]->integer, LFB_KEY_SLOTS - 1) ||
      !nodes_read_address(nodes, row->element[2], from, &host, &port))
    return false;
  const uint16_t node = nodes_find(nodes, host, strlen(host), port);
  if (node == LFB_NO_NODE)
    return false;
  for (long long slot = row->element[0]->integer; slot <= row->element[1]->integer; slot++)
    owner[slot] = node;
  return true;
}

static lfb_status nodes_read(lfb_nodes *nodes, const redisReply *reply, uint16_t from,
                             lfb_said *said)
{
  uint16_t owner[LFB_KEY_SLOTS];

  nodes->cluster = reply->type != REDIS_REPLY_ERROR;
  if (!nodes->cluster) /* a single server, or a proxy without this command */
    return LFB_OK;
  /* A command for a slot without an owner goes to the node asked, which reports that. */
  for (size_t slot = 0; slot < LFB_KEY_SLOTS; slot++)
    owner[slot] = from;
  bool good = reply->type == REDIS_REPLY_ARRAY && reply->elements <= LFB_KEY_SLOTS;
  for (size_t i = 0; good && i < reply->elements; i++)
    good = nodes_read_row(nodes, reply->element[i], from, owner);
  if (!good)
    return lfb_said_set(said, LFB_ERROR_REDIS_PROTOCOL, NULL, "no map of slots");
  memcpy(nodes->owner, owner, sizeof owner);
  return LFB_OK;
}

/* Asks a node over a connection on which nothing else is in flight. */
static lfb_status nodes_ask(lfb_nodes *nodes, uint16_t from, lfb_connection *connection,
                            lfb_said *said)
{
  const uint64_t deadline = lfb_net_now() + nodes->options.connect_ms;
  const redisReply *reply;

  lfb_wire_begin(&connection->out, 2);
  lfb_wire_text(&connection->out, "CLUSTER");
  lfb_wire_text(&connection->out, "SLOTS");
  const lfb_status status = lfb_connection_call(connection, deadline, said, &reply);
  if (status != LFB_OK)
    return status;
  if (lfb_reply_status(reply) == LFB_ERROR_REDIS_UNAVAILABLE)
    return lfb_said_set(said, LFB_ERROR_REDIS_UNAVAILABLE, NULL, reply->str);
  return nodes_read(nodes, reply, from, said);
}

static lfb_status nodes_refresh_from(lfb_nodes *nodes, uint16_t from, lfb_said *said)
{
  lfb_connection *connection;

  lfb_status status = nodes_open(nodes, &nodes->nodes[from], said, &connection);
  if (status != LFB_OK)
    return status;
  status = nodes_ask(nodes, from, connection, said);
  lfb_connection_close(connection);
  return status;
}

/* Asks the node of the options for the first time.  Its connection is kept. */
static lfb_status nodes_meet(lfb_nodes *nodes, lfb_said *said)
{
  lfb_status status = lfb_node_connect(nodes, &nodes->nodes[0], said);

  if (status != LFB_OK)
    return status;
  status = nodes_ask(nodes, 0, nodes->nodes[0].connection, said);
  nodes->known = status == LFB_OK;
  if (!nodes->known)
    lfb_node_disconnect(&nodes->nodes[0]);
  return status;
}

lfb_status lfb_nodes_refresh(lfb_nodes *nodes, lfb_said *said)
{
  const uint16_t count = nodes->count;
  lfb_status status = LFB_OK;

  if (!nodes->known)
    return nodes_meet(nodes, said);
  if (!nodes->cluster)
    return LFB_OK;
  for (uint16_t i = 0; i < count; i++) {
    nodes->asked = (uint16_t)((nodes->asked + 1) % count);
    status = nodes_refresh_from(nodes, nodes->asked, said);
    if (status == LFB_OK)
      break;
  }
  nodes->cluster = true; /* even if a node that was removed from the cluster denies it */
  return status;
}

/* ---- all of it ----------------------------------------------------------- */

static uint32_t nodes_or(uint32_t value, uint32_t otherwise)
{
  return value == 0 ? otherwise : value;
}

/* At most half of the silence that a node is allowed; and not 0, which Redis takes as no
 * limit. */
static uint32_t nodes_replicas_ms(uint32_t wish, uint32_t timeout_ms)
{
  const uint32_t half = nodes_or(timeout_ms / 2, 1), wanted = nodes_or(wish, NODES_REPLICAS_MS);
  return wanted < half ? wanted : half;
}

static lfb_status nodes_take_options(lfb_nodes *nodes, const lfb_redis_options *options)
{
  lfb_redis_options filled = *options;

  filled.host = options->host == NULL ? NODES_HOST : options->host;
  filled.port = options->port == 0 ? NODES_PORT : options->port;
  filled.connect_ms = nodes_or(options->connect_ms, NODES_CONNECT_MS);
  filled.timeout_ms = nodes_or(options->timeout_ms, NODES_TIMEOUT_MS);
  filled.retries = options->retries == UINT32_MAX ? 0 : nodes_or(options->retries, NODES_RETRIES);
  filled.window = nodes_or(options->window, NODES_WINDOW);
  filled.replicas_ms = nodes_replicas_ms(options->replicas_ms, filled.timeout_ms);
  return lfb_options_copy(&filled, &nodes->options);
}

static lfb_status nodes_begin(lfb_nodes *nodes, const lfb_redis_options *options, lfb_said *said)
{
  const lfb_redis_options *own = &nodes->options;

  lfb_status status = nodes_take_options(nodes, options);
  if (status == LFB_OK && own->tls)
    status = lfb_tls_create(own, said, &nodes->tls);
  if (status != LFB_OK)
    return status;
  return nodes_add(nodes, own->host, strlen(own->host), own->port) == LFB_NO_NODE
             ? LFB_ERROR_NO_MEMORY
             : LFB_OK;
}

lfb_status lfb_nodes_init(lfb_nodes *nodes, const lfb_redis_options *options, lfb_said *said)
{
  memset(nodes, 0, sizeof *nodes);
  const lfb_status status = nodes_begin(nodes, options, said);
  if (status != LFB_OK)
    lfb_nodes_free(nodes);
  return status;
}

void lfb_nodes_free(lfb_nodes *nodes)
{
  for (uint16_t i = 0; i < nodes->count; i++) {
    lfb_node_disconnect(&nodes->nodes[i]);
    lfb_queue_free(&nodes->nodes[i].flight);
    free(nodes->nodes[i].host);
  }
  free(nodes->nodes);
  lfb_tls_free(nodes->tls);
  lfb_options_free(&nodes->options);
  memset(nodes, 0, sizeof *nodes);
}
