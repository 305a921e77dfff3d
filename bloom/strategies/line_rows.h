/*
 * line_rows.h - the loops over many hashes of strategies whose key has one line.
 */
#ifndef LFB_BLOOM_LINE_ROWS_H
#define LFB_BLOOM_LINE_ROWS_H

#include "bloom/strategies/strategy.h"

enum { LFB_LINES_AHEAD = 128 }; /* under way, as LFB_FAST_AHEAD */

/*
 * Defines noun_put_many and noun_might_contain_many (strategy.h) from noun_block, the
 * first word of a hash's place, noun_turn_on and noun_is_in, all with `attributes`.
 *
 * Each word of answers asks for as many lines further ahead; at the end of the batch for some
 * that were asked for already, which costs less than to look.
 */
#define LFB_LINE_MANY(attributes, noun)                                                         \
  LFB_INLINE void noun##_ask(const lfb_layout *layout, uint64_t hash, bool put)                 \
  {                                                                                             \
    const void *block = (const void *)noun##_block(layout, hash);                               \
    if (put)                                                                                    \
      lfb_prefetch_write(block);                                                                \
    else                                                                                        \
      lfb_prefetch_read(block);                                                                 \
  }                                                                                             \
  /* The bits turned on, or the answers that are true. */                                       \
  attributes LFB_INLINE uint64_t noun##_many(const lfb_layout *layout, const uint64_t *hashes,  \
                                  size_t count, uint64_t *answers, bool put)                    \
  {                                                                                             \
    uint64_t sum = 0;                                                                           \
    for (size_t i = 0; i < count && i < LFB_LINES_AHEAD; i++)                                   \
      noun##_ask(layout, hashes[i], put);                                                       \
    for (size_t i = 0, turns; i < count; i += turns) {                                          \
      turns = count - i < LFB_WORD_BITS ? count - i : (size_t)LFB_WORD_BITS;                    \
      const size_t further =                                                                    \
          i + LFB_LINES_AHEAD + turns <= count ? i + LFB_LINES_AHEAD : count - turns;           \
      const uint64_t *now = hashes + i, *ahead = hashes + further;                              \
      uint64_t answer = 0;                                                                      \
      LFB_UNROLL_8                                                                              \
      for (size_t k = 0; k < turns; k++) {                                                      \
        noun##_ask(layout, ahead[k], put);                                                      \
        const lfb_hash hash = {now[k], 0};                                                      \
        const uint32_t given = put ? noun##_turn_on(layout, hash) : noun##_is_in(layout, hash); \
        answer |= (uint64_t)(given != 0) << k;                                                  \
        sum += given;                                                                           \
      }                                                                                         \
      answers[i / LFB_WORD_BITS] = answer;                                                      \
    }                                                                                           \
    return sum;                                                                                 \
  }                                                                                             \
  attributes static uint64_t noun##_put_many(const lfb_layout *layout, const uint64_t *low,     \
                                  const uint64_t *high, size_t count, uint64_t *answers)        \
  {                                                                                             \
    (void)high;                                                                                 \
    return noun##_many(layout, low, count, answers, true);                                      \
  }                                                                                             \
  attributes static void noun##_might_contain_many(const lfb_layout *layout, const uint64_t *low, \
                                        const uint64_t *high, size_t count, uint64_t *answers)  \
  {                                                                                             \
    (void)high;                                                                                 \
    (void)noun##_many(layout, low, count, answers, false);                                      \
  }

#endif
