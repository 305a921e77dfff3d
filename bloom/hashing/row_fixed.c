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

__attribute__((cold))
static lfb_hash murmur128_piece(lfb_hash_pieces *key, const unsigned char *bytes, size_t size)
{
  if (key->before == 0)
    key->state.hash = (lfb_hash){0, 0};
  return lfb_murmur128_piece(&key->state.hash, bytes, size, key->before + size);
}

const lfb_hash_function lfb_hash_murmur128 = {
    .bytes = murmur128_bytes,
    .u64 = murmur128_u64,
    .bytes_many = murmur128_bytes_many,
    .u64_many = murmur128_u64_many,
    .piece = murmur128_piece,
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

__attribute__((cold))
static lfb_hash pair_piece(lfb_hash_pieces *key, const unsigned char *bytes, size_t size)
{
  const uint64_t seed = key->hasher->identity.seed, whole = key->before + size;
  uint32_t *const words = key->state.words;

  if (key->before == 0) {
    words[0] = (uint32_t)seed;
    words[1] = (uint32_t)(seed >> 32);
  }
  return (lfb_hash){lfb_murmur32_piece(&words[0], bytes, size, whole),
                    lfb_murmur32_piece(&words[1], bytes, size, whole)};
}

const lfb_hash_function lfb_hash_murmur32_pair = {
    .bytes = pair_bytes,
    .u64 = pair_u64,
    .piece = pair_piece,
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

static lfb_hash fnv_piece(lfb_hash_pieces *key, const unsigned char *bytes, size_t size)
{
  uint32_t *const h = key->state.words;

  *h = lfb_fnv1a32(key->before == 0 ? LFB_FNV32_BASIS : *h, bytes, size);
  return (lfb_hash){*h, 0};
}

const lfb_hash_function lfb_hash_fnv1a32 = {
    .bytes = fnv_bytes,
    .u64 = fnv_u64,
    .piece = fnv_piece,
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

__attribute__((cold))
static lfb_hash xxh64_piece(lfb_hash_pieces *key, const unsigned char *bytes, size_t size)
{
  XXH64_state_t *const state = &key->state.xxh64;

  if (key->before == 0)
    (void)XXH64_reset(state, 0);
  (void)XXH64_update(state, bytes, size);
  return (lfb_hash){XXH64_digest(state), 0};
}

const lfb_hash_function lfb_hash_xxh64 = {
    .bytes = xxh64_bytes,
    .u64 = xxh64_u64,
    .u64_many = xxh64_u64_many,
    .piece = xxh64_piece,
};
