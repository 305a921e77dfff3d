/* nodes.c - finds the nodes of a cluster, by CLUSTER SLOTS. */
#define _POSIX_C_SOURCE 200809L /* strndup */
#include "redis/link/nodes.h"

#include <stdlib.h>
#include <string.h>

#include "redis/link/net.h"
#include "redis/link/options.h"
#include "redis/link/pause.h"

enum {
  NODES_PORT = 6379,
  NODES_SENTINEL_PORT = 26379,
  NODES_CONNECT_MS = 1000,
  NODES_TIMEOUT_MS = 5000,
  NODES_RETRIES = 16,
  NODES_WINDOW = 64, /* docs/performance.md, What other clients of the server notice */
  NODES_REPLICAS_MS = 1000,
  NODES_READERS_MS = 5000, /* from one request of the map of readers to the next */
};

static const char NODES_HOST[] = "127.0.0.1";

/* ---- addresses ----------------------------------------------------------- */

static bool node_is(const lfb_node *node, const char *host, size_t size, uint16_t port, bool reads)
{
  return node->port == port && node->reads == reads && strncmp(node->host, host, size) == 0 &&
         node->host[size] == '\0';
}

static uint16_t nodes_add(lfb_nodes *nodes, const char *host, size_t size, uint16_t port,
                          bool reads)
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
  grown[nodes->count] = (lfb_node){.host = copy, .port = port, .reads = reads};
  return nodes->count++;
}

uint16_t lfb_nodes_find(lfb_nodes *nodes, const char *host, size_t size, uint16_t port, bool reads)
{
  for (uint16_t i = 0; i < nodes->count; i++)
    if (node_is(&nodes->nodes[i], host, size, port, reads))
      return i;
  return nodes_add(nodes, host, size, port, reads);
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
    return lfb_nodes_find(nodes, host, strlen(host), (uint16_t)port, false);
  }
  return lfb_nodes_find(nodes, text, host_size, (uint16_t)port, false);
}

/* ---- connections --------------------------------------------------------- */

lfb_status lfb_node_open(const lfb_nodes *nodes, const lfb_node *node, lfb_said *said,
                         lfb_connection **connection)
{
  return lfb_connection_open(&nodes->options, nodes->tls, node->host, node->port, said, connection);
}

/* Connects node 0 to the server that is the master now, which may be another one than before. */
static lfb_status node_connect_master(lfb_nodes *nodes, lfb_node *node, lfb_said *said)
{
  lfb_master master;

  const lfb_status status =
      lfb_sentinels_connect(&nodes->sentinels, &nodes->options, nodes->tls, said, &master);
  if (status != LFB_OK)
    return status;
  free(node->host);
  node->host = master.host;
  node->port = master.port;
  node->connection = master.connection;
  return LFB_OK;
}

/* Lets a connection to a replica of a cluster take queries. */
static lfb_status node_admit_queries(const lfb_nodes *nodes, lfb_node *node, lfb_said *said)
{
  const redisReply *reply;

  lfb_wire_begin(&node->connection->out, 1);
  lfb_wire_text(&node->connection->out, "READONLY");
  return lfb_connection_request(node->connection, nodes->options.connect_ms, said, &reply);
}

/* Connects to a replica, if it is not connected, and checks it, if that is due. */
static lfb_status node_connect_reader(const lfb_nodes *nodes, lfb_node *node, lfb_said *said)
{
  const bool fresh = node->connection == NULL;
  lfb_status status = LFB_OK;

  if (!fresh && (node->flight.count != 0 || !lfb_fitness_is_due(&node->fitness)))
    return LFB_OK;
  node->full = false;
  if (fresh)
    status = lfb_node_open(nodes, node, said, &node->connection);
  if (fresh && nodes->cluster && status == LFB_OK)
    status = node_admit_queries(nodes, node, said);
  if (status == LFB_OK)
    status = lfb_fitness_check(&node->fitness, node->connection,
                               nodes->cluster ? NULL : nodes->lineage, nodes->options.connect_ms,
                               said);
  if (status != LFB_OK)
    lfb_node_disconnect(node);
  return status;
}

