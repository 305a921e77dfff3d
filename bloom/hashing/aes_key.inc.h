/*
 * aes_key.inc.h - template: the AES hash of one key, for one set of instructions.
 *
 * Before including it, define
 *
 *   AES_TARGET      the target attribute of its functions
 *   AES_KEY(noun)   the name of an inlined function: lfb_aes256_##noun
 *   AES_LONG        a name for the function that hashes more than 128 bytes; one .c file defines it
 *                   by AES_KEY(long)
 *   AES_VECTOR      a vector of one block or of two, with these operations:
 *
 *   AES_LOAD(bytes), AES_SECRET(bytes)          any bytes; secrets
 *   AES_ROUND(a, key)                           a round of AES of each block
 *   AES_LOW_PRODUCTS(a, b), AES_HIGH_PRODUCTS(a, b)
 *                                               carry-less products of the halves of each block
 *   AES_SWAP(a)                                 the halves of each block exchanged
 *   AES_FOLD(a)                                 the sum of the blocks: an lfb_aes_vector
 */

/* Sums of Karatsuba's three products: of low halves, of high halves, of both halves' sums. */
typedef struct AES_KEY(sum) {
  AES_VECTOR low, both, high;
} AES_KEY(sum);

/* Adds the two products of a group. */
AES_TARGET LFB_INLINE AES_KEY(sum) AES_KEY(sum_add)(AES_KEY(sum) sum, const uint8_t *group,
                                                    const uint8_t *pair)
{
  LFB_UNROLL
  for (size_t at = 0; at < (size_t)2 * LFB_AES_BLOCK; at += sizeof(AES_VECTOR)) {
    const AES_VECTOR a = AES_LOAD(group + at) ^ AES_SECRET(pair + at);
    const AES_VECTOR b = AES_LOAD(group + 32 + at) ^ AES_SECRET(pair + 32 + at);
    sum.low ^= AES_LOW_PRODUCTS(a, b);
    sum.high ^= AES_HIGH_PRODUCTS(a, b);
    sum.both ^= AES_LOW_PRODUCTS(a ^ AES_SWAP(a), b ^ AES_SWAP(b));
  }
  return sum;
}

/* Adds the groups of the next `size` bytes of a key, after `before`, to the sum.  Returns H of the
 * key up to their end, more than 128 bytes, and the first round key added. */
AES_TARGET LFB_INLINE lfb_aes_vector AES_KEY(long)(const lfb_aes_secrets *secrets,
                                                   lfb_aes_product *sum, uint64_t before,
                                                   const uint8_t *bytes, size_t size)
{
  enum { CHUNK_GROUPS = LFB_AES_CHUNK / LFB_AES_GROUP };
  const AES_VECTOR zero = {0};
  const uint8_t *const last = bytes + size - LFB_AES_GROUP;
  const uint64_t whole = before + size;
  size_t in_chunk = before / LFB_AES_GROUP % CHUNK_GROUPS;

  for (size_t count = (size + LFB_AES_GROUP - 1) / LFB_AES_GROUP; count > 0; in_chunk = 0) {
    const size_t room = CHUNK_GROUPS - in_chunk, some = count < room ? count : room;
    AES_KEY(sum) chunk = {zero, zero, zero};
    if (in_chunk == 0 && before > 0)
      *sum = lfb_aes_multiply(lfb_aes_reduce(*sum), lfb_aes_secret(secrets->power));
    for (const size_t end = in_chunk + some; in_chunk < end; in_chunk++, bytes += LFB_AES_GROUP) {
      if (--count == 0)
        bytes = last;
      chunk = AES_KEY(sum_add)(chunk, bytes, secrets->pair[4 * in_chunk]);
    }
    sum->low ^= AES_FOLD(chunk.low);
    sum->middle ^= AES_FOLD(chunk.both ^ chunk.low ^ chunk.high);
    sum->high ^= AES_FOLD(chunk.high);
    before += some;
  }
  return lfb_aes_reduce(*sum) ^ lfb_aes_make(whole, 0) ^ lfb_aes_secret(secrets->round[0]);
}

/* R(2i) ^ R(2i + 1) of 32 bytes; `four` is secrets->four[i]. */
AES_TARGET LFB_INLINE lfb_aes_vector AES_KEY(twice)(const uint8_t four[4][2][LFB_AES_BLOCK],
                                                    const uint8_t *bytes)
{
  const AES_VECTOR zero = {0};
  lfb_aes_vector sum = lfb_aes_make(0, 0);

  LFB_UNROLL
  for (size_t at = 0; at < (size_t)2 * LFB_AES_BLOCK; at += sizeof(AES_VECTOR)) {
    AES_VECTOR a = AES_LOAD(bytes + at) ^ AES_SECRET(four[0][0] + at);
    LFB_UNROLL
    for (int r = 1; r < 4; r++)
      a = AES_ROUND(a, AES_SECRET(four[r][0] + at));
    sum = lfb_aes_xor(sum, AES_FOLD(AES_ROUND(a, zero)));
  }
  return sum;
}

