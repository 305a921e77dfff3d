/*
 * many.h - many keys of a filter as their hashes, a piece at a time.
 *
 * Floor 13.  May include: floors 0 to 12.
 */
#ifndef LFB_BLOOM_MANY_H
#define LFB_BLOOM_MANY_H

#include "bloom/core.h"
#include "bloom/pieces.h"

/* Does it to all keys, one piece after the other; `hash_of`, one of pieces.h, and `act` are
 * constants where this is inlined.  The pieces begin at multiples of 64. */
LFB_INLINE size_t lfb_many_pieces(const lfb_filter *filter, const void *keys, size_t count,
                                  lfb_piece_hash hash_of, lfb_piece_act act, const void *context)
{
  const lfb_strategy *strategy = filter->strategy;
  /* Whether hashes that the caller gives are used as they are. */
  const bool takes_hashes = filter->description.geometry.words_per_key > 0;

  if (hash_of == lfb_piece_given && takes_hashes)
    return lfb_pieces_given(keys, count, act, context);
  if (hash_of == lfb_piece_u64 && strategy->hash_u64_many != NULL)
    return lfb_pieces_u64(&filter->layout.hasher, keys, count, strategy->hash_u64_many, act,
                          context);
  return lfb_pieces(&filter->layout.hasher, keys, count, hash_of, act, context);
}

#endif
