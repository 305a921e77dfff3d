/*
 * aes_portable.c - AES-128 and products in GF(2^128), bit by bit.
 *
 * A slice is a word of 64 bits: one bit of each byte of four blocks.  Words 2k and 2k + 1 are the
 * halves of block k, and slice b has bit b of byte i of word j at place 8 i + j.  The byte in row r,
 * column c of block k is therefore at place 32 (c % 2) + 8 r + 2 k + c / 2.
 *
 * Source: the S-box is the circuit of 115 gates of Boyar and Peralta, "A depth-16 circuit for the
 * AES S-box", 2011.  Carry-less products by integer multiplication of numbers with holes: Pornin,
 * BearSSL, "Constant-time multiplication".
 */
#include "bloom/hashing/aes_derive.h"

#include <string.h>

enum { AES_SLICED = 4 }; /* blocks at a time */

typedef struct aes_slices {
  uint64_t bit[8];
} aes_slices;

/* ---- Blocks to slices and back --------------------------------------------------- */

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

/* Exchanges bit b of byte i of word j with bit j of byte i of word b. */
LFB_INLINE void aes_transpose(uint64_t word[8])
{
  static const uint64_t masks[3] = {UINT64_C(0x5555555555555555), UINT64_C(0x3333333333333333),
                                    UINT64_C(0x0f0f0f0f0f0f0f0f)};

  LFB_UNROLL
  for (int stage = 0; stage < 3; stage++) {
    const int shift = 1 << stage;
    LFB_UNROLL
    for (int i = 0; i < 8; i++)
      if ((i & shift) == 0) {
        const uint64_t differ = (word[i] >> shift ^ word[i + shift]) & masks[stage];
        word[i + shift] ^= differ;
        word[i] ^= differ << shift;
      }
  }
}

LFB_INLINE aes_slices aes_slice(const lfb_aes_words blocks[AES_SLICED])
{
  aes_slices s;

  LFB_UNROLL
  for (size_t k = 0; k < AES_SLICED; k++) {
    s.bit[2 * k] = blocks[k].low;
    s.bit[2 * k + 1] = blocks[k].high;
  }
  aes_transpose(s.bit);
  return s;
}

LFB_INLINE void aes_unslice(lfb_aes_words blocks[AES_SLICED], aes_slices s)
{
  aes_transpose(s.bit);
  LFB_UNROLL
  for (size_t k = 0; k < AES_SLICED; k++)
    blocks[k] = (lfb_aes_words){s.bit[2 * k], s.bit[2 * k + 1]};
}

/* Adds four blocks. */
LFB_INLINE void aes_add(aes_slices *s, const lfb_aes_words blocks[AES_SLICED])
{
  const aes_slices other = aes_slice(blocks);

  LFB_UNROLL
  for (int b = 0; b < 8; b++)
    s->bit[b] ^= other.bit[b];
}

/* ---- The round ------------------------------------------------------------------- */

/* The S-box's first linear part: the factors of all products, as the paper numbers them; y[0] is the
 * paper's x7. */
LFB_INLINE void aes_sbox_first(const uint64_t bit[8], uint64_t y[22])
{
  const uint64_t x0 = bit[7], x1 = bit[6], x2 = bit[5], x3 = bit[4], x4 = bit[3], x5 = bit[2],
                 x6 = bit[1], x7 = bit[0];
  const uint64_t t0 = x1 ^ x2;

  y[0] = x7;
  y[14] = x3 ^ x5;
  y[13] = x0 ^ x6;
  y[9] = x0 ^ x3;
  y[8] = x0 ^ x5;
  y[1] = t0 ^ x7;
  y[4] = y[1] ^ x3;
  y[12] = y[13] ^ y[14];
  y[2] = y[1] ^ x0;
  y[5] = y[1] ^ x6;
  y[3] = y[5] ^ y[8];
  const uint64_t t1 = x4 ^ y[12];
  y[15] = t1 ^ x5;
  y[20] = t1 ^ x1;
  y[6] = y[15] ^ x7;
  y[10] = y[15] ^ t0;
  y[11] = y[20] ^ y[9];
  y[7] = x7 ^ y[11];
  y[17] = y[10] ^ y[11];
  y[19] = y[10] ^ y[8];
  y[16] = t0 ^ y[11];
  y[21] = y[13] ^ y[16];
  y[18] = x0 ^ y[16];
}

