/*
 * memory.h - the memory of filters in Redis comes from Redis' allocator, so that `maxmemory`, INFO
 * and MEMORY count it.
 *
 * The linker directs the library's calls of malloc(), calloc(), aligned_alloc() and free(), and of
 * lfb_pages_init() and lfb_pages_free(), to memory.c (link.txt).  Memory that Redis'
 * allocator refuses makes a call fail, as in any other program: it does not end the server.
 *
 * Small  In Redis one thread at a time uses a value (value.h), and no key is claimed: an addition
 *        is new if it turned on a bit.  So the linker also replaces lfb_stripes_init() and
 *        lfb_claims_init(): a counter has one stripe instead of 72 or more, and the claims have
 *        no cells instead of 256.  That is 9 KB less in each filter.
 */
#ifndef LFB_REDIS_MODULE_MEMORY_H
#define LFB_REDIS_MODULE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "atomic/words/pages.h"

/* Takes what the calling thread needs once, before any filter: from then on all that is counted
 * belongs to filters. */
void lfb_memory_begin(void);

/* The bytes that this thread has allocated and not freed, modulo 2^64: the difference of two calls
 * is what was allocated between them. */
uint64_t lfb_memory_tally(void);

/* Sets it to what it was: what the thread has allocated or freed since belongs to no object that is
 * being counted. */
void lfb_memory_tally_reset(uint64_t tally);

/*
 * Lets the kernel put words on huge pages: to be called when nearly all pages have been touched, or
 * before words are written in order.  New words have small ones.  At the first touch of a huge page
 * the kernel zeroes 2 MiB: one BF.MADD of 1,000 items into a new filter of 1 GiB would hold up
 * other clients for seconds.
 */
void lfb_memory_settle(const lfb_pages *words);

/* The bytes that all threads have allocated and not freed. */
uint64_t lfb_memory_all(void);

#endif
