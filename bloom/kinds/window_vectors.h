/*
 * window_vectors.h - the tags of the live generations, and the bits of a key, for vectors of any size.
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

/* The bits of the two words of a cell that a key can have, in fields of 16 bits. */
LFB_AVX2_TARGET LFB_INLINE __m128i lfb_window_sizes(void)
{
  const short first = LFB_WORD_BITS, second = LFB_WINDOW_TAG_SHIFT;
  return _mm_set_epi16(second, second, second, second, first, first, first, first);
}

/*
 * The bits of a hash for cells of two words, in both halves of the result: lfb_window_mask(), four bits
 * of each word at a time.
 */
LFB_AVX2_TARGET LFB_INLINE __m256i lfb_window_mask256(const lfb_window_geometry *geometry,
                                                      uint64_t hash)
{
  const __m256i bits = _mm256_set1_epi64x(geometry->bits);
  __m256i index = _mm256_set_epi64x(2, 2, 3, 3), mask = _mm256_setzero_si256();

  for (uint32_t i = 0; i < geometry->bits; i += 4) {
    const __m128i products = _mm_set_epi64x((long long)lfb_fast_round(hash, i / 2 + 1),
                                            (long long)lfb_fast_round(hash, i / 2));
    const __m128i numbers = _mm_mulhi_epu16(products, lfb_window_sizes());
    /* those of the two words in turns, 16 bits each: bits 3, 2, 1 and 0 of the four */
    const __m128i turns = _mm_unpacklo_epi16(numbers, _mm_unpackhi_epi64(numbers, numbers));
    for (uint32_t half = 0; half < 2; half++) {
      const __m256i wanted = _mm256_srli_epi64(_mm256_cmpgt_epi64(bits, index), 63);
      const __m128i two = half == 0 ? turns : _mm_unpackhi_epi64(turns, turns);
      mask = _mm256_or_si256(mask, _mm256_sllv_epi64(wanted, _mm256_cvtepu16_epi64(two)));
      index = _mm256_sub_epi64(index, _mm256_set1_epi64x(2));
    }
    index = _mm256_add_epi64(index, _mm256_set1_epi64x(8));
  }
  return _mm256_or_si256(mask, _mm256_permute4x64_epi64(mask, 0x4e)); /* halves swapped */
}

#endif

#endif
