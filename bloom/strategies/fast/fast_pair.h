/*
 * fast_pair.h - finds the two words of a key of strategy `fast-pair`.
 */
#ifndef LFB_BLOOM_FAST_PAIR_H
#define LFB_BLOOM_FAST_PAIR_H

#include "atomic/words/pair.h"
#include "bloom/strategies/kernel.h"

enum { LFB_FAST_PAIR_WORDS = 2 };

/* The number of the first word of a hash's pair. */
LFB_INLINE uint64_t lfb_fast_pair_first_word(const lfb_layout *layout, uint64_t hash)
{
  return LFB_FAST_PAIR_WORDS *
         lfb_multiply_high(hash, layout->bits.word_count / LFB_FAST_PAIR_WORDS);
}

/* That word. */
LFB_INLINE lfb_word *lfb_fast_pair_block(const lfb_layout *layout, uint64_t hash)
{
  return layout->bits.words + lfb_fast_pair_first_word(layout, hash);
}

/* Prefetches a hash's pair: for a read, and below for a write. */
LFB_INLINE void lfb_fast_pair_ask(const lfb_layout *layout, uint64_t hash)
{
  lfb_prefetch_read((const void *)lfb_fast_pair_block(layout, hash));
}

LFB_INLINE void lfb_fast_pair_ask_put(const lfb_layout *layout, uint64_t hash)
{
  lfb_prefetch_write((const void *)lfb_fast_pair_block(layout, hash));
}

#endif
