/* room.c - see room.h. */
#include "redis/link/room.h"

#include <sys/socket.h>

#include "redis/link/net.h"

/* Writes a command up to the size of its last argument. */
static void room_announce(lfb_wire *out, uint64_t bytes)
{
  lfb_wire_begin(out, 3);
  lfb_wire_text(out, "SET");
  lfb_wire_text(out, "");
  lfb_wire_count(out, '$', bytes);
}

static void room_make(lfb_connection *connection, uint64_t bytes, uint64_t deadline)
{
  const redisReply *reply;
  lfb_said said;
  bool moved;

  room_announce(&connection->out, bytes);
  if (connection->out.failed || lfb_connection_send(connection, &said, &moved) != LFB_OK)
    return;
  (void)shutdown(connection->socket, SHUT_WR);
  /* Ends when the server closes the connection.  It does not reply to a part of a command. */
  (void)lfb_connection_call(connection, deadline, &said, &reply);
}

void lfb_link_make_room(lfb_link *link, uint16_t slot, uint64_t bytes)
{
  const lfb_nodes *nodes = &link->nodes;
  const lfb_node *node = &nodes->nodes[lfb_nodes_of(nodes, slot)];
  lfb_connection *connection;
  lfb_said said;

  if (lfb_node_open(nodes, node, &said, &connection) != LFB_OK)
    return;
  room_make(connection, bytes, lfb_net_now() + nodes->options.connect_ms);
  lfb_connection_close(connection);
}
