/*
 * wide.h - loads of several words at once, while other threads may write them (x86-64).
 *
 * A vector load is not atomic as a whole, but each of its aligned 64-bit lanes is.  The memory
 * system moves aligned 8 bytes in one piece, and an implementation may cut an aligned vector access
 * only into larger parts (Intel SDM volume 3, 8.1.1; AMD64 APM volume 2, 7.3.2 guarantee aligned
 * quadwords, and since AVX aligned 16 bytes).  No more is needed: words are independent, and each
 * is read once.  ThreadSanitizer cannot know this; under it each word is a relaxed load of its own,
 * so that it sees them all.
 */
#ifndef LFB_BLOOM_WIDE_H
#define LFB_BLOOM_WIDE_H

#include "bloom/hashing/simd.h"

#ifdef LFB_SIMD_X86
#include <immintrin.h>
#include <lfbloom/word.h>

#define LFB_WIDE_WORD(i) LFB_CAST(long long, lfb_word_get(words + (i)))

/* Loads two words, aligned to 16 bytes. */
LFB_INLINE __m128i lfb_wide_2(const lfb_word *words)
{
#ifdef LFB_THREAD_SANITIZER
  return _mm_set_epi64x(LFB_WIDE_WORD(1), LFB_WIDE_WORD(0));
#else
  return _mm_load_si128((const __m128i *)(const void *)words);
#endif
}

/* Loads four words, aligned to 32 bytes. */
LFB_AVX2_TARGET LFB_INLINE __m256i lfb_wide_4(const lfb_word *words)
{
#ifdef LFB_THREAD_SANITIZER
  return _mm256_set_epi64x(LFB_WIDE_WORD(3), LFB_WIDE_WORD(2), LFB_WIDE_WORD(1), LFB_WIDE_WORD(0));
#else
  return _mm256_load_si256((const __m256i *)(const void *)words);
#endif
}

/* Loads a cache line. */
LFB_AVX512_TARGET LFB_INLINE __m512i lfb_wide_8(const lfb_word *words)
{
#ifdef LFB_THREAD_SANITIZER
  return _mm512_set_epi64(LFB_WIDE_WORD(7), LFB_WIDE_WORD(6), LFB_WIDE_WORD(5), LFB_WIDE_WORD(4),
                          LFB_WIDE_WORD(3), LFB_WIDE_WORD(2), LFB_WIDE_WORD(1), LFB_WIDE_WORD(0));
#else
  return _mm512_load_si512((const void *)words);
#endif
}

#undef LFB_WIDE_WORD
#endif
#endif
