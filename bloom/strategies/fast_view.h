/*
 * fast_view.h - the layout of a `fast` filter, and of `fast-pair`, which is `fast` with one pair;
 * fast/fast_key.h finds a key there.
 *
 * The layout never changes.  A key turns on bits in P = 1, 2 or 4 pairs of 128 bits, g bits in each
 * of the two words of a pair; a pair changes at once (atomic/words/pair.h).  A block is one pair
 * (P = 1), a cache line of 4 pairs (P = 2), or two neighbouring lines of 8 (P = 4).  With r(i) =
 * hash * M(i) mod 2^64, M(0) to M(2) being 9e3779b97f4a7c15, 6a09e667f3bcc909, bb67ae8584caa73b:
 *
 *   block    floor(hash * blocks / 2^64)
 *   pair j   P > 1: pair 2 j of the block, or 2 j + 1, by bit 12 + j of r(0)
 *   probe f  f = 0 to 2 P g - 1: bit (r(f / 8) >> (16 + 6 (f mod 8))) mod 64 of word f mod 2 P of
 *            the key's pairs
 *
 * The block takes the hash's high bits.  The products' middle and high bits depend on all bits
 * below them, so they are practically independent of the block.  No bit of a product is used twice,
 * and the products have no short relation (tests/strategies/fast/constants_test.py); a fourth one,
 * 2 * M(0) + 1, would have one, and double the coincidences of probes.
 *
 * Ordering, Progress, Stopped  as in atomic/words/pair.h, for each pair.
 */
#ifndef LFB_BLOOM_FAST_VIEW_H
#define LFB_BLOOM_FAST_VIEW_H

#include <lfbloom/cpu.h>
#include <lfbloom/word.h>

enum {
  LFB_BLOCK_WORDS = 8, /* a cache line, and the most words of a key */
  LFB_PAIR_WORDS = 2,
  LFB_FAST_PRODUCTS = 3,
  LFB_FAST_ROUND = 8, /* probes that one product gives */
  LFB_FAST_MAX_PROBES = LFB_FAST_PRODUCTS * LFB_FAST_ROUND, /* 2 P g */
};

/* The layout of one filter. */
typedef struct lfb_fast {
  lfb_word *words; /* aligned to a cache line             */
  uint64_t blocks; /* at least 1                          */
  uint32_t pairs;  /* P: 1, 2 or 4                        */
  uint32_t bits;   /* g, at least 1                       */
} lfb_fast;

/* The words of a block of a filter with P pairs. */
LFB_INLINE uint32_t lfb_fast_block_words(uint32_t pairs)
{
  return pairs == 1 ? (uint32_t)LFB_PAIR_WORDS : 2 * LFB_PAIR_WORDS * pairs;
}

#endif
