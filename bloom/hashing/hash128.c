/* hash128.c - the AES hash with all of its 16 bytes. */
#include "bloom/hashing/hash128.h"

#include <stdlib.h>

#include "bloom/hashing/hasher.h"

lfb_hash128 *lfb_hash128_create(const uint8_t key[LFB_HASH128_KEY])
{
  const lfb_hash_identity identity = lfb_hash_with_key(LFB_KIND_AES, key);
  lfb_hasher *hasher = aligned_alloc(_Alignof(lfb_hasher), sizeof *hasher);

  if (hasher != NULL)
    lfb_hasher_init(hasher, &identity, lfb_simd_chosen());
  return hasher;
}

void lfb_hash128_many(const lfb_hash128 *hash, const lfb_key *keys, size_t count, uint64_t *low,
                      uint64_t *high)
{
  lfb_hasher_bytes_many(hash, keys, count, low, high);
}
