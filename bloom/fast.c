/*
 * fast.c - strategy `fast`: one cache line a key.  The layout and its scalar code
 * are lfbloom/fast.h; these are the table rows for any processor.
 *
 * Floor 11.
 */
#include "bloom/fast_rows.h"
#include "bloom/strategies.h"

typedef char nothing; /* the context that the scalar loops do without */

LFB_INLINE uint32_t fast_turn_on(const lfb_fast *fast, uint64_t hash)
{
  return lfb_fast_turn_on_shape(fast, hash);
}

LFB_INLINE bool fast_is_in(const lfb_fast *fast, uint64_t hash)
{
  return lfb_fast_might_contain_shape(fast, hash);
}

LFB_INLINE uint64_t fast_put_one(const lfb_fast *fast, const nothing *context, uint64_t hash)
{
  (void)context;
  return fast_turn_on(fast, hash);
}

LFB_INLINE uint64_t fast_query_one(const lfb_fast *fast, const nothing *context, uint64_t hash)
{
  (void)context;
  return fast_is_in(fast, hash);
}

/* Words that nobody else touches now: plain loads and stores (strategy.h). */
LFB_INLINE uint64_t fast_gather_one(const lfb_fast *fast, const nothing *context, uint64_t hash)
{
  const uint32_t groups = (uint32_t)LFB_BLOCK_WORDS >> fast->group_shift;
  const lfb_fast_key key = lfb_fast_key_of(fast, hash);
  uint64_t missing = 0;

  (void)context;
  LFB_UNROLL
  for (uint32_t j = 0; j < groups; j++) {
    const uint64_t seen = lfb_word_get_alone(key.word[j]);
    lfb_word_store_alone(key.word[j], seen | key.mask[j]);
    missing |= key.mask[j] & ~seen;
  }
  return missing;
}

LFB_INLINE uint64_t fast_settle_one(const lfb_fast *fast, const nothing *context, uint64_t hash)
{
  const uint32_t groups = (uint32_t)LFB_BLOCK_WORDS >> fast->group_shift;
  const lfb_fast_key key = lfb_fast_key_of(fast, hash);
  uint64_t left = 0;

  (void)context;
  LFB_UNROLL
  for (uint32_t j = 0; j < groups; j++) {
    const uint64_t seen = lfb_word_get_alone(key.word[j]);
    lfb_word_store_alone(key.word[j], seen & ~key.mask[j]);
    left |= key.mask[j] & seen;
  }
  return left;
}

LFB_FAST_MANY(, fast_put_loop, nothing, lfb_fast_prefetch_put, fast_put_one)
LFB_FAST_MANY(, fast_query_loop, nothing, lfb_fast_prefetch, fast_query_one)
LFB_FAST_MANY(, fast_gather_loop, nothing, lfb_fast_prefetch_put, fast_gather_one)
LFB_FAST_MANY(, fast_settle_loop, nothing, lfb_fast_prefetch_put, fast_settle_one)

LFB_INLINE uint64_t fast_put_all(const lfb_fast *fast, const uint64_t *hashes, size_t count,
                                 uint64_t *answers)
{
  return fast_put_loop(fast, NULL, hashes, count, answers);
}

LFB_INLINE uint64_t fast_query_all(const lfb_fast *fast, const uint64_t *hashes, size_t count,
                               uint64_t *answers)
{
  return fast_query_loop(fast, NULL, hashes, count, answers);
}

LFB_INLINE uint64_t fast_gather_all(const lfb_fast *fast, const uint64_t *hashes, size_t count,
                                uint64_t *answers)
{
  return fast_gather_loop(fast, NULL, hashes, count, answers);
}

LFB_INLINE uint64_t fast_settle_all(const lfb_fast *fast, const uint64_t *hashes, size_t count,
                                uint64_t *answers)
{
  return fast_settle_loop(fast, NULL, hashes, count, answers);
}

static void fast_hash_u64_many(const lfb_hasher *hasher, const uint64_t *keys, size_t count,
                               uint64_t *hashes)
{
  for (size_t i = 0; i < count; i++)
    hashes[i] = lfb_hasher_u64(hasher, keys[i]).low;
}

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
