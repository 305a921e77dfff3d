/* replies.c - replies, parsed by hiredis in memory of this library. */
#include "redis/link/replies.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "redis/link/net.h"

enum {
  REPLIES_INPUT = 1 << 16, /* bytes to receive at a time */
  /* Bytes given to hiredis at a time.  After each 1 KiB parsed it moves down all that it has. */
  REPLIES_SLICE = 4096,
  REPLIES_BLOCK = 1 << 14, /* bytes of the block that is kept */
};

static bool replies_add_block(lfb_replies *replies, size_t size)
{
  lfb_replies_block *block = malloc(sizeof *block + size);

  if (block == NULL)
    return false;
  *block = (lfb_replies_block){replies->blocks, size, 0};
  replies->blocks = block;
  return true;
}

/* Memory for a part of the reply; NULL: none left. */
static void *replies_take(lfb_replies *replies, size_t size)
{
  const size_t mask = alignof(redisReply) - 1, rounded = (size + mask) & ~mask;

  if (rounded < size)
    return NULL;
  if (replies->blocks->size - replies->blocks->used < rounded &&
      !replies_add_block(replies, rounded < REPLIES_BLOCK ? REPLIES_BLOCK : rounded))
    return NULL;
  lfb_replies_block *block = replies->blocks;
  char *taken = (char *)(block + 1) + block->used;
  block->used += rounded;
  return taken;
}

static void replies_drop(lfb_replies *replies)
{
  while (replies->blocks->older != NULL) {
    lfb_replies_block *older = replies->blocks->older;
    free(replies->blocks);
    replies->blocks = older;
  }
  replies->blocks->used = 0;
}

/* ---- what hiredis calls -------------------------------------------------- */

static redisReply *replies_create(const redisReadTask *task)
{
  lfb_replies *replies = task->privdata;

  replies->refused |= ++replies->elements > LFB_REPLIES_MOST_ELEMENTS;
  redisReply *reply = replies->refused ? NULL : replies_take(replies, sizeof *reply);
  if (reply == NULL)
    return NULL;
  *reply = (redisReply){.type = task->type};
  if (task->parent != NULL) {
    redisReply *parent = task->parent->obj;
    parent->element[task->idx] = reply;
  }
  return reply;
}

static void *replies_create_string(const redisReadTask *task, char *text, size_t size)
{
  redisReply *reply = replies_create(task);

  if (reply == NULL || (reply->str = replies_take(task->privdata, size + 1)) == NULL)
    return NULL;
  memcpy(reply->str, text, size);
  reply->str[size] = '\0';
  reply->len = size;
  return reply;
}

static void *replies_create_array(const redisReadTask *task, int elements)
{
  lfb_replies *replies = task->privdata;

  replies->refused |= elements > LFB_REPLIES_MOST_ELEMENTS;
  redisReply *reply = replies_create(task);
  if (reply == NULL)
    return NULL;
  reply->elements = (size_t)elements;
  reply->element = replies_take(task->privdata, reply->elements * sizeof *reply->element);
  return reply->element == NULL ? NULL : reply;
}

static void *replies_create_integer(const redisReadTask *task, long long number)
{
  redisReply *reply = replies_create(task);

  if (reply != NULL)
    reply->integer = number;
  return reply;
}

static void *replies_create_nil(const redisReadTask *task)
{
  redisReply *reply = replies_create(task);

  if (reply != NULL)
    reply->type = REDIS_REPLY_NIL; /* the task's type is that of the missing value */
  return reply;
}

static void replies_free_object(void *reply)
{
  (void)reply; /* freed with the whole reply */
}

/* Not const: hiredis asks for a mutable pointer, but changes nothing. */
static redisReplyObjectFunctions replies_functions = {
    replies_create_string, replies_create_array, replies_create_integer,
    replies_create_nil,    replies_free_object,
};

/* ---- replies ------------------------------------------------------------- */

lfb_status lfb_replies_init(lfb_replies *replies)
{
  *replies = (lfb_replies){0};
  replies->parser = redisReaderCreateWithFunctions(&replies_functions);
  replies->input = malloc(REPLIES_INPUT);
  if (replies->parser == NULL || replies->input == NULL ||
      !replies_add_block(replies, REPLIES_BLOCK)) {
    lfb_replies_free(replies);
    return LFB_ERROR_NO_MEMORY;
  }
  replies->parser->privdata = replies;
  replies->parser->maxbuf = 0; /* an empty buffer is kept */
  return LFB_OK;
}

void lfb_replies_free(lfb_replies *replies)
{
  if (replies->parser != NULL)
    redisReaderFree(replies->parser);
  while (replies->blocks != NULL) {
    lfb_replies_block *older = replies->blocks->older;
    free(replies->blocks);
    replies->blocks = older;
  }
  free(replies->input);
}

lfb_status lfb_replies_receive(lfb_replies *replies, int socket, lfb_tls *tls, lfb_said *said,
                               bool *moved)
{
  size_t got = 0;

  *moved = false;
  if (replies->at != replies->end)
    return LFB_OK;
  const lfb_status status =
      tls == NULL ? lfb_net_receive(socket, replies->input, REPLIES_INPUT, said, &got)
                  : lfb_tls_receive(tls, replies->input, REPLIES_INPUT, said, &got);
  replies->at = 0;
  replies->end = got;
  *moved = got != 0;
  return status;
}

/* Whether what has arrived of a reply exceeds a limit. */
static bool replies_is_over(const lfb_replies *replies)
{
  const redisReader *parser = replies->parser;
  const size_t left = parser->len - parser->pos;

  return replies->bytes > LFB_REPLIES_MOST_BYTES ||
         (left > LFB_REPLIES_MOST_LINE &&
          memchr(parser->buf + parser->pos, '\n', LFB_REPLIES_MOST_LINE) == NULL);
}

static lfb_status replies_failed(const lfb_replies *replies, lfb_said *said)
{
  if (replies->refused)
    return lfb_said_set(said, LFB_ERROR_REDIS_PROTOCOL, NULL, "an answer that does not end");
  const bool memory = replies->parser->err == REDIS_ERR_OOM;
  return lfb_said_set(said, memory ? LFB_ERROR_NO_MEMORY : LFB_ERROR_REDIS_PROTOCOL, NULL,
                      replies->parser->errstr);
}

/* Gives the parser more bytes; false if there are none. */
static bool replies_feed(lfb_replies *replies)
{
  const size_t left = replies->end - replies->at;
  const size_t size = left < REPLIES_SLICE ? left : REPLIES_SLICE;

  if (size == 0)
    return false;
  /* The parser remembers a failure: the next redisReaderGetReply() returns it. */
  (void)redisReaderFeed(replies->parser, replies->input + replies->at, size);
  replies->at += size;
  replies->bytes += size;
  return true;
}

lfb_status lfb_replies_next(lfb_replies *replies, lfb_said *said, const redisReply **reply)
{
  void *made = NULL;

  if (replies->delivered)
    replies_drop(replies);
  replies->delivered = false;
  do {
    replies->refused |= replies_is_over(replies);
    if (replies->refused || redisReaderGetReply(replies->parser, &made) != REDIS_OK)
      return replies_failed(replies, said);
  } while (made == NULL && replies_feed(replies));
  replies->delivered = made != NULL;
  if (made != NULL)
    replies->bytes = replies->elements = 0;
  *reply = made;
  return LFB_OK;
}
