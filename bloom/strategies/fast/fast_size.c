/* fast_size.c - chooses the shape and size of a `fast` filter. */
#include "bloom/strategies/fast/fast_size.h"

#include <math.h>

#include "bloom/strategies/block_model.h"
#include "bloom/strategies/fast/fast_key.h"

/* The shapes {w, g, 8}, in order of w. */
static const lfb_block_shape fast_shapes[] = {
    {1, 1, 8}, {1, 2, 8}, {1, 3, 8}, {1, 4, 8}, {1, 5, 8}, {1, 6, 8}, {2, 1, 8}, {2, 2, 8}, {2, 3, 8}, {2, 4, 8},
    {2, 5, 8}, {4, 1, 8}, {4, 2, 8}, {4, 3, 8}, {4, 4, 8}, {8, 1, 8}, {8, 2, 8}, {8, 3, 8}, {8, 4, 8}};

enum { SHAPE_COUNT = sizeof fast_shapes / sizeof *fast_shapes };

/* 64 TiB, more than any filter needs.  The number of a block must not use up the bits of a hash. */
#define FAST_MAX_BLOCKS (UINT64_C(1) << 40)

/* The factor by which a filter may be larger than the smallest, if it has fewer words per key. */
static double fast_size_factor(lfb_memory_preference preference)
{
  switch (preference) {
  case LFB_MEMORY_SPEED: return 1.25;
  case LFB_MEMORY_SMALLEST: return 1;
  default: return 1.05; /* two words down to 0.5 %, four down to 0.003 % */
  }
}

/* Whether a shape can be near the best: compares its probes with the classic optimum.  The uneven
 * load of the blocks lowers the best number of probes for small w. */
static bool fast_shape_plausible(lfb_block_shape shape, double fpp)
{
  const double classic = -log2(fpp), probes = shape.words * shape.bits;
  return probes >= 0.55 * classic - 1 && probes <= 1.25 * classic + 1;
}

/* Computes the keys per block that each shape can hold, 0 for implausible shapes.  Returns the
 * largest. */
static double fast_loads(double fpp, double loads[SHAPE_COUNT])
{
  double largest = 0;

  for (int i = 0; i < SHAPE_COUNT; i++) {
    lfb_block_model model;
    loads[i] = 0;
    if (!fast_shape_plausible(fast_shapes[i], fpp) && i + 1 < SHAPE_COUNT)
      continue;
    lfb_block_model_init(&model, fast_shapes[i], LFB_WORD_BITS);
    loads[i] = lfb_block_model_load(&model, fpp);
    largest = fmax(largest, loads[i]);
  }
  return largest;
}

/* Of the shapes that hold at least `least` keys per block: the fewest words, then the most keys. */
static int fast_choose(const double loads[SHAPE_COUNT], double least)
{
  int chosen = -1;

  for (int i = 0; i < SHAPE_COUNT; i++) {
    if (loads[i] < least)
      continue;
    if (chosen >= 0 && fast_shapes[i].words > fast_shapes[chosen].words)
      break;
    if (chosen < 0 || loads[i] > loads[chosen])
      chosen = i;
  }
  return chosen;
}

lfb_status lfb_fast_size(const lfb_config *config, lfb_geometry *geometry)
{
  double loads[SHAPE_COUNT];

  const lfb_status status = lfb_sizing_check(config);
  if (status != LFB_OK)
    return status;

  const double largest = fast_loads(config->fpp, loads);
  const int chosen = fast_choose(loads, largest / fast_size_factor(config->memory_preference));
  const double n = config->expected_insertions == 0 ? 1 : (double)config->expected_insertions;
  const double blocks = ceil(n / loads[chosen]);
  if (!(blocks <= (double)FAST_MAX_BLOCKS)) /* also if the load is 0 */
    return LFB_ERROR_TOO_MANY_BITS;

  const uint64_t made = lfb_sizing_foldable(config, (uint64_t)blocks);
  const lfb_block_shape shape = fast_shapes[chosen];
  *geometry = (lfb_geometry){LFB_BLOCK_BITS * made, LFB_BLOCK_WORDS * made,
                             shape.words * shape.bits, shape.words};
  return LFB_OK;
}

bool lfb_fast_valid(const lfb_geometry *geometry)
{
  const uint32_t w = geometry->words_per_key;

  return (w == 1 || w == 2 || w == 4 || w == 8) && geometry->probes % w == 0 &&
         geometry->probes <= LFB_FAST_MAX_PROBES && geometry->word_count % LFB_BLOCK_WORDS == 0 &&
         geometry->word_count / LFB_BLOCK_WORDS <= FAST_MAX_BLOCKS &&
         geometry->bit_count == LFB_WORD_BITS * geometry->word_count;
}

static uint32_t fast_log2(uint32_t power)
{
  return (uint32_t)__builtin_ctz(power);
}

uint32_t lfb_fast_kernel_of(const lfb_geometry *geometry)
{
#define FAST_SHAPE_OF(name, group_shift, probes) LFB_FAST_SHAPE(group_shift, probes),
  static const uint32_t shapes[] = {LFB_FAST_SHAPES(FAST_SHAPE_OF)};
  const uint32_t group_words = LFB_BLOCK_WORDS / geometry->words_per_key;
  const uint32_t shape = LFB_FAST_SHAPE(fast_log2(group_words), geometry->probes);

  for (uint32_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (shapes[i] == shape)
      return i + 1;
  return 0;
}

lfb_fast lfb_fast_view(const lfb_geometry *geometry, uint32_t block_words, lfb_word *words,
                       void *filter)
{
  return (lfb_fast){.words = words,
                   .blocks = geometry->word_count / block_words,
                   .block_shift = fast_log2(block_words),
                   .group_shift = fast_log2(block_words / geometry->words_per_key),
                   .probes = geometry->probes,
                   .rounds = (geometry->probes + LFB_FAST_ROUND - 1) / LFB_FAST_ROUND,
                   .filter = filter};
}

uint32_t lfb_fast_bits_of(const lfb_layout *layout, lfb_hash hash, uint64_t *indexes)
{
  const lfb_fast *fast = &layout->fast;
  const uint32_t groups = lfb_fast_groups(fast);
  const uint64_t first = lfb_multiply_high(hash.low, fast->blocks) << fast->block_shift;
  const uint64_t round0 = lfb_fast_round(hash.low, 0);

  for (uint32_t probe = 0; probe < fast->probes; probe++) {
    const uint64_t word = first + lfb_fast_word(fast, round0, probe & (groups - 1));
    const uint64_t round = lfb_fast_round(hash.low, probe / LFB_FAST_ROUND);
    indexes[probe] = word * LFB_WORD_BITS + (round >> (16 + 6 * (probe % LFB_FAST_ROUND)) & 63);
  }
  return fast->probes;
}
