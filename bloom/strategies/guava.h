/*
 * guava.h - the size of a filter of Guava's two strategies.
 *
 * Source: Guava BloomFilter.java, BloomFilterStrategies.java (LockFreeBitArray).
 */
#ifndef LFB_BLOOM_GUAVA_H
#define LFB_BLOOM_GUAVA_H

#include "bloom/strategies/strategy.h"

/* The longest array in Java. */
#define LFB_GUAVA_MAX_WORDS INT32_MAX

/* The classic size, with the modulus rounded up to whole words. */
static inline lfb_status lfb_guava_size(const lfb_config *config, lfb_geometry *geometry)
{
  const lfb_status status = lfb_sizing_classic(config, LFB_GUAVA_MAX_WORDS, geometry);
  if (status == LFB_OK)
    geometry->bit_count = LFB_WORD_BITS * geometry->word_count;
  return status;
}

/* Whether a filter of Guava's strategies can have this geometry. */
static inline bool lfb_guava_valid(const lfb_geometry *geometry)
{
  return geometry->word_count <= LFB_GUAVA_MAX_WORDS && geometry->words_per_key == 0 &&
         geometry->bit_count == LFB_WORD_BITS * geometry->word_count;
}

#endif
