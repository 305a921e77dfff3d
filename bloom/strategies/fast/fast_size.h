/*
 * fast_size.h - the size of a `fast` filter, and how often it is wrong.
 */
#ifndef LFB_BLOOM_FAST_SIZE_H
#define LFB_BLOOM_FAST_SIZE_H

#include "bloom/strategies/strategy.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The shape and the number of blocks for a configuration: of all shapes whose
 * size is within the memory preference's factor of the smallest, the one with the
 * fewest words a key.
 *
 * Fails  LFB_ERROR_FPP_TOO_LOW, _FPP_TOO_HIGH, _TOO_MANY_BITS, _UNKNOWN_PREFERENCE.
 */
lfb_status lfb_fast_size(const lfb_config *config, lfb_geometry *geometry);

/* Whether a geometry is one of `fast`, at its largest too. */
bool lfb_fast_valid(const lfb_geometry *geometry);

/* The three figures of a table row, by the model of block_model.h. */
double lfb_fast_fpp_after(const lfb_geometry *geometry, double insertions);
double lfb_fast_count_elements(const lfb_geometry *geometry, uint64_t bits_set);
double lfb_fast_fpp_now(const lfb_geometry *geometry, uint64_t bits_set);

/* The bits of a hash, as the row has it. */
uint32_t lfb_fast_bits_of(const lfb_layout *layout, lfb_hash hash, uint64_t *indexes);

/* Which of the kernels for its shape a geometry has (fast_kernels.h). */
uint32_t lfb_fast_kernel_of(const lfb_geometry *geometry);

/* The view of a filter of this geometry, whose words are there. */
lfb_fast lfb_fast_view(const lfb_geometry *geometry, lfb_word *words, const void *filter);

#ifdef __cplusplus
}
#endif

#endif
