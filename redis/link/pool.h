/*
 * pool.h - unused links, for the next thread that needs one.
 *
 * Progress  lock-free: a place is taken by one exchange, filled by one compare-and-exchange.
 *           If none is left, a thread opens a link of its own.
 * Memory    At most LFB_POOL_PLACES links are kept; further ones are closed after use.
 */
#ifndef LFB_REDIS_POOL_H
#define LFB_REDIS_POOL_H

#include <lfbloom/c11.h>

#include "redis/link/link.h"

LFB_EXTERN_C_BEGIN

enum { LFB_POOL_PLACES = 16 };

typedef struct lfb_pool {
  lfb_redis_options options; /* with texts of its own */
  LFB_ATOMIC(lfb_link *) places[LFB_POOL_PLACES];
} lfb_pool;

/* Copies the options, without connecting.  Fails as lfb_options_copy(). */
lfb_status lfb_pool_init(lfb_pool *pool, const lfb_redis_options *options);

/* Sets options.retries of all links from now on.  No call may be using one. */
void lfb_pool_set_retries(lfb_pool *pool, uint32_t retries);

/* Closes the links.  No call may be using one. */
void lfb_pool_free(lfb_pool *pool);

/* Takes a link, or opens one.  Fails as lfb_link_open(). */
lfb_status lfb_pool_take(lfb_pool *pool, lfb_link **link);

/* Returns a link to the pool, in any state: it connects again when needed. */
void lfb_pool_leave(lfb_pool *pool, lfb_link *link);

LFB_EXTERN_C_END

#endif
