/* reader.c - replies, parsed by hiredis in memory of ours. */
#include "redis/link/reader.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "redis/link/net.h"

enum {
  READER_INPUT = 1 << 16, /* bytes asked of the socket at a time */
  /* Given to hiredis at a time: it moves down all it has each time 1 KiB is parsed. */
  READER_SLICE = 4096,
  READER_BLOCK = 1 << 14, /* bytes of the block that is kept */
};

static bool reader_add_block(lfb_reader *reader, size_t size)
{
  lfb_reader_block *block = malloc(sizeof *block + size);

  if (block == NULL)
    return false;
  *block = (lfb_reader_block){reader->blocks, size, 0};
  reader->blocks = block;
  return true;
}

/* Memory for a part of the reply; NULL: none is left. */
static void *reader_take(lfb_reader *reader, size_t size)
{
  const size_t mask = alignof(redisReply) - 1, rounded = (size + mask) & ~mask;

  if (rounded < size)
    return NULL;
  if (reader->blocks->size - reader->blocks->used < rounded &&
      !reader_add_block(reader, rounded < READER_BLOCK ? READER_BLOCK : rounded))
    return NULL;
  lfb_reader_block *block = reader->blocks;
  char *taken = (char *)(block + 1) + block->used;
  block->used += rounded;
  return taken;
}

static void reader_drop(lfb_reader *reader)
{
  while (reader->blocks->older != NULL) {
    lfb_reader_block *older = reader->blocks->older;
    free(reader->blocks);
    reader->blocks = older;
  }
  reader->blocks->used = 0;
}

/* ---- what hiredis calls -------------------------------------------------- */

static redisReply *reader_create(const redisReadTask *task)
{
  lfb_reader *reader = task->privdata;

  reader->refused |= ++reader->elements > LFB_READER_MOST_ELEMENTS;
  redisReply *reply = reader->refused ? NULL : reader_take(reader, sizeof *reply);
  if (reply == NULL)
    return NULL;
  *reply = (redisReply){.type = task->type};
  if (task->parent != NULL) {
    redisReply *parent = task->parent->obj;
    parent->element[task->idx] = reply;
  }
  return reply;
}

static void *reader_create_string(const redisReadTask *task, char *text, size_t size)
{
  redisReply *reply = reader_create(task);

  if (reply == NULL || (reply->str = reader_take(task->privdata, size + 1)) == NULL)
    return NULL;
  memcpy(reply->str, text, size);
  reply->str[size] = '\0';
  reply->len = size;
  return reply;
}

static void *reader_create_array(const redisReadTask *task, int elements)
{
  lfb_reader *reader = task->privdata;

  reader->refused |= elements > LFB_READER_MOST_ELEMENTS;
  redisReply *reply = reader_create(task);
  if (reply == NULL)
    return NULL;
  reply->elements = (size_t)elements;
  reply->element = reader_take(task->privdata, reply->elements * sizeof *reply->element);
  return reply->element == NULL ? NULL : reply;
}

static void *reader_create_integer(const redisReadTask *task, long long number)
{
  redisReply *reply = reader_create(task);

  if (reply != NULL)
    reply->integer = number;
  return reply;
}

static void *reader_create_nil(const redisReadTask *task)
{
  redisReply *reply = reader_create(task);

  if (reply != NULL)
    reply->type = REDIS_REPLY_NIL; /* the task's is that of what is not there */
  return reply;
}

static void reader_free_object(void *reply)
{
  (void)reply; /* goes with the others */
}

/* hiredis takes no constant; it changes nothing. */
static redisReplyObjectFunctions reader_functions = {
    reader_create_string, reader_create_array, reader_create_integer,
    reader_create_nil,    reader_free_object,
};

/* ---- the reader ---------------------------------------------------------- */

lfb_status lfb_reader_init(lfb_reader *reader)
{
  *reader = (lfb_reader){0};
  reader->parser = redisReaderCreateWithFunctions(&reader_functions);
  reader->input = malloc(READER_INPUT);
  if (reader->parser == NULL || reader->input == NULL || !reader_add_block(reader, READER_BLOCK)) {
    lfb_reader_free(reader);
    return LFB_ERROR_NO_MEMORY;
  }
  reader->parser->privdata = reader;
  reader->parser->maxbuf = 0; /* keeps its buffer where it is empty */
  return LFB_OK;
}

void lfb_reader_free(lfb_reader *reader)
{
  if (reader->parser != NULL)
    redisReaderFree(reader->parser);
  while (reader->blocks != NULL) {
    lfb_reader_block *older = reader->blocks->older;
    free(reader->blocks);
    reader->blocks = older;
  }
  free(reader->input);
}

lfb_status lfb_reader_receive(lfb_reader *reader, int socket, lfb_said *said, bool *moved)
{
  size_t got = 0;

  *moved = false;
  if (reader->at != reader->end)
    return LFB_OK;
  const lfb_status status = lfb_net_receive(socket, reader->input, READER_INPUT, said, &got);
  reader->at = 0;
  reader->end = got;
  *moved = got != 0;
  return status;
}

/* Whether what there is of a reply is too much already. */
static bool reader_is_over(const lfb_reader *reader)
{
  const redisReader *parser = reader->parser;
  const size_t left = parser->len - parser->pos;

  return reader->bytes > LFB_READER_MOST_BYTES ||
         (left > LFB_READER_MOST_LINE &&
          memchr(parser->buf + parser->pos, '\n', LFB_READER_MOST_LINE) == NULL);
}

static lfb_status reader_failed(const lfb_reader *reader, lfb_said *said)
{
  if (reader->refused)
    return lfb_said_set(said, LFB_ERROR_REDIS_PROTOCOL, NULL, "an answer that does not end");
  const bool memory = reader->parser->err == REDIS_ERR_OOM;
  return lfb_said_set(said, memory ? LFB_ERROR_NO_MEMORY : LFB_ERROR_REDIS_PROTOCOL, NULL,
                      reader->parser->errstr);
}

/* Gives the parser something more; false where there is nothing. */
static bool reader_feed(lfb_reader *reader)
{
  const size_t left = reader->end - reader->at;
  const size_t size = left < READER_SLICE ? left : READER_SLICE;

  if (size == 0)
    return false;
  /* It remembers a failure: the next reply asked for is one. */
  (void)redisReaderFeed(reader->parser, reader->input + reader->at, size);
  reader->at += size;
  reader->bytes += size;
  return true;
}

lfb_status lfb_reader_next(lfb_reader *reader, lfb_said *said, const redisReply **reply)
{
  void *made = NULL;

  if (reader->delivered)
    reader_drop(reader);
  reader->delivered = false;
  do {
    reader->refused |= reader_is_over(reader);
    if (reader->refused || redisReaderGetReply(reader->parser, &made) != REDIS_OK)
      return reader_failed(reader, said);
  } while (made == NULL && reader_feed(reader));
  reader->delivered = made != NULL;
  if (made != NULL)
    reader->bytes = reader->elements = 0;
  *reply = made;
  return LFB_OK;
}
