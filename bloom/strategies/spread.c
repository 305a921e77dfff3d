/* spread.c - the chances of a key's bits, and the covariance that follows from them (spread.h). */
#include "bloom/strategies/spread.h"

#include <math.h>

static double spread_bits(const lfb_spread *spread)
{
  return spread->blocks * spread->block_words * spread->word_bits;
}

/* The probability that a key has a given word. */
static double spread_has_word(const lfb_spread *spread)
{
  return spread->words / (spread->block_words * spread->blocks);
}

/* ln of the probability that a key leaves a given bit of a word off that it has. */
static double spread_log_misses(const lfb_spread *spread)
{
  return spread->bits * log1p(-1 / spread->word_bits);
}

/* The probability that a key sets a given bit: p. */
static double spread_sets(const lfb_spread *spread)
{
  return spread_has_word(spread) * -expm1(spread_log_misses(spread));
}

double lfb_spread_count(const lfb_spread *spread, uint64_t bits_set)
{
  return log1p(-(double)bits_set / spread_bits(spread)) / log1p(-spread_sets(spread));
}

double lfb_spread_step(const lfb_spread *spread, uint64_t bits_set)
{
  return -1 / ((spread_bits(spread) - (double)bits_set) * log1p(-spread_sets(spread)));
}

/*
 * Where bit j is, relative to bit i, decides p2: there are five classes.  `excess` is p2 - p^2,
 * written so that no two nearly equal numbers are subtracted: in a classic filter it is 1e-18 for
 * 1e9 bits.
 */
double lfb_spread_variance(const lfb_spread *spread, double keys)
{
  const double has = spread_has_word(spread), hit = -expm1(spread_log_misses(spread));
  const double p = has * hit, log_q = log1p(-p), choices = spread->block_words / spread->words;
  const double word = spread->word_bits, block = spread->block_words * word;
  const double unit = spread->unit * word;
  /* The excess in a word that the key has: (1 - 2/W)^g - (1 - 1/W)^2g. */
  const double within = exp(2 * spread_log_misses(spread)) *
                        expm1(spread->bits * log1p(-1 / ((word - 1) * (word - 1))));
  const struct {
    double count, excess;
  } classes[] = {
      {1, p * (1 - p)},                                             /* bit i itself           */
      {word - 1, has * within + has * (1 - has) * hit * hit},       /* same word              */
      {unit - word, has * (1 - has) * hit * hit},                   /* another word of a unit */
      {block - choices * unit, p * p * (spread->blocks - 1)},       /* another group          */
      {spread_bits(spread) - block + (choices - 1) * unit, -p * p}, /* never both             */
  };
  double sum = 0;

  for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++)
    if (classes[i].count > 0)
      sum += classes[i].count *
             expm1(keys * log1p(classes[i].excess / ((1 - p) * (1 - p))));
  return sum / (spread_bits(spread) * log_q * log_q);
}
