/*
 * murmur.h - MurmurHash3: x64_128 for Guava's strategies, x86_32 for the classic Java
 * ones; of whole keys and in blocks.
 *
 * The functions are inline: if the compiler knows the size of a key, it removes most of
 * the code.  All are wait-free functions of their arguments.
 *
 * Source: the reference's MurmurHash3.cpp for the algorithm (public domain);
 * Guava Murmur3_128HashFunction.java, Murmur3_32HashFunction.java for the seeds.
 */
#ifndef LFB_BLOOM_MURMUR_H
#define LFB_BLOOM_MURMUR_H

#include <lfbloom/cpu.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* An element's hash: as many of the 128 bits as its strategy uses (lfb_hash_width). */
typedef struct lfb_hash {
  uint64_t low;
  uint64_t high;
} lfb_hash;

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LFB_LITTLE_64(word) __builtin_bswap64(word)
#define LFB_LITTLE_32(word) __builtin_bswap32(word)
#else
#define LFB_LITTLE_64(word) (word)
#define LFB_LITTLE_32(word) (word)
#endif

static inline uint64_t lfb_load_le64(const unsigned char *bytes)
{
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  return LFB_LITTLE_64(word);
}

static inline uint32_t lfb_load_le32(const unsigned char *bytes)
{
  uint32_t word;
  memcpy(&word, bytes, sizeof word);
  return LFB_LITTLE_32(word);
}

static inline void lfb_store_le64(unsigned char *bytes, uint64_t value)
{
  const uint64_t word = LFB_LITTLE_64(value);
  memcpy(bytes, &word, sizeof word);
}

static inline void lfb_store_le32(unsigned char *bytes, uint32_t value)
{
  const uint32_t word = LFB_LITTLE_32(value);
  memcpy(bytes, &word, sizeof word);
}

/* Loads the first `size` bytes, 0 to 7, as the low bytes of a word; reads no other byte. */
static inline uint64_t lfb_load_le_partial(const unsigned char *bytes, size_t size)
{
  if (size >= 4) /* two loads, which overlap */
    return lfb_load_le32(bytes) |
           (uint64_t)lfb_load_le32(bytes + size - 4) << (8 * (size - 4));
  if (size == 0)
    return 0;
  return bytes[0] | (uint64_t)bytes[size / 2] << (8 * (size / 2)) |
         (uint64_t)bytes[size - 1] << (8 * (size - 1));
}

static inline uint64_t lfb_rotate64(uint64_t word, unsigned by)
{
  return word << by | word >> (64 - by);
}

static inline uint32_t lfb_rotate32(uint32_t word, unsigned by)
{
  return word << by | word >> (32 - by);
}

#define LFB_MURMUR_FINISH_1 UINT64_C(0xff51afd7ed558ccd)
#define LFB_MURMUR_FINISH_2 UINT64_C(0xc4ceb9fe1a85ec53)

/* Murmur's finaliser: a bijection in which each bit of the result depends on every bit of h. */
static inline uint64_t lfb_murmur_finish64(uint64_t h)
{
  h = (h ^ h >> 33) * LFB_MURMUR_FINISH_1;
  h = (h ^ h >> 33) * LFB_MURMUR_FINISH_2;
  return h ^ h >> 33;
}

static inline uint64_t lfb_murmur128_mix_low(uint64_t k)
{
  return lfb_rotate64(k * UINT64_C(0x87c37b91114253d5), 31) * UINT64_C(0x4cf5ad432745937f);
}

static inline uint64_t lfb_murmur128_mix_high(uint64_t k)
{
  return lfb_rotate64(k * UINT64_C(0x4cf5ad432745937f), 33) * UINT64_C(0x87c37b91114253d5);
}

/* Adds one block of 16 bytes, given as two little-endian words. */
static inline lfb_hash lfb_murmur128_block(lfb_hash h, uint64_t low, uint64_t high)
{
  h.low ^= lfb_murmur128_mix_low(low);
  h.low = (lfb_rotate64(h.low, 27) + h.high) * 5 + 0x52dce729;
  h.high ^= lfb_murmur128_mix_high(high);
  h.high = (lfb_rotate64(h.high, 31) + h.low) * 5 + 0x38495ab5;
  return h;
}

