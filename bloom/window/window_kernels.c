/*
 * window_kernels.c - the operations of a window on keys: without vectors, by AVX2 and by AVX-512.
 * Answers and bits are the same (window.h).
 *
 * Other threads may write the words during a load of a vector.  It is not atomic as a whole, but
 * each of its lanes of 64 bits is (bloom/strategies/fast/fast_avx512.h has the sources).
 */
#include "bloom/window/window.h"

#include "bloom/hashing/simd.h"

#define BITS_SHIFTS 58, 52, 46, 40, 34, 28, 22, 16 /* of probes 7 to 0 of a product (fast_view.h) */

/* ---- without vectors -------------------------------------------------------------- */

typedef lfb_window_mask window_any_bits;

LFB_INLINE window_any_bits window_any_bits_of(const lfb_window_view *view, uint64_t hash)
{
  const uint32_t words = 1U << view->fast.block_shift;
  window_any_bits bits = {{0}};

  for (uint32_t j = 0; j < words; j++)
    bits.word[j] = lfb_fast_mask(&view->fast, hash, j);
  return bits;
}

LFB_INLINE lfb_window_mask window_any_mask(const window_any_bits *bits)
{
  return *bits;
}

LFB_INLINE bool window_any_block_has(const lfb_window_view *view, const lfb_word *block,
                                     const window_any_bits *bits)
{
  const uint32_t words = 1U << view->fast.block_shift;
  uint64_t missing = 0;

  for (uint32_t j = 0; j < words; j++)
    /* seq_cst: after the generation that the caller has read, in one order with the exchanges of
     * puts; and, as acquire, before the reads that follow (window_any_look()). */
    missing |= bits->word[j] &
               ~LFB_STD atomic_load_explicit(&block[j], LFB_STD memory_order_seq_cst);
  return missing == 0;
}

LFB_INLINE bool window_any_pairs(const lfb_window_view *view)
{
  return view->pairs;
}

LFB_INLINE uint32_t window_any_unit_shift(const lfb_window_view *view)
{
  return view->fast.block_shift;
}

#define window_any_unit_has window_any_block_has
#define WINDOW_TARGET
#define WINDOW_(noun) window_any_##noun
#include "bloom/window/window_kernel.inc.h"

#define WINDOW_SHAPE 0, 0, 0
#define WINDOW_PUT window_any_all_put
#define WINDOW_MIGHT_CONTAIN window_any_all_might_contain
#define WINDOW_LAYER_HAS window_any_all_layer_has
#define WINDOW_PUT_MANY window_any_all_put_many
#define WINDOW_MIGHT_CONTAIN_MANY window_any_all_might_contain_many
#define WINDOW_KERNEL window_any_all_kernel
#include "bloom/window/window_shape.inc.h"

const lfb_window_kernel *const lfb_window_kernels[LFB_WINDOW_SHAPES] = {
    &window_any_all_kernel, &window_any_all_kernel,
    &window_any_all_kernel, &window_any_all_kernel};

#undef WINDOW_TARGET
#undef WINDOW_

#ifdef LFB_SIMD_X86
#include <immintrin.h>

/* ---- AVX2 ------------------------------------------------------------------------- */

/* The bits in words 0 to 3 and 4 to 7; smaller blocks are repeated in `low`. */
typedef struct window256_bits {
  __m256i low, high;
} window256_bits;

/* Every processor with AVX2 has the exchange of two words. */
LFB_INLINE bool window256_pairs(const lfb_window_view *view)
{
  (void)view;
  return true;
}

/* The bits of four probes, of which those below `count` are wanted, counted from `first`. */
LFB_AVX2_TARGET LFB_INLINE __m256i window256_four(uint64_t round, int first, uint32_t count)
{
  const __m256i probes = _mm256_add_epi64(_mm256_set_epi64x(3, 2, 1, 0), _mm256_set1_epi64x(first));
  const __m256i shifts = first == 0 ? _mm256_set_epi64x(34, 28, 22, 16)
                                    : _mm256_set_epi64x(58, 52, 46, 40);
  const __m256i wanted =
      _mm256_srli_epi64(_mm256_cmpgt_epi64(_mm256_set1_epi64x(count), probes), 63);
  const __m256i number = _mm256_and_si256(
      _mm256_srlv_epi64(_mm256_set1_epi64x((long long)round), shifts), _mm256_set1_epi64x(63));
  return _mm256_sllv_epi64(wanted, number);
}

