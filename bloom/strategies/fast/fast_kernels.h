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

/* One kernel of `fast` for any shape, then one for each of LFB_FAST_SHAPES; one of `fast-pair` for any
 * number of probes, then one for 6.  Where code for a shape brings less than a twentieth, the entry is
 * the kernel for any shape.  AVX2 and AVX-512 only if LFB_SIMD_X86 is defined (simd.h). */
enum { LFB_FAST_KERNELS = 9, LFB_FAST_KERNEL_PAIR = 7 };
extern const lfb_kernel *const lfb_kernels_fast[LFB_FAST_KERNELS];
extern const lfb_kernel *const lfb_kernels_fast256[LFB_FAST_KERNELS];
extern const lfb_kernel *const lfb_kernels_fast512[LFB_FAST_KERNELS];

/* LFB_KERNEL_CREDIT of all these kernels (kernel.h). */
void lfb_fast_credit_many(const lfb_layout *layout, const uint64_t *hashes, size_t count,
                          uint64_t *answers);

#ifdef __cplusplus
}
#endif

#endif
