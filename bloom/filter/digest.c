/* digest.c - the portable functions, and the choice between them and the vector variants. */
#include "bloom/filter/digest.h"

#include "bloom/hashing/hasher.h"
#include "bloom/hashing/simd.h"

uint64_t lfb_digest_xxh3(const void *bytes, size_t size)
{
#ifdef LFB_SIMD_X86
  if (lfb_simd_chosen() >= LFB_SIMD_AVX2)
    return lfb_digest256_xxh3(bytes, size);
#endif
  return XXH3_64bits(bytes, size);
}

uint64_t lfb_digest_copy(lfb_word *to, const lfb_word *from, size_t count)
{
#ifdef LFB_SIMD_X86
  if (lfb_simd_chosen() >= LFB_SIMD_AVX2)
    return lfb_digest256_copy(to, from, count);
#endif
  return lfb_digest_copy_here(to, from, count);
}
