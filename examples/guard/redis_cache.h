/*
 * redis_cache.h - a cache of products on a Redis server, which several guards may share.
 *
 * Keys      product:ID holds the product's body, and expires after `seconds`.
 * Fresh     When a product changes, an empty value overwrites it for 10 seconds.  A lookup
 *           writes a body only if the key is absent.  So a body read before the change is not
 *           stored after it.
 * Down      If the server does not answer within 0.1 s, it is not used for 1 s: the stage is
 *           skipped and requests continue.  If a change could not be sent to it, this guard uses
 *           other keys until it is restarted.  Other guards may return the old body until it
 *           expires.
 * Threads   All calls except free may run concurrently.  Connections are kept and shared.
 */
#ifndef GUARD_REDIS_CACHE_H
#define GUARD_REDIS_CACHE_H

#include "examples/guard/stages.h"

struct redis_cache;

/* Makes a cache, which connects on its first use; `seconds`, at least 1, is how long an entry is
 * kept.  NULL: no memory. */
struct redis_cache *redis_cache_create(const char *host, int port, unsigned seconds);

/* Frees it; NULL is ignored. */
void redis_cache_free(struct redis_cache *cache);

/* Returns its row for the stages. */
struct stage redis_cache_stage(struct redis_cache *cache);

#endif
