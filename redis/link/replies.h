/*
 * replies.h - replies out of the bytes that a server sends.
 *
 * hiredis parses; what it makes of a reply lies in memory that the next reply is made in,
 * where hiredis itself would ask for some for every number of an array.
 *
 * Hostile    Whoever answers may be no Redis server: a reply of more than
 *            LFB_REPLIES_MOST_BYTES, or of more than LFB_REPLIES_MOST_ELEMENTS, arrays and what
 *            is in them; arrays more than 7 deep; and a line of more than
 *            LFB_REPLIES_MOST_LINE are refused as soon as they are seen.
 */
#ifndef LFB_REDIS_REPLIES_H
#define LFB_REDIS_REPLIES_H

#include <hiredis/hiredis.h>
#include <lfbloom/status.h>
#include <stdbool.h>
#include <stddef.h>

#include "redis/link/said.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LFB_REPLIES_MOST_ELEMENTS = 1 << 20,
  LFB_REPLIES_MOST_BYTES = 64 << 20, /* a hundred times the largest that is asked for      */
  LFB_REPLIES_MOST_LINE = 64 << 10,  /* of an error or a count; Redis' own lines are short */
};

/* A piece of the memory for a reply; the bytes are behind it. */
typedef struct lfb_replies_block {
  struct lfb_replies_block *older;
  size_t size, used; /* bytes */
} lfb_replies_block;

typedef struct lfb_replies {
  redisReader *parser;
  lfb_replies_block *blocks; /* the newest; the oldest one is kept */
  char *input;               /* what was received ..               */
  size_t at, end;            /* .. and is not with the parser yet  */
  bool delivered;            /* a reply, whose memory is free by the next call */
  bool refused;              /* it is more than a reply may be                 */
  size_t bytes, elements;    /* of the next reply, so far; bytes about         */
} lfb_replies;

/* Fails: LFB_ERROR_NO_MEMORY. */
lfb_status lfb_replies_init(lfb_replies *replies);
void lfb_replies_free(lfb_replies *replies);

/* Receives what there is, once, if all that was received before has been parsed; `moved`
 * says whether there was anything.  Fails as lfb_net_receive(). */
lfb_status lfb_replies_receive(lfb_replies *replies, int socket, lfb_said *said, bool *moved);

/*
 * The next reply, NULL while it is not whole; it lasts until the next call.
 *
 * Fails  LFB_ERROR_REDIS_PROTOCOL: no reply of a Redis server; LFB_ERROR_NO_MEMORY.
 */
lfb_status lfb_replies_next(lfb_replies *replies, lfb_said *said, const redisReply **reply);

#ifdef __cplusplus
}
#endif

#endif
