/*
 * aes128.h - the AES hash of one key by instructions on vectors of 16 bytes.
 *
 * lfb_aes128_bytes() and lfb_aes128_u64() are inlined into functions with at least LFB_AES_TARGET.
 */
#ifndef LFB_BLOOM_AES128_H
#define LFB_BLOOM_AES128_H

#include "bloom/hashing/aes_vector.h"

#ifdef LFB_AES_COMPILED

LFB_EXTERN_C_BEGIN

/* H of more than 128 bytes, and the first round key added. */
LFB_AES_TARGET lfb_aes_vector lfb_aes128_long_key(const lfb_aes_secrets *secrets,
                                                  const uint8_t *bytes, size_t size);

/* An lfb_aes_encrypt (aes_derive.h). */
void lfb_aes128_encrypt(const uint8_t (*round)[LFB_AES_BLOCK], int rounds, uint8_t *blocks,
                        size_t count);

#define AES_TARGET LFB_AES_TARGET
#define AES_KEY(noun) lfb_aes128_##noun
#define AES_LONG lfb_aes128_long_key
#define AES_VECTOR lfb_aes_vector
#define AES_LOAD(bytes) lfb_aes_load(bytes)
#define AES_SECRET(bytes) lfb_aes_secret(bytes)
#define AES_ROUND(a, key) lfb_aes_round(a, key)
#define AES_LOW_PRODUCTS(a, b) lfb_aes_low_product(a, b)
#define AES_HIGH_PRODUCTS(a, b) lfb_aes_high_product(a, b)
#define AES_SWAP(a) lfb_aes_swap(a)
#define AES_FOLD(a) (a)
#include "bloom/hashing/aes.inc.h"

LFB_EXTERN_C_END

#endif

#endif
