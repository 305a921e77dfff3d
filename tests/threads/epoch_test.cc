// Safe reclamation: a retired object is reclaimed after its last reader, and not before.
#include "atomic/threads/epoch.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/support/race.h"
#include "tests/support/skip.h"

namespace {

constexpr unsigned kReaders = 4;
constexpr size_t kObjects = kUnderTsan ? 3000 : 10000;

// An object that is published and retired.  Its memory is not freed, so that a reader that has it
// too long can detect that.
struct Object {
  lfb_epoch_entry entry{};
  bool alive = true;  // not atomic: ThreadSanitizer must see a read during its reclamation
};

void Reclaim(lfb_epoch_entry* entry) { reinterpret_cast<Object*>(entry)->alive = false; }

struct Epoch {
  Epoch() { EXPECT_EQ(lfb_epoch_init(&it), LFB_OK); }
  ~Epoch() { lfb_epoch_free(&it); }
  void Retire(Object* object) { lfb_epoch_retire(&it, &object->entry, Reclaim); }
  lfb_epoch it{};
};

// Gives the calling thread the state of a thread that got no slot.
void BecomeStray(unsigned number) {
  lfb_slot_plus_one = LFB_SLOT_COUNT + 1 + number;
  lfb_slot_own_plus_one = 0;
}

// A thread that is in a section from its creation until Leave().
class Inside {
 public:
  explicit Inside(Epoch* epoch, unsigned depth = 1, bool stray = false)
      : thread_([this, epoch, depth, stray] {
          if (stray) BecomeStray(0);
          for (unsigned i = 0; i < depth; i++) lfb_epoch_enter(&epoch->it);
          for (unsigned left = 0; left < depth; left++) {
            at_ = left + 1;
            while (told_ == left) std::this_thread::yield();
            lfb_epoch_leave(&epoch->it);
          }
          at_ = depth + 1;
        }) {
    Await(1);
  }
  ~Inside() { thread_.join(); }
  // Leaves the innermost section.
  void Leave() { Await(++told_ + 1); }

