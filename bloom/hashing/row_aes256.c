/* row_aes256.c - the row of the AES hash by instructions on vectors of 32 bytes. */
#include "bloom/hashing/aes256.h"

#ifdef LFB_SIMD_X86
#define TARGET LFB_AES256_TARGET

TARGET lfb_aes_vector lfb_aes256_long_key(const lfb_aes_secrets *secrets, const uint8_t *bytes,
                                          size_t size)
{
  lfb_aes_product sum = lfb_aes_product_zero();

  return lfb_aes256_long(secrets, &sum, 0, bytes, size);
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

#define AES_TARGET TARGET
#define AES_KEY(noun) lfb_aes256_##noun
#define AES_(noun) aes256_##noun
#define AES_VECTOR __m256i
#define AES_SAME(block) _mm256_broadcastsi128_si256(lfb_aes_secret(block))
#define AES_NUMBERS(numbers) aes256_numbers(numbers)
#define AES_ROUND(a, key) _mm256_aesenc_epi128(a, key)
#define AES_LAST(a, key) _mm256_aesenclast_epi128(a, key)
#define AES_STORE_LOW(to, a, b) aes256_store_low(to, a, b)
#define AES_BYTES aes256_bytes
#define AES_BYTES_LONG aes256_bytes_long
#define AES_U64 aes256_u64
#define AES_BYTES_MANY aes256_bytes_many
#define AES_U64_MANY aes256_u64_many
#define AES_ROW lfb_hash_aes256
#include "bloom/hashing/aes_row.inc.h"
#endif
