/* row_siphash.c - the row of SipHash-1-3. */
#include "bloom/hashing/hasher.h"

static lfb_hash siphash_bytes(const lfb_hasher *hasher, const void *bytes, size_t size)
{
  return (lfb_hash){lfb_siphash13(bytes, size, hasher->identity.key), 0};
}

static lfb_hash siphash_u64(const lfb_hasher *hasher, uint64_t key)
{
  const uint64_t little = LFB_LITTLE_64(key);
  return siphash_bytes(hasher, &little, sizeof little);
}

static void siphash_bytes_many(const lfb_hasher *hasher, const lfb_key *keys, size_t count,
                               uint64_t *low, uint64_t *high)
{
  lfb_hash_each_bytes(hasher, keys, count, low, high, siphash_bytes);
}

static void siphash_u64_many(const lfb_hasher *hasher, const uint64_t *keys, size_t count,
                             uint64_t *low, uint64_t *high)
{
  lfb_hash_each_u64(hasher, keys, count, low, high, siphash_u64);
}

static void siphash_start(lfb_hash_stream *stream)
{
  stream->state.sip = lfb_sip_start(stream->hasher->identity.key);
}

static void siphash_block(lfb_hash_stream *stream, const unsigned char block[16])
{
  lfb_sip_block(&stream->state.sip, lfb_load_le64(block));
  lfb_sip_block(&stream->state.sip, lfb_load_le64(block + 8));
}

static void siphash_add(lfb_hash_stream *stream, const void *bytes, size_t size)
{
  lfb_hash_add_blocks(stream, bytes, size, siphash_block);
}

static lfb_hash siphash_finish(const lfb_hash_stream *stream)
{
  lfb_sip sip = stream->state.sip;
  const unsigned char *tail = stream->pending;

  if (stream->size % 16 >= 8) {
    lfb_sip_block(&sip, lfb_load_le64(tail));
    tail += 8;
  }
  return (lfb_hash){lfb_sip_finish(sip, tail, stream->size), 0};
}

const lfb_hash_function lfb_hash_siphash13 = {
    .bytes = siphash_bytes,
    .u64 = siphash_u64,
    .bytes_many = siphash_bytes_many,
    .u64_many = siphash_u64_many,
    .start = siphash_start,
    .add = siphash_add,
    .finish = siphash_finish,
};
