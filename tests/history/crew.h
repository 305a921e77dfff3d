// crew.h - threads that wait for a turn, take it together, and wait again. A turn costs only
// their wake-up.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace history {

// A moment, drawn from a number. If there are more threads than processors, a thread that does
// not pause makes all of its calls at once.
inline void Pause(uint64_t draws) {
  if (draws % 3 == 0) std::this_thread::yield();
  for (uint64_t spin = draws / 8 % 64; spin > 0; spin--)
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

class Crew {
 public:
  // Each thread calls perform(thread, turn) in a turn; turns count from 1.
  Crew(unsigned threads, const std::function<void(unsigned, unsigned)>& perform)
      : threads_(threads) {
    for (unsigned t = 0; t < threads; t++)
      running_.emplace_back([this, t, perform] {
        for (unsigned turn = 1;; turn++) {
          while (turn_ < turn) std::this_thread::yield();
          if (ended_) return;
          perform(t, turn);
          done_++;
        }
      });
  }
  ~Crew() {
    ended_ = true;
    turn_++;
    for (std::thread& thread : running_) thread.join();
  }
  // One turn; returns after all threads have finished it.
  void Take() {
    done_ = 0;
    turn_++;
    while (done_ < threads_) std::this_thread::yield();
  }

 private:
  const unsigned threads_;
  std::atomic<unsigned> turn_{0}, done_{0};
  std::atomic<bool> ended_{false};
  std::vector<std::thread> running_;
};

}  // namespace history
