/*
 * fast_view.h - the layout of a `fast` or a `fast-pair` filter, and where the line of a hash is.
 *
 * The layout never changes.  A block of `fast` is 8 words, one cache line, or 16, two neighbouring
 * lines; a block of `fast-pair` is 2 words.  Its B words are cut into w groups: w = 1, 2, 4 or 8
 * for 8 words, 8 for 16, 2 for `fast-pair`.  A key has one block, one word in each group, and g
 * bits in each such word.  With r(i) = hash * M(i) mod 2^64, M(0) to M(3) being 9e3779b97f4a7c15,
 * 6a09e667f3bcc909, bb67ae8584caa73b, 3c6ef372fe94f82b:
 *
 *   block      floor(hash * blocks / 2^64)
 *   group j    word (B / w) * j + (r(0) >> (12 + j * log2(B / w))) mod (B / w)
 *   probe f    f = 0 to w * g - 1: bit (r(f / 8) >> (16 + 6 * (f mod 8))) mod 64 of the word of
 *              group f mod w
 *
 * The block takes the hash's high bits.  The products' middle and high bits depend on all bits
 * below them, so they are practically independent of the block.
 *
 * Ordering, Progress, Stopped  as in lfbloom/word.h, for each word.
 */
#ifndef LFB_BLOOM_FAST_VIEW_H
#define LFB_BLOOM_FAST_VIEW_H

#include <lfbloom/cpu.h>
#include <lfbloom/word.h>

enum {
  LFB_BLOCK_WORDS = 8, /* a cache line, and the most words of a key */
  LFB_BLOCK_BITS = LFB_BLOCK_WORDS * LFB_WORD_BITS, /* 512 */
  LFB_PAIR_WORDS = 2,       /* a block of `fast-pair` */
  LFB_FAST_MAX_PROBES = 32, /* w * g */
  LFB_FAST_ROUND = 8,       /* probes that one product gives */
};

/* The layout of one filter. */
typedef struct lfb_fast {
  lfb_word *words;       /* aligned to a cache line                                */
  uint64_t blocks;       /* at least 1                                             */
  void *filter;          /* of a counting filter: itself; else NULL                */
  uint32_t block_shift;  /* log2 of the words in a block: 3, 4; of `fast-pair` 1   */
  uint32_t group_shift;  /* log2 of the words in a group: 0 to 3                   */
  uint32_t probes;       /* w * g, 1 to LFB_FAST_MAX_PROBES                        */
  uint32_t rounds;       /* products for them                                      */
} lfb_fast;

/* Returns the product r(round).  The multipliers are the fractional digits of the golden ratio,
 * then those of the square roots of 2, 3 and 5, made odd. */
LFB_INLINE uint64_t lfb_fast_round(uint64_t hash, uint32_t round)
{
  static const uint64_t multipliers[LFB_FAST_MAX_PROBES / LFB_FAST_ROUND] = {
      UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0x6a09e667f3bcc909),
      UINT64_C(0xbb67ae8584caa73b), UINT64_C(0x3c6ef372fe94f82b)};
  /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): probes has an end. */
  return hash * multipliers[round];
}

/* Returns whether a block is two lines. */
LFB_INLINE bool lfb_fast_has_two_lines(const lfb_fast *fast)
{
  return fast->block_shift == 4;
}

/* Returns the first word of a hash's block. */
LFB_INLINE lfb_word *lfb_fast_block(const lfb_fast *fast, uint64_t hash)
{
  return fast->words + (lfb_multiply_high(hash, fast->blocks) << fast->block_shift);
}

#endif
