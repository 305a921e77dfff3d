/*
 * aes_derive.h - derives the secrets of the AES hash from its key: aes.h states which.
 */
#ifndef LFB_BLOOM_AES_DERIVE_H
#define LFB_BLOOM_AES_DERIVE_H

#include "bloom/hashing/aes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Derives the secrets from a key, by AES instructions if this processor has them. */
void lfb_aes_init(lfb_aes_secrets *secrets, const uint8_t key[LFB_AES_BLOCK]);

/* A value that exposes a wrong key without revealing the right one. */
uint64_t lfb_aes_check(const uint8_t key[LFB_AES_BLOCK]);

#ifdef __cplusplus
}
#endif

#endif
