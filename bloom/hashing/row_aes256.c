/* row_aes256.c - the row of the AES hash by instructions on vectors of 32 bytes. */
#include "bloom/hashing/aes256.h"

#ifdef LFB_HASH_X86
#define TARGET LFB_AES256_TARGET

TARGET lfb_aes_vector lfb_aes256_long_key(const lfb_aes_secrets *secrets, const uint8_t *bytes,
                                          size_t size)
{
  return lfb_aes256_long(secrets, bytes, size);
}

typedef __m256i aes256_vector;

TARGET LFB_INLINE aes256_vector aes256_load(const uint8_t *blocks)
{
  return lfb_aes256_load(blocks);
}

TARGET LFB_INLINE aes256_vector aes256_numbers(const uint64_t *numbers)
{
  const __m256i both = _mm256_castsi128_si256(lfb_aes_load(numbers));
  return _mm256_unpacklo_epi64(_mm256_permute4x64_epi64(both, 0x10), _mm256_setzero_si256());
}

TARGET LFB_INLINE aes256_vector aes256_same(const uint8_t block[LFB_AES_BLOCK])
{
  return _mm256_broadcastsi128_si256(lfb_aes_secret(block));
}

TARGET LFB_INLINE aes256_vector aes256_xor(aes256_vector a, aes256_vector b)
{
  return _mm256_xor_si256(a, b);
}

TARGET LFB_INLINE aes256_vector aes256_round(aes256_vector a, aes256_vector key)
{
  return _mm256_aesenc_epi128(a, key);
}

TARGET LFB_INLINE aes256_vector aes256_last(aes256_vector a, aes256_vector key)
{
  return _mm256_aesenclast_epi128(a, key);
}

TARGET LFB_INLINE void aes256_store_low(uint64_t *to, aes256_vector a, aes256_vector b)
{
  const __m256i lows = _mm256_permute4x64_epi64(_mm256_unpacklo_epi64(a, b), 0xd8);
  _mm256_storeu_si256((__m256i *)(void *)to, lows);
}

#define AES_TARGET TARGET
#define AES_KEY(noun) lfb_aes256_##noun
#define AES_(noun) aes256_##noun
#define AES_LANES 2
#define AES_BYTES aes256_bytes
#define AES_BYTES_LONG aes256_bytes_long
#define AES_U64 aes256_u64
#define AES_BYTES_MANY aes256_bytes_many
#define AES_U64_MANY aes256_u64_many
#define AES_ABSORB aes256_absorb
#define AES_FINISH aes256_finish
#define AES_ROW lfb_hash_aes256
#include "bloom/hashing/aes_row.inc.h"
#endif
