// fork(): what a child has of its parent's filters, and how it uses them.
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

}  // namespace