/* Adds the last size % 16 bytes, at `tail`. */
static inline lfb_hash lfb_murmur128_tail(lfb_hash h, const unsigned char *tail, uint64_t size)
{
  const size_t left = size % 16;

  if (left >= 8) {
    h.low ^= lfb_murmur128_mix_low(lfb_load_le64(tail));
    /* an empty high word mixes to 0: the same result as the reference, which skips it */
    h.high ^= lfb_murmur128_mix_high(lfb_load_le_partial(tail + 8, left - 8));
  } else {
    h.low ^= lfb_murmur128_mix_low(lfb_load_le_partial(tail, left));
  }
  return h;
}

/* Adds the last size % 16 bytes of a key of `size` bytes, at `tail`, and finishes. */
static inline lfb_hash lfb_murmur128_finish(lfb_hash h, const unsigned char *tail, uint64_t size)
{
  h = lfb_murmur128_tail(h, tail, size);
  h.low ^= size;
  h.high ^= size;
  h.low += h.high;
  h.high += h.low;
  h.low = lfb_murmur_finish64(h.low);
  h.high = lfb_murmur_finish64(h.high);
  h.low += h.high;
  h.high += h.low;
  return h;
}

/* Adds the whole blocks of the next `some` bytes to `*h`.  Returns the hash of the key up to their
 * end, where it has `size` bytes. */
LFB_INLINE lfb_hash lfb_murmur128_piece(lfb_hash *h, const unsigned char *at, size_t some,
                                        uint64_t size)
{
  for (size_t blocks = some / 16; blocks > 0; blocks--, at += 16)
    *h = lfb_murmur128_block(*h, lfb_load_le64(at), lfb_load_le64(at + 8));
  return lfb_murmur128_finish(*h, at, size);
}

/* murmur3_x64_128 of `size` bytes, with the seed as both halves of the state. */
static inline lfb_hash lfb_murmur128(const void *bytes, size_t size, uint32_t seed)
{
  lfb_hash h = {seed, seed};
  return lfb_murmur128_piece(&h, (const unsigned char *)bytes, size, size);
}

static inline uint32_t lfb_murmur32_mix(uint32_t k)
{
  return lfb_rotate32(k * 0xcc9e2d51U, 15) * 0x1b873593U;
}

/* Adds one block of 4 bytes, given as a little-endian word. */
static inline uint32_t lfb_murmur32_block(uint32_t h, uint32_t k)
{
  return lfb_rotate32(h ^ lfb_murmur32_mix(k), 13) * 5 + 0xe6546b64U;
}

/* Adds the last size % 4 bytes of a key of `size` bytes, at `tail`, and finishes. */
static inline uint32_t lfb_murmur32_finish(uint32_t h, const unsigned char *tail, uint64_t size)
{
  h ^= lfb_murmur32_mix((uint32_t)lfb_load_le_partial(tail, size % 4));
  h ^= (uint32_t)size;
  h = (h ^ h >> 16) * 0x85ebca6bU;
  h = (h ^ h >> 13) * 0xc2b2ae35U;
  return h ^ h >> 16;
}

/* As lfb_murmur128_piece(). */
LFB_INLINE uint32_t lfb_murmur32_piece(uint32_t *h, const unsigned char *at, size_t some,
                                       uint64_t size)
{
  for (size_t blocks = some / 4; blocks > 0; blocks--, at += 4)
    *h = lfb_murmur32_block(*h, lfb_load_le32(at));
  return lfb_murmur32_finish(*h, at, size);
}

/* murmur3_x86_32 of `size` bytes. */
static inline uint32_t lfb_murmur32(const void *bytes, size_t size, uint32_t seed)
{
  return lfb_murmur32_piece(&seed, (const unsigned char *)bytes, size, size);
}

#endif