 private:
  void Await(unsigned at) const {
    while (at_ < at) std::this_thread::yield();
  }
  std::atomic<unsigned> at_{0}, told_{0};
  std::thread thread_;
};

TEST(Epoch, WithoutReadersAllGoesAtOnce) {
  Epoch epoch;
  Object objects[10];
  for (Object& object : objects) epoch.Retire(&object);
  EXPECT_EQ(lfb_epoch_poll(&epoch.it), 0u);
  for (const Object& object : objects) EXPECT_FALSE(object.alive);
}

TEST(Epoch, FreeReclaimsWhatIsLeft) {
  Object object;
  {
    Epoch epoch;
    epoch.Retire(&object);
  }
  EXPECT_FALSE(object.alive);
}

// A process that has denied itself the writer's barrier.  Seen to hang.
TEST(Epoch, FreeReclaimsWhatIsLeftWithoutABarrier) {
  Object object;
  bool refused = false;
  // In a thread of its own: a thread denies a call only to itself and threads that it creates.
  std::thread([&] {
    Epoch epoch;
    refused = Refuse(SYS_membarrier, EPERM);
    epoch.Retire(&object);
    if (refused && lfb_epoch_poll(&epoch.it) > 0) { EXPECT_TRUE(object.alive); }
  }).join();
  if (!refused) return Skip("no seccomp here");
  EXPECT_FALSE(object.alive);
}

// A thread that has ended in a section.  Seen to hang.
TEST(Epoch, FreeReclaimsAllThatIsLeftAfterAnyDeath) {
  Object objects[2];
  {
    Epoch epoch;
    epoch.Retire(&objects[0]);
    std::thread([&] { lfb_epoch_enter(&epoch.it); }).join();
    epoch.Retire(&objects[1]);
    EXPECT_GT(lfb_epoch_poll(&epoch.it), 0u);
  }
  EXPECT_FALSE(objects[0].alive || objects[1].alive);
}

// It stays regardless of the number of polls, and of threads that enter and leave.
TEST(Epoch, WhatAReaderMayHaveStays) {
  for (const bool stray : {false, true}) {
    Epoch epoch;
    Object object, later;
    Inside reader(&epoch, 1, stray);
    epoch.Retire(&object);
    for (int i = 0; i < 100; i++) {
      lfb_epoch_enter(&epoch.it);
      lfb_epoch_leave(&epoch.it);
      EXPECT_EQ(lfb_epoch_poll(&epoch.it), 1u);
    }
    epoch.Retire(&later);
    EXPECT_EQ(lfb_epoch_poll(&epoch.it), 2u);
    EXPECT_TRUE(object.alive);
    reader.Leave();
    EXPECT_EQ(lfb_epoch_poll(&epoch.it), 0u);
    EXPECT_FALSE(object.alive);
    EXPECT_FALSE(later.alive);
  }
}

TEST(Epoch, AReaderThatCameLaterHoldsNothingBack) {
  Epoch epoch;
  Object object;
  Inside early(&epoch);
  epoch.Retire(&object);
  EXPECT_EQ(lfb_epoch_poll(&epoch.it), 1u);
  Inside late(&epoch);
  early.Leave();
  EXPECT_EQ(lfb_epoch_poll(&epoch.it), 0u);
  EXPECT_FALSE(object.alive);
  late.Leave();
}

TEST(Epoch, TheOutermostSectionCounts) {
  for (const bool stray : {false, true}) {
    Epoch epoch;
    Object object;
    Inside reader(&epoch, 3, stray);
    epoch.Retire(&object);
    reader.Leave();
    reader.Leave();
    EXPECT_EQ(lfb_epoch_poll(&epoch.it), 1u);
    reader.Leave();
    EXPECT_EQ(lfb_epoch_poll(&epoch.it), 0u);
  }
}

// A place that counts as many sections as it can stays entered, and nothing is reclaimed from then
// on.
TEST(Epoch, APlaceThatIsFullStaysEntered) {
  Epoch epoch;
  Object object;
  lfb_epoch_enter(&epoch.it);
  lfb_epoch_place* const place = &epoch.it.places[lfb_slot_own_plus_one];
  atomic_fetch_add(&place->since, LFB_EPOCH_TURN - 2);
  lfb_epoch_enter(&epoch.it);
  EXPECT_TRUE(lfb_epoch_full(place->since));
  const uint64_t full = place->since;
  for (int i = 0; i < 3; i++) lfb_epoch_enter(&epoch.it);
  EXPECT_EQ(place->since, full);
  epoch.Retire(&object);
  for (int i = 0; i < 3; i++) lfb_epoch_leave(&epoch.it);
  EXPECT_EQ(place->since, full);
  EXPECT_EQ(lfb_epoch_poll(&epoch.it), 1u);
  EXPECT_TRUE(object.alive);
}

TEST(Epoch, KnowsWhichThreadsAreInside) {
  std::thread([] {
    Epoch epoch;
    for (const bool stray : {false, true}) {
      if (stray) BecomeStray(0);
      EXPECT_FALSE(lfb_epoch_inside(&epoch.it));
      lfb_epoch_enter(&epoch.it);
      EXPECT_TRUE(lfb_epoch_inside(&epoch.it));
      lfb_epoch_leave(&epoch.it);
      EXPECT_FALSE(lfb_epoch_inside(&epoch.it));
    }
  }).join();
}

// An epoch to which nothing is retired counts, and knows the number at which the slowest section
// began.
TEST(Epoch, CountsForItsUsers) {
  Epoch epoch;
  const uint64_t none = UINT64_MAX / LFB_EPOCH_TURN;
  EXPECT_EQ(lfb_epoch_now(&epoch.it), 1u);
  EXPECT_FALSE(lfb_epoch_next(&epoch.it, 0));
  EXPECT_FALSE(lfb_epoch_next(&epoch.it, 2));
  EXPECT_EQ(lfb_epoch_oldest(&epoch.it), none);
  EXPECT_TRUE(lfb_epoch_next(&epoch.it, 1));
  EXPECT_EQ(lfb_epoch_now(&epoch.it), 2u);
  for (const bool stray : {false, true}) {
    const uint64_t began = lfb_epoch_now(&epoch.it);
    Inside slowest(&epoch, 3, stray);
    EXPECT_TRUE(lfb_epoch_next(&epoch.it, began));
    Inside later(&epoch);
    EXPECT_EQ(lfb_epoch_oldest(&epoch.it), began);
    for (int depth = 0; depth < 3; depth++) {
      EXPECT_EQ(lfb_epoch_oldest(&epoch.it), began) << depth;
      slowest.Leave();
    }
    EXPECT_EQ(lfb_epoch_oldest(&epoch.it), began + 1);
    later.Leave();
    EXPECT_EQ(lfb_epoch_oldest(&epoch.it), none);
  }
}

// Of all threads that begin the same number, one does.
TEST(EpochRace, EachNumberBeginsOnce) {
  constexpr uint64_t kNumbers = kUnderTsan ? 20000 : 200000;
  Epoch epoch;
  std::atomic<uint64_t> begun{0};
  RunTogether(kReaders, [&](unsigned) {
    for (uint64_t now; (now = lfb_epoch_now(&epoch.it)) < kNumbers;)
      begun += lfb_epoch_next(&epoch.it, now);
  });
  EXPECT_EQ(lfb_epoch_now(&epoch.it), kNumbers);
  EXPECT_EQ(begun, kNumbers - 1);
}

// More threads without a slot than places for them: all of them enter, in turn.
TEST(Epoch, StraysShareTheirPlaces) {
  constexpr unsigned kStrays = LFB_EPOCH_STRAYS + 16;
  Epoch epoch;
  std::atomic<unsigned> inside{0}, most{0};
  RunTogether(kStrays, [&](unsigned t) {
    BecomeStray(t);
    for (int i = 0; i < 50; i++) {
      lfb_epoch_enter(&epoch.it);
      const unsigned now = ++inside;
      for (unsigned seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
      }
      std::this_thread::yield();
      inside--;
      lfb_epoch_leave(&epoch.it);
    }
  });
  EXPECT_LE(most.load(), static_cast<unsigned>(LFB_EPOCH_STRAYS));
  for (unsigned i = 0; i < 1 + LFB_SLOT_COUNT + LFB_EPOCH_STRAYS; i++)
    EXPECT_EQ(epoch.it.places[i].owner.load(), 0u);
}

// What a reader loads in a section is not reclaimed before the section ends.  Seen to fail
// 20 times in 20 with everything reclaimed as soon as it is retired.  ThreadSanitizer reports
// that as a race, and also a section with too weak a memory order.
void ReadWhileRetiring(bool by_writer) {
  Epoch epoch;
  if (!by_writer) epoch.it.by_writer = false;  // as on an old kernel
  std::vector<Object> objects(kObjects);
  std::atomic<Object*> published{&objects[0]};
  std::atomic<bool> done{false};
  std::atomic<uint64_t> dead{0}, sections{0};
  RunTogether(kReaders + 1, [&](unsigned t) {
    if (t == 0) {
      for (size_t i = 1; i < kObjects; i++) {
        published.store(&objects[i], std::memory_order_release);
        epoch.Retire(&objects[i - 1]);
        lfb_epoch_poll(&epoch.it);
        // Lets readers make progress, even on a busy host.
        const uint64_t seen = sections;
        while (i % 16 == 0 && sections == seen) std::this_thread::yield();
      }
      done = true;
      return;
    }
    if (t == kReaders) BecomeStray(t);
    uint64_t mine = 0, found = 0;
    for (; !done; mine++) {
      lfb_epoch_enter(&epoch.it);
      const Object* object = published.load(std::memory_order_acquire);
      if (mine % 8 == 0) std::this_thread::yield();
      found += !object->alive;
      lfb_epoch_leave(&epoch.it);
      if (mine % 8 == 0) sections += 8;
    }
    dead += found;
  });
  EXPECT_EQ(dead, 0u) << "of " << sections << " sections";
  EXPECT_GT(sections, 100u);
  EXPECT_EQ(lfb_epoch_poll(&epoch.it), 0u);
  for (size_t i = 0; i + 1 < kObjects; i++) ASSERT_FALSE(objects[i].alive) << i;
}

TEST(EpochRace, NothingIsReclaimedUnderAReader) {
  for (const bool by_writer : {true, false}) ReadWhileRetiring(by_writer);
}

// The writer does not overlook a reader with a store that has not left its processor yet.  Earlier
// stores, to lines that no cache has, delay that store.  The reader determines the length of the
// test, so that it does not end before both threads run at once.  Seen to fail 11 times in 12, on a
// loaded host, with polls without a barrier.  (Two threads that take turns on one processor could
// not show the bug.)
TEST(EpochRace, AReaderThatIsNotSeenYetIsWaitedFor) {
  constexpr unsigned kSections = kUnderTsan ? 1000 : 100000, kObjectsInTurn = 1 << 16;
  constexpr uint64_t kWords = uint64_t{1} << 23, kStores = 48;
  Epoch epoch;
  std::vector<uint64_t> words(kWords);  // used only by the reader
  std::vector<Object> objects(kObjectsInTurn);
  std::atomic<Object*> published{&objects[0]};
  std::atomic<bool> done{false};
  uint64_t dead = 0;
  RunTogether(2, [&](unsigned t) {
    for (size_t i = 1; t == 0 && !done; i++) {
      Object* next = &objects[i % kObjectsInTurn];
      next->alive = true;
      epoch.Retire(published.exchange(next, std::memory_order_acq_rel));
      while (lfb_epoch_poll(&epoch.it) > 0) std::this_thread::yield();
    }
    for (uint64_t i = 0; t == 1 && i < kSections; i++) {
      // Enters each time at another moment of the writer's round.
      for (volatile uint64_t pause = i % 1024; pause > 0;) pause = pause - 1;
      volatile uint64_t* to[kStores];
      for (uint64_t k = 0; k < kStores; k++)
        to[k] = &words[(kStores * i + k) * 0x9e3779b97f4a7c15 % kWords];
      for (volatile uint64_t* word : to) *word = i;
      lfb_epoch_enter(&epoch.it);
      const Object* object = published.load(std::memory_order_acquire);
      for (int look = 0; look < 1000; look++) {
        std::atomic_signal_fence(std::memory_order_seq_cst);
        dead += !object->alive;
      }
      lfb_epoch_leave(&epoch.it);
    }
    done = true;
  });
  EXPECT_EQ(dead, 0u);
}

// No thread that was in a section when a wait began is still in it when the wait ends.  Seen to
// fail 20 times in 20 with the wait ending at once.
TEST(EpochRace, AWaitOutlastsEverySection) {
  constexpr unsigned kRounds = kUnderTsan ? 100 : 400;
  Epoch epoch;
  std::atomic<unsigned> round{0};
  std::atomic<uint64_t> outlived{0};
  RunTogether(kReaders, [&](unsigned t) {
    if (t == 0) {
      for (unsigned i = 1; i <= kRounds; i++) {
        round = 2 * i - 1;  // sections that see this began before the wait, or see its end
        lfb_epoch_wait(&epoch.it, [](void*) { std::this_thread::yield(); }, nullptr);
        round = 2 * i;
      }
      return;
    }
    for (unsigned seen = 0; seen < 2 * kRounds;) {
      lfb_epoch_enter(&epoch.it);
      const unsigned before = round;
      std::this_thread::yield();
      // A whole wait fits between two even numbers: entered in one, left two later.
      seen = round;
      outlived += seen > before + 2;
      lfb_epoch_leave(&epoch.it);
    }
  });
  EXPECT_EQ(outlived, 0u);
}

}  // namespace
