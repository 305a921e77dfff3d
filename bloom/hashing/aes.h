/*
 * aes.h - the AES hash.  An attacker without the key cannot tell its hashes from random numbers,
 * for any keys that it chooses and after any hashes that it sees, unless it breaks AES-128.
 *
 *   hash(key) = first 8 bytes of AES(H(key)), little-endian
 *
 * H maps every key to one block of 16 bytes.  "|" joins bytes, "^" is XOR, numbers are
 * little-endian.
 *
 *   a number x           x | 7 zero bytes | 16
 *   0 to 15 bytes        the bytes | zero bytes | length        (the length is byte 15)
 *   16 to 128 bytes      cut into blocks of 16 bytes, the last of 1 to 16:
 *                        R0(first) ^ R1(second) ^ .. ^ last; a last block of 16 bytes has D added,
 *                        a shorter one is padded: last | 0x80 | zero bytes
 *   129 bytes and more   Y ^ length; Y starts at 0, and for every chunk of 512 bytes
 *                        Y = dot(Y, P) ^ the sum of the chunk's groups of 64 bytes.  Group g, cut
 *                        into blocks a b c d, gives dot(a ^ K[4g],   c ^ K[4g+2]) ^
 *                                                   dot(b ^ K[4g+1], d ^ K[4g+3]).
 *                        The last group is the key's last 64 bytes, which may overlap the group
 *                        before it.
 *
 * Ri is four rounds of AES with four secret round keys of its own, the first added before the
 * first round.  dot() is RFC 8452's multiplication in GF(2^128).  All secrets come from the key of
 * 16 bytes by AES in counter mode.  Block 0 is the key of AES; then D, P, 32 blocks for R (round
 * key r of R(2i) and R(2i + 1) in turn), 32 for K.  The first 8 bytes of block 67 check a key.
 *
 * docs/hash.md proves what H must have, and states what follows for a filter.  By AES instructions
 * no branch and no address depends on a secret or on a key's bytes: the time depends on a key's
 * length alone.
 */
#ifndef LFB_BLOOM_AES_H
#define LFB_BLOOM_AES_H

#include <lfbloom/cpu.h>
#include <stddef.h>
#include <stdint.h>

enum {
  LFB_AES_BLOCK = 16,   /* bytes */
  LFB_AES_ROUNDS = 10,
  LFB_AES_MIDDLE = 128, /* the longest key that R hashes */
  LFB_AES_GROUP = 64,
  LFB_AES_CHUNK = 512,
  LFB_AES_NUMBER = 16,  /* byte 15 of the block of a number */
};

/* All secrets of a key: 1,280 bytes, of which short keys read the first four lines of 64 bytes,
 * keys up to 128 bytes two more for every 32 bytes. */
typedef struct lfb_aes_secrets {
  uint8_t round[LFB_AES_ROUNDS + 1][LFB_AES_BLOCK]; /* of AES                         */
  uint8_t round_full[LFB_AES_BLOCK];                /* round[0] ^ D                   */
  uint8_t round_number[LFB_AES_BLOCK];              /* round[0] ^ a number's constant */
  uint8_t power[LFB_AES_BLOCK];                     /* P                              */
  uint8_t unused[2][LFB_AES_BLOCK];
  uint8_t four[4][4][2][LFB_AES_BLOCK]; /* round key r of R(2i) and R(2i + 1): four[i][r] */
  uint8_t pair[LFB_AES_CHUNK / LFB_AES_BLOCK][LFB_AES_BLOCK]; /* K           */
} __attribute__((aligned(64))) lfb_aes_secrets;

/* The sum of pair products, before the remainder is taken: what it holds depends on the row. */
typedef struct lfb_aes_sum {
  uint64_t words[6];
} lfb_aes_sum;

#endif
