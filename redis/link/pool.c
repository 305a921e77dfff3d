/* pool.c - takes links and leaves them. */
#include "redis/link/pool.h"

#include <stdlib.h>
#include <string.h>

#include "atomic/words/reserved.h"

/* Copies a text, or NULL, to `*to`; false: no memory. */
static bool pool_copy(const char *text, const char **to)
{
  const size_t size = text == NULL ? 0 : strlen(text) + 1;
  char *copy = text == NULL ? NULL : malloc(size);

  if (copy != NULL)
    memcpy(copy, text, size);
  *to = copy;
  return text == NULL || copy != NULL;
}

static void pool_free_texts(lfb_redis_options *options)
{
  free((char *)(uintptr_t)options->host);
  free((char *)(uintptr_t)options->user);
  free((char *)(uintptr_t)options->password);
}

lfb_status lfb_pool_init(lfb_pool *pool, const lfb_redis_options *options)
{
  lfb_redis_options own = *options;

  if (LFB_RESERVED(options) != LFB_OK)
    return LFB_ERROR_RESERVED;
  const bool host = pool_copy(options->host, &own.host);
  const bool user = pool_copy(options->user, &own.user);
  const bool password = pool_copy(options->password, &own.password);
  if (!host || !user || !password) {
    pool_free_texts(&own);
    return LFB_ERROR_NO_MEMORY;
  }
  pool->options = own;
  for (int i = 0; i < LFB_POOL_PLACES; i++)
    atomic_init(&pool->places[i], NULL);
  return LFB_OK;
}

/* Takes a link from the pool; NULL if there is none. */
static lfb_link *pool_find(lfb_pool *pool)
{
  for (int i = 0; i < LFB_POOL_PLACES; i++) {
    /* acquire: pairs with the release in lfb_pool_leave(); what was done to the link is visible. */
    lfb_link *link = atomic_exchange_explicit(&pool->places[i], NULL, memory_order_acquire);
    if (link != NULL)
      return link;
  }
  return NULL;
}

static void pool_close_links(lfb_pool *pool)
{
  for (lfb_link *link; (link = pool_find(pool)) != NULL;)
    lfb_link_close(link);
}

void lfb_pool_set_retries(lfb_pool *pool, uint32_t retries)
{
  pool->options.retries = retries;
  pool_close_links(pool); /* they have copies of the options */
}

void lfb_pool_free(lfb_pool *pool)
{
  pool_close_links(pool);
  pool_free_texts(&pool->options);
}

lfb_status lfb_pool_take(lfb_pool *pool, lfb_link **link)
{
  lfb_link *found = pool_find(pool);

  if (found == NULL)
    return lfb_link_open(&pool->options, link);
  *link = found;
  return LFB_OK;
}

void lfb_pool_leave(lfb_pool *pool, lfb_link *link)
{
  for (int i = 0; i < LFB_POOL_PLACES; i++) {
    lfb_link *none = NULL;
    /* release: pairs with the acquire in pool_find(); what was done to the link is visible to the
     * thread that takes it.  relaxed: if the place is taken, nothing of it is read. */
    if (atomic_compare_exchange_strong_explicit(&pool->places[i], &none, link,
                                                memory_order_release, memory_order_relaxed))
      return;
  }
  lfb_link_close(link);
}
