/*
 * fast_size.h - the shape and size of a `fast` filter.
 */
#ifndef LFB_BLOOM_FAST_SIZE_H
#define LFB_BLOOM_FAST_SIZE_H

#include "bloom/strategies/strategy.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Chooses the shape and the number of blocks for a configuration.  The memory preference
 * limits the bits per key of each number of words per key; of the shapes within their limit, it
 * takes the one with the fewest words.  A smaller fpp or a larger n never takes less memory.
 *
 * Fails  LFB_ERROR_FPP_TOO_LOW, _FPP_TOO_HIGH, _TOO_MANY_BITS, _UNKNOWN_PREFERENCE.
 */
lfb_status lfb_fast_size(const lfb_config *config, lfb_geometry *geometry);

/* Whether a `fast` filter can have this geometry; also checks its maximum size. */
bool lfb_fast_valid(const lfb_geometry *geometry);

/* bits_of of the rows of `fast` and `fast-pair` (strategy.h). */
uint32_t lfb_fast_bits_of(const lfb_layout *layout, lfb_hash hash, uint64_t *indexes);

/* The number of the kernel for the shape of a geometry (fast_kernels.h). */
uint32_t lfb_fast_kernel_of(const lfb_geometry *geometry);

/* The view (fast_view.h) of a filter of this geometry with these words. */
lfb_fast lfb_fast_view(const lfb_geometry *geometry, uint32_t block_words, lfb_word *words);

#ifdef __cplusplus
}
#endif

#endif
