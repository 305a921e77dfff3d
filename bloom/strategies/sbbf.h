/*
 * sbbf.h - finds the block of a key of strategy `sbbf`.
 */
#ifndef LFB_BLOOM_SBBF_H
#define LFB_BLOOM_SBBF_H

#include "bloom/hashing/simd.h"
#include "bloom/strategies/kernel.h"

LFB_EXTERN_C_BEGIN

enum {
  LFB_SBBF_HALVES = 8,                  /* 32-bit words of a block */
  LFB_SBBF_WORDS = LFB_SBBF_HALVES / 2, /* of 64 bits              */
};

static const uint32_t lfb_sbbf_salts[LFB_SBBF_HALVES] = {
    UINT32_C(0x47b6137b), UINT32_C(0x44974d91), UINT32_C(0x8824ad5b), UINT32_C(0xa2b7289d),
    UINT32_C(0x705495c7), UINT32_C(0x2df1424b), UINT32_C(0x9efc4947), UINT32_C(0x5c6bfb31)};

/* The number of the first word of a hash's block. */
LFB_INLINE uint64_t lfb_sbbf_first_word(const lfb_layout *layout, uint64_t hash)
{
  const uint64_t blocks = layout->bits.word_count / LFB_SBBF_WORDS;
  return LFB_SBBF_WORDS * ((hash >> 32) * blocks >> 32);
}

/* That word.  It begins at a multiple of 32 bytes. */
LFB_INLINE lfb_word *lfb_sbbf_block(const lfb_layout *layout, uint64_t hash)
{
  return layout->bits.words + lfb_sbbf_first_word(layout, hash);
}

/* Its bytes.  In a file they are little-endian and begin anywhere. */
LFB_INLINE const unsigned char *lfb_sbbf_bytes(const lfb_layout *layout, uint64_t hash)
{
  return layout->bits.bytes + lfb_sbbf_first_word(layout, hash) * sizeof(lfb_word);
}

/* The kernels for AVX2. */
#ifdef LFB_SIMD_X86
extern const lfb_kernel *const lfb_kernels_sbbf256[];
extern const lfb_kernel *const lfb_kernels_sbbf256_bytes[];
#endif

LFB_EXTERN_C_END

#endif
