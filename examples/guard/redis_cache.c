/*
 * redis_cache.c - see redis_cache.h.
 */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE /* struct timeval, for hiredis */
#include "examples/guard/redis_cache.h"

#include <hiredis/hiredis.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "examples/guard/clock.h"
#include "examples/guard/report.h"

enum {
  REDIS_IDLE = 64,           /* connections kept                                    */
  REDIS_TIMEOUT_US = 100000, /* for each connection, command and answer             */
  REDIS_DOWN_NS = 1000000000,
  REDIS_FORGOTTEN_SECONDS = 10, /* of the empty value: longer than any lookup takes */
  REDIS_KEY_SIZE = 64,
};

struct redis_cache {
  char *host;
  int port;
  char seconds[16];
  pthread_mutex_t mutex; /* guards the next two */
  redisContext *idle[REDIS_IDLE];
  unsigned idle_count;
  _Atomic(uint64_t) down_until; /* a time of clock_ns(); 0: up */
  /* The family of keys: 0 is shared by all guards, any other is this guard's own.  A lookup keeps
   * the family that it began with, so a body read before a change is not written to the next. */
  _Atomic(uint64_t) family;
};

/* relaxed, here and below: a thread that sees it late makes one more attempt. */
static bool redis_is_down(const struct redis_cache *cache)
{
  const uint64_t until = atomic_load_explicit(&cache->down_until, memory_order_relaxed);

  return until != 0 && clock_ns(CLOCK_MONOTONIC) < until;
}

static void redis_say_down(struct redis_cache *cache)
{
  const uint64_t until = clock_ns(CLOCK_MONOTONIC) + REDIS_DOWN_NS;

  if (atomic_exchange_explicit(&cache->down_until, until, memory_order_relaxed) == 0)
    report("redis: %s:%d does not answer, continuing without it", cache->host, cache->port);
}

static void redis_say_up(struct redis_cache *cache)
{
  if (atomic_load_explicit(&cache->down_until, memory_order_relaxed) != 0 &&
      atomic_exchange_explicit(&cache->down_until, 0, memory_order_relaxed) != 0)
    report("redis: %s:%d answers again", cache->host, cache->port);
}

static redisContext *redis_connect(const struct redis_cache *cache)
{
  const struct timeval timeout = {0, REDIS_TIMEOUT_US};
  redisContext *context = redisConnectWithTimeout(cache->host, cache->port, timeout);

  if (context == NULL || (context->err == 0 && redisSetTimeout(context, timeout) == REDIS_OK))
    return context;
  redisFree(context);
  return NULL;
}

/* Returns an idle connection, or NULL. */
static redisContext *redis_take(struct redis_cache *cache)
{
  pthread_mutex_lock(&cache->mutex);
  redisContext *context = cache->idle_count == 0 ? NULL : cache->idle[--cache->idle_count];
  pthread_mutex_unlock(&cache->mutex);
  return context;
}

static void redis_give(struct redis_cache *cache, redisContext *context)
{
  pthread_mutex_lock(&cache->mutex);
  const bool keep = cache->idle_count < REDIS_IDLE;
  if (keep)
    cache->idle[cache->idle_count++] = context;
  pthread_mutex_unlock(&cache->mutex);
  if (!keep)
    redisFree(context);
}

/* A command: its words and their sizes in bytes. */
struct command {
  int count;
  const char *words[6];
  size_t sizes[6];
};

static void command_add(struct command *command, const char *word, size_t size)
{
  command->words[command->count] = word;
  command->sizes[command->count++] = size;
}

static void command_add_text(struct command *command, const char *text)
{
  command_add(command, text, strlen(text));
}

/* Sends the command on one connection, which is kept if it answers, else closed; NULL is
 * ignored. */
static redisReply *redis_send(struct redis_cache *cache, redisContext *context,
                              const struct command *command)
{
  if (context == NULL)
    return NULL;
  redisReply *reply = redisCommandArgv(context, command->count, (const char **)command->words,
                                       command->sizes);
  if (reply == NULL)
    redisFree(context);
  else
    redis_give(cache, context);
  return reply;
}

/* Returns the answer, which the caller must free; never an error reply.  NULL: the server is
 * down. */
static redisReply *redis_ask(struct redis_cache *cache, const struct command *command)
{
  if (redis_is_down(cache))
    return NULL;
  redisReply *reply = redis_send(cache, redis_take(cache), command);
  if (reply == NULL) /* the server may have restarted since the connection was kept */
    reply = redis_send(cache, redis_connect(cache), command);
  if (reply == NULL || reply->type == REDIS_REPLY_ERROR) {
    freeReplyObject(reply);
    redis_say_down(cache);
    return NULL;
  }
  redis_say_up(cache);
  return reply;
}

