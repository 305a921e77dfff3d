/*
 * replies.h - makes replies from the bytes that a server sends.
 *
 * hiredis parses.  All replies reuse the same memory; hiredis itself would allocate some for every
 * number of an array.
 *
 * Hostile    The peer may not be a Redis server.  Refused as soon as seen: a reply of more than
 *            LFB_REPLIES_MOST_BYTES, or of more than LFB_REPLIES_MOST_ELEMENTS (arrays and their
 *            elements); arrays more than 7 deep; a line of more than LFB_REPLIES_MOST_LINE.
 */
#ifndef LFB_REDIS_REPLIES_H
#define LFB_REDIS_REPLIES_H

#include <hiredis/hiredis.h>
#include <lfbloom/status.h>
#include <stdbool.h>
#include <stddef.h>

#include "redis/link/said.h"
#include "redis/link/tls.h"

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

/* Fails: LFB_ERROR_NO_MEMORY. */
lfb_status lfb_replies_init(lfb_replies *replies);
void lfb_replies_free(lfb_replies *replies);

/* If all received bytes were parsed, receives once what there is, through `tls` unless NULL;
 * `moved` tells whether there was anything.  Fails as lfb_net_receive() or lfb_tls_receive(). */
lfb_status lfb_replies_receive(lfb_replies *replies, int socket, lfb_tls *tls, lfb_said *said,
                               bool *moved);

/*
 * Gives the next reply, or NULL if it is not complete yet.  It is valid until the next call.
 *
 * Fails  LFB_ERROR_REDIS_PROTOCOL: not a reply of a Redis server; LFB_ERROR_NO_MEMORY.
 */
lfb_status lfb_replies_next(lfb_replies *replies, lfb_said *said, const redisReply **reply);

LFB_EXTERN_C_END

#endif
