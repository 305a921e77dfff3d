/*
 * fast.h - the shape and size of a `fast` filter, and its kernels.
 */
#ifndef LFB_BLOOM_FAST_H
#define LFB_BLOOM_FAST_H

#include "bloom/strategies/strategy.h"

LFB_EXTERN_C_BEGIN

/* The view (fast_view.h) of a filter of this geometry with these words. */
lfb_fast lfb_fast_view(const lfb_geometry *geometry, lfb_word *words);

/* The shapes that have code of their own, and so constants: the default ones of 1 %, 0.1 %, 0.01 %,
 * 1e-6 and 1e-9, and that of 0.1 % for speed.  row(name, P, g) */
#define LFB_FAST_SHAPES(row) \
  row(1p3, 1, 3) row(1p4, 1, 4) row(2p2, 2, 2) row(2p3, 2, 3) row(4p2, 4, 2) row(4p3, 4, 3)

/* The kernel for any shape, which has no vectors, then one for each of LFB_FAST_SHAPES.  AVX2 and
 * AVX-512 only if LFB_SIMD_X86 is defined (simd.h). */
enum { LFB_FAST_KERNELS = 7 };
extern const lfb_kernel *const lfb_kernels_fast[LFB_FAST_KERNELS];
extern const lfb_kernel *const lfb_kernels_fast256[LFB_FAST_KERNELS];
extern const lfb_kernel *const lfb_kernels_fast512[LFB_FAST_KERNELS];

LFB_EXTERN_C_END

#endif
