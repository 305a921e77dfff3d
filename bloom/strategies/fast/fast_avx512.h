/*
 * fast_avx512.h - AVX-512 for `fast` and for windows: whether the bits of words are on.
 *
 * A vector has eight words.  In those of a key the bits are found by one instruction for each
 * product, of all probes at once, and asked for by one more.  Functions take P and g, `pairs` and
 * `bits`, which are constants.
 */
#ifndef LFB_BLOOM_FAST_AVX512_H
#define LFB_BLOOM_FAST_AVX512_H

#include "bloom/strategies/fast/fast_key.h"
#include "bloom/strategies/wide.h"

#ifdef LFB_SIMD_X86

#define T LFB_AVX512_TARGET LFB_INLINE

/* A vector of what a macro gives for lanes 0 to 7: a constant. */
#define LANES(x) _mm512_set_epi64(x(7), x(6), x(5), x(4), x(3), x(2), x(1), x(0))

/* Lane l has word l mod 2 P of a key, and up to eight probes of it, one a byte; of fewer, the first
 * one again. */
#define LANE_PROBE(l, b) ((uint32_t)(l) % (2 * pairs) + 2 * pairs * ((b) < bits ? (b) : 0))
#define OF_ROUND(l, b) (LANE_PROBE(l, b) / LFB_FAST_ROUND == i)

/* What vpmultishiftqb is to do in a lane for the probes of round i, and the bytes that have one. */
#define CONTROL(l, b) \
  ((OF_ROUND(l, b) ? (uint64_t)lfb_fast_shift(LANE_PROBE(l, b)) : 0) << 8 * (b))
#define LANE_CONTROL(l)                                                                  \
  ((long long)(CONTROL(l, 0) | CONTROL(l, 1) | CONTROL(l, 2) | CONTROL(l, 3) |           \
               CONTROL(l, 4) | CONTROL(l, 5) | CONTROL(l, 6) | CONTROL(l, 7)))
#define BYTE(l, b) ((uint64_t)OF_ROUND(l, b) << (8 * (l) + (b)))
#define BYTES(l)                                                                           \
  (BYTE(l, 0) | BYTE(l, 1) | BYTE(l, 2) | BYTE(l, 3) | BYTE(l, 4) | BYTE(l, 5) | BYTE(l, 6) | \
   BYTE(l, 7))

#define LANE_KEY(l) (first + (l) / (2 * pairs))
#define LANE_ON(l) ((long long)on[l])

/* The products of up to eight keys, and how many a shape needs. */
typedef struct avx512_rounds {
  __m512i of[LFB_FAST_PRODUCTS];
} avx512_rounds;
#define ROUNDS(pairs, bits) ((2 * (pairs) * (bits) + LFB_FAST_ROUND - 1) / LFB_FAST_ROUND)

/* Tests run this code without such a processor: tests/strategies/emulated.c has the intrinsics, but
 * no assembly. */
#ifdef LFB_EMULATED
#define KMOVB(number, mask) ((number) = (mask))
#define KORTEST_ADC(number, mask) ((number) = 2 * (number) + ((mask) == UINT64_MAX))
#else
#define KMOVB(number, mask) __asm__("kmovb %1, %0" : "=r"(number) : "k"(mask))
#define KORTEST_ADC(number, mask) /* the carry: all are on */ \
  __asm__("kortestq %1, %1\n\tadcl %0, %0" : "+r"(number) : "k"((__mmask64)(mask)) : "cc")
#endif

/* A mask as a number.  Not by a conversion: gcc 12 spills that as one byte and reloads four. */
T uint32_t avx512_number(__mmask8 mask)
{
  uint32_t number;

  KMOVB(number, mask);
  return number;
}

/* Whether the bits of words are on, in eight answers for each. */
T uint64_t avx512_test(__m512i words, const avx512_rounds *rounds, uint32_t pairs, uint32_t bits)
{
  __m512i number = _mm512_setzero_si512();

  LFB_UNROLL
  for (uint32_t i = 0; i < ROUNDS(pairs, bits); i++)
    number = i == 0 ? _mm512_multishift_epi64_epi8(LANES(LANE_CONTROL), rounds->of[0])
                    : _mm512_mask_multishift_epi64_epi8(
                          number,
                          BYTES(0) | BYTES(1) | BYTES(2) | BYTES(3) | BYTES(4) | BYTES(5) |
                              BYTES(6) | BYTES(7),
                          LANES(LANE_CONTROL), rounds->of[i]);
  return _mm512_bitshuffle_epi64_mask(words, number);
}

/* The products of one key, in all lanes. */
T avx512_rounds avx512_rounds_of(uint64_t hash, uint32_t pairs, uint32_t bits)
{
  avx512_rounds rounds;

  LFB_UNROLL
  for (uint32_t i = 0; i < ROUNDS(pairs, bits); i++)
    rounds.of[i] = _mm512_set1_epi64((long long)lfb_fast_round(hash, i));
  return rounds;
}

T avx512_rounds avx512_products(const uint64_t *hashes, uint32_t pairs, uint32_t bits)
{
  avx512_rounds products;

  LFB_UNROLL
  for (uint32_t i = 0; i < ROUNDS(pairs, bits); i++)
    products.of[i] = _mm512_mullo_epi64(_mm512_loadu_si512(hashes),
                                        _mm512_set1_epi64((long long)lfb_fast_round(1, i)));
  return products;
}

/* Those of 4 / P keys from `first` on, each in 2 P lanes. */
T avx512_rounds avx512_spread(const avx512_rounds *products, uint32_t first, uint32_t pairs,
                              uint32_t bits)
{
  avx512_rounds rounds;

  LFB_UNROLL
  for (uint32_t i = 0; i < ROUNDS(pairs, bits); i++)
    rounds.of[i] = _mm512_permutexvar_epi64(LANES(LANE_KEY), products->of[i]);
  return rounds;
}

/* The answers of avx512_test() as one for each key, in bits.  They are not stored and loaded again
 * as a vector: such a load waits for the stores. */
T uint32_t avx512_answers(const uint64_t *on, uint32_t pairs)
{
  if (pairs == 1)
    return avx512_number(
        _mm_cmpeq_epi16_mask(_mm_set_epi64x(LANE_ON(1), LANE_ON(0)), _mm_set1_epi16(-1)));
  if (pairs == 2)
    return avx512_number(_mm256_cmpeq_epi32_mask(
        _mm256_set_epi64x(LANE_ON(3), LANE_ON(2), LANE_ON(1), LANE_ON(0)), _mm256_set1_epi32(-1)));
  uint32_t eight = 0;
  LFB_UNROLL
  for (uint32_t k = 8; k-- > 0;)
    KORTEST_ADC(eight, on[k]);
  return eight;
}

#undef T
#endif
#endif
