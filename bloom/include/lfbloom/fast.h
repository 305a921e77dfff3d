/*
 * lfbloom/fast.h - strategy `fast` without a function call: put, query and
 * prefetch of a caller's own 64-bit hashes, inline in C and C++.
 *
 * Floor 7.  May include: lfbloom/word.h, lfbloom/cpu.h, lfbloom/filter.h.
 *
 * The layout, which never changes.  A block is 8 words, one cache line; its words
 * are cut into w groups (w = 1, 2, 4 or 8).  A key has one block, one word in each
 * group, and g bits in each such word.  With r(i) = hash * M(i) mod 2^64, M(0)
 * to M(3) being 9e3779b97f4a7c15, 6a09e667f3bcc909, bb67ae8584caa73b, 3c6ef372fe94f82b:
 *   block      floor(hash * blocks / 2^64)
 *   group j    word (8 / w) * j + (r(0) >> (12 + j * log2(8 / w))) mod (8 / w)
 *   probe f    f = 0 .. w * g - 1: bit (r(f / 8) >> (16 + 6 * (f mod 8))) mod 64 of
 *              the word of group f mod w
 * The block takes the hash's high bits; the products' middle and high bits, which
 * hang on all bits below them, are as good as independent of it.
 *
 * Guarantees, Ordering, Stopped  as lfbloom/filter.h.
 * Progress   lfb_fast_might_contain: wait-free, w loads of one line.
 *            lfb_fast_put: lock-free, at most w CAS loops, none for a key that is in.
 */
#ifndef LFBLOOM_FAST_H
#define LFBLOOM_FAST_H

#include <lfbloom/cpu.h>
#include <lfbloom/filter.h>
#include <lfbloom/word.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LFB_BLOCK_WORDS = 8, /* a block is a cache line */
  LFB_BLOCK_BITS = LFB_BLOCK_WORDS * LFB_WORD_BITS,
  LFB_FAST_MAX_PROBES = 32, /* w * g */
  LFB_FAST_ROUND = 8,       /* probes that one product serves */
};

/* Where the bits of a `fast` filter are; lfb_fast_of() fills it in. */
typedef struct lfb_fast {
  lfb_word *words;       /* 8 a block, on a cache line                   */
  uint64_t blocks;       /* at least 1                                   */
  uint32_t group_shift;  /* log2 of the words in a group, 8 / w: 0 to 3  */
  uint32_t probes;       /* w * g, 1 to LFB_FAST_MAX_PROBES              */
  const void *filter;    /* that counts the bits                         */
  /* for vectors, whose lane l serves the probes f with f mod 8 = l: */
  uint8_t word_shift[8]; /* what r(0) is shifted by for its word's number */
  uint8_t word_first[8]; /* the first word of its group                   */
} lfb_fast;

/*
 * A view of a filter for the functions below, good for as long as the filter
 * lives; any number of threads may use it, and the filter, at once.
 *
 * Fails  LFB_ERROR_STRATEGY_DIFFERS where the filter is of another strategy.
 */
LFB_API lfb_status lfb_fast_of(lfb_filter *filter, lfb_fast *fast);

/* Counts bits that have been turned on: what lfb_fast_put() calls for a new key. */
LFB_API void lfb_fast_count(const lfb_fast *fast, uint32_t turned_on);

/* Odd constants: the fractional digits of the golden ratio, then those of the
 * square roots of 2, 3 and 5, made odd. */
LFB_INLINE uint64_t lfb_fast_round(uint64_t hash, uint32_t round)
{
  static const uint64_t multipliers[LFB_FAST_MAX_PROBES / LFB_FAST_ROUND] = {
      UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0x6a09e667f3bcc909),
      UINT64_C(0xbb67ae8584caa73b), UINT64_C(0x3c6ef372fe94f82b)};
  return hash * multipliers[round];
}

/* The first word of the block that a hash has. */
LFB_INLINE lfb_word *lfb_fast_block(const lfb_fast *fast, uint64_t hash)
{
  return fast->words + LFB_BLOCK_WORDS * lfb_multiply_high(hash, fast->blocks);
}

/* The word, in its block, of group j. */
LFB_INLINE uint32_t lfb_fast_word(const lfb_fast *fast, uint64_t round0, uint32_t j)
{
  const uint32_t in_group = (uint32_t)(round0 >> (12 + j * fast->group_shift));
  return (j << fast->group_shift) + (in_group & ((1U << fast->group_shift) - 1));
}

/* The bits, in its word, of group j. */
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