/* H of 17 to 128 bytes, and the first round key added.  The last 16 bytes are read at once, and
 * moved to where they are in the padded last block. */
AES_TARGET LFB_INLINE lfb_aes_vector AES_KEY(middle)(const lfb_aes_secrets *secrets,
                                                     const uint8_t *bytes, size_t size)
{
  static const uint8_t indexes[2 * LFB_AES_BLOCK] = {
      0,   1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15,
      128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128};
  static const uint8_t padding[2 * LFB_AES_BLOCK] = {0, 0, 0, 0, 0, 0, 0, 0, 0,
                                                     0, 0, 0, 0, 0, 0, 0, 0x80};
  const size_t whole = (size - 1) / LFB_AES_BLOCK; /* blocks before the last */
  const size_t absent = LFB_AES_BLOCK * (whole + 1) - size;
  const lfb_aes_vector last = lfb_aes_pick(lfb_aes_load(bytes + size - LFB_AES_BLOCK),
                                           lfb_aes_load(indexes + absent));
  lfb_aes_vector h =
      lfb_aes_xor(lfb_aes_xor(last, lfb_aes_load(padding + absent)),
                  lfb_aes_secret(absent == 0 ? secrets->round_full : secrets->round[0]));

  /* Three ifs take a third less time than a loop. */
  if (whole >= 2)
    h = lfb_aes_xor(h, AES_KEY(twice)(secrets->four[0], bytes));
  if (whole >= 4)
    h = lfb_aes_xor(h, AES_KEY(twice)(secrets->four[1], bytes + 32));
  if (whole >= 6)
    h = lfb_aes_xor(h, AES_KEY(twice)(secrets->four[2], bytes + 64));
  if (whole % 2 != 0)
    h = lfb_aes_xor(h, lfb_aes_four(secrets->four[whole / 2],
                                    lfb_aes_load(bytes + LFB_AES_BLOCK * (whole - 1))));
  return h;
}

/* H of at most 15 bytes, and the first round key added.  Only the last addition waits for the key's
 * bytes. */
AES_TARGET LFB_INLINE lfb_aes_vector AES_KEY(short)(const lfb_aes_secrets *secrets,
                                                    const uint8_t *bytes, size_t size)
{
  const lfb_aes_vector rest =
      lfb_aes_make(0, (uint64_t)size << 56) ^ lfb_aes_secret(secrets->round[0]);

  if (size < 8)
    return lfb_aes_make(lfb_load_le_partial(bytes, size), 0) ^ rest;
  const lfb_aes_vector low = lfb_aes_make(lfb_load_le64(bytes), 0);
  const lfb_aes_vector end = lfb_aes_make(lfb_load_le64(bytes + size - 8), 0);
  return lfb_aes_lows(low, lfb_aes_low_shifted(end, 8 * (LFB_AES_BLOCK - size))) ^ rest;
}

/* H, and the first round key added. */
AES_TARGET LFB_INLINE lfb_aes_vector AES_KEY(first)(const lfb_aes_secrets *secrets,
                                                    const void *bytes, size_t size)
{
  const uint8_t *const at = (const uint8_t *)bytes;

  if (size < LFB_AES_BLOCK)
    return AES_KEY(short)(secrets, at, size);
  if (size == LFB_AES_BLOCK)
    return lfb_aes_load(at) ^ lfb_aes_secret(secrets->round_full);
  if (size <= LFB_AES_MIDDLE)
    return AES_KEY(middle)(secrets, at, size);
  return AES_LONG(secrets, at, size);
}

AES_TARGET LFB_INLINE uint64_t AES_KEY(bytes)(const lfb_aes_secrets *secrets, const void *bytes,
                                              size_t size)
{
  return lfb_aes_low(lfb_aes_rounds(secrets->round, AES_KEY(first)(secrets, bytes, size)));
}

AES_TARGET LFB_INLINE uint64_t AES_KEY(u64)(const lfb_aes_secrets *secrets, uint64_t number)
{
  const lfb_aes_vector first = lfb_aes_make(number, 0) ^ lfb_aes_secret(secrets->round_number);
  return lfb_aes_low(lfb_aes_rounds(secrets->round, first));
}

#undef AES_TARGET
#undef AES_KEY
#undef AES_LONG
#undef AES_VECTOR
#undef AES_LOAD
#undef AES_SECRET
#undef AES_ROUND
#undef AES_LOW_PRODUCTS
#undef AES_HIGH_PRODUCTS
#undef AES_SWAP
#undef AES_FOLD
