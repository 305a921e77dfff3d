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

#ifdef LFB_SIMD_X86

LFB_EXTERN_C_BEGIN

#define LFB_AES256_TARGET \
  __attribute__((target("vaes,vpclmulqdq,aes,pclmul,sse4.1,avx2,bmi,bmi2,popcnt")))
#define LFB_AES512_TARGET                                            \
  __attribute__((target(                                             \
      "vaes,vpclmulqdq,aes,pclmul,sse4.1,avx512f,avx512vl,avx512dq," \
      "avx2,bmi,bmi2,popcnt")))

/* H of more than 128 bytes, and the first round key added. */
LFB_AES256_TARGET lfb_aes_vector lfb_aes256_long_key(const lfb_aes_secrets *secrets,
                                                     const uint8_t *bytes, size_t size);

LFB_AES256_TARGET LFB_INLINE __m256i lfb_aes256_load(const uint8_t *bytes)
{
  return _mm256_loadu_si256((const __m256i *)(const void *)bytes);
}

/* One half ^ the other. */
LFB_AES256_TARGET LFB_INLINE lfb_aes_vector lfb_aes256_fold(__m256i a)
{
  return lfb_aes_xor(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
}

#define AES_TARGET LFB_AES256_TARGET
#define AES_KEY(noun) lfb_aes256_##noun
#define AES_LONG lfb_aes256_long_key
#define AES_VECTOR __m256i
#define AES_LOAD(bytes) lfb_aes256_load(bytes)
#define AES_SECRET(bytes) lfb_aes256_load(bytes)
#define AES_ROUND(a, key) _mm256_aesenc_epi128(a, key)
#define AES_LOW_PRODUCTS(a, b) _mm256_clmulepi64_epi128(a, b, 0x00)
#define AES_HIGH_PRODUCTS(a, b) _mm256_clmulepi64_epi128(a, b, 0x11)
#define AES_SWAP(a) _mm256_shuffle_epi32(a, 0x4e)
#define AES_FOLD(a) lfb_aes256_fold(a)
#include "bloom/hashing/aes_key.inc.h"

LFB_EXTERN_C_END

#endif

#endif
