/* fast_size.c - chooses the shape and size of a `fast` filter; the rows of `fast` and of
 * `fast-pair`, which is `fast` with one pair at any fpp: a put of a key is a claim. */
#include <math.h>

#include "bloom/strategies/block_model.h"
#include "bloom/strategies/fast/fast.h"
#include "bloom/strategies/fast/fast_key.h"
#include "bloom/strategies/strategies.h"

/* 64 TiB, more than any filter needs.  The number of a block must not use up the bits of a hash. */
#define SIZE_MOST_WORDS (UINT64_C(1) << 43)

enum { SIZE_CLASSES = 3 }; /* 1, 2 and 4 pairs */

/*
 * The most bits per key at which a filter has so few pairs; above, it has more.  The sizes of two
 * classes meet at the limit, so that a smaller fpp never takes less memory.
 *
 * One pair is fastest, and four are smallest.  `balanced` has one down to 0.5 %, and two down to
 * 3.3e-5; for speed one down to 1.2e-4, and two down to 2e-9.
 */
static const double size_most_bits_balanced[SIZE_CLASSES] = {13.1, 27.5, INFINITY};
static const double size_most_bits_speed[SIZE_CLASSES] = {30, 96, INFINITY};
static const double size_most_bits_pair[SIZE_CLASSES] = {INFINITY, INFINITY, INFINITY};

/* The number of bits in each word with which blocks of these pairs hold the most keys; `*load`
 * receives the keys per word.  A key that has a choice of pairs has two bits in a word or more: one
 * would take 3 % less memory at 1 %, for twice the pairs.  Not inlined: the model needs 11 KiB of
 * stack. */
static __attribute__((noinline)) uint32_t size_best(double fpp, uint32_t pairs, double *load)
{
  uint32_t best = 0;

  *load = 0;
  for (uint32_t bits = pairs == 1 ? 1 : 2;
       LFB_PAIR_WORDS * pairs * bits <= LFB_FAST_MAX_PROBES; bits++) {
    lfb_block_model model;
    lfb_block_model_init(&model, lfb_block_shape_of(pairs, bits), LFB_WORD_BITS);
    const double holds = lfb_block_model_load(&model, fpp) / lfb_fast_block_words(pairs);
    if (holds < *load) /* it rises to the best and falls after it */
      break;
    *load = holds;
    best = bits;
  }
  return best;
}

/* A shape, and the keys per word of a filter that has it. */
typedef struct size_shape {
  uint32_t pairs, bits;
  double load;
} size_shape;

/* Chooses the fewest pairs within their limit, and no more keys per word than the limits of fewer
 * pairs allow: that filter holds fpp with ease. */
static size_shape size_limited(double fpp, const double most_bits[SIZE_CLASSES])
{
  double most = INFINITY;

  for (uint32_t i = 0;; i++) {
    size_shape shape = {.pairs = 1U << i};
    shape.bits = size_best(fpp, shape.pairs, &shape.load);
    shape.load = fmin(shape.load, most);
    if (i == SIZE_CLASSES - 1 || shape.load * most_bits[i] >= (double)LFB_WORD_BITS)
      return shape;
    most = (double)LFB_WORD_BITS / most_bits[i];
  }
}

/* Chooses the shape that holds the most keys. */
static size_shape size_smallest(double fpp)
{
  size_shape best = {.load = 0};

  for (uint32_t i = 0; i < SIZE_CLASSES; i++) {
    size_shape shape = {.pairs = 1U << i};
    shape.bits = size_best(fpp, shape.pairs, &shape.load);
    if (shape.load > best.load)
      best = shape;
  }
  return best;
}

/* Sizes a filter of this shape. */
static lfb_status size_of(const lfb_config *config, size_shape shape, lfb_geometry *geometry)
{
  const double n = config->expected_insertions == 0 ? 1 : (double)config->expected_insertions;
  const uint32_t block = lfb_fast_block_words(shape.pairs);
  const double blocks = ceil(n / shape.load / block);

  if (!(blocks * block <= (double)SIZE_MOST_WORDS)) /* also if there is no shape */
    return LFB_ERROR_TOO_MANY_BITS;
  const uint64_t words = block * lfb_sizing_foldable(config, (uint64_t)blocks);
  const uint32_t of_key = LFB_PAIR_WORDS * shape.pairs;
  *geometry = (lfb_geometry){LFB_WORD_BITS * words, words, of_key * shape.bits, of_key};
  return LFB_OK;
}

