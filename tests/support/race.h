// race.h - threads that start together, for the race tests.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

// Whether the test runs under ThreadSanitizer, which makes everything about 10 times as slow.
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

// Whether the test runs under a sanitizer that needs its own address space.
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

// Runs body(0) to body(threads - 1), each in its own thread.  None begins before all threads run.
// Otherwise one could finish before another starts, and the test would prove nothing.
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

// A barrier that keeps threads in step.  Without it the first thread could be done before the last
// is scheduled.
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

// Key i of stream s, by a good 64-bit mixer (splitmix64).  All keys of a stream are different.
inline uint64_t Mix(uint64_t s, uint64_t i) {
  uint64_t z = s * 0xd1342543de82ef95ull + (i + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
