/*
 * lfbloom/fast_view.h - the layout of a `fast` filter, and the operations on its words that
 * lfbloom/fast.h is made of.
 *
 * Included by lfbloom/fast.h.
 *
 * The layout never changes.  A block is 8 words, one cache line.  Its words are cut into w groups
 * (w = 1, 2, 4 or 8).  A key has one block, one word in each group, and g bits in each such word.
 * With r(i) = hash * M(i) mod 2^64, M(0) to M(3) being 9e3779b97f4a7c15, 6a09e667f3bcc909,
 * bb67ae8584caa73b, 3c6ef372fe94f82b:
 *
 *   block      floor(hash * blocks / 2^64)
 *   group j    word (8 / w) * j + (r(0) >> (12 + j * log2(8 / w))) mod (8 / w)
 *   probe f    f = 0 to w * g - 1: bit (r(f / 8) >> (16 + 6 * (f mod 8))) mod 64 of the word of
 *              group f mod w
 *
 * The block takes the hash's high bits.  The products' middle and high bits depend on all bits
 * below them, so they are practically independent of the block.
 *
 * Ordering, Progress, Stopped  as in lfbloom/word.h, for each word.
 */
#ifndef LFBLOOM_FAST_VIEW_H
#define LFBLOOM_FAST_VIEW_H

#include <lfbloom/cpu.h>
#include <lfbloom/word.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LFB_BLOCK_WORDS = 8, /* a block is a cache line */
  LFB_BLOCK_BITS = LFB_BLOCK_WORDS * LFB_WORD_BITS, /* 512 */
  LFB_FAST_MAX_PROBES = 32, /* w * g */
  LFB_FAST_ROUND = 8,       /* probes that one product gives */
};

/* The layout of one `fast` filter; lfb_fast_of() writes it. */
typedef struct lfb_fast {
  lfb_word *words;       /* 8 per block, aligned to a cache line         */
  uint64_t blocks;       /* at least 1                                   */
  uint32_t group_shift;  /* log2 of the words in a group, 8 / w: 0 to 3  */
  uint32_t probes;       /* w * g, 1 to LFB_FAST_MAX_PROBES              */
  const void *filter;    /* the filter, which counts the bits            */
  /* For vectors; lane l has the probes f with f mod 8 = l: */
  uint8_t word_shift[8]; /* shifts r(0) to the word's number in its group */
  uint8_t word_first[8]; /* the first word of its group                   */
} lfb_fast;

/*
 * The shapes that have code of their own: those of 1 %, 0.1 % and 0.01 % at the default preference.
 * In that code loops over words and bits unroll, and shifts are constants.
 *
 * row(name, group_shift, probes)
 */
#define LFB_FAST_SHAPES(row) row(2x3, 2, 6) row(4x2, 1, 8) row(4x3, 1, 12)

/* A shape as one number. */
#define LFB_FAST_SHAPE(group_shift, probes) ((group_shift) << 8 | (probes))

/* Returns the view with a shape that the compiler knows.  With 0 probes: with its own shape. */
LFB_INLINE lfb_fast lfb_fast_shaped(const lfb_fast *fast, uint32_t group_shift, uint32_t probes)
{
  lfb_fast shaped = *fast;
  if (probes != 0) {
    shaped.group_shift = group_shift;
    shaped.probes = probes;
  }
  return shaped;
}

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

/* Returns the first word of a hash's block. */
LFB_INLINE lfb_word *lfb_fast_block(const lfb_fast *fast, uint64_t hash)
{
  return fast->words + LFB_BLOCK_WORDS * lfb_multiply_high(hash, fast->blocks);
}

/* Returns the number, in its block, of the key's word in group j. */
LFB_INLINE uint32_t lfb_fast_word(const lfb_fast *fast, uint64_t round0, uint32_t j)
{
  const uint32_t in_group = (uint32_t)(round0 >> (12 + j * fast->group_shift));
  return (j << fast->group_shift) + (in_group & ((1U << fast->group_shift) - 1));
}

