// Processes put into one mapped filter and are killed in the middle, 200 times over: no
// put that had returned is lost, the count is never above the truth, and a recount makes
// it exact.
#include <lfbloom/mapped.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <random>

#include "bloom/core.h"
#include "tests/filters.h"
#include "tests/race.h"

namespace {

constexpr unsigned kProcesses = 8;
constexpr unsigned kRounds = kUnderTsan ? 20 : 200;
constexpr unsigned kRoundsOfAFile = 10;  // fresh ones, so that what is lost is not found by chance
constexpr size_t kMany = 700;  // keys of a call, not a multiple of anything

// What survives the killed: how many puts have returned.
struct Progress {
  std::atomic<uint64_t> single;
  std::atomic<uint64_t> many;
};

uint64_t SingleKey(unsigned round, unsigned process, uint64_t i) {
  return Mix(round * kProcesses + process, 2 * i);
}
uint64_t ManyKey(unsigned round, unsigned process, uint64_t i) {
  return Mix(round * kProcesses + process, 2 * i + 1);
}

// Puts one by one, and some at a time, until it is killed.
[[noreturn]] void PutForEver(const char* path, unsigned round, unsigned process, Progress* done) {
  lfb_filter* filter = nullptr;
  if (lfb_mapped_open(path, nullptr, &filter) != LFB_OK) _exit(1);
  std::vector<uint64_t> keys(kMany);
  for (uint64_t i = 0;; i++) {
    lfb_filter_put_u64(filter, SingleKey(round, process, i));
    done->single.store(i + 1, std::memory_order_release);
    if (i % 64 != 0) continue;
    const uint64_t first = i / 64 * kMany;
    for (size_t j = 0; j < kMany; j++) keys[j] = ManyKey(round, process, first + j);
    lfb_filter_put_many_u64(filter, keys.data(), kMany, nullptr);
    done->many.store(first + kMany, std::memory_order_release);
  }
}

uint64_t Lost(const Filter& filter, unsigned round, unsigned process, const Progress& done) {
  uint64_t lost = 0;
  for (uint64_t i = 0; i < done.single; i++)
    lost += !lfb_filter_might_contain_u64(filter.get(), SingleKey(round, process, i));
  for (uint64_t i = 0; i < done.many; i++)
    lost += !lfb_filter_might_contain_u64(filter.get(), ManyKey(round, process, i));
  return lost;
}

// A filter of which every process of ten rounds is an owner for a while.
TEST(MappedKill, NothingThatReturnedIsLostAndTheCountIsMended) {
  const std::string path = "/dev/shm/lfbloom-kill-" + std::to_string(std::random_device()());
  const lfb_config config = Config(2000000, 0.01, LFB_FAST);
  Filter filter;
  auto* progress = static_cast<Progress*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                                               MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(static_cast<void*>(progress), MAP_FAILED);
  std::mt19937 random(1);
  uint64_t puts = 0, too_low = 0;

  for (unsigned round = 0; round < kRounds; round++) {
    if (round % kRoundsOfAFile == 0) {
      unlink(path.c_str());
      lfb_filter* made = nullptr;
      ASSERT_EQ(lfb_mapped_create(path.c_str(), &config, &made), LFB_OK);
      filter.reset(made);
    }
    pid_t children[kProcesses];
    for (unsigned p = 0; p < kProcesses; p++) {
      progress[p].single = progress[p].many = 0;
      children[p] = fork();
      ASSERT_GE(children[p], 0);
      if (children[p] == 0) PutForEver(path.c_str(), round, p, &progress[p]);
    }
    while (progress[random() % kProcesses].single == 0) usleep(100);
    for (unsigned p = 0; p < kProcesses; p++) {
      usleep(random() % 500);
      kill(children[p], SIGKILL);
    }
    for (unsigned p = 0; p < kProcesses; p++) {
      int status;
      ASSERT_EQ(waitpid(children[p], &status, 0), children[p]);
      ASSERT_TRUE(WIFSIGNALED(status));
    }
    const uint64_t there = lfb_bits_count(&filter->layout.bits);
    ASSERT_LE(Stats(filter).bits_set, there) << round;
    too_low += Stats(filter).bits_set < there;
    ASSERT_EQ(lfb_mapped_recount(filter.get()), LFB_OK) << round;
    ASSERT_EQ(Stats(filter).bits_set, there) << round;
    ASSERT_FALSE(Stats(filter).bits_set_low);
    for (unsigned p = 0; p < kProcesses; p++) {
      ASSERT_EQ(Lost(filter, round, p, progress[p]), 0u) << round;
      puts += progress[p].single + progress[p].many;
    }
  }
  std::printf("%llu puts returned; the count was too low after %llu of %u rounds\n",
              static_cast<unsigned long long>(puts), static_cast<unsigned long long>(too_low),
              kRounds);
  EXPECT_GT(puts, kRounds * kProcesses * 10u);
  EXPECT_GT(too_low, kRounds / 10) << "hardly any process died while it put";
  unlink(path.c_str());
}

}  // namespace
