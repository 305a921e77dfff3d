// pair.h - the exchange of two words for models: a part of pair_modelled.h (pair_modelled.sh).
// A word has a variable of its own, so a thread that reads both can see them as of different times.

namespace model {

// By one instruction, by the loop of ldxp and stxp, or not at all: word by word.
enum Exchange { kOne, kLoop, kHalves };
inline Exchange exchange = kOne;  // before() of a scenario sets it

using lfb_model::memory_order;

// As lfb_cas_u64(), without the bugs that are planted there.
inline bool Cas(lfb_word* word, uint64_t* seen, uint64_t to, memory_order order) {
  const bool ordered = order == lfb_model::memory_order_seq_cst;
  return lfb_model::atomic_compare_exchange_strong_explicit(
      word, seen, to, order,
      ordered ? lfb_model::memory_order_acquire : lfb_model::memory_order_relaxed);
}

// Stores both words if they still are `*seen`, which it reloads.  No thread runs in between.
inline bool CasBoth(lfb_word* pair, lfb_two* seen, lfb_two to, memory_order order) {
  lfb_two was = *seen;
  rl::ctx().disable_preemption();
  const bool low = Cas(&pair[0], &seen->low, was.low, order);
  const bool same = Cas(&pair[1], &seen->high, was.high, order) && low;
  if (same) Cas(&pair[0], &was.low, to.low, order), Cas(&pair[1], &was.high, to.high, order);
  rl::ctx().enable_preemption();
  return same;
}

inline uint64_t Latest(lfb_word* word) {
  uint64_t value = 0;
  Cas(word, &value, 0, lfb_model::memory_order_relaxed);
  return value;
}

// The loop's loads may be of different times.  Its store fails if the pair has changed since; in
// random runs also once for no reason.
inline bool Loop(lfb_word* pair, lfb_two* seen, lfb_two desired, memory_order order) {
  for (bool fails = rl::ctx().is_random_sched() && rl::rand(2) == 0;; fails = false) {
    lfb_two now = {Latest(&pair[0]), 0};
    now.high = Latest(&pair[1]);
    const bool same = now.low == seen->low && now.high == seen->high;
    lfb_two still = now;
    if (fails || !CasBoth(pair, &still, same ? desired : now, order)) continue;
    *seen = now;
    return same;
  }
}

inline bool CasPair(lfb_word* pair, lfb_two* seen, lfb_two desired, memory_order order) {
  RL_ASSERT(exchange != kHalves);
  return exchange == kLoop ? Loop(pair, seen, desired, order)
                           : CasBoth(pair, seen, desired, order);
}

}  // namespace model

static inline bool lfb_pair_runs_here(void) { return model::exchange != model::kHalves; }

static inline bool lfb_pair_cas(lfb_word* pair, lfb_two* seen, lfb_two desired) {
  return model::CasPair(pair, seen, desired, lfb_model::memory_order_relaxed);
}

// Not by its fences: Relacy does not order them with loads that are sequentially consistent.
static inline bool lfb_pair_cas_ordered(lfb_word* pair, lfb_two* seen, lfb_two desired) {
  return model::CasPair(pair, seen, desired, lfb_model::memory_order_seq_cst);
}
