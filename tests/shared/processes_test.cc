// Processes that share a filter's file: what each of them guarantees to the others, with any of
// its rights removed, stopped or killed at any moment, in any number.
#include "tests/support/processes.h"
#include "tests/support/skip.h"

#include <sys/file.h>

namespace {

// ---- restricted children --------------------------------------------------------------------

// Children that claim the same keys in step, note each claim that wins, report, and then claim
// keys of their own until they are killed.
class Claimants {
 public:
  Claimants(lfb_filter* filter, uint64_t keys, unsigned children)
      : filter_(filter), keys_(keys), wins_(keys), met_(1), done_(1), children_(children) {}

  template <typename Before>
  void Start(const Before& before) {
    for (unsigned i = 0; i < children_; i++)
      running_.emplace_back([&, i] { return before(i) ? Claim(i) : 1; });
  }

  // How many children ended before they had claimed all keys.
  unsigned KillWhenDone() {
    unsigned failed = 0;
    while (done_[0] + failed < children_) {
      sched_yield();
      failed = 0;
      for (const Child& child : running_) failed += HasEnded(child);
    }
    for (Child& child : running_) kill(child.process(), SIGKILL);
    failed = 0;
    for (Child& child : running_) failed += !Killed(child.Kill());
    return failed;
  }

  // How many keys do not have exactly one winner.
  uint64_t Wrong() const {
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < keys_; i++) wrong += wins_[i] != 1;
    return wrong;
  }

 private:
  static bool HasEnded(const Child& child) {
    siginfo_t ended{};
    return waitid(P_PID, static_cast<id_t>(child.process()), &ended,
                  WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid != 0;
  }

  int Claim(unsigned child) {
    const Meeting meeting(&met_[0], children_);
    for (uint64_t i = 0; i < keys_; i++) {
      if (i % kStep == 0) meeting.Wait(static_cast<uint32_t>(i / kStep + 1));
      if (lfb_filter_claim_u64(filter_, Mix(1, i))) wins_[i]++;
    }
    done_[0]++;
    for (uint64_t i = 0; i < keys_; i++) lfb_filter_claim_u64(filter_, Mix(2 + child, i));
    for (;;) sched_yield();
  }

  static constexpr uint64_t kStep = 256;
  lfb_filter* const filter_;
  const uint64_t keys_;
  const SharedArray<std::atomic<uint8_t>> wins_;
  const SharedArray<std::atomic<uint32_t>> met_, done_;
  const unsigned children_;
  std::vector<Child> running_;
};

// One winner per key among children that lost the rights of `restriction_of(i)`. The count is
// that of the words right after all of them were killed during claims.
template <typename Of>
void HasOneWinnerEach(lfb_strategy_id strategy, unsigned children, uint64_t keys,
                      const Of& restriction_of) {
  const EmptyFolder empty;
  const Path path;
  const Filter filter = Create(path, Roomy(2 * keys, strategy));
  Claimants claimants(filter.get(), keys, children);
  claimants.Start([&](unsigned i) { return Restrict(restriction_of(i), empty.c_str()); });
  EXPECT_EQ(claimants.KillWhenDone(), 0u) << "of " << children << " children ended by themselves";
  EXPECT_EQ(claimants.Wrong(), 0u) << "of " << keys << " keys, " << children << " children";
  EXPECT_EQ(Stats(filter).bits_set, BitsInFile(path.c_str(), Stats(filter).bytes));
}

using Taken = std::tuple<lfb_strategy_id, Restriction>;

std::string TakenName(const testing::TestParamInfo<Taken>& info) {
  return StrategyTestName({std::get<0>(info.param), 0}) + "_without_" +
         RestrictionName(std::get<1>(info.param));
}

const auto kStrategies =
    testing::Values(LFB_FAST, LFB_FAST_PAIR, LFB_GUAVA_MITZ64, LFB_JAVA_DOUBLE);

class RestrictedChildren : public testing::TestWithParam<Taken> {};

// A child that its parent has restricted after it opened the file claims like any other. With
// leases, which belonged to processes, this failed for 16 of the 20 cases: keys without a
// winner, counts that lacked bits after the kills, children that were killed.
TEST_P(RestrictedChildren, ClaimAsOthersDo) {
  const auto [strategy, taken] = GetParam();
  const auto restriction = taken; // C++17's lambdas capture no structured binding
  if (!CanRestrict(restriction, EmptyFolder()))
    return Skip(std::string("this user may not take ") + RestrictionName(restriction) +
                " from a child (root is needed)");
  for (const unsigned children : {2u, 8u})
    HasOneWinnerEach(strategy, children, 60000, [=](unsigned) { return restriction; });
}

INSTANTIATE_TEST_SUITE_P(All, RestrictedChildren,
                         testing::Combine(kStrategies,
                                          testing::Range(kNothing, kRestrictions,
                                                         static_cast<Restriction>(1))),
                         TakenName);

class ManyChildren : public testing::TestWithParam<lfb_strategy_id> {};

// The same for 64 children at once, each with another restriction. With leases it failed in 3 of
// 3 runs, and for each of the four strategies.
TEST_P(ManyChildren, ClaimAsOneDoes) {
  const EmptyFolder empty;
  std::vector<Restriction> can;
  for (int i = 0; i < kRestrictions; i++)
    if (CanRestrict(static_cast<Restriction>(i), empty)) can.push_back(static_cast<Restriction>(i));
  HasOneWinnerEach(GetParam(), 64, 3000, [&](unsigned i) { return can[i % can.size()]; });
}

INSTANTIATE_TEST_SUITE_P(All, ManyChildren, kStrategies, StrategyTestName);

// ---- kills ----------------------------------------------------------------------------------

// Workers that claim and put around one position that advances, so that they meet, and note what
// has returned.
class Storm {
 public:
  explicit Storm(lfb_filter* filter) : filter_(filter), wins_(kKeys), puts_(kKeys), acts_(1) {}

