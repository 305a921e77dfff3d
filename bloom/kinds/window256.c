/*
 * window256.c - queries of windows by AVX2: two cells at once.  Answers are those of
 * window_kernel.c.
 */
#include "bloom/kinds/window.h"

#ifdef LFB_SIMD_X86
#include <immintrin.h>

#define TARGET LFB_AVX2_TARGET

enum { HALF_CELLS = 2, HALF_WORDS = 4, COMMON_BITS = 4 };

/* The view, and for each half line of a block the complements of the live tags. */
typedef struct window256_view {
  lfb_window_view window;
  __m256i flip[LFB_WINDOW_LIVE / HALF_CELLS];
} window256_view;

/* An old generation does no harm: a key is missed only if it has expired since. */
TARGET LFB_INLINE window256_view window256_view_of(const lfb_window_view *window)
{
  const lfb_window_geometry *geometry = &window->geometry;
  const uint64_t e = lfb_epoch_now(window->epoch);
  window256_view view;

  view.window = *window;
  for (uint32_t i = 0; i < lfb_window_cells(geometry); i += HALF_CELLS) {
    const uint64_t first = lfb_window_tag(geometry, lfb_window_live(geometry, e, i));
    const uint64_t second = lfb_window_tag(geometry, lfb_window_live(geometry, e, i + 1));
    view.flip[i / HALF_CELLS] =
        _mm256_set_epi64x((long long)(second ^ LFB_WINDOW_TAG_MASK), 0,
                          (long long)(first ^ LFB_WINDOW_TAG_MASK), 0);
  }
  return view;
}

/* The bits of a hash with 4 in each word, in both halves of the result. */
TARGET LFB_INLINE __m256i window256_mask4(uint64_t hash)
{
  const __m128i sizes =
      _mm_set_epi64x((long long)(LFB_WINDOW_TAG_SHIFT * UINT64_C(0x1000100010001)),
                     (long long)(LFB_WORD_BITS * UINT64_C(0x1000100010001)));
  const __m128i products =
      _mm_set_epi64x((long long)lfb_fast_round(hash, 1), (long long)lfb_fast_round(hash, 0));
  const __m128i numbers = _mm_mulhi_epu16(products, sizes);
  /* those of the two words in turns, 16 bits each */
  const __m128i turns = _mm_unpacklo_epi16(numbers, _mm_unpackhi_epi64(numbers, numbers));
  const __m256i one = _mm256_set1_epi64x(1);
  const __m256i first = _mm256_sllv_epi64(one, _mm256_cvtepu16_epi64(turns));
  const __m256i second =
      _mm256_sllv_epi64(one, _mm256_cvtepu16_epi64(_mm_unpackhi_epi64(turns, turns)));
  const __m256i both = _mm256_or_si256(first, second);
  return _mm256_or_si256(both, _mm256_permute4x64_epi64(both, 0x4e)); /* halves swapped */
}

TARGET LFB_INLINE lfb_two window256_2x4_mask(const lfb_window_geometry *geometry, uint64_t hash)
{
  const __m128i mask = _mm256_castsi256_si128(window256_mask4(hash));

  (void)geometry;
  return (lfb_two){(uint64_t)_mm_cvtsi128_si64(mask), (uint64_t)_mm_extract_epi64(mask, 1)};
}

/* The mask of a hash, with the bits of the tags, for two cells. */
TARGET LFB_INLINE __m256i window256_mask(const lfb_window_geometry *geometry, uint64_t hash)
{
  const long long tag = (long long)LFB_WINDOW_TAG_MASK;

  if (__builtin_expect(geometry->bits == COMMON_BITS, 1))
    return _mm256_or_si256(window256_mask4(hash), _mm256_set_epi64x(tag, 0, tag, 0));
  const lfb_two bits = lfb_window_mask(geometry, hash);
  const long long low = (long long)bits.low, high = (long long)bits.high | tag;
  return _mm256_set_epi64x(high, low, high, low);
}

TARGET LFB_INLINE uint64_t window256_query_one(const window256_view *view, uint64_t hash)
{
  const lfb_window_geometry *geometry = &view->window.geometry;
  const lfb_word *block = lfb_window_block(&view->window, hash);
  const __m256i mask = window256_mask(geometry, hash);
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
#define WINDOW_(noun) window256_2x4_##noun
#define WINDOW_SHAPE 2, 2, 4
#define WINDOW_PUT window256_2x4_put
#define WINDOW_CLAIM window256_2x4_claim
#define WINDOW_PUT_MANY window256_2x4_put_many
#define WINDOW_CLAIM_MANY window256_2x4_claim_many
#include "bloom/kinds/window_puts.inc.h"

#define window256_2x4_view window256_view
#define window256_2x4_view_of window256_view_of
#define window256_2x4_query_one window256_query_one
#define WINDOW_TARGET TARGET
#define WINDOW_(noun) window256_2x4_##noun
#define WINDOW_SHAPE 2, 2, 4
#define WINDOW_MIGHT_CONTAIN window256_2x4_might_contain
#define WINDOW_MIGHT_CONTAIN_MANY window256_2x4_might_contain_many
#include "bloom/kinds/window_queries.inc.h"

#define WINDOW_TARGET TARGET
#define WINDOW_(noun) window256_##noun
#define WINDOW_SHAPE 0, 0, 0
#define WINDOW_MIGHT_CONTAIN window256_might_contain
#define WINDOW_MIGHT_CONTAIN_MANY window256_might_contain_many
#include "bloom/kinds/window_queries.inc.h"

/* Processors with AVX-512 put by these, too. */
const lfb_window_kernel lfb_window_kernel256 = {window256_2x4_put, window256_2x4_claim,
                                                window256_2x4_put_many, window256_2x4_claim_many};
const lfb_window_query_kernel lfb_window_queries256[] = {
    {window256_might_contain, window256_might_contain_many},
    {window256_2x4_might_contain, window256_2x4_might_contain_many}};

#endif
