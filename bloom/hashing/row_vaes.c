/*
 * row_vaes.c - the rows of the AES hash by instructions on vectors of 32 bytes, and of 64 bytes for
 * many keys.
 */
#include "bloom/hashing/aes_vector.h"

#ifdef LFB_SIMD_X86

/* ---- vectors of 32 bytes ------------------------------------------------- */

#define TARGET __attribute__((target("vaes,vpclmulqdq,aes,pclmul,sse4.1,avx2,bmi,bmi2,popcnt")))

TARGET LFB_INLINE __m256i aes256_load(const uint8_t *bytes)
{
  return _mm256_loadu_si256((const __m256i *)(const void *)bytes);
}

/* One half ^ the other. */
TARGET LFB_INLINE lfb_aes_vector aes256_fold(__m256i a)
{
  return lfb_aes_xor(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
}

TARGET LFB_INLINE __m256i aes256_numbers(const uint64_t *numbers)
{
  const __m256i both = _mm256_castsi128_si256(lfb_aes_load(numbers));
  return _mm256_unpacklo_epi64(_mm256_permute4x64_epi64(both, 0x10), _mm256_setzero_si256());
}

TARGET LFB_INLINE void aes256_store_low(uint64_t *to, __m256i a, __m256i b)
{
  const __m256i lows = _mm256_permute4x64_epi64(_mm256_unpacklo_epi64(a, b), 0xd8);
  _mm256_storeu_si256((__m256i *)(void *)to, lows);
}

/* H of more than 128 bytes, and the first round key added. */
TARGET static lfb_aes_vector aes256_long_key(const lfb_aes_secrets *secrets, const uint8_t *bytes,
                                             size_t size);

#define AES_TARGET TARGET
#define AES_KEY(noun) lfb_aes256_##noun
#define AES_(noun) aes256_##noun
#define AES_LONG aes256_long_key
#define AES_VECTOR __m256i
#define AES_LOAD(bytes) aes256_load(bytes)
#define AES_SECRET(bytes) aes256_load(bytes)
#define AES_SAME(block) _mm256_broadcastsi128_si256(lfb_aes_secret(block))
#define AES_NUMBERS(numbers) aes256_numbers(numbers)
#define AES_ROUND(a, key) _mm256_aesenc_epi128(a, key)
#define AES_LAST(a, key) _mm256_aesenclast_epi128(a, key)
#define AES_LOW_PRODUCTS(a, b) _mm256_clmulepi64_epi128(a, b, 0x00)
#define AES_HIGH_PRODUCTS(a, b) _mm256_clmulepi64_epi128(a, b, 0x11)
#define AES_SWAP(a) _mm256_shuffle_epi32(a, 0x4e)
#define AES_FOLD(a) aes256_fold(a)
#define AES_STORE_LOW(to, a, b) aes256_store_low(to, a, b)
#define AES_BYTES aes256_bytes
#define AES_BYTES_LONG aes256_bytes_long
#define AES_U64 aes256_u64
#define AES_BYTES_MANY aes256_bytes_many
#define AES_U64_MANY aes256_u64_many
#define AES_ROW lfb_hash_aes256
#include "bloom/hashing/aes.inc.h"

TARGET static lfb_aes_vector aes256_long_key(const lfb_aes_secrets *secrets, const uint8_t *bytes,
                                             size_t size)
{
  lfb_aes_product sum = lfb_aes_product_zero();

  return lfb_aes256_long(secrets, &sum, 0, bytes, size);
}

/* ---- vectors of 64 bytes; one key as above ------------------------------- */

#undef TARGET
#define TARGET                                                       \
  __attribute__((target(                                             \
      "vaes,vpclmulqdq,aes,pclmul,sse4.1,avx512f,avx512vl,avx512dq," \
      "avx2,bmi,bmi2,popcnt")))

TARGET LFB_INLINE __m512i aes512_numbers(const uint64_t *numbers)
{
  const __m512i indexes = _mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0);
  const __m256i four = _mm256_loadu_si256((const __m256i *)(const void *)numbers);
  return _mm512_maskz_permutexvar_epi64(0x55, indexes, _mm512_castsi256_si512(four));
}

TARGET LFB_INLINE void aes512_store_low(uint64_t *to, __m512i a, __m512i b)
{
  const __m512i evens = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
  _mm512_storeu_si512(to, _mm512_permutex2var_epi64(a, evens, b));
}

#define AES_TARGET TARGET
#define AES_KEY(noun) lfb_aes256_##noun
#define AES_(noun) aes512_##noun
#define AES_VECTOR __m512i
#define AES_SAME(block) _mm512_broadcast_i32x4(lfb_aes_secret(block))
#define AES_NUMBERS(numbers) aes512_numbers(numbers)
#define AES_ROUND(a, key) _mm512_aesenc_epi128(a, key)
#define AES_LAST(a, key) _mm512_aesenclast_epi128(a, key)
#define AES_STORE_LOW(to, a, b) aes512_store_low(to, a, b)
#define AES_BYTES aes256_bytes
#define AES_U64 aes256_u64
#define AES_BYTES_MANY aes512_bytes_many
#define AES_U64_MANY aes512_u64_many
#define AES_ROW lfb_hash_aes512
#include "bloom/hashing/aes.inc.h"
#endif