  [[noreturn]] void Work(uint64_t seed) {
    for (uint64_t i = 0;; i++) {
      const uint64_t key = (acts_[0]++ / 6 + Mix(seed, i) % 8) % kKeys;
      Claim(key);
      const uint64_t mixed = Mix(2, key), neighbours[] = {mixed, ~mixed, mixed + 1};
      if (i % 2 == 0) lfb_filter_put_u64(filter_, mixed);
      else lfb_filter_put_many_u64(filter_, neighbours, 3, nullptr);
      puts_[key] = 1;
    }
  }

  void Claim(uint64_t key) {
    if (lfb_filter_claim_u64(filter_, Mix(1, key))) wins_[key]++;
  }

  // Returns after the workers have done so many more calls.
  void Await(uint64_t acts) const {
    for (const uint64_t until = acts_[0] + acts; acts_[0] < until;) sched_yield();
  }

  // Keys that were claimed and put are found, none was won twice, and at most `killed` have no
  // winner.
  void Check(uint64_t killed) {
    uint64_t twice = 0, lost = 0, unclaimed = 0;
    for (uint64_t i = 0; i < kKeys; i++) {
      lost += wins_[i] != 0 && !lfb_filter_might_contain_u64(filter_, Mix(1, i));
      lost += puts_[i] != 0 && !lfb_filter_might_contain_u64(filter_, Mix(2, i));
      Claim(i);
      twice += wins_[i] > 1;
      unclaimed += wins_[i] == 0;
    }
    EXPECT_EQ(twice, 0u);
    EXPECT_EQ(lost, 0u);
    EXPECT_LE(unclaimed, killed);
  }

  static constexpr uint64_t kKeys = 100000;

