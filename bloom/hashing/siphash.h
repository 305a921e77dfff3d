/*
 * siphash.h - SipHash-1-3: a keyed hash, which an attacker without the key cannot steer.
 *
 * One round per block and three at the end, as hash tables use it against chosen keys.
 * Wait-free functions of their arguments.
 *
 * Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012.
 */
#ifndef LFB_BLOOM_SIPHASH_H
#define LFB_BLOOM_SIPHASH_H

#include "bloom/hashing/murmur.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lfb_sip {
  uint64_t v[4];
} lfb_sip;

static inline void lfb_sip_round(lfb_sip *sip)
{
  uint64_t *v = sip->v;
  v[0] += v[1];
  v[1] = lfb_rotate64(v[1], 13) ^ v[0];
  v[0] = lfb_rotate64(v[0], 32);
  v[2] += v[3];
  v[3] = lfb_rotate64(v[3], 16) ^ v[2];
  v[0] += v[3];
  v[3] = lfb_rotate64(v[3], 21) ^ v[0];
  v[2] += v[1];
  v[1] = lfb_rotate64(v[1], 17) ^ v[2];
  v[2] = lfb_rotate64(v[2], 32);
}

/* Starts with a 128-bit key, given as two little-endian words. */
static inline lfb_sip lfb_sip_start(const uint64_t key[2])
{
  const lfb_sip sip = {{key[0] ^ UINT64_C(0x736f6d6570736575),
                        key[1] ^ UINT64_C(0x646f72616e646f6d),
                        key[0] ^ UINT64_C(0x6c7967656e657261),
                        key[1] ^ UINT64_C(0x7465646279746573)}};
  return sip;
}

/* Adds a block of 8 bytes, given as a little-endian word. */
static inline void lfb_sip_block(lfb_sip *sip, uint64_t block)
{
  sip->v[3] ^= block;
  lfb_sip_round(sip);
  sip->v[0] ^= block;
}

/* Adds the last size % 8 bytes of a key of `size` bytes, at `tail`, and finishes. */
static inline uint64_t lfb_sip_finish(lfb_sip sip, const unsigned char *tail, uint64_t size)
{
  lfb_sip_block(&sip, lfb_load_le_partial(tail, size % 8) | size << 56);
  sip.v[2] ^= 0xff;
  for (int i = 0; i < 3; i++)
    lfb_sip_round(&sip);
  return sip.v[0] ^ sip.v[1] ^ sip.v[2] ^ sip.v[3];
}

static inline uint64_t lfb_siphash13(const void *bytes, size_t size, const uint64_t key[2])
{
  const unsigned char *at = (const unsigned char *)bytes;
  lfb_sip sip = lfb_sip_start(key);

  for (size_t blocks = size / 8; blocks > 0; blocks--, at += 8)
    lfb_sip_block(&sip, lfb_load_le64(at));
  return lfb_sip_finish(sip, at, size);
}

#ifdef __cplusplus
}
#endif

#endif
