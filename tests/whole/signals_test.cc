// Signal handlers that put and claim, and threads that stop and never run again: at every
// instruction of a put and of a claim, one after the other (stepped.h), and at random ones.
#include <lfbloom/growing.h>
#include <lfbloom/growing_mapped.h>
#include <sys/time.h>

#include <functional>
#include <thread>

#include "tests/support/anys.h"
#include "tests/support/processes.h"
#include "tests/support/skip.h"
#include "tests/support/stepped.h"

namespace {

// ---- a filter of any kind -------------------------------------------------------------------

enum Kind { kPrivate, kMapped, kGrowing, kGrowingMapped, kKinds };

// It neither grows nor has false positives among a test's keys.
class Any {
 public:
  Any(Kind kind, const lfb_config& config) {
    EXPECT_EQ(Create(kind, config), LFB_OK);
  }
  ~Any() {
    lfb_filter_free(plain_);
    lfb_growing_free(growing_);
  }
  Any(const Any&) = delete;

  bool Put(uint64_t key) const {
    return plain_ ? lfb_filter_put_u64(plain_, key) : lfb_growing_put_u64(growing_, key);
  }
  bool Claim(uint64_t key) const {
    return plain_ ? lfb_filter_claim_u64(plain_, key) : lfb_growing_claim_u64(growing_, key);
  }
  bool Has(uint64_t key) const {
    return plain_ ? lfb_filter_might_contain_u64(plain_, key)
                  : lfb_growing_might_contain_u64(growing_, key);
  }

  // The filter's count, and that of its words.
  uint64_t BitsSet() const { return plain_ ? ::BitsSet(plain_) : Growing(growing_); }
  uint64_t BitsInWords() const {
    if (plain_) return ::BitsInWords(plain_);
    lfb_growing* copy = nullptr;
    EXPECT_EQ(any::copy<lfb_growing>(growing_, &copy), LFB_OK);
    const uint64_t bits = Growing(copy);
    lfb_growing_free(copy);
    return bits;
  }

 private:
  static uint64_t Growing(const lfb_growing* growing) {
    lfb_growing_figures figures{};
    lfb_growing_stats(growing, &figures);
    return figures.bits_set;
  }

  lfb_status Create(Kind kind, const lfb_config& config) {
    switch (kind) {
      case kPrivate: return lfb_filter_create(&config, &plain_);
      case kMapped: return lfb_mapped_create(path_.c_str(), &config, &plain_);
      case kGrowing: return lfb_growing_create(&config, &growing_);
      default: return lfb_growing_mapped_create(path_.c_str(), &config, &growing_);
    }
  }

  const Path path_;
  lfb_filter* plain_ = nullptr;
  lfb_growing* growing_ = nullptr;
};

using Case = std::tuple<Kind, lfb_strategy_id>;

std::string CaseName(const testing::TestParamInfo<Case>& info) {
  static const char* const names[] = {"private_", "mapped_", "growing_", "growing_mapped_"};
  return names[std::get<0>(info.param)] + StrategyTestName({std::get<1>(info.param), 0});
}

const auto kCases = testing::Combine(
    testing::Range(kPrivate, kKinds, static_cast<Kind>(1)),
    testing::Values(LFB_FAST, LFB_FAST_PAIR, LFB_GUAVA_MITZ64, LFB_JAVA_DOUBLE));

// All instructions of one case are tried, and one in 23 of the others: n instructions take n * n
// traps.
uint64_t Stride(const Case& of) { return of == Case(kMapped, LFB_FAST) ? 1 : 23; }

// ---- handlers -------------------------------------------------------------------------------

class Handlers : public testing::TestWithParam<Case> {};

// A handler runs after instruction n of a claim and of a put (Stride()): it claims the same key,
// and puts and claims others. The count lacks no bit, and each key has one winner. With
// claimants of 1,024 slots it failed for 14 of the 16 cases, each time with two winners.
TEST_P(Handlers, AtEachInstruction) {
  if (!kCanStep) return NotHere("this machine's trap flag is not known here");
  const Any filter(std::get<0>(GetParam()), RoomyAndShort(1 << 15, std::get<1>(GetParam())));
  struct Act {
    const Any* filter;
    uint64_t at, key;
    unsigned won;
  } act = {&filter, 0, 0, 0};
  const auto between = [](void* with, uint64_t n) {
    auto* of = static_cast<Act*>(with);
    if (n != of->at) return true;
    of->won += of->filter->Claim(of->key);
    of->won += of->filter->Claim(of->key + 1);
    of->won += 2 * of->filter->Put(of->key + 2);
    return false;
  };
  filter.Claim(Mix(0, 0));  // the thread's first
  for (const bool claims : {true, false}) {
    bool mine = false;
    const auto run = [&] { mine = claims ? filter.Claim(act.key) : filter.Put(act.key); };
    act.key = Mix(0, 1 + claims);
    const uint64_t steps = Stepped::Count(run);
    EXPECT_GT(steps, 20u);
    for (act.at = 1; act.at <= steps && !HasFailure(); act.at += Stride(GetParam())) {
      act.key = Mix(claims ? 1 : 2, act.at);
      act.won = 0;
      mine = false;
      if (Stepped::Run(run, between, &act) < act.at) continue;  // it was shorter
      if (claims) {
        EXPECT_EQ(act.won + mine, 4u) << "instruction " << act.at;
      } else {  // the put may turn on some of the bits, and the claim the others
        EXPECT_TRUE(act.won + mine == 4 || act.won + mine == 5) << "instruction " << act.at;
      }
      EXPECT_TRUE(filter.Has(act.key) && filter.Has(act.key + 1) && filter.Has(act.key + 2));
    }
  }
  EXPECT_EQ(filter.BitsSet(), filter.BitsInWords());
}

// The state of a timer's handler.
struct Timed {
  static constexpr uint64_t kKeys = 100000;
  const Any* filter;
  std::atomic<uint64_t> at{0};  // the key that the main flow claims
  std::atomic<uint64_t> signals{0};
  std::vector<std::atomic<uint8_t>> wins = std::vector<std::atomic<uint8_t>>(kKeys);

