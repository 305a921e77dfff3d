/*
 * aes256.h - the AES hash of one key by instructions on vectors of 32 bytes.
 *
 * lfb_aes256_bytes() and lfb_aes256_u64() are inlined into functions with at least
 * LFB_AES256_TARGET, or with LFB_AES512_TARGET, which has wider vectors for many keys.  Call them
 * only if lfb_simd_has_aes(LFB_SIMD_AVX2), or LFB_SIMD_AVX512.
 */
#ifndef LFB_BLOOM_AES256_H
#define LFB_BLOOM_AES256_H

#include "bloom/hashing/aes_vector.h"

#ifdef LFB_HASH_X86

#ifdef __cplusplus
extern "C" {
#endif

#define LFB_AES256_TARGET \
  __attribute__((target("vaes,vpclmulqdq,aes,pclmul,sse4.1,avx2,bmi,bmi2,popcnt")))
#define LFB_AES512_TARGET                                            \
  __attribute__((target(                                             \
      "vaes,vpclmulqdq,aes,pclmul,sse4.1,avx512f,avx512vl,avx512dq," \
      "avx2,bmi,bmi2,popcnt")))

/* As lfb_aes128_sum, each half of 16 bytes for products of its own. */
typedef struct lfb_aes256_sum {
  __m256i low, both, high;
} lfb_aes256_sum;

/* H of more than 128 bytes, and the first round key added. */
LFB_AES256_TARGET lfb_aes_vector lfb_aes256_long_key(const lfb_aes_secrets *secrets,
                                                     const uint8_t *bytes, size_t size);

LFB_AES256_TARGET LFB_INLINE __m256i lfb_aes256_load(const uint8_t *bytes)
{
  return _mm256_loadu_si256((const __m256i *)(const void *)bytes);
}

LFB_AES256_TARGET LFB_INLINE lfb_aes256_sum lfb_aes256_sum_zero(void)
{
  const __m256i zero = _mm256_setzero_si256();
  return (lfb_aes256_sum){zero, zero, zero};
}

LFB_AES256_TARGET LFB_INLINE __m256i lfb_aes256_halves(__m256i a)
{
  return _mm256_xor_si256(a, _mm256_shuffle_epi32(a, 0x4e));
}

LFB_AES256_TARGET LFB_INLINE lfb_aes256_sum lfb_aes256_sum_add(lfb_aes256_sum sum,
                                                               const uint8_t *group,
                                                               const uint8_t *pair)
{
  const __m256i a = _mm256_xor_si256(lfb_aes256_load(group), lfb_aes256_load(pair));
  const __m256i b = _mm256_xor_si256(lfb_aes256_load(group + 32), lfb_aes256_load(pair + 32));
  const __m256i both =
      _mm256_clmulepi64_epi128(lfb_aes256_halves(a), lfb_aes256_halves(b), 0x00);

  return (lfb_aes256_sum){_mm256_xor_si256(sum.low, _mm256_clmulepi64_epi128(a, b, 0x00)),
                          _mm256_xor_si256(sum.both, both),
                          _mm256_xor_si256(sum.high, _mm256_clmulepi64_epi128(a, b, 0x11))};
}

/* One half ^ the other. */
LFB_AES256_TARGET LFB_INLINE lfb_aes_vector lfb_aes256_fold(__m256i a)
{
  return lfb_aes_xor(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
}

LFB_AES256_TARGET LFB_INLINE lfb_aes_product lfb_aes256_sum_narrow(lfb_aes256_sum sum)
{
  const __m256i middle = _mm256_xor_si256(sum.both, _mm256_xor_si256(sum.low, sum.high));
  return (lfb_aes_product){lfb_aes256_fold(sum.low), lfb_aes256_fold(middle),
                           lfb_aes256_fold(sum.high)};
}

LFB_AES256_TARGET LFB_INLINE lfb_aes_vector
lfb_aes256_twice(const uint8_t four[4][2][LFB_AES_BLOCK], const uint8_t *bytes)
{
  __m256i a = _mm256_xor_si256(lfb_aes256_load(bytes), lfb_aes256_load(four[0][0]));

  LFB_UNROLL
  for (int r = 1; r < 4; r++)
    a = _mm256_aesenc_epi128(a, lfb_aes256_load(four[r][0]));
  return lfb_aes256_fold(_mm256_aesenc_epi128(a, _mm256_setzero_si256()));
}

#define AES_TARGET LFB_AES256_TARGET
#define AES_KEY(noun) lfb_aes256_##noun
#define AES_LONG lfb_aes256_long_key
#include "bloom/hashing/aes_key.inc.h"
#undef AES_TARGET
#undef AES_KEY
#undef AES_LONG

#ifdef __cplusplus
}
#endif

#endif

#endif
