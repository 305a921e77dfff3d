/* wide.c - the AES hash with all of its 16 bytes. */
#include "bloom/hashing/wide.h"

#include <stdlib.h>

#include "bloom/hashing/hasher.h"

lfb_wide *lfb_wide_create(const uint8_t key[LFB_WIDE_KEY])
{
  const lfb_hash_identity identity = lfb_hash_with_key(LFB_KIND_AES, key);
  lfb_hasher *hasher = aligned_alloc(_Alignof(lfb_hasher), sizeof *hasher);

  if (hasher != NULL)
    lfb_hasher_init(hasher, &identity, lfb_simd_chosen());
  return hasher;
}

void lfb_wide_many(const lfb_wide *wide, const lfb_key *keys, size_t count, uint64_t *low,
                   uint64_t *high)
{
  lfb_hasher_bytes_many(wide, keys, count, low, high);
}
