/*
 * aes_portable.c - the AES hash for processors without instructions for it: AES-128 by a table of
 * its S-box, and products in GF(2^128) bit by bit.
 *
 * Not constant in time: addresses in the table depend on the key and on the secrets.  A filter that
 * is made on such a processor has SipHash-1-3 by default (lfbloom/filter.h).  So this code serves
 * filters that came from other processors, and callers that name LFB_HASH_AES.
 *
 * Source: FIPS-197; RFC 8452 (the products).
 */
#include "bloom/hashing/aes_derive.h"

#include <string.h>

static const uint8_t aes_sbox[256] = {
    0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b, 0xfe, 0xd7, 0xab, 0x76,
    0xca, 0x82, 0xc9, 0x7d, 0xfa, 0x59, 0x47, 0xf0, 0xad, 0xd4, 0xa2, 0xaf, 0x9c, 0xa4, 0x72, 0xc0,
    0xb7, 0xfd, 0x93, 0x26, 0x36, 0x3f, 0xf7, 0xcc, 0x34, 0xa5, 0xe5, 0xf1, 0x71, 0xd8, 0x31, 0x15,
    0x04, 0xc7, 0x23, 0xc3, 0x18, 0x96, 0x05, 0x9a, 0x07, 0x12, 0x80, 0xe2, 0xeb, 0x27, 0xb2, 0x75,
    0x09, 0x83, 0x2c, 0x1a, 0x1b, 0x6e, 0x5a, 0xa0, 0x52, 0x3b, 0xd6, 0xb3, 0x29, 0xe3, 0x2f, 0x84,
    0x53, 0xd1, 0x00, 0xed, 0x20, 0xfc, 0xb1, 0x5b, 0x6a, 0xcb, 0xbe, 0x39, 0x4a, 0x4c, 0x58, 0xcf,
    0xd0, 0xef, 0xaa, 0xfb, 0x43, 0x4d, 0x33, 0x85, 0x45, 0xf9, 0x02, 0x7f, 0x50, 0x3c, 0x9f, 0xa8,
    0x51, 0xa3, 0x40, 0x8f, 0x92, 0x9d, 0x38, 0xf5, 0xbc, 0xb6, 0xda, 0x21, 0x10, 0xff, 0xf3, 0xd2,
    0xcd, 0x0c, 0x13, 0xec, 0x5f, 0x97, 0x44, 0x17, 0xc4, 0xa7, 0x7e, 0x3d, 0x64, 0x5d, 0x19, 0x73,
    0x60, 0x81, 0x4f, 0xdc, 0x22, 0x2a, 0x90, 0x88, 0x46, 0xee, 0xb8, 0x14, 0xde, 0x5e, 0x0b, 0xdb,
    0xe0, 0x32, 0x3a, 0x0a, 0x49, 0x06, 0x24, 0x5c, 0xc2, 0xd3, 0xac, 0x62, 0x91, 0x95, 0xe4, 0x79,
    0xe7, 0xc8, 0x37, 0x6d, 0x8d, 0xd5, 0x4e, 0xa9, 0x6c, 0x56, 0xf4, 0xea, 0x65, 0x7a, 0xae, 0x08,
    0xba, 0x78, 0x25, 0x2e, 0x1c, 0xa6, 0xb4, 0xc6, 0xe8, 0xdd, 0x74, 0x1f, 0x4b, 0xbd, 0x8b, 0x8a,
    0x70, 0x3e, 0xb5, 0x66, 0x48, 0x03, 0xf6, 0x0e, 0x61, 0x35, 0x57, 0xb9, 0x86, 0xc1, 0x1d, 0x9e,
    0xe1, 0xf8, 0x98, 0x11, 0x69, 0xd9, 0x8e, 0x94, 0x9b, 0x1e, 0x87, 0xe9, 0xce, 0x55, 0x28, 0xdf,
    0x8c, 0xa1, 0x89, 0x0d, 0xbf, 0xe6, 0x42, 0x68, 0x41, 0x99, 0x2d, 0x0f, 0xb0, 0x54, 0xbb, 0x16,
};

LFB_INLINE lfb_aes_words aes_load(const uint8_t *block)
{
  return (lfb_aes_words){lfb_load_le64(block), lfb_load_le64(block + 8)};
}

LFB_INLINE lfb_aes_words aes_words_add(lfb_aes_words a, lfb_aes_words b)
{
  return (lfb_aes_words){a.low ^ b.low, a.high ^ b.high};
}

LFB_INLINE lfb_aes_words aes_add_bytes(lfb_aes_words a, const uint8_t *block)
{
  return aes_words_add(a, aes_load(block));
}

