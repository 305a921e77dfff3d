/*
 * fast_many.h - the loops over many hashes that the variants of strategy `fast`
 * share: lines are asked for ahead, answers are gathered 64 to a word.
 *
 * Floor 10.  May include: floors 0 to 9.
 */
#ifndef LFB_BLOOM_FAST_MANY_H
#define LFB_BLOOM_FAST_MANY_H

#include "bloom/strategy.h"

/* Inlined into each variant with its functions as constants: no call is left. */
#define LFB_FAST_TEMPLATE static inline __attribute__((always_inline))

enum {
  /* Lines under way: at 256 MiB 16, 32, 64, 128 give 7.5, 5.5, 3.7, 2.7 ns a
   * line, more gives nothing. */
  LFB_FAST_AHEAD = 128,
};

/*
 * LFB_FAST_MANY(name, attributes, prefetch, one) defines
 *
 *   uint64_t name(const lfb_fast *fast, CONTEXT, hashes, count, answers)
 *
 * which runs one(fast, context, hash) on each hash, in order, sets the answer of
 * those that give more than 0, and returns the sum.
 */
#define LFB_FAST_MANY(name, attributes, context_type, prefetch, one)                          \
  attributes static uint64_t name(const lfb_fast *fast, const context_type *context,          \
                                  const uint64_t *hashes, size_t count, uint64_t *answers)     \
  {                                                                                           \
    const size_t ahead = count < LFB_FAST_AHEAD ? count : (size_t)LFB_FAST_AHEAD;              \
    uint64_t sum = 0;                                                                         \
    for (size_t i = 0; i < ahead; i++)                                                        \
      prefetch(fast, hashes[i]);                                                              \
    for (size_t first = 0; first < count; first += LFB_WORD_BITS) {                           \
      const size_t last = count - first < LFB_WORD_BITS ? count : first + LFB_WORD_BITS;      \
      uint64_t answer = 0;                                                                    \
      for (size_t i = first; i < last; i++) {                                                 \
        if (i + ahead < count)                                                                \
          prefetch(fast, hashes[i + ahead]);                                                  \
        const uint64_t given = one(fast, context, hashes[i]);                                 \
        answer |= (uint64_t)(given != 0) << (i - first);                                      \
        sum += given;                                                                         \
      }                                                                                       \
      answers[first / LFB_WORD_BITS] = answer;                                                \
    }                                                                                         \
    return sum;                                                                               \
  }

#endif
