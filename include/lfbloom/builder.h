/*
 * lfbloom/builder.h - makes a filter for a number of keys that is unknown until all were put.
 *
 * An unsized builder keeps a hash of each key, then makes a filter of the right size with these
 * hashes (lfb_builder_create_unsized()).  If the number is known, a builder puts as
 * lfb_filter_put_many() does, and counts the new keys: programs that build filters of either kind
 * need one loop.
 *
 * Which calls may run at once
 *
 * Each thread has a number below `threads`; put calls with different numbers may run at once.
 * create, size, finish and free run alone: after the other threads' calls, in the happens-before
 * sense (thread join).
 */
#ifndef LFBLOOM_BUILDER_H
#define LFBLOOM_BUILDER_H

#include <lfbloom/filter.h>

LFB_EXTERN_C_BEGIN

/* A filter that is being built. */
typedef struct lfb_builder lfb_builder;

/*
 * Begins a filter to be filled by `threads` threads, at least 1.
 *
 * Fails  as lfb_filter_create(); LFB_ERROR_NO_THREADS for 0 threads.
 * Owner  the caller, until lfb_builder_finish() or lfb_builder_free().
 */
LFB_CHECKED lfb_status lfb_builder_create(const lfb_config *config, unsigned threads,
                                          lfb_builder **builder);

/*
 * Begins a filter for an unknown number of keys.  The builder keeps a hash of each key that is put,
 * until lfb_builder_size() makes the filter.
 *
 * Takes  config  as lfb_builder_create(); expected_insertions is ignored.
 * Memory 8 bytes a key (guava-mitz64, java-double: 16), also for repeated keys, in addition to the
 *        filter.  With fast that is 6 times the filter at 1 %, 3 times at 0.01 %.
 * Fails, Owner  as lfb_builder_create().
 */
LFB_CHECKED lfb_status lfb_builder_create_unsized(const lfb_config *config, unsigned threads,
                                                  lfb_builder **builder);

/*
 * Makes the filter of an unsized builder for the keys that were put, and puts them.  If more than
 * one in 20 is repeated, the filter is made again for the distinct keys and 1 % more, so its fpp is
 * held.  Call it once, after all puts and before lfb_builder_finish(), alone.  Does nothing to
 * another builder.
 *
 * Fails  as lfb_filter_create() for the distinct keys; LFB_ERROR_NO_MEMORY also if memory was
 *        refused for a filter for all puts, or for a hash during a put.  Then free the builder; or,
 *        unless a hash was the cause, try again.
 */
LFB_CHECKED lfb_status lfb_builder_size(lfb_builder *builder);

/* Frees a builder with its unfinished filter.  NULL is ignored. */
LFB_API void lfb_builder_free(lfb_builder *builder);

/* Puts keys, by the thread with number `thread`: as the functions of lfb_filter. */
LFB_API void lfb_builder_put_many(lfb_builder *builder, unsigned thread, const lfb_key *keys,
                                  size_t count);
LFB_API void lfb_builder_put_many_u64(lfb_builder *builder, unsigned thread,
                                      const uint64_t *keys, size_t count);
LFB_API void lfb_builder_put_many_hash(lfb_builder *builder, unsigned thread,
                                       const uint64_t *hashes, size_t count);

/*
 * Frees the builder and returns its filter.  Any number of threads may use the filter at once,
 * after it has been passed to them in a way that orders memory.  Never fails.
 *
 * Gives  new_keys  how many puts turned on at least one bit; may be NULL.
 * Owner  the caller, until lfb_filter_free().
 */
LFB_API lfb_filter *lfb_builder_finish(lfb_builder *builder, uint64_t *new_keys);

LFB_EXTERN_C_END

#endif
