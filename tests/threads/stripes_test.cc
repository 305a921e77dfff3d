// The striped counter, and the thread slots that it uses.
#include "atomic/threads/stripes.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/time.h>

#include <csignal>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "atomic/threads/slots.h"
#include "tests/support/race.h"

namespace {

constexpr int kSlotRounds = kUnderTsan ? 100 : 1500;
constexpr uint64_t kSharedAdds = kUnderTsan ? 100000 : 10000000;

struct Stripes {
  explicit Stripes(uint32_t owned) { EXPECT_EQ(lfb_stripes_init_owned(&it, owned), LFB_OK); }
  ~Stripes() { lfb_stripes_free(&it); }
  lfb_stripes it{};
};

TEST(Slots, AThreadKeepsItsSlot) {
  const uint32_t mine = lfb_slot();
  EXPECT_LT(mine, static_cast<uint32_t>(LFB_SLOT_COUNT));
  EXPECT_EQ(lfb_slot(), mine);
}

// Takes a slot on each of `threads` threads, none of which ends before all have one.  Returns the
// owned slots, which must all be different.  `shared` receives the numbers of the other threads.
std::multiset<uint32_t> SlotsOfLivingThreads(unsigned threads,
                                             std::multiset<uint32_t>* shared = nullptr) {
  std::mutex mutex;
  std::multiset<uint32_t> owned;
  std::atomic<unsigned> here{0};
  RunTogether(threads, [&](unsigned) {
    const uint32_t slot = lfb_slot();
    const bool own = slot < LFB_SLOT_COUNT;
    EXPECT_EQ(lfb_slot_own_plus_one, own ? slot + 1 : 0);
    if (own || shared != nullptr) {
      std::lock_guard<std::mutex> lock(mutex);
      (own ? owned : *shared).insert(own ? slot : slot - LFB_SLOT_COUNT);
    }
    for (here++; here < threads;) std::this_thread::yield();
  });
  return owned;
}

// The slots of 8 new threads: the 8 lowest free ones.  If the result is the same before and after
// other threads ran, at most 8 at a time, these have given back their slots.
std::multiset<uint32_t> LowestFree() { return SlotsOfLivingThreads(8); }

// A thread gives its slot back when it ends: of far more threads than slots, a few at a time, each
// gets a slot.
TEST(Slots, AreGivenBackByShortLivedThreads) {
  const auto before = LowestFree();
  std::atomic<uint32_t> without{0};
  for (int round = 0; round < 1000; round++)
    RunTogether(4, [&](unsigned) { without += lfb_slot() >= LFB_SLOT_COUNT; });
  EXPECT_EQ(without, 0u);
  EXPECT_EQ(LowestFree(), before);
}

// With more threads than slots, every slot gets an owner, and the other threads own none.  (The
// shared numbers repeat after 65,536 threads without a slot, more than there were so far.)
TEST(Slots, ThreadsBeyondTheLastSlotShare) {
  ASSERT_LT(lfb_slot(), static_cast<uint32_t>(LFB_SLOT_COUNT));  // the other threads lack this one
  std::multiset<uint32_t> shared;
  const auto owned = SlotsOfLivingThreads(LFB_SLOT_COUNT + 44, &shared);
  EXPECT_EQ(owned.size(), LFB_SLOT_COUNT - 1u);
  EXPECT_EQ(shared.size(), 44u + 1);
  // Their numbers differ, so that they spread over the shared stripes and descriptors.
  EXPECT_EQ(std::set<uint32_t>(shared.begin(), shared.end()).size(), shared.size());
  EXPECT_EQ(std::set<uint32_t>(owned.begin(), owned.end()).size(), owned.size());
  EXPECT_EQ(SlotsOfLivingThreads(LFB_SLOT_COUNT - 1), owned);
}

// Threads that exist at the same time have different slots.  Seen to fail 50 times in 50 with the
// CAS torn.
TEST(SlotsRace, NoTwoLivingThreadsHaveOneSlot) {
  const auto before = LowestFree();
  unsigned shared = 0;
  for (int round = 0; round < kSlotRounds; round++) {
    const auto owned = SlotsOfLivingThreads(8);
    EXPECT_EQ(owned.size(), 8u);
    shared += std::set<uint32_t>(owned.begin(), owned.end()).size() != owned.size();
  }
  EXPECT_EQ(shared, 0u);
  EXPECT_EQ(LowestFree(), before);
}

pthread_key_t late_key;
Stripes* late_stripes;

// A destructor that counts when the thread's slot may have been given back already.  It requests
// further rounds, as long as the system allows them.
void CountLate(void* rounds) {
  lfb_stripes_add(&late_stripes->it, 1);
  const uintptr_t left = reinterpret_cast<uintptr_t>(rounds) - 1;
  if (left > 0) pthread_setspecific(late_key, reinterpret_cast<void*>(left));
}

TEST(Slots, DestructorsThatCountTakeNoSlotWithThem) {
  Stripes stripes(8);
  late_stripes = &stripes;
  ASSERT_EQ(pthread_key_create(&late_key, CountLate), 0);
  const auto before = LowestFree();
  for (int i = 0; i < 600; i++)
    std::thread([&] {
      lfb_stripes_add(&stripes.it, 1);
      pthread_setspecific(late_key, reinterpret_cast<void*>(3));
    }).join();
  EXPECT_EQ(LowestFree(), before);
  EXPECT_EQ(lfb_stripes_sum(&stripes.it), 600u * 4);
  pthread_key_delete(late_key);
}

TEST(Stripes, StartsAtZeroAndAddsUp) {
  Stripes stripes(64);
  EXPECT_EQ(lfb_stripes_sum(&stripes.it), 0u);
  lfb_stripes_add(&stripes.it, 5);
  lfb_stripes_add(&stripes.it, uint64_t{1} << 40);
  EXPECT_EQ(lfb_stripes_sum(&stripes.it), (uint64_t{1} << 40) + 5);
}

TEST(Stripes, TheDefaultHasAStripeForEachProcessor) {
  lfb_stripes stripes{};
  ASSERT_EQ(lfb_stripes_init(&stripes), LFB_OK);
  EXPECT_GE(stripes.owned, 64u);
  EXPECT_LE(stripes.owned, static_cast<uint32_t>(LFB_SLOT_COUNT));
  lfb_stripes_free(&stripes);
}

// Thousands of short-lived threads add to stripes that other threads owned before: nothing is lost
// when a stripe changes its owner.
TEST(Stripes, NothingIsLostBetweenShortLivedThreads) {
  Stripes stripes(64);
  for (int round = 0; round < 700; round++)
    RunTogether(6, [&](unsigned t) {
      for (unsigned i = 0; i <= t; i++) lfb_stripes_add(&stripes.it, 1);
    });
  EXPECT_EQ(lfb_stripes_sum(&stripes.it), 700u * (1 + 2 + 3 + 4 + 5 + 6));
}

// Threads that share one stripe lose no addition.
// Seen to fail 50 times in 50 with the shared addition torn.
TEST(StripesRace, SharedStripesLoseNothing) {
  constexpr unsigned kThreads = 4;
  lfb_stripe line{};
  const lfb_stripes stripes = {&line, 0, 1};
  RunTogether(kThreads, [&](unsigned) {
    for (uint64_t i = 0; i < kSharedAdds; i++) lfb_stripes_add(&stripes, 1);
  });
  EXPECT_EQ(lfb_stripes_sum(&stripes), kThreads * kSharedAdds);
}

// An addition returns what the stripe held before.  So of many additions to one stripe, owned or
// shared, each returns another value.
TEST(StripesRace, AdditionsToOneStripeAreDistinguished) {
  constexpr unsigned kThreads = 3;
  constexpr uint64_t kAdds = 20000;
  lfb_stripe line{};
  const lfb_stripes shared = {&line, 0, 1};
  Stripes owned(64);
  std::vector<std::vector<uint64_t>> told(kThreads);
  RunTogether(kThreads, [&](unsigned t) {
    for (uint64_t i = 0; i < kAdds; i++) told[t].push_back(lfb_stripes_fetch_add(&shared, 2));
    for (uint64_t i = 0; i < kAdds; i++)
      ASSERT_EQ(lfb_stripes_fetch_add(&owned.it, 3) % 3, 0u);
  });
  std::set<uint64_t> all;
  for (const auto& some : told) all.insert(some.begin(), some.end());
  EXPECT_EQ(all.size(), kThreads * kAdds);
  EXPECT_EQ(*all.rbegin(), 2 * (kThreads * kAdds - 1));
  EXPECT_EQ(lfb_stripes_sum(&owned.it), kThreads * kAdds * 3);
}

// A counter over memory that it does not own, like that of a file.
TEST(Stripes, OverMemoryThatLiesElsewhereAreShared) {
  alignas(LFB_CACHE_LINE) static lfb_stripe lines[LFB_STRIPES_IN_FILE];
  const lfb_stripes stripes = lfb_stripes_over(lines);
  RunTogether(3, [&](unsigned) {
    for (int i = 0; i < 1000; i++) lfb_stripes_add(&stripes, 7);
  });
  EXPECT_EQ(lfb_stripes_sum(&stripes), 3u * 1000 * 7);
  uint64_t in_lines = 0;
  for (const lfb_stripe& line : lines) in_lines += atomic_load(&line.count);
  EXPECT_EQ(in_lines, 3u * 1000 * 7);
}

// A signal handler adds to the stripe of the addition that it interrupts.  Seen to lose some of
// 3 million additions with a load and a store instead of the one instruction.
Stripes* signalled_stripes;
volatile std::sig_atomic_t signals_seen;

void CountInHandler(int) {
  lfb_stripes_add(&signalled_stripes->it, 1);
  signals_seen = signals_seen + 1;
}

TEST(StripesSignals, AHandlerLosesNothing) {
  constexpr uint64_t kAdds = kUnderTsan ? 3000000 : 100000000;
  Stripes stripes(64);
  signalled_stripes = &stripes;
  lfb_stripes_add(&stripes.it, 0);  // so that the handler does not make the thread's first call
  struct sigaction action {}, before{};
  action.sa_handler = CountInHandler;
  ASSERT_EQ(sigaction(SIGALRM, &action, &before), 0);
  const itimerval often = {{0, 20}, {0, 20}}, never = {};
  ASSERT_EQ(setitimer(ITIMER_REAL, &often, nullptr), 0);
  for (uint64_t i = 0; i < kAdds; i++) lfb_stripes_add(&stripes.it, 1);
  ASSERT_EQ(setitimer(ITIMER_REAL, &never, nullptr), 0);
  sigaction(SIGALRM, &before, nullptr);
  EXPECT_GT(signals_seen, 100);
  EXPECT_EQ(lfb_stripes_sum(&stripes.it), kAdds + static_cast<uint64_t>(signals_seen));
}

// Owned and shared stripes together, summed during the additions.  The sum only rises, and never
// above the number announced before the additions.
TEST(StripesRace, TheSumRisesToTheTruthAndNoFurther) {
  constexpr unsigned kThreads = 6;
  constexpr uint64_t kAdds = 50000;
  Stripes stripes(3);
  std::atomic<uint64_t> announced{0};
  std::atomic<unsigned> adding{kThreads - 1};
  uint64_t falls = 0, excesses = 0;
  RunTogether(kThreads, [&](unsigned t) {
    if (t > 0) {
      for (uint64_t i = 0; i < kAdds; i++) {
        announced.fetch_add(3, std::memory_order_relaxed);
        lfb_stripes_add(&stripes.it, 3);
      }
      adding--;
      return;
    }
    for (uint64_t before = 0; adding > 0;) {
      const uint64_t sum = lfb_stripes_sum(&stripes.it);
      falls += sum < before;
      // The release in the addition and the acquire in the sum make the relaxed announcement
      // visible, also on processors with a weak memory order.
      excesses += sum > announced.load(std::memory_order_relaxed);
      before = sum;
    }
  });
  EXPECT_EQ(falls, 0u);
  EXPECT_EQ(excesses, 0u);
  EXPECT_EQ(lfb_stripes_sum(&stripes.it), (kThreads - 1) * kAdds * 3);
}

// A thread that sees a count also sees what was done before the addition, whether the stripe is
// owned or shared.  ThreadSanitizer reports a race here with either order relaxed.
TEST(StripesRace, WhatWasDoneBeforeAnAdditionIsSeenWithIt) {
  for (const uint32_t owned : {64u, 0u}) {
    Stripes stripes(owned);
    int done = 0;
    RunTogether(2, [&](unsigned t) {
      if (t == 0) {
        done = 1;
        lfb_stripes_add(&stripes.it, 1);
        return;
      }
      while (lfb_stripes_sum(&stripes.it) == 0) std::this_thread::yield();
      EXPECT_EQ(done, 1);
    });
  }
}

}  // namespace
