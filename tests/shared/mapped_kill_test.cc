// Processes put into one mapped filter and are killed during it, 200 times over: no put that had
// returned is lost, and every count is right at once.
#include <lfbloom/mapped.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <random>

#include "bloom/filter/filter.h"
#include "tests/support/filters.h"
#include "tests/support/race.h"

namespace {

constexpr unsigned kProcesses = 8;
constexpr unsigned kRounds = kUnderTsan ? 20 : 200;
constexpr unsigned kRoundsOfAFile = 5;  // fresh ones, so that no lost key is found by chance
constexpr size_t kMany = 700;  // keys per call, not a multiple of anything

// The number of puts that have returned; it survives the killed processes.
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
  if (nice(19) == -1) _exit(2);  // so that the process that kills is not late
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

// Whether some of the keys after the last returned put are present: the process was killed
// within a call for many of them.
bool DiedMidway(const Filter& filter, unsigned round, unsigned process, const Progress& done) {
  constexpr uint64_t kEnough = kMany / 10;  // more than false positives explain
  uint64_t there = 0;
  for (uint64_t i = done.many; i < done.many + kMany; i++)
    there += lfb_filter_might_contain_u64(filter.get(), ManyKey(round, process, i));
  return there > kEnough && there < kMany;
}

// Each filter is used by the processes of five rounds, all of which are killed.
TEST(MappedKill, NothingThatReturnedIsLostAndTheCountIsRight) {
  const std::string path = "/dev/shm/lfbloom-kill-" + std::to_string(std::random_device()());
  const lfb_config config = Config(10000000, 0.01, LFB_FAST);
  Filter filter;
  auto* progress = static_cast<Progress*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                                               MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(static_cast<void*>(progress), MAP_FAILED);
  std::mt19937 random(1);
  uint64_t puts = 0, midway = 0;

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
    const uint64_t there = lfb_filter_recount(&filter->layout.bits);
    ASSERT_EQ(Stats(filter).bits_set, there) << round;
    const Filter opened = Made<Filter>(lfb_mapped_open, path.c_str(), nullptr);
    ASSERT_EQ(Stats(opened).bits_set, there) << round;
    for (unsigned p = 0; p < kProcesses; p++) {
      ASSERT_EQ(Lost(filter, round, p, progress[p]), 0u) << round;
      midway += DiedMidway(filter, round, p, progress[p]);
      puts += progress[p].single + progress[p].many;
    }
  }
  std::printf("%llu puts returned; %llu of %u processes died within a call\n",
              static_cast<unsigned long long>(puts), static_cast<unsigned long long>(midway),
              kRounds * kProcesses);
  EXPECT_GT(puts, kRounds * kProcesses * 10u);
  EXPECT_GT(midway, kRounds / 10) << "hardly any process died while it put";
  unlink(path.c_str());
}

}  // namespace
