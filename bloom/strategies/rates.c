/* rates.c - the figures of classic filters, as sizing.h states, and of filters of blocks, by the
 * model of block_model.h. */
#include <math.h>

#include "bloom/strategies/block_model.h"
#include "bloom/strategies/strategy.h"

/* ---- classic filters ---------------------------------------------------------------- */

/* m, as far as probes reach. */
static double classic_reached(const lfb_strategy *strategy, const lfb_geometry *geometry)
{
  const uint64_t reach = strategy->reachable_bits;
  return (double)(geometry->bit_count < reach ? geometry->bit_count : reach);
}

static double classic_fpp_now(const lfb_strategy *strategy, const lfb_geometry *geometry,
                              uint64_t bits_set)
{
  return pow((double)bits_set / classic_reached(strategy, geometry), geometry->probes);
}

/* The part of the bits that is set then. */
static double classic_fill_after(const lfb_strategy *strategy, const lfb_geometry *geometry,
                                 double insertions)
{
  /* A bit stays off with probability (1 - 1/m)^(k * insertions); by logarithms, for large m. */
  return 1 - exp(geometry->probes * insertions * log1p(-1 / classic_reached(strategy, geometry)));
}

static double classic_fpp_after(const lfb_strategy *strategy, const lfb_geometry *geometry,
                                double insertions)
{
  if (insertions == 0)
    return 0; /* also for m = 1, for which the formula is 0 times infinity */
  return pow(classic_fill_after(strategy, geometry, insertions), geometry->probes);
}

double lfb_rates_classic_count(const lfb_strategy *strategy, const lfb_geometry *geometry,
                               uint64_t bits_set)
{
  const double size = classic_reached(strategy, geometry);
  return -log1p(-(double)bits_set / size) * size / geometry->probes;
}

const lfb_rates lfb_rates_classic = {classic_fpp_after, lfb_rates_classic_count, classic_fpp_now};

/* ---- double hashing ------------------------------------------------------------------ */

/*
 * What double hashing adds to the classic rate while `fill` of the bits are set: measured,
 * docs/guarantees.md, 9.  If d < k steps of a key are nearly a whole number of wraps, and the
 * rest is a multiple of m, the key has d bits or some more.  2 phi(d) / (k m) steps are such; with
 * the keys that have some more it is near 1.6 d / (k m), and a key is found with fill^d.
 */
static double double_hashing_adds(const lfb_geometry *geometry, double fill)
{
  double sum = 0, found = 1;

  for (uint32_t distinct = 1; distinct < geometry->probes; distinct++) {
    found *= fill;
    sum += distinct * found;
  }
  return fmin(1.6 * sum / ((double)geometry->probes * (double)geometry->bit_count), 1);
}

/* The probability of one of two things. */
static double double_hashing_rate(const lfb_geometry *geometry, double classic, double fill)
{
  return classic + (1 - classic) * double_hashing_adds(geometry, fill);
}

double lfb_strategy_fpp_now(const lfb_strategy *strategy, const lfb_geometry *geometry,
                            uint64_t bits_set)
{
  const double rate = strategy->rates->fpp_now(strategy, geometry, bits_set);
  const double fill = (double)bits_set / classic_reached(strategy, geometry);

  return strategy->double_hashing ? double_hashing_rate(geometry, rate, fill) : rate;
}

double lfb_strategy_fpp_after(const lfb_strategy *strategy, const lfb_geometry *geometry,
                              double insertions)
{
  const double rate = strategy->rates->fpp_after(strategy, geometry, insertions);

  if (!strategy->double_hashing || insertions == 0)
    return rate;
  return double_hashing_rate(geometry, rate, classic_fill_after(strategy, geometry, insertions));
}

/* ---- filters of blocks -------------------------------------------------------------- */

/* Words of the model in a word of the filter. */
static uint32_t block_parts(const lfb_strategy *strategy)
{
  return LFB_WORD_BITS / strategy->model_bits;
}

static lfb_block_shape block_shape(const lfb_strategy *strategy, const lfb_geometry *geometry)
{
  const uint32_t words = geometry->words_per_key * block_parts(strategy);
  return strategy->in_pairs
             ? lfb_block_shape_of(words / LFB_PAIR_WORDS, geometry->probes / words)
             : (lfb_block_shape){words, 1, geometry->probes / words, 1};
}

/* The probability after so many insertions, by the model of the filter's shape. */
static double block_fpp_by(lfb_block_model *model, const lfb_strategy *strategy,
                           const lfb_geometry *geometry, double insertions)
{
  const double words = (double)geometry->word_count * block_parts(strategy);
  const double blocks = words / lfb_block_words(model->shape);

  return lfb_block_model_fpp(model, insertions / blocks, blocks);
}

static double block_fpp_after(const lfb_strategy *strategy, const lfb_geometry *geometry,
                              double insertions)
{
  lfb_block_model model;

  lfb_block_model_init(&model, block_shape(strategy, geometry), strategy->model_bits);
  return block_fpp_by(&model, strategy, geometry, insertions);
}

lfb_spread lfb_strategy_spread(const lfb_strategy *strategy, const lfb_geometry *geometry)
{
  if (strategy->model_bits == 0)
    return (lfb_spread){1, 1, classic_reached(strategy, geometry), 1, 1, geometry->probes};
  const lfb_block_shape shape = block_shape(strategy, geometry);
  const double words = (double)geometry->word_count * block_parts(strategy);
  const uint32_t block = lfb_block_words(shape);
  return (lfb_spread){words / block, block, strategy->model_bits, lfb_block_key_words(shape),
                      shape.words, shape.bits};
}

static double block_count(const lfb_strategy *strategy, const lfb_geometry *geometry,
                          uint64_t bits_set)
{
  const lfb_spread spread = lfb_strategy_spread(strategy, geometry);
  return lfb_spread_count(&spread, bits_set);
}

static double block_fpp_now(const lfb_strategy *strategy, const lfb_geometry *geometry,
                            uint64_t bits_set)
{
  return bits_set >= geometry->bit_count
             ? 1
             : block_fpp_after(strategy, geometry, block_count(strategy, geometry, bits_set));
}

const lfb_rates lfb_rates_block = {block_fpp_after, block_count, block_fpp_now};

/* One model serves all tries: to make it takes a hundred times as long as a try. */
uint64_t lfb_strategy_most_bits(const lfb_strategy *strategy, const lfb_geometry *geometry,
                                double fpp)
{
  const bool blocks = strategy->model_bits > 0;
  uint64_t least = 0, most = geometry->bit_count - blocks; /* all bits of blocks: 1 */
  lfb_block_model model;

  if (blocks)
    lfb_block_model_init(&model, block_shape(strategy, geometry), strategy->model_bits);
  while (least < most) {
    const uint64_t middle = most - (most - least) / 2;
    const double now = blocks ? block_fpp_by(&model, strategy, geometry,
                                             block_count(strategy, geometry, middle))
                              : strategy->rates->fpp_now(strategy, geometry, middle);
    *(now <= fpp ? &least : &most) = now <= fpp ? middle : middle - 1;
  }
  return least;
}
