/* fast_model.c - the recurrence of the model, its mean and its inverse. */
#include "bloom/strategies/block_model.h"

#include <float.h>
#include <math.h>

/* What does not change a sum of doubles any more. */
#define NEGLIGIBLE (DBL_EPSILON / 256)

/* One draw more finds one of the d - 1 bits drawn so far again, or makes them d. */
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

/* What one key does to on[], a linear step, from what it does to each on[from] alone. */
static void model_fill_step(lfb_block_model *model)
{
  const double share = (double)model->shape.words / (double)model->shape.of_words;
  const uint32_t bits = model->shape.bits, word = model->word_bits;

  for (uint32_t from = 0; from <= bits; from++) {
    double on[LFB_FAST_MAX_PROBES + 1] = {0};
    on[from] = 1;
    for (uint32_t draw = 0; draw < bits; draw++)
      for (uint32_t d = bits; d > 0; d--)
        on[d] = (on[d] * (word - d) + on[d - 1] * d) / word;
    for (uint32_t d = from; d <= bits; d++)
      model->step[d * (d + 1) / 2 + from] = share * on[d] + (d == from ? 1 - share : 0);
  }
}

void lfb_block_model_init(lfb_block_model *model, lfb_block_shape shape, uint32_t word_bits)
{
  model->shape = shape;
  model->word_bits = word_bits;
  model->known = 0;
  for (uint32_t d = 0; d <= shape.bits; d++)
    model->on[d] = d == 0; /* no bit is on; no bits are all on */
  model_fill_asked(model);
  model_fill_step(model);
}

/* Fewer bits hang on no more, so from the most to the fewest they change in place. */
static void model_add_key(lfb_block_model *model)
{
  for (uint32_t d = model->shape.bits; d > 0; d--) {
    const double *step = &model->step[d * (d + 1) / 2];
    double on = 0;
    for (uint32_t from = 0; from <= d; from++)
      on += step[from] * model->on[from];
    model->on[d] = on;
  }
}

/* Probability that an absent key is found in a block of j keys. */
static double model_found(lfb_block_model *model, int j)
{
  for (; model->known <= j; model->known++) {
    double found = 0;
    for (uint32_t d = 1; d <= model->shape.bits; d++)
      found += model->asked[d] * model->on[d];
    for (uint32_t words = model->shape.words; words > 1; words /= 2)
      found *= found;
    model->found[model->known] = found;
    model_add_key(model);
  }
  return model->found[j];
}

/* A rate, and by how many percent it grows for a percent more keys. */
typedef struct model_rate {
  double fpp;
  double slope;
} model_rate;

/* With more keys than the table has: each bit for itself is off with exp(-x). */
static model_rate model_rate_full(const lfb_block_model *model, double load)
{
  const double probes = model->shape.words * model->shape.bits;
  const double share = (double)model->shape.words / (double)model->shape.of_words;
  const double key_sets = -expm1(model->shape.bits * log1p(-1 / (double)model->word_bits));
  const double x = load * share * key_sets, on = -expm1(-x);
  return (model_rate){pow(on, probes), probes * x * exp(-x) / on};
}

/*
 * The mean over the number of keys in a block, from the likeliest number up, then down;
 * `part` is a block's share of the keys, below 1; 0 for Poisson.  The slope is Poisson's:
 * the derivative by the load is the mean of found[j] * (j / load - 1).
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

/* One block has all keys; between whole numbers of them, in a straight line. */
static model_rate model_rate_single(lfb_block_model *model, double load)
{
  const int below = (int)load;
  const double low = model_found(model, below), high = model_found(model, below + 1);
  return (model_rate){low + (high - low) * (load - below), 0};
}

static model_rate model_rate_at(lfb_block_model *model, double load, double blocks)
{
  /* 12 standard deviations: what lies beyond is below 1e-30 */
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
  /* Newton's steps on the logarithms of both, in which the rate is nearly straight, from
   * what a classic filter bears; a bisection where they leave what must hold the answer. */
  const double probes = model->shape.words * model->shape.bits;
  double low = 0, high = INFINITY;
  /* Not 1, to which the root of an fpp next to it rounds: a load without end, and no block. */
  const double share = fmin(pow(fpp, 1 / probes), 1 - DBL_EPSILON / 2);
  double load = -(double)(model->shape.of_words * model->word_bits) / probes * log1p(-share);

  for (int i = 0; i < 100; i++) {
    const model_rate rate = model_rate_at(model, load, INFINITY);
    const double last = load;
    *(rate.fpp <= fpp ? &low : &high) = last;
    load *= exp(log(fpp / rate.fpp) / rate.slope);
    if (fabs(load - last) <= 1e-7 * last) /* the next step would be below 1e-13 */
      break;
    if (!(load > low && load < high)) /* also where it is no number */
      load = high == INFINITY ? 2 * last : low + (high - low) / 2;
  }
  return load;
}