LFB_AVX2_TARGET LFB_INLINE window256_bits window256_bits_of(const lfb_window_view *view,
                                                            uint64_t hash)
{
  window256_bits bits = {_mm256_setzero_si256(), _mm256_setzero_si256()};

  for (uint32_t i = 0; i < view->fast.rounds; i++) {
    const uint64_t round = lfb_fast_round(hash, i);
    const uint32_t left = view->fast.probes - i * LFB_FAST_ROUND;
    bits.low = _mm256_or_si256(bits.low, window256_four(round, 0, left));
    bits.high = _mm256_or_si256(bits.high, window256_four(round, 4, left));
  }
  if (view->fast.block_shift < 3)
    bits.low = _mm256_or_si256(bits.low, bits.high);
  if (view->fast.block_shift == 1) /* the halves of 128 bits */
    bits.low = _mm256_or_si256(bits.low, _mm256_permute4x64_epi64(bits.low, 0x4e));
  return bits;
}

LFB_AVX2_TARGET LFB_INLINE lfb_window_mask window256_mask(const window256_bits *bits)
{
  lfb_window_mask mask;

  _mm256_storeu_si256((__m256i *)(void *)mask.word, bits->low);
  _mm256_storeu_si256((__m256i *)(void *)(mask.word + 4), bits->high);
  return mask;
}

LFB_AVX2_TARGET LFB_INLINE uint32_t window256_unit_shift(const lfb_window_view *view)
{
  return view->fast.block_shift == 3 ? 3 : 2;
}

/* Which of four words have all bits. */
LFB_AVX2_TARGET LFB_INLINE uint32_t window256_words(const lfb_word *words, __m256i bits)
{
  const __m256i four = _mm256_load_si256((const __m256i *)(const void *)words);
  const __m256i whole = _mm256_cmpeq_epi64(_mm256_and_si256(four, bits), bits);
  return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(whole));
}

LFB_AVX2_TARGET LFB_INLINE bool window256_unit_has(const lfb_window_view *view,
                                                   const lfb_word *unit, const window256_bits *bits)
{
  const uint32_t low = window256_words(unit, bits->low);

  if (view->fast.block_shift == 1)
    return (low & low >> 1 & 5) != 0;
  if (view->fast.block_shift == 2)
    return low == 15;
  return (low & window256_words(unit + 4, bits->high)) == 15;
}

LFB_AVX2_TARGET LFB_INLINE bool window256_block_has(const lfb_window_view *view,
                                                    const lfb_word *block,
                                                    const window256_bits *bits)
{
  if (view->fast.block_shift > 1)
    return window256_unit_has(view, block, bits);
  const __m128i pair = _mm_load_si128((const __m128i *)(const void *)block);
  const __m128i missing = _mm_andnot_si128(pair, _mm256_castsi256_si128(bits->low));
  return _mm_testz_si128(missing, missing) != 0;
}

#define WINDOW_TARGET LFB_AVX2_TARGET
#define WINDOW_(noun) window256_##noun
#include "bloom/window/window_kernel.inc.h"

#define WINDOW_SHAPE 0, 0, 0
#define WINDOW_PUT window256_all_put
#define WINDOW_MIGHT_CONTAIN window256_all_might_contain
#define WINDOW_LAYER_HAS window256_all_layer_has
#define WINDOW_PUT_MANY window256_all_put_many
#define WINDOW_MIGHT_CONTAIN_MANY window256_all_might_contain_many
#define WINDOW_KERNEL window256_all_kernel
#include "bloom/window/window_shape.inc.h"

