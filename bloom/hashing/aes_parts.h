/*
 * aes_parts.h - what the rows of the AES hash share: the round keys, and how a key that is given in
 * parts is gathered.
 *
 * A group of 64 bytes is added to the sum as soon as the key has more than 128 bytes and a byte
 * after the group.  The last group is the last 64 bytes, which may start inside another.
 */
#ifndef LFB_BLOOM_AES_PARTS_H
#define LFB_BLOOM_AES_PARTS_H

#include "bloom/hashing/hash_function.h"

/* A block as two little-endian numbers. */
typedef struct lfb_aes_words {
  uint64_t low, high;
} lfb_aes_words;

LFB_INLINE lfb_aes_words lfb_aes_words_load(const uint8_t block[LFB_AES_BLOCK])
{
  return (lfb_aes_words){lfb_load_le64(block), lfb_load_le64(block + 8)};
}

/* H of at most 15 bytes: the key, and its size in the last byte.  Reads no other byte. */
LFB_INLINE lfb_aes_words lfb_aes_short(const uint8_t *bytes, size_t size)
{
  const uint64_t above = (uint64_t)size << 56;

  if (size < 8)
    return (lfb_aes_words){lfb_load_le_partial(bytes, size), above};
  return (lfb_aes_words){lfb_load_le64(bytes),
                         lfb_load_le64(bytes + size - 8) >> 8 * (15 - size) >> 8 | above};
}

/* The S-box of the four bytes of a word. */
typedef uint32_t (*lfb_aes_substitute)(uint32_t word);

/* The round keys of AES-128.  `substitute` is a constant after inlining. */
LFB_INLINE void lfb_aes_expand(uint8_t round[LFB_AES_ROUNDS + 1][LFB_AES_BLOCK],
                               const uint8_t key[LFB_AES_BLOCK], lfb_aes_substitute substitute)
{
  uint64_t low = lfb_load_le64(key), high = lfb_load_le64(key + 8);
  uint32_t constant = 1;

  lfb_store_le64(round[0], low);
  lfb_store_le64(round[0] + 8, high);
  for (int r = 1; r <= LFB_AES_ROUNDS; r++) {
    const uint32_t last = (uint32_t)(high >> 32);
    low ^= substitute(last >> 8 | last << 24) ^ constant;
    low ^= low << 32; /* each word is added to the next */
    high ^= low >> 32;
    high ^= high << 32;
    lfb_store_le64(round[r], low);
    lfb_store_le64(round[r] + 8, high);
    constant = constant << 1 ^ (constant >> 7) * 0x11b;
  }
}

/* Adds `count` groups of 64 bytes to a sum; the first of them is the key's group `first`. */
typedef void (*lfb_aes_absorb)(const lfb_aes_secrets *secrets, lfb_aes_sum *sum,
                               const uint8_t *groups, uint64_t first, size_t count);

/* add() of a row.  `absorb` is a constant after inlining. */
LFB_INLINE void lfb_aes_stream_add(lfb_hash_stream *stream, const void *bytes, size_t size,
                                   lfb_aes_absorb absorb)
{
  const lfb_aes_secrets *const secrets = &stream->hasher->aes;
  lfb_aes_stream *const aes = &stream->state.aes;
  const uint8_t *at = (const uint8_t *)bytes;

  while (size > 0) {
    const uint64_t group = stream->size / LFB_AES_GROUP; /* that the next byte belongs to */
    const size_t filled = stream->size % LFB_AES_GROUP;
    size_t step = LFB_AES_GROUP - filled;
    if (filled == 0 && group == 2)
      absorb(secrets, &aes->sum, aes->last, 0, 2);
    else if (filled == 0 && group > 2)
      absorb(secrets, &aes->sum, aes->last + (group - 1) % 2 * LFB_AES_GROUP, group - 1, 1);
    if (filled == 0 && group >= 2 && size > LFB_AES_GROUP) { /* whole groups, not copied */
      const size_t whole = (size - 1) / LFB_AES_GROUP, past = whole * LFB_AES_GROUP;
      absorb(secrets, &aes->sum, at, group, whole);
      stream->size += past;
      at += past;
      size -= past;
      memcpy(aes->last + (group + whole - 1) % 2 * LFB_AES_GROUP, at - LFB_AES_GROUP,
             LFB_AES_GROUP);
    }
    if (step > size)
      step = size;
    memcpy(aes->last + stream->size % sizeof aes->last, at, step);
    stream->size += step;
    at += step;
    size -= step;
  }
}

/* Copies the last 64 bytes of a key of at least 64. */
LFB_INLINE void lfb_aes_stream_last(const lfb_hash_stream *stream, uint8_t group[LFB_AES_GROUP])
{
  const lfb_aes_stream *const aes = &stream->state.aes;
  const size_t from = (stream->size - LFB_AES_GROUP) % sizeof aes->last;
  size_t step = sizeof aes->last - from;

  if (step > LFB_AES_GROUP)
    step = LFB_AES_GROUP;
  memcpy(group, aes->last + from, step);
  memcpy(group + step, aes->last, LFB_AES_GROUP - step);
}

#endif
