/*
 * fast.c - strategy `fast`: one cache line a key.  The layout and its scalar code
 * are lfbloom/fast.h; this is the table row for any processor.
 *
 * Floor 11.
 */
#include "bloom/fast_many.h"
#include "bloom/fast_size.h"
#include "bloom/strategies.h"

/*
 * Runs `body`, in which `f` is a view whose shape the compiler knows: the loops
 * over words and bits unroll, their shifts become constants.  The shapes that
 * "balanced" gives from 10 % to 0.003 %, and what is left.
 */
#define WITH_SHAPE(fast, body)                                     \
  lfb_fast f = *(fast);                                            \
  switch (f.group_shift << 8 | f.probes) {                         \
    WITH_ONE_SHAPE(2, 4, body)                                     \
    WITH_ONE_SHAPE(2, 6, body)                                     \
    WITH_ONE_SHAPE(1, 8, body)                                     \
    WITH_ONE_SHAPE(1, 12, body)                                    \
  default:                                                         \
    body;                                                          \
  }

#define WITH_ONE_SHAPE(shift, count, body) \
  case (shift) << 8 | (count):             \
    f.group_shift = (shift);               \
    f.probes = (count);                    \
    body;

typedef char nothing; /* the context that the scalar loops do without */

static inline uint64_t fast_put_one(const lfb_fast *fast, const nothing *context, uint64_t hash)
{
  (void)context;
  return lfb_fast_turn_on(fast, hash);
}

static inline uint64_t fast_query_one(const lfb_fast *fast, const nothing *context, uint64_t hash)
{
  (void)context;
  return lfb_fast_might_contain(fast, hash);
}

LFB_FAST_MANY(fast_put_loop, inline __attribute__((always_inline)), nothing,
              lfb_fast_prefetch_put, fast_put_one)
LFB_FAST_MANY(fast_query_loop, inline __attribute__((always_inline)), nothing, lfb_fast_prefetch,
              fast_query_one)

static uint32_t fast_put(const lfb_layout *layout, lfb_hash hash)
{
  WITH_SHAPE(&layout->fast, return lfb_fast_turn_on(&f, hash.low))
}

static bool fast_might_contain(const lfb_layout *layout, lfb_hash hash)
{
  WITH_SHAPE(&layout->fast, return lfb_fast_might_contain(&f, hash.low))
}

static uint64_t fast_put_many(const lfb_layout *layout, const uint64_t *low,
                              const uint64_t *high, size_t count, uint64_t *answers)
{
  (void)high;
  WITH_SHAPE(&layout->fast, return fast_put_loop(&f, NULL, low, count, answers))
}

static void fast_might_contain_many(const lfb_layout *layout, const uint64_t *low,
                                    const uint64_t *high, size_t count, uint64_t *answers)
{
  (void)high;
  WITH_SHAPE(&layout->fast, (void)fast_query_loop(&f, NULL, low, count, answers); return)
}

const lfb_strategy lfb_strategy_fast = {
    LFB_FAST_ROW,
    .put = fast_put,
    .might_contain = fast_might_contain,
    .put_many = fast_put_many,
    .might_contain_many = fast_might_contain_many,
};
