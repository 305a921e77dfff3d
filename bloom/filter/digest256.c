/*
 * digest256.c - the functions of digest.h for processors with AVX2: xxHash's AVX2 variant, and
 * the popcnt instruction, which lfb_word_count() becomes.
 *
 * All of xxhash.h is compiled for AVX2 here.  So this file must not include a header that
 * includes xxhash.h, and includes the headers that xxhash.h needs before it.  Wider vectors would
 * gain nothing: this is faster than memory (checksum/xxh3).
 */
#include "bloom/filter/digest.h"
#include "bloom/hashing/simd.h"

#ifdef LFB_SIMD_X86

#include <assert.h>
#include <immintrin.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
#pragma clang attribute push(LFB_AVX2_TARGET, apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,popcnt")
#endif

#define XXH_INLINE_ALL
#ifndef XXH_VECTOR     /* the amalgamation has xxhash.h once, as it is compiled for any processor */
#define XXH_VECTOR 2   /* XXH_AVX2 */
#endif
#include <xxhash.h>

uint64_t lfb_digest256_xxh3(const void *bytes, size_t size)
{
  return XXH3_64bits(bytes, size);
}

uint64_t lfb_digest256_copy(lfb_word *to, const lfb_word *from, size_t count)
{
  return to == NULL ? lfb_digest_copy_here(NULL, from, count)
                    : lfb_digest_copy_here(to, from, count); /* a loop each: half the time */
}

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
