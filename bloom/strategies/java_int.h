/*
 * java_int.h - the size of filters of which the number of bits is a Java int, not rounded up to
 * whole words.
 */
#ifndef LFB_BLOOM_JAVA_INT_H
#define LFB_BLOOM_JAVA_INT_H

#include "bloom/strategies/strategy.h"

enum {
  LFB_JAVA_INT_MAX_BITS = INT32_MAX,
  LFB_JAVA_INT_MAX_WORDS = LFB_JAVA_INT_MAX_BITS / LFB_WORD_BITS + 1,
};

/* The classic size.  Fails as lfb_sizing_classic(). */
static inline lfb_status lfb_java_int_size(const lfb_config *config, lfb_geometry *geometry)
{
  lfb_geometry sized;
  const lfb_status status = lfb_sizing_classic(config, LFB_JAVA_INT_MAX_WORDS, &sized);

  if (status != LFB_OK)
    return status;
  if (sized.bit_count > LFB_JAVA_INT_MAX_BITS)
    return LFB_ERROR_TOO_MANY_BITS;
  *geometry = sized;
  return LFB_OK;
}

/* Whether such a filter can have this geometry. */
static inline bool lfb_java_int_valid(const lfb_geometry *geometry)
{
  return geometry->bit_count <= LFB_JAVA_INT_MAX_BITS && geometry->words_per_key == 0;
}

#endif
