/*
 * aes_portable.h - AES-128 and the field of the AES hash by plain 64-bit arithmetic, for any
 * processor: four blocks at a time, bit by bit.
 *
 * No branch and no address depends on the data or the keys.  All functions are wait-free.
 */
#ifndef LFB_BLOOM_AES_PORTABLE_H
#define LFB_BLOOM_AES_PORTABLE_H

#include "bloom/hashing/aes_parts.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LFB_AES_SLICED = 4 }; /* blocks at a time */

/* The round keys of AES-128. */
void lfb_aes_portable_expand(uint8_t round[LFB_AES_ROUNDS + 1][LFB_AES_BLOCK],
                             const uint8_t key[LFB_AES_BLOCK]);

/* Encrypts four blocks to which the first of the LFB_AES_ROUNDS + 1 round keys has been added. */
void lfb_aes_portable_rounds(const uint8_t (*round)[LFB_AES_BLOCK], lfb_aes_words blocks[LFB_AES_SLICED]);

/* RFC 8452's product a * b * x^-128. */
lfb_aes_words lfb_aes_portable_dot(lfb_aes_words a, lfb_aes_words b);

/* Writes the encrypted counters `first` to `first` + `count` - 1: byte 0 counts. */
void lfb_aes_portable_counters(const uint8_t key[LFB_AES_BLOCK], uint8_t first, size_t count,
                               uint8_t (*blocks)[LFB_AES_BLOCK]);

#ifdef __cplusplus
}
#endif

#endif