/* Returns the key's bits in its word of group j. */
LFB_INLINE uint64_t lfb_fast_mask(const lfb_fast *fast, uint64_t hash, uint32_t j)
{
  const uint32_t groups = (uint32_t)LFB_BLOCK_WORDS >> fast->group_shift;
  uint64_t mask = 0;

  LFB_UNROLL
  for (uint32_t probe = j; probe < fast->probes; probe += groups) {
    const uint64_t round = lfb_fast_round(hash, probe / LFB_FAST_ROUND);
    mask |= UINT64_C(1) << (round >> (16 + 6 * (probe % LFB_FAST_ROUND)) & 63);
  }
  return mask;
}

/* The words of one key, and its bits in them. */
typedef struct lfb_fast_key {
  lfb_word *word[LFB_BLOCK_WORDS]; /* in group j; after the last group the block   */
  uint64_t mask[LFB_BLOCK_WORDS];  /* its bits there; after the last group 0       */
} lfb_fast_key;

/* Finds a key's words in its block; reads none of them. */
LFB_INLINE void lfb_fast_key_words(const lfb_fast *fast, lfb_word *block, uint64_t round0,
                                   lfb_fast_key *key)
{
  const uint32_t groups = (uint32_t)LFB_BLOCK_WORDS >> fast->group_shift;

  LFB_UNROLL
  for (uint32_t j = 0; j < LFB_BLOCK_WORDS; j++)
    key->word[j] = j < groups ? &block[lfb_fast_word(fast, round0, j)] : block;
}

/* Finds a key's words, and its bits in them; reads none of the words. */
LFB_INLINE lfb_fast_key lfb_fast_key_of(const lfb_fast *fast, uint64_t hash)
{
  const uint32_t groups = (uint32_t)LFB_BLOCK_WORDS >> fast->group_shift;
  lfb_fast_key key;

  lfb_fast_key_words(fast, lfb_fast_block(fast, hash), lfb_fast_round(hash, 0), &key);
  LFB_UNROLL
  for (uint32_t j = 0; j < LFB_BLOCK_WORDS; j++)
    key.mask[j] = j < groups ? lfb_fast_mask(fast, hash, j) : 0;
  return key;
}

/*
 * Turns on a key's bits.  Returns the number of bits that this call turned on.
 *
 * It reads all words before it writes the first: a locked operation delays the loads after it, so
 * loads in between would add their latency.
 */
LFB_INLINE uint32_t lfb_fast_key_put(const lfb_fast *fast, const lfb_fast_key *key)
{
  const uint32_t groups = (uint32_t)LFB_BLOCK_WORDS >> fast->group_shift;
  uint64_t seen[LFB_BLOCK_WORDS] = {0};
  uint32_t turned_on = 0;

  LFB_UNROLL
  for (uint32_t j = 0; j < groups; j++)
    seen[j] = lfb_word_get(key->word[j]);
  LFB_UNROLL
  for (uint32_t j = 0; j < groups; j++)
    turned_on += lfb_word_count(lfb_word_set_seen(key->word[j], seen[j], key->mask[j]));
  return turned_on;
}

/*
 * Returns whether all of a key's bits are on.
 *
 * It shifts each bit to the bottom of a copy of its word, and ands all of them.  This takes one
 * instruction per bit less than masks do.  With gcc 12 it is 1.1 times (w = 2) to 1.4 times (w = 8)
 * as fast in cache (query_present/fast, LFBLOOM_SIMD=none).
 */
LFB_INLINE bool lfb_fast_has_bits(const lfb_fast *fast, uint64_t hash)
{
  const uint32_t groups = (uint32_t)LFB_BLOCK_WORDS >> fast->group_shift;
  lfb_fast_key key;
  uint64_t word[LFB_BLOCK_WORDS], on = 1;

  lfb_fast_key_words(fast, lfb_fast_block(fast, hash), lfb_fast_round(hash, 0), &key);
  LFB_UNROLL
  for (uint32_t j = 0; j < groups; j++)
    word[j] = lfb_word_get(key.word[j]);
  LFB_UNROLL
  for (uint32_t probe = 0; probe < fast->probes; probe++) {
    const uint64_t round = lfb_fast_round(hash, probe / LFB_FAST_ROUND);
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): groups is above 0. */
    on &= word[probe & (groups - 1)] >> (round >> (16 + 6 * (probe % LFB_FAST_ROUND)) & 63);
  }
  return (on & 1) != 0;
}

#ifdef __cplusplus
}
#endif

#endif
