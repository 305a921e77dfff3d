/*
 * window512.c - queries of windows by AVX-512: all cells of a line at once.  Answers are those of
 * window_kernel.c.
 */
#include "bloom/kinds/window_vectors.h"

#ifdef LFB_SIMD_X86_512
#define TARGET LFB_AVX512_TARGET

enum { LINE_CELLS = 4,
       ROUND_BITS = 4 };

static const uint64_t window512_tags[LFB_BLOCK_WORDS] __attribute__((aligned(64))) = {
    0, LFB_WINDOW_TAG_MASK, 0, LFB_WINDOW_TAG_MASK, 0, LFB_WINDOW_TAG_MASK, 0, LFB_WINDOW_TAG_MASK};

/*
 * For each number of bits of a key in a word: which number each byte of the first word of a cell takes, so
 * that each has one.  There are bytes of 4 numbers of the first word, 4 of the second, 4 more of the first
 * and 4 more of the second; of each 4 the first is the last.
 */
static const uint64_t window512_spread[LFB_WINDOW_MOST_BITS + 1] = {
    0, 0x0303030303030303, 0x0203020302030203, 0x0203010203010203, 0x0001020300010203,
    0x0102030b00010203, 0x02030a0b00010203, 0x03090a0b00010203, 0x08090a0b00010203};
#define SECOND_WORD UINT64_C(0x0404040404040404) /* that many bytes later */

/* The view, and for each line of a block the complements of the live tags; words without a tag have
 * any bits there. */
typedef struct window512_view {
  lfb_window_view window;
  __m512i flip[LFB_WINDOW_LIVE / LINE_CELLS];
  __m128i spread; /* of the numbers over the bytes of a cell */
} window512_view;

/* An old generation does no harm: a key is missed only if it has expired since. */
TARGET LFB_INLINE window512_view window512_view_of(const lfb_window_view *window)
{
  const uint64_t e = lfb_window_now(window), not_cycle = ~(e >> window->geometry.shift);
  const uint64_t(*after)[2] = lfb_window_after_of(&window->geometry, e);
  const uint64_t spread = window512_spread[window->geometry.bits], second = spread + SECOND_WORD;
  const __m512i tag = _mm512_slli_epi64(_mm512_set1_epi64((long long)not_cycle), LFB_WINDOW_TAG_SHIFT);
  window512_view view;

  view.window = *window;
  view.spread = _mm_set_epi64x((long long)second, (long long)spread);
  view.flip[0] = _mm512_add_epi64(tag, _mm512_loadu_si512(after));
  view.flip[1] = tag;
  if (lfb_window_cells(&window->geometry) > LINE_CELLS)
    view.flip[1] = _mm512_add_epi64(tag, _mm512_loadu_si512(after + LINE_CELLS));
  return view;
}

/* Where tags are wrong: tags & ~(line ^ flip). */
TARGET LFB_INLINE __m512i window512_wrong(__m512i line, __m512i flip)
{
  return _mm512_ternarylogic_epi64(line, flip, _mm512_load_si512(window512_tags), 0x82);
}

/* Whether both words of a cell are whole. */
TARGET LFB_INLINE uint32_t window512_cells(__mmask8 words)
{
  const uint32_t whole = _cvtmask8_u32(words);
  return whole & whole >> 1 & 0x55;
}

/* The numbers of the bits of a hash in each word, some of them again, in all cells. */
TARGET LFB_INLINE __m512i window512_numbers(const window512_view *view, uint64_t hash)
{
  const uint32_t bits = view->window.geometry.bits;
  const __m128i first = lfb_window_numbers(hash, 0);
  if (bits == ROUND_BITS) /* each of them twice, without a shuffle */
    return _mm512_broadcast_i32x4(_mm_or_si128(first, _mm_slli_epi16(first, 8)));
  const __m128i more = bits > ROUND_BITS ? lfb_window_numbers(hash, 2) : first;
  return _mm512_broadcast_i32x4(_mm_shuffle_epi8(_mm_packus_epi16(first, more), view->spread));
}

/* Whether a cell of a line is live and has the bits with these numbers.  Each word of 64 bits is
 * read whole (lfbloom/fast_avx512.h). */
TARGET LFB_INLINE uint32_t window512_has(const lfb_word *words, __m512i flip, __m512i numbers)
{
  const __m512i line = _mm512_load_si512((const void *)words);
  const __m512i wrong = window512_wrong(line, flip);
  const __m512i on = _mm512_movm_epi8(_mm512_bitshuffle_epi64_mask(line, numbers));
  return window512_cells(_mm512_mask_cmpeq_epi64_mask(_mm512_testn_epi64_mask(wrong, wrong), on,
                                                      _mm512_set1_epi64(-1)));
}

TARGET LFB_INLINE uint64_t window512_query_one(const window512_view *view, uint64_t hash)
{
  const lfb_window_geometry *geometry = &view->window.geometry;
  const lfb_word *block = lfb_window_block(&view->window, hash), *next = block + LFB_BLOCK_WORDS;
  const __m512i numbers = window512_numbers(view, hash);
  const uint32_t found = window512_has(block, view->flip[0], numbers);

  return lfb_window_cells(geometry) > LINE_CELLS
             ? found | window512_has(next, view->flip[1], numbers)
             : found;
}

#define WINDOW_TARGET TARGET
#define WINDOW_(noun) window512_##noun
#define WINDOW_MIGHT_CONTAIN window512_might_contain
#define WINDOW_MIGHT_CONTAIN_MANY window512_might_contain_many
#include "bloom/kinds/window_queries.inc.h"

const lfb_window_query_kernel lfb_window_queries512 = {window512_might_contain,
                                                       window512_might_contain_many};

#endif
