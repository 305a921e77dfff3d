/*
 * window_size.h - the size and shape of a window filter, and its false-positive rate.
 */
#ifndef LFB_BLOOM_WINDOW_SIZE_H
#define LFB_BLOOM_WINDOW_SIZE_H

#include <lfbloom/filter.h>

LFB_EXTERN_C_BEGIN

/* The layers of a window.  A block has B words; a key has g bits in each word of its block. */
typedef struct lfb_window_geometry {
  uint64_t blocks;       /* of one layer, at least 1                           */
  uint32_t layers_shift; /* log2 of the layers, C = G + 1: 1 to 3              */
  uint32_t block_shift;  /* log2 of B: 1 to 3                                  */
  uint32_t bits;         /* g, at least 1; B * g is at most LFB_FAST_MAX_PROBES */
} lfb_window_geometry;

/* log2 of a number of words or layers: 2, 4 or 8; 0 for any other number. */
static inline uint32_t lfb_window_log2(uint32_t power)
{
  return power == 2 ? 1 : power == 4 ? 2 : power == 8 ? 3 : 0;
}

/* P, the pairs of a block. */
static inline uint32_t lfb_window_pairs(const lfb_window_geometry *geometry)
{
  return 1U << geometry->block_shift >> 1;
}

/* Bytes of all layers; SIZE_MAX or less, since blocks has a limit. */
static inline uint64_t lfb_window_bytes(const lfb_window_geometry *geometry)
{
  return geometry->blocks * sizeof(uint64_t) << geometry->block_shift << geometry->layers_shift;
}

/* The bits of one layer. */
static inline uint64_t lfb_window_layer_bits(const lfb_window_geometry *geometry)
{
  return geometry->blocks * 64 << geometry->block_shift;
}

/* Chooses blocks and bits for `insertions` keys per layer; geometry->layers_shift is given.  Fails:
 * LFB_ERROR_TOO_MANY_BITS. */
lfb_status lfb_window_size(double insertions, double fpp, lfb_memory_preference preference,
                           lfb_window_geometry *geometry);

/* Whether a file can have this geometry. */
bool lfb_window_valid(const lfb_window_geometry *geometry);

/* The probability of a false positive in one layer of so many keys. */
double lfb_window_layer_fpp(const lfb_window_geometry *geometry, double keys);

/* The most likely number of keys in a layer with this many bits set; INFINITY if all are. */
double lfb_window_count(const lfb_window_geometry *geometry, uint64_t bits_set);

LFB_EXTERN_C_END

#endif
