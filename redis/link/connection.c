/* connection.c - connects, logs in, sends; replies, parsed by hiredis in memory of this library. */
#include "redis/link/connection.h"

#include <assert.h>
#include <poll.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "redis/link/net.h"

enum {
  /* Sent bytes are removed once there are more than this, and more than unsent ones. */
  CONNECTION_CLEAR = 1 << 16,
  REPLIES_INPUT = 1 << 16, /* bytes to receive at a time */
  /* Bytes passed to hiredis at a time.  After each 1 KiB parsed it moves down all that it has. */
  REPLIES_SLICE = 4096,
  REPLIES_BLOCK = 1 << 14, /* bytes of the block that is kept */
};

/* ---- what a reply means -------------------------------------------------- */

bool lfb_reply_is_error(const redisReply *reply, const char *word)
{
  const size_t size = strlen(word);

  return reply->type == REDIS_REPLY_ERROR && reply->len >= size &&
         memcmp(reply->str, word, size) == 0 &&
         (reply->str[size] == ' ' || reply->str[size] == '\0');
}

lfb_status lfb_reply_status(const redisReply *reply)
{
  static const struct {
    const char *word;
    lfb_status status;
  } rows[] = {
      {"OOM", LFB_ERROR_REDIS_MEMORY},
      {"NOAUTH", LFB_ERROR_REDIS_LOGIN},
      {"WRONGPASS", LFB_ERROR_REDIS_LOGIN},
      {"NOPERM", LFB_ERROR_REDIS_DENIED},
      {"LOADING", LFB_ERROR_REDIS_UNAVAILABLE},
      {"TRYAGAIN", LFB_ERROR_REDIS_UNAVAILABLE},
      {"CLUSTERDOWN", LFB_ERROR_REDIS_UNAVAILABLE},
      {"MASTERDOWN", LFB_ERROR_REDIS_UNAVAILABLE},
      {"BUSY", LFB_ERROR_REDIS_UNAVAILABLE},
      {"READONLY", LFB_ERROR_REDIS_UNAVAILABLE},   /* another server is the master now */
      {"UNBLOCKED", LFB_ERROR_REDIS_UNAVAILABLE},  /* the same, while a command waited */
      {"NOREPLICAS", LFB_ERROR_REDIS_UNAVAILABLE}, /* fewer than min-replicas-to-write */
      {"NOSCRIPT", LFB_ERROR_REDIS_UNAVAILABLE},   /* the server has forgotten its scripts */
  };

  if (reply->type != REDIS_REPLY_ERROR)
    return LFB_OK;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (lfb_reply_is_error(reply, rows[i].word))
      return rows[i].status;
  return LFB_ERROR_REDIS_REFUSED;
}

lfb_status lfb_reply_expect(const redisReply *reply, int type)
{
  if (lfb_reply_is_error(reply, "WRONGTYPE"))
    return LFB_ERROR_REDIS_NO_FILTER;
  const lfb_status status = lfb_reply_status(reply);
  if (status != LFB_OK)
    return status;
  return reply->type == type ? LFB_OK : LFB_ERROR_REDIS_PROTOCOL;
}

/* ---- replies -------------------------------------------------------------- */

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

/* This and the five functions below it are for hiredis. */
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

static void replies_free(lfb_replies *replies)
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

