/* interval.c - confidence intervals of the binomial distribution. */
#define _GNU_SOURCE /* lgamma_r */
#include "cli/interval.h"

#include <math.h>

/* The natural logarithm of the probability of exactly `count` out of `trials`. */
static double interval_log_mass(uint64_t trials, double probability, uint64_t count)
{
  const double n = (double)trials;
  const double x = (double)count;
  int sign;

  return lgamma_r(n + 1, &sign) - lgamma_r(x + 1, &sign) - lgamma_r(n - x + 1, &sign) +
         x * log(probability) + (n - x) * log1p(-probability);
}

/*
 * Sums the probabilities of single counts upward, from ten standard deviations below the mean.
 * The part below that is less than 1e-20.
 */
struct interval interval_95(uint64_t trials, double probability)
{
  if (!(probability > 0))
    return (struct interval){0, 0};
  if (probability >= 1)
    return (struct interval){trials, trials};

  const double mean = (double)trials * probability;
  const double below = mean - 10 * sqrt(mean * (1 - probability)) - 10;
  const double odds = probability / (1 - probability);
  uint64_t count = below > 0 ? (uint64_t)below : 0;
  double mass = exp(interval_log_mass(trials, probability, count));
  double sum = mass;
  struct interval result = {count, trials};

  for (; sum < 0.025 && count < trials; sum += mass, count++)
    mass *= (double)(trials - count) / (double)(count + 1) * odds;
  result.low = count;
  for (; sum < 0.975 && count < trials; sum += mass, count++)
    mass *= (double)(trials - count) / (double)(count + 1) * odds;
  result.high = count;
  return result;
}
