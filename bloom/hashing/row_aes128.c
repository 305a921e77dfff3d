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

/* In a block of four equal columns, moving the rows changes nothing. */
TARGET static uint32_t aes128_substitute(uint32_t word)
{
  const uint64_t twice = word | (uint64_t)word << 32;
  return (uint32_t)lfb_aes_low(lfb_aes_last(lfb_aes_make(twice, twice), lfb_aes_make(0, 0)));
}

TARGET void lfb_aes128_expand(uint8_t round[LFB_AES_ROUNDS + 1][LFB_AES_BLOCK],
                              const uint8_t key[LFB_AES_BLOCK])
{
  lfb_aes_expand(round, key, aes128_substitute);
}

TARGET void lfb_aes128_counters(const uint8_t key[LFB_AES_BLOCK], uint8_t first, size_t count,
                                uint8_t (*blocks)[LFB_AES_BLOCK])
{
  uint8_t round[LFB_AES_ROUNDS + 1][LFB_AES_BLOCK] __attribute__((aligned(LFB_AES_BLOCK)));

  lfb_aes128_expand(round, key);
  for (size_t i = 0; i < count; i++) {
    const lfb_aes_vector counter = lfb_aes_make(first + i, 0);
    lfb_aes_store(blocks[i], lfb_aes_rounds((const uint8_t(*)[LFB_AES_BLOCK])round,
                                            lfb_aes_xor(counter, lfb_aes_secret(round[0]))));
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
#define AES_START aes128_start
#define AES_ADD aes128_add
#define AES_FINISH aes128_finish
#define AES_ROW lfb_hash_aes128
#include "bloom/hashing/aes_row.inc.h"
#endif
