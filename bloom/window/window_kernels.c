/*
 * window_kernels.c - the operations of a window on keys: without vectors, by AVX2, and by AVX-512
 * with VBMI and BITALG.  Answers and bits are the same (window.h).
 *
 * A key's blocks are neighbours, those of all layers, so a vector has words of several layers, and
 * reads them in any order.
 */
#include "bloom/window/window.h"

#include "bloom/strategies/kernel.h"
#include "bloom/strategies/wide.h"

/* ---- without vectors -------------------------------------------------------------- */

#define window_any_mask lfb_window_mask_of
#define window_any_has(view, hash) lfb_window_look(view, hash, 0)

LFB_INLINE uint32_t window_any_has_8(const lfb_window_view *view, const uint64_t *hashes)
{
  uint32_t has = 0;

  for (uint32_t k = 0; k < 8; k++)
    has |= (uint32_t)window_any_has(view, hashes[k]) << k;
  return has;
}

#define WINDOW_ROWS(row)                                                                         \
  row(0, window_any_put_0, window_any_has_0, window_any_has_many_0, of->layers_shift, of->pairs, \
      of->bits)
#define WINDOW_TARGET
#define WINDOW_(noun) window_any_##noun
#include "bloom/window/window_kernel.inc.h"

const lfb_window_kernel *const lfb_window_kernels[LFB_WINDOW_KERNELS] = {
    &window_any_kernel_0, &window_any_kernel_0, &window_any_kernel_0, &window_any_kernel_0};

#ifdef LFB_SIMD_X86

/* ---- AVX2: the bits of a key, then vectors of two layers, one, or half of one --------- */

#define T LFB_AVX2_TARGET LFB_INLINE

/* The bits in words 0 to 3 and 4 to 7; those of fewer words are repeated. */
typedef struct window256_bits {
  __m256i half[2];
} window256_bits;

/* The bits of four probes from `first` on, of those below `count`. */
T __m256i window256_four(uint64_t round, uint32_t first, uint32_t count)
{
  const long long low = lfb_fast_shift(first);
  const __m256i number = _mm256_srlv_epi64(_mm256_set1_epi64x((long long)round),
                                           _mm256_set_epi64x(low + 18, low + 12, low + 6, low)) &
                         _mm256_set1_epi64x(63);
  const __m256i wanted = _mm256_cmpgt_epi64(
      _mm256_set1_epi64x(count), _mm256_set_epi64x(first + 3, first + 2, first + 1, first));
  return _mm256_sllv_epi64(wanted & _mm256_set1_epi64x(1), number);
}

T window256_bits window256_bits_of(const lfb_window_view *view, uint64_t hash)
{
  const uint32_t probes = LFB_PAIR_WORDS * view->pairs * view->bits;
  __m256i low = _mm256_setzero_si256(), high = low;

  LFB_EACH(probe, 0, probes, LFB_FAST_ROUND, {
    const uint64_t round = lfb_fast_round(hash, probe / LFB_FAST_ROUND);
    low |= window256_four(round, 0, probes - probe);
    high |= window256_four(round, 4, probes - probe);
  });
  if (view->pairs < 4)
    low = high = low | high;
  if (view->pairs == 1) /* the halves of 128 bits */
    low = high = low | _mm256_permute4x64_epi64(low, 0x4e);
  return (window256_bits){{low, high}};
}

T lfb_window_mask window256_mask(const lfb_window_view *view, uint64_t hash)
{
  const window256_bits bits = window256_bits_of(view, hash);
  lfb_window_mask mask;

  _mm256_storeu_si256((__m256i *)(void *)&mask.pair[0], bits.half[0]);
  _mm256_storeu_si256((__m256i *)(void *)&mask.pair[2], bits.half[1]);
  return mask;
}

/* Lanes a0 | a1, b0 | b1, a2 | a3, b2 | b3. */
T __m256i window256_fold(__m256i a, __m256i b)
{
  return _mm256_unpacklo_epi64(a, b) | _mm256_unpackhi_epi64(a, b);
}

/* The lanes of each of four vectors in one lane. */
T __m256i window256_fold_4(const __m256i *of)
{
  const __m256i low = window256_fold(of[0], of[1]), high = window256_fold(of[2], of[3]);
  return _mm256_permute2x128_si256(low, high, 0x20) | _mm256_permute2x128_si256(low, high, 0x31);
}

/* Ones in a lane if a layer has all bits.  It finds the bits that are missing in four layers, and
 * in two layers twice. */
T __m256i window256_found(const lfb_window_view *view, uint64_t hash)
{
  const lfb_word *blocks = lfb_window_blocks(view, hash);
  const window256_bits bits = window256_bits_of(view, hash);
  const uint32_t pairs = view->pairs, vectors = pairs << view->layers_shift >> 1;
  __m256i found = _mm256_setzero_si256(), missing[8];

  LFB_EACH(i, 0, vectors, 2 * pairs, {
    LFB_EACH(j, 0, 2 * pairs, 1, {
      const size_t vector = (i + j) & (vectors - 1);
      missing[j] = bits.half[j % 2] & ~lfb_wide_4(blocks + 4 * vector);
    });
    if (pairs == 4)
      LFB_EACH(j, 0, 4U, 1, missing[j] = missing[(size_t)2 * j] | missing[(size_t)2 * j + 1]);
    found |= _mm256_cmpeq_epi64(_mm256_setzero_si256(),
                                pairs == 1 ? window256_fold(missing[0], missing[1])
                                           : window256_fold_4(missing));
  });
  return found;
}

