/*
 * connection.h - a connection to one Redis server, logged in.
 *
 * hiredis parses the replies.  All of them reuse the same memory; hiredis itself would allocate
 * some for every number of an array.
 *
 * Hostile    The peer may not be a Redis server.  Refused as soon as seen: a reply of more than
 *            LFB_REPLIES_MOST_BYTES, or of more than LFB_REPLIES_MOST_ELEMENTS (arrays and their
 *            elements); arrays more than 7 deep; a line of more than LFB_REPLIES_MOST_LINE.
 *
 * Only lfb_connection_open() and lfb_connection_call() wait, at most until their deadline
 * (except for the lookup of a name).  Once a function has failed on a connection, it can only be
 * closed.
 */
#ifndef LFB_REDIS_CONNECTION_H
#define LFB_REDIS_CONNECTION_H

#include <hiredis/hiredis.h>
#include <lfbloom/redis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "redis/link/said.h"
#include "redis/link/tls.h"
#include "redis/link/wire.h"

LFB_EXTERN_C_BEGIN

enum {
  LFB_REPLIES_MOST_ELEMENTS = 1 << 20,
  LFB_REPLIES_MOST_BYTES = 64 << 20, /* three times the largest reply that is requested */
  LFB_REPLIES_MOST_LINE = 64 << 10,  /* of an error or a count; Redis' own lines are short  */
};

/* A block of the memory for a reply; its bytes follow it. */
typedef struct lfb_replies_block {
  struct lfb_replies_block *older;
  size_t size, used; /* bytes */
} lfb_replies_block;

typedef struct lfb_replies {
  redisReader *parser;
  lfb_replies_block *blocks; /* newest first; the oldest is kept                     */
  char *input;               /* received bytes                                       */
  size_t at, end;            /* those that the parser does not have yet              */
  bool delivered;            /* a reply was returned; the next call frees its memory */
  bool refused;              /* the next reply exceeds a limit                       */
  size_t bytes, elements;    /* of the next reply so far; bytes are approximate      */
} lfb_replies;

typedef struct lfb_connection {
  int socket;
  lfb_tls *tls; /* NULL: none                   */
  lfb_wire out; /* commands, to be sent          */
  size_t sent;  /* bytes of `out` that were sent */
  lfb_replies replies;
} lfb_connection;

/*
 * Connects to `host` and `port` (lfb_net_connect()), by TLS unless `tls` is NULL, and logs in,
 * within options->connect_ms.
 *
 * Fails  LFB_ERROR_REDIS_HOST, _CONNECT, _LOST, _TIMEOUT, _LOGIN, _DATABASE, _PROTOCOL;
 *        _UNAVAILABLE: the server is loading its data; as lfb_tls_open(); LFB_ERROR_NO_MEMORY.
 */
lfb_status lfb_connection_open(const lfb_redis_options *options, lfb_tls_context *tls,
                               const char *host, uint16_t port, lfb_said *said,
                               lfb_connection **connection);
void lfb_connection_close(lfb_connection *connection); /* NULL is ignored */

/* Whether a failure to connect, or of a connection, may pass by itself. */
bool lfb_connection_may_pass(lfb_status status);

/* How many bytes wait to be sent. */
size_t lfb_connection_unsent(const lfb_connection *connection);

/* Sends what can be sent now; `moved` tells whether that was anything. */
lfb_status lfb_connection_send(lfb_connection *connection, lfb_said *said, bool *moved);

/* If all received bytes were parsed, receives once what there is; `moved` tells whether there was
 * anything.  Fails as lfb_net_receive() or lfb_tls_receive(). */
lfb_status lfb_connection_receive(lfb_connection *connection, lfb_said *said, bool *moved);

/*
 * Gives the next reply, or NULL if it is not complete yet.  It is valid until the next call.
 *
 * Fails  LFB_ERROR_REDIS_PROTOCOL: not a reply of a Redis server; LFB_ERROR_NO_MEMORY.
 */
lfb_status lfb_connection_next(lfb_connection *connection, lfb_said *said,
                               const redisReply **reply);

/* Sends what was written and waits for one reply, as lfb_connection_next() gives it. */
lfb_status lfb_connection_call(lfb_connection *connection, uint64_t deadline, lfb_said *said,
                               const redisReply **reply);

/*
 * The meaning of an error reply to any command: LFB_OK if it is no error; _MEMORY, _LOGIN, _DENIED,
 * _UNAVAILABLE (for the moment); _REFUSED for any other.
 */
lfb_status lfb_reply_status(const redisReply *reply);

/*
 * Checks that a reply has a type, one of REDIS_REPLY_*.
 *
 * Fails  LFB_ERROR_REDIS_NO_FILTER: the key's value has another type than the command's; as
 *        lfb_reply_status(); LFB_ERROR_REDIS_PROTOCOL.
 */
lfb_status lfb_reply_expect(const redisReply *reply, int type);

/* Whether a reply is an error with this first word. */
bool lfb_reply_is_error(const redisReply *reply, const char *word);

LFB_EXTERN_C_END

#endif
