/* aes_derive.c - derives the secrets of the AES hash from its key. */
#include "bloom/hashing/aes_derive.h"

#include <string.h>

#include "bloom/hashing/aes128.h"

/* The counter blocks. */
enum {
  AES_KEY_AT = 0,
  AES_FULL_AT = 1,
  AES_POWER_AT = 2,
  AES_FOUR_AT = 3,
  AES_PAIR_AT = 35,
  AES_CHECK_AT = 67,
};

static lfb_aes_encrypt derive_by(void)
{
#ifdef LFB_AES_COMPILED
  if (lfb_simd_has_aes(LFB_SIMD_AES))
    return lfb_aes128_encrypt;
#endif
  return lfb_aes_portable_encrypt;
}

/* The S-box of the four bytes of a word: the last round of a block of four equal columns, in which
 * moving the rows changes nothing, with 0 as round key. */
static uint32_t derive_substitute(lfb_aes_encrypt encrypt, uint32_t word)
{
  static const uint8_t zeros[2][LFB_AES_BLOCK] __attribute__((aligned(LFB_AES_BLOCK)));
  uint8_t block[LFB_AES_BLOCK];

  for (size_t column = 0; column < LFB_AES_BLOCK; column += sizeof word)
    lfb_store_le32(block + column, word);
  encrypt(zeros, 1, block, 1);
  return lfb_load_le32(block);
}

void lfb_aes_expand(lfb_aes_encrypt encrypt, uint8_t round[LFB_AES_ROUNDS + 1][LFB_AES_BLOCK],
                    const uint8_t key[LFB_AES_BLOCK])
{
  uint64_t low = lfb_load_le64(key), high = lfb_load_le64(key + 8);
  uint32_t constant = 1;

  memcpy(round[0], key, LFB_AES_BLOCK);
  for (int r = 1; r <= LFB_AES_ROUNDS; r++) {
    const uint32_t last = (uint32_t)(high >> 32);
    low ^= derive_substitute(encrypt, last >> 8 | last << 24) ^ constant;
    low ^= low << 32; /* each word is added to the next */
    high ^= low >> 32;
    high ^= high << 32;
    lfb_store_le64(round[r], low);
    lfb_store_le64(round[r] + 8, high);
    constant = constant << 1 ^ (constant >> 7) * 0x11b;
  }
}

void lfb_aes_counters(lfb_aes_encrypt encrypt, const uint8_t key[LFB_AES_BLOCK], uint8_t first,
                      size_t count, uint8_t (*blocks)[LFB_AES_BLOCK])
{
  uint8_t round[LFB_AES_ROUNDS + 1][LFB_AES_BLOCK] __attribute__((aligned(LFB_AES_BLOCK)));

  lfb_aes_expand(encrypt, round, key);
  for (size_t i = 0; i < count; i++) {
    memcpy(blocks[i], round[0], LFB_AES_BLOCK);
    blocks[i][0] ^= (uint8_t)(first + i);
  }
  encrypt((const uint8_t(*)[LFB_AES_BLOCK])round, LFB_AES_ROUNDS, blocks[0], count);
}

void lfb_aes_init(lfb_aes_secrets *secrets, const uint8_t key[LFB_AES_BLOCK])
{
  uint8_t made[AES_CHECK_AT][LFB_AES_BLOCK];

  memset(secrets, 0, sizeof *secrets);
  lfb_aes_counters(derive_by(), key, 0, AES_CHECK_AT, made);
  lfb_aes_expand(derive_by(), secrets->round, made[AES_KEY_AT]);
  for (int i = 0; i < LFB_AES_BLOCK; i++)
    secrets->round_full[i] = secrets->round[0][i] ^ made[AES_FULL_AT][i];
  memcpy(secrets->round_number, secrets->round[0], LFB_AES_BLOCK);
  secrets->round_number[LFB_AES_BLOCK - 1] ^= LFB_AES_NUMBER;
  memcpy(secrets->power, made[AES_POWER_AT], LFB_AES_BLOCK);
  memcpy(secrets->four, made[AES_FOUR_AT], sizeof secrets->four);
  memcpy(secrets->pair, made[AES_PAIR_AT], sizeof secrets->pair);
}

uint64_t lfb_aes_check(const uint8_t key[LFB_AES_BLOCK])
{
  uint8_t block[1][LFB_AES_BLOCK];

  lfb_aes_counters(derive_by(), key, AES_CHECK_AT, 1, block);
  return lfb_load_le64(block[0]);
}
