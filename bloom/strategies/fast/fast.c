/*
 * fast.c - strategy `fast`: one cache line a key.  The layout and its scalar code
 * are lfbloom/fast_view.h; these are the table rows for any processor.
 */
#include "bloom/strategies/fast/fast_rows.h"
#include "bloom/strategies/strategies.h"

LFB_INLINE uint32_t fast_turn_on(const lfb_fast *fast, uint64_t hash)
{
  return lfb_fast_turn_on_shape(fast, hash);
}

LFB_INLINE bool fast_is_in(const lfb_fast *fast, uint64_t hash)
{
  return lfb_fast_is_in(fast, hash);
}

LFB_INLINE uint64_t fast_put_one(const lfb_fast *fast, const fast_nothing *nothing,
                                 uint64_t hash)
{
  (void)nothing;
  return fast_turn_on(fast, hash);
}

LFB_INLINE uint64_t fast_query_one(const lfb_fast *fast, const fast_nothing *nothing,
                                   uint64_t hash)
{
  (void)nothing;
  return fast_is_in(fast, hash);
}

LFB_FAST_MANY(, fast_put_all, fast_nothing, fast_nothing_of, lfb_fast_prefetch_put, fast_put_one)
LFB_FAST_MANY(, fast_query_all, fast_nothing, fast_nothing_of, lfb_fast_prefetch, fast_query_one)
LFB_FAST_ALONE(, fast)

#define ROW(shape, shift, count) LFB_FAST_ROW_OF(, fast, shape, shift, count)
LFB_FAST_SHAPES(ROW)
ROW(any, 0, 0)

static const lfb_strategy *fast_fit(const lfb_geometry *geometry)
{
#define FIT(shape, shift, count) LFB_FAST_FIT(fast, shape, shift, count)
  switch (lfb_fast_shape_of(geometry)) {
    LFB_FAST_SHAPES(FIT)
  default:
    return &fast_any_row;
  }
}

const lfb_strategy lfb_strategy_fast = {LFB_FAST_ROW, .fit = fast_fit};
