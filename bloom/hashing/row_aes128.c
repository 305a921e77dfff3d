/*
 * row_aes128.c - the row of the AES hash by instructions on vectors of 16 bytes: x86-64 with AES
 * and PCLMULQDQ, aarch64 with AES and PMULL.
 */
#include "bloom/hashing/aes128.h"

#ifdef LFB_AES_COMPILED
#define TARGET LFB_AES_TARGET

TARGET lfb_aes_vector lfb_aes128_long_key(const lfb_aes_secrets *secrets, const uint8_t *bytes,
                                          size_t size)
{
  lfb_aes_product sum = lfb_aes_product_zero();

  return lfb_aes128_long(secrets, &sum, 0, bytes, size);
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

TARGET lfb_hash lfb_aes_piece(lfb_hash_pieces *key, const uint8_t *bytes, size_t size)
{
  const lfb_aes_secrets *const secrets = &key->hasher->aes;
  lfb_aes_product sum = lfb_aes_product_zero();

  if (key->before > 0)
    memcpy(&sum, &key->state.aes, sizeof sum);
  const lfb_aes_vector first = lfb_aes128_long(secrets, &sum, key->before, bytes, size);
  memcpy(&key->state.aes, &sum, sizeof sum);
  return (lfb_hash){lfb_aes_low(lfb_aes_rounds(secrets->round, first)), 0};
}

#define AES_TARGET TARGET
#define AES_KEY(noun) lfb_aes128_##noun
#define AES_(noun) aes128_##noun
#define AES_VECTOR lfb_aes_vector
#define AES_SAME(block) lfb_aes_secret(block)
#define AES_NUMBERS(numbers) lfb_aes_make(*(numbers), 0)
#define AES_ROUND(a, key) lfb_aes_round(a, key)
#define AES_LAST(a, key) lfb_aes_last(a, key)
#define AES_STORE_LOW(to, a, b) lfb_aes_store(to, lfb_aes_lows(a, b))
#define AES_BYTES aes128_bytes
#define AES_BYTES_LONG aes128_bytes_long
#define AES_U64 aes128_u64
#define AES_BYTES_MANY aes128_bytes_many
#define AES_U64_MANY aes128_u64_many
#define AES_ROW lfb_hash_aes128
#include "bloom/hashing/aes.inc.h"
#endif
