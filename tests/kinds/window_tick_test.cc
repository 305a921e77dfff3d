// lfb_window_tick() by clocks that the test sets: what is forgotten when, across restarts of the
// host and wall clocks that are wrong.
//
// The linker puts the test between the library and clock_gettime().  A restart of the host is
// played by changing what the window has noted: then it was in another boot.
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <deque>
#include <functional>
#include <utility>

#include "tests/support/await.h"
#include "tests/support/race.h"
#include "tests/support/skip.h"
#include "tests/support/windows_mapped.h"

namespace {

constexpr int64_t kSecond = 1'000'000'000, kDay = 86400 * kSecond;

// The host's clocks, in ns.
std::atomic<int64_t> boottime{0}, realtime{0};
std::atomic<bool> set_by_test{false};
std::function<void()> on_read;  // runs once, in the middle of the next reading
bool boot_told = true;          // whether the host tells which boot this is

void SetClocks(int64_t boot, int64_t real) {
  boottime = boot;
  realtime = real;
  set_by_test = true;
}

void Pass(int64_t time) {
  boottime += time;
  realtime += time;
}

}  // namespace

extern "C" {
int __real_clock_gettime(clockid_t id, timespec* now);
int __wrap_clock_gettime(clockid_t id, timespec* now);
int __wrap_clock_gettime(clockid_t id, timespec* now) {
  if (!set_by_test ||
      (id != CLOCK_BOOTTIME && id != CLOCK_REALTIME)) return __real_clock_gettime(id, now);
  const int64_t ns = id == CLOCK_REALTIME ? realtime : boottime;
  if (id == CLOCK_REALTIME)
    if (const auto act = std::exchange(on_read, nullptr)) act();
  *now = {static_cast<time_t>(ns / kSecond), static_cast<long>(ns % kSecond)};
  return 0;
}

lfb_window_moment __real_lfb_window_moment_now();
lfb_window_moment __wrap_lfb_window_moment_now();
lfb_window_moment __wrap_lfb_window_moment_now() {
  lfb_window_moment now = __real_lfb_window_moment_now();
  if (!boot_told) now.boot[0] = now.boot[1] = 0;
  return now;
}
}

namespace {

// Where the window is between two steps of a test.
enum Keeping { kInMemory, kSaved, kShared };

class WindowTick : public testing::TestWithParam<Keeping> {
 protected:
  void SetUp() override {
    SetClocks(1000 * kSecond, 5000 * kSecond);
    ASSERT_NE(lfb_window_moment_now().boot[0], 0u) << "the host does not tell its boot";
  }
  void TearDown() override {
    window_.reset();  // its thread reads the clocks
    set_by_test = false;
    on_read = nullptr;
    boot_told = true;
  }

  // A window of a span in seconds.  No key is a false positive.
  void Make(double span = 90, uint32_t generations = 3) {
    lfb_window_config config = WindowConfig(3000, 1e-9, generations);
    config.span = span;
    window_ = GetParam() == kShared ? CreateWindow(path_, config) : MakeWindow(config);
    length_ = static_cast<int64_t>(span / generations * 1e9) + 1;
    ASSERT_EQ(length_, static_cast<int64_t>(window_->length));
  }

  // Puts the window away, and takes it back.
  void Again() {
    lfb_window* read = nullptr;
    if (GetParam() == kSaved) {
      ASSERT_EQ(any::save<lfb_window>(window_.get(), path_.c_str()), LFB_OK);
      ASSERT_EQ(any::load<lfb_window>(path_.c_str(), nullptr, &read), LFB_OK);
      window_.reset(read);
    } else if (GetParam() == kShared) {
      window_.reset();
      window_ = OpenWindow(path_);
    }
  }

  // The host starts again, with its clocks at these times.
  void Reboot(int64_t boot, int64_t real) {
    Again();
    for (uint64_t e = 0; e < LFB_WINDOW_LIVE; e++) {
      lfb_window_moment began = lfb_window_began(window_->head, e);
      began.boot[0]++;
      lfb_window_begins(window_->head, e, &began);
    }
    SetClocks(boot, real);
  }

