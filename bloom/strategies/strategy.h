/*
 * strategy.h - the cold side of a strategy: what it is called, how large a filter is, how often it
 * is wrong, and which kernels it has.
 *
 * A strategy turns an element's hash into bits of a layout.  It is part of the
 * serialised form and never changes once it has been released.
 */
#ifndef LFB_BLOOM_STRATEGY_H
#define LFB_BLOOM_STRATEGY_H

#include <lfbloom/filter.h>

#include "bloom/strategies/kernel.h"
#include "bloom/strategies/simd.h"
#include "bloom/strategies/sizing.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What config.seed, .hash and .key may be. */
typedef enum lfb_seeding {
  LFB_SEED_NONE,   /* all 0                                                  */
  LFB_SEED_PAIR,   /* two 32-bit seeds; 0 stands for seeds 0 and 1           */
  LFB_SEED_RANDOM, /* a 64-bit seed or a keyed hash; 0 asks for a random one */
} lfb_seeding;

typedef struct lfb_strategy {
  lfb_strategy_id id;
  uint8_t file_id; /* written in files; Guava's ordinal for Guava's two */
  const char *name;
  lfb_hash_kind hash;
  lfb_seeding seeding;
  uint64_t reachable_bits; /* its arithmetic reaches no bit from here on           */

  bool puts_claim; /* all bits of a key go on at once: of all puts of a key, one turns on bits */
  lfb_hash_width hash_width; /* how many bits of a hash decide where a key's bits are */

  /* Whether this machine can have it: LFB_OK, or why not; NULL: every machine can. */
  lfb_status (*usable)(void);

  /* Sizes a filter; refuses what this strategy cannot be. */
  lfb_status (*size)(const lfb_config *config, lfb_geometry *geometry);

  /* Whether a filter of this strategy can have this geometry, which a file claims. */
  bool (*valid)(const lfb_geometry *geometry);

  /* Expected probability of a wrong "maybe" after so many insertions. */
  double (*fpp_after)(const lfb_geometry *geometry, double insertions);

  /* Elements that set so many bits, fewer than all, most likely. */
  double (*count)(const lfb_geometry *geometry, uint64_t bits_set);

  /* Probability of a wrong "maybe" with so many bits set. */
  double (*fpp_now)(const lfb_geometry *geometry, uint64_t bits_set);

  /* Writes the indexes of the bits of one hash, in an order that is always the same; a bit
   * may come twice.  How many, at most LFB_MAX_PROBES.  Reads no word: the layout may have none. */
  uint32_t (*bits_of)(const lfb_layout *layout, lfb_hash hash, uint64_t *indexes);

  /* The first index is the set of instructions; an entry may be NULL, but not the first.
   * kernel_of() gives the second index; where it is NULL, that is 0. */
  const lfb_kernel *const *kernels[LFB_SIMD_LEVELS];
  uint32_t (*kernel_of)(const lfb_geometry *geometry);
} lfb_strategy;

#ifdef __cplusplus
}
#endif

#endif
