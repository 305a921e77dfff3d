/* aes_derive.c - derives the secrets of the AES hash from its key. */
#include "bloom/hashing/aes_derive.h"

#include <string.h>

#include "bloom/hashing/aes128.h"
#include "bloom/hashing/aes_portable.h"

/* The counter blocks. */
enum {
  AES_KEY_AT = 0,
  AES_FULL_AT = 1,
  AES_POWER_AT = 2,
  AES_FOUR_AT = 3,
  AES_PAIR_AT = 35,
  AES_CHECK_AT = 67,
};

static void aes_counters(const uint8_t key[LFB_AES_BLOCK], uint8_t first, size_t count,
                         uint8_t (*blocks)[LFB_AES_BLOCK])
{
#ifdef LFB_AES_HERE
  if (lfb_simd_has_aes(LFB_SIMD_AES)) {
    lfb_aes128_counters(key, first, count, blocks);
    return;
  }
#endif
  lfb_aes_portable_counters(key, first, count, blocks);
}

static void aes_expand(uint8_t round[LFB_AES_ROUNDS + 1][LFB_AES_BLOCK],
                       const uint8_t key[LFB_AES_BLOCK])
{
#ifdef LFB_AES_HERE
  if (lfb_simd_has_aes(LFB_SIMD_AES)) {
    lfb_aes128_expand(round, key);
    return;
  }
#endif
  lfb_aes_portable_expand(round, key);
}

void lfb_aes_init(lfb_aes_secrets *secrets, const uint8_t key[LFB_AES_BLOCK])
{
  uint8_t first[AES_FOUR_AT][LFB_AES_BLOCK];

  memset(secrets, 0, sizeof *secrets);
  aes_counters(key, AES_KEY_AT, AES_FOUR_AT, first);
  aes_expand(secrets->round, first[AES_KEY_AT]);
  for (int i = 0; i < LFB_AES_BLOCK; i++)
    secrets->round_full[i] = secrets->round[0][i] ^ first[AES_FULL_AT][i];
  memcpy(secrets->round_number, secrets->round[0], LFB_AES_BLOCK);
  secrets->round_number[LFB_AES_BLOCK - 1] ^= LFB_AES_NUMBER;
  memcpy(secrets->power, first[AES_POWER_AT], LFB_AES_BLOCK);
  aes_counters(key, AES_FOUR_AT, AES_PAIR_AT - AES_FOUR_AT,
               (uint8_t(*)[LFB_AES_BLOCK])(void *)secrets->four);
  aes_counters(key, AES_PAIR_AT, AES_CHECK_AT - AES_PAIR_AT, secrets->pair);
}

uint64_t lfb_aes_check(const uint8_t key[LFB_AES_BLOCK])
{
  uint8_t block[1][LFB_AES_BLOCK];

  aes_counters(key, AES_CHECK_AT, 1, block);
  return lfb_load_le64(block[0]);
}
