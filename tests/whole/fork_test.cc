// fork(): what a child has of its parent's filters, and how it uses them.
#include <thread>

#include "tests/support/processes.h"
#include "tests/support/skip.h"
#include "tests/support/stepped.h"

namespace {

// ---- a shared filter ------------------------------------------------------------------------

// A child puts into a file that its parent opened, and so does the parent. With leases it
// failed in 3 of 5 runs.
TEST(Fork, PutsAreCountedInBothProcesses) {
  constexpr uint64_t kKeys = 50000;
  const Path path;
  const Filter filter = Create(path, Roomy(2 * kKeys, LFB_FAST));
  const uint64_t bytes = Stats(filter).bytes;
  lfb_filter_put_hash(filter.get(), Mix(0, 0));
  Child child([&] {
    for (uint64_t i = 0; i < kKeys; i++) lfb_filter_put_hash(filter.get(), Mix(1, i));
    for (uint64_t i = 0; i < kKeys; i++)
      if (!lfb_filter_might_contain_hash(filter.get(), Mix(1, i))) return 2;
    return 0;
  });
  for (uint64_t i = 0; i < kKeys; i++) lfb_filter_put_hash(filter.get(), Mix(2, i));
  EXPECT_EQ(child.Wait(), 0);
  EXPECT_EQ(Stats(filter).bits_set, BitsInFile(path.c_str(), bytes));
  EXPECT_EQ(Child([&] { return BitsSet(filter.get()) == BitsInFile(path.c_str(), bytes) ? 0 : 2; })
                .Wait(),
            0);
  for (uint64_t i =
       0; i < kKeys; i++) ASSERT_TRUE(lfb_filter_might_contain_hash(filter.get(), Mix(1, i)));
}

// ---- death at each instruction --------------------------------------------------------------

class Killed : public testing::TestWithParam<lfb_strategy_id> {};

// A child is killed after instruction n of a claim, for every n of strategy fast, every fifth of
// others. Its claim has at most one winner, the next claims of its cell proceed, and the count
// is that of the words. With leases it failed for fast-pair, with a count that lacked 4 bits,
// and never ended for others.
TEST_P(Killed, AfterEachInstructionOfAClaim) {
  if (!kCanStep) return NotHere("this machine's trap flag is not known here");
  const Path path;
  const Filter filter = Create(path, RoomyAndShort(1 << 14, GetParam()));
  const SharedArray<std::atomic<int>> won(1);
  lfb_filter_claim_u64(filter.get(), Mix(0, 0));
  unsigned shorter = 0;  // acts that had ended before
  for (uint64_t at = 1; shorter < 3 && !HasFailure(); at += GetParam() == LFB_FAST ? 1 : 5) {
    won[0] = 0;
    Child child([&] {
      uint64_t until = at;
      Stepped::Run(
          [&] {
            if (lfb_filter_claim_u64(filter.get(), Mix(1, at))) won[0]++;
          },
          [](void* with, uint64_t n) {
            if (n == *static_cast<uint64_t*>(with)) kill(getpid(), SIGKILL);
            return true;
          },
          &until);
      return 0;
    });
    const bool killed = ::Killed(child.Wait());
    shorter += !killed;
    EXPECT_EQ(Stats(filter).bits_set, BitsInFile(path.c_str(), Stats(filter).bytes));
    for (uint64_t i = 0; i < 32; i++)
      EXPECT_TRUE(lfb_filter_claim_u64(filter.get(), Mix(2 + at, i)));
    won[0] += lfb_filter_claim_u64(filter.get(), Mix(1, at));
    EXPECT_TRUE(won[0] == 1 || (killed && won[0] == 0)) << "instruction " << at;
    EXPECT_TRUE(lfb_filter_might_contain_u64(filter.get(), Mix(1, at)));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Killed,
                         testing::Values(LFB_FAST, LFB_FAST_PAIR, LFB_GUAVA_MITZ64,
                                         LFB_JAVA_DOUBLE),
                         StrategyTestName);

// ---- a private filter, while others put -----------------------------------------------------

// Threads that put and claim as many keys as they are given.
class Busy {
 public:
  Busy(lfb_filter* filter, unsigned threads) : done_(threads) {
    for (unsigned t = 0; t < threads; t++)
      running_.emplace_back([=] {
        for (uint64_t i = 0; !end_;) {
          if (i == given_) {
            std::this_thread::yield();
            continue;
          }
          lfb_filter_put_u64(filter, Key(t, 2 * i));
          lfb_filter_claim_u64(filter, Key(t, 2 * i + 1));
          done_[t] = 2 * ++i;
        }
      });
  }
  ~Busy() { End(); }
  void End() {
    end_ = true;
    for (std::thread& thread : running_) thread.join();
    running_.clear();
  }
  // How many keys each thread has put or claimed by now.
  std::vector<uint64_t> Done() const { return {done_.begin(), done_.end()}; }
  // Gives each thread so many keys, and returns when one has done a part of them.
  void Give(uint64_t keys, uint64_t part) {
    const uint64_t until = done_[0] + part;
    given_ += keys / 2;
    while (done_[0] < until) std::this_thread::yield();
  }
  static uint64_t Key(unsigned thread, uint64_t i) { return Mix(10 + thread, i); }

 private:
  std::atomic<bool> end_{false};
  std::atomic<uint64_t> given_{0};
  std::vector<std::atomic<uint64_t>> done_;
  std::vector<std::thread> running_;
};

// Run in a child of a process with busy threads; returns 0 if all promises are kept.
int IsWhole(lfb_filter* filter, const std::vector<uint64_t>& done) {
  lfb_stats stats;
  lfb_filter_stats(filter, &stats);
  const uint64_t words_say = BitsInWords(filter), may_lack = done.size() * stats.probes;
  if (stats.bits_set > words_say) return 2;
  if (stats.bits_set + may_lack < words_say) return 3;
  for (unsigned t = 0; t < done.size(); t++)
    for (uint64_t i = done[t] > 1000 ? done[t] - 1000 : 0; i < done[t]; i++)
      if (!lfb_filter_might_contain_u64(filter, Busy::Key(t, i))) return 4;
  uint64_t won = 0;
  for (uint64_t i = 0; i < 2000; i++)
    won += lfb_filter_claim_u64(filter, Mix(1, i)) && lfb_filter_put_u64(filter, Mix(2, i));
  if (won != 2000) return 5;
  return BitsInWords(filter) - BitsSet(filter) <= words_say - stats.bits_set ? 0 : 6;
}

class AmongBusyThreads : public testing::TestWithParam<lfb_strategy_id> {};

// The child's count is at most that of its words, and lacks at most the bits that each thread of
// its parent was about to count. Keys put before the fork are found, and the child continues. It
// guards against no known bug: it never failed with leases either.
TEST_P(AmongBusyThreads, AChildIsWhole) {
  constexpr unsigned kThreads = 4;
  constexpr uint64_t kRounds = 100, kKeys = 400;
  const Filter filter = Make(Roomy(kRounds * kKeys * kThreads, GetParam()));
  Busy busy(filter.get(), kThreads);
  for (uint64_t round = 0; round < kRounds && !HasFailure(); round++) {
    busy.Give(kKeys, Mix(1, round) % 200);
    const std::vector<uint64_t> done = busy.Done();
    EXPECT_EQ(Child([&] { return IsWhole(filter.get(), done); }).Wait(), 0) << "in units of 256";
  }
  busy.End();
  EXPECT_EQ(BitsSet(filter.get()), BitsInWords(filter.get()));
}

INSTANTIATE_TEST_SUITE_P(All, AmongBusyThreads, testing::Values(LFB_FAST, LFB_GUAVA_MITZ64),
                         StrategyTestName);

}  // namespace
