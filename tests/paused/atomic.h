// atomic.h - C11's atomics with a random pause before each operation. The lfbloom/c11.h of
// tests/model/c11_modelled.sh takes its spelling from here. A thread that pauses between two
// steps of the library's own code gives other threads time for many steps.
//
// tests/model/ tries all orders of few steps; these tests run many steps on real hardware.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

namespace lfb_model {

using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

// The state of a thread's random numbers; 0: the thread does not pause.
inline thread_local uint64_t pauses = 0;

inline void Pause() {
  if (pauses == 0) return;
  pauses ^= pauses << 13, pauses ^= pauses >> 7, pauses ^= pauses << 17;
  if (pauses % 8 != 0) return;
  for (uint64_t i = pauses >> 8 & 31; i > 0; i--) sched_yield();
}

template <typename T>
struct atomic {
  std::atomic<T> cell;
};

template <typename T, typename U>
void atomic_init(atomic<T>* of, U value) {
  of->cell.store(static_cast<T>(value), std::memory_order_relaxed);
}

template <typename T>
T atomic_load_explicit(const atomic<T>* of, memory_order order) {
  Pause();
  return of->cell.load(order);
}

template <typename T, typename U>
void atomic_store_explicit(atomic<T>* of, U value, memory_order order) {
  Pause();
  of->cell.store(static_cast<T>(value), order);
}

template <typename T, typename U>
bool atomic_compare_exchange_strong_explicit(atomic<T>* of, T* seen, U desired, memory_order order,
                                             memory_order failure) {
  Pause();
  return of->cell.compare_exchange_strong(*seen, static_cast<T>(desired), order, failure);
}

template <typename T, typename U>
T atomic_fetch_add_explicit(atomic<T>* of, U value, memory_order order) {
  Pause();
  return of->cell.fetch_add(static_cast<T>(value), order);
}

// An instruction of its own changes a pair, between two of these fences (claims.c).
inline void atomic_thread_fence(memory_order order) {
  Pause();
  std::atomic_thread_fence(order);
}

inline void atomic_signal_fence(memory_order order) { std::atomic_signal_fence(order); }

}  // namespace lfb_model
