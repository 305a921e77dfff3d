/*
 * fast_rows.h - what the variants of strategy `fast` share: the loop over many hashes,
 * in which lines are asked for ahead and answers gathered 64 to a word; and the rows,
 * one for each shape that code is made for and one for all others.
 *
 * Macros, not templates as in probes.h: a function without a target attribute cannot
 * take in one that has it.
 */
#ifndef LFB_BLOOM_FAST_ROWS_H
#define LFB_BLOOM_FAST_ROWS_H

#include "bloom/strategies/fast/fast_size.h"
#include "bloom/strategies/strategy.h"

enum {
  /* Lines under way: at 256 MiB 16, 32, 64, 128 give 7.5, 5.5, 3.7, 2.7 ns a
   * line, more gives nothing. */
  LFB_FAST_AHEAD = 128,
};

/* Asks for the lines of the first hashes of a batch. */
#define LFB_FAST_ASK_FIRST(ask, fast, hashes, count)                \
  for (size_t i = 0; i < (count) && i < (size_t)LFB_FAST_AHEAD; i++) \
  ask(fast, (hashes)[i])

/*
 * LFB_FAST_MANY(attributes, name, context_type, context_of, ask, one) defines
 *
 *   uint64_t name(fast, hashes, count, answers)
 *
 * which runs one(fast, context, hash) on each hash, in order, sets the answer of
 * those that give more than 0, and returns the sum.  The context is what is the same
 * for all hashes: context_of(fast).
 *
 * Each word of answers asks for as many lines further ahead; at the end of the batch
 * for some that were asked for already, which costs less than to look.
 */
#define LFB_FAST_MANY(attributes, name, context_type, context_of, ask, one)           \
  attributes LFB_INLINE uint64_t name(const lfb_fast *fast, const uint64_t *hashes,   \
                                      size_t count, uint64_t *answers)                \
  {                                                                                   \
    const context_type context = context_of(fast);                                    \
    uint64_t sum = 0;                                                                 \
    LFB_FAST_ASK_FIRST(ask, fast, hashes, count);                                     \
    for (size_t i = 0, turns; i < count; i += turns) {                                \
      turns = count - i < LFB_WORD_BITS ? count - i : (size_t)LFB_WORD_BITS;          \
      const size_t further = i + LFB_FAST_AHEAD + turns <= count ? i + LFB_FAST_AHEAD \
                                                                 : count - turns;     \
      const uint64_t *now = hashes + i, *ahead = hashes + further;                    \
      uint64_t answer = 0;                                                            \
      LFB_UNROLL_8                                                                    \
      for (size_t k = 0; k < turns; k++) {                                            \
        ask(fast, ahead[k]);                                                          \
        const uint64_t given = one(fast, &context, now[k]);                           \
        answer |= (uint64_t)(given != 0) << k;                                        \
        sum += given;                                                                 \
      }                                                                               \
      answers[i / LFB_WORD_BITS] = answer;                                            \
    }                                                                                 \
    return sum;                                                                       \
  }

/* The context of loops that need none. */
typedef char fast_nothing;

LFB_INLINE fast_nothing fast_nothing_of(const lfb_fast *fast)
{
  (void)fast;
  return 0;
}

/* Words that nobody else touches now: plain loads and stores (strategy.h). */
LFB_INLINE uint64_t fast_gather_one(const lfb_fast *fast, const fast_nothing *nothing,
                                    uint64_t hash)
{
  const uint32_t groups = (uint32_t)LFB_BLOCK_WORDS >> fast->group_shift;
  const lfb_fast_key key = lfb_fast_key_of(fast, hash);
  uint64_t missing = 0;

  (void)nothing;
  LFB_UNROLL
  for (uint32_t j = 0; j < groups; j++) {
    const uint64_t seen = lfb_word_get_alone(key.word[j]);
    lfb_word_store_alone(key.word[j], seen | key.mask[j]);
    missing |= key.mask[j] & ~seen;
  }
  return missing;
}

LFB_INLINE uint64_t fast_settle_one(const lfb_fast *fast, const fast_nothing *nothing,
                                    uint64_t hash)
{
  const uint32_t groups = (uint32_t)LFB_BLOCK_WORDS >> fast->group_shift;
  const lfb_fast_key key = lfb_fast_key_of(fast, hash);
  uint64_t left = 0;

  (void)nothing;
  LFB_UNROLL
  for (uint32_t j = 0; j < groups; j++) {
    const uint64_t seen = lfb_word_get_alone(key.word[j]);
    lfb_word_store_alone(key.word[j], seen & ~key.mask[j]);
    left |= key.mask[j] & seen;
  }
  return left;
}

/* Defines variant_gather_all, variant_settle_all and variant_hash_u64_many (see below)
 * for variants whose vectors give nothing there. */