 private:
  lfb_filter* const filter_;
  const SharedArray<std::atomic<uint8_t>> wins_, puts_;
  const SharedArray<std::atomic<uint64_t>> acts_;
};

// Claims 200 new keys each through the filter that the child has, and through one that it opens.
int ClaimsNewKeys(lfb_filter* filter, const Path& path, uint64_t stream) {
  lfb_filter* opened = nullptr;
  unsigned won = 0;
  if (lfb_mapped_open(path.c_str(), nullptr, &opened) != LFB_OK) return 2;
  for (uint64_t i = 0; i < 200; i++) {
    won += lfb_filter_claim_u64(filter, Mix(stream, 2 * i));
    won += lfb_filter_claim_u64(opened, Mix(stream, 2 * i + 1));
  }
  return won == 400 ? 0 : 3;
}

class KillStorm : public testing::TestWithParam<lfb_strategy_id> {};

// 350 times three workers are killed at any instruction, each fourth time after they were
// stopped. Then no process waits for them. With leases it failed in 3 of 4 runs: the count
// lacked some 40 bits.
TEST_P(KillStorm, LosesNothingAndBlocksNoProcess) {
  constexpr unsigned kRounds = 350, kWorkers = 3;
  const Path path;
  const Filter filter = Create(path, Roomy(2 * Storm::kKeys, GetParam()));
  Storm storm(filter.get());
  for (unsigned round = 0; round < kRounds && !HasFailure(); round++) {
    std::vector<Child> workers;
    for (unsigned i = 0; i < kWorkers; i++)
      workers.emplace_back([&, i]() -> int { storm.Work(3 + round * kWorkers + i); });
    storm.Await(Mix(1, round) % 1000);
    if (round % 4 == 0) {
      for (const Child& worker : workers) worker.Stop();
      EXPECT_EQ(Child([&] { return ClaimsNewKeys(filter.get(), path, 10000 + round); }).Wait(), 0)
          << "while all are stopped, round " << round;
    }
    for (const Child& worker : workers) kill(worker.process(), SIGKILL);
    for (Child& worker : workers) EXPECT_TRUE(Killed(worker.Kill()));
    if (round % 20 == 0) {
      EXPECT_EQ(Stats(filter).bits_set, BitsInFile(path.c_str(), Stats(filter).bytes));
    }
  }
  storm.Check(kRounds * kWorkers);
  EXPECT_EQ(Stats(filter).bits_set, BitsInFile(path.c_str(), Stats(filter).bytes));
}

INSTANTIATE_TEST_SUITE_P(All, KillStorm, testing::Values(LFB_FAST, LFB_GUAVA_MITZ64),
                         StrategyTestName);

// ---- no system calls ------------------------------------------------------------------------

// Puts, claims and queries, one by one and many at a time; returns 0 if all answers are right.
// Of the 400,000 keys java-double, with its narrow hash, takes one for another.
int UsesAll(lfb_filter* filter) {
  constexpr uint64_t kMany = 1000, kFalsePositives = 4;
  uint64_t keys[kMany], wrong = 0;
  for (uint64_t i = 0; i < 100000; i++) {
    wrong += !lfb_filter_put_u64(filter, Mix(1, i)) || !lfb_filter_claim_u64(filter, Mix(2, i));
    wrong += !lfb_filter_might_contain_u64(filter, Mix(1, i)) ||
             lfb_filter_claim_u64(filter, Mix(1, i));
  }
  for (uint64_t at = 0; at < 100000; at += kMany)
    for (const uint64_t stream : {3, 4}) {
      for (uint64_t i = 0; i < kMany; i++) keys[i] = Mix(stream, at + i);
      wrong += lfb_filter_many(filter, stream == 3 ? LFB_PUT : LFB_CLAIM, keys, kMany, nullptr,
                               LFB_U64_KEY) != kMany;
      wrong += lfb_filter_might_contain_many_u64(filter, keys, kMany, nullptr) != kMany;
    }
  return wrong <= kFalsePositives ? 0 : 2;
}

class NoCalls : public testing::TestWithParam<lfb_strategy_id> {};

// The child is killed at its first system call. Before the restriction it has called nothing of
// the library. With leases it failed for all four strategies: the child's first claim entered
// the kernel.
TEST_P(NoCalls, AfterTheFileIsOpen) {
  const Path path;
  const Filter filter = Create(path, Roomy(400000, GetParam()));
  Child child([&] { return RefuseCalls(false) ? UsesAll(filter.get()) : 3; });
  EXPECT_EQ(child.Wait(), 0) << "31 (SIGSYS): it has entered the kernel";
  EXPECT_EQ(Stats(filter).bits_set, BitsInFile(path.c_str(), Stats(filter).bytes));
}

INSTANTIATE_TEST_SUITE_P(All, NoCalls, kStrategies, StrategyTestName);

// ---- a user with permission to read ---------------------------------------------------------

// Takes every lock that a read-only descriptor allows, and tries the others; returns how many it
// holds.
int LockAll(int fd) {
  int locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
  for (const short type : {F_WRLCK, F_RDLCK})
    for (const int how : {F_SETLK, F_OFD_SETLK}) {
      struct flock all = {};
      all.l_type = type;
      all.l_whence = SEEK_SET;
      locked += fcntl(fd, how, &all) == 0;
    }
  locked += fcntl(fd, F_SETLEASE, F_RDLCK) == 0;
  return locked;
}

// With leases it failed each time: the file's own locks and the reader's met.
TEST(Reader, BlocksNoOtherProcess) {
  constexpr uint64_t kKeys = 20000;
  const Path path;
  const Filter filter = Create(path, Roomy(2 * kKeys, LFB_FAST));
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const SharedArray<std::atomic<int>> locked(1);
  const bool other_user = CanRestrict(kUser, EmptyFolder());
  if (!other_user) std::cerr << "NOT TESTED: the reader is the same user (root is needed)\n";
  const Child reader([&]() -> int {
    if (other_user && !Restrict(kUser, "")) return 1;
    locked[0] = LockAll(fd);
    for (;;) pause();
  });
  while (locked[0] == 0) sched_yield();
  EXPECT_GE(locked[0], 3);  // flock(), and a read lock of each kind
  Child another([&] {
    const Filter opened = Open(path);
    uint64_t won = 0;
    for (uint64_t i = 0; i < kKeys; i++) won += lfb_filter_claim_u64(opened.get(), Mix(1, i));
    return won == kKeys ? 0 : 2;
  });
  EXPECT_EQ(another.Wait(), 0);
  uint64_t won = 0;
  for (uint64_t i = 0; i < kKeys; i++) won += lfb_filter_claim_u64(filter.get(), Mix(2, i));
  EXPECT_EQ(won, kKeys);
  EXPECT_EQ(Stats(filter).bits_set, BitsInFile(path.c_str(), Stats(filter).bytes));
  close(fd);
}

}  // namespace