  void Claim(uint64_t key) {
    if (filter->Claim(Mix(1, key % kKeys))) wins[key % kKeys]++;
  }
};
Timed* timed = nullptr;

void OnTimer(int) {
  const uint64_t n = timed->signals++;
  for (uint64_t i = 0; i < 4; i++) {
    timed->Claim(timed->at + i);
    timed->filter->Put(Mix(2, (4 * n + i) % Timed::kKeys));
  }
}

class Timer {
 public:
  explicit Timer(suseconds_t every) {
    struct sigaction action = {};
    action.sa_handler = OnTimer;
    sigaction(SIGALRM, &action, nullptr);
    Set(every);
  }
  ~Timer() { Set(0); }

 private:
  static void Set(suseconds_t every) {
    const itimerval interval = {{0, every}, {0, every}};
    setitimer(ITIMER_REAL, &interval, nullptr);
  }
};

// The handler of a timer claims the key that the main flow is about to claim, and puts the one
// that it puts. At least 3,000 signals arrive. With a counter that was loaded and stored it
// failed for 15 of the 16 cases; for fast-pair, with the smallest gap, in 1 of 5 runs.
TEST_P(Handlers, OfATimer) {
  constexpr uint64_t kSignals = 3000;
  const Any filter(std::get<0>(GetParam()), Roomy(2 * Timed::kKeys, std::get<1>(GetParam())));
  Timed now;
  now.filter = &filter;
  timed = &now;
  filter.Put(Mix(9, 0));  // the thread's first
  {
    const Timer timer(50);
    for (uint64_t i = 0; i < Timed::kKeys || now.signals < kSignals; i++) {
      now.at = i;
      now.Claim(i);
      filter.Put(Mix(2, i % Timed::kKeys));
    }
  }
  for (uint64_t i = 0; i < Timed::kKeys; i++) {
    now.Claim(i);
    ASSERT_EQ(now.wins[i], 1) << i;
  }
  EXPECT_EQ(filter.BitsSet(), filter.BitsInWords());
  RecordProperty("signals", static_cast<int>(now.signals));
}

INSTANTIATE_TEST_SUITE_P(All, Handlers, kCases, CaseName);

// ---- threads that stop ----------------------------------------------------------------------

// A place where threads stop, in a signal handler, until they are released.
class Frost {
 public:
  Frost() { EXPECT_EQ(pipe(ends_), 0); }
  ~Frost() {
    close(ends_[0]);
    if (ends_[1] >= 0) close(ends_[1]);
  }
  void Stop() {
    char nothing;
    stopped_++;
    while (read(ends_[0], &nothing, 1) < 0 && errno == EINTR) continue;
  }
  void Await(unsigned threads) const {
    while (stopped_ < threads) std::this_thread::yield();
  }
  // Releases all threads, and those that arrive later.
  void Thaw() { close(std::exchange(ends_[1], -1)); }

