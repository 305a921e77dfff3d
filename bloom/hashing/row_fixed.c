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

static void murmur128_absorb(lfb_hash_stream *stream, const unsigned char *groups, size_t count)
{
  const unsigned char *const end = groups + count * LFB_HASH_GROUP;
  lfb_hash h = stream->groups == 0 ? (lfb_hash){0, 0} : stream->state.hash;

  for (; groups < end; groups += 16)
    h = lfb_murmur128_block(h, lfb_load_le64(groups), lfb_load_le64(groups + 8));
  stream->state.hash = h;
}

static lfb_hash murmur128_finish(lfb_hash_stream *stream, const unsigned char *rest, size_t left,
                                 uint64_t size)
{
  return lfb_murmur128_rest(stream->state.hash, rest, left, size);
}

const lfb_hash_function lfb_hash_murmur128 = {
    .bytes = murmur128_bytes,
    .u64 = murmur128_u64,
    .bytes_many = murmur128_bytes_many,
    .u64_many = murmur128_u64_many,
    .absorb = murmur128_absorb,
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

static void pair_absorb(lfb_hash_stream *stream, const unsigned char *groups, size_t count)
{
  const unsigned char *const end = groups + count * LFB_HASH_GROUP;
  const uint64_t seed = stream->hasher->identity.seed;
  lfb_hash h = stream->groups == 0 ? (lfb_hash){(uint32_t)seed, seed >> 32} : stream->state.hash;

  for (; groups < end; groups += 4) {
    const uint32_t block = lfb_load_le32(groups);
    h = (lfb_hash){lfb_murmur32_block((uint32_t)h.low, block),
                   lfb_murmur32_block((uint32_t)h.high, block)};
  }
  stream->state.hash = h;
}

static lfb_hash pair_finish(lfb_hash_stream *stream, const unsigned char *rest, size_t left,
                            uint64_t size)
{
  const lfb_hash h = stream->state.hash;
  return (lfb_hash){lfb_murmur32_rest((uint32_t)h.low, rest, left, size),
                    lfb_murmur32_rest((uint32_t)h.high, rest, left, size)};
}

const lfb_hash_function lfb_hash_murmur32_pair = {
    .bytes = pair_bytes,
    .u64 = pair_u64,
    .absorb = pair_absorb,
    .finish = pair_finish,
};

/* ---- FNV-1a ---------------------------------------------------------------------- */

static lfb_hash fnv_bytes(const lfb_hasher *hasher, const void *bytes, size_t size)
{
  (void)hasher;
  return (lfb_hash){lfb_fnv1a32(LFB_FNV32_BASIS, bytes, size), 0};
}

/* Writes a signed decimal number without a NUL.  Returns its size in bytes, at most 20. */
static size_t fnv_decimal(int64_t value, char text[20])
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

static lfb_hash fnv_u64(const lfb_hasher *hasher, uint64_t key)
{
  char text[20];
  return fnv_bytes(hasher, text, fnv_decimal((int64_t)key, text));
}

static void fnv_absorb(lfb_hash_stream *stream, const unsigned char *groups, size_t count)
{
  const uint32_t h = stream->groups == 0 ? LFB_FNV32_BASIS : (uint32_t)stream->state.hash.low;
  stream->state.hash = (lfb_hash){lfb_fnv1a32(h, groups, count * LFB_HASH_GROUP), 0};
}

static lfb_hash fnv_finish(lfb_hash_stream *stream, const unsigned char *rest, size_t left,
                           uint64_t size)
{
  (void)size;
  return (lfb_hash){lfb_fnv1a32((uint32_t)stream->state.hash.low, rest, left), 0};
}

const lfb_hash_function lfb_hash_fnv1a32 = {
    .bytes = fnv_bytes,
    .u64 = fnv_u64,
    .absorb = fnv_absorb,
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

static void xxh64_absorb(lfb_hash_stream *stream, const unsigned char *groups, size_t count)
{
  if (stream->groups == 0)
    (void)XXH64_reset(&stream->state.xxh64, 0);
  (void)XXH64_update(&stream->state.xxh64, groups, count * LFB_HASH_GROUP);
}

static lfb_hash xxh64_finish(lfb_hash_stream *stream, const unsigned char *rest, size_t left,
                             uint64_t size)
{
  (void)size;
  (void)XXH64_update(&stream->state.xxh64, rest, left);
  return (lfb_hash){XXH64_digest(&stream->state.xxh64), 0};
}

const lfb_hash_function lfb_hash_xxh64 = {
    .bytes = xxh64_bytes,
    .u64 = xxh64_u64,
    .u64_many = xxh64_u64_many,
    .absorb = xxh64_absorb,
    .finish = xxh64_finish,
};
