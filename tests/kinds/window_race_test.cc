// The window filter's promises while threads stop at every place where that can do harm.
//
// The filter is compiled with a hook at those places (window_hazards.h).  The hook stops a thread
// for a random number of generations, so that no clock is needed: what is checked depends on
// generations alone. //tests/shared:window_kill_test does the same to processes.
#include "tests/kinds/window_hazards.h"

#include <sched.h>

#include <utility>

#include "tests/support/race.h"
#include "tests/support/windows.h"

namespace {

constexpr uint64_t kOld = 3, kLive = kOld + 1;  // G and C
constexpr uint64_t kGenerations = kUnderTsan ? 200 : 1000;

std::atomic<lfb_window*> tested{nullptr};
std::atomic<uint64_t> called{0};  // the newest generation from which an advance was called
std::atomic<uint64_t> checked{0};  // how often a test has checked its promise
std::atomic<bool> over{false};
thread_local uint64_t dice = 1, moment = 0;  // `moment`: the generation at the last hazard
std::atomic<uint64_t> naps{0};  // how often of 1024 times a hazard stops a thread for generations

uint64_t Roll() { return dice = Mix(dice, 1); }

uint64_t Now() { return lfb_window_generation(tested); }

// Lets other threads run until `count` generations have begun.
void Sleep(uint64_t count) {
  const uint64_t until = Now() + count;
  for (int i = 0; i < 2000 && Now() < until && !over; i++) sched_yield();
}

// The calling thread stops at its next hazard, until `released`.
thread_local bool stop_next = false;
std::atomic<bool> stopped{false}, released{false};

extern "C" void window_hazard() {
  if (std::exchange(stop_next, false))
    for (stopped = true; !released;) sched_yield();
  const uint64_t chance = Roll() % 1024;
  if (chance < 96)
    sched_yield();
  else if (chance < 96 + naps)
    Sleep(1 + Roll() % (2 * kLive));
  moment = Now();
}

// The calling thread stops at its hazard number `stop_at` of claims.
thread_local int stop_at = 0;

extern "C" void claim_hazard() {
  stop_next = stop_at > 0 && --stop_at == 0;
  window_hazard();
}

void Begin(const Window& window, uint64_t often = 20) {
  tested = window.get();
  naps = often;
  over = false;
  called = 0;
  checked = 0;
  stopped = released = false;
}

// Ends the current generation, if no other thread does.
void Advance() {
  const uint64_t now = Now();
  uint64_t before = called;
  while (before < now && !called.compare_exchange_weak(before, now)) continue;
  (void)!lfb_window_advance(tested, now);
}

// Whether a test goes on: until there were so many generations, and so many checks.
bool GoesOn() { return Now() < kGenerations || checked <= 100; }

// Begins generations.  After each it lets the others run.
void AdvanceAtRandom() {
  while (GoesOn()) {
    Advance();
    for (uint64_t left = Roll() % 8; left > 0; left--) sched_yield();
  }
  over = true;
}

void PutMany(uint64_t key) { any::put_many(tested.load(), &key, 1, nullptr); }
void PutOne(uint64_t key) { lfb_window_put_u64(tested, key); }
bool HasOne(uint64_t key) { return lfb_window_might_contain_u64(tested, key); }
// A batch that a vector may hold.
bool HasMany(uint64_t key) {
  const std::vector<uint64_t> keys(8, key);
  const size_t found = any::might_contain_many(tested.load(), keys.data(), keys.size(), nullptr);
  return found == keys.size();
}
bool Seek(uint64_t key) {
  return lfb_window_seek(&tested.load()->view, lfb_hasher_u64(&tested.load()->hasher, key).low);
}

// Blocks of 2, 4 and 8 words; and, as 0, blocks of 2 words without vectors, which have more places
// where a thread can be stopped.
class WindowRace : public testing::TestWithParam<uint32_t> {
 protected:
  // So much room that no key is a false positive.
  static Window Make() {
    const uint32_t shift = std::max(GetParam(), 1u);
    Window window = MakeWindowOf({4096, 2, shift, 16u >> shift}, WindowConfig(1000, 0.01));
    if (GetParam() == 0) window->kernel = lfb_window_kernels[0];
    return window;
  }
};

INSTANTIATE_TEST_SUITE_P(Words, WindowRace, testing::Values(0u, 1u, 2u, 3u),
                         [](const testing::TestParamInfo<uint32_t>& shift) {
                           return shift.param == 0 ? "plain" : std::to_string(1 << shift.param);
                         });

// A put passes its last hazard, just before its last look at the generation, in generation b.  A
// query finds the key unless an advance from b + G or later has been called.
TEST_P(WindowRace, NoKeyIsLost) {
  constexpr unsigned kPutters = 6, kAdvancers = 2;
  struct Key {
    uint64_t number = 0, moment = 0;
  };
  const Window window = Make();
  std::atomic<uint64_t> lost{0};
  Begin(window);
  RunTogether(kPutters + kAdvancers, [&](unsigned thread) {
    dice = Mix(thread, 2);
    if (thread >= kPutters) return AdvanceAtRandom();
    Key last[8];
    for (uint64_t i = 0; !over; i++) {
      Key* key = &last[i % 8];
      key->number = Mix(i, thread);
      (i % 2 == 0 ? PutOne : PutMany)(key->number);
      key->moment = moment;
      for (const Key& each : last) {
        if (each.number == 0) break;  // not put yet
        const bool found = (i % 2 == 0 ? HasOne : HasMany)(each.number);
        if (called >= each.moment + kOld) continue;
        checked++;
        lost += !found;
      }
      if (Roll() % 4 == 0) sched_yield();
    }
  });
  EXPECT_EQ(lost, 0u) << "of " << checked;
  RecordProperty("asked", static_cast<int>(checked));
}

// A key that is in the oldest layer alone is put again, and then the oldest layer is cleared: it is
// there all the time.
TEST_P(WindowRace, AKeyThatIsRefreshedIsNeverAbsent) {
  constexpr unsigned kQueriers = 3;
  const Window window = Make();
  const uint64_t key = Mix(1, 1);
  std::atomic<uint64_t> absent{0};
  Begin(window);
  PutOne(key);
  RunTogether(1 + kQueriers, [&](unsigned thread) {
    dice = Mix(thread, 4);
    if (thread == 0) {
      while (GoesOn()) {
        for (uint64_t i = 0; i < kOld; i++) Advance();
        sched_yield();
        PutOne(key);
      }
      over = true;
      return;
    }
    const auto ways = {HasOne, HasMany, Seek};
    for (uint64_t i = 0; !over; i++) checked++, absent += !ways.begin()[i % ways.size()](key);
  });
  EXPECT_EQ(absent, 0u) << "of " << checked;
}

// Three threads claim one new key after another, all the same one at a time.  One of them wins, or
// several, each after the window of the one before.
TEST_P(WindowRace, AKeyIsWonOncePerWindow) {
  constexpr unsigned kClaimers = 3, kAdvancers = 2;
  struct Won {
    bool won = false;
    uint64_t began = 0, ended = 0;
  };
  const Window window = Make();
  std::atomic<uint64_t> twice{0}, never{0};
  Won won[2][kClaimers];
  InStep step(kClaimers);
  std::atomic<unsigned> last{UINT32_MAX};  // the round after which all stop
  Begin(window);
  RunTogether(kClaimers + kAdvancers, [&](unsigned thread) {
    dice = Mix(thread, 3);
    if (thread >= kClaimers) return AdvanceAtRandom();
    for (unsigned i = 0; i <= last; i++) {
      Won(&round)[kClaimers] = won[i % 2];
      const uint64_t key = Mix(4, i);
      round[thread].began = Now();
      round[thread].won = i % 2 == 0 ? lfb_window_claim_u64(tested, key)
                                     : any::claim_many(tested.load(), &key, 1, nullptr) != 0;
      round[thread].ended = called;
      if (thread == 0 && over) last = i;
      step.Wait(i + 1);
      if (thread != 0) continue;
      checked++;
      never += !round[0].won && !round[1].won && !round[2].won;
      for (const Won& a : round)
        for (const Won& b : round)
          twice += &a < &b && a.won && b.won && b.ended < a.began + kOld &&
              a.ended < b.began + kOld;
    }
  });
  EXPECT_EQ(twice, 0u) << "of " << checked;
  EXPECT_EQ(never, 0u) << "of " << checked;
  RecordProperty("keys", static_cast<int>(checked));
}

// The keys that belong to claims' cell 0.
std::vector<uint64_t> KeysOfOneCell(const Window& window, size_t count) {
  std::vector<uint64_t> keys;
  for (uint64_t i = 0; keys.size() < count; i++)
    if (lfb_claims_cell(&window->claims,
                        lfb_hasher_u64(&window->hasher, i)) == window->claims.cells)
      keys.push_back(i);
  return keys;
}

// A claim sleeps before its exchange until the cell holds the key again that it held before:
// another claim of its own key has won in between, so it loses.
TEST_P(WindowRace, AClaimThatSleepsDoesNotWinAgain) {
  const Window window = Make();
  const std::vector<uint64_t> keys = KeysOfOneCell(window, 2);
  const uint64_t first = keys[0], second = keys[1];
  Begin(window, 0);
  ASSERT_TRUE(lfb_window_claim_u64(tested, first));
  for (uint64_t i = 0; i < kOld; i++) Advance();
  bool again = false;
  std::thread sleeper([&] {
    stop_at = 2;  // it has read the cell, and looked
    again = lfb_window_claim_u64(tested, second);
  });
  while (!stopped) sched_yield();
  EXPECT_TRUE(lfb_window_claim_u64(tested, second));
  EXPECT_FALSE(lfb_window_claim_u64(tested, first));
  Advance();
  EXPECT_TRUE(lfb_window_claim_u64(tested, first)) << "it is forgotten";
  released = true;
  sleeper.join();
  EXPECT_FALSE(again);
}

// An advance sleeps before it takes the lock, until another has ended its generation: then it ends
// no generation, and clears nothing that was put since.
TEST_P(WindowRace, AnAdvanceThatSleepsEndsNoOtherGeneration) {
  const Window window = Make();
  Begin(window, 0);
  const uint64_t before = Now(), key = Mix(6, 1);
  lfb_status late = LFB_OK;
  std::thread sleeper([&] {
    stop_next = true;
    late = lfb_window_advance(tested, before);
  });
  while (!stopped) sched_yield();
  Advance();
  EXPECT_TRUE(lfb_window_claim_u64(tested, key));
  released = true;
  sleeper.join();
  EXPECT_EQ(late, LFB_ERROR_WRONG_GENERATION);
  EXPECT_EQ(Now(), before + 1);
  EXPECT_FALSE(lfb_window_claim_u64(tested, key)) << "a second winner";
}

// Threads claim a few keys that share a cell, again and again: each wins, is forgotten, and wins
// again.  So the cell holds the same keys again and again.
TEST_P(WindowRace, AFewKeysShareACell) {
  constexpr unsigned kClaimers = 5, kAdvancers = 1, kKeys = 2;
  const Window window = Make();
  const std::vector<uint64_t> keys = KeysOfOneCell(window, kKeys);
  std::atomic<uint64_t> wins[kKeys] = {};  // the generation before the last win of a key, plus 1
  std::atomic<uint64_t> claims{0}, twice{0};
  Begin(window);
  RunTogether(kClaimers + kAdvancers, [&](unsigned thread) {
    dice = Mix(thread, 5);
    if (thread >= kClaimers) return AdvanceAtRandom();
    while (!over) {
      const uint64_t key = Roll() % kKeys;
      uint64_t seen = wins[key];
      const uint64_t began = Now();
      claims++;
      if (!lfb_window_claim_u64(tested, keys[key])) continue;
      checked++;
      // The win that was announced before counts from its generation on; one that is announced
      // meanwhile from the older of the two.
      twice += seen != 0 && called < seen - 1 + kOld;
      while (!wins[key].compare_exchange_strong(seen, began + 1)) {
        twice += called < std::min(seen - 1, began) + kOld;
        if (seen > began + 1) break;
      }
    }
  });
  EXPECT_EQ(twice, 0u) << "of " << checked << " wins and " << claims << " claims";
}

}  // namespace
