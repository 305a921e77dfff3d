/*
 * strategy.h - what a strategy is: one row of a table.
 *
 * A strategy turns an element's hash into bits of a layout.  It is part of the
 * serialised form and never changes once it has been released.
 *
 * Ordering, Progress, Stopped  as atomic/words/bits.h says: a strategy only adds bits,
 * one word at a time, and holds nothing in between.
 */
#ifndef LFB_BLOOM_STRATEGY_H
#define LFB_BLOOM_STRATEGY_H

#include <lfbloom/fast.h>
#include <lfbloom/filter.h>

#include "atomic/words/bits.h"
#include "atomic/threads/stripes.h"
#include "bloom/hashing/hasher.h"
#include "bloom/strategies/sizing.h"
#include "bloom/strategies/modulus.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the bits of a filter are, how a key finds its own, and where they are counted.
 * Its first line is all that a query of `fast` reads, beside the words. */
typedef struct lfb_layout {
  lfb_fast fast;     /* only where a key's bits lie in one block */
  lfb_hasher hasher; /* of keys                                  */
  lfb_bits bits;
  lfb_modulus modulus; /* of bit_count */
  uint32_t probes;
  lfb_stripes count; /* of bits set */
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

  bool puts_claim; /* all bits of a key go on at once: of all puts of it one turns on any */
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

  /* The row whose functions are made for this geometry; NULL: this one. */
  const struct lfb_strategy *(*fit)(const lfb_geometry *geometry);

  /* Sets the bits of one hash, without counting; how many of them this call turned on. */
  uint32_t (*turn_on)(const lfb_layout *layout, lfb_hash hash);

  /* Whether all bits of one hash are set. */
  bool (*is_in)(const lfb_layout *layout, lfb_hash hash);

  /* Writes the indexes of the bits of one hash, in an order that is always the same; a bit
   * may come twice.  How many, at most LFB_MAX_PROBES.  Reads no word: the layout may have none.
   * Only in a strategy's row for any processor (bloom/strategies/strategies.h). */
  uint32_t (*bits_of)(const lfb_layout *layout, lfb_hash hash, uint64_t *indexes);

  /* The filter's operations, counting included: LFB_STRATEGY_KEYS, or where hashing
   * and probing gain by being one, functions of its own. */
  bool (*put_bytes)(const lfb_layout *layout, const void *bytes, size_t size);
  bool (*has_bytes)(const lfb_layout *layout, const void *bytes, size_t size);
  bool (*put_u64)(const lfb_layout *layout, uint64_t key);
  bool (*has_u64)(const lfb_layout *layout, uint64_t key);
  bool (*put_hash)(const lfb_layout *layout, uint64_t hash);
  bool (*has_hash)(const lfb_layout *layout, uint64_t hash);

  /* The hashes, of 64 bits, of `count` 64-bit keys; NULL: one by one, lfb_hasher_u64(). */
  void (*hash_u64_many)(const lfb_hasher *hasher, const uint64_t *keys, size_t count,
                        uint64_t *hashes);

  /*
   * Both for `count` hashes, whose halves stand in two arrays (`high` may be NULL
   * where the hash has none).  Answer i goes to bit i % 64 of answers[i / 64];
   * the bits beyond the last answer become 0.  put_many returns how many bits it
   * turned on, and leaves the counting to the caller.
   */
  uint64_t (*put_many)(const lfb_layout *layout, const uint64_t *low, const uint64_t *high,
                       size_t count, uint64_t *answers);
  void (*might_contain_many)(const lfb_layout *layout, const uint64_t *low,
                             const uint64_t *high, size_t count, uint64_t *answers);

  /*
   * Both for words that nobody else touches now, where a key's bits lie in one block;
   * else NULL.  gather_many puts by plain stores, and does not say how many bits it
   * turned on.  settle_many turns a key's bits off: answer i says whether one of them
   * was still on.
   */
  void (*gather_many)(const lfb_layout *layout, const uint64_t *hashes, size_t count,
                      uint64_t *answers);
  void (*settle_many)(const lfb_layout *layout, const uint64_t *hashes, size_t count,
                      uint64_t *answers);
} lfb_strategy;

/*
 * Counts bits that have been turned on.  Only ever called after they have: that
 * order, and the release in the stripe, keep the count from exceeding the truth.
 */
static inline void lfb_layout_count(const lfb_layout *layout, uint64_t turned_on)
{
  if (turned_on > 0)
    lfb_stripes_add(&layout->count, turned_on);
}

/* Counts the bits that a put has turned on; whether there are any. */
LFB_INLINE bool lfb_layout_counted(const lfb_layout *layout, uint32_t turned_on)
{
  lfb_layout_count(layout, turned_on);
  return turned_on > 0;
}

/*
 * Defines, from noun_turn_on and noun_is_in of a hash, the six operations of a
 * filter.  hash_bytes() hashes a key's bytes, widen() a caller's hash.
 */
#define LFB_STRATEGY_KEYS(attributes, noun, hash_bytes, widen)                                \
  attributes static bool noun##_put_bytes(const lfb_layout *layout, const void *bytes,        \
                                          size_t size)                                        \
  {                                                                                           \
    const lfb_hash hash = hash_bytes(&layout->hasher, bytes, size);                           \
    return lfb_layout_counted(layout, noun##_turn_on(layout, hash));                          \
  }                                                                                           \
  attributes static bool noun##_has_bytes(const lfb_layout *layout, const void *bytes,        \
                                          size_t size)                                        \
  {                                                                                           \
    return noun##_is_in(layout, hash_bytes(&layout->hasher, bytes, size));                    \
  }                                                                                           \
  attributes static bool noun##_put_u64(const lfb_layout *layout, uint64_t key)               \
  {                                                                                           \
    const lfb_hash hash = lfb_hasher_u64(&layout->hasher, key);                               \
    return lfb_layout_counted(layout, noun##_turn_on(layout, hash));                          \
  }                                                                                           \
  attributes static bool noun##_has_u64(const lfb_layout *layout, uint64_t key)               \
  {                                                                                           \
    return noun##_is_in(layout, lfb_hasher_u64(&layout->hasher, key));                        \
  }                                                                                           \
  attributes static bool noun##_put_hash(const lfb_layout *layout, uint64_t hash)             \
  {                                                                                           \
    return lfb_layout_counted(layout, noun##_turn_on(layout, widen(&layout->hasher, hash)));  \
  }                                                                                           \
  attributes static bool noun##_has_hash(const lfb_layout *layout, uint64_t hash)             \
  {                                                                                           \
    return noun##_is_in(layout, widen(&layout->hasher, hash));                                \
  }

/* The fields of a row for what every strategy does to a layout. */
#define LFB_STRATEGY_ACTS(noun)                                                              \
  .turn_on = noun##_turn_on, .is_in = noun##_is_in, .put_bytes = noun##_put_bytes,           \
  .has_bytes = noun##_has_bytes, .put_u64 = noun##_put_u64, .has_u64 = noun##_has_u64,       \
  .put_hash = noun##_put_hash, .has_hash = noun##_has_hash, .put_many = noun##_put_many,     \
  .might_contain_many = noun##_might_contain_many

#ifdef __cplusplus
}
#endif

#endif
