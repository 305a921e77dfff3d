// module_recent_test.cc - the log of a value's newest hashes, without a server.
#include <endian.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

extern "C" {
#include "redis/module/memory.h"
#include "redis/module/value.h"
}
#include "tests/support/calls.h"

// The module's own counts what Redis' allocator gives.
extern "C" uint64_t lfb_memory_tally(void) { return 0; }

namespace {

struct RecentFree {
  void operator()(lfb_recent* recent) const { lfb_recent_free(recent); }
};
using Recent = std::unique_ptr<lfb_recent, RecentFree>;

Recent MakeRecent(uint64_t bytes) {
  lfb_recent* recent = nullptr;
  EXPECT_EQ(lfb_recent_create(bytes, &recent), LFB_OK);
  return Recent(recent);
}

TEST(Recent, RoomFollowsFromTheFilter) {
  const std::pair<uint64_t, uint64_t> rows[] = {
      {64, 1008},
      {1 << 16, 1008},
      {(1 << 17) - 1, 1008},
      {1 << 17, 2032},
      {1 << 20, 16368},
      {(3 << 20), 32752},
      {1 << 27, (1 << 21) - 16},
      {uint64_t{1} << 40, (1 << 21) - 16},
  };
  for (const auto& [bytes, room] : rows) EXPECT_EQ(MakeRecent(bytes)->room, room) << bytes;
}

TEST(Recent, EpochsDiffer) {
  std::vector<uint64_t> epochs;
  for (int i = 0; i < 100; i++) {
    epochs.push_back(MakeRecent(64)->epoch);
    EXPECT_GT(epochs.back(), 0U);
    EXPECT_LT(epochs.back(), uint64_t{1} << 53);
  }
  std::sort(epochs.begin(), epochs.end());
  EXPECT_EQ(std::unique(epochs.begin(), epochs.end()), epochs.end());
}

// Whatever was added and is asked for, the log gives what comes next, or nothing if it lacks that.
TEST(Recent, GivesWhatComesNext) {
  std::mt19937_64 random(1);
  const Recent recent = MakeRecent(64);
  std::vector<uint64_t> all;
  for (int round = 0; round < 20'000; round++) {
    for (uint64_t left = random() % 40; left > 0; left--) {
      all.push_back(random());
      lfb_recent_add(recent.get(), all.back());
    }
    const uint64_t back = random() % (recent->room + 20);
    const uint64_t since = all.size() + 3 > back ? all.size() + 3 - back : 0;
    const size_t most = 1 + random() % 200;
    const uint64_t* hashes = nullptr;
    size_t count = 0;
    const bool found = lfb_recent_find(recent.get(), since, most, &hashes, &count);
    ASSERT_EQ(found, since <= all.size() && all.size() - since <= recent->room);
    if (!found) continue;
    ASSERT_LE(count, std::min<uint64_t>(most, all.size() - since));
    ASSERT_EQ(count == 0, since == all.size());
    for (size_t i = 0; i < count; i++) ASSERT_EQ(hashes[i], htole64(all[since + i]));
  }
}

TEST(Recent, IsIdleWhenNobodyHasAskedForAllThatItHolds) {
  const Recent recent = MakeRecent(64);
  const uint64_t* hashes;
  size_t count;
  for (int round = 0; round < 3; round++) {
    ASSERT_TRUE(lfb_recent_find(recent.get(), recent->count, 1, &hashes, &count));
    const uint64_t asked = recent->count;
    for (uint64_t i = 0; i < recent->room; i++) lfb_recent_add(recent.get(), i);
    EXPECT_FALSE(lfb_recent_is_idle(recent.get()));
    EXPECT_TRUE(lfb_recent_find(recent.get(), asked, 1, &hashes, &count)) << "and it still has all";
  }
  for (uint64_t i = 0; i <= recent->room; i++) lfb_recent_add(recent.get(), i);
  EXPECT_TRUE(lfb_recent_is_idle(recent.get()));
}

// A value of one layer, made for so many keys.
lfb_value* MakeValue(uint64_t capacity, uint32_t expansion) {
  lfb_recipe recipe{};
  recipe.kind = LFB_VALUE_CHAIN;
  recipe.capacity = capacity;
  recipe.error = 0.01;
  recipe.expansion = expansion;
  EXPECT_EQ(lfb_recipe_draw(&recipe, LFB_HASH_DEFAULT), LFB_OK);
  lfb_value* value = nullptr;
  EXPECT_EQ(lfb_value_create(&recipe, 0, &value), LFB_OK);
  return value;
}

void Add(lfb_value* value, int from, int to) {
  for (int i = from; i < to; i++) {
    const std::string text = std::to_string(i);
    const lfb_key key = {text.data(), text.size()};
    uint64_t answers[(LFB_VALUE_MANY + 63) / 64];
    size_t done;
    lfb_status refused;
    EXPECT_EQ(lfb_value_add(value, &key, 1, 0, answers, &done, &refused), LFB_ADDED_ALL);
    EXPECT_EQ(done, 1U);
  }
}

TEST(Recent, MemoryThatIsRefusedChangesNothing) {
  lfb_value* value = MakeValue(1000, 0);
  calls::Plan plan;
  plan.deed = calls::Deed::kFailOn;
  plan.at = 1;
  calls::Arm(plan);
  const lfb_status status = lfb_value_follow(value);
  calls::Disarm();
  EXPECT_TRUE(status == LFB_ERROR_NO_MEMORY || status == LFB_ERROR_NO_RANDOM);
  EXPECT_EQ(value->recent, nullptr);
  plan.only = "malloc";
  calls::Arm(plan);
  EXPECT_EQ(lfb_value_follow(value), LFB_ERROR_NO_MEMORY);
  calls::Disarm();
  EXPECT_EQ(value->recent, nullptr);
  Add(value, 0, 10);
  EXPECT_EQ(lfb_value_follow(value), LFB_OK);
  Add(value, 0, 20);
  EXPECT_EQ(value->recent->count, 10U);
  lfb_value_free(value);
}

TEST(Recent, EndsWhenItsHashesAreNotAll) {
  lfb_value* value = MakeValue(100, 2);
  EXPECT_EQ(lfb_value_follow(value), LFB_OK);
  const uint64_t epoch = value->recent->epoch;
  Add(value, 0, 90);
  EXPECT_EQ(lfb_value_follow(value), LFB_OK);
  ASSERT_NE(value->recent, nullptr);
  EXPECT_EQ(value->recent->epoch, epoch);
  lfb_value* other = nullptr;
  ASSERT_EQ(lfb_value_create(&value->recipe, 0, &other), LFB_OK);
  Add(other, 200, 210);
  EXPECT_EQ(lfb_value_merge(value, other, 0), LFB_OK);
  EXPECT_EQ(value->recent, nullptr) << "merged into";
  EXPECT_EQ(lfb_value_follow(value), LFB_OK);
  EXPECT_NE(value->recent->epoch, epoch);
  Add(value, 300, 500);
  EXPECT_GT(value->layer_count, 1U);
  EXPECT_EQ(value->recent, nullptr) << "grown";
  EXPECT_EQ(lfb_value_follow(value), LFB_ERROR_MODULE_GROWN);
  lfb_value_free(value);
  lfb_value_free(other);
}

}  // namespace
