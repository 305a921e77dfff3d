/*
 * cache.h - a bounded cache of products in this process.
 *
 * Bounded  by a number of entries; a new one displaces, among the eight places that it can
 *          have, one that was not asked for lately (CLOCK).
 * Fresh    A lookup that finds nothing gets a ticket, and what it brings back from further
 *          on is kept only if nothing was forgotten there meanwhile: what was read before
 *          a product changed never comes in after it.
 * Threads  Any call beside any other, but free.  A lock for each of 64 parts, never held for
 *          more than a copy of one body.
 */
#ifndef GUARD_CACHE_H
#define GUARD_CACHE_H

#include "examples/guard/stages.h"

struct cache;

/* Makes one of at least `entries`, rounded up to a power of two; NULL: no memory. */
struct cache *cache_create(uint64_t entries);

/* NULL is ignored. */
void cache_free(struct cache *cache);

/* Its row among the stages. */
struct stage cache_stage(struct cache *cache);

/* Forgets everything. */
void cache_clear(struct cache *cache);

#endif