/* Asks for the line of a hash that will be looked up soon. */
LFB_INLINE void lfb_fast_prefetch(const lfb_fast *fast, uint64_t hash)
{
  lfb_prefetch_read((const void *)lfb_fast_block(fast, hash));
}

/* Asks for the line of a hash that will be put soon and is most likely new. */
LFB_INLINE void lfb_fast_prefetch_put(const lfb_fast *fast, uint64_t hash)
{
  lfb_prefetch_write((const void *)lfb_fast_block(fast, hash));
}

/*
 * Runs `body`, a return statement in which `f` is a view whose shape the compiler
 * knows, so that loops over words and bits unroll and their shifts are constants:
 * the shapes of 1 %, 0.1 % and 0.01 % at the default preference, and any other.
 */
#define LFB_FAST_WITH_SHAPE(fast, body)            \
  lfb_fast f = *(fast);                            \
  switch (f.group_shift << 8 | f.probes) {         \
    LFB_FAST_WITH_ONE_SHAPE(2, 6, body)            \
    LFB_FAST_WITH_ONE_SHAPE(1, 8, body)            \
    LFB_FAST_WITH_ONE_SHAPE(1, 12, body)           \
  default:                                         \
    body;                                          \
  }
#define LFB_FAST_WITH_ONE_SHAPE(shift, count, body) \
  case (shift) << 8 | (count):                      \
    f.group_shift = (shift);                        \
    f.probes = (count);                             \
    body;

/* The words of one key, and the bits in them. */
typedef struct lfb_fast_key {
  lfb_word *word[LFB_BLOCK_WORDS];
  uint64_t mask[LFB_BLOCK_WORDS];
} lfb_fast_key;

/* Computes them: reads no word. */
LFB_INLINE lfb_fast_key lfb_fast_key_of(const lfb_fast *fast, uint64_t hash)
{
  lfb_word *block = lfb_fast_block(fast, hash);
  const uint32_t groups = (uint32_t)LFB_BLOCK_WORDS >> fast->group_shift;
  const uint64_t round0 = lfb_fast_round(hash, 0);
  lfb_fast_key key;

  LFB_UNROLL
  for (uint32_t j = 0; j < LFB_BLOCK_WORDS; j++) {
    const bool used = j < groups;
    key.word[j] = used ? &block[lfb_fast_word(fast, round0, j)] : block;
    key.mask[j] = used ? lfb_fast_mask(fast, hash, j) : 0;
  }
  return key;
}

/*
 * Turns on a key's bits: how many this call turned on.
 *
 * All words are read before the first is written: a locked operation holds up the
 * loads behind it, so reading in between would put their latency in the sum.
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

/* Whether all of a key's bits are on. */
LFB_INLINE bool lfb_fast_key_is_in(const lfb_fast *fast, const lfb_fast_key *key)
{
  const uint32_t groups = (uint32_t)LFB_BLOCK_WORDS >> fast->group_shift;
  uint64_t missing = 0;

  LFB_UNROLL
  for (uint32_t j = 0; j < groups; j++)
    missing |= key->mask[j] & ~lfb_word_get(key->word[j]);
  return missing == 0;
}

LFB_INLINE bool lfb_fast_might_contain_shape(const lfb_fast *fast, uint64_t hash)
{
  const lfb_fast_key key = lfb_fast_key_of(fast, hash);
  return lfb_fast_key_is_in(fast, &key);
}

LFB_INLINE uint32_t lfb_fast_turn_on_shape(const lfb_fast *fast, uint64_t hash)
{
  const lfb_fast_key key = lfb_fast_key_of(fast, hash);
  return lfb_fast_key_put(fast, &key);
}

/* Whether the key of this hash may have been put; false is certain. */
LFB_INLINE bool lfb_fast_might_contain(const lfb_fast *fast, uint64_t hash)
{
  LFB_FAST_WITH_SHAPE(fast, return lfb_fast_might_contain_shape(&f, hash))
}

/* Puts without counting: how many bits this call turned on. */
LFB_INLINE uint32_t lfb_fast_turn_on(const lfb_fast *fast, uint64_t hash)
{
  LFB_FAST_WITH_SHAPE(fast, return lfb_fast_turn_on_shape(&f, hash))
}

/* Puts the key of this hash; whether it turned on at least one bit. */
LFB_INLINE bool lfb_fast_put(const lfb_fast *fast, uint64_t hash)
{
  const uint32_t turned_on = lfb_fast_turn_on(fast, hash);

  if (turned_on != 0)
    lfb_fast_count(fast, turned_on);
  return turned_on != 0;
}

#ifdef __cplusplus
}
#endif

#endif