T bool window256_has(const lfb_window_view *view, uint64_t hash)
{
  return _mm256_movemask_pd(_mm256_castsi256_pd(window256_found(view, hash))) != 0;
}

T uint32_t window256_has_8(const lfb_window_view *view, const uint64_t *hashes)
{
  __m256i of[8];

  for (uint32_t k = 0; k < 8; k++)
    of[k] = window256_found(view, hashes[k]);
  const __m256i low = window256_fold_4(of), high = window256_fold_4(of + 4);
  return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(low)) |
         (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(high)) << 4;
}

#undef T
#define WINDOW_ROWS(row)                                                                      \
  row(0, window256_put_0, window256_has_0, window256_has_many_0, of->layers_shift, of->pairs, \
      of->bits)                                                                               \
  row(1, window256_put_1, window256_has_1, window256_has_many_1, 2, 1, 4)                     \
  row(2, window256_put_2, window256_has_2, window256_has_many_2, 2, 2, 3)                     \
  row(3, window256_put_3, window256_has_3, window256_has_many_3, 2, 4, 2)
#define WINDOW_TARGET LFB_AVX2_TARGET
#define WINDOW_(noun) window256_##noun
#include "bloom/window/window_kernel.inc.h"

const lfb_window_kernel *const lfb_window_kernels256[LFB_WINDOW_KERNELS] = {
    &window256_kernel_0, &window256_kernel_1, &window256_kernel_2, &window256_kernel_3};

/* ---- AVX-512: a line has the words of one layer or more ------------------------------ */

#include "bloom/strategies/fast/fast_avx512.h"

#define T LFB_AVX512_TARGET LFB_INLINE

/* A one for each layer of a line: the lowest of its answers in those of avx512_test(). */
#define LOWEST(pairs) \
  ((pairs) == 1 ? UINT64_C(0x1000100010001) : (pairs) == 2 ? UINT64_C(0x100000001) : UINT64_C(1))

T bool window512_has(const lfb_window_view *view, uint64_t hash)
{
  const lfb_word *blocks = lfb_window_blocks(view, hash);
  const avx512_rounds rounds = avx512_rounds_of(hash, view->pairs, view->bits);
  const uint32_t lines = view->pairs << view->layers_shift >> 2;
  uint64_t found = 0;

  LFB_EACH(line, 0, lines, 1, {
    const uint64_t on =
        avx512_test(lfb_wide_8(blocks + 8 * (size_t)line), &rounds, view->pairs, view->bits);
    found |= on & ~(on + LOWEST(view->pairs)); /* a layer's highest one, if it has all ones */
  });
  return (found & LOWEST(view->pairs) << (16 * view->pairs - 1)) != 0;
}

T uint32_t window512_has_8(const lfb_window_view *view, const uint64_t *hashes)
{
  const avx512_rounds products = avx512_products(hashes, view->pairs, view->bits);
  const uint32_t lines = view->pairs << view->layers_shift >> 2;
  const __m512i lowest = _mm512_set1_epi64((long long)LOWEST(view->pairs));
  __m512i found = _mm512_setzero_si512();
  uint32_t has = 0;
  uint64_t on[8];

  LFB_EACH(line, 0, lines, 1, {
    LFB_EACH(k, 0, 8U, 1, {
      const lfb_word *words = lfb_window_blocks(view, hashes[k]) + 8 * (size_t)line;
      const avx512_rounds rounds = avx512_spread(&products, k, 4, ROUNDS(view->pairs, view->bits));
      on[k] = avx512_test(lfb_wide_8(words), &rounds, view->pairs, view->bits);
    });
    if (view->pairs == 4)
      has |= avx512_answers(on, 4);
    else
      found |= LANES(LANE_ON) & ~(LANES(LANE_ON) + lowest); /* as above */
  });
  found &= _mm512_slli_epi64(lowest, 16 * view->pairs - 1);
  return has | avx512_number(_mm512_test_epi64_mask(found, found));
}

#undef T
#define WINDOW_ROWS(row)                                                  \
  row(1, window256_put_1, window512_has_1, window512_has_many_1, 2, 1, 4) \
  row(2, window256_put_2, window512_has_2, window512_has_many_2, 2, 2, 3) \
  row(3, window256_put_3, window512_has_3, window512_has_many_3, 2, 4, 2)
#define WINDOW_TARGET LFB_AVX512_TARGET
#define WINDOW_PUT_DEFINED
#define WINDOW_(noun) window512_##noun
#include "bloom/window/window_kernel.inc.h"

const lfb_window_kernel *const lfb_window_kernels512[LFB_WINDOW_KERNELS] = {
    &window256_kernel_0, &window512_kernel_1, &window512_kernel_2, &window512_kernel_3};
#endif
