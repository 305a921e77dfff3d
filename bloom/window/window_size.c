/*
 * window_size.c - sizes a window filter by the exact model of a block (block_model.h).
 *
 * A key is a false positive if any of the C layers has it.  So each layer is made for
 * f = 1 - (1 - p)^(1 / C), and for n / G keys: that is exact at the moment before an advance, when
 * all layers are full.
 */
#include "bloom/window/window_size.h"

#include <math.h>

#include "bloom/strategies/block_model.h"
#include "bloom/strategies/spread.h"

enum { SIZE_LARGEST = 3 }; /* log2 of the words of the largest block: a cache line */

/* 64 TiB, more than any window needs.  The number of a block must not use up the bits of a hash. */
#define SIZE_MOST_WORDS (UINT64_C(1) << 43)

/*
 * The most bits per key of a layer at which a block has 2 and 4 words; above, it has more.  Blocks
 * of 2 words are fastest (all layers of a key are one cache line), blocks of 8 are smallest.
 * `balanced` has 2 words down to 1 %, and 4 down to 1e-4; `speed`, to 1e-3 and 1e-6.  The sizes
 * meet at the limit, so that a smaller fpp never takes less memory.
 */
static const double window_most_bits[][SIZE_LARGEST] = {
    [LFB_MEMORY_BALANCED] = {0, 15.7, 31.5},
    [LFB_MEMORY_SPEED] = {0, 27, 64},
};

static lfb_block_shape window_shape(uint32_t block_shift, uint32_t bits)
{
  return (lfb_block_shape){1U << block_shift >> 1, LFB_PAIR_WORDS, bits, 1};
}

/* The keys per word at which the rate of one layer is `fpp`, with the best number of bits.  Not
 * inlined: the model needs 13 KiB of stack. */
static __attribute__((noinline)) double window_best(double fpp, uint32_t block_shift,
                                                    uint32_t *bits)
{
  double best = 0;

  for (uint32_t g = 1; g <= (uint32_t)LFB_FAST_MAX_PROBES >> block_shift; g++) {
    lfb_block_model model;
    lfb_block_model_init(&model, window_shape(block_shift, g), LFB_WORD_BITS);
    const double load = lfb_block_model_load(&model, fpp) / (1U << block_shift);
    if (load < best) /* it rises to the best and falls after it */
      break;
    best = load;
    *bits = g;
  }
  return best;
}

/* Chooses the fewest words within their limit; returns the keys per word. */
static double window_limited(double fpp, const double most_bits[SIZE_LARGEST],
                             lfb_window_geometry *geometry)
{
  double most = INFINITY; /* keys per word that the limit of fewer words allows */

  for (uint32_t shift = 1;; shift++) {
    const double load = fmin(window_best(fpp, shift, &geometry->bits), most);
    geometry->block_shift = shift;
    if (shift == SIZE_LARGEST || load * most_bits[shift] >= (double)LFB_WORD_BITS)
      return load;
    most = (double)LFB_WORD_BITS / most_bits[shift];
  }
}

/* Chooses the words with which a layer is smallest; returns the keys per word. */
static double window_smallest(double fpp, lfb_window_geometry *geometry)
{
  double best = 0;

  for (uint32_t shift = 1; shift <= SIZE_LARGEST; shift++) {
    uint32_t bits = 1;
    const double load = window_best(fpp, shift, &bits);
    if (load <= best)
      continue;
    best = load;
    geometry->block_shift = shift;
    geometry->bits = bits;
  }
  return best;
}

lfb_status lfb_window_size(double insertions, double fpp, lfb_memory_preference preference,
                           lfb_window_geometry *geometry)
{
  const double of_one = -expm1(ldexp(log1p(-fpp), -(int)geometry->layers_shift));
  const double load = preference == LFB_MEMORY_SMALLEST
                          ? window_smallest(of_one, geometry)
                          : window_limited(of_one, window_most_bits[preference], geometry);
  const double words = ceil(insertions / load);

  if (!(words <= (double)SIZE_MOST_WORDS)) /* also if the load is 0 */
    return LFB_ERROR_TOO_MANY_BITS;
  geometry->blocks = words < 1 ? 1 : (((uint64_t)words - 1) >> geometry->block_shift) + 1;
  return LFB_OK;
}

bool lfb_window_valid(const lfb_window_geometry *geometry)
{
  return geometry->layers_shift >= 1 && geometry->layers_shift <= 3 &&
         geometry->block_shift >= 1 && geometry->block_shift <= SIZE_LARGEST &&
         geometry->bits >= 1 &&
             geometry->bits <= (uint32_t)LFB_FAST_MAX_PROBES >> geometry->block_shift &&
         geometry->blocks >= 1 && geometry->blocks <= SIZE_MOST_WORDS >> geometry->block_shift;
}

double lfb_window_layer_fpp(const lfb_window_geometry *geometry, double keys)
{
  const double blocks = (double)geometry->blocks;
  lfb_block_model model;

  if (!(keys < INFINITY))
    return 1;
  lfb_block_model_init(&model, window_shape(geometry->block_shift, geometry->bits), LFB_WORD_BITS);
  return lfb_block_model_fpp(&model, keys / blocks, blocks);
}

double lfb_window_count(const lfb_window_geometry *geometry, uint64_t bits_set)
{
  const double words = 1U << geometry->block_shift;
  const lfb_spread spread = {(double)geometry->blocks, words, LFB_WORD_BITS, words, 1,
                             geometry->bits};

  return lfb_spread_count(&spread, bits_set);
}
