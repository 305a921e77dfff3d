// A process's first put and claim: a thread that stops at any instruction of it blocks no other
// thread. Nothing else in this program may put, since only one put is the first.
#include <thread>

#include "tests/support/processes.h"
#include "tests/support/skip.h"
#include "tests/support/stepped.h"

namespace {

enum { kGoesOn = 0, kWasShorter = 9 };

[[noreturn]] void StopForEver() {
  for (;;) pause();
}

// One thread stops after instruction `at` of the first put; then another thread puts and claims.
int StopsAt(lfb_filter* filter, uint64_t at) {
  struct Stop {
    uint64_t at;
    std::atomic<int> is{-1};
  } stop;
  stop.at = at;
  std::thread stopping([&] {
    Stepped::Run(
        [&] { lfb_filter_put_u64(filter, Mix(0, at)); },
        [](void* with, uint64_t n) {
          auto* of = static_cast<Stop*>(with);
          if (n != of->at) return true;
          of->is = kGoesOn;
          StopForEver();
        },
        &stop);
    stop.is = kWasShorter;
  });
  stopping.detach();
  while (stop.is < 0) std::this_thread::yield();
  for (uint64_t i = 0; i < 500; i++)
    if (!lfb_filter_put_u64(filter, Mix(1 + at, i)) ||
        !lfb_filter_claim_u64(filter, ~Mix(1 + at, i)))
      return 2;
  return stop.is;
}

// With leases, and with slots from pthread_once(), it failed in 2 of 2 runs each.
TEST(FirstPut, AThreadThatStopsInItBlocksNoOther) {
  if (!kCanStep) return NotHere("this machine's trap flag is not known here");
  const Path path;
  const Filter filter = Create(path, RoomyAndShort(1 << 20, LFB_FAST));
  unsigned shorter = 0;  // puts that had ended before
  for (uint64_t at = 1; shorter < 3; at++) {
    const int ended = Child([&] { return StopsAt(filter.get(), at); }).Wait();
    ASSERT_TRUE(ended >= 0 && WIFEXITED(ended))
        << "instruction " << at << "; -1: other threads have not come back";
    ASSERT_NE(WEXITSTATUS(ended), 2) << "instruction " << at;
    shorter += WEXITSTATUS(ended) == kWasShorter;
  }
}

}  // namespace
