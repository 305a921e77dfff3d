/*
 * redis_cache.h - a cache of products on a Redis server, which several guards may share.
 *
 * Keys      product:ID, the product's body, for so many seconds.
 * Fresh     A product that changes is overwritten by an empty value for some seconds, and
 *           what a lookup brings back is written only where there is nothing: so what was
 *           read before the change does not come in after it.
 * Down      A server that does not answer within a tenth of a second is left alone for a
 *           second: the stage is skipped meanwhile, and the request goes on.  A change that
 *           could not be said to it makes this guard use other keys from then on (until it is
 *           started anew); other guards may give what was there before until it expires.
 * Threads   Any call beside any other, but free.  Connections are kept and shared.
 */
#ifndef GUARD_REDIS_CACHE_H
#define GUARD_REDIS_CACHE_H

#include "examples/guard/stages.h"

struct redis_cache;

/* Makes one, which connects when it is first asked; `seconds` is how long an entry is kept,
 * from 1 on.  NULL: no memory. */
struct redis_cache *redis_cache_create(const char *host, int port, unsigned seconds);

/* NULL is ignored. */
void redis_cache_free(struct redis_cache *cache);

/* Its row among the stages. */
struct stage redis_cache_stage(struct redis_cache *cache);

#endif
