/*
 * row_aes128.c - the row of the AES hash by instructions on vectors of 16 bytes: x86-64 with AES
 * and PCLMULQDQ, aarch64 with AES and PMULL.
 */
#include "bloom/hashing/aes128.h"

#ifdef LFB_AES_HERE
#define TARGET LFB_AES_TARGET

TARGET lfb_aes_vector lfb_aes128_long_key(const lfb_aes_secrets *secrets, const uint8_t *bytes,
                                          size_t size)
{
  return lfb_aes128_long(secrets, bytes, size);
}

TARGET void lfb_aes128_encrypt(const uint8_t (*round)[LFB_AES_BLOCK], int rounds,
                               uint8_t *blocks, size_t count)
{
  for (; count > 0; count--, blocks += LFB_AES_BLOCK) {
    const lfb_aes_vector a = lfb_aes_load(blocks);
    lfb_aes_store(blocks, rounds == 1 ? lfb_aes_last(a, lfb_aes_secret(round[1]))
                                      : lfb_aes_rounds(round, a));
  }
}

typedef lfb_aes_vector aes128_vector;

TARGET LFB_INLINE aes128_vector aes128_load(const uint8_t *block)
{
  return lfb_aes_load(block);
}

TARGET LFB_INLINE aes128_vector aes128_numbers(const uint64_t *number)
{
  return lfb_aes_make(*number, 0);
}

TARGET LFB_INLINE aes128_vector aes128_same(const uint8_t block[LFB_AES_BLOCK])
{
  return lfb_aes_secret(block);
}

TARGET LFB_INLINE aes128_vector aes128_xor(aes128_vector a, aes128_vector b)
{
  return lfb_aes_xor(a, b);
}

TARGET LFB_INLINE aes128_vector aes128_round(aes128_vector a, aes128_vector key)
{
  return lfb_aes_round(a, key);
}

TARGET LFB_INLINE aes128_vector aes128_last(aes128_vector a, aes128_vector key)
{
  return lfb_aes_last(a, key);
}

TARGET LFB_INLINE void aes128_store_low(uint64_t *to, aes128_vector a, aes128_vector b)
{
  lfb_aes_store(to, lfb_aes_lows(a, b));
}

#define AES_TARGET TARGET
#define AES_KEY(noun) lfb_aes128_##noun
#define AES_(noun) aes128_##noun
#define AES_LANES 1
#define AES_BYTES aes128_bytes
#define AES_BYTES_LONG aes128_bytes_long
#define AES_U64 aes128_u64
#define AES_BYTES_MANY aes128_bytes_many
#define AES_U64_MANY aes128_u64_many
#define AES_ABSORB aes128_absorb
#define AES_FINISH aes128_finish
#define AES_ROW lfb_hash_aes128
#include "bloom/hashing/aes_row.inc.h"
#endif
