/*
 * cache.h - a bounded cache of products in this process.
 *
 * Bounded  The number of entries is limited.  A new entry has eight possible places, and replaces
 *          one there that was not used lately (CLOCK).
 * Fresh    A lookup that finds nothing gets a ticket.  The body that a later stage finds is kept
 *          only if the same part of the cache forgot nothing since: a body read before a product
 *          changed is never stored after the change.
 * Threads  All calls except free may run concurrently.  Each of 64 parts has a lock, never held
 *          for longer than a copy of one body.
 */
#ifndef GUARD_CACHE_H
#define GUARD_CACHE_H

#include "examples/guard/stages.h"

struct cache;

/* Makes a cache of `entries`, rounded up to a power of two, at least 512; NULL: no memory. */
struct cache *cache_create(uint64_t entries);

/* Frees it; NULL is ignored. */
void cache_free(struct cache *cache);

/* Returns its row for the stages. */
struct stage cache_stage(struct cache *cache);

/* Forgets everything. */
void cache_clear(struct cache *cache);

#endif
