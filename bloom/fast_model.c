/* fast_model.c - the recurrences of the model.  Floor 8. */
#include "bloom/fast_model.h"

#include <math.h>
#include <string.h>

enum { WORD = 64 }; /* bits */

/* One more draw from the bits of a word: occupied[N] is the probability of N set. */
static void model_draw(double occupied[WORD + 1])
{
  for (int set = WORD; set > 0; set--)
    occupied[set] = occupied[set] * set / (double)WORD + occupied[set - 1] * (WORD - set + 1) / (double)WORD;
  occupied[0] = 0;
}

/* The mean of a value that hangs on the number of set bits. */
static double model_mean(const double occupied[WORD + 1], const double value[WORD + 1])
{
  double sum = 0;
  for (int set = 0; set <= WORD; set++)
    sum += occupied[set] * value[set];
  return sum;
}

void lfb_fast_model_init(lfb_fast_model *model, lfb_fast_shape shape)
{
  const double share = (double)shape.words / LFB_BLOCK_WORDS;
  double occupied[WORD + 1] = {1};
  double all_set[WORD + 1];         /* g draws fall on set bits, with so many set */
  double mean[LFB_FAST_MODEL_KEYS]; /* of it, with i keys in the word, i from 0   */

  model->shape = shape;
  for (int set = 0; set <= WORD; set++)
    all_set[set] = pow((double)set / WORD, shape.bits);
  for (int i = 0; i < LFB_FAST_MODEL_KEYS; i++) {
    mean[i] = model_mean(occupied, all_set);
    for (uint32_t draw = 0; draw < shape.bits; draw++)
      model_draw(occupied);
  }
  /* The mean over Binomial(j, share): each key that comes to the block is in the
   * word or not, so one averaging step a key turns mean[i] into that over j. */
  for (int j = 0; j < LFB_FAST_MODEL_KEYS; j++) {
    model->found[j] = pow(mean[0], shape.words);
    for (int i = 0; i + j + 1 < LFB_FAST_MODEL_KEYS; i++)
      mean[i] = (1 - share) * mean[i] + share * mean[i + 1];
  }
}

/* Beyond the table blocks are so full, and alike, that each group stands alone. */
static double model_fpp_full(const lfb_fast_model *model, double load)
{
  const lfb_fast_shape shape = model->shape;
  const double draws = load * shape.words / LFB_BLOCK_WORDS * shape.bits;
  return pow(1 - exp(draws * log1p(-1 / (double)WORD)), shape.words * shape.bits);
}

double lfb_fast_model_fpp(const lfb_fast_model *model, double load)
{
  /* 12 standard deviations: what lies beyond is below 1e-30 */
  if (load + 12 * sqrt(load) + 20 >= LFB_FAST_MODEL_KEYS)
    return model_fpp_full(model, load);

  double poisson = exp(-load), sum = 0;
  for (int j = 0; j < LFB_FAST_MODEL_KEYS; j++) {
    sum += poisson * model->found[j];
    poisson *= load / (j + 1);
  }
  return sum;
}

double lfb_fast_model_load(const lfb_fast_model *model, double fpp)
{
  double low = 0, high = 1;

  while (lfb_fast_model_fpp(model, high) <= fpp)
    high *= 2;
  for (int i = 0; i < 50; i++) {
    const double middle = (low + high) / 2;
    if (lfb_fast_model_fpp(model, middle) <= fpp)
      low = middle;
    else
      high = middle;
  }
  return low;
}
