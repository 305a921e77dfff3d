/* pieces.h - a queue of bytes: the chunks so far of a value that is being loaded. */
#ifndef LFB_REDIS_MODULE_PIECES_H
#define LFB_REDIS_MODULE_PIECES_H

#include <lfbloom/filter_more.h>

typedef struct lfb_pieces lfb_pieces;

/* Makes an empty queue.  Fails: LFB_ERROR_NO_MEMORY. */
LFB_CHECKED lfb_status lfb_pieces_create(lfb_pieces **pieces);

/* Adds bytes: an lfb_write_fn.  Fails: LFB_ERROR_NO_MEMORY. */
LFB_CHECKED lfb_status lfb_pieces_add(void *pieces, const void *bytes, size_t size);

/* Takes bytes: an lfb_read_fn.  It frees each piece when it has been read, so that a value and its
 * bytes are never both whole. */
LFB_CHECKED lfb_status lfb_pieces_take(void *pieces, void *bytes, size_t size, size_t *got);

/* Gives the pieces to `write`, in order. */
LFB_CHECKED lfb_status lfb_pieces_write(const lfb_pieces *pieces, lfb_write_fn write, void *to);

/* How many bytes have come.  NULL: 0. */
uint64_t lfb_pieces_size(const lfb_pieces *pieces);

/* NULL is ignored. */
void lfb_pieces_free(lfb_pieces *pieces);

#endif