  uint32_t Tick() const { return ::Tick(window_); }
  bool Has(uint64_t key) const { return lfb_window_might_contain_u64(window_.get(), key); }
  void Put(uint64_t key) const { lfb_window_put_u64(window_.get(), key); }
  uint64_t Generation() const { return lfb_window_generation(window_.get()); }

  // Claims 1000 keys, the same ones each time; returns how many it has won.
  uint64_t New() {
    Again();
    Tick();
    uint64_t won = 0;
    for (uint64_t i = 0; i < 1000; i++) won += lfb_window_claim_u64(window_.get(), i);
    return won;
  }

  const Path path_;
  Window window_;
  int64_t length_ = 0;  // of a generation in ns
};

std::string KeepingName(const testing::TestParamInfo<Keeping>& kept) {
  static const char* const names[] = {"in_memory", "saved", "shared"};
  return names[kept.param];
}

std::vector<Keeping> Keepings() {
  // A shared one needs an exchange of 16 bytes.
  if (!lfb_pair_runs_here()) return {kInMemory, kSaved};
  return {kInMemory, kSaved, kShared};
}

INSTANTIATE_TEST_SUITE_P(Kept, WindowTick, testing::ValuesIn(Keepings()), KeepingName);

TEST_P(WindowTick, WithinTheSpanNothingIsForgotten) {
  Make();
  EXPECT_EQ(New(), 1000u);
  for (int second = 1; second <= 90; second++) {
    Pass(kSecond);
    ASSERT_EQ(New(), 0u) << second;
  }
  Pass(30 * kSecond);  // 120 s: span * (1 + 1 / G)
  EXPECT_EQ(New(), 0u) << "4 ns are missing: the length of a generation is rounded up";
  Pass(4);
  EXPECT_EQ(New(), 1000u);
}

TEST_P(WindowTick, AWallClockThatJumpsDoesNothing) {
  Make();
  EXPECT_EQ(New(), 1000u);
  for (const int64_t jump : {kDay, -2 * kDay, 400 * kDay, -500 * kDay}) {  // in the end before 1970
    Pass(10 * kSecond);
    realtime += jump;
    EXPECT_EQ(New(), 0u);
    EXPECT_EQ(Generation(), 4 + static_cast<uint64_t>((boottime - 1000 * kSecond) / length_));
  }
  Pass(100 * kSecond);
  EXPECT_EQ(New(), 1000u) << "140 s";
}

TEST_P(WindowTick, AfterARestartItGoesOnByTheWallClock) {
  Make();
  EXPECT_EQ(New(), 1000u);
  const uint64_t before = Generation();
  Reboot(5 * kSecond, 5060 * kSecond + 2);
  EXPECT_EQ(New(), 0u);
  EXPECT_EQ(Generation(), before + 2) << "60 s";
  Pass(59 * kSecond);
  EXPECT_EQ(New(), 0u) << "119 s";
  Reboot(7 * kSecond, 5121 * kSecond);
  EXPECT_EQ(New(), 1000u) << "121 s";
}

// If the host does not tell its boot, a boot's own clock says nothing: it may be that of another.
TEST_P(WindowTick, OfAnUnknownBootTheWallClockCounts) {
  boot_told = false;
  Make();
  EXPECT_EQ(New(), 1000u);
  const uint64_t before = Generation();
  Again();
  SetClocks(5 * kSecond, 5060 * kSecond + 2);
  EXPECT_EQ(New(), 0u);
  EXPECT_EQ(Generation(), before + 2) << "60 s";
  SetClocks(900 * kSecond, 5119 * kSecond);
  EXPECT_EQ(New(), 0u) << "119 s";
  SetClocks(7 * kSecond, 5121 * kSecond);
  EXPECT_EQ(New(), 1000u) << "121 s";
}

TEST_P(WindowTick, AfterARestartWithADeadClockNothingIsForgottenEarly) {
  Make();
  Reboot(5 * kSecond, 5060 * kSecond);
  EXPECT_EQ(New(), 1000u);
  const uint64_t before = Generation();
  Reboot(5 * kSecond, 100 * kSecond);
  EXPECT_EQ(Tick(), 0u);
  EXPECT_EQ(Generation(), before) << "it begins anew";
  Pass(89 * kSecond);
  EXPECT_EQ(New(), 0u);
  EXPECT_EQ(Generation(), before + 2) << "by the clock of this boot";
  Pass(41 * kSecond);
  EXPECT_EQ(New(), 1000u) << "130 s";
  Reboot(5 * kSecond, 0);
  EXPECT_EQ(New(), 0u) << "once more";
  realtime = 90'000 * kDay;  // it is set by a network
  Pass(kSecond);
  EXPECT_EQ(New(), 0u);
}

TEST_P(WindowTick, AfterTenDaysAllIsForgottenAtOnce) {
  for (const uint32_t generations : {1u, 3u, 7u}) {
    Make(90, generations);
    EXPECT_EQ(New(), 1000u);
    const uint64_t before = Generation();
    Reboot(5 * kSecond, realtime + 10 * kDay);
    EXPECT_EQ(Tick(), generations + 1);
    EXPECT_EQ(Generation(), before + generations + 1);
    EXPECT_EQ(Tick(), 0u);
    EXPECT_EQ(Stats(window_).expected_fpp, 0);
    EXPECT_EQ(New(), 1000u);
    window_.reset();
    unlink(path_.c_str());
  }
}

// The same without a restart; and the generation that is current then began at its place in the
// schedule.
TEST_P(WindowTick, TheScheduleKeepsItsPlace) {
  Make();
  const int64_t began = boottime;
  Pass(length_ - 1);
  EXPECT_EQ(Tick(), 0u);
  Pass(1);
  EXPECT_EQ(Tick(), 1u);
  Pass(length_ * 3 / 2);
  Again();
  EXPECT_EQ(Tick(), 1u);
  Pass(length_ / 2);
  Again();
  EXPECT_EQ(Tick(), 0u) << "2.999.. generations";
  Pass(1);
  EXPECT_EQ(Tick(), 1u);
  Pass(length_ * 5 / 2);
  EXPECT_EQ(Tick(), 2u);
  Pass(kDay);
  EXPECT_EQ(Tick(), 4u) << "no more than there are";
  Again();
  Pass(length_ - (boottime - began) % length_ - 1);
  EXPECT_EQ(Tick(), 0u);
  Pass(1);
  EXPECT_EQ(Tick(), 1u);
}

// A generation that a caller has ended early is followed by a whole one.
TEST_P(WindowTick, AnAdvanceBeginsAWholeGeneration) {
  Make();
  Pass(length_ / 2);
  Advance(window_);
  Again();
  Pass(length_ - 1);
  EXPECT_EQ(Tick(), 0u);
  Pass(1);
  EXPECT_EQ(Tick(), 1u);
}

// Keys are put at any time; ticks come at any time, and the host restarts now and then.  A key is
// found at least for the span after the last tick before its put.  It is absent after a tick that
// comes the span * (1 + 1 / G), or later, after its put.
TEST_P(WindowTick, AKeyIsFoundForTheSpanAndNoLongerThanAGenerationMore) {
  // Each restart writes and reads a file.
  const uint64_t steps = kUnderTsan || GetParam() == kSaved ? 1000 : 4000;
  struct Key {
    uint64_t key;
    int64_t ticked, put;  // times
  };
  for (const uint32_t generations : {1u, 3u, 7u}) {
    Make(90, generations);
    const int64_t span = 90 * kSecond, longest = length_ * (generations + 1);
    std::deque<Key> keys;
    uint64_t found = 0, forgotten = 0, restarts = 0;
    int64_t ticked = realtime;
    for (uint64_t i = 0; i < steps; i++) {
      const uint64_t dice = Mix(generations, i);
      // Mostly short: a window receives some keys in each generation.
      Pass(static_cast<int64_t>(dice >> 8) % (dice % 16 == 0 ? 3 * length_ : length_ / 8));
      if (dice / 16 % 8 == 0) {
        Reboot(static_cast<int64_t>(Mix(i, 1) % 1000) * kSecond, realtime);
        restarts++;
      }
      if (dice / 128 % 2 == 0) {
        Tick();
        ticked = realtime;
      }
      keys.push_back({i, ticked, realtime});
      Put(i);
      for (const Key& key : keys) {
        if (realtime - key.ticked < span) {
          ASSERT_TRUE(Has(key.key)) << "step " << i << ", " << realtime -
              key.put << " ns after its put";
          found++;
        } else if (ticked - key.put >= longest) {
          ASSERT_FALSE(Has(key.key)) << "step " << i << ", " << realtime -
              key.put << " ns after its put";
          forgotten++;
        }
      }
      while (keys.size() > 200) keys.pop_front();
    }
    EXPECT_GT(found, 5 * steps);
    EXPECT_GT(forgotten, 5 * steps);
    EXPECT_GT(restarts, steps / 16);
    window_.reset();
    unlink(path_.c_str());
  }
}

TEST_P(WindowTick, DoesNothingWhileAnotherAdvances) {
  Make();
  EXPECT_EQ(New(), 1000u);
  Pass(kDay);
  ASSERT_EQ(lfb_window_lock(window_.get()), LFB_OK);
  EXPECT_EQ(Tick(), 0u);
  EXPECT_TRUE(Has(0));
  lfb_window_unlock(window_.get());
  EXPECT_EQ(Tick(), 4u);
  EXPECT_FALSE(Has(0));
}

// A thread reads the clocks for a tick, and sleeps for an hour.  Meanwhile another one has ended
// what was over, and put a key.  Seen to be forgotten within the next second: the first thread
// noted its old time.
TEST_P(WindowTick, AThreadThatSleepsInATickShortensNoGeneration) {
  Make();
  Pass(length_);
  on_read = [&] {
    Pass(3600 * kSecond);
    EXPECT_EQ(Tick(), 4u);
    Put(1);
  };
  EXPECT_EQ(Tick(), 0u);
  for (int second = 0; second < 90; second++) {
    ASSERT_TRUE(Has(1)) << second;
    Pass(kSecond);
    Tick();
  }
}

// The thread of the library ends one generation at a time, and the next one begins then: none is
// shorter than its length after a long sleep of the host.  A sleep of the test only makes it see a
// thread that is wrong.
TEST_P(WindowTick, TheThreadEndsOneGenerationAtATime) {
  Make(0.003);
  uint64_t now = Generation();
  const auto ends_one = [&] {
    now++;
    Await("a generation is ended", [&] { return Generation() >= now; });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // five generations
    ASSERT_EQ(Generation(), now);
  };
  ASSERT_EQ(lfb_window_start_clock(window_.get()), LFB_OK);
  for (int turn = 1; turn <= 3; turn++) {
    Pass(10 * kDay);
    ends_one();
    Pass(length_ - 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ASSERT_EQ(Generation(), now);
    Pass(1);
    ends_one();
  }
}

// Two openings of one file end a generation once.
TEST(WindowTickShared, TwoProcessesEndAGenerationOnce) {
  if (!lfb_pair_runs_here()) return NotHere("no exchange of 16 bytes");
  SetClocks(1000 * kSecond, 5000 * kSecond);
  const Path path;
  lfb_window_config config = WindowConfig(1000, 1e-6);
  config.span = 90;
  const Window one = CreateWindow(path, config), other = OpenWindow(path);
  for (int turn = 0; turn < 20; turn++) {
    Pass(31 * kSecond);
    EXPECT_EQ(Tick(turn % 2 ? one : other), 1u);
    EXPECT_EQ(Tick(turn % 2 ? other : one), 0u);
  }
  set_by_test = false;
}

// A child of a process that has read which boot this is may be in another time namespace.  Seen to
// take its own clock for its parent's, and to forget all.
TEST(WindowTickChild, IsInTheTimeNamespaceThatItIsIn) {
  const lfb_window_moment here = lfb_window_moment_now();
  const auto another = [&] {
    return memcmp(lfb_window_moment_now().boot, here.boot, sizeof here.boot) != 0;
  };
  EXPECT_EQ(InChild(another), 0);
  const int apart = InChild([&] {
    return unshare(CLONE_NEWTIME) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWTIME) != 0
               ? 2
               : InChild(another);
  });
  if (apart == 2) return Skip("no time namespaces here");
  EXPECT_EQ(apart, 1);
}

}  // namespace
