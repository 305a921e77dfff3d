// reads_test.cc - queries that Redis replicas answer: options.read_replicas.
//
// A replica can announce another server's port to its master (replica-announce-port). So a test
// chooses what clients find at the address of a replica.
//
// Each planted fault (by hand) and the tests that were seen to fail:
//
// - no query goes to a replica (run.c, lfb_link_run), or every command does: most of them
// - a reply that the job refuses is not asked at the master (run_reply.c, run_take_read):
//   APartThatTheReplicaLacksIsAskedAtTheMaster, NoAnswerOfAReplicaHarms, GoOnWhileASlotMoves
// - such a command is not kept from replicas (`master`): AQueryIsSentToAReplicaOnce
// - a replica that is lost, or cannot be connected to, begins a pause (run.c, run_send.c):
//   NoAnswerOfAReplicaHarms, AReplicaThatIsKilledIsMissedByNobody, AReplicaThatIsGoneDoesNoHarm
// - ROLE is not checked, or any replica passes (fitness.c, role.c):
//   WhatIsNoConnectedReplicaIsNotAsked, AReplicaIsCheckedAgain
// - the lineage is not compared (fitness.c): AReplicaOfAnotherMasterIsNotAsked, NeedRights
// - it is checked once: AReplicaIsCheckedAgain
// - a replica never rests, or for ever: ASilentReplicaCostsATimeout,
//   AReplicaThatIsKilledIsMissedByNobody
// - no READONLY is sent (nodes.c): ReachTheReplicas, GoOnThroughAFailover
// - the map is requested once: BySentinel, ReachTheReplicas, GoOnThroughAFailover
// - a server's node as a replica is its node as a master, too (node_is): GoOnThroughAFailover
// - each link takes the first replica: AreSpread
#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "redis/link/slots.h"
#include "tests/redis/fake.h"
#include "tests/redis/followers.h"

