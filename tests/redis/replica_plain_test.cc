// replica_plain_test.cc - what plain clients put reaches the replicas; what the replicas cost a
// server while nothing is put.
//
// Each planted fault (by hand), and the test that was seen to fail, in 3 runs of 3:
//
// - no looks (replica_send.c, look_is_due): PutsArrive, PutsArriveWhileReplicasPut
// - a look does not remember the count of the one before (look_compare, `seen`):
//   ALookThatFindsNothingLoadsNothing
// - 16,384 entries in any stream (stream.c, stream_most): TheStreamIsNoLargerThanTheFilter
// - reads that wait 250 ms at most (replica.c, REPLICA_BLOCK): AnIdleReplicaSendsFewCommands
#include <atomic>
#include <sstream>
#include <thread>

#include "tests/redis/replicas.h"

namespace {

class Plain : public testing::Test {
 protected:
  // How often the server has executed a command, or all commands except INFO.
  uint64_t Calls(const std::string& command = "") const {
    std::istringstream lines(server.Call({"INFO", "commandstats"}));
    uint64_t calls = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("cmdstat_", 0) != 0 || line.rfind("cmdstat_info", 0) == 0) continue;
      if (!command.empty() && line.rfind("cmdstat_" + command + ":", 0) != 0) continue;
      calls += std::stoull(line.substr(line.find("calls=") + 6));
    }
    return calls;
  }
  void AwaitCalls(const std::string& command, uint64_t more) const {
    const uint64_t before = Calls(command);
    Await("more " + command, [&] { return Calls(command) >= before + more; });
  }

  RedisServer server;
  const lfb_redis_options options = server.Options();
};

// Sets the bits of a key as another program would, by SETBIT.
void SetRaw(const RedisServer& server, lfb_strategy_id strategy, const std::string& name,
            const Filter& with_key) {
  const std::vector<uint64_t> words = WordsOf(with_key);
  for (uint64_t bit = 0; bit < 64 * words.size(); bit++) {
    if ((words[bit / 64] >> bit % 64 & 1) == 0) continue;
    const uint64_t at = strategy == LFB_REDIS_MITZ32 ? bit : 48 + (bit ^ 63);
    server.Call({"SETBIT", name, std::to_string(at), "1"});
  }
}

// By default, a put by lfb_redis_put() and one by SETBIT reach a replica, of each layout.
TEST_F(Plain, PutsArrive) {
  std::vector<Replica> replicas;
  for (lfb_strategy_id strategy : {LFB_FAST, LFB_GUAVA_MITZ64, LFB_REDIS_MITZ32}) {
    const std::string name = lfb_strategy_name(strategy);
    const lfb_config config = Config(10'000, 1e-9, strategy);
    const Remote remote = CreateRemote(options, name, config);
    lfb_replica_config wanted{};
    wanted.wanted = &config;
    replicas.push_back(OpenReplica(options, name, wanted));
    EXPECT_EQ(lfb_redis_put_u64(remote.get(), 1, nullptr), LFB_OK);
    const Filter raw = Make(config);
    (void)lfb_filter_put_u64(raw.get(), 2);
    if (strategy == LFB_FAST)
      EXPECT_EQ(lfb_redis_put_u64(remote.get(), 2, nullptr), LFB_OK);
    else
      SetRaw(server, strategy, name, raw);
  }
  for (const Replica& replica : replicas)
    Await("both puts arrive", [&] { return Has(replica, 1) && Has(replica, 2); });
}

// They arrive, too, while this replica and another one put all the time.
TEST_F(Plain, PutsArriveWhileReplicasPut) {
  const lfb_config config = Config(1'000'000, 1e-9, LFB_FAST);
  const Remote remote = CreateRemote(options, "seen", config, 1 << 20);
  lfb_replica_config often{};
  often.look_ms = 50;
  const Replica a = OpenReplica(options, "seen", often), b = OpenReplica(options, "seen");
  std::atomic<bool> ended{false};
  std::thread putter([&] {
    for (uint64_t first = 0; !ended && first < 900'000; first += 50) {
      PutRange(a, first, 25);
      PutRange(b, first + 25, 25);
      Flush(b);
    }
  });
  for (uint64_t key = uint64_t{1} << 40; key < (uint64_t{1} << 40) + 5; key++) {
    EXPECT_EQ(lfb_redis_put_u64(remote.get(), key, nullptr), LFB_OK);
    Await("a plain put arrives", [&] { return Has(a, key); });
  }
  ended = true;
  putter.join();
}

// Looks load nothing if all came by the stream, or if there is nothing new.
TEST_F(Plain, ALookThatFindsNothingLoadsNothing) {
  const Remote remote = CreateRemote(options, "seen", Config(10'000, 0.01, LFB_FAST));
  lfb_replica_config often{};
  often.look_ms = 20;
  const Replica a = OpenReplica(options, "seen", often), b = OpenReplica(options, "seen");
  PutRange(b, 0, 5000);
  Flush(b);
  PutRange(a, 5000, 1000);
  Flush(a);
  CatchUp(a);
  AwaitCalls("bitcount", 40);  // some 10 looks
  const uint64_t loads = State(a).loads;
  AwaitCalls("bitcount", 40);
  EXPECT_EQ(State(a).loads, loads);
  // Nor if the server has forgotten bits: each look would then find a difference.
  for (const std::string& key : Keys(remote))
    if (key != "seen") server.Call({"SETRANGE", key, "0", std::string(512, '\0')});
  AwaitCalls("bitcount", 100);
  EXPECT_LE(State(a).loads, loads + 1);
}

// The stream's length follows from the filter's size.
TEST_F(Plain, TheStreamIsNoLargerThanTheFilter) {
  constexpr uint64_t kKeys = 400'000;
  const Remote remote = CreateRemote(options, "seen", Config(kKeys, 0.01, LFB_FAST), 1 << 20);
  const Replica replica = OpenReplica(options, "seen");
  PutRange(replica, 0, kKeys);
  Flush(replica);
  const uint64_t stream = std::stoull(server.Call({"MEMORY", "USAGE", "{seen}:stream", "SAMPLES", "0"}));
  EXPECT_GT(stream, RemoteStats(remote).bytes / 2);
  EXPECT_LT(stream, RemoteStats(remote).bytes * 9 / 8);
}

// At most 3 commands a second, looks among them.
TEST_F(Plain, AnIdleReplicaSendsFewCommands) {
  const Remote remote = CreateRemote(options, "seen", Config(10'000, 0.01, LFB_FAST), 1 << 20);
  const Replica replica = OpenReplica(options, "seen", {});
  Await("reads wait long", [&] { return State(replica).lag_us > 1'500'000; });
  constexpr int kSeconds = 8;  // what is measured, not a wait for anything
  const uint64_t before = Calls();
  std::this_thread::sleep_for(std::chrono::seconds(kSeconds));
  const uint64_t sent = Calls() - before;
  EXPECT_LE(sent, 3u * kSeconds);
  EXPECT_GT(sent, 0u);
}

}  // namespace
