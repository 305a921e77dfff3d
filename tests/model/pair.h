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

static inline bool lfb_pair_cas(lfb_word* pair, lfb_two* seen, lfb_two desired) {
  uint64_t word = model::Pack(*seen);
  const bool done =
      lfb_cas_u64(&pair[0], &word, model::Pack(desired), lfb_model::memory_order_relaxed);
  *seen = model::Unpack(word);
  return done;
}

static inline lfb_two lfb_pair_get_acquire(const lfb_word* pair) {
  return model::Unpack(lfb_model::atomic_load_explicit(&pair[0], lfb_model::memory_order_acquire));
}

static inline bool lfb_pair_cas_ordered(lfb_word*, lfb_two*, lfb_two) { return false; }
static inline lfb_two lfb_pair_set(lfb_word*, lfb_two) { return {0, 0}; }
static inline lfb_two lfb_pair_set_seen_by(lfb_word*, lfb_two, lfb_two,
                                           bool (*)(lfb_word*, lfb_two*, lfb_two)) {
  return {0, 0};
}
