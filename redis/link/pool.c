/* pool.c - takes links and leaves them. */
#include "redis/link/pool.h"

#include "redis/link/options.h"

lfb_status lfb_pool_init(lfb_pool *pool, const lfb_redis_options *options)
{
  const lfb_status status = lfb_options_copy(options, &pool->options);

  if (status != LFB_OK)
    return status;
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
  lfb_options_free(&pool->options);
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
