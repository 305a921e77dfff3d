// atomic.h - C11's atomics in terms of Relacy's. c11_modelled.sh writes a copy of lfbloom/c11.h
// that uses the names below. So the library's own code runs under a model checker, which tries
// orders of steps and all values that each load may see.
//
// Source: Vyukov, Relacy Race Detector.
#pragma once

#include <relacy/relacy.hpp>
// Relacy defines these standard names as macros.
#undef $
#undef memory_order_relaxed
#undef memory_order_consume
#undef memory_order_acquire
#undef memory_order_release
#undef memory_order_acq_rel
#undef memory_order_seq_cst
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef new
#undef delete
#undef assert
#undef errno
#undef sched_yield
#undef pthread_mutex_t
#undef pthread_mutexattr_t
#undef pthread_mutex_init
#undef pthread_mutex_destroy
#undef pthread_mutex_lock
#undef pthread_mutex_unlock

#include <optional>

namespace lfb_model {

enum memory_order {
  memory_order_relaxed = rl::mo_relaxed,
  memory_order_consume = rl::mo_consume,
  memory_order_acquire = rl::mo_acquire,
  memory_order_release = rl::mo_release,
  memory_order_acq_rel = rl::mo_acq_rel,
  memory_order_seq_cst = rl::mo_seq_cst,
};

inline rl::memory_order Order(memory_order order) { return static_cast<rl::memory_order>(order); }

// Zero bytes are an atomic of value 0, as in C, so arrays of them may come from anywhere.
// Begin() makes its cell before the threads of a run start; the cell ends with the run.
template <typename T>
struct atomic {
  rl::atomic<T>* cell;

  rl::atomic<T>& At() const {
    RL_ASSERT(cell != nullptr);
    return *cell;
  }
};

// All cells of a run; in place, since Relacy has an allocator of its own.
template <typename T>
class Cells {
 public:
  ~Cells() {
    for (unsigned i = 0; i < count_; i++) of_[i]->cell = nullptr;
  }
  void Begin(atomic<T>* of, T value) {
    RL_ASSERT(count_ < kMost);
    of_[count_] = of;
    of->cell = &cells_[count_++].emplace();
    of->cell->store(value, rl::mo_relaxed, RL_INFO);
  }

 private:
  static constexpr unsigned kMost = 64;
  std::optional<rl::atomic<T>> cells_[kMost];
  atomic<T>* of_[kMost] = {};
  unsigned count_ = 0;
};

template <typename T, typename U>
void atomic_init(atomic<T>*, U) {}

template <typename T>
T atomic_load_explicit(const atomic<T>* of, memory_order order) {
  if (of->cell == nullptr) return T{};  // no thread can have stored to it
  return of->At().load(Order(order), RL_INFO);
}

template <typename T, typename U>
void atomic_store_explicit(atomic<T>* of, U value, memory_order order) {
  of->At().store(static_cast<T>(value), Order(order), RL_INFO);
}

template <typename T, typename U>
bool atomic_compare_exchange_strong_explicit(atomic<T>* of, T* seen, U desired, memory_order order,
                                             memory_order failure) {
  return of->At().compare_exchange_strong(*seen, static_cast<T>(desired), Order(order), RL_INFO,
                                          Order(failure), RL_INFO);
}

template <typename T, typename U>
T atomic_fetch_add_explicit(atomic<T>* of, U value, memory_order order) {
  return of->At().fetch_add(static_cast<T>(value), Order(order), RL_INFO);
}

template <typename T, typename U>
T atomic_fetch_and_explicit(atomic<T>* of, U value, memory_order order) {
  return of->At().fetch_and(static_cast<T>(value), Order(order), RL_INFO);
}

template <typename T, typename U>
T atomic_fetch_or_explicit(atomic<T>* of, U value, memory_order order) {
  return of->At().fetch_or(static_cast<T>(value), Order(order), RL_INFO);
}

inline void atomic_thread_fence(memory_order order) {
  rl::atomic_thread_fence(Order(order), RL_INFO);
}
inline void atomic_signal_fence(memory_order) {}  // a model has no compiler that reorders

}  // namespace lfb_model
