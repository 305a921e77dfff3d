// race.h - threads that start together, for the race tests.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

// Whether ThreadSanitizer watches: everything takes some 10 times as long then.
#if defined(__SANITIZE_THREAD__)
constexpr bool kUnderTsan = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr bool kUnderTsan = true;
#else
constexpr bool kUnderTsan = false;
#endif
#else
constexpr bool kUnderTsan = false;
#endif

// Whether a sanitizer watches, which takes address space of its own.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kUnderSanitizer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kUnderSanitizer = true;
#else
constexpr bool kUnderSanitizer = kUnderTsan;
#endif
#else
constexpr bool kUnderSanitizer = kUnderTsan;
#endif

// Runs body(0) .. body(threads - 1), each on a thread of its own; none begins
// before all are there.  Without that, one could finish before another starts,
// and the test would prove nothing.
template <typename Body>
void RunTogether(unsigned threads, const Body& body) {
  std::atomic<unsigned> waiting{threads};
  std::vector<std::thread> running;
  for (unsigned t = 0; t < threads; t++)
    running.emplace_back([&, t] {
      for (waiting--; waiting > 0;) std::this_thread::yield();
      body(t);
    });
  for (std::thread& thread : running) thread.join();
}

// Where threads wait for each other again and again, so that they stay in step:
// without it the first could be done before the last has been scheduled.
class InStep {
 public:
  explicit InStep(unsigned threads) : threads_(threads) {}
  // The calling thread's `round`-th call, from 1.
  void Wait(unsigned round) {
    for (arrived_++; arrived_ < round * threads_;) std::this_thread::yield();
  }

 private:
  const unsigned threads_;
  std::atomic<unsigned> arrived_{0};
};

// A good 64-bit mixer (splitmix64): key i of stream s, all different within one.
inline uint64_t Mix(uint64_t s, uint64_t i) {
  uint64_t z = s * 0xd1342543de82ef95ull + (i + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
