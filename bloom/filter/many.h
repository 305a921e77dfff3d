/*
 * many.h - many keys of a filter as their hashes, a piece at a time.
 */
#ifndef LFB_BLOOM_MANY_H
#define LFB_BLOOM_MANY_H

#include "bloom/filter/core.h"
#include "bloom/strategies/pieces.h"

/* Does it to all keys, one piece after the other; `hash_of`, one of pieces.h, and `act` are
 * constants where this is inlined.  The pieces begin at multiples of 64. */
LFB_INLINE size_t lfb_many_pieces(const lfb_filter *filter, const void *keys, size_t count,
                                  lfb_piece_hash hash_of, lfb_piece_act act, const void *context)
{
  return lfb_pieces_best(filter->strategy, &filter->layout.hasher, keys, count, hash_of, act,
                         context);
}

#endif
