/*
 * aes.inc.h - template: the AES hash of one key, and a row of functions, for one set of
 * instructions.
 *
 * Before including it, define
 *
 *   AES_TARGET      the target attribute of its functions
 *   AES_KEY(noun)   the name of an inlined function of one key: lfb_aes256_##noun
 *   AES_VECTOR      a vector of one block or more, with the operations below
 *   AES_ROUND(a, key)  a round of AES of each block
 *
 * for the functions of one key, of which a vector has at most two blocks,
 *
 *   AES_LONG        the function that hashes more than 128 bytes; one .c file defines it by
 *                   AES_KEY(long)
 *   AES_LOAD(bytes), AES_SECRET(bytes)          any bytes; secrets
 *   AES_LOW_PRODUCTS(a, b), AES_HIGH_PRODUCTS(a, b)
 *                                               carry-less products of the halves of each block
 *   AES_SWAP(a)                                 the halves of each block exchanged
 *   AES_FOLD(a)                                 the sum of the blocks: an lfb_aes_vector
 *
 * and for a row, once in a file,
 *
 *   AES_(noun)      the name of an inlined function of this row: aes512_##noun
 *   AES_BYTES, AES_U64, AES_BYTES_MANY, AES_U64_MANY, AES_ROW
 *                   names for its functions and for the row
 *   AES_BYTES_LONG  the same; without it AES_BYTES and AES_U64 are of another row
 *   AES_SAME(block)                 one block, aligned, in each lane
 *   AES_NUMBERS(numbers)            numbers, each as a block
 *   AES_LAST(a, key)                the last round
 *   AES_STORE_LOW(to, a, b)         writes the low halves of the blocks of two vectors
 */

#ifdef AES_LONG
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

#undef AES_LONG
#undef AES_LOAD
#undef AES_SECRET
#undef AES_LOW_PRODUCTS
#undef AES_HIGH_PRODUCTS
#undef AES_SWAP
#undef AES_FOLD
#endif

#ifdef AES_ROW
enum {
  AES_(VECTORS) = 8, /* at a time: their rounds overlap, and they fit into the registers */
  AES_(LANES) = sizeof(AES_VECTOR) / LFB_AES_BLOCK,
  AES_(TOGETHER) = AES_(VECTORS) * AES_(LANES),
};

/* Writes the hashes of blocks to which the first round key has been added; their other halves, too,
 * unless `high` is NULL. */
AES_TARGET LFB_INLINE void AES_(together)(const lfb_aes_secrets *secrets,
                                          AES_VECTOR a[AES_(VECTORS)], uint64_t *low,
                                          uint64_t *high)
{
  uint64_t blocks[AES_(TOGETHER)][2];

  for (int r = 1; r < LFB_AES_ROUNDS; r++) {
    const AES_VECTOR key = AES_SAME(secrets->round[r]);
    LFB_UNROLL
    for (size_t i = 0; i < AES_(VECTORS); i++)
      a[i] = AES_ROUND(a[i], key);
  }
  const AES_VECTOR key = AES_SAME(secrets->round[LFB_AES_ROUNDS]);
  LFB_UNROLL
  for (size_t i = 0; i < AES_(VECTORS); i++)
    a[i] = AES_LAST(a[i], key);
  if (high == NULL) {
    LFB_UNROLL
    for (size_t i = 0; i < AES_(VECTORS); i += 2)
      AES_STORE_LOW(low + i * AES_(LANES), a[i], a[i + 1]);
    return;
  }
  memcpy(blocks, a, sizeof blocks);
  for (size_t i = 0; i < AES_(TOGETHER); i++) {
    low[i] = blocks[i][0];
    high[i] = blocks[i][1];
  }
}

