/*
 * fast_kernels.h - the kernels of `fast` and `fast-pair` for single sets of instructions.
 */
#ifndef LFB_BLOOM_FAST_KERNELS_H
#define LFB_BLOOM_FAST_KERNELS_H

#include "bloom/strategies/kernel.h"
#include "bloom/strategies/simd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where code for x86-64 is built (simd.h): AVX2, AVX-512. */
extern const lfb_kernel lfb_kernel_fast256;
extern const lfb_kernel lfb_kernel_fast512;
extern const lfb_kernel lfb_kernel_fast_pair256;

#ifdef __cplusplus
}
#endif

#endif
