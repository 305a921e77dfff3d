// failover_test.cc - acknowledged writes survive the loss of the master: options.replicas.
//
// Each planted fault (by hand) and the tests that were seen to fail:
//
// - no WAIT is sent (link.c, run_keeps): all of them
// - the reply to WAIT is ignored (lfb_run_kept): TooFewIsAnError, OutlivesTheMaster
// - a job that lost its connection is not repeated (link.c, `doubt`): OutlivesAMasterInTheMiddle
#include <thread>

#include "redis/link/nodes.h"
#include "tests/redis/followers.h"

namespace {

RedisConfig ReplicaOf(const RedisServer& master) {
  RedisConfig config;
  config.more = {"--replicaof", "127.0.0.1", std::to_string(master.port())};
  return config;
}

RedisConfig WithoutDelay() {
  RedisConfig config;
  config.more = {"--repl-diskless-sync-delay", "0"};
  return config;
}

constexpr uint32_t kPatient = 60'000;  // ms: reached only on failure

// A write is acknowledged only after a Redis replica has it, however slow that is.
lfb_redis_options Patient(lfb_redis_options options) {
  options.replicas = 1;
  options.replicas_ms = kPatient;
  options.timeout_ms = 2 * kPatient;  // WAIT takes at most half of it
  return options;
}

// A master and its Redis replica, connected.
class Failover : public testing::Test {
 protected:
  void SetUp() override {
    Await("the replica is connected", [&] { return replica.Info("master_link_status") == "up"; });
    options = Patient(master.Options());
    hasty = options;
    hasty.replicas_ms = 20;
  }
  RedisServer master{WithoutDelay()};
  RedisServer replica{ReplicaOf(master)};
  lfb_redis_options options{}, hasty{};
  const lfb_config config = Config(200'000, 1e-6, LFB_FAST);

  // How many WAITs the master has received.
  unsigned long Waits() {
    const std::string all = master.Call({"INFO", "commandstats"}), name = "cmdstat_wait:calls=";
    const size_t at = all.find(name);
    return at == std::string::npos ? 0 : std::stoul(all.substr(at + name.size()));
  }
};

lfb_status PutSome(const Remote& remote, uint64_t first, uint64_t count, size_t* yes = nullptr) {
  return lfb_redis_many(remote.get(), LFB_PUT, KeysFrom(first, first + count).data(), count,
                        nullptr, yes, LFB_U64_KEY);
}

size_t Found(const Remote& remote, uint64_t first, uint64_t count) {
  return RemoteMany(remote, LFB_MIGHT_CONTAIN, KeysFrom(first, first + count));
}

// One WAIT per call, for any number of keys; none for queries; none unless options.replicas is
// set.
TEST_F(Failover, IsWaitedForOnceACall) {
  const Remote plain = CreateRemote(master.Options(), "plain", config);
  EXPECT_EQ(PutSome(plain, 0, 100), LFB_OK);
  EXPECT_EQ(Waits(), 0u);
  const Remote remote = CreateRemote(options, "seen", config);
  const unsigned long before = Waits();
  EXPECT_GT(before, 0u);
  size_t yes = 0;
  EXPECT_EQ(PutSome(remote, 0, 10'000, &yes), LFB_OK);
  EXPECT_EQ(yes, 10'000u);
  EXPECT_EQ(Waits(), before + 1);
  EXPECT_EQ(PutSome(remote, 0, 0), LFB_OK);
  EXPECT_EQ(Found(remote, 0, 10'000), 10'000u);
  EXPECT_EQ(Waits(), before + 1);
}

// If the description of a new filter is lost with a master before the WAIT, the call fails and
// leaves nothing. Seen to fail: the creator could use the filter, but no other client could open
// or delete it.
TEST_F(Failover, ADescriptionThatWentIsAnError) {
  const Filter local = Make(config);
  lfb_redis_options losing = options;
  losing.told = &master;
  losing.moved = [](void* told, uint64_t) {
    static_cast<const RedisServer*>(told)->Call({"DEL", "seen"});
    return true;
  };
  EXPECT_EQ(lfb_redis_save(&losing, "seen", local.get(), 0), LFB_ERROR_REDIS_PART);
  EXPECT_EQ(master.Call({"KEYS", "*"}), "");
  EXPECT_EQ(lfb_redis_save(&options, "seen", local.get(), 0), LFB_OK);
  EXPECT_EQ(TryOpen(options, "seen"), LFB_OK);
}

// A stopped Redis replica has no data: puts and creations fail, queries continue. Once it runs
// again, puts succeed.
TEST_F(Failover, TooFewIsAnError) {
  const Remote remote = CreateRemote(options, "seen", config);
  const Remote impatient = OpenRemote(hasty, "seen");
  replica.Stop();
  EXPECT_EQ(PutNumber(impatient.get(), 1, nullptr), LFB_ERROR_REDIS_REPLICAS);
  EXPECT_EQ(PutSome(impatient, 0, 1000), LFB_ERROR_REDIS_REPLICAS);
  EXPECT_EQ(Found(impatient, 0, 1000), 1000u);
  lfb_redis* none = nullptr;
  EXPECT_EQ(lfb_redis_create(&hasty, "more", &config, 0, &none), LFB_ERROR_REDIS_REPLICAS);
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(TryOpen(hasty, "more"), LFB_ERROR_REDIS_ABSENT) << "half of it is left";
  replica.Continue();
  EXPECT_EQ(PutSome(remote, 1000, 1000), LFB_OK);
  lfb_redis_options two = hasty;
  two.replicas = 2;
  EXPECT_EQ(PutNumber(OpenRemote(two, "seen").get(), 1, nullptr), LFB_ERROR_REDIS_REPLICAS);
}

// The master dies while its replica lags by far more than is in transit. Once the replica has
// taken over, everything acknowledged is present.
TEST_F(Failover, OutlivesTheMaster) {
  constexpr uint64_t kBatch = 5000, kBatches = 30;
  const Remote remote = CreateRemote(options, "seen", config);
  const Remote impatient = OpenRemote(hasty, "seen");
  std::vector<uint64_t> acknowledged;
  for (uint64_t batch = 0; batch < kBatches; batch++) {
    if (batch == 3) replica.Stop();
    const lfb_status status = PutSome(batch < 3 ? remote : impatient, batch * kBatch, kBatch);
    EXPECT_EQ(status, batch < 3 ? LFB_OK : LFB_ERROR_REDIS_REPLICAS);
    if (status == LFB_OK) acknowledged.push_back(batch);
  }
  master.Kill();
  replica.Continue();
  EXPECT_EQ(replica.Call({"REPLICAOF", "NO", "ONE"}), "OK");
  const Remote promoted = OpenRemote(replica.Options(), "seen");
  for (uint64_t batch : acknowledged)
    EXPECT_EQ(Found(promoted, batch * kBatch, kBatch), kBatch) << "batch " << batch;
}

// A version published while too few replicas have it may exist, and is then complete. If it is
// lost, no caller had received LFB_OK for it. The next publication deletes what is left of it.
TEST_F(Failover, APublicationWaitsForThem) {
  Publish(options, 1);
  replica.Stop();
  EXPECT_EQ(TryPublish(hasty, 2), LFB_ERROR_REDIS_REPLICAS);
  replica.Continue();
  uint64_t number = 0;
  EXPECT_EQ(TryPublish(options, 2, 0, &number), LFB_OK);
  const size_t keys = FilterKeys(master);
  EXPECT_EQ(TryPublish(options, 2, 0, &number), LFB_OK);
  EXPECT_EQ(FilterKeys(master), keys);
  master.Kill();
  EXPECT_EQ(replica.Call({"REPLICAOF", "NO", "ONE"}), "OK");
  Follower follower(replica.Options());
  EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_REBUILT);
  EXPECT_EQ(follower.At(), number);
  EXPECT_EQ(follower.Missing(2), 0u);
}

// The master of a cluster's slot dies in the middle of a call, while its replica lags. The
// replica takes over, and the call starts again there. All keys are present when it returns.
TEST(ClusterFailover, OutlivesAMasterInTheMiddle) {
  constexpr uint64_t kKeys = 120'000, kMiddle = 20 << 20;  // bytes of the replication stream
  RedisCluster cluster(3, 1);
  lfb_redis_options options = Patient(cluster.Options());
  options.retries = 200;
  const Remote remote = CreateRemote(options, "{a}seen", Config(200'000, 1e-6, LFB_FAST), 0);
  const uint16_t slot = lfb_key_slot("a", 1);
  size_t owner = 0;
  while (owner < 3 && !cluster.Holds(cluster.node(owner), slot)) owner++;
  ASSERT_LT(owner, 3u);
  RedisServer &master = cluster.node(owner), &replica = cluster.node(3 + owner);

  replica.Stop();
  const auto offset = [&master] { return std::stoull(master.Info("master_repl_offset")); };
  const uint64_t begin = offset();
  lfb_status status = LFB_ERROR_STOPPED;
  size_t yes = 0;
  std::thread putter([&] { status = PutSome(remote, 0, kKeys, &yes); });
  Await("the call is in its middle", [&] { return offset() > begin + kMiddle; });
  master.Kill();
  replica.Continue();
  EXPECT_EQ(replica.Call({"CLUSTER", "FAILOVER", "TAKEOVER"}), "OK");
  Await("the replica has taken the slot", [&] { return cluster.Holds(replica, slot); });
  master.Start();  // as replica of the new master, because options.replicas is 1
  putter.join();
  EXPECT_EQ(status, LFB_OK);
  EXPECT_EQ(yes, kKeys);
  EXPECT_EQ(Found(remote, 0, kKeys), kKeys);
}

}  // namespace
