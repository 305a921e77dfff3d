/*
 * sbbf.c - strategy `sbbf`: Parquet's split-block Bloom filter, bit for bit.
 *
 * A block is 256 bits, eight 32-bit words.  Here it is four 64-bit words, with 32-bit word 2 i in
 * the low half of the i-th, so that the words' little-endian bytes are Parquet's bitset.  Of the
 * key's XXH64 with seed 0, the high half selects the block: floor(high * blocks / 2^32).  The low
 * half selects one bit in each 32-bit word i: floor((low * salt[i] mod 2^32) / 2^27).
 *
 * Source: apache/parquet-format, BloomFilter.md.
 */
#include <math.h>

#include "bloom/strategies/block_model.h"
#include "bloom/strategies/sbbf.h"
#include "bloom/strategies/strategies.h"

enum {
  SBBF_HALVES = LFB_SBBF_HALVES,
  SBBF_WORDS = LFB_SBBF_WORDS,
  SBBF_HALF_BITS = 32,
  SBBF_BLOCK_BITS = SBBF_HALVES * SBBF_HALF_BITS,
  /* 2^31 - 32 bytes: the size in the header is a signed 32-bit number. */
  SBBF_MAX_BLOCKS = (1 << 26) - 1,
  /* 128 MiB, the largest filter that Arrow, Velox and parquet-java read.  Up to there the number
   * of blocks is a power of two unless LFB_MEMORY_SMALLEST is asked for: Arrow and Velox read no
   * other number, the rest read any. */
  SBBF_MAX_POWER = 1 << 22,
};

static uint64_t sbbf_round_up(uint64_t blocks)
{
  uint64_t power = 1;
  while (power < blocks)
    power *= 2;
  return power;
}

static lfb_status sbbf_size(const lfb_config *config, lfb_geometry *geometry)
{
  const double n = config->expected_insertions == 0 ? 1 : (double)config->expected_insertions;
  lfb_block_model model;

  const lfb_status status = lfb_sizing_check(config);
  if (status != LFB_OK)
    return status;
  lfb_block_model_init(&model, (lfb_block_shape){SBBF_HALVES, 1, 1, 1},
                       SBBF_HALF_BITS);
  const double wanted = ceil(n / lfb_block_model_load(&model, config->fpp));
  if (!(wanted <= (double)SBBF_MAX_BLOCKS)) /* also if the load is 0 */
    return LFB_ERROR_TOO_MANY_BITS;
  const uint64_t least = (uint64_t)wanted;
  const bool exact = config->memory_preference == LFB_MEMORY_SMALLEST || least > SBBF_MAX_POWER;
  const uint64_t blocks = exact ? lfb_sizing_foldable(config, least) : sbbf_round_up(least);
  *geometry =
      (lfb_geometry){SBBF_BLOCK_BITS * blocks, SBBF_WORDS * blocks, SBBF_HALVES, SBBF_WORDS};
  return LFB_OK;
}

static bool sbbf_valid(const lfb_geometry *geometry)
{
  return geometry->probes == SBBF_HALVES && geometry->words_per_key == SBBF_WORDS &&
         geometry->word_count % SBBF_WORDS == 0 &&
         geometry->word_count / SBBF_WORDS <= SBBF_MAX_BLOCKS &&
         geometry->bit_count == LFB_WORD_BITS * geometry->word_count;
}

/* The bits of a hash in word i, below SBBF_WORDS, of its block. */
LFB_INLINE uint64_t sbbf_mask(uint64_t hash, size_t i)
{
  const uint32_t low = (uint32_t)hash;

  return UINT64_C(1) << (low * lfb_sbbf_salts[2 * i] >> 27) |
         UINT64_C(1) << (32 + (low * lfb_sbbf_salts[2 * i + 1] >> 27));
}

static uint32_t sbbf_bits_of(const lfb_layout *layout, lfb_hash hash, uint64_t *indexes)
{
  const uint64_t first = lfb_sbbf_first_word(layout, hash.low);
  uint32_t count = 0;

  for (uint32_t i = 0; i < SBBF_WORDS; i++)
    for (uint64_t mask = sbbf_mask(hash.low, i); mask != 0; mask &= mask - 1)
      indexes[count++] = (first + i) * LFB_WORD_BITS + (uint64_t)__builtin_ctzll(mask);
  return count;
}

LFB_INLINE uint64_t sbbf_put_one(const lfb_layout *layout, uint64_t hash)
{
  lfb_word *const block = lfb_sbbf_block(layout, hash), *const pair[] = {block, block + 2};
  const lfb_two mask[] = {{sbbf_mask(hash, 0), sbbf_mask(hash, 1)},
                          {sbbf_mask(hash, 2), sbbf_mask(hash, 3)}};

  return lfb_bit_array_or_pairs(pair, mask, SBBF_WORDS / LFB_PAIR_WORDS);
}

LFB_INLINE uint64_t sbbf_query_one(const lfb_layout *layout, uint64_t hash)
{
  const lfb_word *block = lfb_sbbf_block(layout, hash);
  uint64_t missing = 0;

  LFB_UNROLL
  for (uint32_t i = 0; i < SBBF_WORDS; i++)
    missing |= sbbf_mask(hash, i) & ~lfb_word_get(&block[i]);
  return missing == 0;
}

#define SBBF_TARGET
#define SBBF_(noun) sbbf_##noun
#define SBBF_PUT sbbf_put
#define SBBF_TURN_ON sbbf_turn_on
#define SBBF_MIGHT_CONTAIN sbbf_might_contain
#define SBBF_MANY sbbf_many
#include "bloom/strategies/sbbf_kernel.inc.h"

LFB_INLINE uint64_t sbbf_bytes_query_one(const lfb_layout *layout, uint64_t hash)
{
  const uint64_t first = lfb_sbbf_first_word(layout, hash);
  uint64_t missing = 0;

  LFB_UNROLL
  for (uint32_t i = 0; i < SBBF_WORDS; i++)
    missing |= sbbf_mask(hash, i) & ~lfb_bit_array_read(&layout->bits, first + i);
  return missing == 0;
}

#define SBBF_TARGET
#define SBBF_(noun) sbbf_bytes_##noun
#define SBBF_MIGHT_CONTAIN sbbf_bytes_might_contain
#define SBBF_MANY sbbf_bytes_many
#define SBBF_BYTES
#include "bloom/strategies/sbbf_kernel.inc.h"

const lfb_strategy lfb_strategy_sbbf = {
    .id = LFB_SBBF,
    .file_id = 3,
    .name = "sbbf",
    .hash = LFB_KIND_XXH64,
    .reachable_bits = UINT64_MAX,
    .size = sbbf_size,
    .valid = sbbf_valid,
    .rates = &lfb_rates_block,
    .model_bits = SBBF_HALF_BITS,
    .bits_of = sbbf_bits_of,
    .kernels = {[LFB_SIMD_NONE] = (const lfb_kernel *const[]){&sbbf_kernel},
                [LFB_SIMD_AVX2] = LFB_X86(lfb_kernels_sbbf256)},
    .bytes_kernels = {[LFB_SIMD_NONE] = (const lfb_kernel *const[]){&sbbf_bytes_kernel},
                      [LFB_SIMD_AVX2] = LFB_X86(lfb_kernels_sbbf256_bytes)},
};