/* relaxed: a lookup that begins after the answer to a change still sees the change's family, since
 * that answer orders the two. */
static uint64_t redis_family(const struct redis_cache *cache)
{
  return atomic_load_explicit(&cache->family, memory_order_relaxed);
}

/* Writes the key of a product to `key`, and begins a command with it. */
static struct command redis_begin(const char *verb, const struct lookup *lookup,
                                  char key[REDIS_KEY_SIZE])
{
  struct command command = {0};

  if (lookup->family == 0)
    (void)snprintf(key, REDIS_KEY_SIZE, "product:%" PRId64, lookup->id);
  else
    (void)snprintf(key, REDIS_KEY_SIZE, "product:%" PRId64 ":%" PRIx64, lookup->id,
                   lookup->family);
  command_add_text(&command, verb);
  command_add_text(&command, key);
  return command;
}

static bool redis_take_body(const redisReply *reply, struct lookup *lookup)
{
  if (reply->type != REDIS_REPLY_STRING || reply->len == 0)
    return false;
  lookup->size = (size_t)reply->len;
  lookup->body = malloc(lookup->size);
  if (lookup->body != NULL)
    memcpy(lookup->body, reply->str, lookup->size);
  return lookup->body != NULL;
}

static enum stage_answer redis_lookup(void *self, struct lookup *lookup)
{
  char key[REDIS_KEY_SIZE];

  lookup->family = redis_family(self);
  const struct command command = redis_begin("GET", lookup, key);
  redisReply *reply = redis_ask(self, &command);

  if (reply == NULL)
    return STAGE_SKIPPED;
  const bool found = redis_take_body(reply, lookup);
  freeReplyObject(reply);
  return found ? STAGE_FOUND : STAGE_NOT_HERE;
}

/* Sets a product's value for `seconds`; with `only_new`, only if the key is absent. */
static bool redis_set(struct redis_cache *cache, const struct lookup *product,
                      const char *seconds, bool only_new)
{
  char key[REDIS_KEY_SIZE];
  struct command command = redis_begin("SET", product, key);

  command_add(&command, product->body, product->size);
  command_add_text(&command, "EX");
  command_add_text(&command, seconds);
  if (only_new)
    command_add_text(&command, "NX");
  redisReply *reply = redis_ask(cache, &command);
  if (reply == NULL)
    return false;
  freeReplyObject(reply);
  return true;
}

static void redis_fill(void *self, const struct lookup *lookup)
{
  struct redis_cache *cache = self;

  if (lookup->body != NULL)
    (void)redis_set(cache, lookup, cache->seconds, true);
}

static void redis_forget(void *self, int64_t id)
{
  struct redis_cache *cache = self;
  char seconds[16];
  char empty[] = "";
  const struct lookup nothing = {.id = id, .family = redis_family(cache), .body = empty};

  (void)snprintf(seconds, sizeof seconds, "%d", REDIS_FORGOTTEN_SECONDS);
  if (!redis_set(cache, &nothing, seconds, false))
    /* relaxed: as redis_family(). */
    atomic_store_explicit(&cache->family, clock_ns(CLOCK_REALTIME), memory_order_relaxed);
}

struct redis_cache *redis_cache_create(const char *host, int port, unsigned seconds)
{
  struct redis_cache *cache = calloc(1, sizeof *cache);

  if (cache == NULL)
    return NULL;
  cache->host = strdup(host);
  cache->port = port;
  (void)snprintf(cache->seconds, sizeof cache->seconds, "%u", seconds);
  pthread_mutex_init(&cache->mutex, NULL);
  if (cache->host != NULL)
    return cache;
  redis_cache_free(cache);
  return NULL;
}

void redis_cache_free(struct redis_cache *cache)
{
  if (cache == NULL)
    return;
  while (cache->idle_count > 0)
    redisFree(cache->idle[--cache->idle_count]);
  pthread_mutex_destroy(&cache->mutex);
  free(cache->host);
  free(cache);
}

struct stage redis_cache_stage(struct redis_cache *cache)
{
  return (struct stage){.name = "redis",
                        .self = cache,
                        .lookup = redis_lookup,
                        .fill = redis_fill,
                        .forget = redis_forget};
}