/* SubBytes, ShiftRows and, if it `mixes`, MixColumns.  Byte i is in row i % 4, column i / 4. */
static lfb_aes_words aes_round(lfb_aes_words block, bool mixes)
{
  uint8_t from[LFB_AES_BLOCK], to[LFB_AES_BLOCK];

  lfb_store_le64(from, block.low);
  lfb_store_le64(from + 8, block.high);
  for (int i = 0; i < LFB_AES_BLOCK; i++) /* row r comes from r columns further */
    to[i] = aes_sbox[from[(i + 4 * (i % 4)) % LFB_AES_BLOCK]];
  for (int i = 0; mixes && i < LFB_AES_BLOCK; i += 4) {
    /* a0 becomes 2 a0 + 3 a1 + a2 + a3 = a0 + the sum of all four + 2 (a0 + a1) */
    const uint8_t all = to[i] ^ to[i + 1] ^ to[i + 2] ^ to[i + 3], first = to[i];
    for (int r = 0; r < 4; r++) {
      const uint8_t both = to[i + r] ^ (r < 3 ? to[i + r + 1] : first);
      to[i + r] = (uint8_t)(to[i + r] ^ all ^ both << 1 ^ (both >> 7) * 0x1b);
    }
  }
  return aes_load(to);
}

/* As lfb_aes_encrypt, of one block. */
static lfb_aes_words aes_encrypt(const uint8_t (*round)[LFB_AES_BLOCK], int rounds,
                                 lfb_aes_words block)
{
  for (int r = 1; r <= rounds; r++)
    block = aes_add_bytes(aes_round(block, r < rounds), round[r]);
  return block;
}

void lfb_aes_portable_encrypt(const uint8_t (*round)[LFB_AES_BLOCK], int rounds,
                              uint8_t *blocks, size_t count)
{
  for (uint8_t *at = blocks; at < blocks + count * LFB_AES_BLOCK; at += LFB_AES_BLOCK) {
    const lfb_aes_words block = aes_encrypt(round, rounds, aes_load(at));
    lfb_store_le64(at, block.low);
    lfb_store_le64(at + 8, block.high);
  }
}

/* ---- Products in GF(2^128) ------------------------------------------------------- */

/* Adds a * b to `sum`, two words. */
static void aes_multiply_add(uint64_t sum[2], uint64_t a, uint64_t b)
{
  for (int i = 0; i < 64; i++) {
    const uint64_t on = 0 - (b >> i & 1);
    sum[0] ^= on & a << i;
    sum[1] ^= on & a >> 1 >> (63 - i);
  }
}

/* Adds a * b to `sum`, four words. */
static void aes_product_add(uint64_t sum[4], lfb_aes_words a, lfb_aes_words b)
{
  aes_multiply_add(sum, a.low, b.low);
  aes_multiply_add(sum + 1, a.low, b.high);
  aes_multiply_add(sum + 1, a.high, b.low);
  aes_multiply_add(sum + 2, a.high, b.high);
}

/* The remainder of a sum, times x^-128: twice, the lowest word goes by adding it times the
 * polynomial. */
static lfb_aes_words aes_product_reduce(const uint64_t sum[4])
{
  const uint64_t a = sum[0];
  const uint64_t b = sum[1] ^ a << 63 ^ a << 62 ^ a << 57;

  return (lfb_aes_words){sum[2] ^ a ^ a >> 1 ^ a >> 2 ^ a >> 7 ^ b << 63 ^ b << 62 ^ b << 57,
                         sum[3] ^ b ^ b >> 1 ^ b >> 2 ^ b >> 7};
}

lfb_aes_words lfb_aes_portable_dot(lfb_aes_words a, lfb_aes_words b)
{
  uint64_t sum[4] = {0};

  aes_product_add(sum, a, b);
  return aes_product_reduce(sum);
}

/* ---- H, and the row -------------------------------------------------------------- */

/* Adds group `group` of the key to the sum. */
static void aes_sum_group(const lfb_aes_secrets *secrets, lfb_aes_sum *sum, uint64_t group,
                          const uint8_t *bytes)
{
  const size_t in_chunk = group % (LFB_AES_CHUNK / LFB_AES_GROUP);

  if (in_chunk == 0 && group > 0) {
    const lfb_aes_words y = aes_product_reduce(sum->words);
    memset(sum, 0, sizeof *sum);
    aes_product_add(sum->words, y, aes_load(secrets->power));
  }
  for (size_t lane = 0; lane < 2; lane++) {
    const uint8_t(*const pair)[LFB_AES_BLOCK] = secrets->pair + 4 * in_chunk + lane;
    const uint8_t *const at = bytes + lane * LFB_AES_BLOCK;
    aes_product_add(sum->words, aes_add_bytes(aes_load(at), pair[0]),
                    aes_add_bytes(aes_load(at + (size_t)2 * LFB_AES_BLOCK), pair[2]));
  }
}

