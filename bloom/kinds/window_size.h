/*
 * window_size.h - the size and shape of a window filter, and its false-positive rate.
 */
#ifndef LFB_BLOOM_WINDOW_SIZE_H
#define LFB_BLOOM_WINDOW_SIZE_H

#include <lfbloom/status.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LFB_WINDOW_MOST_BITS = 8 }; /* of a key in a word */

/* Tests define shorter ones: then tags soon come again. */
#ifndef LFB_WINDOW_TAG_BITS
#define LFB_WINDOW_TAG_BITS 6
#define LFB_WINDOW_SWEEP 16 /* cycles in which every expired cell is emptied          */
#define LFB_WINDOW_SLEEP 22 /* cycles that a put may take before advances are refused */
#endif

/* The cells of a window. */
typedef struct lfb_window_geometry {
  uint64_t blocks; /* at least 1                             */
  uint32_t shift;  /* log2 of the cells of a block, C = G + 1: 2 or 3 */
  uint32_t words;  /* of a cell: 2, or 1                     */
  uint32_t bits;   /* of a key in a word: 1 to 8             */
} lfb_window_geometry;

/* The cells of a block. */
static inline uint32_t lfb_window_cells(const lfb_window_geometry *geometry)
{
  return 1U << geometry->shift;
}

/* Bytes of the cells; SIZE_MAX or less, since blocks has a limit. */
static inline uint64_t lfb_window_bytes(const lfb_window_geometry *geometry)
{
  return geometry->blocks * lfb_window_cells(geometry) * geometry->words * sizeof(uint64_t);
}

/* Chooses the number of blocks, and the bits, with which a window of `insertions` keys per generation
 * is smallest; geometry->shift and ->words are given.  Fails: LFB_ERROR_TOO_MANY_BITS. */
lfb_status lfb_window_size(double insertions, double fpp, lfb_window_geometry *geometry);

/* Whether a file can have this geometry. */
bool lfb_window_valid(const lfb_window_geometry *geometry);

/* The probability of a false positive in one generation of so many keys. */
double lfb_window_cell_fpp(const lfb_window_geometry *geometry, double keys);

/* The most likely number of keys in a generation with this many bits set, not all of them. */
double lfb_window_count(const lfb_window_geometry *geometry, uint64_t bits_set);

/* The bits of one generation, without tags. */
uint64_t lfb_window_generation_bits(const lfb_window_geometry *geometry);

#ifdef __cplusplus
}
#endif

#endif
