/*
 * aes_portable.h - AES-128 and the field of the AES hash by plain 64-bit arithmetic, for any
 * processor: four blocks at a time, bit by bit.
 *
 * No branch and no address depends on the data or the keys.  All functions are wait-free.
 */
#ifndef LFB_BLOOM_AES_PORTABLE_H
#define LFB_BLOOM_AES_PORTABLE_H

#include "bloom/hashing/hash_function.h"

LFB_EXTERN_C_BEGIN

/* A block as two little-endian numbers. */
typedef struct lfb_aes_words {
  uint64_t low, high;
} lfb_aes_words;

/* An lfb_aes_encrypt (aes_derive.h). */
void lfb_aes_portable_encrypt(const uint8_t (*round)[LFB_AES_BLOCK], int rounds,
                              uint8_t *blocks, size_t count);

/* RFC 8452's product a * b * x^-128. */
lfb_aes_words lfb_aes_portable_dot(lfb_aes_words a, lfb_aes_words b);

LFB_EXTERN_C_END

#endif
