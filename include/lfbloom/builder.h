/*
 * lfbloom/builder.h - makes a filter for a number of keys that is unknown until all were put.
 *
 * It keeps a hash of each key that is put, 8 bytes (guava-mitz64, java-double: 16), also of
 * repeated keys, and 32 bytes for each call, in addition to the filter.  With fast that is 6 times
 * the filter at 1 %, 3 times at 0.01 %.  If the number is known, threads put into the filter by
 * lfb_filter_many().
 *
 * Any number of put calls may run at once: they are lock-free, but for the memory that they take.
 * create, finish and free run alone: after the other threads' calls, in the happens-before sense
 * (thread join).
 */
#ifndef LFBLOOM_BUILDER_H
#define LFBLOOM_BUILDER_H

#include <lfbloom/filter.h>

LFB_EXTERN_C_BEGIN

/* A filter that is being built. */
typedef struct lfb_builder lfb_builder;

/*
 * Begins a filter.
 *
 * Takes  config  as lfb_filter_create(); expected_insertions is ignored.
 * Fails  as lfb_filter_create().
 * Owner  the caller, until lfb_builder_finish() or lfb_builder_free().
 */
LFB_CHECKED lfb_status lfb_builder_create(const lfb_config *config, lfb_builder **builder);

/* Frees a builder without a filter.  NULL is ignored. */
LFB_API void lfb_builder_free(lfb_builder *builder);

/* Puts keys: `keys` and `kind` as lfb_filter_many(). */
LFB_API void lfb_builder_put_many(lfb_builder *builder, const void *keys, size_t count,
                                  lfb_key_kind kind);

/*
 * Makes the filter for the keys that were put, puts them, and frees the builder.  If more than one
 * in 20 is repeated, the filter is made again for the distinct keys and 1 % more, so its fpp is
 * held.  Any number of threads may use the filter at once, after it has been passed to them in a
 * way that orders memory.
 *
 * Gives  new_keys  how many puts turned on at least one bit; may be NULL.
 * Fails  as lfb_filter_create() for all puts; LFB_ERROR_NO_MEMORY also if memory was refused for
 *        a hash during a put.  The builder is still there: free it; or, unless a hash was the
 *        cause, try again.
 * Owner  of the filter: the caller, until lfb_filter_free().
 */
LFB_CHECKED lfb_status lfb_builder_finish(lfb_builder *builder, lfb_filter **filter,
                                          uint64_t *new_keys);

LFB_EXTERN_C_END

#endif
