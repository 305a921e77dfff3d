/*
 * fast_rows.h - what the variants of strategy `fast` share: the loop over many hashes,
 * in which lines are asked for ahead and answers gathered 64 to a word; and the rows,
 * one for each shape that code is made for and one for all others.
 *
 * Macros, not templates as in probes.h: a function without a target attribute cannot
 * take in one that has it.
 *
 * Floor 10.  May include: floors 0 to 9.
 */
#ifndef LFB_BLOOM_FAST_ROWS_H
#define LFB_BLOOM_FAST_ROWS_H

#include "bloom/fast_size.h"
#include "bloom/strategy.h"

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
 * LFB_FAST_MANY(attributes, name, context_type, ask, one) defines
 *
 *   uint64_t name(fast, context, hashes, count, answers)
 *
 * which runs one(fast, context, hash) on each hash, in order, sets the answer of
 * those that give more than 0, and returns the sum.
 *
 * Each word of answers asks for as many lines further ahead; at the end of the batch
 * for some that were asked for already, which costs less than to look.
 */
#define LFB_FAST_MANY(attributes, name, context_type, ask, one)                                \
  attributes LFB_INLINE uint64_t name(const lfb_fast *fast, const context_type *context,       \
                                      const uint64_t *hashes, size_t count, uint64_t *answers) \
  {                                                                                            \
    uint64_t sum = 0;                                                                          \
    LFB_FAST_ASK_FIRST(ask, fast, hashes, count);                                              \
    for (size_t i = 0, turns; i < count; i += turns) {                                         \
      turns = count - i < LFB_WORD_BITS ? count - i : (size_t)LFB_WORD_BITS;                   \
      const size_t further = i + LFB_FAST_AHEAD + turns <= count ? i + LFB_FAST_AHEAD          \
                                                                 : count - turns;              \
      const uint64_t *now = hashes + i, *ahead = hashes + further;                             \
      uint64_t answer = 0;                                                                     \
      LFB_UNROLL_8                                                                             \
      for (size_t k = 0; k < turns; k++) {                                                     \
        ask(fast, ahead[k]);                                                                   \
        const uint64_t given = one(fast, context, now[k]);                                     \
        answer |= (uint64_t)(given != 0) << k;                                                 \
        sum += given;                                                                          \
      }                                                                                        \
      answers[i / LFB_WORD_BITS] = answer;                                                     \
    }                                                                                          \
    return sum;                                                                                \
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