static lfb_status replies_init(lfb_replies *replies)
{
  *replies = (lfb_replies){0};
  replies->parser = redisReaderCreateWithFunctions(&replies_functions);
  replies->input = malloc(REPLIES_INPUT);
  if (replies->parser == NULL || replies->input == NULL ||
      !replies_add_block(replies, REPLIES_BLOCK)) {
    replies_free(replies);
    return LFB_ERROR_NO_MEMORY;
  }
  replies->parser->privdata = replies;
  replies->parser->maxbuf = 0; /* an empty buffer is kept */
  return LFB_OK;
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

lfb_status lfb_connection_next(lfb_connection *connection, lfb_said *said, const redisReply **reply)
{
  lfb_replies *replies = &connection->replies;
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

/* ---- sending and receiving ------------------------------------------------ */

bool lfb_connection_may_pass(lfb_status status)
{
  return status == LFB_ERROR_REDIS_CONNECT || status == LFB_ERROR_REDIS_LOST ||
         status == LFB_ERROR_REDIS_TIMEOUT || status == LFB_ERROR_REDIS_UNAVAILABLE;
}

size_t lfb_connection_unsent(const lfb_connection *connection)
{
  return connection->out.size - connection->sent;
}

lfb_status lfb_connection_send(lfb_connection *connection, lfb_said *said, bool *moved)
{
  lfb_wire *out = &connection->out;
  size_t sent = 0;

  const char *from = out->bytes + connection->sent;
  const size_t size = lfb_connection_unsent(connection);

  const lfb_status status = connection->tls == NULL
                                ? lfb_net_send(connection->socket, from, size, said, &sent)
                                : lfb_tls_send(connection->tls, from, size, said, &sent);
  *moved = sent != 0;
  connection->sent += sent;
  const size_t left = lfb_connection_unsent(connection);
  if (left == 0 || (connection->sent > CONNECTION_CLEAR && connection->sent > left)) {
    memmove(out->bytes, out->bytes + connection->sent, left);
    out->size = left;
    connection->sent = 0;
  }
  return status;
}

lfb_status lfb_connection_receive(lfb_connection *connection, lfb_said *said, bool *moved)
{
  lfb_replies *replies = &connection->replies;
  size_t got = 0;

  *moved = false;
  if (replies->at != replies->end)
    return LFB_OK;
  const lfb_status status =
      connection->tls == NULL
          ? lfb_net_receive(connection->socket, replies->input, REPLIES_INPUT, said, &got)
          : lfb_tls_receive(connection->tls, replies->input, REPLIES_INPUT, said, &got);
  replies->at = 0;
  replies->end = got;
  *moved = got != 0;
  return status;
}

static lfb_status connection_late(lfb_said *said)
{
  return lfb_said_set(said, LFB_ERROR_REDIS_TIMEOUT, NULL, "no answer in time");
}

static lfb_status connection_flush(lfb_connection *connection, uint64_t deadline, lfb_said *said)
{
  lfb_status status = LFB_OK;
  bool moved;

  if (connection->out.failed)
    return LFB_ERROR_NO_MEMORY;
  while (status == LFB_OK && lfb_connection_unsent(connection) != 0) {
    if (!lfb_net_wait(connection->socket, POLLOUT, deadline))
      return connection_late(said);
    status = lfb_connection_send(connection, said, &moved);
  }
  return status;
}

lfb_status lfb_connection_call(lfb_connection *connection, uint64_t deadline, lfb_said *said,
                               const redisReply **reply)
{
  const redisReply *got = NULL;
  bool moved;

  lfb_status status = connection_flush(connection, deadline, said);
  while (status == LFB_OK) {
    status = lfb_connection_next(connection, said, &got);
    if (status != LFB_OK || got != NULL)
      break;
    if (!lfb_net_wait(connection->socket, POLLIN, deadline))
      return connection_late(said);
    status = lfb_connection_receive(connection, said, &moved);
  }
  if (status == LFB_OK)
    *reply = got;
  return status;
}

/* ---- logging in ---------------------------------------------------------- */

/* Writes AUTH [user] password, if either is set. */
static bool connection_write_auth(lfb_wire *out, const lfb_redis_options *options)
{
  if (options->user == NULL && options->password == NULL)
    return false;
  lfb_wire_begin(out, options->user == NULL ? 2 : 3);
  lfb_wire_text(out, "AUTH");
  if (options->user != NULL)
    lfb_wire_text(out, options->user);
  lfb_wire_text(out, options->password == NULL ? "" : options->password);
  return true;
}

/* The meaning of an error during login; "max number of clients" may pass. */
static lfb_status connection_refusal(const redisReply *reply)
{
  return strstr(reply->str, "max number of clients") != NULL ? LFB_ERROR_REDIS_UNAVAILABLE
                                                             : lfb_reply_status(reply);
}

/* Writes SELECT, unless for the database that is selected at first. */
static bool connection_write_select(lfb_wire *out, const lfb_redis_options *options)
{
  if (options->database == 0)
    return false;
  lfb_wire_begin(out, 2);
  lfb_wire_text(out, "SELECT");
  lfb_wire_number(out, options->database);
  return true;
}

/* Waits for the reply to one command of a login and checks it.  `answer` is the right one;
 * `refused` is what any other error means. */
static lfb_status connection_admit(lfb_connection *connection, uint64_t deadline,
                                   const char *answer, lfb_status refused, lfb_said *said)
{
  const redisReply *reply = NULL;

  const lfb_status status = lfb_connection_call(connection, deadline, said, &reply);
  if (status != LFB_OK)
    return status;
  assert(reply != NULL);
  if (reply->type == REDIS_REPLY_STATUS && strcmp(reply->str, answer) == 0)
    return LFB_OK;
  if (reply->type != REDIS_REPLY_ERROR)
    return lfb_said_set(said, LFB_ERROR_REDIS_PROTOCOL, NULL, "another answer than to PING");
  if (refused == LFB_OK && lfb_reply_is_error(reply, "NOPERM"))
    return LFB_OK; /* a user without the right to PING is logged in, too */
  const lfb_status meant = connection_refusal(reply);
  return lfb_said_set(said, refused != LFB_OK && meant == LFB_ERROR_REDIS_REFUSED ? refused : meant,
                      NULL, reply->str);
}

/* Sends AUTH, SELECT and PING together. */
static lfb_status connection_log_in(lfb_connection *connection, const lfb_redis_options *options,
                                    uint64_t deadline, lfb_said *said)
{
  const bool auth = connection_write_auth(&connection->out, options);
  const bool select = connection_write_select(&connection->out, options);
  lfb_status status = LFB_OK;

  lfb_wire_begin(&connection->out, 1);
  lfb_wire_text(&connection->out, "PING");
  if (auth)
    status = connection_admit(connection, deadline, "OK", LFB_ERROR_REDIS_LOGIN, said);
  if (select && status == LFB_OK)
    status = connection_admit(connection, deadline, "OK", LFB_ERROR_REDIS_DATABASE, said);
  return status == LFB_OK ? connection_admit(connection, deadline, "PONG", LFB_OK, said) : status;
}

lfb_status lfb_connection_open(const lfb_redis_options *options, lfb_tls_context *tls,
                               const char *host, uint16_t port, lfb_said *said,
                               lfb_connection **connection)
{
  const uint64_t deadline = lfb_net_now() + options->connect_ms;
  lfb_connection *made = calloc(1, sizeof *made);

  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  made->socket = -1;
  lfb_status status = replies_init(&made->replies);
  if (status != LFB_OK) {
    free(made);
    return status;
  }
  status = lfb_net_connect(host, port, deadline, said, &made->socket);
  if (status == LFB_OK && tls != NULL)
    status = lfb_tls_open(tls, made->socket,
                          options->server_name == NULL ? host : options->server_name, deadline,
                          said, &made->tls);
  if (status == LFB_OK)
    status = connection_log_in(made, options, deadline, said);
  if (status == LFB_OK)
    *connection = made;
  else
    lfb_connection_close(made);
  return status;
}

void lfb_connection_close(lfb_connection *connection)
{
  if (connection == NULL)
    return;
  lfb_tls_close(connection->tls);
  if (connection->socket >= 0)
    (void)close(connection->socket);
  lfb_wire_free(&connection->out);
  replies_free(&connection->replies);
  free(connection);
}
