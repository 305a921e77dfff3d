/*
 * window256.c - queries of windows by AVX2: two cells at once.  Answers are those of
 * window_kernel.c.
 */
#include "bloom/kinds/window_vectors.h"

#ifdef LFB_SIMD_X86
#define TARGET LFB_AVX2_TARGET

enum { HALF_CELLS = 2,
       HALF_WORDS = 4 };

/* The view, and for each half line of a block the complements of the live tags. */
typedef struct window256_view {
  lfb_window_view window;
  __m256i flip[LFB_WINDOW_LIVE / HALF_CELLS];
} window256_view;

/* An old generation does no harm: a key is missed only if it has expired since. */
TARGET LFB_INLINE window256_view window256_view_of(const lfb_window_view *window)
{
  const uint64_t e = lfb_window_now(window), not_cycle = ~(e >> window->geometry.shift);
  const uint64_t(*after)[2] = lfb_window_after_of(&window->geometry, e);
  const long long mask = (long long)LFB_WINDOW_TAG_MASK;
  const __m256i tags = _mm256_set_epi64x(mask, 0, mask, 0);
  const __m256i tag = _mm256_slli_epi64(_mm256_set1_epi64x((long long)not_cycle), LFB_WINDOW_TAG_SHIFT);
  window256_view view;

  view.window = *window;
  LFB_UNROLL
  for (uint32_t i = 0; i < lfb_window_cells(&window->geometry); i += HALF_CELLS)
    view.flip[i / HALF_CELLS] = _mm256_and_si256(
        tags, _mm256_add_epi64(tag, _mm256_loadu_si256((const __m256i *)(const void *)(after + i))));
  return view;
}

/*
 * The bits of a hash for cells of two words, in both halves of the result: lfb_window_mask(), four bits
 * of each word at a time.
 */
TARGET LFB_INLINE __m256i window256_masks(const lfb_window_geometry *geometry, uint64_t hash)
{
  const __m256i bits = _mm256_set1_epi64x(geometry->bits);
  __m256i index = _mm256_set_epi64x(2, 2, 3, 3), mask = _mm256_setzero_si256();

  for (uint32_t i = 0; i < geometry->bits; i += 4) {
    const __m128i numbers = lfb_window_numbers(hash, i / 2);
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

TARGET LFB_INLINE lfb_two window256_mask(const lfb_window_geometry *geometry, uint64_t hash)
{
  const __m128i mask = _mm256_castsi256_si128(window256_masks(geometry, hash));
  return (lfb_two){(uint64_t)_mm_cvtsi128_si64(mask), (uint64_t)_mm_extract_epi64(mask, 1)};
}

TARGET LFB_INLINE uint64_t window256_query_one(const window256_view *view, uint64_t hash)
{
  const lfb_window_geometry *geometry = &view->window.geometry;
  const lfb_word *block = lfb_window_block(&view->window, hash);
  const long long tag = (long long)LFB_WINDOW_TAG_MASK;
  const __m256i mask = _mm256_or_si256(window256_masks(geometry, hash),
                                       _mm256_set_epi64x(tag, 0, tag, 0));
  uint32_t found = 0;

  LFB_UNROLL
  for (uint32_t i = 0; i < lfb_window_cells(geometry) / HALF_CELLS; i++) {
    /* Each word of 64 bits is read whole (lfbloom/fast_avx512.h). */
    const __m256i half =
        _mm256_load_si256((const __m256i *)(const void *)(block + (size_t)HALF_WORDS * i));
    const __m256i wrong =
        _mm256_andnot_si256(_mm256_xor_si256(half, view->flip[i]), mask);
    const __m256i whole = _mm256_cmpeq_epi64(wrong, _mm256_setzero_si256());
    const uint32_t words = (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(whole));
    found |= words & words >> 1 & 5;
  }
  return found != 0;
}

#define WINDOW_TARGET TARGET
#define WINDOW_(noun) window256_##noun
#define WINDOW_PUT window256_put
#define WINDOW_CLAIM window256_claim
#define WINDOW_PUT_MANY window256_put_many
#define WINDOW_CLAIM_MANY window256_claim_many
#include "bloom/kinds/window_puts.inc.h"

#define WINDOW_TARGET TARGET
#define WINDOW_(noun) window256_##noun
#define WINDOW_MIGHT_CONTAIN window256_might_contain
#define WINDOW_MIGHT_CONTAIN_MANY window256_might_contain_many
#include "bloom/kinds/window_queries.inc.h"

/* Processors with AVX-512 put by these, too. */
const lfb_window_kernel lfb_window_kernel256 = {window256_put, window256_claim, window256_put_many,
                                                window256_claim_many};
const lfb_window_query_kernel lfb_window_queries256 = {window256_might_contain,
                                                       window256_might_contain_many};

#endif
