/*
 * lfbloom/word.h - 64 bits that many threads may set at once: the heart of it all.
 *
 * Guarantees 1, 2, 5 of docs/guarantees.md.
 *
 * Ordering   Every access is relaxed: a word publishes nothing but its own bits.
 *            A caller who needs "set before test" across threads brings that
 *            order along (thread join, queue, release store).
 * Progress   Words only gain bits.  A CAS fails only because another thread
 *            turned on a bit of the same word, so that thread made progress:
 *            at most 64 attempts where the machine has CAS, lock-free where it
 *            has LL/SC.  A read is wait-free everywhere.
 * Stopped    A thread that is stopped for ever inside holds nothing: others go
 *            on as if it had not begun.
 *
 * Source: Guava BloomFilterStrategies.java, LockFreeBitArray.
 */
#ifndef LFBLOOM_WORD_H
#define LFBLOOM_WORD_H

#include <lfbloom/c11.h>
#include <lfbloom/cpu.h>

/* Bits of a word. */
enum { LFB_WORD_BITS = 64 };

/* 64 bits, read and written as one. */
typedef LFB_ATOMIC(uint64_t) lfb_word;

/* The word as it stands. */
LFB_INLINE uint64_t lfb_word_get(const lfb_word *word)
{
  /* relaxed: the bits themselves are the whole message (head of this file). */
  return LFB_STD atomic_load_explicit(word, LFB_STD memory_order_relaxed);
}

/*
 * Turns on the bits of `mask` in a word that was just read as `seen`; writes only
 * if one of them is off.
 *
 * Returns the bits that this call turned from 0 to 1: of all the calls that
 * ever name one bit, exactly one has it in its answer.
 */
LFB_INLINE uint64_t lfb_word_set_seen(lfb_word *word, uint64_t seen, uint64_t mask)
{
  while ((mask & ~seen) != 0) {
    /* relaxed: as above. */
    if (lfb_cas_u64(word, &seen, seen | mask, LFB_STD memory_order_relaxed))
      return mask & ~seen;
  }
  return 0;
}

/* The same for a word that has not been read yet. */
LFB_INLINE uint64_t lfb_word_set(lfb_word *word, uint64_t mask)
{
  return lfb_word_set_seen(word, lfb_word_get(word), mask);
}

/*
 * A word that no other thread touches now: plain loads and stores, no locked operation.
 * Whoever calls these sees to that by what orders memory; under ThreadSanitizer the
 * accesses are not atomic, so that it finds where that was forgotten.
 */
LFB_INLINE uint64_t lfb_word_get_alone(const lfb_word *word)
{
#ifdef LFB_THREAD_SANITIZER
  return *(const uint64_t *)(const void *)word;
#else
  return lfb_word_get(word);
#endif
}

/* Stores all 64 bits. */
LFB_INLINE void lfb_word_store_alone(lfb_word *word, uint64_t bits)
{
#ifdef LFB_THREAD_SANITIZER
  *(uint64_t *)(void *)word = bits;
#else
  /* relaxed: a plain store; nobody looks. */
  LFB_STD atomic_store_explicit(word, bits, LFB_STD memory_order_relaxed);
#endif
}

/* The number of bits set: one instruction where the compiler may use it, and no
 * branch or call elsewhere. */
LFB_INLINE uint32_t lfb_word_count(uint64_t bits)
{
  bits -= bits >> 1 & UINT64_C(0x5555555555555555);
  bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
  bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
  return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

#endif
