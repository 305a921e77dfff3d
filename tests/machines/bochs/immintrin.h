/*
 * immintrin.h - the compiler's header, but for two instructions that Bochs 2.7 executes wrongly:
 * they are made of others that it executes rightly.  Programs for Bochs include it instead
 * (machines.bzl).
 *
 *   vpshufbitqmb  is wrong for most operands.
 *   psrlq         of 16 bytes by 64 bits shifts by none; it must give 0.
 *
 * So no test in Bochs runs these two themselves; processor_test.cc compares what stands for them
 * with their definitions.
 *
 * vpmultishiftqb is wrong with a mask that leaves out bytes.  The library has no such mask.
 */
#ifndef LFB_TESTS_MACHINES_BOCHS_H
#define LFB_TESTS_MACHINES_BOCHS_H
#pragma GCC system_header

#include_next <immintrin.h>
#include <stdint.h>

/* With all lanes as a mask, because of gcc bug 105593 (bloom/strategies/fast/fast_avx512.h). */
#define BOCHS_INLINE(features) __attribute__((target(features), always_inline)) static inline

BOCHS_INLINE("avx512f,avx512bw,avx512vbmi")
__mmask64 bochs_bitshuffle(__m512i words, __m512i places)
{
  return _mm512_test_epi8_mask(_mm512_maskz_multishift_epi64_epi8(~UINT64_C(0), places, words),
                               _mm512_set1_epi8(1));
}

BOCHS_INLINE("avx512f,avx512vl,avx512bw,avx512vbmi")
__mmask16 bochs_bitshuffle_two(__m128i words, __m128i places)
{
  return _mm_test_epi8_mask(_mm_maskz_multishift_epi64_epi8(0xffff, places, words),
                            _mm_set1_epi8(1));
}

BOCHS_INLINE("sse2")
__m128i bochs_shift_right(__m128i words, __m128i bits)
{
  const __m128i half = _mm_srli_epi64(bits, 1);
  return _mm_srl_epi64(_mm_srl_epi64(words, half), _mm_sub_epi64(bits, half));
}

#undef BOCHS_INLINE
#define _mm512_bitshuffle_epi64_mask bochs_bitshuffle
#define _mm_bitshuffle_epi64_mask bochs_bitshuffle_two
#define _mm_srl_epi64 bochs_shift_right

#endif
