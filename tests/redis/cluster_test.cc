// cluster_test.cc - a link to a cluster at rest, while its slots move, and when it loses nodes.
//
// Each planted fault (by hand) and the test that was seen to fail:
//
// - all commands go to the first node: GoesToTheRightNode
// - ASK without ASKING: FollowsSlotsThatAreBeingMoved
// - ASK remembered as if it were MOVED: the same test
// - MOVED does not change the map: RemembersWhereASlotWent
// - nothing is sent again after TRYAGAIN: WaitsForTheRestOfAMove
// - the map is not requested after a loss: OutlivesAMaster
#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/support/await.h"
#include "tests/support/race.h"
#include "tests/redis/jobs.h"
#include "tests/redis/server.h"

namespace {

// How many errors with this name the nodes have sent.
uint64_t Errors(RedisCluster& cluster, const std::string& name) {
  uint64_t sum = 0;
  for (size_t i = 0; i < cluster.size(); i++) {
    const std::string all = cluster.node(i).Call({"INFO", "errorstats"});
    const size_t at = all.find("errorstat_" + name + ":count=");
    if (at != std::string::npos) sum += std::stoull(all.substr(all.find('=', at) + 1));
  }
  return sum;
}

std::string Key(uint64_t i) { return "key" + std::to_string(i); }
uint16_t Slot(const std::string& key) { return lfb_key_slot(key.data(), key.size()); }

// Sends INCR for each of `keys` keys, `rounds` times. Each reply has to arrive exactly once.
lfb_status Count(lfb_link* link, uint64_t keys, uint64_t rounds,
                 const std::function<std::string(uint64_t)>& key,
                 const std::function<void(uint64_t)>& look) {
  std::vector<uint64_t> seen(keys, 0);
  uint64_t answered = 0;
  const lfb_status status = DoJob(
      link, {keys * rounds, [&](uint64_t i) { return Command{"INCR", key(i % keys)}; },
             [&](uint64_t i, const redisReply* reply, bool again) {
               EXPECT_FALSE(again);
               EXPECT_EQ(reply->type, REDIS_REPLY_INTEGER) << reply->str;
               seen[i % keys]++;
               look(++answered);
               return lfb_reply_status(reply);
             }});
  EXPECT_EQ(answered, keys * rounds);
  for (uint64_t i = 0; i < keys; i++) EXPECT_EQ(seen[i], rounds);
  return status;
}

class Cluster : public testing::Test {
 protected:
  static void SetUpTestSuite() { cluster_ = new RedisCluster(3); }
  static void TearDownTestSuite() {
    delete cluster_;
    cluster_ = nullptr;
  }
  void SetUp() override {
    for (size_t i = 0; i < 3; i++) EXPECT_EQ(node(i).Call({"FLUSHALL"}), "OK");
  }
  static RedisServer& node(size_t i) { return cluster_->node(i); }
  static RedisServer& Other(const RedisServer& server) {
    return &server == &node(0) ? node(1) : node(0);
  }
  static RedisCluster* cluster_;
};

RedisCluster* Cluster::cluster_;

TEST_F(Cluster, HasTheSameSlots) {
  const Link link = OpenLink(cluster_->Options());
  EXPECT_TRUE(link->nodes.cluster);
  std::vector<std::string> keys = {"",      "{",     "}",      "{}", "a{}b{c}",
                                   "{{a}}", "x}{y}", "{a}{b}", "a{b"};
  for (uint64_t i = 0; i < 2000; i++) {
    std::string key;
    for (uint64_t at = 0; at < 1 + Mix(1, i) % 12; at++)
      key +=
          Mix(i, at) % 5 == 0 ? (Mix(i, at) % 2 == 0 ? '{' : '}') : static_cast<char>(Mix(i, at));
    keys.push_back(key);
  }
  EXPECT_EQ(DoJob(link.get(), {keys.size(),
                               [&](uint64_t i) {
                                 return Command{"CLUSTER", "KEYSLOT", keys[i]};
                               },
                               [&](uint64_t i, const redisReply* reply, bool) {
                                 EXPECT_EQ(reply->integer, Slot(keys[i])) << i;
                                 return lfb_reply_status(reply);
                               }}),
            LFB_OK);
}

TEST_F(Cluster, GoesToTheRightNode) {
  const uint64_t before = Errors(*cluster_, "MOVED");
  const Link link = OpenLink(cluster_->Options());
  EXPECT_EQ(Count(link.get(), 1000, 5, Key, [](uint64_t) {}), LFB_OK);
  EXPECT_EQ(Errors(*cluster_, "MOVED"), before);
  for (uint64_t i = 0; i < 1000; i++) ASSERT_EQ(Ask(link.get(), {"GET", Key(i)}), "5");
  for (size_t i = 0; i < 3; i++) EXPECT_GT(std::stoi(node(i).Call({"DBSIZE"})), 200);
}

// Replies for one slot arrive in the order of their commands; across slots any order is allowed.
TEST_F(Cluster, KeepsTheOrderOfASlot) {
  lfb_redis_options options = cluster_->Options();
  options.window = 16;
  const Link link = OpenLink(options);
  uint64_t answered[7] = {};
  EXPECT_EQ(DoJob(link.get(), {7000, [](uint64_t i) { return Command{"INCR", Key(i % 7)}; },
                               [&](uint64_t i, const redisReply* reply, bool) {
                                 EXPECT_EQ(i / 7, answered[i % 7]++);
                                 EXPECT_EQ(reply->integer, static_cast<long long>(i / 7 + 1));
                                 return lfb_reply_status(reply);
                               }}),
            LFB_OK);
}

TEST_F(Cluster, IsFoundFromAnyNode) {
  for (size_t i = 0; i < 3; i++) {
    const Link link = OpenLink(node(i).Options());
    EXPECT_EQ(Count(link.get(), 100, 1, Key, [](uint64_t) {}), LFB_OK);
  }
  EXPECT_EQ(Ask(OpenLink(cluster_->Options()).get(), {"GET", Key(5)}), "3");
}

// A moved slot costs one MOVED in total, not one per later command.
TEST_F(Cluster, RemembersWhereASlotWent) {
  lfb_redis_options options = cluster_->Options();
  options.window = 1;
  const Link link = OpenLink(options);
  const std::string key = "wanderer";
  EXPECT_EQ(Ask(link.get(), {"INCR", key}), "1");
  RedisServer& from = cluster_->Owner(Slot(key));
  const uint64_t before = Errors(*cluster_, "MOVED");
  cluster_->Move(Slot(key), from, Other(from));
  EXPECT_EQ(Count(link.get(), 1, 100, [&](uint64_t) { return key; }, [](uint64_t) {}), LFB_OK);
  EXPECT_EQ(Ask(link.get(), {"GET", key}), "101");
  EXPECT_EQ(Errors(*cluster_, "MOVED"), before + 1);
}

// After many slots have moved, the link fetches the map: far fewer MOVED than slots.
TEST_F(Cluster, AsksForTheMapAfterManyMoves) {
  lfb_redis_options options = cluster_->Options();
  options.window = 1;
  const Link link = OpenLink(options);
  std::vector<std::string> keys;
  for (uint64_t i = 0; keys.size() < 60; i++)
    if (&cluster_->Owner(Slot(Key(i))) == &node(2)) keys.push_back(Key(i));
  for (const std::string& key : keys) cluster_->Move(Slot(key), node(2), node(1));
  const uint64_t before = Errors(*cluster_, "MOVED");
  EXPECT_EQ(Count(
                link.get(), keys.size(), 1, [&](uint64_t i) { return keys[i]; }, [](uint64_t) {}),
            LFB_OK);
  EXPECT_LT(Errors(*cluster_, "MOVED"), before + 40);
  for (const std::string& key : keys) cluster_->Move(Slot(key), node(1), node(2));
}

// Half of a slot's keys are on each node, new keys are added, and the move ends in the middle of
// the job. Each command is executed once.
TEST_F(Cluster, FollowsSlotsThatAreBeingMoved) {
  const Link link = OpenLink(cluster_->Options());
  const auto key = [](uint64_t i) { return "{moving}" + std::to_string(i); };
  EXPECT_EQ(Count(link.get(), 50, 1, key, [](uint64_t) {}), LFB_OK);
  const uint16_t slot = Slot("moving");
  RedisServer& from = cluster_->Owner(slot);
  RedisServer& to = Other(from);
  cluster_->BeginMove(slot, from, to);
  EXPECT_EQ(cluster_->MoveKeys(slot, from, to, 25), 25u);
  const uint64_t before = Errors(*cluster_, "ASK");
  EXPECT_EQ(Count(link.get(), 100, 40, key,
                  [&](uint64_t answered) {
                    if (answered != 2000) return;
                    cluster_->MoveAllKeys(slot, from, to);
                    cluster_->EndMove(slot, from, to);
                  }),
            LFB_OK);
  EXPECT_GT(Errors(*cluster_, "ASK"), before + 25);
  for (uint64_t i = 0; i < 100; i++)
    EXPECT_EQ(Ask(link.get(), {"GET", key(i)}), i < 50 ? "41" : "40") << i;
  EXPECT_EQ(&cluster_->Owner(slot), &to);
}

// Slots move back and forth while jobs run. Every command is executed exactly once.
TEST_F(Cluster, LosesNothingWhileSlotsMove) {
  constexpr uint64_t kKeys = 40, kRounds = kUnderTsan ? 50 : 200;
  const Link link = OpenLink(cluster_->Options());
  std::atomic<bool> done{false};
  std::atomic<unsigned> moves{0};
  std::thread mover([&] {
    for (uint64_t i = 0; !done; i = (i + 1) % kKeys, moves++) {
      RedisServer& from = cluster_->Owner(Slot(Key(i)));
      cluster_->Move(Slot(Key(i)), from, Other(from));
    }
  });
  uint64_t passes = 0;
  for (; passes < 3 || moves < 50; passes++)
    if (Count(link.get(), kKeys, kRounds, Key, [](uint64_t) {}) != LFB_OK) {
      ADD_FAILURE() << link->said.text;
      break;
    }
  done = true;
  mover.join();
  for (uint64_t i = 0; i < kKeys; i++)
    EXPECT_EQ(Ask(link.get(), {"GET", Key(i)}), std::to_string(passes * kRounds));
}

// A command with two keys on two nodes is refused until both keys are on one node.
TEST_F(Cluster, WaitsForTheRestOfAMove) {
  lfb_redis_options options = cluster_->Options();
  options.retries = 1000;
  const Link link = OpenLink(options);
  EXPECT_EQ(Ask(link.get(), {"MSET", "{two}a", "1", "{two}b", "2"}), "OK");
  const uint16_t slot = Slot("two");
  RedisServer& from = cluster_->Owner(slot);
  RedisServer& to = Other(from);
  cluster_->BeginMove(slot, from, to);
  EXPECT_EQ(cluster_->MoveKeys(slot, from, to, 1), 1u);
  const uint64_t before = Errors(*cluster_, "TRYAGAIN");
  std::thread mover([&] {
    AwaitSpinning("the command is refused twice",
                  [&] { return Errors(*cluster_, "TRYAGAIN") >= before + 2; });
    EXPECT_EQ(cluster_->MoveKeys(slot, from, to, 1), 1u);
    cluster_->EndMove(slot, from, to);
  });
  uint64_t replies = 0;
  EXPECT_EQ(DoJob(link.get(), {1, [](uint64_t) { return Command{"MGET", "{two}a", "{two}b"}; },
                               [&](uint64_t, const redisReply* reply, bool) {
                                 replies++;
                                 EXPECT_EQ(reply->elements, 2u);
                                 if (reply->elements == 2) {
                                   EXPECT_STREQ(reply->element[1]->str, "2");
                                 }
                                 return lfb_reply_status(reply);
                               }}),
            LFB_OK);
  EXPECT_EQ(replies, 1u);
  mover.join();
}

// ---- clusters that lose nodes ---------------------------------------------------

// While one of its masters is down, a cluster refuses everything. Once the master is back, the
// job continues, and everything acknowledged is present.
TEST(ClusterDown, IsWaitedFor) {
  RedisConfig config;
  config.durable = true;
  config.node_ms = 1000;
  RedisCluster cluster(3, 0, config);
  lfb_redis_options options = cluster.Options();
  options.retries = 200;
  const Link link = OpenLink(options);
  std::thread helper;
  constexpr uint64_t kCount = 6000;
  std::vector<bool> repeated(kCount);
  uint64_t answered = 0;
  EXPECT_EQ(DoJob(link.get(),
                  {kCount, [](uint64_t i) { return Command{"INCR", Key(i)}; },
                   [&](uint64_t i, const redisReply* reply, bool again) {
                     repeated[i] = again;
                     if (++answered == 1000) {
                       cluster.node(2).Kill();
                       helper = std::thread([&] {
                         Await("the cluster refuses everything", [&] {
                           return cluster.node(0).Call({"CLUSTER", "INFO"}).find("state:fail") !=
                                  std::string::npos;
                         });
                         cluster.node(2).Start();
                       });
                     }
                     return lfb_reply_status(reply);
                   }}),
            LFB_OK)
      << link->said.text;
  helper.join();
  EXPECT_EQ(answered, kCount);
  cluster.AwaitReady();
  for (uint64_t i = 0; i < kCount; i++) {
    const int count = std::stoi("0" + Ask(link.get(), {"GET", Key(i)}));
    ASSERT_TRUE(count == 1 || (count > 1 && repeated[i])) << i << ": " << count;
  }
}

// A master dies permanently, its replica takes over, and the job continues there. Everything
// that the replica had received by then is present. Redis itself may lose acknowledged writes
// that it had not yet sent to the replica: see redis/link/link.h.
TEST(ClusterDown, OutlivesAMaster) {
  RedisConfig config;
  config.node_ms = 5000;  // a slow node is not declared dead
  RedisCluster cluster(3, 1, config);
  lfb_redis_options options = cluster.Options();
  options.retries = 200;
  const Link link = OpenLink(options);
  constexpr uint64_t kCount = 6000;
  std::vector<uint64_t> order(kCount, 0);  // of the replies, counted from 1
  uint64_t answered = 0, killed_at = 0;
  RedisServer& master = cluster.node(0);
  RedisServer& replica = cluster.node(3);
  EXPECT_EQ(DoJob(link.get(),
                  {kCount, [](uint64_t i) { return Command{"SET", Key(i), "x"}; },
                   [&](uint64_t i, const redisReply* reply, bool) {
                     EXPECT_EQ(order[i], 0u) << "answered twice";
                     order[i] = ++answered;
                     if (answered == 2000) {
                       const auto offset = std::stoull(master.Info("master_repl_offset"));
                       AwaitSpinning("the replica has what the master has", [&] {
                         return std::stoull(replica.Info("slave_repl_offset")) >= offset;
                       });
                       master.Kill();
                       killed_at = answered;
                     }
                     return lfb_reply_status(reply);
                   }}),
            LFB_OK)
      << link->said.text;
  EXPECT_EQ(answered, kCount);
  uint64_t missing = 0;
  for (uint64_t i = 0; i < kCount; i++)
    if (Ask(link.get(), {"EXISTS", Key(i)}) == "0") {
      missing++;
      EXPECT_GT(order[i], killed_at) << "lost, and the replica had it";
    }
  EXPECT_LE(missing, 1024u) << "more than can have been acknowledged when the master died";
  EXPECT_EQ(replica.Info("role"), "master");
}

}  // namespace