static lfb_status fast_size(const lfb_config *config, lfb_geometry *geometry)
{
  const lfb_status status = lfb_sizing_check(config);

  if (status != LFB_OK)
    return status;
  if (config->memory_preference == LFB_MEMORY_SMALLEST)
    return size_of(config, size_smallest(config->fpp), geometry);
  const double *most_bits = config->memory_preference == LFB_MEMORY_SPEED
                                ? size_most_bits_speed
                                : size_most_bits_balanced;
  return size_of(config, size_limited(config->fpp, most_bits), geometry);
}

static lfb_status pair_size(const lfb_config *config, lfb_geometry *geometry)
{
  const lfb_status status = lfb_sizing_check(config);

  return status == LFB_OK
             ? size_of(config, size_limited(config->fpp, size_most_bits_pair), geometry)
             : status;
}

static bool fast_valid(const lfb_geometry *geometry)
{
  const uint32_t of_key = geometry->words_per_key;

  return (of_key == 2 || of_key == 4 || of_key == 8) && geometry->probes % of_key == 0 &&
         geometry->probes <= LFB_FAST_MAX_PROBES &&
         geometry->word_count % lfb_fast_block_words(of_key / LFB_PAIR_WORDS) == 0 &&
         geometry->word_count <= SIZE_MOST_WORDS &&
         geometry->bit_count == LFB_WORD_BITS * geometry->word_count;
}

static uint32_t fast_kernel_of(const lfb_geometry *geometry)
{
#define SIZE_ROW(name, pairs, bits) {pairs, bits},
  static const uint32_t shapes[][2] = {LFB_FAST_SHAPES(SIZE_ROW)};
#undef SIZE_ROW
  const lfb_fast fast = lfb_fast_view(geometry, NULL);

  for (uint32_t i = 0; i < LFB_FAST_KERNELS - 1; i++)
    if (shapes[i][0] == fast.pairs && shapes[i][1] == fast.bits)
      return i + 1;
  return 0;
}

lfb_fast lfb_fast_view(const lfb_geometry *geometry, lfb_word *words)
{
  const uint32_t pairs = geometry->words_per_key / LFB_PAIR_WORDS;
  return (lfb_fast){.words = words,
                    .blocks = geometry->word_count / lfb_fast_block_words(pairs),
                    .pairs = pairs,
                    .bits = geometry->probes / geometry->words_per_key};
}

static uint32_t fast_bits_of(const lfb_layout *layout, lfb_hash hash, uint64_t *indexes)
{
  const lfb_fast *fast = &layout->fast;
  const uint32_t words = LFB_PAIR_WORDS * fast->pairs, probes = words * fast->bits;
  const uint64_t first =
      lfb_multiply_high(hash.low, fast->blocks) * lfb_fast_block_words(fast->pairs);

  for (uint32_t probe = 0; probe < probes; probe++) {
    const uint32_t word = probe & (words - 1);
    const uint64_t round = lfb_fast_round(hash.low, probe / LFB_FAST_ROUND);
    indexes[probe] = (first + lfb_fast_pair_at(hash.low, fast->pairs, word / 2) + word % 2) *
                         LFB_WORD_BITS +
                     (round >> lfb_fast_shift(probe) & 63);
  }
  return probes;
}

/* The row of a name.  A filter of either is one of `fast` (lfb_description_make()). */
#define SIZE_STRATEGY(identifier, called, sizes)                                       \
  {                                                                                    \
    .id = identifier, .file_id = 6, .name = called, .seeding = LFB_SEED_RANDOM,        \
    .reachable_bits = UINT64_MAX, .in_pairs = true, .size = sizes, .valid = fast_valid, \
    .rates = &lfb_rates_block, .model_bits = LFB_WORD_BITS, .bits_of = fast_bits_of,   \
    .kernels = {[LFB_SIMD_NONE] = lfb_kernels_fast,                                    \
                [LFB_SIMD_AVX2] = LFB_X86(lfb_kernels_fast256),                        \
                [LFB_SIMD_AVX512] = LFB_X86(lfb_kernels_fast512)},                 \
    .kernel_of = fast_kernel_of                                                        \
  }
const lfb_strategy lfb_strategy_fast = SIZE_STRATEGY(LFB_FAST, "fast", fast_size);
const lfb_strategy lfb_strategy_fast_pair = SIZE_STRATEGY(LFB_FAST_PAIR, "fast-pair", pair_size);
