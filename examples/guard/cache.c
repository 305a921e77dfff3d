/*
 * cache.c - a cache of products on Redis, which several guards may share; see guard.h.  The key of
 * a product is product:FAMILY:ID.
 */
#define _DEFAULT_SOURCE /* struct timeval, for hiredis; getrandom */
#include <hiredis/hiredis.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "examples/guard/guard.h"

enum {
  CACHE_TIMEOUT_US = 100000,   /* of a connection, and of an answer                  */
  CACHE_FORGOTTEN_SECONDS = 10 /* of the empty value: longer than any request takes  */
};

struct cache {
  char *host;
  int port;
  unsigned seconds;
  pthread_key_t own;           /* a thread's connection                              */
  _Atomic(int64_t) down_until; /* a time of now(); 0: it answers                     */
  _Atomic(uint64_t) family;    /* 0 is shared by all guards, any other is this one's */
};

static int64_t now(void)
{
  struct timespec time;

  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec;
}

static void connection_close(void *connection)
{
  redisFree(connection);
}

struct cache *cache_open(const char *host, int port, unsigned seconds)
{
  struct cache *cache = calloc(1, sizeof *cache);

  if (cache == NULL || pthread_key_create(&cache->own, connection_close) != 0) {
    free(cache);
    return NULL;
  }
  cache->host = strdup(host);
  cache->port = port;
  cache->seconds = seconds;
  if (cache->host != NULL)
    return cache;
  cache_close(cache);
  return NULL;
}

void cache_close(struct cache *cache)
{
  if (cache == NULL)
    return;
  (void)pthread_key_delete(cache->own);
  free(cache->host);
  free(cache);
}

/* Connects the calling thread anew; NULL: the server does not answer. */
static redisContext *cache_connect(struct cache *cache)
{
  const struct timeval timeout = {0, CACHE_TIMEOUT_US};

  redisFree(pthread_getspecific(cache->own));
  redisContext *context = redisConnectWithTimeout(cache->host, cache->port, timeout);
  if (context != NULL && (context->err != 0 || redisSetTimeout(context, timeout) != REDIS_OK)) {
    redisFree(context);
    context = NULL;
  }
  if (pthread_setspecific(cache->own, context) == 0)
    return context;
  redisFree(context);
  return NULL;
}

/* relaxed, here and below: a thread that sees it late makes one more attempt. */
static void cache_say(struct cache *cache, bool answers)
{
  const int64_t until = answers ? 0 : now() + 1;
  const int64_t before = atomic_load_explicit(&cache->down_until, memory_order_relaxed);

  if (answers && before == 0)
    return;
  atomic_store_explicit(&cache->down_until, until, memory_order_relaxed);
  if ((before == 0) != answers)
    report("cache: %s:%d %s", cache->host, cache->port,
           answers ? "answers again" : "does not answer, going on without it");
}

/* Sends a command; returns its answer, never an error, or NULL: the server is down. */
static redisReply *cache_ask(struct cache *cache, const char *format, ...)
{
  redisContext *context = pthread_getspecific(cache->own);
  redisReply *reply = NULL;

  if (now() <= atomic_load_explicit(&cache->down_until, memory_order_relaxed))
    return NULL;
  /* Twice: the server may have restarted since the thread connected. */
  for (int attempt = 0; reply == NULL && attempt < 2; attempt++) {
    va_list arguments;
    if (context == NULL || attempt > 0)
      context = cache_connect(cache);
    if (context == NULL)
      break;
    va_start(arguments, format);
    reply = redisvCommand(context, format, arguments);
    va_end(arguments);
  }
  if (reply != NULL && reply->type == REDIS_REPLY_ERROR) {
    freeReplyObject(reply);
    reply = NULL;
  }
  cache_say(cache, reply != NULL);
  return reply;
}

enum answer cache_get(struct cache *cache, int64_t id, struct body *body, uint64_t *family)
{
  /* relaxed: a request that begins after a change was answered sees the family of that change. */
  *family = atomic_load_explicit(&cache->family, memory_order_relaxed);
  redisReply *reply = cache_ask(cache, "GET product:%llx:%lld", (unsigned long long)*family,
                                (long long)id);
  enum answer answer = reply == NULL ? ANSWER_BROKEN : ANSWER_NONE;

  if (reply != NULL && reply->type == REDIS_REPLY_STRING && reply->len > 0 &&
      body_copy(body, reply->str, (size_t)reply->len))
    answer = ANSWER_FOUND;
  freeReplyObject(reply);
  return answer;
}

void cache_fill(struct cache *cache, int64_t id, const struct body *body, uint64_t family)
{
  freeReplyObject(cache_ask(cache, "SET product:%llx:%lld %b EX %u NX",
                            (unsigned long long)family, (long long)id, body->bytes, body->size,
                            cache->seconds));
}

void cache_forget(struct cache *cache, int64_t id)
{
  const uint64_t family = atomic_load_explicit(&cache->family, memory_order_relaxed);
  redisReply *reply = cache_ask(cache, "SET product:%llx:%lld %b EX %d",
                                (unsigned long long)family, (long long)id, "", (size_t)0,
                                CACHE_FORGOTTEN_SECONDS);
  uint64_t other;

  if (reply == NULL && getrandom(&other, sizeof other, 0) == sizeof other)
    atomic_store_explicit(&cache->family, other, memory_order_relaxed);
  freeReplyObject(reply);
}
