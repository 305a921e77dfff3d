/*
 * window_size.c - sizes a window filter by the exact model of a cell (block_model.h).
 *
 * The keys of one generation in a cell are Poisson's.  Given their number, the words of the cell are
 * independent: one of 64 bits, and one of 58 that shares its word with the tag.
 */
#include "bloom/kinds/window_size.h"

#include <math.h>

#include "bloom/strategies/block_model.h"

enum { SIZE_MOST_KEYS = 600 }; /* in a cell: exp(-600) is a double of full precision */

/* 64 TiB, more than any window needs.  The number of a block must not use up the bits of a hash. */
#define SIZE_MOST_BLOCKS (UINT64_C(1) << 40)

/* The models of the words of a cell. */
typedef struct size_models {
  lfb_block_model low, high;
  uint32_t words;
} size_models;

static void size_models_init(size_models *models, uint32_t words, uint32_t bits)
{
  const lfb_block_shape shape = {1, bits, 1};

  models->words = words;
  lfb_block_model_init(&models->low, shape, LFB_WORD_BITS);
  lfb_block_model_init(&models->high, shape, LFB_WORD_BITS - LFB_WINDOW_TAG_BITS);
}

/* The rate of one generation with `load` keys per cell on average: the mean over Poisson's numbers. */
static double size_fpp(size_models *models, double load)
{
  double chance = exp(-load), sum = 0;

  for (int j = 0; j < LFB_BLOCK_MODEL_KEYS && (j < load || chance > 1e-18 * sum); j++) {
    const double low = models->words == 2 ? lfb_block_model_found(&models->low, j) : 1;
    sum += chance * low * lfb_block_model_found(&models->high, j);
    chance *= load / (j + 1);
  }
  return sum;
}

/* The load at which the rate of one generation is `fpp`. */
static double size_load(size_models *models, double fpp)
{
  double low = 0, high = SIZE_MOST_KEYS;

  for (int i = 0; i < 60; i++) {
    const double middle = low + (high - low) / 2;
    *(size_fpp(models, middle) > fpp ? &high : &low) = middle;
  }
  return low;
}

lfb_status lfb_window_size(double insertions, double fpp, lfb_window_geometry *geometry)
{
  const double of_one = -expm1(log1p(-fpp) / lfb_window_cells(geometry));
  double load = 0;

  for (uint32_t bits = 1; bits <= LFB_WINDOW_MOST_BITS; bits++) {
    size_models models;
    size_models_init(&models, geometry->words, bits);
    const double bears = size_load(&models, of_one);
    if (bears < load) /* it rises to the best and falls after it */
      break;
    load = bears;
    geometry->bits = bits;
  }
  const double blocks = ceil(insertions / load);
  if (!(blocks <= (double)SIZE_MOST_BLOCKS)) /* also if the load is 0 */
    return LFB_ERROR_TOO_MANY_BITS;
  geometry->blocks = blocks < 1 ? 1 : (uint64_t)blocks;
  return LFB_OK;
}

bool lfb_window_valid(const lfb_window_geometry *geometry)
{
  return (geometry->shift == 2 || geometry->shift == 3) && geometry->words >= 1 &&
         geometry->words <= 2 && geometry->bits >= 1 && geometry->bits <= LFB_WINDOW_MOST_BITS &&
         geometry->blocks >= 1 && geometry->blocks <= SIZE_MOST_BLOCKS;
}

double lfb_window_cell_fpp(const lfb_window_geometry *geometry, double keys)
{
  size_models models;

  size_models_init(&models, geometry->words, geometry->bits);
  return size_fpp(&models, fmin(keys / (double)geometry->blocks, SIZE_MOST_KEYS));
}

uint64_t lfb_window_generation_bits(const lfb_window_geometry *geometry)
{
  return geometry->blocks * (LFB_WORD_BITS * geometry->words - LFB_WINDOW_TAG_BITS);
}

/* The words have a bit on with nearly the same probability, so they count as words of the mean size:
 * that is exact for one word, and within 0.2 % for two. */
double lfb_window_count(const lfb_window_geometry *geometry, uint64_t bits_set)
{
  const double bits = (double)lfb_window_generation_bits(geometry);
  const double word = bits / (double)geometry->blocks / geometry->words;
  const double drawn = -expm1(geometry->bits * log1p(-1 / word));

  return log1p(-(double)bits_set / bits) / log1p(-drawn / (double)geometry->blocks);
}
