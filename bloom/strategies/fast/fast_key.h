/*
 * fast_key.h - the words and bits of one key of `fast` or `fast-pair`, without vectors.
 *
 * bloom/strategies/fast_view.h has the layout.
 *
 * Ordering, Progress, Stopped  as in lfbloom/word.h, for each word; as in pair.h, for `fast-pair`.
 */
#ifndef LFB_BLOOM_FAST_KEY_H
#define LFB_BLOOM_FAST_KEY_H

#include "atomic/bit_array.h"
#include "bloom/strategies/fast_view.h"

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

/*
 * The shapes that have code of their own: those of 1 %, 0.1 %, 0.01 % and 1e-6 at the default
 * preference, and of 1 % and 0.1 % for speed.  In that code loops over words and bits unroll, and
 * shifts are constants.
 *
 * row(name, block_shift, group_shift, probes)
 */
#define LFB_FAST_SHAPES(row)                                                             \
  row(2x3, 3, 2, 6) row(4x2, 3, 1, 8) row(4x3, 3, 1, 12) row(1x5, 3, 3, 5)               \
  row(2x4, 3, 2, 8) row(8x2, 4, 1, 16)

/* A shape as one number. */
#define LFB_FAST_SHAPE(block_shift, group_shift, probes) \
  ((block_shift) << 16 | (group_shift) << 8 | (probes))

/* Returns the view with a shape that the compiler knows.  With 0 probes: with its own shape. */
LFB_INLINE lfb_fast lfb_fast_shaped(const lfb_fast *fast, uint32_t block_shift,
                                    uint32_t group_shift, uint32_t probes)
{
  lfb_fast shaped = *fast;
  if (probes != 0) {
    shaped.block_shift = block_shift;
    shaped.group_shift = group_shift;
    shaped.probes = probes;
    shaped.rounds = (probes + LFB_FAST_ROUND - 1) / LFB_FAST_ROUND;
  }
  return shaped;
}

/* Returns whether one operation turns on all bits of a key. */
LFB_INLINE bool lfb_fast_is_pair(const lfb_fast *fast)
{
  return fast->block_shift == 1;
}

/* Returns w, the number of groups of a block. */
LFB_INLINE uint32_t lfb_fast_groups(const lfb_fast *fast)
{
  return 1U << (fast->block_shift - fast->group_shift);
}

/* Prefetches the lines of a hash's block: for a read, and below for a write. */
LFB_INLINE void lfb_fast_prefetch(const lfb_fast *fast, uint64_t hash)
{
  const lfb_word *block = lfb_fast_block(fast, hash);

  lfb_prefetch_read((const void *)block);
  if (lfb_fast_has_two_lines(fast))
    lfb_prefetch_read((const void *)(block + LFB_BLOCK_WORDS));
}

LFB_INLINE void lfb_fast_prefetch_put(const lfb_fast *fast, uint64_t hash)
{
  const lfb_word *block = lfb_fast_block(fast, hash);

  lfb_prefetch_write((const void *)block);
  if (lfb_fast_has_two_lines(fast))
    lfb_prefetch_write((const void *)(block + LFB_BLOCK_WORDS));
}

/* Returns the number, in its block, of the key's word in group j. */
LFB_INLINE uint32_t lfb_fast_word(const lfb_fast *fast, uint64_t round0, uint32_t j)
{
  const uint32_t in_group = (uint32_t)(round0 >> (12 + j * fast->group_shift));
  return (j << fast->group_shift) + (in_group & ((1U << fast->group_shift) - 1));
}

/* Returns the bit of a probe in its word. */
LFB_INLINE uint64_t lfb_fast_bit(uint64_t hash, uint32_t probe)
{
  const uint64_t round = lfb_fast_round(hash, probe / LFB_FAST_ROUND);
  return UINT64_C(1) << (round >> (16 + 6 * (probe % LFB_FAST_ROUND)) & 63);
}