lfb_status lfb_node_connect(lfb_nodes *nodes, lfb_node *node, lfb_said *said)
{
  if (node->reads)
    return node_connect_reader(nodes, node, said);
  if (node->connection != NULL)
    return LFB_OK;
  node->full = node->demoted = false;
  return nodes->sentinels.count != 0 && node == nodes->nodes
             ? node_connect_master(nodes, node, said)
             : lfb_node_open(nodes, node, said, &node->connection);
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
static bool nodes_read_place(const lfb_nodes *nodes, const redisReply *entry, uint16_t from,
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
      !nodes_read_place(nodes, row->element[2], from, &host, &port))
    return false;
  const uint16_t node = lfb_nodes_find(nodes, host, strlen(host), port, false);
  if (node == LFB_NO_NODE)
    return false;
  for (long long slot = row->element[0]->integer; slot <= row->element[1]->integer; slot++)
    owner[slot] = node;
  return true;
}

/* The number of a replica's node; LFB_NO_NODE: it cannot be asked. */
static uint16_t nodes_find_reader(lfb_nodes *nodes, const char *host, uint16_t port)
{
  const uint16_t number = lfb_nodes_find(nodes, host, strlen(host), port, true);

  return number == LFB_NO_NODE || lfb_fitness_rests(&nodes->nodes[number].fitness) ? LFB_NO_NODE
                                                                                 : number;
}

/* The number of the node of one of a row's replicas; LFB_NO_NODE: none can be asked. */
static uint16_t nodes_row_reader(lfb_nodes *nodes, const redisReply *row, uint16_t from)
{
  const size_t count = row->elements - 3;
  uint16_t port, number = LFB_NO_NODE;
  const char *host;

  for (size_t k = 0; number == LFB_NO_NODE && k < count; k++)
    if (nodes_read_place(nodes, row->element[3 + (nodes->turn + k) % count], from, &host, &port))
      number = nodes_find_reader(nodes, host, port);
  return number;
}

/* Reads the map of readers from rows that were read into the map of owners. */
static void nodes_read_readers(lfb_nodes *nodes, const redisReply *reply, uint16_t from)
{
  nodes->renewal = lfb_net_now() + NODES_READERS_MS;
  memcpy(nodes->reader, nodes->owner, sizeof nodes->reader);
  for (size_t i = 0; i < reply->elements; i++) {
    const redisReply *row = reply->element[i];
    const uint16_t number = nodes_row_reader(nodes, row, from);
    for (long long slot = row->element[0]->integer;
         number != LFB_NO_NODE && slot <= row->element[1]->integer; slot++)
      nodes->reader[slot] = number;
  }
}

static lfb_status nodes_read(lfb_nodes *nodes, const redisReply *reply, uint16_t from,
                             lfb_said *said)
{
  uint16_t owner[LFB_KEY_SLOTS];

  nodes->cluster = reply->type != REDIS_REPLY_ERROR;
  if (!nodes->cluster) /* a single server, or a proxy without this command */
    return LFB_OK;
  /* A command for a slot without an owner goes to the node asked, which reports that.  A node for
   * queries is no owner. */
  for (size_t slot = 0; slot < LFB_KEY_SLOTS; slot++)
    owner[slot] = nodes->nodes[from].reads ? 0 : from;
  bool good = reply->type == REDIS_REPLY_ARRAY && reply->elements <= LFB_KEY_SLOTS;
  for (size_t i = 0; good && i < reply->elements; i++)
    good = nodes_read_row(nodes, reply->element[i], from, owner);
  if (!good)
    return lfb_said_set(said, LFB_ERROR_REDIS_PROTOCOL, NULL, "no map of slots");
  memcpy(nodes->owner, owner, sizeof owner);
  if (nodes->options.read_replicas != 0)
    nodes_read_readers(nodes, reply, from);
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

  lfb_status status = lfb_node_open(nodes, &nodes->nodes[from], said, &connection);
  if (status != LFB_OK)
    return status;
  status = nodes_ask(nodes, from, connection, said);
  lfb_connection_close(connection);
  return status;
}

/* Asks the node of the options for the first time.  Its connection is kept.  A server that has
 * sentinels is no node of a cluster. */
static lfb_status nodes_meet(lfb_nodes *nodes, lfb_said *said)
{
  lfb_status status = lfb_node_connect(nodes, &nodes->nodes[0], said);

  if (status != LFB_OK)
    return status;
  if (nodes->sentinels.count == 0)
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
    if (nodes->nodes[nodes->asked].reads)
      continue; /* a silent one would delay the job */
    status = nodes_refresh_from(nodes, nodes->asked, said);
    if (status == LFB_OK)
      break;
  }
  nodes->cluster = true; /* even if a node that was removed from the cluster denies it */
  return status;
}

