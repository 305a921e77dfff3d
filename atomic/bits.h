/*
 * bits.h - a fixed array of bits that many threads may set at once.
 *
 * Floor 1.  May include: floor 0.
 *
 * The array looks at words that live elsewhere (private pages, a mapped file);
 * it owns nothing, so there is nothing to free.
 *
 * Ordering   Every access is relaxed: the array publishes nothing but its own
 *            bits.  A caller who needs "set before test" across threads brings
 *            that order along (thread join, queue, release store).
 * Progress   Words only gain bits.  A CAS fails only because another thread
 *            turned on a bit of the same word, so that thread made progress:
 *            at most 64 attempts where the machine has CAS, lock-free where it
 *            has LL/SC.  Reads are wait-free everywhere.
 * Stopped    A thread that is stopped for ever inside any of these functions
 *            holds nothing: others go on as if it had not begun.
 * Threads    Any function beside any other, on the same array and bit.
 *
 * Source: Guava BloomFilterStrategies.java, LockFreeBitArray.
 */
#ifndef LFB_ATOMIC_BITS_H
#define LFB_ATOMIC_BITS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "atomic/c11.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LFB_WORD_BITS = 64 };

typedef LFB_ATOMIC(uint64_t) lfb_word;

typedef struct lfb_bits {
  uint64_t word_count; /* in 64-bit words, at least 1; never changes   */
  lfb_word *words;     /* bit i is bit (i % 64) of words[i / 64]       */
} lfb_bits;

/* Bits looked at over `word_count` words that the caller keeps for as long. */
static inline lfb_bits lfb_bits_over(lfb_word *words, uint64_t word_count)
{
  assert(word_count > 0);
  lfb_bits bits;
  bits.word_count = word_count;
  bits.words = words;
  return bits;
}

/*
 * Turns on the bits of `mask` in one word; writes only if one of them is off.
 *
 * Returns the bits that this call turned from 0 to 1: of all the calls that
 * ever name one bit, exactly one has it in its answer.
 */
static inline uint64_t lfb_word_set(lfb_word *word, uint64_t mask)
{
  /* relaxed: the bits themselves are the whole message (head of this file). */
  uint64_t seen = atomic_load_explicit(word, memory_order_relaxed);

  while ((mask & ~seen) != 0) {
    if (lfb_cas_u64(word, &seen, seen | mask, memory_order_relaxed))
      return mask & ~seen;
  }
  return 0;
}

/* Sets bit `index`, below 64 * word_count; true if this call turned it on. */
static inline bool lfb_bits_set(const lfb_bits *bits, uint64_t index)
{
  assert(index / LFB_WORD_BITS < bits->word_count);
  return lfb_word_set(&bits->words[index / LFB_WORD_BITS],
                      UINT64_C(1) << (index % LFB_WORD_BITS)) != 0;
}

/* Sets the bits of `mask` in word `word`; how many of them this call turned on. */
static inline uint32_t lfb_bits_set_mask(const lfb_bits *bits, uint64_t word, uint64_t mask)
{
  assert(word < bits->word_count);
  return (uint32_t)__builtin_popcountll(lfb_word_set(&bits->words[word], mask));
}

/* The word at `word`, below word_count, as it stands. */
static inline uint64_t lfb_bits_word(const lfb_bits *bits, uint64_t word)
{
  assert(word < bits->word_count);
  /* relaxed: see the head of this file. */
  return atomic_load_explicit(&bits->words[word], memory_order_relaxed);
}

/* Whether bit `index`, below 64 * word_count, is set. */
static inline bool lfb_bits_get(const lfb_bits *bits, uint64_t index)
{
  return (lfb_bits_word(bits, index / LFB_WORD_BITS) >> (index % LFB_WORD_BITS) & 1) != 0;
}

/*
 * Turns on every bit of `into` that is on in `from`, word by word.
 *
 * Takes   two arrays of one size.
 * Returns how many bits this call turned on in `into`.
 * Order   the bits of `from` that were set before the call are carried over;
 *         of those set meanwhile, some.
 */
uint64_t lfb_bits_or_from(const lfb_bits *into, const lfb_bits *from);

/* How many bits are set; a rolling count while others set more. */
uint64_t lfb_bits_count(const lfb_bits *bits);

/* Copies `count` words from word `first` on into `words`, a rolling snapshot. */
void lfb_bits_snapshot(const lfb_bits *bits, uint64_t first, uint64_t *words, size_t count);

/* Turns on in the words from `first` on what is on in `words`; how many it turned on. */
uint64_t lfb_bits_or_words(const lfb_bits *bits, uint64_t first, const uint64_t *words,
                           size_t count);

#ifdef __cplusplus
}
#endif

#endif
