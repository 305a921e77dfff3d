/*
 * fast_pair_rows.h - what the variants of strategy `fast-pair` share: the size of a filter,
 * where a key's pair is, and the row from a key's bits.
 */
#ifndef LFB_BLOOM_FAST_PAIR_ROWS_H
#define LFB_BLOOM_FAST_PAIR_ROWS_H

#include "atomic/words/pair.h"
#include "bloom/strategies/line_rows.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LFB_FAST_PAIR_WORDS = 2 };

/* The fields of a row that do not hang on the processor: fast_pair.c. */
lfb_status lfb_fast_pair_usable(void);
lfb_status lfb_fast_pair_size(const lfb_config *config, lfb_geometry *geometry);
bool lfb_fast_pair_valid(const lfb_geometry *geometry);
double lfb_fast_pair_fpp_after(const lfb_geometry *geometry, double insertions);
double lfb_fast_pair_count(const lfb_geometry *geometry, uint64_t bits_set);
double lfb_fast_pair_fpp_now(const lfb_geometry *geometry, uint64_t bits_set);
uint32_t lfb_fast_pair_bits_of(const lfb_layout *layout, lfb_hash hash, uint64_t *indexes);

#define LFB_FAST_PAIR_ROW                                                                   \
  .id = LFB_FAST_PAIR, .file_id = 6, .name = "fast-pair", .hash = LFB_KIND_XXH3,            \
  .seeding = LFB_SEED_RANDOM, .reachable_bits = UINT64_MAX, .puts_claim = true,             \
  .usable = lfb_fast_pair_usable, .size = lfb_fast_pair_size, .valid = lfb_fast_pair_valid, \
  .fpp_after = lfb_fast_pair_fpp_after, .count = lfb_fast_pair_count,                       \
  .fpp_now = lfb_fast_pair_fpp_now, .bits_of = lfb_fast_pair_bits_of

/* The number of the first word of a hash's pair. */
LFB_INLINE uint64_t lfb_fast_pair_first_word(const lfb_layout *layout, uint64_t hash)
{
  return LFB_FAST_PAIR_WORDS *
         lfb_multiply_high(hash, layout->bits.word_count / LFB_FAST_PAIR_WORDS);
}

/* That word. */
LFB_INLINE lfb_word *lfb_fast_pair_block(const lfb_layout *layout, uint64_t hash)
{
  return layout->bits.words + lfb_fast_pair_first_word(layout, hash);
}

static inline lfb_hash lfb_fast_pair_widen(const lfb_hasher *hasher, uint64_t hash)
{
  (void)hasher;
  return (lfb_hash){hash, 0};
}

/*
 * Defines the row `row` from three inline functions:
 *
 *   lfb_two  variant_mask(hash, probes)         a key's bits
 *   bool     variant_has(pair, hash, probes)    whether all of them are on
 *   uint32_t variant_count(two)                 how many bits are on in two words
 *
 * 6 probes, that of 1 %, are a constant to the compiler.
 */
#define LFB_FAST_PAIR_ROW_OF(attributes, variant, row)                                       \
  LFB_INLINE lfb_word *variant##_block(const lfb_layout *layout, uint64_t hash)              \
  {                                                                                          \
    return lfb_fast_pair_block(layout, hash);                                                \
  }                                                                                          \
  attributes LFB_INLINE uint32_t variant##_turn_on(const lfb_layout *layout, lfb_hash hash)  \
  {                                                                                          \
    lfb_word *pair = variant##_block(layout, hash.low);                                      \
    const lfb_two mask = layout->probes == 6 ? variant##_mask(hash.low, 6)                   \
                                             : variant##_mask(hash.low, layout->probes);     \
    return variant##_count(lfb_pair_set(pair, mask));                                        \
  }                                                                                          \
  attributes LFB_INLINE bool variant##_is_in(const lfb_layout *layout, lfb_hash hash)        \
  {                                                                                          \
    const lfb_word *pair = variant##_block(layout, hash.low);                                \
    return layout->probes == 6 ? variant##_has(pair, hash.low, 6)                            \
                               : variant##_has(pair, hash.low, layout->probes);              \
  }                                                                                          \
  LFB_LINE_MANY(attributes, variant)                                                         \
  LFB_STRATEGY_KEYS(attributes, variant, lfb_hasher_bytes_other, lfb_fast_pair_widen)        \
  const lfb_strategy row = {LFB_FAST_PAIR_ROW, LFB_STRATEGY_ACTS(variant)};

#ifdef __cplusplus
}
#endif

#endif