#define LFB_FAST_ALONE(attributes, variant)                                       \
  LFB_FAST_MANY(attributes, variant##_gather_all, fast_nothing, fast_nothing_of,  \
                lfb_fast_prefetch_put, fast_gather_one)                           \
  LFB_FAST_MANY(attributes, variant##_settle_all, fast_nothing, fast_nothing_of,  \
                lfb_fast_prefetch_put, fast_settle_one)                           \
  attributes static void variant##_hash_u64_many(const lfb_hasher *hasher,        \
                                                 const uint64_t *keys, size_t n,  \
                                                 uint64_t *hashes)                \
  {                                                                               \
    for (size_t i = 0; i < n; i++)                                                \
      hashes[i] = lfb_hasher_u64(hasher, keys[i]).low;                            \
  }

/* A caller's hash is as wide as this strategy's. */
static inline lfb_hash fast_widen(const lfb_hasher *hasher, uint64_t hash)
{
  (void)hasher;
  return (lfb_hash){hash, 0};
}

/*
 * Defines the row variant_shape_row from six inline functions of a view:
 *
 *   uint32_t variant_turn_on(fast, hash)
 *   bool     variant_is_in(fast, hash)
 *   uint64_t variant_put_all(fast, hashes, count, answers)    returns the bits turned on
 *   uint64_t variant_query_all, variant_gather_all, variant_settle_all: likewise, the
 *            sum of no meaning
 *
 * and variant_hash_u64_many (strategy.h).
 */
#define LFB_FAST_ROW_OF(attributes, variant, shape, shift, count)                              \
  attributes static uint32_t variant##_##shape##_turn_on(const lfb_layout *layout,             \
                                                         lfb_hash hash)                        \
  {                                                                                            \
    const lfb_fast fast = lfb_fast_shaped(&layout->fast, shift, count);                        \
    return variant##_turn_on(&fast, hash.low);                                                 \
  }                                                                                            \
  attributes static bool variant##_##shape##_is_in(const lfb_layout *layout, lfb_hash hash)    \
  {                                                                                            \
    const lfb_fast fast = lfb_fast_shaped(&layout->fast, shift, count);                        \
    return variant##_is_in(&fast, hash.low);                                                   \
  }                                                                                            \
  attributes static uint64_t variant##_##shape##_put_many(                                     \
      const lfb_layout *layout, const uint64_t *low, const uint64_t *high, size_t hashes,      \
      uint64_t *answers)                                                                       \
  {                                                                                            \
    const lfb_fast fast = lfb_fast_shaped(&layout->fast, shift, count);                        \
    (void)high;                                                                                \
    return variant##_put_all(&fast, low, hashes, answers);                                     \
  }                                                                                            \
  attributes static void variant##_##shape##_might_contain_many(                               \
      const lfb_layout *layout, const uint64_t *low, const uint64_t *high, size_t hashes,      \
      uint64_t *answers)                                                                       \
  {                                                                                            \
    const lfb_fast fast = lfb_fast_shaped(&layout->fast, shift, count);                        \
    (void)high;                                                                                \
    (void)variant##_query_all(&fast, low, hashes, answers);                                          \
  }                                                                                            \
  attributes static void variant##_##shape##_gather_many(                                      \
      const lfb_layout *layout, const uint64_t *hashes, size_t many, uint64_t *answers)        \
  {                                                                                            \
    const lfb_fast fast = lfb_fast_shaped(&layout->fast, shift, count);                        \
    (void)variant##_gather_all(&fast, hashes, many, answers);                                        \
  }                                                                                            \
  attributes static void variant##_##shape##_settle_many(                                      \
      const lfb_layout *layout, const uint64_t *hashes, size_t many, uint64_t *answers)        \
  {                                                                                            \
    const lfb_fast fast = lfb_fast_shaped(&layout->fast, shift, count);                        \
    (void)variant##_settle_all(&fast, hashes, many, answers);                                        \
  }                                                                                            \
  LFB_STRATEGY_KEYS(attributes, variant##_##shape, lfb_hasher_bytes_other, fast_widen)         \
  static const lfb_strategy variant##_##shape##_row = {                                        \
      LFB_FAST_ROW,                                                                            \
      LFB_STRATEGY_ACTS(variant##_##shape),                                                    \
      .hash_u64_many = variant##_hash_u64_many,                                                \
      .gather_many = variant##_##shape##_gather_many,                                          \
      .settle_many = variant##_##shape##_settle_many,                                          \
  };

/* One case of the choice among them. */
#define LFB_FAST_FIT(variant, shape, shift, count) \
  case LFB_FAST_SHAPE(shift, count):               \
    return &variant##_##shape##_row;

#endif