/* Returns the key's bits in its word of group j. */
LFB_INLINE uint64_t lfb_fast_mask(const lfb_fast *fast, uint64_t hash, uint32_t j)
{
  const uint32_t groups = lfb_fast_groups(fast);
  uint64_t mask = 0;

  LFB_EACH(probe, j, fast->probes, groups, mask |= lfb_fast_bit(hash, probe));
  return mask;
}

/* The words of one key, and its bits in them. */
typedef struct lfb_fast_key {
  lfb_word *word[LFB_BLOCK_WORDS]; /* in group j      */
  uint64_t mask[LFB_BLOCK_WORDS];  /* its bits there */
} lfb_fast_key;

/* Finds a key's words in its block; reads none of them. */
LFB_INLINE void lfb_fast_key_words(const lfb_fast *fast, lfb_word *block, uint64_t round0,
                                   lfb_fast_key *key)
{
  const uint32_t groups = lfb_fast_groups(fast);

  LFB_EACH(j, 0, groups, 1, key->word[j] = &block[lfb_fast_word(fast, round0, j)]);
}

/* Finds a key's words, and its bits in them; reads none of the words. */
LFB_INLINE lfb_fast_key lfb_fast_key_of(const lfb_fast *fast, uint64_t hash)
{
  const uint32_t groups = lfb_fast_groups(fast);
  lfb_fast_key key;

  lfb_fast_key_words(fast, lfb_fast_block(fast, hash), lfb_fast_round(hash, 0), &key);
  LFB_EACH(j, 0, groups, 1, key.mask[j] = lfb_fast_mask(fast, hash, j));
  return key;
}

/* Turns on a key's bits: those of a block of `fast` word by word, those of a block of `fast-pair`
 * at once.  Returns the number of bits that this call turned on. */
LFB_INLINE uint32_t lfb_fast_key_put(const lfb_fast *fast, const lfb_fast_key *key)
{
  if (lfb_fast_is_pair(fast))
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): groups is above 0. */
    return lfb_bit_array_or_pair(key->word[0], (lfb_two){key->mask[0], key->mask[1]});
  return lfb_bit_array_or_words(key->word, key->mask, lfb_fast_groups(fast));
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
  const uint32_t groups = lfb_fast_groups(fast);
  lfb_fast_key key;
  uint64_t word[LFB_BLOCK_WORDS], on = 1;

  lfb_fast_key_words(fast, lfb_fast_block(fast, hash), lfb_fast_round(hash, 0), &key);
  LFB_EACH(j, 0, groups, 1, word[j] = lfb_word_get(key.word[j]));
  LFB_EACH(probe, 0, fast->probes, 1, {
    const uint64_t round = lfb_fast_round(hash, probe / LFB_FAST_ROUND);
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): groups is above 0. */
    on &= word[probe & (groups - 1)] >> (round >> (16 + 6 * (probe % LFB_FAST_ROUND)) & 63);
  });
  return (on & 1) != 0;
}

/* The same in words that no other thread uses, by plain loads and stores (kernel.h,
 * LFB_KERNEL_PUT_ALONE and _CREDIT).  Returns more than 0 if any bit was off. */
LFB_INLINE uint64_t lfb_fast_key_put_alone(const lfb_fast *fast, const lfb_fast_key *key)
{
  const uint32_t groups = lfb_fast_groups(fast);
  uint64_t missing = 0;

  LFB_EACH(j, 0, groups, 1, {
    const uint64_t seen = lfb_word_get_alone(key->word[j]);
    lfb_word_store_alone(key->word[j], seen | key->mask[j]);
    missing |= key->mask[j] & ~seen;
  });
  return missing;
}

/* Turns off a key's bits.  Returns more than 0 if any of them was on. */
LFB_INLINE uint64_t lfb_fast_key_credit(const lfb_fast *fast, const lfb_fast_key *key)
{
  const uint32_t groups = lfb_fast_groups(fast);
  uint64_t left = 0;

  LFB_EACH(j, 0, groups, 1, {
    const uint64_t seen = lfb_word_get_alone(key->word[j]);
    lfb_word_store_alone(key->word[j], seen & ~key->mask[j]);
    left |= key->mask[j] & seen;
  });
  return left;
}

#endif
