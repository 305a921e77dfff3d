// sections.h - sections.h and forks.h of atomic/threads for models. Relacy cannot run ck_epoch, so
// this keeps the contract in its own way: it reclaims as early as the contract allows.
#pragma once

#define LFB_ATOMIC_SECTIONS_H
#define LFB_ATOMIC_FORKS_H
#include <stdint.h>

using namespace lfb_model;

namespace model {
enum { kThreads = 4 };
inline unsigned Thread() { return rl::ctx().threadx_->index_; }
}  // namespace model

struct ck_epoch_entry {
  ck_epoch_entry* next;
  void (*reclaim)(ck_epoch_entry*);
  uint64_t seen[model::kThreads];
};
struct ck_epoch_record {
  ck_epoch_entry* first;
};
using lfb_section = ck_epoch_record;
using lfb_section_entry = ck_epoch_entry;

namespace model {

// The sections of a run. A place is 0 outside sections; else the number of the section, and the
// value when it began.
struct Sections {
  atomic<uint64_t> places[kThreads], value;
  uint64_t number[kThreads] = {};
  unsigned depth[kThreads] = {};
  lfb_section retired{};
  void Begin(Cells<uint64_t>* cells);
};
inline Sections* sections;
inline void Sections::Begin(Cells<uint64_t>* cells) {
  sections = this;
  for (auto& place : places) cells->Begin(&place, uint64_t{0});
  cells->Begin(&value, uint64_t{1});
}

inline uint64_t Place(unsigned thread) {
  return atomic_load_explicit(&sections->places[thread], memory_order_acquire);
}
inline uint64_t Value() {
  return atomic_load_explicit(&sections->value, memory_order_relaxed);
}
inline void Fence() { atomic_thread_fence(memory_order_seq_cst); }

}  // namespace model

#define lfb_section_mine (&model::sections->retired)

static inline lfb_section* lfb_section_enter(void) {
  const unsigned t = model::Thread();
  if (model::sections->depth[t]++ == 0) {
    const uint64_t place = ++model::sections->number[t] << 32 | model::Value();
    atomic_store_explicit(&model::sections->places[t], place, memory_order_relaxed);
    model::Fence();
  }
  return lfb_section_mine;
}
static inline void lfb_section_leave(lfb_section*) {
  const unsigned t = model::Thread();
  if (--model::sections->depth[t] == 0)
    atomic_store_explicit(&model::sections->places[t], 0, memory_order_release);
}
static inline bool lfb_section_inside(void) { return model::sections->depth[model::Thread()] > 0; }

// One administrator: nothing to exclude.
static inline void lfb_sections_lock(void) {}
static inline void lfb_sections_unlock(void) {}
static inline uint64_t lfb_forks(void) { return 0; }
static inline lfb_section* lfb_section_retired(void) { return &model::sections->retired; }
static inline void lfb_section_free_retired(lfb_section*) {}

static inline void lfb_section_retire(lfb_section* retired, lfb_section_entry* entry,
                                      void (*reclaim)(lfb_section_entry*)) {
  model::Fence();
  for (unsigned t = 0; t < model::kThreads; t++) entry->seen[t] = model::Place(t);
  entry->reclaim = reclaim;
  entry->next = retired->first;
  retired->first = entry;
}
static inline bool model_has_left(const lfb_section_entry* entry) {
  for (unsigned t = 0; t < model::kThreads; t++)
    if (entry->seen[t] != 0 && model::Place(t) == entry->seen[t]) return false;
  return true;
}
static inline void lfb_section_poll(lfb_section* retired) {
  for (lfb_section_entry** at = &retired->first; *at != nullptr;) {
    lfb_section_entry* entry = *at;
    if (model_has_left(entry)) {
      *at = entry->next;
      entry->reclaim(entry);
    } else {
      at = &entry->next;
    }
  }
}
static inline void lfb_section_wait(void) {
  model::Fence();
  for (unsigned t = 0; t < model::kThreads; t++)
    for (const uint64_t seen = model::Place(t); seen != 0 && model::Place(t) == seen;)
      rl::yield(1, RL_INFO);
}

static inline uint32_t lfb_section_value(void) { return static_cast<uint32_t>(model::Value()); }
static inline void lfb_section_step(void) {
  uint64_t value = model::Value();
  model::Fence();
  for (unsigned t = 0; t < model::kThreads; t++) {
    const uint64_t place = model::Place(t);
    if (place != 0 && static_cast<uint32_t>(place) != value) return;
  }
  atomic_compare_exchange_strong_explicit(&model::sections->value, &value, value + 1,
                                          memory_order_seq_cst,
                                          memory_order_relaxed);
}