#define WINDOW_SHAPE 2, 1, 4
#define WINDOW_PUT window256_2x4_put
#define WINDOW_MIGHT_CONTAIN window256_2x4_might_contain
#define WINDOW_LAYER_HAS window256_2x4_layer_has
#define WINDOW_PUT_MANY window256_2x4_put_many
#define WINDOW_MIGHT_CONTAIN_MANY window256_2x4_might_contain_many
#define WINDOW_KERNEL window256_2x4_kernel
#include "bloom/window/window_shape.inc.h"

#define WINDOW_SHAPE 2, 2, 3
#define WINDOW_PUT window256_4x3_put
#define WINDOW_MIGHT_CONTAIN window256_4x3_might_contain
#define WINDOW_LAYER_HAS window256_4x3_layer_has
#define WINDOW_PUT_MANY window256_4x3_put_many
#define WINDOW_MIGHT_CONTAIN_MANY window256_4x3_might_contain_many
#define WINDOW_KERNEL window256_4x3_kernel
#include "bloom/window/window_shape.inc.h"

#define WINDOW_SHAPE 2, 3, 2
#define WINDOW_PUT window256_8x2_put
#define WINDOW_MIGHT_CONTAIN window256_8x2_might_contain
#define WINDOW_LAYER_HAS window256_8x2_layer_has
#define WINDOW_PUT_MANY window256_8x2_put_many
#define WINDOW_MIGHT_CONTAIN_MANY window256_8x2_might_contain_many
#define WINDOW_KERNEL window256_8x2_kernel
#include "bloom/window/window_shape.inc.h"

const lfb_window_kernel *const lfb_window_kernels256[LFB_WINDOW_SHAPES] = {
    &window256_all_kernel, &window256_2x4_kernel,
    &window256_4x3_kernel, &window256_8x2_kernel};

#undef WINDOW_TARGET
#undef WINDOW_

#ifdef LFB_SIMD_X86_512

/* ---- AVX-512 ---------------------------------------------------------------------- */

/* The bits in the words of a block, repeated. */
typedef __m512i window512_bits;

#define window512_pairs window256_pairs

LFB_AVX512_TARGET LFB_INLINE window512_bits window512_bits_of(const lfb_window_view *view,
                                                              uint64_t hash)
{
  const __m512i one = _mm512_set1_epi64(1), shifts = _mm512_set_epi64(BITS_SHIFTS);
  const uint32_t rounds = view->fast.rounds;
  const __mmask8 last = (__mmask8)(0xffU >> (LFB_FAST_ROUND * rounds - view->fast.probes));
  __m512i bits = _mm512_setzero_si512();

  for (uint32_t i = 0; i < rounds; i++) {
    /* No mask: a rotation uses the lowest six bits of its count. */
    const __m512i round = _mm512_set1_epi64((long long)lfb_fast_round(hash, i));
    bits = _mm512_or_si512(bits, _mm512_maskz_rolv_epi64(i + 1 < rounds ? 0xff : last, one,
                                                         _mm512_srlv_epi64(round, shifts)));
  }
  if (view->fast.block_shift < 3) /* the halves of 256 bits */
    bits = _mm512_or_si512(bits, _mm512_shuffle_i64x2(bits, bits, 0x4e));
  if (view->fast.block_shift == 1) /* those of 128 bits */
    bits = _mm512_or_si512(bits, _mm512_permutex_epi64(bits, 0x4e));
  return bits;
}

LFB_AVX512_TARGET LFB_INLINE lfb_window_mask window512_mask(const window512_bits *bits)
{
  lfb_window_mask mask;

  _mm512_storeu_si512(mask.word, *bits);
  return mask;
}

LFB_AVX512_TARGET LFB_INLINE uint32_t window512_unit_shift(const lfb_window_view *view)
{
  return view->fast.block_shift + view->layers_shift < 3 ? 2 : 3;
}

/* Loads 2, 4 or 8 words, which are aligned to their size; the further lanes are 0, which has no
 * bits.  A masked load of 64 bytes does not do: it faults if the words are not aligned to 64. */
