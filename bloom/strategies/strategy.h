/*
 * strategy.h - the cold side of a strategy: its name, the size of its filters, their
 * false-positive rates, and its kernels.
 *
 * A strategy turns an element's hash into bits of a layout.  It is part of the serialised form and
 * never changes after its release.
 */
#ifndef LFB_BLOOM_STRATEGY_H
#define LFB_BLOOM_STRATEGY_H

#include <lfbloom/filter.h>

#include "bloom/strategies/kernel.h"
#include "bloom/hashing/simd.h"
#include "bloom/strategies/sizing.h"
#include "bloom/strategies/spread.h"

LFB_EXTERN_C_BEGIN

/* The values that config.seed, .hash and .key may have. */
typedef enum lfb_seeding {
  LFB_SEED_NONE,   /* all 0                                                  */
  LFB_SEED_PAIR,   /* two 32-bit seeds; 0 stands for seeds 0 and 1           */
  LFB_SEED_RANDOM, /* a 64-bit seed or a keyed hash; 0 for a random one      */
} lfb_seeding;

typedef struct lfb_strategy lfb_strategy;

/* The figures of a strategy's filters. */
typedef struct lfb_rates {
  /* The expected probability of a false positive after this many insertions. */
  double (*fpp_after)(const lfb_strategy *strategy, const lfb_geometry *geometry,
                      double insertions);

  /* The most likely number of elements for this many set bits.  Not all bits may be set. */
  double (*count)(const lfb_strategy *strategy, const lfb_geometry *geometry, uint64_t bits_set);

  /* The probability of a false positive with this many bits set. */
  double (*fpp_now)(const lfb_strategy *strategy, const lfb_geometry *geometry,
                    uint64_t bits_set);
} lfb_rates;

struct lfb_strategy {
  lfb_strategy_id id;
  uint8_t file_id; /* written in files; Guava's ordinal for Guava's two */
  const char *name;
  lfb_hash_kind hash; /* if the strategy leaves no choice */
  lfb_seeding seeding;
  uint64_t reachable_bits; /* bits from this index on are never used               */

  bool in_pairs; /* its bits are laid out as fast_view.h states */
  lfb_hash_width hash_width; /* the bits of a hash that select a key's bits */

  /* Sizes a filter; refuses a configuration that this strategy cannot have. */
  lfb_status (*size)(const lfb_config *config, lfb_geometry *geometry);

  /* Whether a filter of this strategy can have this geometry, which was read from a file. */
  bool (*valid)(const lfb_geometry *geometry);

  const lfb_rates *rates;
  bool double_hashing; /* a key's probes are an arithmetic progression: lfb_strategy_fpp_now() */
  uint32_t model_bits; /* of a word of the model (block_model.h); 0: a classic filter */

  /* Writes the indexes of the bits of one hash, always in the same order; a bit may come twice.
   * Returns how many, at most LFB_MAX_PROBES.  Reads no word: the layout may have none. */
  uint32_t (*bits_of)(const lfb_layout *layout, lfb_hash hash, uint64_t *indexes);

  /* kernels[level][number].  An entry of a level may be NULL, except that of the first level.
   * kernel_of() returns the number; if kernel_of is NULL, the number is 0. */
  const lfb_kernel *const *kernels[LFB_SIMD_LEVELS];
  uint32_t (*kernel_of)(const lfb_geometry *geometry);

  /* The same for words that are bytes (atomic/bit_array.h), in the byte order of the strategy's
   * form; only their queries are called.  No entry if only forms with aligned words hold the
   * strategy. */
  const lfb_kernel *const *bytes_kernels[LFB_SIMD_LEVELS];
};

/* The words of a block; 0 if a key's bits can be anywhere. */
static inline uint32_t lfb_strategy_block_words(const lfb_strategy *strategy,
                                                const lfb_geometry *geometry)
{
  return strategy->in_pairs ? lfb_fast_block_words(geometry->words_per_key / LFB_PAIR_WORDS)
                            : geometry->words_per_key;
}

/* The figures of a classic filter, and of one of blocks (block_model.h). */
extern const lfb_rates lfb_rates_classic, lfb_rates_block;

/*
 * The probabilities that are reported: those of the row's rates, and what double hashing adds.
 * Sizes, when a layer of a growing filter is full, and what a form admits follow from the row's
 * rates alone.
 */
double lfb_strategy_fpp_now(const lfb_strategy *strategy, const lfb_geometry *geometry,
                            uint64_t bits_set);
double lfb_strategy_fpp_after(const lfb_strategy *strategy, const lfb_geometry *geometry,
                              double insertions);

/* The most set bits with which the probability by the row's rates is at most `fpp`. */
uint64_t lfb_strategy_most_bits(const lfb_strategy *strategy, const lfb_geometry *geometry,
                                double fpp);

/* How the bits of a key are spread over the bits that keys can have. */
lfb_spread lfb_strategy_spread(const lfb_strategy *strategy, const lfb_geometry *geometry);

/* The row's count in lfb_rates_classic. */
double lfb_rates_classic_count(const lfb_strategy *strategy, const lfb_geometry *geometry,
                               uint64_t bits_set);

LFB_EXTERN_C_END

#endif
