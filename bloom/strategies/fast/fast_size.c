/* fast_size.c - chooses the shape and size of a `fast` filter; the row of the strategy `fast`. */
#include "bloom/strategies/fast/fast.h"

#include <math.h>

#include "bloom/strategies/block_model.h"
#include "bloom/strategies/fast/fast_key.h"
#include "bloom/strategies/strategies.h"

/* The shapes {w, g, words of a block}, in order of w and of the block. */
static const lfb_block_shape fast_shapes[] = {
    {1, 1, 8}, {1, 2, 8}, {1, 3, 8}, {1, 4, 8}, {1, 5, 8}, {1, 6, 8}, {2, 1, 8}, {2, 2, 8},
        {2, 3, 8}, {2, 4, 8},
    {2, 5, 8}, {4, 1, 8}, {4, 2, 8}, {4, 3, 8}, {4, 4, 8}, {8, 1, 8}, {8, 2, 8}, {8, 3, 8},
        {8, 4, 8},
    {8, 2, 16}, {8, 3, 16}, {8, 4, 16}};

enum { SHAPE_COUNT = sizeof fast_shapes / sizeof *fast_shapes };

/* 64 TiB, more than any filter needs.  The number of a block must not use up the bits of a hash. */
#define FAST_MAX_BLOCKS (UINT64_C(1) << 40)

enum { FAST_CLASSES = 5 }; /* 1, 2, 4 and 8 words per key in one line, and 8 in two */

/*
 * The most bits per key at which a filter has the shapes of each class; above, it has those of a
 * later one.  The sizes of two classes meet at the limit, so that a smaller fpp never takes less
 * memory.
 *
 * Up to its limit a filter of one line is at most 5 % larger than the smallest of one line; for
 * speed, which never takes two, 25 %.  Below 1e-5 `balanced` takes two: an eighth less memory
 * (1e-6: 34.2 bits for 39.0; 1e-9: 62.4 for
 * 81.1), for 8 locked operations a put, as with 8 words in one line.
 */
static const double fast_most_bits_balanced[FAST_CLASSES] = {5.27, 11.58, 31.2, 0 /* never */,
                                                             INFINITY};
static const double fast_most_bits_speed[FAST_CLASSES] = {12.25, 30, 96, INFINITY, INFINITY};

/* Whether a shape can be near the best: compares its probes with the classic optimum.  The uneven
 * load of the blocks lowers the best number of probes for small w.  Of two lines all count: where
 * they become the smallest, the size must not make a step.  So do the most probes, lest no shape is
 * left. */
static bool fast_shape_plausible(lfb_block_shape shape, double fpp)
{
  const double classic = -log2(fpp), probes = shape.words * shape.bits;
  return shape.of_words > LFB_BLOCK_WORDS || probes == (double)LFB_FAST_MAX_PROBES ||
         (probes >= 0.55 * classic - 1 && probes <= 1.25 * classic + 1);
}

/* Of the class of shapes[first]: the one that holds the most keys per line, of those that are
 * plausible; `*load` receives that number, 0 if none is.  Returns the index after them. */
static int fast_best(double fpp, int first, int *best, double *load)
{
  const lfb_block_shape like = fast_shapes[first];
  int i = first;

  *best = first;
  *load = 0;
  for (; i < SHAPE_COUNT && fast_shapes[i].words == like.words &&
       fast_shapes[i].of_words == like.of_words; i++) {
    const lfb_block_shape shape = fast_shapes[i];
    lfb_block_model model;
    if (!fast_shape_plausible(shape, fpp))
      continue;
    lfb_block_model_init(&model, shape, LFB_WORD_BITS);
    const double holds =
        lfb_block_model_load(&model, fpp) * (double)LFB_BLOCK_WORDS / shape.of_words;
    if (holds > *load) {
      *load = holds;
      *best = i;
    }
  }
  return i;
}

/* Returns the shape of the first class within its limit.  `*load` receives its keys per line, no
 * more than the limits of the classes before allow: that filter holds fpp with ease. */
static int fast_choose_limited(double fpp, const double most_bits[FAST_CLASSES], double *load)
{
  double most = INFINITY; /* keys per line */
  int chosen = 0;

  for (int next = 0, i = 0; i < FAST_CLASSES && next < SHAPE_COUNT; i++) {
    next = fast_best(fpp, next, &chosen, load);
    const double least = (double)LFB_BLOCK_BITS / most_bits[i];
    *load = fmin(*load, most);
    if (*load >= least)
      break;
    most = fmin(most, least);
  }
  return chosen;
}

/* Returns the shape that holds the most keys per line. */
static int fast_choose_smallest(double fpp, double *load)
{
  int chosen = 0;

  *load = 0;
  for (int next = 0; next < SHAPE_COUNT;) {
    double holds;
    int best;
    next = fast_best(fpp, next, &best, &holds);
    if (holds > *load) {
      *load = holds;
      chosen = best;
    }
  }
  return chosen;
}

