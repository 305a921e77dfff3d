/*
 * lfbloom/builder.h - filling a filter that nobody sees yet: without locked operations.
 *
 * Guarantees 1, 6, 19 of docs/guarantees.md.
 *
 * Until it is handed over, a filter of strategy fast is cut into regions, and a region
 * belongs to one thread at a time, which writes to it by plain stores.  A thread
 * gathers hashes for each region and takes a region when it has enough for it.  What
 * comes out is an ordinary filter, with an exact count, as put_many would have made
 * it.  Filters of other strategies are filled by put_many.
 *
 * Threads    Each thread has a number, below `threads`; calls with different numbers
 *            may run at once.  create, finish and free run alone: after the other
 *            threads' calls in the happens-before sense (thread join).
 * Progress   Not lock-free: a thread waits while another has the region it needs, at
 *            most for a few microseconds unless that thread is stopped.  Nobody but
 *            the builder's threads ever waits.
 * Memory     The filter's, and half a MiB for each thread if there are several.
 */
#ifndef LFBLOOM_BUILDER_H
#define LFBLOOM_BUILDER_H

#include <lfbloom/filter.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A filter that is being built. */
typedef struct lfb_builder lfb_builder;

/*
 * Begins a filter that `threads` threads, at least 1, will fill.
 *
 * Fails  as lfb_filter_create(); LFB_ERROR_NO_THREADS for 0 threads.
 * Owner  the caller, until lfb_builder_finish() or lfb_builder_free().
 */
LFB_API lfb_status lfb_builder_create(const lfb_config *config, unsigned threads,
                                      lfb_builder **builder);

/* Gives up a filter that is being built; NULL is ignored. */
LFB_API void lfb_builder_free(lfb_builder *builder);

/* Puts keys by the thread of that number: as the functions of lfb_filter. */
LFB_API void lfb_builder_put_many(lfb_builder *builder, unsigned thread, const lfb_key *keys,
                                  size_t count);
LFB_API void lfb_builder_put_many_u64(lfb_builder *builder, unsigned thread,
                                      const uint64_t *keys, size_t count);
LFB_API void lfb_builder_put_many_hash(lfb_builder *builder, unsigned thread,
                                       const uint64_t *hashes, size_t count);

/*
 * Ends the builder, which is gone afterwards, and gives the filter: one that any number
 * of threads may use at once, once it has been handed to them.  Never fails.
 *
 * Gives  new_keys  unless NULL: how many puts turned on at least one bit.
 * Owner  the caller, until lfb_filter_free().
 */
LFB_API lfb_filter *lfb_builder_finish(lfb_builder *builder, uint64_t *new_keys);

#ifdef __cplusplus
}
#endif

#endif
