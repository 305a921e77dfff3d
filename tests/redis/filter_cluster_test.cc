// filter_cluster_test.cc - filters with parts on several nodes of a cluster.
#include <atomic>
#include <set>
#include <thread>

#include "redis/link/nodes.h"
#include "tests/support/await.h"
#include "tests/support/race.h"
#include "tests/redis/remotes.h"

namespace {

uint16_t Slot(const std::string& key) { return lfb_key_slot(key.data(), key.size()); }

class FilterCluster : public testing::Test {
 protected:
  size_t KeysThere() {
    size_t keys = 0;
    for (size_t i = 0; i < cluster.size(); i++)
      keys += std::stoul(cluster.node(i).Call({"DBSIZE"}));
    return keys;
  }

  RedisCluster cluster;
  const lfb_redis_options options = cluster.Options();
  const lfb_config config = Config(20'000, 0.01, LFB_FAST);  // 7 parts
};

TEST_F(FilterCluster, AnswersAsInMemory) {
  constexpr uint64_t kCount = 30'000;
  for (lfb_strategy_id strategy : kRemoteStrategies) {
    const lfb_config own = Config(20'000, 0.01, strategy);
    const std::string name = lfb_strategy_name(strategy);
    const Remote remote = CreateRemote(options, name, own);
    const Filter local = Make(own);
    std::vector<uint64_t> keys(kCount), here((kCount + 63) / 64), there(here.size());
    for (uint64_t i = 0; i < kCount; i++) keys[i] = Mix(3, i % 20'000);
    size_t yes = 0;
    EXPECT_EQ(
        lfb_redis_many(remote.get(), LFB_PUT, keys.data(), kCount, there.data(), &yes, LFB_U64_KEY),
        LFB_OK);
    EXPECT_EQ(yes, lfb_filter_put_many_u64(local.get(), keys.data(), kCount, here.data()));
    EXPECT_EQ(there, here);
    for (uint64_t i = 0; i < kCount; i++) keys[i] = i;
    EXPECT_EQ(lfb_redis_many(remote.get(), LFB_MIGHT_CONTAIN, keys.data(), kCount, there.data(),
                             &yes, LFB_U64_KEY),
              LFB_OK);
    EXPECT_EQ(yes,
              lfb_filter_might_contain_many_u64(local.get(), keys.data(), kCount, here.data()));
    EXPECT_EQ(there, here);
    EXPECT_EQ(RemoteStats(remote).bits_set, Stats(local).bits_set);
    EXPECT_EQ(WordsOf(Load(OpenRemote(options, name, &own))), WordsOf(local));
    EXPECT_EQ(lfb_redis_save(&options, "copy", local.get(), kSmallParts), LFB_OK);
    EXPECT_EQ(WordsOf(Load(OpenRemote(options, "copy", &own))), WordsOf(local));
    EXPECT_EQ(lfb_redis_delete(&options, "copy", strategy), LFB_OK);
    EXPECT_EQ(lfb_redis_delete(&options, name.c_str(), strategy), LFB_OK);
    EXPECT_EQ(KeysThere(), 0u);
  }
}

TEST_F(FilterCluster, PartsAreSpreadUnlessTheNameHasATag) {
  const Remote spread = CreateRemote(options, "seen", config);
  std::set<uint16_t> nodes, slots;
  for (const std::string& key : Keys(spread)) nodes.insert(cluster.Owner(Slot(key)).port());
  EXPECT_GE(nodes.size(), 2u);
  const Remote together = CreateRemote(options, "{user}seen", config);
  for (const std::string& key : Keys(together)) slots.insert(Slot(key));
  EXPECT_EQ(slots.size(), 1u);
}

TEST_F(FilterCluster, IsExpiredAndRenamedAsAWhole) {
  const Remote spread = CreateRemote(options, "seen", config);
  RemotePut(spread, "apple");
  const size_t keys = KeysThere();
  EXPECT_EQ(lfb_redis_rename(spread.get(), "other"), LFB_ERROR_REDIS_OTHER_SLOT);
  EXPECT_EQ(KeysThere(), keys);
  EXPECT_TRUE(RemoteHas(OpenRemote(options, "seen", &config), "apple"));

  const Remote together = CreateRemote(options, "{user}seen", config);
  RemotePut(together, "apple");
  EXPECT_EQ(lfb_redis_rename(together.get(), "{user}other"), LFB_OK);
  EXPECT_TRUE(RemoteHas(OpenRemote(options, "{user}other", &config), "apple"));
  EXPECT_EQ(lfb_redis_expire(together.get(), 3'600'000), LFB_OK);
  for (const std::string& key : Keys(together))
    EXPECT_GT(std::stoll(cluster.Owner(Slot(key)).Call({"PTTL", key})), 3'000'000);
}

// Slots move between nodes, with and without parts, during puts and queries. No acknowledged key
// is ever missing.
class FilterMoves : public FilterCluster, public testing::WithParamInterface<lfb_strategy_id> {};

INSTANTIATE_TEST_SUITE_P(Layouts, FilterMoves, testing::Values(LFB_FAST, LFB_REDIS_MITZ32));

TEST_P(FilterMoves, NothingIsLostWhileSlotsMove) {
  const Remote remote = CreateRemote(options, "seen", Config(20'000, 1e-9, GetParam()));
  const std::vector<std::string> keys = Keys(remote);
  std::atomic<bool> ended{false};
  std::atomic<uint64_t> rounds{0};

  std::thread client([&] {
    for (; !ended; rounds++) {
      constexpr uint64_t kBatch = 500;
      const uint64_t first = rounds % 40 * kBatch;
      const std::vector<uint64_t> batch = KeysFrom(first, first + kBatch);
      const size_t changed = RemoteMany(remote, LFB_PUT, batch);
      if (rounds < 40) {
        EXPECT_EQ(changed, kBatch);
      }
      EXPECT_EQ(RemoteMany(remote, LFB_MIGHT_CONTAIN, batch), kBatch);
    }
  });
  for (int turn = 0; turn < (keys.size() == 1 ? 6 : 2); turn++)
    for (const std::string& key : keys) {
      const uint64_t before = rounds;
      RedisServer& from = cluster.Owner(Slot(key));
      RedisServer& to = &from == &cluster.node(0) ? cluster.node(1) : cluster.node(0);
      cluster.Move(Slot(key), from, to);
      AwaitSpinning("the client goes on", [&] { return rounds != before || HasFailure(); });
    }
  ended = true;
  client.join();
  EXPECT_EQ(PutNumber(remote.get(), 0, nullptr), LFB_OK);
}

}  // namespace
