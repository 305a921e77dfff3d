/* block_model.c - the recurrence of the model, its mean and its inverse (block_model.h). */
#include "bloom/strategies/block_model.h"

#include <float.h>
#include <math.h>

/* A term below this share of a sum of doubles does not change the sum. */
#define NEGLIGIBLE (DBL_EPSILON / 256)

/* One more draw hits one of the d bits drawn so far again, or adds a bit to d - 1 of them. */
static void model_fill_asked(lfb_block_model *model)
{
  const uint32_t word = model->word_bits;
  double *asked = model->asked;

  for (uint32_t d = 0; d <= model->shape.bits; d++)
    asked[d] = d == 0;
  for (uint32_t draw = 0; draw < model->shape.bits; draw++) {
    for (uint32_t d = draw + 1; d > 0; d--)
      asked[d] = (asked[d] * d + asked[d - 1] * (word + 1 - d)) / word;
    asked[0] = 0;
  }
}

/* The change of on[] by a key that has the word is linear: its matrix, from the change of each
 * on[from] alone. */
static void model_fill_step(lfb_block_model *model)
{
  const uint32_t bits = model->shape.bits, word = model->word_bits;

  for (uint32_t from = 0; from <= bits; from++) {
    double on[LFB_BLOCK_MODEL_BITS + 1] = {0};
    on[from] = 1;
    for (uint32_t draw = 0; draw < bits; draw++)
      for (uint32_t d = bits; d > 0; d--)
        on[d] = (on[d] * (word - d) + on[d - 1] * d) / word;
    for (uint32_t d = from; d <= bits; d++)
      model->step[d][from] = on[d];
  }
}

/* The bits of a unit's other word that on[][] states: 0 if its words are independent. */
static uint32_t model_other_bits(const lfb_block_model *model)
{
  return model->shape.words == 2 && model->shape.choices > 1 ? model->shape.bits : 0;
}

void lfb_block_model_init(lfb_block_model *model, lfb_block_shape shape, uint32_t word_bits)
{
  model->shape = shape;
  model->word_bits = word_bits;
  model->known = 0;
  for (uint32_t c = 0; c <= model_other_bits(model); c++)
    for (uint32_t d = 0; d <= shape.bits; d++)
      model->on[c][d] = c + d == 0; /* with no keys no bit is on; 0 bits are always on */
  model_fill_asked(model);
  model_fill_step(model);
}

/* Adds a key.  on[c][d] depends on on[0..c][0..d] only, so on[][] changes in place, the largest c
 * and d first. */
static void model_add_key(lfb_block_model *model)
{
  const double share = 1 / (double)model->shape.choices;

  for (uint32_t c = model_other_bits(model) + 1; c-- > 0;)
    for (uint32_t d = model->shape.bits + 1; d-- > 0;) {
      double on = 0;
      for (uint32_t a = 0; a <= c; a++)
        for (uint32_t b = 0; b <= d; b++)
          on += model->step[c][a] * model->step[d][b] * model->on[a][b];
      model->on[c][d] = share * on + (1 - share) * model->on[c][d];
    }
}

/* The probability that a unit's words have the bits that an absent key tests there. */
static double model_unit(const lfb_block_model *model)
{
  const uint32_t others = model_other_bits(model);
  double found = 0;

  for (uint32_t c = 0; c <= others; c++)
    for (uint32_t d = 1; d <= model->shape.bits; d++)
      found += (others == 0 ? 1 : model->asked[c]) * model->asked[d] * model->on[c][d];
  return others == 0 && model->shape.words == 2 ? found * found : found;
}

/* The probability that an absent key is a false positive in a block of j keys, j below
 * LFB_BLOCK_MODEL_KEYS. */
static double model_found(lfb_block_model *model, int j)
{
  for (; model->known <= j; model->known++) {
    double found = model_unit(model);
    for (uint32_t units = model->shape.units; units > 1; units /= 2)
      found *= found;
    model->found[model->known] = found;
    model_add_key(model);
  }
  return model->found[j];
}

