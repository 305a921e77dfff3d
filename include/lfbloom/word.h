/*
 * lfbloom/word.h - a word of 64 bits that many threads may set at once: the base of all filters.
 *
 * Ordering   Every access of bits is relaxed: a word publishes nothing but its own bits.  A caller
 *            that needs "set before test" across threads must provide that order (thread join,
 *            queue, release store).
 * Progress   Words only gain bits.  A CAS fails only because another thread turned on a bit of the
 *            same word: at most 64 attempts if the processor has CAS, lock-free if it has LL/SC.
 *            A read is wait-free everywhere.
 * Stopped    A thread that stops inside, and never runs again, holds nothing: other threads
 *            continue as if it had not begun.
 *
 * Which calls may run at once on one word: any, except that lfb_word_store_alone() needs the word
 * to itself.
 *
 * Source: Guava BloomFilterStrategies.java, LockFreeBitArray.
 */
#ifndef LFBLOOM_WORD_H
#define LFBLOOM_WORD_H

#include <lfbloom/c11.h>
#include <lfbloom/cpu.h>

/* Bits of a word. */
enum { LFB_WORD_BITS = 64 };

/* 64 bits that are read and written together. */
typedef LFB_ATOMIC(uint64_t) lfb_word;

/* Returns the word's bits. */
LFB_INLINE uint64_t lfb_word_get(const lfb_word *word)
{
  /* relaxed: the bits themselves are the whole message (head of this file). */
  return LFB_STD atomic_load_explicit(word, LFB_STD memory_order_relaxed);
}

/* Returns the word's bits, in one order with other such reads and with seq_cst exchanges. */
LFB_INLINE uint64_t lfb_word_get_ordered(const lfb_word *word)
{
  return LFB_STD atomic_load_explicit(word, LFB_STD memory_order_seq_cst);
}

/*
 * Turns on the bits of `mask` in a word that was just read as `seen`.  Writes only if one of them
 * is off.
 *
 * Returns the bits that this call turned from 0 to 1.  Of all calls that ever name one bit, exactly
 *         one returns it.
 */
LFB_INLINE uint64_t lfb_word_set_seen_by(lfb_word *word, uint64_t seen, uint64_t mask,
                                         LFB_STD memory_order order)
{
  while ((mask & ~seen) != 0)
    if (lfb_cas_u64(word, &seen, seen | mask, order))
      return mask & ~seen;
  return 0;
}

/* Turns on the bits of `mask`, as lfb_word_set_seen_by(), in relaxed order. */
LFB_INLINE uint64_t lfb_word_set_seen(lfb_word *word, uint64_t seen, uint64_t mask)
{
  return lfb_word_set_seen_by(word, seen, mask, LFB_STD memory_order_relaxed); /* as above */
}

/* Turns on the bits of `mask`, as above, in a word that has not been read yet. */
LFB_INLINE uint64_t lfb_word_set(lfb_word *word, uint64_t mask)
{
  return lfb_word_set_seen(word, lfb_word_get(word), mask);
}

/*
 * Stores all 64 bits of a word that no other thread uses now.  The caller must ensure that by
 * something that orders memory.  Under ThreadSanitizer the store is not atomic, so that it reports
 * a caller that did not.
 */
LFB_INLINE void lfb_word_store_alone(lfb_word *word, uint64_t bits)
{
#ifdef LFB_THREAD_SANITIZER
  *LFB_CAST(uint64_t *, LFB_CAST(void *, word)) = bits;
#else
  /* relaxed: no other thread reads it now. */
  LFB_STD atomic_store_explicit(word, bits, LFB_STD memory_order_relaxed);
#endif
}

/* Returns the number of bits set.  It compiles to one instruction if the compiler may use it, and
 * elsewhere has no branch and no call. */
LFB_INLINE uint32_t lfb_word_count(uint64_t bits)
{
  bits -= bits >> 1 & UINT64_C(0x5555555555555555);
  bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
  bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
  return LFB_CAST(uint32_t, bits * UINT64_C(0x0101010101010101) >> 56);
}

#endif
