/*
 * coming.h - the layers of a chain, in the native form (docs/formats.md), whose bytes come in
 * chunks.  They go into the layers as they come, so that the last chunk costs no more than the
 * others.
 *
 * Memory  The header of a layer takes the addresses of all its words, as BF.RESERVE does; the
 *         kernel gives their pages as bytes come.  Of an RDB file or a payload of RESTORE, which
 *         may come from an attacker, it takes 1 GiB of them at most; then the words that have come
 *         move to four times as many.
 */
#ifndef LFB_REDIS_MODULE_COMING_H
#define LFB_REDIS_MODULE_COMING_H

#include <lfbloom/filter_more.h>

typedef struct lfb_coming lfb_coming;

/* Makes one that waits for the first layer, and reserves at most `first` bytes of words, whole MiB,
 * before some come.  Fails: LFB_ERROR_NO_MEMORY. */
LFB_CHECKED lfb_status lfb_coming_create(uint64_t first, lfb_coming **coming);

/*
 * Takes some of the next bytes, up to the end of a layer.
 *
 * Takes  max_bytes  the most bytes of the layer's words; 0: no limit.
 * Gives  taken      how many bytes; at least 1.
 *        filter     the layer, if it is complete; else NULL.  The caller owns it.
 *        memory     the bytes that it takes.
 * Fails  as lfb_filter_read(), _BAD_HEADER.  It can then only be freed.
 */
LFB_CHECKED lfb_status lfb_coming_take(lfb_coming *coming, uint64_t max_bytes, const void *bytes,
                                       size_t size, size_t *taken, lfb_filter **filter,
                                       uint64_t *memory);

/* Write what has come: layer `number`, which is complete, or what there is of the next one.  Each
 * call of `write` gets at most about 1 MiB. */
LFB_CHECKED lfb_status lfb_coming_write_layer(const lfb_coming *coming, uint32_t number,
                                              const lfb_filter *filter, lfb_write_fn write,
                                              void *to);
LFB_CHECKED lfb_status lfb_coming_write_rest(const lfb_coming *coming, lfb_write_fn write,
                                             void *to);

/* The bytes of memory that it takes. */
uint64_t lfb_coming_memory(const lfb_coming *coming);

/* NULL is ignored. */
void lfb_coming_free(lfb_coming *coming);

/* ---- a queue of bytes: the chunks so far of a value that is being loaded --------------------- */

typedef struct lfb_arrived lfb_arrived;

/* Makes an empty queue.  Fails: LFB_ERROR_NO_MEMORY. */
LFB_CHECKED lfb_status lfb_arrived_create(lfb_arrived **arrived);

/* Adds bytes: an lfb_write_fn.  Fails: LFB_ERROR_NO_MEMORY. */
LFB_CHECKED lfb_status lfb_arrived_add(void *arrived, const void *bytes, size_t size);

/* Counts bytes that have come and are kept elsewhere. */
void lfb_arrived_count(lfb_arrived *arrived, uint64_t size);

/* Takes bytes: an lfb_read_fn.  It frees each piece when it has been read, so that a value and its
 * bytes are never both whole. */
LFB_CHECKED lfb_status lfb_arrived_take(void *arrived, void *bytes, size_t size, size_t *got);

/* Gives the pieces to `write`, in order. */
LFB_CHECKED lfb_status lfb_arrived_write(const lfb_arrived *arrived, lfb_write_fn write, void *to);

/* How many bytes have come.  NULL: 0. */
uint64_t lfb_arrived_size(const lfb_arrived *arrived);

/* NULL is ignored. */
void lfb_arrived_free(lfb_arrived *arrived);

#endif
