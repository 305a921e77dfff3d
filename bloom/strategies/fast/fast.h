/*
 * fast.h - the shape and size of a `fast` filter, and the kernels of `fast` and `fast-pair`.
 */
#ifndef LFB_BLOOM_FAST_H
#define LFB_BLOOM_FAST_H

#include "bloom/strategies/strategy.h"

LFB_EXTERN_C_BEGIN

/*
 * Chooses the shape and the number of blocks for a configuration.  The memory preference
 * limits the bits per key of each number of words per key; of the shapes within their limit, it
 * takes the one with the fewest words.  A smaller fpp or a larger n never takes less memory.
 *
 * Fails  LFB_ERROR_FPP_TOO_LOW, _FPP_TOO_HIGH, _TOO_MANY_BITS, _UNKNOWN_PREFERENCE.
 */
lfb_status lfb_fast_size(const lfb_config *config, lfb_geometry *geometry);

/* bits_of of the rows of `fast` and `fast-pair` (strategy.h). */
uint32_t lfb_fast_bits_of(const lfb_layout *layout, lfb_hash hash, uint64_t *indexes);

/* The view (fast_view.h) of a filter of this geometry with these words. */
lfb_fast lfb_fast_view(const lfb_geometry *geometry, uint32_t block_words, lfb_word *words);

/* One kernel of `fast` for any shape, then one for each of LFB_FAST_SHAPES; one of `fast-pair` for
 * any number of probes, then one for 6; then, for each of the first LFB_FAST_GATHERED shapes, one
 * that gathers.  Where code for a shape brings less than a twentieth, the entry is the kernel for
 * any shape.  AVX2 and AVX-512 only if LFB_SIMD_X86 is defined (simd.h). */
enum { LFB_FAST_KERNELS = 12, LFB_FAST_KERNEL_PAIR = 7, LFB_FAST_KERNEL_GATHERS = 9,
      LFB_FAST_GATHERED = 3 };
extern const lfb_kernel *const lfb_kernels_fast[LFB_FAST_KERNELS];
extern const lfb_kernel *const lfb_kernels_fast256[LFB_FAST_KERNELS];
extern const lfb_kernel *const lfb_kernels_fast512[LFB_FAST_KERNELS];

/* Whether queries of many are to gather, on a processor with AVX-512: measured once in a process,
 * in some 10 us, since gathers are slow on some (LFBLOOM_SIMD: lfbloom/filter.h). */
bool lfb_fast512_gathers(void);

/* LFB_KERNEL_CREDIT of all these kernels (kernel.h). */
void lfb_fast_credit_many(const lfb_layout *layout, const uint64_t *hashes, size_t count,
                          uint64_t *answers);

LFB_EXTERN_C_END

#endif
