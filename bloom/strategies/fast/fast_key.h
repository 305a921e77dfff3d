/*
 * fast_key.h - the pairs and bits of one key of `fast`, without vectors.
 *
 * bloom/strategies/fast_view.h has the layout.  Functions take P and g, `pairs` and `bits`, which
 * are constants wherever a shape has code of its own.
 *
 * Ordering, Progress, Stopped  as in atomic/words/pair.h, for each pair.
 */
#ifndef LFB_BLOOM_FAST_KEY_H
#define LFB_BLOOM_FAST_KEY_H

#include "atomic/bit_array.h"
#include "bloom/strategies/fast_view.h"

/* Returns the product r(round).  The multipliers are the fractional digits of the golden ratio,
 * then those of the square roots of 2 and 3, made odd. */
LFB_INLINE uint64_t lfb_fast_round(uint64_t hash, uint32_t round)
{
  static const uint64_t multipliers[LFB_FAST_PRODUCTS] = {
      UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0x6a09e667f3bcc909), UINT64_C(0xbb67ae8584caa73b)};
  /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): probes has an end. */
  return hash * multipliers[round];
}

/* How far a product is shifted to the number of a probe's bit. */
LFB_INLINE uint32_t lfb_fast_shift(uint32_t probe)
{
  return 16 + 6 * (probe % LFB_FAST_ROUND);
}

/* Returns the first word of a hash's block. */
LFB_INLINE lfb_word *lfb_fast_block(const lfb_fast *fast, uint64_t hash, uint32_t pairs)
{
  return fast->words + lfb_multiply_high(hash, fast->blocks) * lfb_fast_block_words(pairs);
}

/* Returns the number, in its block, of the first word of the key's pair j. */
LFB_INLINE uint64_t lfb_fast_pair_at(uint64_t hash, uint32_t pairs, uint32_t j)
{
  const uint64_t second = lfb_fast_round(hash, 0) >> (12 + j) & 1;
  return pairs == 1 ? 0 : (uint64_t)(2 * LFB_PAIR_WORDS * j) + LFB_PAIR_WORDS * second;
}

/* Returns the key's bits in its word number `word`, 0 to 2 P - 1. */
LFB_INLINE uint64_t lfb_fast_mask(uint64_t hash, uint32_t pairs, uint32_t bits, uint32_t word)
{
  const uint32_t probes = LFB_PAIR_WORDS * pairs * bits;
  uint64_t mask = 0;

  LFB_EACH(probe, word, probes, LFB_PAIR_WORDS * pairs,
           mask |= UINT64_C(1) << (lfb_fast_round(hash, probe / LFB_FAST_ROUND) >>
                                       lfb_fast_shift(probe) & 63));
  return mask;
}

/* The same in both words of its pair j. */
LFB_INLINE lfb_two lfb_fast_pair_mask(uint64_t hash, uint32_t pairs, uint32_t bits, uint32_t j)
{
  return (lfb_two){lfb_fast_mask(hash, pairs, bits, 2 * j),
                   lfb_fast_mask(hash, pairs, bits, 2 * j + 1)};
}

/* Prefetches the lines of a hash's block, for reading or for writing. */
LFB_INLINE void lfb_fast_prefetch(const lfb_fast *fast, uint64_t hash, uint32_t pairs, bool write)
{
  const lfb_word *block = lfb_fast_block(fast, hash, pairs);

  for (uint32_t line = 0; line < (pairs == 4 ? 2U : 1U); line++)
    write ? lfb_prefetch_write((const void *)(block + LFB_BLOCK_WORDS * (uint64_t)line))
          : lfb_prefetch_read((const void *)(block + LFB_BLOCK_WORDS * (uint64_t)line));
}

/* Turns on the bits of a key's pairs.  Returns how many this call turned on. */
LFB_INLINE uint32_t lfb_fast_or(const lfb_fast *fast, uint64_t hash, uint32_t pairs,
                                const lfb_two *mask)
{
  lfb_word *block = lfb_fast_block(fast, hash, pairs), *pair[LFB_PAIRS_MOST];

  LFB_EACH(j, 0, pairs, 1, pair[j] = block + lfb_fast_pair_at(hash, pairs, j));
  return lfb_bit_array_or_pairs(pair, mask, pairs);
}

/* Finds and turns on a key's bits.  Returns how many this call turned on. */
LFB_INLINE uint32_t lfb_fast_put(const lfb_fast *fast, uint64_t hash, uint32_t pairs, uint32_t bits)
{
  lfb_two mask[LFB_PAIRS_MOST];

  LFB_EACH(j, 0, pairs, 1, mask[j] = lfb_fast_pair_mask(hash, pairs, bits, j));
  return lfb_fast_or(fast, hash, pairs, mask);
}

/* Returns whether all of a key's bits are on.  It shifts each bit to the bottom of a copy of its
 * word, and ands all of them: one instruction per bit less than masks take. */
LFB_INLINE bool lfb_fast_has(const lfb_fast *fast, uint64_t hash, uint32_t pairs, uint32_t bits)
{
  lfb_word *block = lfb_fast_block(fast, hash, pairs);
  const uint32_t words = LFB_PAIR_WORDS * pairs, probes = words * bits;
  uint64_t word[LFB_BLOCK_WORDS], on = 1;

  LFB_EACH(i, 0, words, 1,
           word[i] = lfb_word_get(block + lfb_fast_pair_at(hash, pairs, i / 2) + i % 2));
  LFB_EACH(probe, 0, probes, 1,
           on &= word[probe & (words - 1)] >>
                 (lfb_fast_round(hash, probe / LFB_FAST_ROUND) >> lfb_fast_shift(probe) & 63));
  return (on & 1) != 0;
}

#endif
