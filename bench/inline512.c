/* inline512.c - the query of lfbloom/fast_avx512.h, in a function compiled for AVX-512. */
#include "bloom/hashing/simd.h"

#ifdef LFB_SIMD_X86
#define LFB_FAST_AVX512_TARGET LFB_AVX512_TARGET
#endif
#include <lfbloom/fast.h>

#include "bench/contender.h"

#ifdef LFB_SIMD_X86

LFB_AVX512_TARGET size_t lfb_inline512_query(void *filter, const lfb_keys *keys, size_t first,
                                             size_t count)
{
  lfb_fast view;
  size_t yes = 0;

  if (lfb_fast_of(filter, &view) != LFB_OK)
    return 0;
  const lfb_fast fast = view; /* its address does not escape: read once */
  for (size_t i = first; i < first + count; i++)
    yes += lfb_fast512_might_contain(&fast, keys->numbers[i]);
  return yes;
}

bool lfb_inline512_runs_here(void)
{
  return lfb_simd_best() == LFB_SIMD_AVX512;
}

#else

size_t lfb_inline512_query(void *filter, const lfb_keys *keys, size_t first, size_t count)
{
  (void)filter, (void)keys, (void)first, (void)count;
  return 0;
}

bool lfb_inline512_runs_here(void)
{
  return false;
}

#endif
