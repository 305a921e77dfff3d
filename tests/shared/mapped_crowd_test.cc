// Mapped filters in a crowd: more threads than slots for counting, and children of children.
#include "bloom/filter/filter.h"
#include "bloom/files/mapping.h"
#include "tests/support/await.h"
#include "tests/support/mapped.h"
#include "tests/support/processes.h"
#include "tests/support/race.h"
#include "tests/support/shared.h"
#include "tests/support/skip.h"

namespace {

void ExpectAll(const Filter& filter, uint64_t streams, uint64_t keys) {
  uint64_t lost = 0;
  for (uint64_t s = 0; s < streams; s++)
    for (uint64_t i = 0; i < keys; i++)
      lost += !lfb_filter_might_contain_u64(filter.get(), Mix(s, i));
  EXPECT_EQ(lost, 0u);
  EXPECT_EQ(Stats(filter).bits_set, lfb_filter_recount(&filter->layout.bits));
}

// In a file and in private memory.  The threads claim in step, so that they meet at each key.
TEST(MappedCrowd, ThreadsBeyondTheSlots) {
  constexpr unsigned kThreads = LFB_SLOT_COUNT + 76;
  constexpr uint64_t kKeys = kUnderTsan ? 10 : 512, kOwn = 5, kStep = 64;
  for (const bool mapped : {false, true}) {
    const Path path("/dev/shm");
    const lfb_config config = Config(kThreads * kOwn + kKeys, 1e-9, LFB_FAST);
    const Filter filter = mapped ? Create(path, config) : Make(config);
    std::vector<std::atomic<uint16_t>> wins(kKeys);
    std::atomic<uint32_t> ready{0}, met{0};
    const Meeting meeting(&met, kThreads);
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < kThreads; t++)
      threads.emplace_back([&, t] {
        (void)lfb_slot();
        for (ready++; ready < kThreads;) usleep(50000);  // all slots are taken
        for (uint64_t i = 0; i < kKeys; i++) {
          if (i % kStep == 0) meeting.Wait(static_cast<uint32_t>(i / kStep + 1));
          wins[i] += lfb_filter_claim_u64(filter.get(), Mix(kThreads, i));
          if (i < kOwn) lfb_filter_put_u64(filter.get(), Mix(t, i));
        }
      });
    for (std::thread& thread : threads) thread.join();
    for (uint64_t i = 0; i < kKeys; i++) ASSERT_EQ(wins[i], 1) << i << (mapped ? " mapped" : "");
    ExpectAll(filter, kThreads, kOwn);
  }
}

// Puts keys in a chain of children, each a child of the one before, while another thread of each
// puts, too.
void PutAndFork(const Filter& filter, unsigned depth) {
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> put{0};
  std::thread other([&] {
    for (uint64_t i = 0; !stop; put = ++i)
      lfb_filter_put_u64(filter.get(), Mix(depth, i % 2000));
  });
  // A thread that starts holds locks of AddressSanitizer; a child would wait for them.
  while (put == 0) std::this_thread::yield();
  for (uint64_t i = 0; i < 2000; i++) lfb_filter_put_u64(filter.get(), Mix(depth, i));
  const pid_t child = depth == 0 ? -1 : fork();
  if (child == 0) {
    stop = true;
    other.detach();  // does not exist in this process
    if (!lfb_filter_might_contain_u64(filter.get(), Mix(depth, 0))) _exit(2);
    PutAndFork(filter, depth - 1);
    lfb_mapped_close(filter.get());
    _exit(0);
  }
  for (uint64_t i = 0; i < 2000; i++) lfb_filter_put_u64(filter.get(), Mix(depth + 100, i));
  stop = true;
  other.join();
  if (child > 0 && AwaitChild("its child has put", child) != 0) _exit(1);
}

// No key is lost or miscounted, at any depth of children.
TEST(MappedCrowd, ChildrenOfChildren) {
  if (kUnderTsan)
    return NotHere("ThreadSanitizer starts no threads in the child of a process with threads");
  for (int round = 0; round < 20; round++) {
    const Path path("/dev/shm");
    const Filter filter = Create(path, Config(50000, 1e-6, LFB_FAST));
    EXPECT_EQ(InChild([&] {
                PutAndFork(filter, 6);
                lfb_mapped_close(filter.get());
              }),
              0);
    ExpectAll(filter, 7, 2000);
  }
}

// A program that is executed inherits nothing of a filter.
TEST(MappedCrowd, AnExecutedProgramInheritsNothing) {
  const Path path("/dev/shm");
  const Filter first = Create(path, Config(1000, 0.01, LFB_FAST)), second = Open(path);
  for (const Filter* filter : {&first, &second})
    EXPECT_NE(fcntl((*filter)->mapping->disk.fd, F_GETFD) & FD_CLOEXEC, 0);
}

}  // namespace
