/*
 * fast.c - strategy `fast`: one cache line a key.  The layout and its scalar code
 * are lfbloom/fast.h; this is the table row for any processor.
 *
 * Floor 11.
 */
#include "bloom/fast_many.h"
#include "bloom/fast_size.h"
#include "bloom/strategies.h"

typedef char nothing; /* the context that the scalar loops do without */

LFB_INLINE uint64_t fast_put_one(const lfb_fast *fast, const nothing *context, uint64_t hash)
{
  (void)context;
  return lfb_fast_turn_on_shape(fast, hash);
}

LFB_INLINE uint64_t fast_query_one(const lfb_fast *fast, const nothing *context, uint64_t hash)
{
  (void)context;
  return lfb_fast_might_contain_shape(fast, hash);
}

LFB_FAST_MANY(, fast_put_loop, nothing, lfb_fast_prefetch_put, fast_put_one)
LFB_FAST_MANY(, fast_query_loop, nothing, lfb_fast_prefetch, fast_query_one)

static uint32_t fast_put(const lfb_layout *layout, lfb_hash hash)
{
  return lfb_fast_turn_on(&layout->fast, hash.low);
}

static bool fast_might_contain(const lfb_layout *layout, lfb_hash hash)
{
  return lfb_fast_might_contain(&layout->fast, hash.low);
}

static uint64_t fast_put_many(const lfb_layout *layout, const uint64_t *low,
                              const uint64_t *high, size_t count, uint64_t *answers)
{
  (void)high;
  LFB_FAST_WITH_SHAPE(&layout->fast, return fast_put_loop(&f, NULL, low, count, answers))
}

static uint64_t fast_count_many(const lfb_layout *layout, const uint64_t *low, size_t count,
                                uint64_t *answers)
{
  LFB_FAST_WITH_SHAPE(&layout->fast, return fast_query_loop(&f, NULL, low, count, answers))
}

static void fast_might_contain_many(const lfb_layout *layout, const uint64_t *low,
                                    const uint64_t *high, size_t count, uint64_t *answers)
{
  (void)high;
  (void)fast_count_many(layout, low, count, answers);
}

const lfb_strategy lfb_strategy_fast = {
    LFB_FAST_ROW,
    .put = fast_put,
    .might_contain = fast_might_contain,
    .put_many = fast_put_many,
    .might_contain_many = fast_might_contain_many,
};
