/* arrived.h - a queue of bytes: the chunks so far of a value that is being loaded. */
#ifndef LFB_REDIS_MODULE_ARRIVED_H
#define LFB_REDIS_MODULE_ARRIVED_H

#include <lfbloom/filter_more.h>

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
