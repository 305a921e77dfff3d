/*
 * aes_row.inc.h - template: a row of the AES hash, for one set of instructions.
 *
 * Before including it, once in a file, define
 *
 *   AES_TARGET      the target attribute of its functions
 *   AES_KEY(noun)   the name of a function of aes_key.inc.h: lfb_aes256_##noun
 *   AES_(noun)      the name of an inlined function of this row: aes512_##noun
 *   AES_BYTES, AES_BYTES_LONG, AES_U64, AES_BYTES_MANY, AES_U64_MANY, AES_ROW
 *                   names for its functions and for the row
 *   AES_VECTOR      a vector of one block or more, with these operations:
 *
 *   AES_SAME(block)                 one block, aligned, in each lane
 *   AES_NUMBERS(numbers)            numbers, each as a block
 *   AES_ROUND(a, key)               a round of AES; the last is AES_LAST
 *   AES_STORE_LOW(to, a, b)         writes the low halves of the blocks of two vectors
 */

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