/* The inverse in the field of 16 elements: four bits that the products of the last part take. */
LFB_INLINE void aes_sbox_inverse(const uint64_t y[22], uint64_t inverse[4])
{
  const uint64_t t2 = y[12] & y[15], t7 = y[13] & y[16], t12 = y[9] & y[11];
  const uint64_t t14 = (y[14] & y[17]) ^ t12, t16 = (y[8] & y[10]) ^ t12;
  const uint64_t t21 = (y[3] & y[6]) ^ t2 ^ t14 ^ y[20];
  const uint64_t t22 = (y[4] & y[0]) ^ t2 ^ t16 ^ y[19];
  const uint64_t t23 = (y[5] & y[1]) ^ t7 ^ t14 ^ y[21];
  const uint64_t t24 = (y[2] & y[7]) ^ t7 ^ t16 ^ y[18];
  const uint64_t t25 = t21 ^ t22, t26 = t21 & t23, t27 = t24 ^ t26;
  const uint64_t t29 = (t25 & t27) ^ t22;
  const uint64_t t33 = ((t22 ^ t26) & (t23 ^ t24)) ^ t24;
  const uint64_t t36 = t24 & (t27 ^ t33);

  inverse[0] = t29;
  inverse[1] = t33;
  inverse[2] = t36 ^ t23 ^ t33;           /* t37 */
  inverse[3] = t25 ^ (t29 & (t27 ^ t36)); /* t40 */
}

/* The products with the inverse, and the last linear part. */
LFB_INLINE void aes_sbox_last(const uint64_t y[22], const uint64_t inverse[4], uint64_t bit[8])
{
  const uint64_t t29 = inverse[0], t33 = inverse[1], t37 = inverse[2], t40 = inverse[3];
  const uint64_t t41 = t40 ^ t37, t42 = t29 ^ t33, t43 = t29 ^ t40, t44 = t33 ^ t37;
  const uint64_t t45 = t42 ^ t41;
  const uint64_t z0 = t44 & y[15], z1 = t37 & y[6], z2 = t33 & y[0], z3 = t43 & y[16],
                 z4 = t40 & y[1], z5 = t29 & y[7], z6 = t42 & y[11], z7 = t45 & y[17],
                 z8 = t41 & y[10], z9 = t44 & y[12], z10 = t37 & y[3], z11 = t33 & y[4],
                 z12 = t43 & y[13], z13 = t40 & y[5], z14 = t29 & y[2], z15 = t42 & y[9],
                 z16 = t45 & y[14], z17 = t41 & y[8];
  const uint64_t t46 = z15 ^ z16, t48 = z5 ^ z13, t53 = z0 ^ z3, t54 = z6 ^ z7;
  const uint64_t t57 = z2 ^ z12 ^ t53, t58 = z4 ^ t46, t59 = z3 ^ t54;
  const uint64_t t62 = z7 ^ z8 ^ t58, t63 = z9 ^ z10 ^ t58, t64 = z4 ^ t59;
  const uint64_t t65 = z14 ^ t57 ^ t62, t66 = z1 ^ t63;

  bit[7] = t59 ^ t63;
  bit[1] = ~(z12 ^ t48 ^ t62);
  bit[0] = ~(t48 ^ t46 ^ t57);
  bit[4] = t53 ^ t66;
  bit[3] = z2 ^ z5 ^ t66;
  bit[2] = z10 ^ z11 ^ t65;
  bit[6] = ~(t64 ^ bit[4]);
  bit[5] = ~(z16 ^ z17 ^ t64 ^ t65);
}

LFB_INLINE void aes_substitute(aes_slices *s)
{
  uint64_t y[22], inverse[4];

  aes_sbox_first(s->bit, y);
  aes_sbox_inverse(y, inverse);
  aes_sbox_last(y, inverse, s->bit);
}

/* Turns the columns of row r by r: between the halves of the word for rows 1 and 3, then between
 * neighbours. */
LFB_INLINE void aes_shift_rows(aes_slices *s)
{
  LFB_UNROLL
  for (int b = 0; b < 8; b++) {
    uint64_t x = s->bit[b];
    x ^= (x ^ lfb_rotate64(x, 32)) & UINT64_C(0xff00ff00ff00ff00);
    const uint64_t differ = (x ^ x >> 1) & UINT64_C(0x0055550055550000);
    s->bit[b] = x ^ differ ^ differ << 1;
  }
}

