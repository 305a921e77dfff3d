/* row_fixed.c - the hash functions without a secret, which other libraries' filters use: murmur3,
 * FNV-1a, XXH64. */
#include "bloom/hashing/hasher.h"

/* ---- murmur3_x64_128 ------------------------------------------------------------- */

static lfb_hash murmur128_bytes(const lfb_hasher *hasher, const void *bytes, size_t size)
{
  (void)hasher;
  return lfb_murmur128(bytes, size, 0);
}

static lfb_hash murmur128_u64(const lfb_hasher *hasher, uint64_t key)
{
  const uint64_t little = LFB_LITTLE_64(key);
  (void)hasher;
  return lfb_murmur128(&little, sizeof little, 0);
}

static void murmur128_bytes_many(const lfb_hasher *hasher, const lfb_key *keys, size_t count,
                                 uint64_t *low, uint64_t *high)
{
  lfb_hash_each_bytes(hasher, keys, count, low, high, murmur128_bytes);
}

static void murmur128_u64_many(const lfb_hasher *hasher, const uint64_t *keys, size_t count,
                               uint64_t *low, uint64_t *high)
{
  lfb_hash_each_u64(hasher, keys, count, low, high, murmur128_u64);
}

static void murmur128_start(lfb_hash_stream *stream)
{
  stream->state.hash = (lfb_hash){0, 0};
}

static void murmur128_block(lfb_hash_stream *stream, const unsigned char block[16])
{
  stream->state.hash = lfb_murmur128_block(stream->state.hash, lfb_load_le64(block),
                                           lfb_load_le64(block + 8));
}

static void murmur128_add(lfb_hash_stream *stream, const void *bytes, size_t size)
{
  lfb_hash_add_blocks(stream, bytes, size, murmur128_block);
}

static lfb_hash murmur128_finish(const lfb_hash_stream *stream)
{
  return lfb_murmur128_finish(stream->state.hash, stream->pending, stream->size);
}

const lfb_hash_function lfb_hash_murmur128 = {
    .bytes = murmur128_bytes,
    .u64 = murmur128_u64,
    .bytes_many = murmur128_bytes_many,
    .u64_many = murmur128_u64_many,
    .start = murmur128_start,
    .add = murmur128_add,
    .finish = murmur128_finish,
};

/* ---- two of murmur3_x86_32 ------------------------------------------------------- */

static lfb_hash pair_bytes(const lfb_hasher *hasher, const void *bytes, size_t size)
{
  const uint64_t seed = hasher->identity.seed;
  return (lfb_hash){lfb_murmur32(bytes, size, (uint32_t)seed),
                    lfb_murmur32(bytes, size, (uint32_t)(seed >> 32))};
}

static lfb_hash pair_u64(const lfb_hasher *hasher, uint64_t key)
{
  const uint64_t little = LFB_LITTLE_64(key);
  return pair_bytes(hasher, &little, sizeof little);
}

static void pair_start(lfb_hash_stream *stream)
{
  const uint64_t seed = stream->hasher->identity.seed;
  stream->state.hash = (lfb_hash){(uint32_t)seed, seed >> 32};
}

/* Adds `count` blocks of 4 bytes to both halves. */
static lfb_hash pair_blocks(lfb_hash state, const unsigned char *bytes, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const uint32_t block = lfb_load_le32(bytes + 4 * i);
    state.low = lfb_murmur32_block((uint32_t)state.low, block);
    state.high = lfb_murmur32_block((uint32_t)state.high, block);
  }
  return state;
}

static void pair_block(lfb_hash_stream *stream, const unsigned char block[16])
{
  stream->state.hash = pair_blocks(stream->state.hash, block, 4);
}

static void pair_add(lfb_hash_stream *stream, const void *bytes, size_t size)
{
  lfb_hash_add_blocks(stream, bytes, size, pair_block);
}

static lfb_hash pair_finish(const lfb_hash_stream *stream)
{
  const size_t whole = stream->size % 16 / 4;
  const unsigned char *tail = stream->pending + 4 * whole;
  const lfb_hash state = pair_blocks(stream->state.hash, stream->pending, whole);

  return (lfb_hash){lfb_murmur32_finish((uint32_t)state.low, tail, stream->size),
                    lfb_murmur32_finish((uint32_t)state.high, tail, stream->size)};
}

const lfb_hash_function lfb_hash_murmur32_pair = {
    .bytes = pair_bytes,
    .u64 = pair_u64,
    .start = pair_start,
    .add = pair_add,
    .finish = pair_finish,
};

/* ---- FNV-1a ---------------------------------------------------------------------- */

static lfb_hash fnv_bytes(const lfb_hasher *hasher, const void *bytes, size_t size)
{
  (void)hasher;
  return (lfb_hash){lfb_fnv1a32(LFB_FNV32_BASIS, bytes, size), 0};
}

static lfb_hash fnv_u64(const lfb_hasher *hasher, uint64_t key)
{
  char text[20];
  return fnv_bytes(hasher, text, lfb_decimal((int64_t)key, text));
}

static void fnv_start(lfb_hash_stream *stream)
{
  stream->state.hash = (lfb_hash){LFB_FNV32_BASIS, 0};
}

static void fnv_add(lfb_hash_stream *stream, const void *bytes, size_t size)
{
  stream->state.hash.low = lfb_fnv1a32((uint32_t)stream->state.hash.low, bytes, size);
}

static lfb_hash fnv_finish(const lfb_hash_stream *stream)
{
  return stream->state.hash;
}

const lfb_hash_function lfb_hash_fnv1a32 = {
    .bytes = fnv_bytes,
    .u64 = fnv_u64,
    .start = fnv_start,
    .add = fnv_add,
    .finish = fnv_finish,
};

/* ---- XXH64 ----------------------------------------------------------------------- */

static lfb_hash xxh64_bytes(const lfb_hasher *hasher, const void *bytes, size_t size)
{
  const void *const from = bytes == NULL ? "" : bytes; /* NULL: the size is 0 */
  (void)hasher;
  return (lfb_hash){XXH64(from, size, 0), 0};
}

static lfb_hash xxh64_u64(const lfb_hasher *hasher, uint64_t key)
{
  (void)hasher;
  return (lfb_hash){lfb_xxh64_u64(key), 0};
}

static void xxh64_u64_many(const lfb_hasher *hasher, const uint64_t *keys, size_t count,
                           uint64_t *low, uint64_t *high)
{
  lfb_hash_each_u64(hasher, keys, count, low, high, xxh64_u64);
}

static void xxh64_start(lfb_hash_stream *stream)
{
  (void)XXH64_reset(&stream->state.xxh64, 0);
}

static void xxh64_add(lfb_hash_stream *stream, const void *bytes, size_t size)
{
  (void)XXH64_update(&stream->state.xxh64, bytes, size);
}

static lfb_hash xxh64_finish(const lfb_hash_stream *stream)
{
  return (lfb_hash){XXH64_digest(&stream->state.xxh64), 0};
}

const lfb_hash_function lfb_hash_xxh64 = {
    .bytes = xxh64_bytes,
    .u64 = xxh64_u64,
    .u64_many = xxh64_u64_many,
    .start = xxh64_start,
    .add = xxh64_add,
    .finish = xxh64_finish,
};
