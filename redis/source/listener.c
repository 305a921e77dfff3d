/* listener.c - SUBSCRIBE on a thread of its own. */
#define _POSIX_C_SOURCE 200809L
#include "redis/source/listener.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "redis/link/net.h"
#include "redis/link/nodes.h"

struct lfb_listener {
  const lfb_redis_options *options;
  lfb_key channel;
  void (*news)(void *to);
  void *to;
  pthread_t thread;
  int stop; /* an eventfd, readable once the thread must end */

  /* Used by the listener's thread only: */
  lfb_nodes nodes;
  bool ready;    /* `nodes` is initialised          */
  uint16_t next; /* index of the node to ask next   */
  lfb_said said;
};

/* ---- waiting ----------------------------------------------------------------- */

/* Why a wait ended. */
typedef enum listener_event { LISTENER_STOP, LISTENER_LATE, LISTENER_INPUT } listener_event;

/* Waits at most `ms` for input from a socket (-1: no socket), or for the stop. */
static listener_event listener_wait(const lfb_listener *listener, int socket, uint64_t ms)
{
  struct pollfd polled[] = {{.fd = listener->stop, .events = POLLIN},
                            {.fd = socket, .events = POLLIN}};

  if (!lfb_net_poll(polled, 2, lfb_net_now() + ms))
    return LISTENER_LATE;
  return polled[0].revents != 0 ? LISTENER_STOP : LISTENER_INPUT;
}

/* ---- listening --------------------------------------------------------------- */

static bool listener_is_message(const redisReply *reply)
{
  return reply->type == REDIS_REPLY_ARRAY && reply->elements == 3 &&
         reply->element[0]->type == REDIS_REPLY_STRING &&
         strcmp(reply->element[0]->str, "message") == 0;
}

/* Reads all replies that have arrived; several messages cause one call of news(). */
static lfb_status listener_take(lfb_listener *listener, lfb_connection *connection)
{
  const redisReply *reply = NULL;
  bool moved, news = false;

  lfb_status status = lfb_connection_receive(connection, &listener->said, &moved);
  while (status == LFB_OK) {
    status = lfb_connection_next(connection, &listener->said, &reply);
    if (status != LFB_OK || reply == NULL)
      break;
    news |= listener_is_message(reply);
  }
  if (news)
    listener->news(listener->to);
  return status;
}

static lfb_status listener_ping(lfb_listener *listener, lfb_connection *connection)
{
  bool moved;

  lfb_wire_begin(&connection->out, 1);
  lfb_wire_text(&connection->out, "PING");
  const lfb_status status = lfb_connection_send(connection, &listener->said, &moved);
  return status == LFB_OK && lfb_connection_unsent(connection) != 0 ? LFB_ERROR_REDIS_LOST : status;
}

/* Listens until the connection is lost; returns LFB_OK if the thread must end. */
static lfb_status listener_listen(lfb_listener *listener, lfb_connection *connection)
{
  bool pinged = false;
  lfb_status status = LFB_OK;

  while (status == LFB_OK) {
    const listener_event event =
        listener_wait(listener, connection->socket, listener->nodes.options.timeout_ms);
    if (event == LISTENER_STOP)
      return LFB_OK;
    if (event == LISTENER_INPUT)
      status = listener_take(listener, connection);
    else
      status = pinged ? LFB_ERROR_REDIS_TIMEOUT : listener_ping(listener, connection);
    pinged = event == LISTENER_LATE;
  }
  return status;
}

static lfb_status listener_subscribe(lfb_listener *listener, lfb_connection *connection)
{
  const redisReply *reply;

  lfb_wire_begin(&connection->out, 2);
  lfb_wire_text(&connection->out, "SUBSCRIBE");
  lfb_wire_string(&connection->out, listener->channel.bytes, listener->channel.size);
  const lfb_status status = lfb_connection_call(
      connection, lfb_net_now() + listener->nodes.options.timeout_ms, &listener->said, &reply);
  return status == LFB_OK ? lfb_reply_status(reply) : status;
}

/* ---- connecting -------------------------------------------------------------- */

static lfb_status listener_connect(lfb_listener *listener, lfb_node **node)
{
  lfb_status status = LFB_OK;

  if (!listener->ready)
    status = lfb_nodes_init(&listener->nodes, listener->options, &listener->said);
  listener->ready = status == LFB_OK;
  if (status == LFB_OK && !listener->nodes.known)
    status = lfb_nodes_refresh(&listener->nodes, &listener->said);
  if (status != LFB_OK)
    return status;
  *node = &listener->nodes.nodes[listener->next % listener->nodes.count];
  return lfb_node_connect(&listener->nodes, *node, &listener->said);
}

/* Connects and listens; returns LFB_OK if the thread must end.  Resets `failures`, how many turns
 * in a row failed, once the subscription succeeded. */
static lfb_status listener_turn(lfb_listener *listener, uint32_t *failures)
{
  lfb_node *node = NULL;

  lfb_status status = listener_connect(listener, &node);
  if (status == LFB_OK)
    status = listener_subscribe(listener, node->connection);
  if (status == LFB_OK) {
    *failures = 0;
    listener->news(listener->to); /* messages sent before the subscription were missed */
    status = listener_listen(listener, node->connection);
  }
  if (node != NULL)
    lfb_node_disconnect(node);
  listener->next++;
  return status;
}

static void *listener_run(void *argument)
{
  lfb_listener *listener = argument;
  uint32_t failures = 0;

  while (listener_turn(listener, &failures) != LFB_OK)
    if (listener_wait(listener, -1, lfb_pause_ms(failures++)) == LISTENER_STOP)
      break;
  if (listener->ready)
    lfb_nodes_free(&listener->nodes);
  return NULL;
}

/* ---- life -------------------------------------------------------------------- */

lfb_status lfb_listener_start(const lfb_redis_options *options, lfb_key channel,
                              void (*news)(void *to), void *to, lfb_listener **listener)
{
  lfb_listener *made = calloc(1, sizeof *made);

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  made->options = options;
  made->channel = channel;
  made->news = news;
  made->to = to;
  made->stop = eventfd(0, EFD_CLOEXEC);
  if (made->stop < 0 || pthread_create(&made->thread, NULL, listener_run, made) != 0) {
    if (made->stop >= 0)
      (void)close(made->stop);
    free(made);
    return LFB_ERROR_NO_THREAD;
  }
  *listener = made;
  return LFB_OK;
}

void lfb_listener_stop(lfb_listener *listener)
{
  const uint64_t one = 1;

  if (listener == NULL)
    return;
  while (write(listener->stop, &one, sizeof one) < 0)
    ; /* interrupted by a signal: the first write to an eventfd never fails otherwise */
  pthread_join(listener->thread, NULL);
  (void)close(listener->stop);
  free(listener);
}