/* Each byte becomes 2 a0 + 3 a1 + a2 + a3 = 2 (a0 + a1) + a0 + the sum of all four. */
LFB_INLINE void aes_mix_columns(aes_slices *s)
{
  aes_slices both; /* a0 + a1 */

  LFB_UNROLL
  for (int b = 0; b < 8; b++) {
    const uint64_t x = s->bit[b];
    both.bit[b] = x ^ (x >> 8 & UINT64_C(0x00ffffff00ffffff)) ^
                  (x << 24 & UINT64_C(0xff000000ff000000));
  }
  LFB_UNROLL
  for (int b = 0; b < 8; b++) {
    const uint64_t half = (both.bit[b] ^ both.bit[b] >> 16) & UINT64_C(0x0000ffff0000ffff);
    uint64_t twice = both.bit[(b + 7) % 8];
    if (b == 1 || b == 3 || b == 4) /* x^8 = x^4 + x^3 + x + 1 */
      twice ^= both.bit[7];
    s->bit[b] ^= twice ^ half ^ half << 16;
  }
}

/* As lfb_aes_encrypt, of four blocks. */
static void aes_encrypt_four(const uint8_t (*round)[LFB_AES_BLOCK], int rounds,
                             lfb_aes_words blocks[AES_SLICED])
{
  aes_slices s = aes_slice(blocks);

  for (int r = 1; r <= rounds; r++) {
    const lfb_aes_words key = aes_load(round[r]);
    const lfb_aes_words keys[AES_SLICED] = {key, key, key, key};
    aes_substitute(&s);
    aes_shift_rows(&s);
    if (r < rounds)
      aes_mix_columns(&s);
    aes_add(&s, keys);
  }
  aes_unslice(blocks, s);
}

void lfb_aes_portable_encrypt(const uint8_t (*round)[LFB_AES_BLOCK], int rounds,
                              uint8_t *blocks, size_t count)
{
  for (size_t done = 0; done < count; done += AES_SLICED) {
    const size_t some = count - done < AES_SLICED ? count - done : AES_SLICED;
    uint8_t *const at = blocks + done * LFB_AES_BLOCK;
    lfb_aes_words four[AES_SLICED] = {{0, 0}};
    for (size_t k = 0; k < some; k++)
      four[k] = aes_load(at + k * LFB_AES_BLOCK);
    aes_encrypt_four(round, rounds, four);
    for (size_t k = 0; k < some; k++) {
      lfb_store_le64(at + k * LFB_AES_BLOCK, four[k].low);
      lfb_store_le64(at + k * LFB_AES_BLOCK + 8, four[k].high);
    }
  }
}

/* ---- Products in GF(2^128) ------------------------------------------------------- */

/* The low 64 bits of the carry-less product.  Each factor is split into four numbers that have every
 * fourth bit.  At most 15 products meet at a bit, so carries stay in the three bits above it; 16 meet
 * only at the highest bit, and its carries leave the word. */
LFB_INLINE uint64_t aes_multiply_low(uint64_t a, uint64_t b)
{
  const uint64_t fourth = UINT64_C(0x1111111111111111);
  uint64_t product = 0;

  LFB_UNROLL
  for (int k = 0; k < 4; k++) {
    uint64_t sum = 0;
    LFB_UNROLL
    for (int i = 0; i < 4; i++)
      sum ^= (a & fourth << i) * (b & fourth << (k - i + 4) % 4);
    product |= sum & fourth << k;
  }
  return product;
}

LFB_INLINE uint64_t aes_reverse(uint64_t x)
{
  const uint64_t ones = UINT64_C(0x5555555555555555), twos = UINT64_C(0x3333333333333333),
                 fours = UINT64_C(0x0f0f0f0f0f0f0f0f);

  x = (x >> 1 & ones) | (x & ones) << 1;
  x = (x >> 2 & twos) | (x & twos) << 2;
  x = (x >> 4 & fours) | (x & fours) << 4;
  return __builtin_bswap64(x);
}

/* Adds a * b to `sum`, four words: Karatsuba's three products.  The high half of each is the low
 * half of the reversed factors' product, reversed, and one bit lower. */
