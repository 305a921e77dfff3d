/*
 * go_fnv14.c - the Go filter of 14 fixed seeds over FNV-1a 32 and 2^25 bits.
 *
 * With x = h ^ (h >> 16), probe i is ((2^25 - 1 & seed[i]) * x + 2^25) mod 2^25 in
 * 64-bit arithmetic: seed[i] * x mod 2^25, as all seeds are below 2^25.  All 14
 * probes depend on the low 25 bits of x only, so two keys with the same low bits are
 * the same key to this filter.  The classic formula does not know that.
 *
 * The rate when a share u of the 2^25 values of x was put: each seed is odd and so has an inverse.
 * Bit b is on if and only if one of the 14 values b / seed[j] was put, so a share
 * 1 - (1 - u)^14 of the bits is on.  The value of an absent key was put with probability u.  If
 * it was not, probe i finds its bit on if one of the values x * seed[i] / seed[j], j not i, was
 * put.  These are 13 other values, and no two probes share one.  In total the rate is
 * u + (1 - u) (1 - (1 - u)^13)^14; n keys make u = 1 - (1 - 2^-25)^n.  This holds for keys that
 * FNV-1a spreads: the rate of sequential numbers is some percent higher.
 */
#include <math.h>

#include "bloom/strategies/probes.h"
#include "bloom/strategies/strategies.h"

enum { BIT_COUNT = 1 << 25, PROBES = 14 };

static const uint16_t go_fnv14_seeds[PROBES] = {3,   13,  47,  67,  89,  137, 193,
                                                257, 331, 421, 521, 631, 761, 907};

/* The size is fixed; fpp only has to be valid. */
static lfb_status go_fnv14_size(const lfb_config *config, lfb_geometry *geometry)
{
  const lfb_status status = lfb_sizing_check_fpp(config->fpp);
  if (status == LFB_OK)
    *geometry = (lfb_geometry){BIT_COUNT, BIT_COUNT / LFB_WORD_BITS, PROBES, 0};
  return status;
}

static bool go_fnv14_valid(const lfb_geometry *geometry)
{
  return geometry->bit_count == BIT_COUNT && geometry->probes == PROBES &&
         geometry->words_per_key == 0;
}

static lfb_walk go_fnv14_start(lfb_hash hash)
{
  const uint32_t h = (uint32_t)hash.low;
  return (lfb_walk){h ^ h >> 16, 0};
}

static uint64_t go_fnv14_next(lfb_walk *walk, const lfb_layout *layout)
{
  (void)layout;
  return go_fnv14_seeds[walk->stride++] * walk->at % BIT_COUNT;
}

/* The rate if log(1 - u) is `absent`. */
static double go_fnv14_rate(double absent)
{
  return -expm1(absent) + exp(absent) * pow(-expm1((PROBES - 1) * absent), PROBES);
}

static double go_fnv14_fpp_after(const lfb_strategy *strategy, const lfb_geometry *geometry,
                                 double insertions)
{
  (void)strategy;
  (void)geometry;
  return go_fnv14_rate(insertions * log1p(-1 / (double)BIT_COUNT));
}

static double go_fnv14_fpp_now(const lfb_strategy *strategy, const lfb_geometry *geometry,
                               uint64_t bits_set)
{
  (void)strategy;
  return go_fnv14_rate(log1p(-(double)bits_set / (double)geometry->bit_count) / (double)PROBES);
}

static const lfb_rates go_fnv14_rates = {go_fnv14_fpp_after, lfb_rates_classic_count,
                                         go_fnv14_fpp_now};

#define CLASSIC_START go_fnv14_start
#define CLASSIC_NEXT go_fnv14_next
#define CLASSIC_BITS_OF go_fnv14_bits_of
#define CLASSIC_PUT go_fnv14_put
#define CLASSIC_MIGHT_CONTAIN go_fnv14_might_contain
#define CLASSIC_MANY go_fnv14_many
#define CLASSIC_KERNELS go_fnv14_kernels
#include "bloom/strategies/classic.inc.h"

const lfb_strategy lfb_strategy_go_fnv14 = {
    .id = LFB_GO_FNV14,
    .file_id = 5,
    .name = "go-fnv14",
    .hash = LFB_KIND_FNV1A32,
    .reachable_bits = UINT64_MAX,
    .size = go_fnv14_size,
    .valid = go_fnv14_valid,
    .rates = &go_fnv14_rates,
    .bits_of = go_fnv14_bits_of,
    .kernels = {go_fnv14_kernels},
};
