/* sizing.c - the formulas of a classic Bloom filter. */
#include "bloom/strategies/sizing.h"

#include <math.h>

lfb_status lfb_sizing_check_fpp(double fpp)
{
  if (!(fpp > 0)) /* so that NaN is refused */
    return LFB_ERROR_FPP_TOO_LOW;
  return fpp < 1 ? LFB_OK : LFB_ERROR_FPP_TOO_HIGH;
}

lfb_status lfb_sizing_check_blocked(double fpp)
{
  return fpp < 1e-18 ? LFB_ERROR_FPP_TOO_LOW : lfb_sizing_check_fpp(fpp);
}

lfb_status lfb_sizing_check(const lfb_config *config)
{
  const lfb_status status = lfb_sizing_check_blocked(config->fpp);

  return status == LFB_OK && config->memory_preference > LFB_MEMORY_SMALLEST
             ? LFB_ERROR_UNKNOWN_PREFERENCE
             : status;
}

static double sizing_insertions(uint64_t expected_insertions)
{
  return expected_insertions == 0 ? 1 : (double)expected_insertions;
}

uint64_t lfb_sizing_bits(uint64_t expected_insertions, double fpp)
{
  const double bits = -sizing_insertions(expected_insertions) * log(fpp) / (log(2) * log(2));

  /* Java's cast saturates; C's is undefined for a value out of range. */
  return bits < 0x1p63 ? (uint64_t)bits : INT64_MAX;
}

uint64_t lfb_sizing_probes(const lfb_config *config, uint64_t bits)
{
  const double probes =
      config->probes_formula == LFB_PROBES_GUAVA_CURRENT
          ? -log(config->fpp) / log(2)
          : (double)bits / sizing_insertions(config->expected_insertions) * log(2);

  /* For positive numbers round() rounds halves up, as Java's Math.round() does. */
  return probes < 1 ? 1 : (uint64_t)round(probes);
}

uint64_t lfb_sizing_foldable(const lfb_config *config, uint64_t blocks)
{
  /* Multiples of all numbers up to 10, 7, 6 and 4. */
  static const uint32_t steps[] = {2520, 420, 60, 12};
  enum { STEPS = sizeof steps / sizeof *steps, LEAST = 32 };
  int i = 0;

  if (!config->foldable)
    return blocks;
  while (i + 1 < STEPS && blocks / LEAST < steps[i])
    i++;
  uint64_t step = steps[i];
  while (blocks / LEAST >= 2 * step)
    step *= 2;
  return (blocks + step - 1) / step * step;
}

lfb_status lfb_sizing_classic(const lfb_config *config, uint64_t max_words,
                              lfb_geometry *geometry)
{
  const lfb_status status = lfb_sizing_check_fpp(config->fpp);
  if (status != LFB_OK)
    return status;
  if (config->probes_formula != LFB_PROBES_GUAVA_31 &&
      config->probes_formula != LFB_PROBES_GUAVA_CURRENT)
    return LFB_ERROR_UNKNOWN_FORMULA;

  const uint64_t bits = lfb_sizing_bits(config->expected_insertions, config->fpp);
  const uint64_t words = lfb_sizing_foldable(config, bits / 64 + (bits % 64 != 0));
  if (bits == 0)
    return LFB_ERROR_NO_BITS;
  if (words > max_words)
    return LFB_ERROR_TOO_MANY_BITS;

  const uint64_t probes = lfb_sizing_probes(config, bits);
  if (probes > LFB_MAX_PROBES)
    return LFB_ERROR_TOO_MANY_PROBES;
  *geometry = (lfb_geometry){config->foldable ? 64 * words : bits, words, (uint32_t)probes, 0};
  return LFB_OK;
}