static int fast_choose(const lfb_config *config, double *load)
{
  switch (config->memory_preference) {
  case LFB_MEMORY_SPEED: return fast_choose_limited(config->fpp, fast_most_bits_speed, load);
  case LFB_MEMORY_SMALLEST: return fast_choose_smallest(config->fpp, load);
  default: return fast_choose_limited(config->fpp, fast_most_bits_balanced, load);
  }
}

lfb_status lfb_fast_size(const lfb_config *config, lfb_geometry *geometry)
{
  double load;

  const lfb_status status = lfb_sizing_check(config);
  if (status != LFB_OK)
    return status;

  const lfb_block_shape shape = fast_shapes[fast_choose(config, &load)];
  const double n = config->expected_insertions == 0 ? 1 : (double)config->expected_insertions;
  const double blocks = ceil(n / load * (double)LFB_BLOCK_WORDS / shape.of_words);
  if (!(blocks <= (double)FAST_MAX_BLOCKS)) /* also if the load is 0 */
    return LFB_ERROR_TOO_MANY_BITS;

  const uint64_t made = lfb_sizing_foldable(config, (uint64_t)blocks);
  *geometry = (lfb_geometry){LFB_WORD_BITS * (shape.of_words * made), shape.of_words * made,
                             shape.words * shape.bits, shape.words,
                                 shape.of_words / LFB_BLOCK_WORDS - 1};
  return LFB_OK;
}

/* Also checks the maximum size. */
static bool fast_valid(const lfb_geometry *geometry)
{
  const uint32_t w = geometry->words_per_key, lines_shift = geometry->lines_shift;

  return (w == 8 || (lines_shift == 0 && (w == 1 || w == 2 || w == 4))) && lines_shift <= 1 &&
         geometry->probes % w == 0 && geometry->probes <= LFB_FAST_MAX_PROBES &&
         geometry->word_count % ((uint64_t)LFB_BLOCK_WORDS << lines_shift) == 0 &&
         geometry->word_count / LFB_BLOCK_WORDS <= FAST_MAX_BLOCKS &&
         geometry->bit_count == LFB_WORD_BITS * geometry->word_count;
}

static uint32_t fast_log2(uint32_t power)
{
  return (uint32_t)__builtin_ctz(power);
}

/* Whether queries of many of shape i gather.  A vector's product gives the block's number below
 * 2^32 blocks. */
static bool fast_gathers(const lfb_fast *view, uint32_t i)
{
#ifdef LFB_SIMD_X86_512
  return i < LFB_FAST_GATHERED && view->blocks <= UINT32_MAX &&
         lfb_simd_chosen() == LFB_SIMD_AVX512 &&
         lfb_fast512_gathers();
#else
  (void)view;
  (void)i;
  return false;
#endif
}

static uint32_t fast_kernel_of(const lfb_geometry *geometry)
{
#define FAST_SHAPE_OF(name, block_shift, group_shift, probes) \
  LFB_FAST_SHAPE(block_shift, group_shift, probes),
  static const uint32_t shapes[] = {LFB_FAST_SHAPES(FAST_SHAPE_OF)};
  const lfb_fast view =
      lfb_fast_view(geometry, lfb_strategy_block_words(&lfb_strategy_fast, geometry), NULL);
  const uint32_t shape = LFB_FAST_SHAPE(view.block_shift, view.group_shift, view.probes);

  for (uint32_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (shapes[i] == shape)
      return fast_gathers(&view, i) ? LFB_FAST_KERNEL_GATHERS + i : i + 1;
  return 0;
}

lfb_fast lfb_fast_view(const lfb_geometry *geometry, uint32_t block_words, lfb_word *words)
{
  return (lfb_fast){.words = words,
                   .blocks = geometry->word_count / block_words,
                   .block_shift = fast_log2(block_words),
                   .group_shift = fast_log2(block_words / geometry->words_per_key),
                   .probes = geometry->probes,
                   .rounds = (geometry->probes + LFB_FAST_ROUND - 1) / LFB_FAST_ROUND};
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

const lfb_strategy lfb_strategy_fast = {
    .id = LFB_FAST,
    .file_id = 2,
    .name = "fast",
    .seeding = LFB_SEED_RANDOM,
    .reachable_bits = UINT64_MAX,
    .block_words = LFB_BLOCK_WORDS,
    .size = lfb_fast_size,
    .valid = fast_valid,
    .rates = &lfb_rates_block,
    .model_words = LFB_BLOCK_WORDS,
    .model_bits = LFB_WORD_BITS,
    .bits_of = lfb_fast_bits_of,
    .kernels = {[LFB_SIMD_NONE] = lfb_kernels_fast,
                [LFB_SIMD_AVX2] = LFB_X86(lfb_kernels_fast256),
                [LFB_SIMD_AVX512] = LFB_X86_512(lfb_kernels_fast512)},
    .kernel_of = fast_kernel_of,
};
