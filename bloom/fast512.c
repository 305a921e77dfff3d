/*
 * fast512.c - strategy `fast` on processors with AVX-512: a lane a probe.  Answers
 * and bits are those of fast.c.
 *
 * Floor 11.
 */
#include "bloom/avx512.h"
#include "bloom/fast_many.h"
#include "bloom/fast_size.h"
#include "bloom/strategies.h"

#ifdef LFB_AVX512

#define TARGET LFB_AVX512_TARGET
#define LFB_FAST_AVX512_TARGET TARGET
#include <lfbloom/fast_avx512.h>

TARGET LFB_INLINE uint64_t
fast512_query_one(const lfb_fast *fast, const lfb_fast512 *lanes, uint64_t hash)
{
  return lfb_fast512_missing(fast, lanes, hash) == 0;
}

/* A key that is in is seen by the vector; what is missing is written word by word. */
TARGET LFB_INLINE uint64_t
fast512_put_one(const lfb_fast *fast, const lfb_fast512 *lanes, uint64_t hash)
{
  if (lfb_fast512_missing(fast, lanes, hash) == 0)
    return 0;
  return lfb_fast_turn_on_shape(fast, hash);
}

LFB_FAST_MANY(TARGET, fast512_put_loop, lfb_fast512, lfb_fast_prefetch_put, fast512_put_one)
LFB_FAST_MANY(TARGET, fast512_query_loop, lfb_fast512, lfb_fast_prefetch, fast512_query_one)

TARGET static uint32_t fast512_put(const lfb_layout *layout, lfb_hash hash)
{
  const lfb_fast512 lanes = lfb_fast512_of(&layout->fast);
  LFB_FAST_WITH_SHAPE(&layout->fast, return (uint32_t)fast512_put_one(&f, &lanes, hash.low))
}

TARGET static bool fast512_might_contain(const lfb_layout *layout, lfb_hash hash)
{
  const lfb_fast512 lanes = lfb_fast512_of(&layout->fast);
  return fast512_query_one(&layout->fast, &lanes, hash.low) != 0;
}

TARGET static uint64_t fast512_put_many(const lfb_layout *layout, const uint64_t *low,
                                        const uint64_t *high, size_t count, uint64_t *answers)
{
  const lfb_fast512 lanes = lfb_fast512_of(&layout->fast);
  (void)high;
  LFB_FAST_WITH_SHAPE(&layout->fast, return fast512_put_loop(&f, &lanes, low, count, answers))
}

TARGET static void fast512_might_contain_many(const lfb_layout *layout, const uint64_t *low,
                                              const uint64_t *high, size_t count,
                                              uint64_t *answers)
{
  const lfb_fast512 lanes = lfb_fast512_of(&layout->fast);
  (void)high;
  (void)fast512_query_loop(&layout->fast, &lanes, low, count, answers);
}

const lfb_strategy lfb_strategy_fast512 = {
    LFB_FAST_ROW,
    .put = fast512_put,
    .might_contain = fast512_might_contain,
    .put_many = fast512_put_many,
    .might_contain_many = fast512_might_contain_many,
};

#endif
