/*
 * fast_view.h - the layout of a `fast` or a `fast-pair` filter; fast_key.h finds a key there.
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

#endif
