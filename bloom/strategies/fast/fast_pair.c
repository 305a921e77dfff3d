/*
 * fast_pair.c - strategy `fast-pair`: two neighbouring words per key.  One operation turns on all
 * bits of a key, so every put is a claim.
 *
 * It is `fast` with blocks of two words and a group for each (bloom/strategies/fast_view.h), and
 * has the same kernels.  This file has the strategy's row and its sizes.
 *
 * A pair is a small block: at 1 % it takes 10.9 bits per key, `fast` takes 10.3.
 */
#include <math.h>

#include "bloom/strategies/block_model.h"
#include "atomic/words/pair.h"
#include "bloom/strategies/fast/fast.h"
#include "bloom/strategies/strategies.h"

enum {
  PAIR_WORDS = LFB_PAIR_WORDS,
  PAIR_BITS = PAIR_WORDS * LFB_WORD_BITS,
  PAIR_MOST = LFB_FAST_MAX_PROBES / PAIR_WORDS, /* bits in each word */
};

/* 64 TiB, more than any filter needs.  The number of a pair must not use up the bits of a hash. */
#define PAIR_MOST_PAIRS (UINT64_C(1) << 42)

static lfb_status pair_usable(void)
{
  return lfb_pair_runs_here() ? LFB_OK : LFB_ERROR_NO_PAIRS;
}

/* The number of bits in each word with which a pair holds the most keys; `*load` receives that
 * number of keys. */
static uint32_t pair_choose(double fpp, double *load)
{
  uint32_t best = 1;

  *load = 0;
  for (uint32_t bits = 1; bits <= PAIR_MOST; bits++) {
    lfb_block_model model;
    lfb_block_model_init(&model, (lfb_block_shape){PAIR_WORDS, bits, PAIR_WORDS}, LFB_WORD_BITS);
    const double holds = lfb_block_model_load(&model, fpp);
    if (holds < *load) /* it rises to the best and falls after it */
      break;
    *load = holds;
    best = bits;
  }
  return best;
}

static lfb_status pair_size(const lfb_config *config, lfb_geometry *geometry)
{
  const double n = config->expected_insertions == 0 ? 1 : (double)config->expected_insertions;
  const lfb_status status = lfb_sizing_check(config);
  double load;

  if (status != LFB_OK)
    return status;
  const uint32_t bits = pair_choose(config->fpp, &load);
  const double wanted = ceil(n / load);
  if (!(wanted <= (double)PAIR_MOST_PAIRS)) /* also if the load is 0 */
    return LFB_ERROR_TOO_MANY_BITS;
  const uint64_t pairs = lfb_sizing_foldable(config, (uint64_t)wanted);
  *geometry =
      (lfb_geometry){PAIR_BITS * pairs, PAIR_WORDS * pairs, PAIR_WORDS * bits, PAIR_WORDS, 0};
  return LFB_OK;
}

static bool pair_valid(const lfb_geometry *geometry)
{
  return lfb_geometry_shape(geometry) == PAIR_WORDS && geometry->probes % PAIR_WORDS == 0 &&
         geometry->probes <= LFB_FAST_MAX_PROBES && geometry->word_count % PAIR_WORDS == 0 &&
         geometry->word_count / PAIR_WORDS <= PAIR_MOST_PAIRS &&
         geometry->bit_count == LFB_WORD_BITS * geometry->word_count;
}

/* 6 probes are those of 1 %. */
static uint32_t pair_kernel_of(const lfb_geometry *geometry)
{
  return LFB_FAST_KERNEL_PAIR + (geometry->probes == 6);
}

const lfb_strategy lfb_strategy_fast_pair = {
    .id = LFB_FAST_PAIR,
    .file_id = 6,
    .name = "fast-pair",
    .seeding = LFB_SEED_RANDOM,
    .reachable_bits = UINT64_MAX,
    .block_words = LFB_PAIR_WORDS,
    .puts_claim = true,
    .usable = pair_usable,
    .size = pair_size,
    .valid = pair_valid,
    .rates = &lfb_rates_block,
    .model_words = LFB_PAIR_WORDS,
    .model_bits = LFB_WORD_BITS,
    .bits_of = lfb_fast_bits_of,
    .kernels = {[LFB_SIMD_NONE] = lfb_kernels_fast,
                [LFB_SIMD_AVX2] = LFB_X86(lfb_kernels_fast256),
                [LFB_SIMD_AVX512] = LFB_X86_512(lfb_kernels_fast512)},
    .kernel_of = pair_kernel_of,
};
