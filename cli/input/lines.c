/* lines.c - finds records by memchr(), or 64 bytes at a time by AVX2. */
#include "cli/input/lines.h"

#include <string.h>

size_t lines_keys_portable(const char *bytes, size_t size, char delimiter, size_t *at,
                           lfb_key *keys, size_t most)
{
  const char *const end = bytes + size;
  const char *start = bytes + *at;
  size_t count = 0;

  while (count < most && start < end) {
    const char *stop = memchr(start, delimiter, (size_t)(end - start));
    if (stop == NULL)
      stop = end;
    keys[count++] = (lfb_key){start, (size_t)(stop - start)};
    start = stop < end ? stop + 1 : end;
  }
  *at = (size_t)(start - bytes);
  return count;
}

#ifdef __x86_64__

#include <immintrin.h>

#define LINES_AVX2 __attribute__((target("avx2,bmi")))

bool lines_have_avx2(void)
{
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
}

/* Returns a word: bit i is whether byte i of the block is the delimiter, and i is below `size`. */
LINES_AVX2 static inline uint64_t lines_ends(const char *block, size_t size, char delimiter)
{
  const __m256i pattern = _mm256_set1_epi8(delimiter);
  const __m256i *const half = (const __m256i *)(const void *)block;
  const __m256i low = _mm256_cmpeq_epi8(_mm256_loadu_si256(half), pattern);
  const __m256i high = _mm256_cmpeq_epi8(_mm256_loadu_si256(half + 1), pattern);
  const uint64_t ends = (uint32_t)_mm256_movemask_epi8(low) |
                        (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;

  return size < LINES_BLOCK ? ends & ((UINT64_C(1) << size) - 1) : ends;
}

LINES_AVX2 size_t lines_keys_avx2(const char *bytes, size_t size, char delimiter, size_t *at,
                                  lfb_key *keys, size_t most)
{
  const char *const end = bytes + size;
  const char *start = bytes + *at, *block = start;
  size_t count = 0;

  for (; block < end && count + LINES_BLOCK <= most; block += LINES_BLOCK) {
    uint64_t ends = lines_ends(block, (size_t)(end - block), delimiter);
    for (; ends != 0; ends &= ends - 1) {
      const char *stop = block + __builtin_ctzll(ends);
      keys[count++] = (lfb_key){start, (size_t)(stop - start)};
      start = stop + 1;
    }
  }
  if (block >= end && start < end && count < most) { /* the last record, without a delimiter */
    keys[count++] = (lfb_key){start, (size_t)(end - start)};
    start = end;
  }
  *at = (size_t)(start - bytes);
  return count;
}

#endif

size_t lines_keys(const char *bytes, size_t size, char delimiter, size_t *at, lfb_key *keys,
                  size_t most)
{
#ifdef __x86_64__
  if (lines_have_avx2())
    return lines_keys_avx2(bytes, size, delimiter, at, keys, most);
#endif
  return lines_keys_portable(bytes, size, delimiter, at, keys, most);
}