 private:
  int ends_[2];
  std::atomic<unsigned> stopped_{0};
};

// Claims at least one new key for each of the 256 cells; returns whether all were won.
bool ClaimsEverywhere(const Any& filter, uint64_t stream) {
  bool all = true;
  for (uint64_t i = 0; i < 3000; i++) all &= filter.Claim(Mix(stream, i));
  return all;
}

class Frozen : public testing::TestWithParam<Case> {};

// A thread stops after instruction n of a claim (Stride()). Another thread claims the same key
// and others of its cell; then the first is released. With claimants it failed for 9 of the 16
// cases, with claims that did not return.
TEST_P(Frozen, AtEachInstructionOfAClaim) {
  if (!kCanStep) return NotHere("this machine's trap flag is not known here");
  Child child([&] {
    const Any filter(std::get<0>(GetParam()), RoomyAndShort(1 << 15, std::get<1>(GetParam())));
    filter.Claim(Mix(0, 0));
    const uint64_t steps = Stepped::Count([&] { filter.Claim(Mix(0, 1)); });
    for (uint64_t at = 1; at <= steps; at += Stride(GetParam())) {
      struct Stop {
        Frost frost;
        uint64_t at;
      } stop;
      stop.at = at;
      bool first = false, second = false;
      const uint64_t key = Mix(1, at);
      std::thread stopping([&] {
        filter.Claim(Mix(2, at));  // the thread's first
        const uint64_t reached = Stepped::Run(
            [&] { first = filter.Claim(key); },
            [](void* with, uint64_t n) {
              auto* of = static_cast<Stop*>(with);
              if (n < of->at) return true;
              of->frost.Stop();
              return false;
            },
            &stop);
        if (reached < at) stop.frost.Stop();  // the claim was shorter
      });
      stop.frost.Await(1);
      second = filter.Claim(key);
      bool others = true;
      for (uint64_t i = 0; i < 8; i++) others &= filter.Claim(Mix(3 + at, i));
      others &= at % 50 != 1 || ClaimsEverywhere(filter, 100000 + at);
      stop.frost.Thaw();
      stopping.join();
      if (first + second != 1 || !others) {
        std::cerr << "instruction " << at << ": " << first << second << others << "\n";
        return 2;
      }
    }
    return filter.BitsSet() == filter.BitsInWords() ? 0 : 3;
  });
  EXPECT_EQ(child.Wait(), 0) << "-1: claims have not come back";
}

INSTANTIATE_TEST_SUITE_P(All, Frozen, kCases, CaseName);

Frost* frost = nullptr;

void OnFreeze(int) { frost->Stop(); }

// Stops threads during their claims, after `idle` others have claimed and keep running; then
// claims in a new thread.
[[noreturn]] void FreezesAndClaims(const Any& filter, unsigned idle, unsigned threads) {
  Frost here;
  frost = &here;
  struct sigaction action = {};
  action.sa_handler = OnFreeze;
  sigaction(SIGUSR1, &action, nullptr);
  std::vector<std::thread> running;
  for (unsigned t = 0; t < idle; t++)
    running.emplace_back([&, t] {
      filter.Claim(Mix(3, t));
      here.Stop();
    });
  here.Await(idle);
  std::vector<std::atomic<uint32_t>> claimed(threads);
  for (unsigned t = 0; t < threads; t++)
    running.emplace_back([&, t] {
      for (uint64_t i = 0;; i++) {
        claimed[t]++;
        filter.Claim(Mix(1, i % (1 << 16)));
      }
    });
  for (unsigned t = 0; t < threads; t++) {
    while (claimed[t] == 0) std::this_thread::yield();
    pthread_kill(running[idle + t].native_handle(), SIGUSR1);
  }
  here.Await(idle + threads);
  std::thread([&] { _exit(ClaimsEverywhere(filter, 2) ? 0 : 2); }).join();
  abort();
}

// Threads stop permanently at random instructions of their claims: a few, and 128 that come
// after 1,024 others, which is the number of slots. With claimants and leases it failed in 3 of
// 3 runs.
TEST(FrozenAtRandom, BlockNoOtherThread) {
  struct Crowd {
    unsigned idle, threads;
    int rounds;
  };
  for (const Crowd crowd : {Crowd{0, 8, 10}, Crowd{0, 64, 5}, Crowd{1024, 128, 2}})
    for (const Kind kind : {kPrivate, kMapped})
      for (int round = 0; round < crowd.rounds && !HasFailure(); round++) {
        const Any filter(kind, Roomy(1 << 17, LFB_FAST));
        Child child([&]() -> int { FreezesAndClaims(filter, crowd.idle, crowd.threads); });
        EXPECT_EQ(child.Wait(), 0)
            << (kind == kMapped ? "mapped, " : "private, ") << crowd.threads << " threads after "
            << crowd.idle << "; -1: claims have not come back";
      }
}

}  // namespace
