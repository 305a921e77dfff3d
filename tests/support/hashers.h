// hashers.h - makes hashers for tests.
#pragma once

#include "bloom/hashing/hasher.h"

// A hasher, by the instructions of one level.
inline lfb_hasher HasherOf(const lfb_hash_identity& identity, lfb_simd most = lfb_simd_best()) {
  lfb_hasher hasher;
  lfb_hasher_init(&hasher, &identity, most);
  return hasher;
}
