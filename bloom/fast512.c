/*
 * fast512.c - strategy `fast` on processors with AVX-512: a lane a probe.  Answers
 * and bits are those of fast.c.
 *
 * Floor 11.
 */
#include "bloom/avx512.h"

#ifdef LFB_AVX512
#define TARGET LFB_AVX512_TARGET
#define LFB_FAST_AVX512_TARGET TARGET
#endif

#include "bloom/fast_rows.h"
#include "bloom/strategies.h"

#ifdef LFB_AVX512

TARGET LFB_INLINE uint64_t
fast512_query_one(const lfb_fast *fast, const lfb_fast512 *lanes, uint64_t hash)
{
  const lfb_fast512_key key = lfb_fast512_key_of(fast, lanes, hash);
  return lfb_fast512_missing(lanes, &key) == 0;
}

TARGET LFB_INLINE uint64_t
fast512_put_one(const lfb_fast *fast, const lfb_fast512 *lanes, uint64_t hash)
{
  return lfb_fast512_turn_on_shape(fast, lanes, hash);
}

LFB_FAST_MANY(TARGET, fast512_put_loop, lfb_fast512, lfb_fast_prefetch_put, fast512_put_one)
LFB_FAST_MANY(TARGET, fast512_query_loop, lfb_fast512, lfb_fast_prefetch, fast512_query_one)

/* A key's bits at their places in its line. */
typedef struct fast512_spread {
  __m512i bits;
  __mmask8 own; /* the words that the key has */
} fast512_spread;

TARGET LFB_INLINE fast512_spread fast512_spread_of(const lfb_fast *fast,
                                                   const lfb_fast512 *lanes, uint64_t hash)
{
  const __m512i word = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
  /* Word k is of group k >> group_shift, whose number and bits lane j has. */
  const __m512i group = _mm512_srl_epi64(word, _mm_cvtsi32_si128((int)fast->group_shift));
  const __m512i masks = lfb_fast512_masks(fast, lfb_fast512_bits(lanes, hash));
  fast512_spread spread;

  spread.bits = _mm512_permutexvar_epi64(group, masks);
  spread.own = _mm512_cmpeq_epi64_mask(
      word, _mm512_permutexvar_epi64(group, lfb_fast512_words(lanes, hash)));
  return spread;
}

/* Lines that nobody else touches now: loaded and stored as they are (strategy.h). */
TARGET LFB_INLINE uint64_t
fast512_gather_one(const lfb_fast *fast, const lfb_fast512 *lanes, uint64_t hash)
{
  void *at = (void *)lfb_fast_block(fast, hash);
  const fast512_spread key = fast512_spread_of(fast, lanes, hash);
  const __m512i line = _mm512_load_si512(at);
  const __m512i missing = _mm512_andnot_si512(line, key.bits);

  _mm512_store_si512(at, _mm512_mask_or_epi64(line, key.own, line, key.bits));
  return _mm512_mask_test_epi64_mask(key.own, missing, missing);
}

TARGET LFB_INLINE uint64_t
fast512_settle_one(const lfb_fast *fast, const lfb_fast512 *lanes, uint64_t hash)
{
  void *at = (void *)lfb_fast_block(fast, hash);
  const fast512_spread key = fast512_spread_of(fast, lanes, hash);
  const __m512i line = _mm512_load_si512(at);

  _mm512_store_si512(at, _mm512_mask_andnot_epi64(line, key.own, key.bits, line));
  return _mm512_mask_test_epi64_mask(key.own, line, key.bits);
}

LFB_FAST_MANY(TARGET, fast512_gather_loop, lfb_fast512, lfb_fast_prefetch_put, fast512_gather_one)
LFB_FAST_MANY(TARGET, fast512_settle_loop, lfb_fast512, lfb_fast_prefetch_put, fast512_settle_one)

TARGET LFB_INLINE uint32_t fast512_turn_on(const lfb_fast *fast, uint64_t hash)
{
  const lfb_fast512 lanes = lfb_fast512_of(fast);
  return lfb_fast512_turn_on_shape(fast, &lanes, hash);
}

TARGET LFB_INLINE bool fast512_is_in(const lfb_fast *fast, uint64_t hash)
{
  return lfb_fast512_might_contain(fast, hash);
}

TARGET LFB_INLINE uint64_t fast512_put_all(const lfb_fast *fast, const uint64_t *hashes,
                                           size_t count, uint64_t *answers)
{
  const lfb_fast512 lanes = lfb_fast512_of(fast);
  return fast512_put_loop(fast, &lanes, hashes, count, answers);
}

TARGET LFB_INLINE void fast512_query_all(const lfb_fast *fast, const uint64_t *hashes,
                                         size_t count, uint64_t *answers)
{
  const lfb_fast512 lanes = lfb_fast512_of(fast);
  (void)fast512_query_loop(fast, &lanes, hashes, count, answers);
}

TARGET LFB_INLINE void fast512_gather_all(const lfb_fast *fast, const uint64_t *hashes,
                                          size_t count, uint64_t *answers)
{
  const lfb_fast512 lanes = lfb_fast512_of(fast);
  (void)fast512_gather_loop(fast, &lanes, hashes, count, answers);
}

TARGET LFB_INLINE void fast512_settle_all(const lfb_fast *fast, const uint64_t *hashes,
                                          size_t count, uint64_t *answers)
{
  const lfb_fast512 lanes = lfb_fast512_of(fast);
  (void)fast512_settle_loop(fast, &lanes, hashes, count, answers);
}

#define ROW(shape, shift, count) LFB_FAST_ROW_OF(TARGET, fast512, shape, shift, count)
LFB_FAST_SHAPES(ROW)
ROW(any, 0, 0)

static const lfb_strategy *fast512_fit(const lfb_geometry *geometry)
{
#define FIT(shape, shift, count) LFB_FAST_FIT(fast512, shape, shift, count)
  switch (lfb_fast_shape_of(geometry)) {
    LFB_FAST_SHAPES(FIT)
  default:
    return &fast512_any_row;
  }
}

const lfb_strategy lfb_strategy_fast512 = {LFB_FAST_ROW, .fit = fast512_fit};

#endif
