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

__attribute__((cold))
static lfb_hash siphash_piece(lfb_hash_pieces *key, const unsigned char *bytes, size_t size)
{
  lfb_sip *const sip = &key->state.sip;

  if (key->before == 0)
    *sip = lfb_sip_start(key->hasher->identity.key);
  return (lfb_hash){lfb_sip_piece(sip, bytes, size, key->before + size), 0};
}

const lfb_hash_function lfb_hash_siphash13 = {
    .bytes = siphash_bytes,
    .u64 = siphash_u64,
    .bytes_many = siphash_bytes_many,
    .u64_many = siphash_u64_many,
    .piece = siphash_piece,
};
