/*
 * connection.h - a connection to one Redis server, logged in.
 *
 * Only lfb_connection_open() and lfb_connection_call() wait, at most until their deadline
 * (except for the lookup of a name).  Once a function has failed on a connection, it can only be
 * closed.
 */
#ifndef LFB_REDIS_CONNECTION_H
#define LFB_REDIS_CONNECTION_H

#include <lfbloom/redis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "redis/link/replies.h"
#include "redis/link/said.h"
#include "redis/link/tls.h"
#include "redis/link/wire.h"

LFB_EXTERN_C_BEGIN

typedef struct lfb_connection {
  int socket;
  lfb_tls *tls; /* NULL: none                   */
  lfb_wire out; /* commands, to be sent          */
  size_t sent;  /* bytes of `out` that were sent */
  lfb_replies replies;
} lfb_connection;

/*
 * Connects to `host` and `port` (lfb_net_connect()), by TLS unless `tls` is NULL, and logs in, within
 * options->connect_ms.
 *
 * Fails  LFB_ERROR_REDIS_HOST, _CONNECT, _LOST, _TIMEOUT, _LOGIN, _DATABASE, _PROTOCOL; _UNAVAILABLE:
 *        the server is loading its data; as lfb_tls_open(); LFB_ERROR_NO_MEMORY.
 */
lfb_status lfb_connection_open(const lfb_redis_options *options, lfb_tls_context *tls,
                               const char *host, uint16_t port, lfb_said *said,
                               lfb_connection **connection);
void lfb_connection_close(lfb_connection *connection); /* NULL is ignored */

/* Whether a failure to connect, or of a connection, may pass by itself. */
static inline bool lfb_connection_may_pass(lfb_status status)
{
  return status == LFB_ERROR_REDIS_CONNECT || status == LFB_ERROR_REDIS_LOST ||
         status == LFB_ERROR_REDIS_TIMEOUT || status == LFB_ERROR_REDIS_UNAVAILABLE ||
         status == LFB_ERROR_REDIS_NO_SENTINEL;
}

/* How many bytes wait to be sent. */
static inline size_t lfb_connection_unsent(const lfb_connection *connection)
{
  return connection->out.size - connection->sent;
}

/* Sends what can be sent now; `moved` tells whether that was anything. */
lfb_status lfb_connection_send(lfb_connection *connection, lfb_said *said, bool *moved);

/* Receives for lfb_replies_next(): lfb_replies_receive(). */
lfb_status lfb_connection_receive(lfb_connection *connection, lfb_said *said, bool *moved);

/* Sends what was written and waits for one reply (see lfb_replies_next()). */
lfb_status lfb_connection_call(lfb_connection *connection, uint64_t deadline, lfb_said *said,
                               const redisReply **reply);

/* The same within `limit_ms` milliseconds.  An error reply is a failure, as lfb_reply_status(). */
lfb_status lfb_connection_request(lfb_connection *connection, uint32_t limit_ms, lfb_said *said,
                                  const redisReply **reply);

/*
 * The meaning of an error reply to any command: LFB_OK if it is no error; _MEMORY, _LOGIN, _DENIED,
 * _UNAVAILABLE (for the moment); _REFUSED for any other.
 */
lfb_status lfb_reply_status(const redisReply *reply);

/* Whether a reply is an error with this first word. */
bool lfb_reply_is_error(const redisReply *reply, const char *word);

LFB_EXTERN_C_END

#endif
