/*
 * connection.h - a connection to one Redis server, logged in.
 *
 * Nothing but opening and lfb_connection_call() waits, and these no longer than asked for.
 * A connection of which a function has failed is good for nothing but to be closed.
 */
#ifndef LFB_REDIS_CONNECTION_H
#define LFB_REDIS_CONNECTION_H

#include <lfbloom/redis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "redis/link/replies.h"
#include "redis/link/said.h"
#include "redis/link/wire.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lfb_connection {
  int socket;
  lfb_wire out; /* commands ..                      */
  size_t sent;  /* .. of which so many bytes are away */
  lfb_replies replies;
} lfb_connection;

/*
 * Connects and logs in, in options->connect_ms; host and port are the arguments'.
 *
 * Fails  LFB_ERROR_REDIS_CONNECT, _LOST, _TIMEOUT, _LOGIN, _PROTOCOL; _UNAVAILABLE: the server
 *        is loading its data; LFB_ERROR_NO_MEMORY.
 */
lfb_status lfb_connection_open(const lfb_redis_options *options, const char *host, uint16_t port,
                               lfb_said *said, lfb_connection **connection);
void lfb_connection_close(lfb_connection *connection); /* NULL: nothing */

/* How many bytes wait to be sent. */
static inline size_t lfb_connection_unsent(const lfb_connection *connection)
{
  return connection->out.size - connection->sent;
}

/* Sends what can be sent now; `moved` says whether that was anything. */
lfb_status lfb_connection_send(lfb_connection *connection, lfb_said *said, bool *moved);

/* Sends what was written and waits for one reply, of which lfb_replies_next() says more. */
lfb_status lfb_connection_call(lfb_connection *connection, uint64_t deadline, lfb_said *said,
                               const redisReply **reply);

/*
 * What an error reply means to any command: LFB_OK where it is none; _MEMORY, _LOGIN (also no
 * permission), _UNAVAILABLE (for the time being), or else _REFUSED.
 */
lfb_status lfb_reply_status(const redisReply *reply);

/* Whether a reply is an error whose first word this is. */
bool lfb_reply_is_error(const redisReply *reply, const char *word);

#ifdef __cplusplus
}
#endif

#endif
