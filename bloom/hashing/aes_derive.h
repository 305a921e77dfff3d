/*
 * aes_derive.h - derives the secrets of the AES hash from its key: aes.h states which; AES-128 and
 * the field of the AES hash for any processor (aes_portable.c).
 *
 * By AES instructions no branch and no address depends on the data or the keys; without them
 * addresses in a table do.  All functions are wait-free.
 */
#ifndef LFB_BLOOM_AES_DERIVE_H
#define LFB_BLOOM_AES_DERIVE_H

#include <lfbloom/status.h>
#include <stddef.h>

#include "bloom/hashing/hash_function.h"

LFB_EXTERN_C_BEGIN

/* Derives the secrets from a key, by AES instructions if this processor has them. */
void lfb_aes_init(lfb_aes_secrets *secrets, const uint8_t key[LFB_AES_BLOCK]);

/* A value that exposes a wrong key without revealing the right one. */
uint64_t lfb_aes_check(const uint8_t key[LFB_AES_BLOCK]);

/* Encrypts `count` blocks in a row, to which round[0] has been added, by the other `rounds` round
 * keys: LFB_AES_ROUNDS, or 1. */
typedef void (*lfb_aes_encrypt)(const uint8_t (*round)[LFB_AES_BLOCK], int rounds,
                                uint8_t *blocks, size_t count);

/* The round keys of AES-128. */
void lfb_aes_expand(lfb_aes_encrypt encrypt, uint8_t round[LFB_AES_ROUNDS + 1][LFB_AES_BLOCK],
                    const uint8_t key[LFB_AES_BLOCK]);

/* Writes the encrypted counters `first` to `first` + `count` - 1: byte 0 counts. */
void lfb_aes_counters(lfb_aes_encrypt encrypt, const uint8_t key[LFB_AES_BLOCK], uint8_t first,
                      size_t count, uint8_t (*blocks)[LFB_AES_BLOCK]);

/* An lfb_aes_encrypt for any processor. */
void lfb_aes_portable_encrypt(const uint8_t (*round)[LFB_AES_BLOCK], int rounds, uint8_t *blocks,
                              size_t count);

/* A block as two little-endian numbers. */
typedef struct lfb_aes_words {
  uint64_t low, high;
} lfb_aes_words;

/* RFC 8452's product a * b * x^-128. */
lfb_aes_words lfb_aes_portable_dot(lfb_aes_words a, lfb_aes_words b);

LFB_EXTERN_C_END

#endif
