/*
 * fast_kernels.h - the kernels of `fast` and `fast-pair` for each set of instructions.
 */
#ifndef LFB_BLOOM_FAST_KERNELS_H
#define LFB_BLOOM_FAST_KERNELS_H

#include "bloom/strategies/kernel.h"
#include "bloom/hashing/simd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One kernel for any shape, then one for each of LFB_FAST_SHAPES.  AVX2 and AVX-512 only if
 * LFB_SIMD_X86 is defined (simd.h). */
enum { LFB_FAST_KERNELS = 4 };
extern const lfb_kernel *const lfb_kernels_fast[LFB_FAST_KERNELS];
extern const lfb_kernel *const lfb_kernels_fast256[LFB_FAST_KERNELS];
extern const lfb_kernel *const lfb_kernels_fast512[LFB_FAST_KERNELS];

/* One kernel for any number of probes, then one for 6.  AVX2 as above. */
enum { LFB_FAST_PAIR_KERNELS = 2 };
extern const lfb_kernel *const lfb_kernels_fast_pair256[LFB_FAST_PAIR_KERNELS];

/* credit_many of all kernels of `fast` (kernel.h). */
void lfb_fast_credit_many(const lfb_layout *layout, const uint64_t *hashes, size_t count,
                          uint64_t *answers);

#ifdef __cplusplus
}
#endif

#endif
