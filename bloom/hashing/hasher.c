/* hasher.c - hashes of keys given in parts, and integers as text. */
#include "bloom/hashing/hasher.h"

enum { BLOCK = 16 }; /* bytes: one murmur128 block, four murmur32 blocks */

lfb_hash lfb_hasher_bytes_other(const lfb_hasher *hasher, const void *bytes, size_t size)
{
  switch (hasher->kind) {
  case LFB_KIND_MURMUR32_PAIR:
    return (lfb_hash){lfb_murmur32(bytes, size, (uint32_t)hasher->seed),
                      lfb_murmur32(bytes, size, (uint32_t)(hasher->seed >> 32))};
  case LFB_KIND_FNV1A32:
    return (lfb_hash){lfb_fnv1a32(LFB_FNV32_BASIS, bytes, size), 0};
  case LFB_KIND_XXH3:
    return (lfb_hash){XXH3_64bits_withSeed(bytes, size, hasher->seed), 0};
  case LFB_KIND_SIPHASH13:
    return (lfb_hash){lfb_siphash13(bytes, size, hasher->key), 0};
  case LFB_KIND_XXH64:
    return (lfb_hash){XXH64(bytes, size, 0), 0};
  case LFB_KIND_MURMUR128:
    break;
  }
  return lfb_murmur128(bytes, size, 0);
}

lfb_hash lfb_hasher_u64_other(const lfb_hasher *hasher, uint64_t key)
{
  const uint64_t little = LFB_LITTLE_64(key);
  char text[20];

  if (hasher->kind == LFB_KIND_XXH64)
    return (lfb_hash){lfb_xxh64_u64(key), 0};
  return hasher->kind == LFB_KIND_FNV1A32
             ? lfb_hasher_bytes(hasher, text, lfb_decimal((int64_t)key, text))
             : lfb_hasher_bytes(hasher, &little, sizeof little);
}

void lfb_hash_stream_init(lfb_hash_stream *stream, const lfb_hasher *hasher)
{
  const uint64_t seed = hasher->seed;

  stream->hasher = *hasher;
  stream->size = 0;
  switch (hasher->kind) {
  case LFB_KIND_MURMUR128:
    stream->state.hash = (lfb_hash){0, 0};
    break;
  case LFB_KIND_MURMUR32_PAIR:
    stream->state.hash = (lfb_hash){(uint32_t)seed, seed >> 32};
    break;
  case LFB_KIND_FNV1A32:
    stream->state.hash = (lfb_hash){LFB_FNV32_BASIS, 0};
    break;
  case LFB_KIND_XXH3:
    XXH3_INITSTATE(&stream->state.xxh3); /* with a seed of 0, reset reads the old state */
    (void)XXH3_64bits_reset_withSeed(&stream->state.xxh3, seed);
    break;
  case LFB_KIND_SIPHASH13:
    stream->state.sip = lfb_sip_start(hasher->key);
    break;
  case LFB_KIND_XXH64:
    (void)XXH64_reset(&stream->state.xxh64, 0);
    break;
  }
}

/* Adds `count` murmur32 blocks to both halves of a pair. */
static lfb_hash pair_blocks(lfb_hash state, const unsigned char *bytes, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const uint32_t block = lfb_load_le32(bytes + 4 * i);
    state.low = lfb_murmur32_block((uint32_t)state.low, block);
    state.high = lfb_murmur32_block((uint32_t)state.high, block);
  }
  return state;
}

/* Adds one block of 16 bytes. */
static void stream_block(lfb_hash_stream *stream, const unsigned char *block)
{
  lfb_hash *hash = &stream->state.hash;

  switch (stream->hasher.kind) {
  case LFB_KIND_MURMUR128:
    *hash = lfb_murmur128_block(*hash, lfb_load_le64(block), lfb_load_le64(block + 8));
    break;
  case LFB_KIND_MURMUR32_PAIR:
    *hash = pair_blocks(*hash, block, BLOCK / 4);
    break;
  case LFB_KIND_FNV1A32:
    hash->low = lfb_fnv1a32((uint32_t)hash->low, block, BLOCK);
    break;
  case LFB_KIND_SIPHASH13:
    lfb_sip_block(&stream->state.sip, lfb_load_le64(block));
    lfb_sip_block(&stream->state.sip, lfb_load_le64(block + 8));
    break;
  case LFB_KIND_XXH3: /* never called for these, which gather their bytes themselves */
  case LFB_KIND_XXH64:
    break;
  }
}

void lfb_hash_stream_put(lfb_hash_stream *stream, const void *bytes, size_t size)
{
  const unsigned char *at = bytes;

  if (stream->hasher.kind == LFB_KIND_XXH3) {
    (void)XXH3_64bits_update(&stream->state.xxh3, bytes, size);
    return;
  }
  if (stream->hasher.kind == LFB_KIND_XXH64) {
    (void)XXH64_update(&stream->state.xxh64, bytes, size);
    return;
  }
  while (size > 0) {
    const size_t filled = stream->size % BLOCK;
    const size_t step = size < BLOCK - filled ? size : BLOCK - filled;
    memcpy(stream->pending + filled, at, step);
    if (filled + step == BLOCK)
      stream_block(stream, stream->pending);
    stream->size += step;
    at += step;
    size -= step;
  }
}

static uint64_t sip_finish(const lfb_hash_stream *stream)
{
  lfb_sip sip = stream->state.sip;
  const unsigned char *tail = stream->pending;

  if (stream->size % BLOCK >= 8) {
    lfb_sip_block(&sip, lfb_load_le64(tail));
    tail += 8;
  }
  return lfb_sip_finish(sip, tail, stream->size);
}

static lfb_hash pair_finish(const lfb_hash_stream *stream)
{
  const size_t whole = stream->size % BLOCK / 4;
  const unsigned char *tail = stream->pending + 4 * whole;
  const lfb_hash state = pair_blocks(stream->state.hash, stream->pending, whole);

  return (lfb_hash){lfb_murmur32_finish((uint32_t)state.low, tail, stream->size),
                    lfb_murmur32_finish((uint32_t)state.high, tail, stream->size)};
}

lfb_hash lfb_hash_stream_finish(const lfb_hash_stream *stream)
{
  switch (stream->hasher.kind) {
  case LFB_KIND_MURMUR32_PAIR:
    return pair_finish(stream);
  case LFB_KIND_FNV1A32:
    return (lfb_hash){lfb_fnv1a32((uint32_t)stream->state.hash.low, stream->pending,
                                  stream->size % BLOCK),
                      0};
  case LFB_KIND_XXH3:
    return (lfb_hash){XXH3_64bits_digest(&stream->state.xxh3), 0};
  case LFB_KIND_SIPHASH13:
    return (lfb_hash){sip_finish(stream), 0};
  case LFB_KIND_XXH64:
    return (lfb_hash){XXH64_digest(&stream->state.xxh64), 0};
  case LFB_KIND_MURMUR128:
    break;
  }
  return lfb_murmur128_finish(stream->state.hash, stream->pending, stream->size);
}

size_t lfb_decimal(int64_t value, char text[20])
{
  char reversed[20];
  size_t size = 0, digits = 0;
  uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

  do {
    reversed[digits++] = (char)('0' + left % 10);
    left /= 10;
  } while (left > 0);
  if (value < 0)
    text[size++] = '-';
  while (digits > 0)
    text[size++] = reversed[--digits];
  return size;
}