LFB_AVX512_TARGET LFB_INLINE __m512i window512_load(const lfb_word *words, uint32_t shift)
{
  const void *at = words;

  if (shift == 1)
    return _mm512_zextsi128_si512(_mm_load_si128((const __m128i *)at));
  if (shift == 2)
    return _mm512_zextsi256_si512(_mm256_load_si256((const __m256i *)at));
  return _mm512_load_si512(at);
}

LFB_AVX512_TARGET LFB_INLINE bool window512_unit_has(const lfb_window_view *view,
                                                     const lfb_word *unit,
                                                     const window512_bits *bits)
{
  const __m512i missing =
      _mm512_andnot_si512(window512_load(unit, window512_unit_shift(view)), *bits);
  const uint32_t whole = _cvtmask8_u32(_mm512_testn_epi64_mask(missing, missing));

  if (view->fast.block_shift == 1)
    return (whole & whole >> 1 & 0x55) != 0;
  if (view->fast.block_shift == 2)
    return (whole & 0x0f) == 0x0f || whole >> 4 == 0x0f;
  return whole == 0xff;
}

LFB_AVX512_TARGET LFB_INLINE bool window512_block_has(const lfb_window_view *view,
                                                      const lfb_word *block,
                                                      const window512_bits *bits)
{
  const __mmask8 words = (__mmask8)((1U << (1U << view->fast.block_shift)) - 1);
  const __m512i missing =
      _mm512_maskz_andnot_epi64(words, window512_load(block, view->fast.block_shift), *bits);
  return _cvtmask8_u32(_mm512_test_epi64_mask(missing, missing)) == 0;
}

#define WINDOW_TARGET LFB_AVX512_TARGET
#define WINDOW_(noun) window512_##noun
#include "bloom/window/window_kernel.inc.h"

#define WINDOW_SHAPE 0, 0, 0
#define WINDOW_PUT window512_all_put
#define WINDOW_MIGHT_CONTAIN window512_all_might_contain
#define WINDOW_LAYER_HAS window512_all_layer_has
#define WINDOW_PUT_MANY window512_all_put_many
#define WINDOW_MIGHT_CONTAIN_MANY window512_all_might_contain_many
#define WINDOW_KERNEL window512_all_kernel
#include "bloom/window/window_shape.inc.h"

#define WINDOW_SHAPE 2, 1, 4
#define WINDOW_PUT window512_2x4_put
#define WINDOW_MIGHT_CONTAIN window512_2x4_might_contain
#define WINDOW_LAYER_HAS window512_2x4_layer_has
#define WINDOW_PUT_MANY window512_2x4_put_many
#define WINDOW_MIGHT_CONTAIN_MANY window512_2x4_might_contain_many
#define WINDOW_KERNEL window512_2x4_kernel
#include "bloom/window/window_shape.inc.h"

#define WINDOW_SHAPE 2, 2, 3
#define WINDOW_PUT window512_4x3_put
#define WINDOW_MIGHT_CONTAIN window512_4x3_might_contain
#define WINDOW_LAYER_HAS window512_4x3_layer_has
#define WINDOW_PUT_MANY window512_4x3_put_many
#define WINDOW_MIGHT_CONTAIN_MANY window512_4x3_might_contain_many
#define WINDOW_KERNEL window512_4x3_kernel
#include "bloom/window/window_shape.inc.h"

#define WINDOW_SHAPE 2, 3, 2
#define WINDOW_PUT window512_8x2_put
#define WINDOW_MIGHT_CONTAIN window512_8x2_might_contain
#define WINDOW_LAYER_HAS window512_8x2_layer_has
#define WINDOW_PUT_MANY window512_8x2_put_many
#define WINDOW_MIGHT_CONTAIN_MANY window512_8x2_might_contain_many
#define WINDOW_KERNEL window512_8x2_kernel
#include "bloom/window/window_shape.inc.h"

const lfb_window_kernel *const lfb_window_kernels512[LFB_WINDOW_SHAPES] = {
    &window512_all_kernel, &window512_2x4_kernel,
    &window512_4x3_kernel, &window512_8x2_kernel};

#undef WINDOW_TARGET
#undef WINDOW_

#endif
#endif
