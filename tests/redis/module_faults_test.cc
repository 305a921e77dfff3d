// module_faults_test.cc - the module's values when servers are killed, copied in full, and in a
// cluster.
//
// The invariant: an acknowledged key is found. Seen to fail (by hand): with the module's
// replication of what BF.MADD has added taken out, KilledWhileKeysAreAdded and FailsOverInACluster.
#include <atomic>
#include <thread>

#include "tests/redis/module.h"

namespace {

// A server that is killed while it saves has its last complete file.
TEST(ModuleFaults, KilledInASave) {
  RedisServer server(WithModule());
  Fill(server);
  ASSERT_EQ(server.Call({"BF.RESERVE", "big", "0.01", "1000000"}), "OK");
  AddNumbers(server, "big", 0, 5000);
  ASSERT_EQ(server.Call({"SAVE"}), "OK");
  const std::string saved = server.Call({"DEBUG", "DIGEST"});
  AddNumbers(server, "big", 5000, 10'000);
  // Microseconds for each key: the save does not end before the server is killed.
  ASSERT_EQ(server.Call({"CONFIG", "SET", "rdb-key-save-delay", "20000000"}), "OK");
  ASSERT_FALSE(Failed(server.Call({"BGSAVE"})));
  Await("the save has begun", [&] { return server.Info("rdb_bgsave_in_progress") == "1"; });
  server.Kill();
  server.Start();
  EXPECT_EQ(server.Call({"DEBUG", "DIGEST"}), saved);
  EXPECT_EQ(CountNumbers(server, "big", 0, 5000), 5000);
}

TEST(ModuleFaults, KilledWhileKeysAreAdded) {
  RedisServer server(DurableModule());
  for (int round = 0; round < 3; round++) {
    const std::string key = "round" + std::to_string(round);
    std::atomic<int> acknowledged{0};
    std::thread adder([&] {
      std::string answer;
      for (int i = 0; i < 1'000'000; i++) {
        if (!server.TryCall({"BF.ADD", key, key + "-" + std::to_string(i)}, &answer)) return;
        acknowledged = i + 1;
      }
    });
    Await("keys are acknowledged", [&] { return acknowledged > 300; });
    server.Kill();
    adder.join();
    server.Start();
    EXPECT_EQ(CountNumbers(server, key, 0, acknowledged), acknowledged);
  }
}

// The second one moves more than 512 MiB.
TEST(ModuleFaults, AFullResyncHasEveryBit) {
  const std::pair<std::string, std::string> rows[] = {{"no", "30000000"}, {"yes", "420000000"}};
  for (const auto& [diskless, capacity] : rows) {
    RedisServer master(
        WithModule({"--repl-diskless-sync", diskless, "--repl-diskless-sync-delay", "0"})),
        replica(WithModule());
    Fill(master);
    ASSERT_EQ(master.Call({"BF.RESERVE", "big", "0.01", capacity}), "OK");
    AddNumbers(master, "big", 0, 20'000);
    if (diskless == "yes") {
      EXPECT_GE(std::stoull(master.Call({"BF.INFO", "big", "SIZE"})), 512u << 20);
    }
    Follow(replica, master);
    EXPECT_EQ(replica.Call({"DEBUG", "DIGEST"}), master.Call({"DEBUG", "DIGEST"}));
  }
}

TEST(ModuleFaults, FailsOverInACluster) {
  RedisConfig config = WithModule();
  config.node_ms = 2000;
  RedisCluster cluster(3, 1, config);
  // Some key of each master.
  for (int i = 0; i < 3; i++) {
    std::string key;
    for (int n = 0; key.empty(); n++) {
      const std::string name = "key" + std::to_string(n);
      const int slot = std::stoi(cluster.node(0).Call({"CLUSTER", "KEYSLOT", name}));
      if (slot * 3 / 16384 == i) key = name;
    }
    EXPECT_EQ(cluster.node(static_cast<size_t>(i + 1) % 3).Call({"BF.ADD", key, "x"}).substr(0, 5),
              "MOVED");
    AddNumbers(cluster.node(static_cast<size_t>(i)), key, 0, 1000);
    if (i == 0) {
      // Keys in two slots are refused; BF.MERGE names all of its keys.
      EXPECT_EQ(cluster.node(0).Call({"BF.MERGE", key, "key1", "key2", "key3"}).substr(0, 9),
                "CROSSSLOT");
      // FORCE is no key, in any slot.
      EXPECT_EQ(cluster.node(0).Call({"BF.LIKE", "{" + key + "}", key}), "OK");
      EXPECT_EQ(cluster.node(0).Call({"BF.MERGE", key, "{" + key + "}", "FORCE"}), "OK");
      // A slot that moves takes its filters along.
      const auto slot =
          static_cast<uint16_t>(std::stoi(cluster.node(0).Call({"CLUSTER", "KEYSLOT", key})));
      const std::string digest = Digest(cluster.node(0), key);
      cluster.Move(slot, cluster.node(0), cluster.node(1));
      EXPECT_EQ(Digest(cluster.node(1), key), digest);
    }
    if (i == 2) {
      // The last master's replica takes over, with every acknowledged key.
      // Not by WAIT: it waits for what its own connection wrote, and each call is a connection.
      const std::string digest = Digest(cluster.node(2), key);
      Await("a replica has every key", [&] {
        for (size_t n = 3; n < cluster.size(); n++)
          if (Digest(cluster.node(n), key) == digest) return true;
        return false;
      });
      cluster.node(2).Kill();
      RedisServer* heir = nullptr;
      Await("a replica takes over", [&] {
        for (size_t n = 3; n < cluster.size(); n++)
          if (cluster.node(n).Call({"BF.ADD", key, "after"}) == "1") heir = &cluster.node(n);
        return heir != nullptr;
      });
      EXPECT_EQ(CountNumbers(*heir, key, 0, 1000), 1000);
    }
  }
}

}  // namespace
