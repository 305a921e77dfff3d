/* row_aes512.c - the row of the AES hash by instructions on vectors of 64 bytes, for many keys. */
#include "bloom/hashing/aes256.h"

#ifdef LFB_SIMD_X86
#define TARGET LFB_AES512_TARGET

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
#define AES_BYTES aes512_bytes
#define AES_BYTES_LONG aes512_bytes_long
#define AES_U64 aes512_u64
#define AES_BYTES_MANY aes512_bytes_many
#define AES_U64_MANY aes512_u64_many
#define AES_ROW lfb_hash_aes512
#include "bloom/hashing/aes_row.inc.h"
#endif
