/*
 * window_vectors.h - the tags of the live generations, and the numbers of a key's bits, for vectors of
 * any size.
 */
#ifndef LFB_BLOOM_WINDOW_VECTORS_H
#define LFB_BLOOM_WINDOW_VECTORS_H

#include "bloom/kinds/window.h"

#ifdef LFB_SIMD_X86
#include <immintrin.h>

/* Each cell before the current one, that one, and those after it: 1 in its tag if it is after.  The
 * tags of those are of the cycle before, and ~(c - 1) is ~c + 1. */
#define LFB_WINDOW_AFTER {0, UINT64_C(1) << LFB_WINDOW_TAG_SHIFT}
static const uint64_t lfb_window_after[2 * LFB_WINDOW_LIVE - 1][2] = {
    [LFB_WINDOW_LIVE] = LFB_WINDOW_AFTER, LFB_WINDOW_AFTER, LFB_WINDOW_AFTER, LFB_WINDOW_AFTER,
                         LFB_WINDOW_AFTER, LFB_WINDOW_AFTER, LFB_WINDOW_AFTER};

/* The entries for the cells of a block from cell 0 on, in generation `e`. */
LFB_INLINE const uint64_t (*lfb_window_after_of(const lfb_window_geometry *geometry, uint64_t e))[2]
{
  return lfb_window_after + LFB_WINDOW_LIVE - 1 - (e & (lfb_window_cells(geometry) - 1));
}

/* The numbers of up to 4 bits of a hash for each word of a cell, of 16 bits each, from two rounds:
 * those for the first word, then those for the second. */
LFB_AVX2_TARGET LFB_INLINE __m128i lfb_window_numbers(uint64_t hash, uint32_t round)
{
  const short first = LFB_WORD_BITS, second = LFB_WINDOW_TAG_SHIFT;
  const __m128i sizes = _mm_set_epi16(second, second, second, second, first, first, first, first);
  const __m128i products = _mm_set_epi64x((long long)lfb_fast_round(hash, round + 1),
                                          (long long)lfb_fast_round(hash, round));
  return _mm_mulhi_epu16(products, sizes);
}

#endif

#endif