/* ---- the map of readers -------------------------------------------------- */

uint16_t lfb_nodes_for_query(lfb_nodes *nodes, uint16_t slot)
{
  const uint16_t number = nodes->reader[slot == LFB_ANY_SLOT ? 0 : slot];
  lfb_node *node = &nodes->nodes[number];

  return node->reads && !lfb_fitness_rests(&node->fitness) ? number : lfb_nodes_of(nodes, slot);
}

void lfb_nodes_reader_fails(lfb_nodes *nodes, lfb_node *node)
{
  lfb_fitness_fail(&node->fitness);
  nodes->renewal = 0; /* another replica may do */
}

/* Asks a single server for its replicas.  That it lists none, for whatever reason, is no failure. */
static lfb_status nodes_ask_role(lfb_nodes *nodes, lfb_connection *connection, lfb_said *said)
{
  const uint32_t limit_ms = nodes->options.connect_ms;
  uint16_t port, number = LFB_NO_NODE;
  const redisReply *role = NULL;
  const char *host;

  lfb_status status = lfb_lineage_ask(connection, limit_ms, said, nodes->lineage);
  if (status == LFB_OK)
    status = lfb_role_ask(connection, limit_ms, said, &role);
  if (status != LFB_OK && status != LFB_ERROR_REDIS_LOGIN && status != LFB_ERROR_REDIS_REFUSED)
    return status;
  const size_t count = role == NULL ? 0 : lfb_role_replicas(role);
  for (size_t k = 0; number == LFB_NO_NODE && k < count; k++)
    if (lfb_role_replica(role, (size_t)((nodes->turn + k) % count), &host, &port))
      number = nodes_find_reader(nodes, host, port);
  for (size_t slot = 0; slot < LFB_KEY_SLOTS; slot++)
    nodes->reader[slot] = number == LFB_NO_NODE ? nodes->owner[slot] : number;
  return LFB_OK;
}

/* The connected node that answered last, likely not to be silent now; LFB_NO_NODE: none is
 * connected. */
static uint16_t nodes_last_heard(const lfb_nodes *nodes)
{
  uint16_t last = LFB_NO_NODE;

  for (uint16_t i = 0; i < nodes->count; i++)
    if (nodes->nodes[i].connection != NULL &&
        (last == LFB_NO_NODE || nodes->nodes[i].heard > nodes->nodes[last].heard))
      last = i;
  return last;
}

static lfb_status nodes_ask_readers(lfb_nodes *nodes, uint16_t from, lfb_said *said)
{
  lfb_status status = LFB_OK;

  if (!nodes->cluster)
    status = lfb_node_connect(nodes, &nodes->nodes[from], said);
  if (status != LFB_OK)
    return status;
  lfb_connection *connection = nodes->nodes[from].connection;
  if (!nodes->cluster)
    return nodes_ask_role(nodes, connection, said);
  status = nodes_ask(nodes, from, connection, said);
  nodes->cluster = true; /* as in lfb_nodes_refresh() */
  return status;
}

void lfb_nodes_renew(lfb_nodes *nodes, lfb_said *said)
{
  const uint64_t now = lfb_net_now();

  if (now < nodes->renewal)
    return;
  const uint16_t from = nodes->cluster ? nodes_last_heard(nodes) : 0;
  if (from == LFB_NO_NODE)
    return;
  nodes->renewal = now + NODES_READERS_MS;
  if (nodes_ask_readers(nodes, from, said) == LFB_OK)
    return;
  lfb_node_disconnect(&nodes->nodes[from]);
  if (nodes->nodes[from].reads)
    lfb_nodes_reader_fails(nodes, &nodes->nodes[from]);
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
  if (options->port == 0)
    filled.port = options->master == NULL ? NODES_PORT : NODES_SENTINEL_PORT;
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
  if (status == LFB_OK && own->master != NULL)
    status = lfb_sentinels_init(&nodes->sentinels, own->host, own->port);
  if (status != LFB_OK)
    return status;
  nodes->turn = lfb_pause_random();
  return nodes_add(nodes, own->host, strlen(own->host), own->port, false) == LFB_NO_NODE
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
  lfb_sentinels_free(&nodes->sentinels);
  lfb_options_free(&nodes->options);
  memset(nodes, 0, sizeof *nodes);
}
