/* row_siphash.c - the rows of SipHash-1-3. */
#include "bloom/hashing/hasher.h"

static lfb_hash siphash_bytes(const lfb_hasher *hasher, const void *bytes, size_t size)
{
  return (lfb_hash){lfb_siphash13(bytes, size, hasher->identity.key), 0};
}

static lfb_hash siphash_u64(const lfb_hasher *hasher, uint64_t key)
{
  return (lfb_hash){lfb_siphash13_u64(key, hasher->identity.key), 0};
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

static void siphash_absorb(lfb_hash_stream *stream, const unsigned char *groups, size_t count)
{
  const unsigned char *const end = groups + count * LFB_HASH_GROUP;
  lfb_sip sip =
      stream->groups == 0 ? lfb_sip_start(stream->hasher->identity.key) : stream->state.sip;

  for (; groups < end; groups += 8)
    lfb_sip_block(&sip, lfb_load_le64(groups));
  stream->state.sip = sip;
}

static lfb_hash siphash_finish(lfb_hash_stream *stream, const unsigned char *rest, size_t left,
                               uint64_t size)
{
  return (lfb_hash){lfb_sip_rest(stream->state.sip, rest, left, size), 0};
}

const lfb_hash_function lfb_hash_siphash13 = {
    .bytes = siphash_bytes,
    .u64 = siphash_u64,
    .bytes_many = siphash_bytes_many,
    .u64_many = siphash_u64_many,
    .absorb = siphash_absorb,
    .finish = siphash_finish,
};
