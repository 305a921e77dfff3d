// The striped counter and the thread slots that it stands on.
#include "atomic/stripes.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <mutex>
#include <set>

#include "atomic/slots.h"
#include "tests/race.h"

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

// Slots come back at thread exit: far more threads than slots, a few at a time,
// and none of them goes without.
TEST(Slots, AreGivenBackByShortLivedThreads) {
  const uint32_t before = lfb_slots_taken();
  std::atomic<uint32_t> without{0};
  for (int round = 0; round < 1000; round++)
    RunTogether(4, [&](unsigned) { without += lfb_slot() >= LFB_SLOT_COUNT; });
  EXPECT_EQ(without, 0u);
  EXPECT_EQ(lfb_slots_taken(), before);
}

// Takes a slot on each of `threads` threads that all live until all have one:
// the slots with an owner, of which no two may be the same.
std::multiset<uint32_t> SlotsOfLivingThreads(unsigned threads) {
  std::mutex mutex;
  std::multiset<uint32_t> owned;
  std::atomic<unsigned> here{0};
  RunTogether(threads, [&](unsigned) {
    const uint32_t slot = lfb_slot();
    if (slot < LFB_SLOT_COUNT) {
      std::lock_guard<std::mutex> lock(mutex);
      owned.insert(slot);
    }
    for (here++; here < threads;) std::this_thread::yield();
  });
  return owned;
}

// More threads than slots: all slots find an owner, the rest know they have none.
TEST(Slots, ThreadsBeyondTheLastSlotShare) {
  const uint32_t before = lfb_slots_taken();
  const auto owned = SlotsOfLivingThreads(LFB_SLOT_COUNT + 44);
  EXPECT_EQ(owned.size(), LFB_SLOT_COUNT - before);
  EXPECT_EQ(std::set<uint32_t>(owned.begin(), owned.end()).size(), owned.size());
  EXPECT_EQ(lfb_slots_taken(), before);
}

// All threads that are alive together have different slots.  Seen to fail 50
// times in 50 with the CAS torn.
TEST(SlotsRace, NoTwoLivingThreadsHaveOneSlot) {
  const uint32_t before = lfb_slots_taken();
  unsigned shared = 0;
  for (int round = 0; round < kSlotRounds; round++) {
    const auto owned = SlotsOfLivingThreads(8);
    EXPECT_EQ(owned.size(), 8u);
    shared += std::set<uint32_t>(owned.begin(), owned.end()).size() != owned.size();
  }
  EXPECT_EQ(shared, 0u);
  EXPECT_EQ(lfb_slots_taken(), before);
}

pthread_key_t late_key;
Stripes* late_stripes;

// A destructor that counts after the thread's slot may be gone already, and asks
// to run again and again while the system lets it.
void CountLate(void* rounds) {
  lfb_stripes_add(&late_stripes->it, 1);
  const uintptr_t left = reinterpret_cast<uintptr_t>(rounds) - 1;
  if (left > 0) pthread_setspecific(late_key, reinterpret_cast<void*>(left));
}

TEST(Slots, DestructorsThatCountTakeNoSlotWithThem) {
  Stripes stripes(8);
  late_stripes = &stripes;
  ASSERT_EQ(pthread_key_create(&late_key, CountLate), 0);
  const uint32_t before = lfb_slots_taken();
  for (int i = 0; i < 600; i++)
    std::thread([&] {
      lfb_stripes_add(&stripes.it, 1);
      pthread_setspecific(late_key, reinterpret_cast<void*>(3));
    }).join();
  EXPECT_EQ(lfb_slots_taken(), before);
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

// Thousands of threads, each short, each adding to stripes that others had
// before: nothing is lost when a stripe changes its owner.
TEST(Stripes, NothingIsLostBetweenShortLivedThreads) {
  Stripes stripes(64);
  for (int round = 0; round < 700; round++)
    RunTogether(6, [&](unsigned t) {
      for (unsigned i = 0; i <= t; i++) lfb_stripes_add(&stripes.it, 1);
    });
  EXPECT_EQ(lfb_stripes_sum(&stripes.it), 700u * (1 + 2 + 3 + 4 + 5 + 6));
}

// Threads that share one stripe lose nothing either.  Many threads live, but only
// those add whose slots fall on the same shared stripe, so that they meet in it.
// Seen to fail 50 times in 50 with the shared addition torn.
TEST(StripesRace, SharedStripesLoseNothing) {
  constexpr unsigned kThreads = 4 * LFB_STRIPES_SHARED;
  Stripes stripes(0);
  InStep in_step(kThreads);
  std::atomic<uint64_t> adders{0};
  RunTogether(kThreads, [&](unsigned) {
    const bool adds = lfb_slot() % LFB_STRIPES_SHARED == 0;
    adders += adds;
    in_step.Wait(1);
    for (uint64_t i = 0; adds && i < kSharedAdds; i++) lfb_stripes_add(&stripes.it, 1);
  });
  EXPECT_EQ(adders, 4u);
  EXPECT_EQ(lfb_stripes_sum(&stripes.it), adders * kSharedAdds);
}

// Owned and shared stripes together, summed all the while: the sum only rises,
// and never above what has been announced before the additions.
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
      // The release in the addition and the acquire in the sum make the relaxed
      // announcement visible, on machines with weak order too.
      excesses += sum > announced.load(std::memory_order_relaxed);
      before = sum;
    }
  });
  EXPECT_EQ(falls, 0u);
  EXPECT_EQ(excesses, 0u);
  EXPECT_EQ(lfb_stripes_sum(&stripes.it), (kThreads - 1) * kAdds * 3);
}

}  // namespace
