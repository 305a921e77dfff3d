/*
 * line_rows.h - the loops over many hashes of strategies whose key has one line, and
 * which have no code for vectors.
 *
 * Floor 9.  May include: floors 0 to 8.
 */
#ifndef LFB_BLOOM_LINE_ROWS_H
#define LFB_BLOOM_LINE_ROWS_H

#include "bloom/strategy.h"

enum { LFB_LINES_AHEAD = 128 }; /* under way, as LFB_FAST_AHEAD */

/*
 * Defines noun_put_many and noun_might_contain_many (strategy.h) from noun_block, the
 * first word of a hash's place, noun_turn_on and noun_is_in.
 */
#define LFB_LINE_MANY(noun)                                                                     \
  LFB_INLINE void noun##_ask(const lfb_layout *layout, uint64_t hash, bool put)                 \
  {                                                                                             \
    const void *block = (const void *)noun##_block(layout, hash);                               \
    if (put)                                                                                    \
      lfb_prefetch_write(block);                                                                \
    else                                                                                        \
      lfb_prefetch_read(block);                                                                 \
  }                                                                                             \
  /* The bits turned on, or the answers that are true. */                                       \
  LFB_INLINE uint64_t noun##_many(const lfb_layout *layout, const uint64_t *hashes,             \
                                  size_t count, uint64_t *answers, bool put)                    \
  {                                                                                             \
    uint64_t sum = 0, answer = 0;                                                               \
    for (size_t i = 0; i < count && i < LFB_LINES_AHEAD; i++)                                   \
      noun##_ask(layout, hashes[i], put);                                                       \
    for (size_t i = 0; i < count; i++) {                                                        \
      const lfb_hash hash = {hashes[i], 0};                                                     \
      if (i + LFB_LINES_AHEAD < count)                                                          \
        noun##_ask(layout, hashes[i + LFB_LINES_AHEAD], put);                                   \
      const uint32_t given = put ? noun##_turn_on(layout, hash) : noun##_is_in(layout, hash);   \
      sum += given;                                                                             \
      answer |= (uint64_t)(given != 0) << (i % LFB_WORD_BITS);                                  \
      if ((i + 1) % LFB_WORD_BITS == 0 || i + 1 == count) {                                     \
        answers[i / LFB_WORD_BITS] = answer;                                                    \
        answer = 0;                                                                             \
      }                                                                                         \
    }                                                                                           \
    return sum;                                                                                 \
  }                                                                                             \
  static uint64_t noun##_put_many(const lfb_layout *layout, const uint64_t *low,                \
                                  const uint64_t *high, size_t count, uint64_t *answers)        \
  {                                                                                             \
    (void)high;                                                                                 \
    return noun##_many(layout, low, count, answers, true);                                      \
  }                                                                                             \
  static void noun##_might_contain_many(const lfb_layout *layout, const uint64_t *low,          \
                                        const uint64_t *high, size_t count, uint64_t *answers)  \
  {                                                                                             \
    (void)high;                                                                                 \
    (void)noun##_many(layout, low, count, answers, false);                                      \
  }

#endif
