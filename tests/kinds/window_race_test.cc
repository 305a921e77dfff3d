// The window filter's promises while threads stop at every place where that can do harm.
//
// The filter is compiled with a hook at those places and with tags of 3 bits (window_hazards.h).  The
// hook stops a thread for a random number of generations, so that no clock is needed: what is checked
// depends on the numbers of generations alone.  Keys are tied to the generation modulo the period of
// the tags: each comes again when its tag does, with the same content.
#include "tests/kinds/window_hazards.h"

#include <sched.h>

#include "tests/support/race.h"
#include "tests/support/windows.h"

namespace {

constexpr uint64_t kLive = 4, kPeriod = kLive << LFB_WINDOW_TAG_BITS;
constexpr uint64_t kGenerations = kUnderTsan ? 300 : 5000;

std::atomic<lfb_window*> tested{nullptr};
std::atomic<uint64_t> refused{0};  // advances, because a thread is inside for too long
std::atomic<bool> over{false};
thread_local uint64_t dice = 1, moment = 0;  // `moment`: the generation at the last hazard

uint64_t Roll() { return dice = Mix(dice, 1); }

uint64_t Now() { return lfb_window_generation(tested); }

// Lets other threads run until `count` generations have begun, or none can begin.
void Sleep(uint64_t count) {
  const uint64_t until = Now() + count, refusals = refused;
  for (int i = 0; i < 2000 && Now() < until && refused < refusals + 8 && !over; i++) sched_yield();
}

// The calling thread stops at its hazard number `stop_at` until `released`.
thread_local int stop_at = 0;
std::atomic<bool> stopped{false}, released{false};

extern "C" void window_hazard() {
  if (stop_at > 0 && --stop_at == 0)
    for (stopped = true; !released;) sched_yield();
  const uint64_t chance = Roll() % 1024;
  if (chance < 64)
    sched_yield();
  else if (chance < 84)
    Sleep(Roll() % kLive);
  else if (chance < 96)
    Sleep(kPeriod - kLive + Roll() % kLive);  // expired content is live again
  moment = Now();
}

Window MakeSmall(uint64_t blocks) {
  return MakeWindowOf({blocks, 2, 2, 4}, WindowConfig(1000, 0.01));
}

// Begins generations until there were so many.  After each it lets the others run.
void AdvanceAtRandom() {
  while (Now() < kGenerations) {
    if (lfb_window_advance(tested, Now()) == LFB_ERROR_WINDOW_HELD) refused++;
    for (uint64_t left = Roll() % 8; left > 0; left--) sched_yield();
  }
  over = true;
}

void PutMany(uint64_t key) { lfb_window_put_many_hash(tested, &key, 1, nullptr); }
void PutOne(uint64_t key) { lfb_window_put_hash(tested, key); }

// A put passes its last hazard, just before its last look at the generation, in generation b.  A query
// finds the key if the generation after the query is below b + C.
TEST(WindowRace, NoKeyIsLost) {
  constexpr unsigned kPutters = 6, kAdvancers = 2;
  struct Key {
    uint64_t hash = 0, moment = 0;
  };
  const Window window = MakeSmall(LFB_WINDOW_SWEEP * kLive);  // a part of the sweep is one block
  std::atomic<uint64_t> asked{0}, lost{0};
  tested = window.get(), over = false;
  RunTogether(kPutters + kAdvancers, [&](unsigned thread) {
    dice = Mix(thread, 2);
    if (thread >= kPutters) return AdvanceAtRandom();
    Key last[8];
    for (uint64_t i = 0; !over; i++) {
      Key* key = &last[i % 8];
      key->hash = Mix(Now() % kPeriod, thread);
      (i % 2 == 0 ? PutOne : PutMany)(key->hash);
      key->moment = moment;
      for (const Key& each : last) {
        const bool found = lfb_window_might_contain_hash(tested, each.hash);
        if (Now() >= each.moment + kLive) continue;
        asked++;
        lost += !found;
      }
      if (Roll() % 4 == 0) sched_yield();
    }
  });
  EXPECT_EQ(lost, 0u) << "of " << asked;
  EXPECT_GT(asked, 100u);
  RecordProperty("asked", static_cast<int>(asked));
}

// A put stops before an exchange that expects the content of an expired generation.  It continues when
// the same content is live again, or advances are refused.  It does not replace live content.
TEST(WindowRace, APutThatSleepsReplacesNoLiveKey) {
  const Window window = MakeSmall(1);
  const uint64_t key = Mix(5, 1), began = kLive;
  tested = window.get(), over = false, stopped = false, released = false;
  PutOne(key);
  Advance(window, kLive);
  std::thread sleeper([] {
    stop_at = 2;  // after it has read the cell, and before the exchange
    PutOne(Mix(5, 2));
  });
  while (!stopped) sched_yield();
  while (Now() < began + kPeriod && lfb_window_advance(tested, Now()) == LFB_OK) continue;
  PutOne(key);
  released = true;
  sleeper.join();
  EXPECT_TRUE(lfb_window_might_contain_hash(tested, key));
  EXPECT_LT(Now(), began + kPeriod) << "advances are refused before";
}

// Three threads claim one new key after another, all the same one at a time.  One of them wins, or
// several, each after the window of the one before.
TEST(WindowRace, AKeyIsWonOncePerWindow) {
  constexpr unsigned kClaimers = 3, kAdvancers = 2;
  struct Won {
    bool won = false;
    uint64_t began = 0, ended = 0;
  };
  const Window window = MakeSmall(4096);  // so much room that no key is a false positive
  std::atomic<uint64_t> keys{0}, twice{0}, never{0};
  Won won[2][kClaimers];
  InStep step(kClaimers);
  std::atomic<unsigned> last{UINT32_MAX};  // the round after which all stop
  tested = window.get(), over = false;
  RunTogether(kClaimers + kAdvancers, [&](unsigned thread) {
    dice = Mix(thread, 3);
    if (thread >= kClaimers) return AdvanceAtRandom();
    for (unsigned i = 0; i <= last; i++) {
      Won(&round)[kClaimers] = won[i % 2];
      round[thread].began = Now();
      round[thread].won = lfb_window_claim_hash(tested, Mix(4, i));
      round[thread].ended = Now();
      if (thread == 0 && over) last = i;
      step.Wait(i + 1);
      if (thread != 0) continue;
      keys++;
      never += !round[0].won && !round[1].won && !round[2].won;
      for (const Won& a : round)
        for (const Won& b : round)
          twice += &a < &b && a.won && b.won && b.ended < a.began + kLive && a.ended < b.began + kLive;
    }
  });
  EXPECT_EQ(twice, 0u) << "of " << keys;
  EXPECT_EQ(never, 0u) << "of " << keys;
  EXPECT_GT(keys, 10u);
  RecordProperty("keys", static_cast<int>(keys));
}

}  // namespace
