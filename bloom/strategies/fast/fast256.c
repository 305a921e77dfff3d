/*
 * fast256.c - strategy `fast` on processors with AVX2: the rows of
 * lfbloom/fast_avx2.h.  Answers and bits are those of fast.c.
 */
#include "bloom/strategies/simd.h"

#ifdef LFB_SIMD_X86
#define TARGET LFB_AVX2_TARGET
#define LFB_FAST_AVX2_TARGET LFB_AVX2_TARGET
#endif

#include "bloom/strategies/fast/fast_rows.h"
#include "bloom/strategies/strategies.h"

#ifdef LFB_SIMD_X86

TARGET LFB_INLINE uint32_t fast256_turn_on(const lfb_fast *fast, uint64_t hash)
{
  const lfb_fast256 lanes = lfb_fast256_of(fast);
  return lfb_fast256_turn_on_shape(fast, &lanes, hash);
}

TARGET LFB_INLINE bool fast256_is_in(const lfb_fast *fast, uint64_t hash)
{
  return lfb_fast256_might_contain(fast, hash);
}

LFB_FAST_MANY(TARGET, fast256_put_all, lfb_fast256, lfb_fast256_of, lfb_fast_prefetch_put,
              lfb_fast256_turn_on_shape)
LFB_FAST_MANY(TARGET, fast256_query_all, lfb_fast256, lfb_fast256_of, lfb_fast_prefetch,
              lfb_fast256_might_contain_shape)
LFB_FAST_ALONE(TARGET, fast256)

#define ROW(shape, shift, count) LFB_FAST_ROW_OF(TARGET, fast256, shape, shift, count)
LFB_FAST_SHAPES(ROW)
ROW(any, 0, 0)

static const lfb_strategy *fast256_fit(const lfb_geometry *geometry)
{
#define FIT(shape, shift, count) LFB_FAST_FIT(fast256, shape, shift, count)
  switch (lfb_fast_shape_of(geometry)) {
    LFB_FAST_SHAPES(FIT)
  default:
    return &fast256_any_row;
  }
}

const lfb_strategy lfb_strategy_fast256 = {LFB_FAST_ROW, .fit = fast256_fit};

#endif
