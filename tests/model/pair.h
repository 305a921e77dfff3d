// pair.h - atomic/words/pair.h for models: both words are in the first one's cell, so that they
// change together. The words of a model's cells of claims are small.  A read of both as of
// different times is not modelled: bloom/filter/claims.c says why it does no harm.
#pragma once

#define LFB_ATOMIC_PAIR_H
#include <lfbloom/word.h>

typedef struct lfb_two {
  uint64_t low, high;
} lfb_two;

static inline bool lfb_pair_runs_here(void) { return true; }

namespace model {
inline uint64_t Pack(lfb_two two) {
  RL_ASSERT(two.low >> 32 == 0 && two.high >> 32 == 0);
  return two.high << 32 | two.low;
}
inline lfb_two Unpack(uint64_t word) { return {word & UINT32_MAX, word >> 32}; }
}  // namespace model

static inline bool lfb_pair_cas_by(lfb_word* pair, lfb_two* seen, lfb_two desired,
                                   lfb_model::memory_order order) {
  uint64_t word = model::Pack(*seen);
  const bool done = lfb_cas_u64(&pair[0], &word, model::Pack(desired), order);
  *seen = model::Unpack(word);
  return done;
}

static inline bool lfb_pair_cas(lfb_word* pair, lfb_two* seen, lfb_two desired) {
  return lfb_pair_cas_by(pair, seen, desired, lfb_model::memory_order_relaxed);
}

static inline lfb_two lfb_pair_get_acquire(const lfb_word* pair) {
  return model::Unpack(lfb_model::atomic_load_explicit(&pair[0], lfb_model::memory_order_acquire));
}

static inline lfb_two lfb_pair_get_ordered(const lfb_word* pair) {
  return model::Unpack(lfb_model::atomic_load_explicit(&pair[0], lfb_model::memory_order_seq_cst));
}

static inline lfb_two lfb_pair_set_seen_by(lfb_word* pair, lfb_two seen, lfb_two mask,
                                           lfb_model::memory_order order) {
  for (;;) {
    const lfb_two missing = {mask.low & ~seen.low, mask.high & ~seen.high};
    if ((missing.low | missing.high) == 0 ||
        lfb_pair_cas_by(pair, &seen, {seen.low | mask.low, seen.high | mask.high}, order))
      return missing;
  }
}

static inline lfb_two lfb_pair_set_seen(lfb_word* pair, lfb_two seen, lfb_two mask) {
  return lfb_pair_set_seen_by(pair, seen, mask, lfb_model::memory_order_relaxed);
}

static inline lfb_two lfb_pair_set_seen_ordered(lfb_word* pair, lfb_two seen, lfb_two mask) {
  return lfb_pair_set_seen_by(pair, seen, mask, lfb_model::memory_order_seq_cst);
}

static inline lfb_two lfb_pair_get(const lfb_word* pair) {
  return model::Unpack(lfb_model::atomic_load_explicit(&pair[0], lfb_model::memory_order_relaxed));
}
static inline uint32_t lfb_two_count(lfb_two two) {
  return lfb_word_count(two.low) + lfb_word_count(two.high);
}
