/*
 * aes128.h - the AES hash of one key by instructions on vectors of 16 bytes.
 *
 * lfb_aes128_bytes() and lfb_aes128_u64() are inlined into functions with at least LFB_AES_TARGET.
 */
#ifndef LFB_BLOOM_AES128_H
#define LFB_BLOOM_AES128_H

#include "bloom/hashing/aes_vector.h"

#ifdef LFB_AES_HERE

#ifdef __cplusplus
extern "C" {
#endif

/* Sums of Karatsuba's three products: of low halves, of high halves, of both halves' sums. */
typedef struct lfb_aes128_sum {
  lfb_aes_vector low, both, high;
} lfb_aes128_sum;

/* H of more than 128 bytes, and the first round key added. */
LFB_AES_TARGET lfb_aes_vector lfb_aes128_long_key(const lfb_aes_secrets *secrets,
                                                  const uint8_t *bytes, size_t size);

/* An lfb_aes_encrypt (aes_derive.h). */
void lfb_aes128_encrypt(const uint8_t (*round)[LFB_AES_BLOCK], int rounds, uint8_t *blocks,
                        size_t count);

LFB_AES_TARGET LFB_INLINE lfb_aes128_sum lfb_aes128_sum_zero(void)
{
  const lfb_aes_vector zero = lfb_aes_make(0, 0);
  return (lfb_aes128_sum){zero, zero, zero};
}

LFB_AES_TARGET LFB_INLINE lfb_aes128_sum lfb_aes128_sum_add(lfb_aes128_sum sum,
                                                            const uint8_t *group,
                                                            const uint8_t *pair)
{
  LFB_UNROLL
  for (int at = 0; at < 2 * LFB_AES_BLOCK; at += LFB_AES_BLOCK) {
    const lfb_aes_vector a = lfb_aes_xor(lfb_aes_load(group + at), lfb_aes_secret(pair + at));
    const lfb_aes_vector b =
        lfb_aes_xor(lfb_aes_load(group + 32 + at), lfb_aes_secret(pair + 32 + at));
    sum.low = lfb_aes_xor(sum.low, lfb_aes_low_product(a, b));
    sum.high = lfb_aes_xor(sum.high, lfb_aes_high_product(a, b));
    sum.both = lfb_aes_xor(sum.both, lfb_aes_low_product(lfb_aes_halves(a), lfb_aes_halves(b)));
  }
  return sum;
}

LFB_AES_TARGET LFB_INLINE lfb_aes_product lfb_aes128_sum_narrow(lfb_aes128_sum sum)
{
  const lfb_aes_vector middle = lfb_aes_xor(sum.both, lfb_aes_xor(sum.low, sum.high));
  return (lfb_aes_product){sum.low, middle, sum.high};
}

LFB_AES_TARGET LFB_INLINE lfb_aes_vector
lfb_aes128_twice(const uint8_t four[4][2][LFB_AES_BLOCK], const uint8_t *bytes)
{
  return lfb_aes_xor(lfb_aes_four(four, 0, lfb_aes_load(bytes)),
                     lfb_aes_four(four, 1, lfb_aes_load(bytes + LFB_AES_BLOCK)));
}

#define AES_TARGET LFB_AES_TARGET
#define AES_KEY(noun) lfb_aes128_##noun
#define AES_LONG lfb_aes128_long_key
#include "bloom/hashing/aes_key.inc.h"
#undef AES_TARGET
#undef AES_KEY
#undef AES_LONG

#ifdef __cplusplus
}
#endif

#endif

#endif
