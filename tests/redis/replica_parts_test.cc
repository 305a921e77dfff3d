// replica_parts_test.cc - the parts of a replica: the queue of puts, and the histogram.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "redis/replica/lags.h"
#include "redis/replica/outbox.h"
#include "tests/support/race.h"

namespace {

// ---- lags ------------------------------------------------------------------------

TEST(Lags, APercentileIsAtMostAnEighthTooHigh) {
  for (uint64_t value : {0ull, 1ull, 7ull, 8ull, 9ull, 100ull, 12345ull, 1ull << 40, ~0ull}) {
    lfb_lags lags{};
    lfb_lags_add(&lags, value, 3);
    lfb_lags_add(&lags, ~0ull, 1);  // so that the percentile is not capped at the largest lag
    EXPECT_GE(lfb_lags_percentile(&lags, 50), value);
    EXPECT_LE(lfb_lags_percentile(&lags, 50), value < ~0ull - value / 8 ? value + value / 8 : ~0ull);
  }
}

TEST(Lags, PercentilesOfMany) {
  lfb_lags lags{};
  EXPECT_EQ(lfb_lags_percentile(&lags, 99), 0u);
  EXPECT_EQ(lfb_lags_most(&lags), 0u);
  for (uint64_t i = 1; i <= 10'000; i++) lfb_lags_add(&lags, i, 1);
  for (unsigned percent : {1u, 10u, 50u, 90u, 99u}) {
    EXPECT_GE(lfb_lags_percentile(&lags, percent), percent * 100);
    EXPECT_LE(lfb_lags_percentile(&lags, percent), percent * 100 * 9 / 8);
  }
  EXPECT_EQ(lfb_lags_percentile(&lags, 100), 10'000u);
  EXPECT_EQ(lfb_lags_most(&lags), 10'000u);
}

// ---- the outbox --------------------------------------------------------------------

class Outbox {
 public:
  explicit Outbox(uint64_t count) { EXPECT_EQ(lfb_outbox_init(&outbox_, count), LFB_OK); }
  ~Outbox() { lfb_outbox_free(&outbox_); }
  lfb_outbox* get() { return &outbox_; }

 private:
  lfb_outbox outbox_{};
};

TEST(OutboxTest, HoldsWhatItHasRoomForInOrder) {
  Outbox outbox(5);  // rounded up to 8
  lfb_outgoing taken[16];
  for (uint64_t round = 0; round < 5; round++) {
    EXPECT_TRUE(lfb_outbox_is_empty(outbox.get()));
    for (uint64_t i = 0; i < 8; i++) EXPECT_TRUE(lfb_outbox_put(outbox.get(), {i, ~i}, round));
    EXPECT_FALSE(lfb_outbox_put(outbox.get(), {8, 8}, round));
    EXPECT_EQ(lfb_outbox_mark(outbox.get()), 8 * round + 8);
    EXPECT_EQ(lfb_outbox_take(outbox.get(), taken, 3), 3u);
    EXPECT_EQ(lfb_outbox_take(outbox.get(), taken + 3, 13), 5u);
    for (uint64_t i = 0; i < 8; i++) {
      EXPECT_EQ(taken[i].hash.low, i);
      EXPECT_EQ(taken[i].hash.high, ~i);
      EXPECT_EQ(taken[i].since, round);
    }
    EXPECT_EQ(lfb_outbox_take(outbox.get(), taken, 16), 0u);
  }
}

// Four threads put into one ring. Each accepted put is taken once, in its thread's order; no
// refused put is taken. Seen to fail, 4 times in 5, with the place taken by a store instead of
// an exchange (outbox_win).
TEST(OutboxTest, EachPutIsTakenOnceAndInOrder) {
  constexpr unsigned kThreads = 4;
  constexpr uint64_t kPuts = kUnderTsan ? 20'000 : 300'000;
  Outbox outbox(1 << 14);
  std::atomic<unsigned> putting{kThreads};
  std::vector<uint64_t> next(kThreads, 0);
  RunTogether(kThreads + 1, [&](unsigned t) {
    if (t < kThreads) {
      for (uint64_t i = 0; i < kPuts;)
        if (lfb_outbox_put(outbox.get(), {t, i}, i))
          i++;
        else
          std::this_thread::yield();
      putting--;
      return;
    }
    lfb_outgoing taken[32];
    for (bool last = false; !last;) {
      last = putting == 0;
      for (size_t count; (count = lfb_outbox_take(outbox.get(), taken, 32)) > 0;)
        for (size_t i = 0; i < count; i++) {
          ASSERT_LT(taken[i].hash.low, kThreads);
          ASSERT_EQ(taken[i].hash.high, next[taken[i].hash.low]);
          next[taken[i].hash.low]++;
        }
    }
  });
  for (uint64_t count : next) EXPECT_EQ(count, kPuts);
  EXPECT_TRUE(lfb_outbox_is_empty(outbox.get()));
}

}  // namespace