/* A rate, and the percentage by which it grows per percent of additional keys. */
typedef struct model_rate {
  double fpp;
  double slope;
} model_rate;

/* For more keys than the table has: each bit is off with exp(-x), independently. */
static model_rate model_rate_full(const lfb_block_model *model, double load)
{
  const double probes = lfb_block_key_words(model->shape) * model->shape.bits;
  const double share = 1 / (double)model->shape.choices;
  const double key_sets = -expm1(model->shape.bits * log1p(-1 / (double)model->word_bits));
  const double x = load * share * key_sets, on = -expm1(-x);
  return (model_rate){pow(on, probes), probes * x * exp(-x) / on};
}

/*
 * The mean over the number of keys in a block, from the most likely number up, then down.  `part`
 * is a block's share of the keys, below 1; 0 for Poisson.  The slope is that of Poisson: the
 * derivative by the load is the mean of found[j] * (j / load - 1).
 */
static model_rate model_rate_mean(lfb_block_model *model, double load, double part)
{
  const int middle = (int)load;
  double weight = 1, weights = 0, sum = 0, moment = 0;

  for (int j = middle; j < LFB_BLOCK_MODEL_KEYS && weight > NEGLIGIBLE * sum; j++) {
    const double term = weight * model_found(model, j);
    weights += weight;
    sum += term;
    moment += term * j;
    weight *= (load - j * part) / ((j + 1) * (1 - part));
  }
  weight = 1;
  for (int j = middle; j > 0 && weight > NEGLIGIBLE; j--) {
    weight *= j * (1 - part) / (load - (j - 1) * part);
    const double term = weight * model_found(model, j - 1);
    weights += weight;
    sum += term;
    moment += term * (j - 1);
  }
  return (model_rate){sum / weights, moment / sum - load};
}

/* The rate of a single block with all keys; linear between whole numbers of keys. */
static model_rate model_rate_single(lfb_block_model *model, double load)
{
  const int below = (int)load;
  const double low = model_found(model, below), high = model_found(model, below + 1);
  return (model_rate){low + (high - low) * (load - below), 0};
}

static model_rate model_rate_at(lfb_block_model *model, double load, double blocks)
{
  /* 12 standard deviations: the probability beyond them is below 1e-30 */
  if (load + 12 * sqrt(load) + 20 >= (double)LFB_BLOCK_MODEL_KEYS)
    return model_rate_full(model, load);
  return blocks == 1 ? model_rate_single(model, load)
                     : model_rate_mean(model, load, 1 / blocks);
}

double lfb_block_model_fpp(lfb_block_model *model, double load, double blocks)
{
  return load > 0 ? model_rate_at(model, load, blocks).fpp : 0;
}

double lfb_block_model_load(lfb_block_model *model, double fpp)
{
  /* Newton's method on the logarithms of rate and load, which are nearly linear, starting at the
   * load of a classic filter.  A step out of the interval of the answer becomes a bisection. */
  const double probes = lfb_block_key_words(model->shape) * model->shape.bits;
  double low = 0, high = INFINITY;
  /* Below 1: the root of an fpp close to 1 rounds to 1, which is an infinite load and no block. */
  const double share = fmin(pow(fpp, 1 / probes), 1 - DBL_EPSILON / 2);
  double load =
      -(double)(lfb_block_words(model->shape) * model->word_bits) / probes * log1p(-share);

  for (int i = 0; i < 100; i++) {
    const model_rate rate = model_rate_at(model, load, INFINITY);
    const double last = load;
    *(rate.fpp <= fpp ? &low : &high) = last;
    load *= exp(log(fpp / rate.fpp) / rate.slope);
    if (fabs(load - last) <= 1e-7 * last) /* the next step would be below 1e-13 */
      break;
    if (!(load > low && load < high)) /* also if it is NaN */
      load = high == INFINITY ? 2 * last : low + (high - low) / 2;
  }
  return load;
}
