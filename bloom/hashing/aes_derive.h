/*
 * aes_derive.h - derives the secrets of the AES hash from its key: aes.h states which.
 */
#ifndef LFB_BLOOM_AES_DERIVE_H
#define LFB_BLOOM_AES_DERIVE_H

#include <lfbloom/status.h>
#include <stddef.h>

#include "bloom/hashing/aes.h"

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

LFB_EXTERN_C_END

#endif