/* Adds the groups of the next `size` bytes of a key, after `before`, to the sum.  Returns H of the
 * key up to their end, more than 128 bytes, and the first round key added. */
static lfb_aes_words aes_long(const lfb_aes_secrets *secrets, lfb_aes_sum *sum, uint64_t before,
                              const uint8_t *bytes, size_t size)
{
  const uint64_t first = before / LFB_AES_GROUP;
  const size_t more = (size - 1) / LFB_AES_GROUP; /* groups before the last */

  for (size_t i = 0; i < more; i++)
    aes_sum_group(secrets, sum, first + i, bytes + i * LFB_AES_GROUP);
  aes_sum_group(secrets, sum, first + more, bytes + size - LFB_AES_GROUP);
  const lfb_aes_words y = aes_add_bytes(aes_product_reduce(sum->words), secrets->round[0]);
  return (lfb_aes_words){y.low ^ (before + size), y.high};
}

/* Rk of a block. */
static lfb_aes_words aes_four_rounds(const lfb_aes_secrets *secrets, size_t k, lfb_aes_words block)
{
  for (int r = 0; r < 4; r++)
    block = aes_round(aes_add_bytes(block, secrets->four[k / 2][r][k % 2]), true);
  return block;
}

/* H, and the first round key added. */
static lfb_aes_words aes_first(const lfb_aes_secrets *secrets, const void *bytes, size_t size)
{
  const uint8_t *const at = (const uint8_t *)bytes;
  const size_t whole = size == 0 ? 0 : (size - 1) / LFB_AES_BLOCK; /* blocks before the last */
  const size_t left = size - whole * LFB_AES_BLOCK;
  uint8_t last[LFB_AES_BLOCK] = {0};

  if (size > LFB_AES_MIDDLE)
    return aes_long(secrets, &(lfb_aes_sum){{0}}, 0, at, size);
  if (size > 0)
    memcpy(last, at + whole * LFB_AES_BLOCK, left);
  if (size < LFB_AES_BLOCK)
    last[LFB_AES_BLOCK - 1] = (uint8_t)size;
  else if (left < LFB_AES_BLOCK)
    last[left] = 0x80;
  lfb_aes_words h = aes_add_bytes(
      aes_load(last), left == LFB_AES_BLOCK ? secrets->round_full : secrets->round[0]);
  for (size_t k = 0; k < whole; k++)
    h = aes_words_add(h, aes_four_rounds(secrets, k, aes_load(at + k * LFB_AES_BLOCK)));
  return h;
}

/* The hash of a block to which the first round key has been added. */
static lfb_hash aes_end(const lfb_aes_secrets *secrets, lfb_aes_words first)
{
  const lfb_aes_words block = aes_encrypt(secrets->round, LFB_AES_ROUNDS, first);
  return (lfb_hash){block.low, block.high};
}

/* With both halves. */
static lfb_hash aes_both(const lfb_hasher *hasher, const void *bytes, size_t size)
{
  return aes_end(&hasher->aes, aes_first(&hasher->aes, bytes, size));
}

static lfb_hash aes_bytes(const lfb_hasher *hasher, const void *bytes, size_t size)
{
  return (lfb_hash){aes_both(hasher, bytes, size).low, 0};
}

static lfb_hash aes_u64(const lfb_hasher *hasher, uint64_t key)
{
  const lfb_aes_words first = aes_add_bytes((lfb_aes_words){key, 0}, hasher->aes.round_number);
  return (lfb_hash){aes_end(&hasher->aes, first).low, 0};
}

static void aes_bytes_many(const lfb_hasher *hasher, const lfb_key *keys, size_t count,
                           uint64_t *low, uint64_t *high)
{
  lfb_hash_each_bytes(hasher, keys, count, low, high, aes_both);
}

static lfb_hash aes_piece(lfb_hash_pieces *key, const uint8_t *bytes, size_t size)
{
  const lfb_aes_secrets *const secrets = &key->hasher->aes;

  if (key->before == 0)
    memset(&key->state.aes, 0, sizeof key->state.aes);
  const lfb_aes_words first = aes_long(secrets, &key->state.aes, key->before, bytes, size);
  return (lfb_hash){aes_end(secrets, first).low, 0};
}

const lfb_hash_function lfb_hash_aes = {
    .bytes = aes_bytes,
    .u64 = aes_u64,
    .bytes_many = aes_bytes_many,
    .piece = aes_piece,
};
