/* digest.c - the portable functions, and the choice between them and the vector variants. */
#include "bloom/filter/digest.h"

#include <lfbloom/word.h>

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

uint64_t lfb_digest_bits(const uint64_t *words, size_t count)
{
  uint64_t set = 0;

#ifdef LFB_SIMD_X86
  if (lfb_simd_chosen() >= LFB_SIMD_AVX2)
    return lfb_digest256_bits(words, count);
#endif
  for (size_t i = 0; i < count; i++)
    set += lfb_word_count(words[i]);
  return set;
}
