/*
 * fast_many.h - the loops over many hashes that the variants of strategy `fast`
 * share: lines are asked for ahead, answers are gathered 64 to a word.
 *
 * Macros, not templates as in probes.h: a function without a target attribute cannot
 * take in one that has it.
 *
 * Floor 10.  May include: floors 0 to 9.
 */
#ifndef LFB_BLOOM_FAST_MANY_H
#define LFB_BLOOM_FAST_MANY_H

#include "bloom/strategy.h"

enum {
  /* Lines under way: at 256 MiB 16, 32, 64, 128 give 7.5, 5.5, 3.7, 2.7 ns a
   * line, more gives nothing. */
  LFB_FAST_AHEAD = 128,
};

/* Up to 64 hashes, whose answers make a word; lines of `ahead`, if any, are asked for. */
#define LFB_FAST_WORD(attributes, name, context_type, ask, one)                                \
  attributes LFB_INLINE uint64_t name(const lfb_fast *fast, const context_type *context,       \
                                      const uint64_t *hashes, const uint64_t *ahead,           \
                                      size_t count, uint64_t *sum)                             \
  {                                                                                            \
    uint64_t answer = 0;                                                                       \
    LFB_UNROLL_8                                                                               \
    for (size_t i = 0; i < count; i++) {                                                       \
      if (ahead != NULL)                                                                       \
        ask(fast, ahead[i]);                                                                   \
      const uint64_t given = one(fast, context, hashes[i]);                                    \
      answer |= (uint64_t)(given != 0) << i;                                                   \
      *sum += given;                                                                           \
    }                                                                                          \
    return answer;                                                                             \
  }

/*
 * LFB_FAST_MANY(attributes, name, context_type, ask, one) defines
 *
 *   uint64_t name(fast, context, hashes, count, answers)
 *
 * which runs one(fast, context, hash) on each hash, in order, sets the answer of
 * those that give more than 0, and returns the sum.
 */
#define LFB_FAST_MANY(attributes, name, context_type, ask, one)                                \
  LFB_FAST_WORD(attributes, name##_word, context_type, ask, one)                               \
  attributes LFB_INLINE uint64_t name(const lfb_fast *fast, const context_type *context,       \
                                      const uint64_t *hashes, size_t count, uint64_t *answers) \
  {                                                                                            \
    uint64_t sum = 0;                                                                          \
    size_t i = 0;                                                                              \
    for (; i < count && i < LFB_FAST_AHEAD; i++)                                               \
      ask(fast, hashes[i]);                                                                    \
    for (i = 0; i + LFB_FAST_AHEAD + LFB_WORD_BITS <= count; i += LFB_WORD_BITS)               \
      answers[i / LFB_WORD_BITS] = name##_word(                                                \
          fast, context, hashes + i, hashes + i + LFB_FAST_AHEAD, LFB_WORD_BITS, &sum);        \
    for (size_t j = i + LFB_FAST_AHEAD; j < count; j++)                                        \
      ask(fast, hashes[j]);                                                                    \
    for (; i < count; i += LFB_WORD_BITS)                                                      \
      answers[i / LFB_WORD_BITS] =                                                             \
          name##_word(fast, context, hashes + i, NULL,                                         \
                      count - i < LFB_WORD_BITS ? count - i : (size_t)LFB_WORD_BITS, &sum);    \
    return sum;                                                                                \
  }

#endif
