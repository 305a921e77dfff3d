/*
 * strategy.h - what a strategy is: one row of a table.
 *
 * Floor 8.  May include: floors 0 to 7.
 *
 * A strategy turns an element's hash into bits of a layout.  It is part of the
 * serialised form and never changes once it has been released.
 *
 * Ordering, Progress, Stopped  as atomic/bits.h says: a strategy only adds bits,
 * one word at a time, and holds nothing in between.
 */
#ifndef LFB_BLOOM_STRATEGY_H
#define LFB_BLOOM_STRATEGY_H

#include <lfbloom/fast.h>
#include <lfbloom/filter.h>

#include "atomic/bits.h"
#include "bloom/hasher.h"
#include "bloom/modulus.h"
#include "bloom/sizing.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the bits of a filter are, and how many of them a key has. */
typedef struct lfb_layout {
  lfb_fast fast; /* only where a key's bits lie in one block */
  lfb_bits bits;
  lfb_modulus modulus; /* of bit_count */
  uint32_t probes;
} lfb_layout;

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

  /* Sets the bits of one hash; how many of them this call turned on. */
  uint32_t (*put)(const lfb_layout *layout, lfb_hash hash);

  /* Whether all bits of one hash are set. */
  bool (*might_contain)(const lfb_layout *layout, lfb_hash hash);

  /* The same for keys, where hashing and probing gain by being one; all or none NULL. */
  uint32_t (*put_bytes)(const lfb_layout *layout, const void *bytes, size_t size);
  bool (*might_contain_bytes)(const lfb_layout *layout, const void *bytes, size_t size);
  uint32_t (*put_u64)(const lfb_layout *layout, uint64_t key);
  bool (*might_contain_u64)(const lfb_layout *layout, uint64_t key);

  /*
   * Both for `count` hashes, whose halves stand in two arrays (`high` may be NULL
   * where the hash has none).  Answer i goes to bit i % 64 of answers[i / 64];
   * the bits beyond the last answer become 0.  put_many returns how many bits it
   * turned on.
   */
  uint64_t (*put_many)(const lfb_layout *layout, const uint64_t *low, const uint64_t *high,
                       size_t count, uint64_t *answers);
  void (*might_contain_many)(const lfb_layout *layout, const uint64_t *low,
                             const uint64_t *high, size_t count, uint64_t *answers);
} lfb_strategy;

#ifdef __cplusplus
}
#endif

#endif
