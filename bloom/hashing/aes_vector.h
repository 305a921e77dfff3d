/*
 * aes_vector.h - AES and products in GF(2^128) by a processor's instructions on vectors of 16
 * bytes: x86-64 with AES and PCLMULQDQ, aarch64 with AES and PMULL.
 *
 * LFB_AES_COMPILED (simd.h) is defined where the compiler knows the instructions.  Call the
 * functions only if lfb_simd_has_aes(LFB_SIMD_AES), from functions with at least LFB_AES_TARGET,
 * into which they are inlined.
 */
#ifndef LFB_BLOOM_AES_VECTOR_H
#define LFB_BLOOM_AES_VECTOR_H

#include "bloom/hashing/hash_function.h"

#ifdef LFB_AES_COMPILED

#ifdef LFB_SIMD_X86
#include <immintrin.h>

#define LFB_AES_TARGET __attribute__((target("aes,pclmul,sse4.1")))

typedef __m128i lfb_aes_vector;

#else
#include <arm_neon.h>

#ifdef __ARM_FEATURE_AES /* the whole file is compiled for it */
#define LFB_AES_TARGET
#else
#define LFB_AES_TARGET __attribute__((target("+crypto")))
#endif

typedef uint8x16_t lfb_aes_vector;
#endif

/* ---- Blocks ---------------------------------------------------------------------- */

typedef lfb_aes_vector lfb_aes_unaligned __attribute__((aligned(1), may_alias));
typedef uint64_t lfb_aes_pair __attribute__((vector_size(LFB_AES_BLOCK)));

LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_load(const void *bytes)
{
  return *(const lfb_aes_unaligned *)bytes;
}

/* Of secrets, which are aligned. */
LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_secret(const uint8_t block[LFB_AES_BLOCK])
{
  return *(const lfb_aes_vector *)(const void *)block;
}

LFB_AES_TARGET LFB_INLINE void lfb_aes_store(void *bytes, lfb_aes_vector a)
{
  *(lfb_aes_unaligned *)bytes = a;
}

LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_make(uint64_t low, uint64_t high)
{
  return (lfb_aes_vector)(lfb_aes_pair){low, high};
}

/* As a ^ b, but gcc does not change the order of sums: fewer moves between registers. */
LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_xor(lfb_aes_vector a, lfb_aes_vector b)
{
  return (lfb_aes_vector)((lfb_aes_pair)a ^ (lfb_aes_pair)b);
}

LFB_AES_TARGET LFB_INLINE uint64_t lfb_aes_low(lfb_aes_vector a)
{
  return ((lfb_aes_pair)a)[0];
}

/* ---- What each processor has ----------------------------------------------------- */

#ifdef LFB_SIMD_X86
/* The low half shifted right by 8 to 64 bits. */
LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_low_shifted(lfb_aes_vector a, size_t bits)
{
  return _mm_srl_epi64(a, _mm_cvtsi32_si128((int)bits));
}

/* The two low halves. */
LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_lows(lfb_aes_vector a, lfb_aes_vector b)
{
  return _mm_unpacklo_epi64(a, b);
}

/* The bytes of `a` with these indexes; 0 for index 128. */
LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_pick(lfb_aes_vector a, lfb_aes_vector indexes)
{
  return _mm_shuffle_epi8(a, indexes);
}

/* A round of AES, with the round key added after it; and the last. */
LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_round(lfb_aes_vector a, lfb_aes_vector key)
{
  return _mm_aesenc_si128(a, key);
}

LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_last(lfb_aes_vector a, lfb_aes_vector key)
{
  return _mm_aesenclast_si128(a, key);
}

/* Carry-less products of low halves, of high halves; the halves exchanged; one half moved to the
 * other, and 0 left. */
LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_low_product(lfb_aes_vector a, lfb_aes_vector b)
{
  return _mm_clmulepi64_si128(a, b, 0x00);
}

LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_high_product(lfb_aes_vector a, lfb_aes_vector b)
{
  return _mm_clmulepi64_si128(a, b, 0x11);
}

LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_cross_products(lfb_aes_vector a,
                                                                lfb_aes_vector b)
{
  return _mm_clmulepi64_si128(a, b, 0x01) ^ _mm_clmulepi64_si128(a, b, 0x10);
}

LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_swap(lfb_aes_vector a)
{
  return _mm_shuffle_epi32(a, 0x4e);
}

LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_up(lfb_aes_vector a)
{
  return _mm_slli_si128(a, 8);
}

LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_down(lfb_aes_vector a)
{
  return _mm_srli_si128(a, 8);
}

#else
LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_low_shifted(lfb_aes_vector a, size_t bits)
{
  return (lfb_aes_vector)vshlq_u64((uint64x2_t)a, vdupq_n_s64(-(int64_t)bits));
}

LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_lows(lfb_aes_vector a, lfb_aes_vector b)
{
  return (lfb_aes_vector)vzip1q_u64((uint64x2_t)a, (uint64x2_t)b);
}

LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_pick(lfb_aes_vector a, lfb_aes_vector indexes)
{
  return vqtbl1q_u8(a, indexes);
}

/* The instruction adds a round key before the round: the compiler joins this addition of 0 with the
 * addition at the end of the round before. */
LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_round(lfb_aes_vector a, lfb_aes_vector key)
{
  return vaesmcq_u8(vaeseq_u8(a, vdupq_n_u8(0))) ^ key;
}

LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_last(lfb_aes_vector a, lfb_aes_vector key)
{
  return vaeseq_u8(a, vdupq_n_u8(0)) ^ key;
}

LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_low_product(lfb_aes_vector a, lfb_aes_vector b)
{
  return vreinterpretq_u8_p128(vmull_p64((poly64_t)lfb_aes_low(a), (poly64_t)lfb_aes_low(b)));
}

LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_high_product(lfb_aes_vector a, lfb_aes_vector b)
{
  return vreinterpretq_u8_p128(
      vmull_high_p64(vreinterpretq_p64_u8(a), vreinterpretq_p64_u8(b)));
}

LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_swap(lfb_aes_vector a)
{
  return vextq_u8(a, a, 8);
}

LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_cross_products(lfb_aes_vector a,
                                                                lfb_aes_vector b)
{
  const lfb_aes_vector swapped = lfb_aes_swap(b);
  return lfb_aes_low_product(a, swapped) ^ lfb_aes_high_product(a, swapped);
}

LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_up(lfb_aes_vector a)
{
  return vextq_u8(vdupq_n_u8(0), a, 8);
}

LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_down(lfb_aes_vector a)
{
  return vextq_u8(a, vdupq_n_u8(0), 8);
}
#endif

/* ---- AES ------------------------------------------------------------------------- */

/* Encrypts a block to which the first round key has been added. */
LFB_AES_TARGET LFB_INLINE lfb_aes_vector
lfb_aes_rounds(const uint8_t round[LFB_AES_ROUNDS + 1][LFB_AES_BLOCK], lfb_aes_vector a)
{
  LFB_UNROLL
  for (int r = 1; r < LFB_AES_ROUNDS; r++)
    a = lfb_aes_round(a, lfb_aes_secret(round[r]));
  return lfb_aes_last(a, lfb_aes_secret(round[LFB_AES_ROUNDS]));
}

/* R(2i) of a block; `four` is secrets->four[i]. */
LFB_AES_TARGET LFB_INLINE lfb_aes_vector
lfb_aes_four(const uint8_t four[4][2][LFB_AES_BLOCK], lfb_aes_vector a)
{
  a ^= lfb_aes_secret(four[0][0]);
  LFB_UNROLL
  for (int r = 1; r < 4; r++)
    a = lfb_aes_round(a, lfb_aes_secret(four[r][0]));
  return lfb_aes_round(a, lfb_aes_make(0, 0));
}

/* ---- The field ------------------------------------------------------------------- */

/* A sum of products, before the remainder is taken: low + middle * x^64 + high * x^128. */
typedef struct lfb_aes_product {
  lfb_aes_vector low, middle, high;
} lfb_aes_product;

LFB_AES_TARGET LFB_INLINE lfb_aes_product lfb_aes_product_zero(void)
{
  const lfb_aes_vector zero = lfb_aes_make(0, 0);
  return (lfb_aes_product){zero, zero, zero};
}

LFB_AES_TARGET LFB_INLINE lfb_aes_product lfb_aes_multiply(lfb_aes_vector a, lfb_aes_vector b)
{
  return (lfb_aes_product){lfb_aes_low_product(a, b), lfb_aes_cross_products(a, b),
                           lfb_aes_high_product(a, b)};
}

/* The remainder of a sum, times x^-128: twice, the lowest 64 bits go by adding them times the
 * polynomial. */
LFB_AES_TARGET LFB_INLINE lfb_aes_vector lfb_aes_reduce(lfb_aes_product sum)
{
  const lfb_aes_vector poly = lfb_aes_make(UINT64_C(0xc200000000000000), 0);
  const lfb_aes_vector low = sum.low ^ lfb_aes_up(sum.middle);
  const lfb_aes_vector high = sum.high ^ lfb_aes_down(sum.middle);
  const lfb_aes_vector once = lfb_aes_swap(low) ^ lfb_aes_low_product(low, poly);
  return lfb_aes_swap(once) ^ high ^ lfb_aes_low_product(once, poly);
}

#endif

#endif