namespace {

constexpr uint32_t kPatient = 60'000;  // ms: reached only on failure
constexpr uint64_t kKeys = 2000;

RedisConfig Plain() {
  RedisConfig config;
  config.more = {"--repl-diskless-sync-delay", "0"};
  return config;
}

RedisConfig ReplicaOf(const RedisServer& master) {
  RedisConfig config = Plain();
  config.more.insert(config.more.end(), {"--replicaof", "127.0.0.1", std::to_string(master.port()),
                                         "--replica-read-only", "no"});
  return config;
}

// The master lists it with another port.
RedisConfig ReplicaOf(const RedisServer& master, uint16_t announced) {
  RedisConfig config = ReplicaOf(master);
  config.more.insert(config.more.end(), {"--replica-announce-ip", "127.0.0.1",
                                         "--replica-announce-port", std::to_string(announced)});
  return config;
}

void AwaitConnected(const RedisServer& replica) {
  Await("the replica is connected", [&] { return replica.Info("master_link_status") == "up"; });
}

void Detach(const RedisServer& replica) {
  const HeldPort nobody;
  EXPECT_EQ(replica.Call({"REPLICAOF", "127.0.0.1", std::to_string(nobody.number())}), "OK");
}

// How many queries a server has received.
uint64_t Queries(const RedisServer& server) {
  const std::string all = server.Call({"INFO", "commandstats"}), name = "cmdstat_bitfield_ro:calls=";
  const size_t at = all.find(name);
  return at == std::string::npos ? 0 : std::stoull(all.substr(at + name.size()));
}

lfb_status PutSome(const Remote& remote, uint64_t first, uint64_t count) {
  return lfb_redis_put_many_u64(remote.get(), KeysFrom(first, first + count).data(), count, nullptr,
                                nullptr);
}

size_t Found(const Remote& remote, uint64_t first, uint64_t count) {
  size_t yes = 0;
  const lfb_status status = lfb_redis_might_contain_many_u64(
      remote.get(), KeysFrom(first, first + count).data(), count, nullptr, &yes);
  EXPECT_EQ(status, LFB_OK) << lfb_status_text(status);
  return yes;
}

// Options by which queries go to replicas, and acknowledged puts are with the only one. A pause is
// counted.
struct Reading {
  std::atomic<unsigned> pauses{0};
  lfb_redis_options Options(lfb_redis_options options) {
    options.read_replicas = 1;
    options.replicas = 1;
    options.replicas_ms = kPatient;
    options.timeout_ms = 2 * kPatient;
    options.told = this;
    options.go_on = [](void* told, lfb_status, uint64_t) {
      static_cast<Reading*>(told)->pauses++;
      return true;
    };
    return options;
  }
};

lfb_config Some(lfb_strategy_id strategy = LFB_FAST) { return Config(20'000, 1e-9, strategy); }

class Reads : public testing::Test {
 protected:
  Reads() { AwaitConnected(replica); }
  // Announces another address than that of a new replica, which is connected.
  std::unique_ptr<RedisServer> Announce(uint16_t port) {
    Await("the master has no other", [&] { return master.Info("connected_slaves") == "0"; });
    auto announcing = std::make_unique<RedisServer>(ReplicaOf(master, port));
    Await("the master lists it", [&] {
      return master.Call({"ROLE"}).find("\n" + std::to_string(port) + "\n") != std::string::npos;
    });
    return announcing;
  }

  RedisServer master{Plain()}, replica{ReplicaOf(master)};
  Reading reading;
  const lfb_redis_options options = reading.Options(master.Options());
};

// ---- queries go to replicas, and nothing else -----------------------------------------

TEST_F(Reads, ReachTheReplica) {
  for (lfb_strategy_id strategy : kRemoteStrategies) {
    SCOPED_TRACE(lfb_strategy_name(strategy));
    const lfb_config config = Some(strategy);
    const Remote remote = CreateRemote(options, lfb_strategy_name(strategy), config);
    ASSERT_EQ(PutSome(remote, 0, kKeys), LFB_OK);
    const Remote opened = OpenRemote(options, lfb_strategy_name(strategy), &config);
    const uint64_t here = Queries(master), there = Queries(replica);
    EXPECT_EQ(Found(opened, 0, kKeys), kKeys);
    EXPECT_EQ(Found(opened, kKeys, kKeys), 0u);
    EXPECT_FALSE(RemoteHas(opened, "another"));
    EXPECT_EQ(Queries(replica), there + 2 * kKeys + 1);
    EXPECT_EQ(Queries(master), here);
    EXPECT_GT(RemoteStats(opened).bits_set, 0u);
    EXPECT_NE(Load(opened), nullptr);
    EXPECT_EQ(TryOpen(options, lfb_strategy_name(strategy), &config), LFB_OK);
    EXPECT_EQ(Queries(replica), there + 2 * kKeys + 1);
    const uint64_t before = Queries(master);
    EXPECT_EQ(Found(OpenRemote(master.Options(), lfb_strategy_name(strategy), &config), 0, kKeys), kKeys);
    EXPECT_GE(Queries(master), before + kKeys);
    EXPECT_EQ(Queries(replica), there + 2 * kKeys + 1);
  }
  EXPECT_EQ(reading.pauses, 0u);
}

TEST(ReadsInACluster, ReachTheReplicas) {
  RedisCluster cluster(3, 1);
  Reading reading;
  const Remote remote = CreateRemote(reading.Options(cluster.Options()), "seen", Some());
  ASSERT_EQ(PutSome(remote, 0, kKeys), LFB_OK);
  const auto sum = [&](size_t first) {
    uint64_t all = 0;
    for (size_t i = first; i < first + 3; i++) all += Queries(cluster.node(i));
    return all;
  };
  // A node hears late of another that it is a replica with data; the map is requested again.
  Await("replicas alone are asked", [&] {
    const uint64_t masters = sum(0), replicas = sum(3);
    EXPECT_EQ(Found(remote, 0, kKeys), kKeys);
    EXPECT_EQ(sum(0) + sum(3), masters + replicas + kKeys);
    return sum(0) == masters;
  });
  EXPECT_EQ(reading.pauses, 0u);
}

// Each connection draws one of the replicas.
TEST_F(Reads, AreSpread) {
  RedisServer other(ReplicaOf(master));
  AwaitConnected(other);
  const Remote remote = CreateRemote(options, "seen", Some());
  ASSERT_EQ(PutSome(remote, 0, 1), LFB_OK);
  lfb_redis_options both = options;
  both.replicas = 2;
  ASSERT_EQ(PutSome(OpenRemote(both, "seen"), 0, 1), LFB_OK);
  const uint64_t here = Queries(replica), there = Queries(other);
  for (int i = 0; i < 40; i++) EXPECT_EQ(Found(OpenRemote(options, "seen"), 0, 1), 1u);
  EXPECT_EQ(Queries(replica) + Queries(other), here + there + 40);
  EXPECT_GT(Queries(replica), here);
  EXPECT_GT(Queries(other), there);
}

TEST(ReadsByTls, ReachTheReplica) {
  const Certificates certificates;
  RedisConfig config = Plain();
  config.tls = &certificates;
  RedisServer master(config);
  config.more.insert(config.more.end(), {"--tls-replication", "yes", "--replicaof", "127.0.0.1",
                                         std::to_string(master.tls_port())});
  RedisServer replica(config);
  AwaitConnected(replica);
  Reading reading;
  const Remote remote = CreateRemote(reading.Options(master.TlsOptions()), "seen", Some());
  ASSERT_EQ(PutSome(remote, 0, kKeys), LFB_OK);
  EXPECT_EQ(Found(remote, 0, kKeys), kKeys);
  EXPECT_EQ(Queries(replica), kKeys);
  EXPECT_EQ(Queries(master), 0u);
  EXPECT_EQ(reading.pauses, 0u);
}

// What a user needs: redis.h, 8.
TEST_F(Reads, NeedRights) {
  const Remote remote = CreateRemote(options, "seen", Some());
  ASSERT_EQ(PutSome(remote, 0, kKeys), LFB_OK);
  const struct {
    std::vector<std::string> rights;  // on the replica
    bool asked;
  } rows[] = {
      {{"~*", "+bitfield_ro", "+role", "+info"}, true},
      {{"~*", "+bitfield_ro", "+role"}, false},
      {{"~*", "+bitfield_ro", "+info"}, false},
      {{"~*", "+role", "+info"}, false},
      {{"+bitfield_ro", "+role", "+info"}, false},
  };
  lfb_redis_options user = options;
  user.user = "reader";
  user.password = "secret";
  EXPECT_EQ(master.Call({"ACL", "SETUSER", "reader", "on", ">secret", "~*", "+@all"}), "OK");
  for (const auto& row : rows) {
    SCOPED_TRACE(row.rights.back());
    std::vector<std::string> words = {"ACL", "SETUSER", "reader", "reset", "on", ">secret"};
    words.insert(words.end(), row.rights.begin(), row.rights.end());
    EXPECT_EQ(replica.Call(words), "OK");
    const uint64_t there = Queries(replica);
    const Remote opened = OpenRemote(user, "seen");
    EXPECT_EQ(Found(opened, 0, kKeys), kKeys);
    EXPECT_EQ(Found(opened, 0, kKeys), kKeys);
    EXPECT_EQ(Queries(replica), there + (row.asked ? 2 * kKeys : 0));
  }
  // A replica that does not know the user.
  EXPECT_EQ(replica.Call({"ACL", "DELUSER", "reader"}), "1");
  EXPECT_EQ(Found(OpenRemote(user, "seen"), 0, kKeys), kKeys);
  EXPECT_EQ(reading.pauses, 0u);
}

// ---- replicas that cannot answer ------------------------------------------------------

// Servers that have a part of the filter's keys: a replica without its master, and a master. The
// master's own list contains them. Keys that they lack are found.
TEST_F(Reads, WhatIsNoConnectedReplicaIsNotAsked) {
  const Remote remote = CreateRemote(options, "seen", Some());
  ASSERT_EQ(PutSome(remote, 0, kKeys), LFB_OK);
  Detach(replica);
  const auto announcing = Announce(replica.port());
  ASSERT_EQ(PutSome(remote, kKeys, kKeys), LFB_OK);
  EXPECT_EQ(Found(OpenRemote(options, "seen"), 0, 2 * kKeys), 2 * kKeys);
  EXPECT_EQ(replica.Call({"REPLICAOF", "NO", "ONE"}), "OK");
  EXPECT_EQ(Found(OpenRemote(options, "seen"), 0, 2 * kKeys), 2 * kKeys);
  EXPECT_EQ(Queries(replica), 0u);
  EXPECT_EQ(reading.pauses, 0u);
}

// At the listed address there is a replica of another master, with filters of the same names.
TEST_F(Reads, AReplicaOfAnotherMasterIsNotAsked) {
  RedisServer foreign(Plain()), wrong(ReplicaOf(foreign));
  AwaitConnected(wrong);
  for (lfb_strategy_id strategy : kRemoteStrategies) {
    const Remote remote = CreateRemote(options, lfb_strategy_name(strategy), Some(strategy));
    ASSERT_EQ(PutSome(remote, 0, kKeys), LFB_OK);
    const Remote other = CreateRemote(foreign.Options(), lfb_strategy_name(strategy), Some(strategy));
    ASSERT_EQ(PutSome(other, kKeys, 1), LFB_OK);
  }
  Detach(replica);
  const auto announcing = Announce(wrong.port());
  for (lfb_strategy_id strategy : kRemoteStrategies) {
    SCOPED_TRACE(lfb_strategy_name(strategy));
    const lfb_config config = Some(strategy);
    EXPECT_EQ(Found(OpenRemote(options, lfb_strategy_name(strategy), &config), 0, kKeys), kKeys);
  }
  EXPECT_EQ(Queries(wrong), 0u);
}

// A replica that loses its master while it is asked: it answers from what it has until the next
// check, and the master's list still contains it.
TEST_F(Reads, AReplicaIsCheckedAgain) {
  const Remote remote = CreateRemote(options, "seen", Some());
  ASSERT_EQ(PutSome(remote, 0, kKeys), LFB_OK);
  const Remote opened = OpenRemote(options, "seen");
  EXPECT_EQ(Found(opened, 0, 1), 1u);
  EXPECT_EQ(Queries(replica), 1u);
  Detach(replica);
  const auto announcing = Announce(replica.port());
  ASSERT_EQ(PutSome(remote, kKeys, kKeys), LFB_OK);
  Await("the master is asked", [&] { return Found(opened, kKeys, kKeys) == kKeys; });
  const uint64_t after = Queries(replica);
  EXPECT_EQ(Found(opened, 0, 2 * kKeys), 2 * kKeys);
  EXPECT_EQ(Queries(replica), after);
}

// The replica lacks a part, as it does before a new filter has reached it.
TEST_F(Reads, APartThatTheReplicaLacksIsAskedAtTheMaster) {
  const Remote remote = CreateRemote(options, "seen", Some());
  ASSERT_EQ(PutSome(remote, 0, kKeys), LFB_OK);
  const std::vector<std::string> keys = Keys(remote);
  ASSERT_GT(keys.size(), 3u);
  EXPECT_EQ(replica.Call({"DEL", keys[1]}), "1");
  const uint64_t there = Queries(replica);
  for (int i = 0; i < 3; i++) EXPECT_EQ(Found(remote, 0, kKeys), kKeys);
  EXPECT_GT(Queries(replica), there);
  EXPECT_EQ(replica.Call({"FLUSHALL"}), "OK");
  EXPECT_EQ(Found(OpenRemote(options, "seen"), 0, kKeys), kKeys);
  EXPECT_EQ(reading.pauses, 0u);
  // The master lacks it, too.
  EXPECT_EQ(master.Call({"DEL", keys[1]}), "1");
  size_t yes = 0;
  EXPECT_EQ(lfb_redis_might_contain_many_u64(remote.get(), KeysFrom(0, kKeys).data(), kKeys, nullptr, &yes),
            LFB_ERROR_REDIS_PART);
}

std::string Bulk(const std::string& text) {
  return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

const std::string kConnected =
    "*5\r\n" + Bulk("slave") + Bulk("127.0.0.1") + ":1\r\n" + Bulk("connected") + ":7\r\n";

// What answers at the address of a server's replica: to ROLE, and to queries.
FakeServer::Answer Says(const RedisServer& server, const std::string& role, const std::string& query) {
  const std::string info = Bulk("role:slave\r\nmaster_replid:" + server.Info("master_replid") + "\r\n");
  return [=](unsigned, const std::string& received) -> std::string {
    if (received.find("ROLE") != std::string::npos) return role;
    if (received.find("INFO") != std::string::npos) return info;
    if (received.find("BITFIELD_RO") == std::string::npos) return "+PONG\r\n";
    if (query == FakeServer::kClose) return query;
    std::string all;
    for (size_t at = 0; (at = received.find("BITFIELD_RO", at)) != std::string::npos; at++) all += query;
    return all;
  };
}

// No failure of a replica fails a query, begins a pause or uses up a retry.
TEST_F(Reads, NoAnswerOfAReplicaHarms) {
  const Remote remote = CreateRemote(options, "seen", Some());
  ASSERT_EQ(PutSome(remote, 0, kKeys), LFB_OK);
  Detach(replica);
  lfb_redis_options once = master.Options();
  once.retries = UINT32_MAX;  // none
  once.connect_ms = 2000;     // of a replica's answer to ROLE that does not end
  once.read_replicas = 1;
  const std::string nobody = "*3\r\n" + Bulk("master") + ":1\r\n*0\r\n";
  const struct {
    std::string role, query;
    bool asked;  // the replica is good enough for a query
  } rows[] = {
      {FakeServer::kClose, "", false},
      {"+OK\r\n", "", false},
      {"*0\r\n", "", false},
      {"*1\r\n:1\r\n", "", false},
      {"*1\r\n" + Bulk("slave"), "", false},
      {"*4\r\n" + Bulk("slave") + Bulk("h") + ":1\r\n" + Bulk("sync"), "", false},
      {"-NOPERM no\r\n", "", false},
      {"HTTP/1.1 400 Bad Request\r\n\r\n", "", false},
      {nobody, "", false},
      {kConnected, FakeServer::kClose, true},
      {kConnected, "-MOVED 1 127.0.0.1:1\r\n", true},
      {kConnected, "-MOVED\r\n", true},
      {kConnected, "-ASK 1 127.0.0.1:1\r\n", true},
      {kConnected, "-LOADING data\r\n", true},
      {kConnected, "-MASTERDOWN is\r\n", true},
      {kConnected, "-CLUSTERDOWN is\r\n", true},
      {kConnected, "-NOPERM no\r\n", true},
      {kConnected, "-ERR unknown command\r\n", true},
      {kConnected, ":1\r\n", true},
      {kConnected, "*0\r\n", true},
      {kConnected, "*1\r\n:0\r\n", true},
      {kConnected, "*1000000000\r\n", true},
      {kConnected, "HTTP/1.1 400 Bad Request\r\n\r\n", true},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.role + row.query);
    FakeServer fake(Says(master, row.role, row.query));
    const auto announcing = Announce(fake.port());
    const Remote opened = OpenRemote(once, "seen");
    const uint64_t before = Queries(master);
    EXPECT_EQ(fake.times(), 0u);
    EXPECT_EQ(Found(opened, 0, kKeys), kKeys);
    EXPECT_EQ(Found(opened, kKeys, kKeys), 0u);
    EXPECT_EQ(Queries(master), before + 2 * kKeys);
    EXPECT_GE(fake.times(), row.asked ? 3u : 2u);
  }
}

// A replica is sent a query once, even if the master is lost then and it rests no more.
TEST_F(Reads, AQueryIsSentToAReplicaOnce) {
  const Remote remote = CreateRemote(options, "seen", Some());
  Detach(replica);
  std::atomic<unsigned> queries{0};
  const FakeServer::Answer says = Says(master, kConnected, ":1\r\n");
  FakeServer fake([&](unsigned time, const std::string& received) {
    if (received.find("BITFIELD_RO") != std::string::npos && queries++ == 0) master.Kill();
    return says(time, received);
  });
  const auto announcing = Announce(fake.port());
  lfb_redis_options some = master.Options();
  some.read_replicas = 1;
  some.retries = 7;  // at least 2.5 s: a first rest takes 1 s
  const Remote opened = OpenRemote(some, "seen");
  bool maybe = false;
  EXPECT_EQ(lfb_redis_might_contain_u64(opened.get(), 1, &maybe), LFB_ERROR_REDIS_CONNECT);
  EXPECT_EQ(queries, 1u);
}

// The port of a replica at which nothing listens.
TEST_F(Reads, AReplicaThatIsGoneDoesNoHarm) {
  const HeldPort nobody;
  const Remote remote = CreateRemote(options, "seen", Some());
  ASSERT_EQ(PutSome(remote, 0, kKeys), LFB_OK);
  Detach(replica);
  const auto announcing = Announce(nobody.number());
  for (int i = 0; i < 3; i++) EXPECT_EQ(Found(OpenRemote(options, "seen"), 0, kKeys), kKeys);
  EXPECT_EQ(reading.pauses, 0u);
}

// A replica that becomes silent costs one timeout, whether it is silent in the middle of a call or
// before one.
TEST_F(Reads, ASilentReplicaCostsATimeout) {
  const Remote remote = CreateRemote(options, "seen", Some());
  ASSERT_EQ(PutSome(remote, 0, kKeys), LFB_OK);
  for (bool middle : {false, true}) {
    FakeServer fake(Says(master, kConnected, ""));
    lfb_redis_options hasty = master.Options();
    hasty.read_replicas = 1;
    hasty.timeout_ms = hasty.connect_ms = 2000;
    if (!middle) {
      const Remote opened = OpenRemote(hasty, "seen");
      EXPECT_EQ(Found(opened, 0, kKeys), kKeys);
      replica.Stop();
      EXPECT_EQ(Found(opened, 0, kKeys), kKeys);
      replica.Continue();
      continue;
    }
    Detach(replica);
    const auto announcing = Announce(fake.port());
    const Remote opened = OpenRemote(hasty, "seen");
    EXPECT_EQ(Found(opened, 0, kKeys), kKeys);
    const unsigned times = fake.times();
    EXPECT_GE(times, 3u);
    EXPECT_EQ(Found(opened, 0, kKeys), kKeys);
    EXPECT_EQ(fake.times(), times) << "asked again at once";
  }
}

// ---- replicas and masters that are lost ------------------------------------------------

// Threads that put their own keys, or ask for those that were acknowledged, without a pause. No call
// fails, and none of these keys is absent.
class Users {
 public:
  Users(const Remote& remote, bool puts) : puts_(puts) {
    for (unsigned t = 0; t < kThreads; t++)
      threads_.emplace_back([this, &remote, t] {
        while (!done_ && !testing::Test::HasFailure()) {
          if (puts_) Put(remote, t);
          Ask(remote, t);
          rounds_[t]++;
        }
      });
  }
  ~Users() { Join(); }
  void Join() {
    done_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  // Waits until each thread has done `more` rounds from now on.
  void AwaitMore(uint64_t more) {
    for (std::atomic<uint64_t>& count : rounds_) {
      const uint64_t wanted = count + more;
      Await("a thread goes on", [&] { return count >= wanted || testing::Test::HasFailure(); });
    }
  }
  static constexpr unsigned kThreads = 4;
  static constexpr uint64_t kBatch = 100, kBatches = 50;

 private:
  static uint64_t First(unsigned thread, uint64_t batch) {
    return (uint64_t{thread} << 40) + batch * kBatch;
  }
  void Put(const Remote& remote, unsigned t) {
    const uint64_t batch = put_[t] % kBatches;
    const lfb_status status = PutSome(remote, First(t, batch), kBatch);
    EXPECT_EQ(status, LFB_OK) << lfb_status_text(status);
    put_[t] += status == LFB_OK;
  }
  void Ask(const Remote& remote, unsigned t) {
    const uint64_t known = puts_ ? std::min(put_[t], kBatches) : kKeys / kBatch;
    if (known == 0) return;
    const uint64_t batch = (7 * rounds_[t] + (puts_ ? put_[t] - 1 : 0)) % known;
    EXPECT_EQ(Found(remote, puts_ ? First(t, batch) : batch * kBatch, kBatch), kBatch);
  }
  const bool puts_;
  std::atomic<bool> done_{false};
  std::array<uint64_t, kThreads> put_{};
  std::array<std::atomic<uint64_t>, kThreads> rounds_{};
  std::vector<std::thread> threads_;
};

// The replica is killed while threads query, and comes back empty. Once it has all again, it is asked
// again.
TEST_F(Reads, AReplicaThatIsKilledIsMissedByNobody) {
  const Remote remote = CreateRemote(options, "seen", Some());
  ASSERT_EQ(PutSome(remote, 0, kKeys), LFB_OK);
  const uint64_t before = Queries(replica);
  Users users(remote, false);
  users.AwaitMore(20);
  EXPECT_GT(Queries(replica), before);
  replica.Kill();
  users.AwaitMore(20);
  replica.Start();
  Await("it is asked again", [&] { return Queries(replica) > 0 || HasFailure(); });
  users.AwaitMore(20);
  replica.Kill();
  users.AwaitMore(20);
  users.Join();
  EXPECT_EQ(reading.pauses, 0u);
}

// The master of a slot is killed, its replica takes its place, and it comes back as a replica, while
// threads put and ask for what was acknowledged.
TEST(ReadsInACluster, GoOnThroughAFailover) {
  RedisCluster cluster(3, 1);
  Reading reading;
  lfb_redis_options options = reading.Options(cluster.Options());
  options.retries = 1000;
  const Remote remote = CreateRemote(options, "{a}seen", Some());
  const uint16_t slot = lfb_key_slot("a", 1);
  size_t owner = 0;
  while (owner < 3 && !cluster.Holds(cluster.node(owner), slot)) owner++;
  ASSERT_LT(owner, 3u);
  RedisServer &master = cluster.node(owner), &replica = cluster.node(3 + owner);

  Users users(remote, true);
  Await("the replica is asked", [&] { return Queries(replica) > 0 || testing::Test::HasFailure(); });
  users.AwaitMore(10);
  master.Kill();
  EXPECT_EQ(replica.Call({"CLUSTER", "FAILOVER", "TAKEOVER"}), "OK");
  Await("the replica has taken the slot", [&] { return cluster.Holds(replica, slot); });
  master.Start();
  users.AwaitMore(10);
  Await("the old master is asked as a replica",
        [&] { return Queries(master) > 0 || testing::Test::HasFailure(); });
  EXPECT_EQ(master.Info("role"), "slave");
  users.AwaitMore(10);
  users.Join();
}

// Slots move while a thread queries: replicas answer MOVED, or lack the part.
TEST(ReadsInACluster, GoOnWhileASlotMoves) {
  RedisCluster cluster(2, 1);
  Reading reading;
  const Remote remote = CreateRemote(reading.Options(cluster.Options()), "{a}seen", Some());
  ASSERT_EQ(PutSome(remote, 0, kKeys), LFB_OK);
  const uint16_t slot = lfb_key_slot("a", 1);
  Users users(remote, false);
  for (int i = 0; i < 4; i++) {
    RedisServer& from = cluster.Owner(slot);
    RedisServer& to = &from == &cluster.node(0) ? cluster.node(1) : cluster.node(0);
    users.AwaitMore(5);
    cluster.Move(slot, from, to);
    users.AwaitMore(5);
  }
  users.Join();
}

// ---- sentinels -------------------------------------------------------------------------

TEST_F(Reads, BySentinel) {
  std::atomic<uint16_t> now{master.port()};
  FakeServer sentinel([&](unsigned, const std::string& received) -> std::string {
    if (received.find("SENTINEL") == std::string::npos) return "+PONG\r\n";
    return "*2\r\n" + Bulk("127.0.0.1") + Bulk(std::to_string(now));
  });
  lfb_redis_address address;
  const std::string url = "redis+sentinel://127.0.0.1:" + std::to_string(sentinel.port()) +
                          "/mymaster/seen?reads=replicas";
  ASSERT_EQ(lfb_redis_parse_url(url.c_str(), &address), LFB_OK);
  EXPECT_EQ(address.options.read_replicas, 1u);
  lfb_redis_options through = reading.Options(address.options);
  through.retries = 1000;
  const Remote remote = CreateRemote(through, address.name, Some());
  Users users(remote, true);
  Await("the replica is asked", [&] { return Queries(replica) > 0 || HasFailure(); });
  // They change places.
  users.AwaitMore(10);
  const uint64_t before = Queries(master);
  EXPECT_EQ(master.Call({"CLIENT", "PAUSE", "100000", "WRITE"}), "OK");
  Await("the replica has all", [&] {
    return replica.Info("master_repl_offset") == master.Info("master_repl_offset");
  });
  EXPECT_EQ(replica.Call({"REPLICAOF", "NO", "ONE"}), "OK");
  EXPECT_EQ(master.Call({"REPLICAOF", "127.0.0.1", std::to_string(replica.port())}), "OK");
  now = replica.port();
  EXPECT_EQ(master.Call({"CLIENT", "UNPAUSE"}), "OK");
  AwaitConnected(master);
  users.AwaitMore(10);
  Await("the old master is asked as a replica", [&] { return Queries(master) > before || HasFailure(); });
  users.AwaitMore(10);
  users.Join();
}

}  // namespace