static void aes_product_add(uint64_t sum[4], lfb_aes_words a, lfb_aes_words b)
{
  const uint64_t left[3] = {a.low, a.high, a.low ^ a.high};
  const uint64_t right[3] = {b.low, b.high, b.low ^ b.high};
  const uint64_t left_low = aes_reverse(a.low), left_high = aes_reverse(a.high);
  const uint64_t right_low = aes_reverse(b.low), right_high = aes_reverse(b.high);
  const uint64_t left_back[3] = {left_low, left_high, left_low ^ left_high};
  const uint64_t right_back[3] = {right_low, right_high, right_low ^ right_high};
  uint64_t low[3], high[3];

  for (int i = 0; i < 3; i++) {
    low[i] = aes_multiply_low(left[i], right[i]);
    high[i] = aes_reverse(aes_multiply_low(left_back[i], right_back[i])) >> 1;
  }
  sum[0] ^= low[0];
  sum[1] ^= high[0] ^ low[0] ^ low[1] ^ low[2];
  sum[2] ^= low[1] ^ high[0] ^ high[1] ^ high[2];
  sum[3] ^= high[1];
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

/* Adds `count` groups to a sum; the first of them is the key's group `first`. */
static void aes_sum_groups(const lfb_aes_secrets *secrets, lfb_aes_sum *sum, const uint8_t *groups,
                           uint64_t first, size_t count)
{
  enum { CHUNK_GROUPS = LFB_AES_CHUNK / LFB_AES_GROUP };

  for (uint64_t group = first; group < first + count; group++, groups += LFB_AES_GROUP) {
    if (group % CHUNK_GROUPS == 0 && group > 0) {
      const lfb_aes_words y = aes_product_reduce(sum->words);
      memset(sum, 0, sizeof *sum);
      aes_product_add(sum->words, y, aes_load(secrets->power));
    }
    for (size_t lane = 0; lane < 2; lane++) {
      const uint8_t(*const pair)[LFB_AES_BLOCK] = secrets->pair + group % CHUNK_GROUPS * 4 + lane;
      const uint8_t *const at = groups + lane * LFB_AES_BLOCK;
      aes_product_add(sum->words, aes_add_bytes(aes_load(at), pair[0]),
                      aes_add_bytes(aes_load(at + (size_t)2 * LFB_AES_BLOCK), pair[2]));
    }
  }
}

/* H of a key of `size` bytes, more than 128, from the sum of its groups; and the first round key
 * added. */
static lfb_aes_words aes_long_end(const lfb_aes_secrets *secrets, const lfb_aes_sum *sum,
                                  uint64_t size)
{
  const lfb_aes_words y = aes_add_bytes(aes_product_reduce(sum->words), secrets->round[0]);
  return (lfb_aes_words){y.low ^ size, y.high};
}

static lfb_aes_words aes_long(const lfb_aes_secrets *secrets, const uint8_t *bytes, size_t size)
{
  const size_t before = (size - 1) / LFB_AES_GROUP; /* groups before the last */
  lfb_aes_sum sum = {{0}};

  aes_sum_groups(secrets, &sum, bytes, 0, before);
  aes_sum_groups(secrets, &sum, bytes + size - LFB_AES_GROUP, before, 1);
  return aes_long_end(secrets, &sum, size);
}

/* Replaces block k of four by R(first + k) of it; `first` is 0 or 4. */
static void aes_four_rounds(const lfb_aes_secrets *secrets, size_t first,
                            lfb_aes_words blocks[AES_SLICED])
{
  aes_slices s = aes_slice(blocks);

  for (int r = 0; r < 4; r++) {
    lfb_aes_words keys[AES_SLICED];
    for (size_t k = 0; k < AES_SLICED; k++)
      keys[k] = aes_load(secrets->four[(first + k) / 2][r][k % 2]);
    aes_add(&s, keys);
    aes_substitute(&s);
    aes_shift_rows(&s);
    aes_mix_columns(&s);
  }
  aes_unslice(blocks, s);
}

/* H, and the first round key added. */
static lfb_aes_words aes_first(const lfb_aes_secrets *secrets, const void *bytes, size_t size)
{
  const uint8_t *const at = (const uint8_t *)bytes;
  const size_t whole = size == 0 ? 0 : (size - 1) / LFB_AES_BLOCK; /* blocks before the last */
  const size_t left = size - whole * LFB_AES_BLOCK;
  uint8_t last[LFB_AES_BLOCK] = {0};

  if (size > LFB_AES_MIDDLE)
    return aes_long(secrets, at, size);
  if (size > 0)
    memcpy(last, at + whole * LFB_AES_BLOCK, left);
  if (size < LFB_AES_BLOCK)
    last[LFB_AES_BLOCK - 1] = (uint8_t)size;
  else if (left < LFB_AES_BLOCK)
    last[left] = 0x80;
  lfb_aes_words h = aes_add_bytes(
      aes_load(last), left == LFB_AES_BLOCK ? secrets->round_full : secrets->round[0]);
  for (size_t first = 0; first < whole; first += AES_SLICED) {
    lfb_aes_words blocks[AES_SLICED] = {{0, 0}};
    for (size_t k = 0; k < AES_SLICED && first + k < whole; k++)
      blocks[k] = aes_load(at + (first + k) * LFB_AES_BLOCK);
    aes_four_rounds(secrets, first, blocks);
    for (size_t k = 0; k < AES_SLICED && first + k < whole; k++)
      h = aes_words_add(h, blocks[k]);
  }
  return h;
}

static lfb_aes_words aes_first_number(const lfb_aes_secrets *secrets, uint64_t number)
{
  return aes_add_bytes((lfb_aes_words){number, 0}, secrets->round_number);
}

/* Writes the hashes of the first `count` of four blocks to which the first round key has been
 * added; their other halves, too, unless `high` is NULL. */
static void aes_together(const lfb_aes_secrets *secrets, lfb_aes_words blocks[AES_SLICED],
                         size_t count, uint64_t *low, uint64_t *high)
{
  aes_encrypt_four(secrets->round, LFB_AES_ROUNDS, blocks);
  for (size_t k = 0; k < count; k++) {
    low[k] = blocks[k].low;
    if (high != NULL)
      high[k] = blocks[k].high;
  }
}

/* The hash of one such block; the other three are for nothing. */
static lfb_hash aes_alone(const lfb_aes_secrets *secrets, lfb_aes_words first)
{
  lfb_aes_words blocks[AES_SLICED] = {first};
  lfb_hash hash = {0, 0};

  aes_together(secrets, blocks, 1, &hash.low, NULL);
  return hash;
}

static lfb_hash aes_bytes(const lfb_hasher *hasher, const void *bytes, size_t size)
{
  return aes_alone(&hasher->aes, aes_first(&hasher->aes, bytes, size));
}

static lfb_hash aes_u64(const lfb_hasher *hasher, uint64_t key)
{
  return aes_alone(&hasher->aes, aes_first_number(&hasher->aes, key));
}

static void aes_bytes_many(const lfb_hasher *hasher, const lfb_key *keys, size_t count,
                           uint64_t *low, uint64_t *high)
{
  for (size_t done = 0, k; done < count; done += k) {
    lfb_aes_words blocks[AES_SLICED] = {{0, 0}};
    for (k = 0; k < AES_SLICED && done + k < count; k++)
      blocks[k] = aes_first(&hasher->aes, keys[done + k].bytes, keys[done + k].size);
    aes_together(&hasher->aes, blocks, k, low + done, high == NULL ? NULL : high + done);
  }
}

static void aes_u64_many(const lfb_hasher *hasher, const uint64_t *keys, size_t count,
                         uint64_t *low, uint64_t *high)
{
  (void)high;
  for (size_t done = 0, k; done < count; done += k) {
    lfb_aes_words blocks[AES_SLICED] = {{0, 0}};
    for (k = 0; k < AES_SLICED && done + k < count; k++)
      blocks[k] = aes_first_number(&hasher->aes, keys[done + k]);
    aes_together(&hasher->aes, blocks, k, low + done, NULL);
  }
}

static void aes_absorb(lfb_hash_stream *stream, const uint8_t *groups, size_t count)
{
  lfb_aes_sum *const sum = &stream->state.aes;

  if (stream->groups == 0)
    memset(sum, 0, sizeof *sum);
  aes_sum_groups(&stream->hasher->aes, sum, groups, stream->groups, count);
}

static lfb_hash aes_finish(lfb_hash_stream *stream, const uint8_t *rest, size_t left,
                           uint64_t size)
{
  aes_absorb(stream, rest + left - LFB_AES_GROUP, 1);
  return aes_alone(&stream->hasher->aes,
                   aes_long_end(&stream->hasher->aes, &stream->state.aes, size));
}

const lfb_hash_function lfb_hash_aes = {
    .bytes = aes_bytes,
    .u64 = aes_u64,
    .bytes_many = aes_bytes_many,
    .u64_many = aes_u64_many,
    .absorb = aes_absorb,
    .finish = aes_finish,
};
