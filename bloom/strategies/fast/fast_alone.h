/*
 * fast_alone.h - puts into words that no other thread uses, by plain loads and stores (kernel.h,
 * LFB_KERNEL_PUT_ALONE and _CREDIT).
 */
#ifndef LFB_BLOOM_FAST_ALONE_H
#define LFB_BLOOM_FAST_ALONE_H

#include "bloom/strategies/fast/fast_key.h"

/* Turns on a key's bits.  Returns more than 0 if any of them was off. */
LFB_INLINE uint64_t lfb_fast_key_put_alone(const lfb_fast *fast, const lfb_fast_key *key)
{
  uint64_t missing = 0;

  LFB_UNROLL
  for (uint32_t j = 0; j < lfb_fast_groups(fast); j++) {
    const uint64_t seen = lfb_word_get_alone(key->word[j]);
    lfb_word_store_alone(key->word[j], seen | key->mask[j]);
    missing |= key->mask[j] & ~seen;
  }
  return missing;
}

/* Turns off a key's bits.  Returns more than 0 if any of them was on. */
LFB_INLINE uint64_t lfb_fast_key_credit(const lfb_fast *fast, const lfb_fast_key *key)
{
  uint64_t left = 0;

  LFB_UNROLL
  for (uint32_t j = 0; j < lfb_fast_groups(fast); j++) {
    const uint64_t seen = lfb_word_get_alone(key->word[j]);
    lfb_word_store_alone(key->word[j], seen & ~key->mask[j]);
    left |= key->mask[j] & seen;
  }
  return left;
}

#endif