#ifdef AES_BYTES_LONG
/* A function of its own, so that shorter keys need no stack frame. */
AES_TARGET __attribute__((noinline)) static lfb_hash
AES_BYTES_LONG(const lfb_hasher *hasher, const void *bytes, size_t size)
{
  const lfb_aes_secrets *const secrets = &hasher->aes;
  lfb_aes_product sum = lfb_aes_product_zero();
  const lfb_aes_vector first = AES_KEY(long)(secrets, &sum, 0, (const uint8_t *)bytes, size);
  return (lfb_hash){lfb_aes_low(lfb_aes_rounds(secrets->round, first)), 0};
}

AES_TARGET static lfb_hash AES_BYTES(const lfb_hasher *hasher, const void *bytes, size_t size)
{
  if (size > LFB_AES_MIDDLE)
    return AES_BYTES_LONG(hasher, bytes, size);
  return (lfb_hash){AES_KEY(bytes)(&hasher->aes, bytes, size), 0};
}

AES_TARGET static lfb_hash AES_U64(const lfb_hasher *hasher, uint64_t key)
{
  return (lfb_hash){AES_KEY(u64)(&hasher->aes, key), 0};
}
#endif

/* H key by key: the processor overlaps their computations by itself. */
AES_TARGET static void AES_BYTES_MANY(const lfb_hasher *hasher, const lfb_key *keys, size_t count,
                                      uint64_t *low, uint64_t *high)
{
  const lfb_aes_secrets *const secrets = &hasher->aes;
  size_t done = 0;

  for (; count - done >= AES_(TOGETHER); done += AES_(TOGETHER)) {
    AES_VECTOR first[AES_(VECTORS)], a[AES_(VECTORS)];
    for (size_t i = 0; i < AES_(TOGETHER); i++)
      lfb_aes_store((lfb_aes_vector *)first + i,
                    AES_KEY(first)(secrets, keys[done + i].bytes, keys[done + i].size));
    LFB_UNROLL
    for (size_t i = 0; i < AES_(VECTORS); i++)
      a[i] = first[i];
    AES_(together)(secrets, a, low + done, high == NULL ? NULL : high + done);
  }
  for (; done < count; done++) {
    uint64_t block[2];
    lfb_aes_store(block, lfb_aes_rounds(secrets->round, AES_KEY(first)(secrets, keys[done].bytes,
                                                                       keys[done].size)));
    low[done] = block[0];
    if (high != NULL)
      high[done] = block[1];
  }
}

AES_TARGET static void AES_U64_MANY(const lfb_hasher *hasher, const uint64_t *keys, size_t count,
                                    uint64_t *low, uint64_t *high)
{
  const lfb_aes_secrets *const secrets = &hasher->aes;
  const AES_VECTOR first = AES_SAME(secrets->round_number);
  size_t done = 0;

  (void)high;
  for (; count - done >= AES_(TOGETHER); done += AES_(TOGETHER)) {
    AES_VECTOR a[AES_(VECTORS)];
    LFB_UNROLL
    for (size_t i = 0; i < AES_(VECTORS); i++)
      a[i] = AES_NUMBERS(keys + done + i * AES_(LANES)) ^ first;
    AES_(together)(secrets, a, low + done, NULL);
  }
  for (; done < count; done++)
    low[done] = AES_KEY(u64)(secrets, keys[done]);
}

const lfb_hash_function AES_ROW = {
    .bytes = AES_BYTES,
    .u64 = AES_U64,
    .bytes_many = AES_BYTES_MANY,
    .u64_many = AES_U64_MANY,
    .piece = lfb_aes_piece,
};

#undef AES_
#undef AES_SAME
#undef AES_NUMBERS
#undef AES_LAST
#undef AES_STORE_LOW
#undef AES_BYTES
#undef AES_BYTES_LONG
#undef AES_U64
#undef AES_BYTES_MANY
#undef AES_U64_MANY
#undef AES_ROW
#endif

#undef AES_TARGET
#undef AES_KEY
#undef AES_VECTOR
#undef AES_ROUND
