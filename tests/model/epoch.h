// epoch.h - atomic/threads/epoch.h for models: what it promises, by the simplest means.  The real one
// stands on barriers of the system's, which no checker of C11's rules knows.
#pragma once
#define LFB_ATOMIC_EPOCH_H

#include <lfbloom/c11.h>
#include <lfbloom/status.h>

struct lfb_epoch_entry {
  void (*reclaim)(lfb_epoch_entry* entry);
  uint64_t seen[4];  // each thread's sections when it was retired
};

// A thread's count of entering and leaving: odd inside.
struct lfb_epoch {
  LFB_ATOMIC(uint64_t) inside[4];
  unsigned depth[4];  // of nested sections: each its thread's
  lfb_epoch_entry* retired[16];
  unsigned count;
};
struct lfb_ck_place;

inline unsigned ModelThread() { return rl::ctx().threadx_->index_; }

inline void lfb_epoch_move(lfb_epoch* epoch) {
  LFB_ATOMIC(uint64_t)* mine = &epoch->inside[ModelThread()];
  const uint64_t before = lfb_model::atomic_load_explicit(mine, lfb_model::memory_order_relaxed);
  lfb_model::atomic_store_explicit(mine, before + 1, lfb_model::memory_order_release);
}
inline void lfb_epoch_enter(lfb_epoch* epoch) {
  if (epoch->depth[ModelThread()]++ > 0) return;
  lfb_epoch_move(epoch);
  lfb_fence(lfb_model::memory_order_seq_cst);  // the section is seen, or sees what was published
}
inline void lfb_epoch_leave(lfb_epoch* epoch) {
  if (--epoch->depth[ModelThread()] == 0) lfb_epoch_move(epoch);
}
inline void lfb_epoch_enter_slowly(lfb_epoch* epoch) { lfb_epoch_enter(epoch); }
inline bool lfb_epoch_enter_plainly(lfb_epoch* epoch, lfb_ck_place**) {
  lfb_epoch_enter(epoch);
  return true;
}
inline void lfb_epoch_leave_plainly(lfb_epoch* epoch, lfb_ck_place*) { lfb_epoch_leave(epoch); }
inline bool lfb_epoch_inside(lfb_epoch*) { return false; }

inline uint64_t lfb_epoch_look(lfb_epoch* epoch, unsigned thread) {
  return lfb_model::atomic_load_explicit(&epoch->inside[thread], lfb_model::memory_order_acquire);
}

inline void lfb_epoch_retire(lfb_epoch* epoch, lfb_epoch_entry* entry,
                             void (*reclaim)(lfb_epoch_entry*)) {
  entry->reclaim = reclaim;
  lfb_fence(lfb_model::memory_order_seq_cst);  // pairs with that of entering
  for (unsigned i = 0; i < 4; i++) entry->seen[i] = lfb_epoch_look(epoch, i);
  RL_ASSERT(epoch->count < 16);
  epoch->retired[epoch->count++] = entry;
}

// Whether all who were inside when it was retired have left.
inline bool lfb_epoch_gone(lfb_epoch* epoch, const lfb_epoch_entry* entry) {
#ifdef LFB_MODEL_UNGRACED
  return true;
#endif
  for (unsigned i = 0; i < 4; i++)
    if (entry->seen[i] % 2 == 1 && lfb_epoch_look(epoch, i) == entry->seen[i]) return false;
  return true;
}

inline uint64_t lfb_epoch_poll(lfb_epoch* epoch) {
  unsigned kept = 0;
  for (unsigned i = 0; i < epoch->count; i++) {
    lfb_epoch_entry* entry = epoch->retired[i];
    if (lfb_epoch_gone(epoch, entry))
      entry->reclaim(entry);
    else
      epoch->retired[kept++] = entry;
  }
  return epoch->count = kept;
}

inline void lfb_epoch_wait(lfb_epoch* epoch, void (*)(void*), void*) {
  lfb_epoch_entry now = {};
  lfb_fence(lfb_model::memory_order_seq_cst);
  for (unsigned i = 0; i < 4; i++) now.seen[i] = lfb_epoch_look(epoch, i);
  for (unsigned i = 0; i < 4; i++)
    while (now.seen[i] % 2 == 1 && lfb_epoch_look(epoch, i) == now.seen[i]) rl::yield(1, RL_INFO);
}

inline lfb_status lfb_epoch_init(lfb_epoch*) { return LFB_OK; }
inline void lfb_epoch_free(lfb_epoch*) {}
