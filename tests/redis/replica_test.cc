// replica_test.cc - local replicas of a filter on Redis.
#include <atomic>
#include <csignal>
#include <cstring>
#include <thread>

#include "examples/testing/program.h"
#include "redis/link/nodes.h"
#include "redis/replica/replica.h"
#include "tests/support/ports.h"
#include "tests/support/race.h"
#include "tests/redis/replicas.h"

namespace {

constexpr uint64_t kCount = kUnderTsan ? 20'000 : 60'000;

// At 1e-9 there are no false positives.
lfb_config Exact(lfb_strategy_id strategy = LFB_FAST) { return Config(200'000, 1e-9, strategy); }

std::vector<uint64_t> WordsOf(const Replica& replica) {
  const lfb_bits& bits = lfb_replica_filter(replica.get())->layout.bits;
  std::vector<uint64_t> words;
  for (uint64_t i = 0; i < bits.word_count; i++) words.push_back(bits.words[i].load());
  return words;
}

uint64_t MissingThere(const Remote& remote, uint64_t count) {
  std::vector<uint64_t> keys(count);
  size_t yes = 0;
  for (uint64_t i = 0; i < count; i++) keys[i] = i;
  EXPECT_EQ(lfb_redis_might_contain_many_u64(remote.get(), keys.data(), count, nullptr, &yes),
            LFB_OK);
  return count - yes;
}

// Checks without pauses, for a short-lived condition. The clock is read once per 1,024 checks.
template <typename Done>
void AwaitHot(const std::string& what, const Done& done) {
  const auto soon = [&done] {
    for (int look = 0; look < 1024; look++)
      if (done()) return true;
    return false;
  };
  AwaitPausing(what, soon, [] {});
}

class Replicas : public testing::Test {
 protected:
  RedisServer server;
  const lfb_redis_options options = server.Options();
  const Remote remote = CreateRemote(options, "seen", Exact());
};

// ---- guarantees ------------------------------------------------------------------

// A key that was put is found here at once. After a flush plain clients find it, and after
// catching up other replicas do. With every layout, with hashes of one half and of two.
TEST(ReplicaLayouts, WhatIsPutHereIsFoundHereThereAndElsewhere) {
  RedisServer server;
  for (lfb_strategy_id strategy : kRemoteStrategies) {
    const lfb_config config = Config(10'000, 1e-6, strategy);
    lfb_replica_config wanted = Unlooking();
    wanted.wanted = &config;
    const std::string name = lfb_strategy_name(strategy);
    const Remote remote = CreateRemote(server.Options(), name, config);
    EXPECT_TRUE(RemotePut(remote, "before"));
    const Replica a = OpenReplica(server.Options(), name, wanted);
    const Replica b = OpenReplica(server.Options(), name, wanted);
    const auto has = [](const Replica& replica, const char* key) {
      return lfb_filter_might_contain(lfb_replica_filter(replica.get()), key, std::strlen(key));
    };
    EXPECT_TRUE(has(a, "before"));
    EXPECT_FALSE(has(a, "apple"));
    EXPECT_TRUE(lfb_replica_put(a.get(), "apple", 5));
    EXPECT_FALSE(lfb_replica_put(a.get(), "apple", 5));
    PutRange(a, 0, 3000);
    EXPECT_TRUE(has(a, "apple"));
    EXPECT_EQ(Missing(a, 0, 3000), 0u);
    Flush(a);
    EXPECT_TRUE(RemoteHas(remote, "apple"));
    EXPECT_EQ(MissingThere(remote, 3000), 0u);
    CatchUp(b);
    EXPECT_TRUE(has(b, "apple"));
    EXPECT_EQ(Missing(b, 0, 3000), 0u);
    EXPECT_EQ(WordsOf(a), WordsOf(b));
    EXPECT_EQ(WordsOf(a), WordsOf(Load(remote)));
    EXPECT_EQ(State(b).loads, 1u) << "by the stream alone";
  }
}

// Two replicas put keys at the same time, two threads on each. In the end both replicas and the
// server have all keys, through the stream alone, and the figures of the state are right.
TEST_F(Replicas, TwoExchangeTheirPutsUnderLoad) {
  const Replica a = OpenReplica(options, "seen"), b = OpenReplica(options, "seen");
  constexpr unsigned kThreads = 4;
  RunTogether(kThreads, [&](unsigned t) {
    const Replica& mine = t % 2 == 0 ? a : b;
    for (uint64_t key = t; key < kCount; key += kThreads) {
      EXPECT_TRUE(lfb_replica_put_u64(mine.get(), key));
      EXPECT_TRUE(Has(mine, key));
    }
    Flush(mine);
  });
  CatchUp(a, b);
  EXPECT_EQ(Missing(a, 0, kCount), 0u);
  EXPECT_EQ(Missing(b, 0, kCount), 0u);
  EXPECT_EQ(MissingThere(remote, kCount), 0u);
  EXPECT_EQ(WordsOf(a), WordsOf(b));
  for (const Replica* replica : {&a, &b}) {
    const lfb_replica_state state = State(*replica);
    EXPECT_TRUE(state.connected);
    EXPECT_EQ(state.loads, 1u);
    EXPECT_EQ(state.queued, 0u);
    EXPECT_EQ(state.sent, kCount / 2);
    EXPECT_EQ(state.received, kCount / 2);
    EXPECT_FALSE(state.resyncs_due);
    EXPECT_GT(state.lag_most_us, 0u);
    EXPECT_LE(state.lag_50_us, state.lag_90_us);
    EXPECT_LE(state.lag_90_us, state.lag_99_us);
    EXPECT_LE(state.lag_99_us, state.lag_most_us);
  }
}

// A thread that finds a key put by another thread sees its place in the queue as taken. So its
// flush waits for that key, although only the other thread sends it. One thread puts key after
// key, the other looks for each until it is found. Seen to fail, 5 times in 5, with the bits set
// before the place is taken (replica.c, replica_put).
TEST_F(Replicas, AKeyThatIsFoundCountsItsPlace) {
  const Replica a = OpenReplica(options, "seen");
  constexpr uint64_t kKeys = kUnderTsan ? 2000 : 30'000;
  std::atomic<uint64_t> seen{0};
  uint64_t uncounted = 0;
  RunTogether(2, [&](unsigned t) {
    for (uint64_t key = 0; key < kKeys; key++)
      if (t == 0) {
        AwaitHot("the other thread finds a key", [&] { return seen >= key; });
        (void)lfb_replica_put_u64(a.get(), key);
      } else {
        AwaitHot("a key is put", [&] { return Has(a, key); });
        uncounted += lfb_outbox_mark(&a->outbox) < key + 1;
        seen = key + 1;
      }
  });
  EXPECT_EQ(uncounted, 0u);
}

// Two threads put and flush the same key. The second finds it present, and its flush
// acknowledges it, too.
TEST_F(Replicas, AFlushCoversAKeyThatAnotherThreadPut) {
  const Replica a = OpenReplica(options, "seen");
  constexpr uint64_t kKeys = kUnderTsan ? 200 : 1000;
  InStep step(2);
  std::atomic<uint64_t> lost{0};
  RunTogether(2, [&](unsigned) {
    for (uint64_t key = 0; key < kKeys; key++) {
      bool maybe = false;
      step.Wait(static_cast<unsigned>(key + 1));
      (void)lfb_replica_put_u64(a.get(), key);
      Flush(a);
      EXPECT_EQ(lfb_redis_might_contain_u64(remote.get(), key, &maybe), LFB_OK);
      lost += !maybe;
    }
  });
  EXPECT_EQ(lost, 0u);
}

// ---- opening -------------------------------------------------------------------------

// Replicas are opened during puts, and miss no key that was put before or during that. Seen to
// fail, 4 times in 4, with the end of the stream read after the load (replica_read.c,
// lfb_replica_load).
TEST_F(Replicas, NothingFallsBetweenTheSnapshotAndTheStream) {
  const Replica putter = OpenReplica(options, "seen");
  std::atomic<bool> ended{false};
  std::atomic<uint64_t> put{0};
  std::thread thread([&] {
    for (; !ended && put < 150'000; put += 50) {
      PutRange(putter, put, 50);
      Flush(putter);
    }
  });
  std::vector<Replica> opened;
  for (unsigned i = 0; i < 12; i++) {
    const uint64_t seen = put;
    Await("more keys are put", [&] { return put > seen || put >= 150'000; });
    opened.push_back(OpenReplica(options, "seen"));
  }
  ended = true;
  thread.join();
  std::vector<const Replica*> all;
  for (const Replica& replica : opened) all.push_back(&replica);
  CatchUp(all);
  for (const Replica& replica : opened) {
    EXPECT_EQ(Missing(replica, 0, put), 0u);
    EXPECT_EQ(State(replica).loads, 1u);
  }
}

TEST_F(Replicas, AFailureToOpenReportsWhy) {
  lfb_replica* none = nullptr;
  lfb_replica_config config = Unlooking();
  EXPECT_EQ(lfb_replica_open(&options, "absent", nullptr, &none), LFB_ERROR_REDIS_ABSENT);
  EXPECT_EQ(lfb_replica_open(&options, "", nullptr, &none), LFB_ERROR_REDIS_BAD_NAME);
  config.max_bytes = 64;
  EXPECT_EQ(lfb_replica_open(&options, "seen", &config, &none), LFB_ERROR_OVER_LIMIT);
  config.max_bytes = 0;
  config.queue_keys = UINT64_MAX;
  EXPECT_EQ(lfb_replica_open(&options, "seen", &config, &none), LFB_ERROR_SIZE_OVERFLOW);
  const lfb_config other = Config(10, 0.01, LFB_FAST);
  config = {};
  config.wanted = &other;
  EXPECT_NE(lfb_replica_open(&options, "seen", &config, &none), LFB_OK);
  const HeldPort port;
  lfb_redis_options nowhere{};
  nowhere.port = port.number();
  nowhere.retries = UINT32_MAX;  // none
  EXPECT_EQ(lfb_replica_open(&nowhere, "seen", nullptr, &none), LFB_ERROR_REDIS_CONNECT);
  EXPECT_EQ(none, nullptr);
}

// Another program's stream, or any other key under its name, is left alone.
TEST_F(Replicas, AnUnknownStreamIsRefused) {
  lfb_replica* none = nullptr;
  server.Call({"DEL", "{seen}:stream"});
  server.Call({"XADD", "{seen}:stream", "*", "field", "somebody's"});
  EXPECT_EQ(lfb_replica_open(&options, "seen", nullptr, &none), LFB_ERROR_REPLICA_STREAM);
  EXPECT_EQ(server.Call({"XLEN", "{seen}:stream"}), "1");
  server.Call({"DEL", "{seen}:stream"});
  server.Call({"SET", "{seen}:stream", "somebody's"});
  EXPECT_EQ(lfb_replica_open(&options, "seen", nullptr, &none), LFB_ERROR_REPLICA_STREAM);
  EXPECT_EQ(server.Call({"GET", "{seen}:stream"}), "somebody's");
  EXPECT_EQ(none, nullptr);
}

// ---- servers that die, stop and forget ---------------------------------------------

// The server is killed and restarted while two replicas put.
TEST(ReplicaFaults, AServerThatIsKilledLosesNothing) {
  RedisConfig durable;
  durable.durable = true;
  RedisServer server(durable);
  const Remote remote = CreateRemote(server.Options(), "seen", Exact());
  const Replica a = OpenReplica(server.Options(), "seen"), b = OpenReplica(server.Options(), "seen");
  constexpr uint64_t kBatch = 500, kBatches = 40, kRounds = 3;
  std::atomic<uint64_t> batches{0};
  std::thread putter([&] {
    for (; batches < kBatches; batches++) {
      const Replica& mine = batches % 2 == 0 ? a : b;
      PutRange(mine, batches * kBatch, kBatch);
      EXPECT_EQ(Missing(mine, batches * kBatch, kBatch), 0u);
      if (batches % 4 == 0) Flush(mine);
    }
  });
  for (uint64_t round = 1; round <= kRounds; round++) {
    Await("more batches are put", [&] { return batches >= round * kBatches / (kRounds + 1); });
    server.Kill();
    server.Start();
  }
  putter.join();
  Flush(a);
  Flush(b);
  CatchUp(a, b);
  EXPECT_EQ(Missing(a, 0, kBatch * kBatches), 0u);
  EXPECT_EQ(Missing(b, 0, kBatch * kBatches), 0u);
  EXPECT_EQ(MissingThere(remote, kBatch * kBatches), 0u);
}

// If the server stops answering, puts and queries continue, the state reports it, and a flush
// returns at its time limit.
TEST_F(Replicas, AStoppedServerBlocksNoThread) {
  lfb_redis_options impatient = options;
  impatient.timeout_ms = 300;
  impatient.connect_ms = 2000;
  const Replica a = OpenReplica(impatient, "seen"), b = OpenReplica(impatient, "seen");
  server.Stop();
  PutRange(a, 0, 10'000);
  EXPECT_EQ(Missing(a, 0, 10'000), 0u);
  EXPECT_EQ(lfb_replica_flush(a.get(), 50), LFB_ERROR_REPLICA_UNSENT);
  EXPECT_EQ(lfb_replica_resync(a.get(), 50), LFB_ERROR_REPLICA_UNSENT);
  EXPECT_EQ(State(a).queued, 10'000u);
  Await("both replicas say that they are cut off",
        [&] { return !State(a).connected && !State(b).connected; });
  const uint64_t lag = State(b).lag_us;
  Await("the lag grows", [&] { return State(b).lag_us > lag; });
  server.Continue();
  Flush(a);
  CatchUp(b);
  EXPECT_EQ(Missing(b, 0, 10'000), 0u);
  EXPECT_EQ(State(a).queued, 0u);
  Await("both replicas are connected", [&] { return State(a).connected && State(b).connected; });
}

// The replica of a stopped server can still be closed.
TEST_F(Replicas, AReplicaOfAStoppedServerCloses) {
  lfb_redis_options impatient = options;
  impatient.timeout_ms = 100;
  impatient.connect_ms = 2000;
  Replica a = OpenReplica(impatient, "seen");
  server.Stop();
  PutRange(a, 0, 1000);
  a.reset();
  server.Continue();
}

// A full server refuses puts. Once it has room, all of them arrive.
TEST_F(Replicas, AServerThatIsFullIsTriedAgain) {
  const Replica a = OpenReplica(options, "seen");
  server.Call({"CONFIG", "SET", "maxmemory", "1mb"});
  PutRange(a, 0, 1000);
  Await("the server refuses puts", [&] { return State(a).status == LFB_ERROR_REDIS_MEMORY; });
  server.Call({"CONFIG", "SET", "maxmemory", "0"});
  Flush(a);
  EXPECT_EQ(MissingThere(remote, 1000), 0u);
  EXPECT_TRUE(State(a).connected);
}

// ---- falling behind -------------------------------------------------------------------

std::string Port(const RedisServer& server) { return std::to_string(server.port()); }

// A process is stopped until the stream has been trimmed of entries that it had not read. It
// misses nothing: it loads the filter. Seen to fail, 2 times in 2, without the check for the
// last entry (stream.c, lfb_stream_read without `kept`).
TEST_F(Replicas, AReplicaBehindTheTrimLoadsAndMissesNothing) {
  lfb_replica_config config = Unlooking();
  config.stream_entries = 10;
  const Replica putter = OpenReplica(options, "seen", config);
  constexpr uint64_t kKeys = 1500;
  Program child({"tests/redis/replica_child", Port(server), "seen", "follow",
                 std::to_string(kKeys)});
  EXPECT_EQ(child.Line(), "0");
  child.Signal(SIGSTOP);
  for (uint64_t key = 0; key < kKeys; key++) { // one entry per key
    (void)lfb_replica_put_u64(putter.get(), key);
    Flush(putter);
  }
  EXPECT_LT(std::stoull(server.Call({"XLEN", "{seen}:stream"})), kKeys / 2);
  (void)lfb_replica_put_u64(putter.get(), kKeys);
  Flush(putter);
  child.Signal(SIGCONT);
  EXPECT_EQ(child.Line(), "0") << "keys that it lacks";
  EXPECT_EQ(child.Line(), "2") << "loads";
  EXPECT_EQ(child.Wait(), 0);
}

// A process that was stopped reads on if the stream still has every entry.
TEST_F(Replicas, AReplicaThatIsBehindReadsOn) {
  const Replica putter = OpenReplica(options, "seen");
  Program child({"tests/redis/replica_child", Port(server), "seen", "follow", "20000"});
  EXPECT_EQ(child.Line(), "0");
  child.Signal(SIGSTOP);
  PutRange(putter, 0, 20'001);
  Flush(putter);
  child.Signal(SIGCONT);
  EXPECT_EQ(child.Line(), "0");
  EXPECT_EQ(child.Line(), "1");
  EXPECT_EQ(child.Wait(), 0);
}

// A follower notices that the stream was deleted and created again by others.
TEST_F(Replicas, AStreamThatIsGoneIsNoticed) {
  const Replica a = OpenReplica(options, "seen"), b = OpenReplica(options, "seen");
  for (uint64_t round = 0; round < 5; round++) {
    server.Call({"DEL", "{seen}:stream"});
    PutRange(a, 100 * round, 100);
    Flush(a);
    const uint64_t loads = round + 2;
    Await("the replica loads the filter", [&] { return State(b).loads >= loads; });
    CatchUp(b);
    EXPECT_EQ(Missing(b, 0, 100 * round + 100), 0u) << round;
  }
}

// An entry in an unknown format can mean anything: a replica that reads it loads the filter, and
// continues.
TEST_F(Replicas, AnEntryOfAnotherShapeHasTheFilterLoaded) {
  const Replica a = OpenReplica(options, "seen"), b = OpenReplica(options, "seen");
  const std::vector<std::vector<std::string>> shapes = {
      {"field", "value"},
      {"o", "1", "n", "2", "w", "3", "k", "seven.."},
      {"o", "1", "n", "2", "w", "-3", "k", ""},
      {"o", "1", "n", "2", "w", "", "k", ""},
      {"o", "999999999999999999999999", "n", "2", "w", "3", "k", ""},
      {"o", "1", "n", "2", "w", "3", "k", "", "more", "of it"},
      {"o", "1", "n", "2", "w", "3", "load", "1"},
  };
  for (const auto& shape : shapes) {
    const uint64_t loads = State(b).loads;
    std::vector<std::string> words = {"XADD", "{seen}:stream", "*"};
    words.insert(words.end(), shape.begin(), shape.end());
    server.Call(words);
    Await("the replica loads the filter again", [&] { return State(b).loads > loads; });
  }
  PutRange(a, 0, 100);
  Flush(a);
  CatchUp(b);
  EXPECT_EQ(Missing(b, 0, 100), 0u);
}

// All keys that a process had flushed before it was killed are present everywhere else.
TEST_F(Replicas, AProcessThatIsKilledLosesNothingThatItHadFlushed) {
  const Replica b = OpenReplica(options, "seen");
  Program child({"tests/redis/replica_child", Port(server), "seen", "put"});
  uint64_t flushed = 0;
  while (flushed < 5000) flushed = std::stoull(child.Line());  // throws at the end of the output
  child.Signal(SIGKILL);
  EXPECT_EQ(child.Wait(), -SIGKILL);
  CatchUp(b);
  EXPECT_EQ(Missing(b, 0, flushed), 0u);
  EXPECT_EQ(MissingThere(remote, flushed), 0u);
  EXPECT_EQ(State(b).loads, 1u);
}

// ---- full queues, and resyncs ------------------------------------------------------------

// More puts than the queue holds, without a server: all are present locally, and also on the
// server once it is back. Seen to fail without a resync for the keys that found no room
// (replica_send.c, resync_is_wanted), and with a resync that other replicas are not told of
// (resync_with).
TEST(ReplicaFaults, AFullQueueLosesNothing) {
  RedisConfig durable;
  durable.durable = true;
  RedisServer server(durable);
  const Remote remote = CreateRemote(server.Options(), "seen", Exact());
  lfb_replica_config config = Unlooking();
  config.queue_keys = 64;
  const Replica a = OpenReplica(server.Options(), "seen", config);
  const Replica b = OpenReplica(server.Options(), "seen");
  server.Kill();
  PutRange(a, 0, 20'000);
  EXPECT_EQ(Missing(a, 0, 20'000), 0u);
  EXPECT_TRUE(State(a).resyncs_due);
  EXPECT_LE(State(a).queued, 64u + 4096u);  // the queue, and a batch taken from it
  EXPECT_EQ(lfb_replica_flush(a.get(), 10), LFB_ERROR_REPLICA_UNSENT);
  server.Start();
  Flush(a);
  EXPECT_FALSE(State(a).resyncs_due);
  EXPECT_EQ(MissingThere(remote, 20'000), 0u);
  Await("the other replica has all keys", [&] { return Missing(b, 0, 20'000) == 0; });
}

// The same with four threads and a live server: the queue has two places, so few puts find room,
// and resyncs run during puts.
TEST_F(Replicas, AQueueThatIsFullAllTheTimeLosesNothing) {
  lfb_replica_config config = Unlooking();
  config.queue_keys = 2;
  const Replica a = OpenReplica(options, "seen", config);
  RunTogether(4, [&](unsigned t) {
    for (uint64_t key = t; key < kCount; key += 4) (void)lfb_replica_put_u64(a.get(), key);
    Flush(a);
  });
  EXPECT_EQ(Missing(a, 0, kCount), 0u);
  EXPECT_EQ(MissingThere(remote, kCount), 0u);
}

// A resync fetches what a plain client put, and sends what the server lost.
TEST_F(Replicas, AResyncGoesBothWays) {
  const Replica a = OpenReplica(options, "seen"), b = OpenReplica(options, "seen");
  EXPECT_EQ(lfb_redis_put_u64(remote.get(), 1, nullptr), LFB_OK);
  PutRange(a, 1000, 1000);
  Flush(a);
  CatchUp(b);
  EXPECT_FALSE(Has(b, 1));
  EXPECT_EQ(lfb_replica_resync(b.get(), kForEver), LFB_OK);
  EXPECT_TRUE(Has(b, 1));
  EXPECT_EQ(State(b).resyncs, 1u);
  EXPECT_EQ(State(b).loads, 1u);

  const auto keys = Keys(remote);
  for (const std::string& key : keys)
    if (key != "seen") server.Call({"SETRANGE", key, "0", std::string(2048, '\0')});
  EXPECT_NE(WordsOf(Load(remote)), WordsOf(b));
  EXPECT_EQ(lfb_replica_resync(b.get(), kForEver), LFB_OK);
  EXPECT_EQ(WordsOf(Load(remote)), WordsOf(b));
  Await("the other replica loads the filter", [&] { return State(a).loads == 2; });
  EXPECT_EQ(WordsOf(a), WordsOf(b));
}

TEST_F(Replicas, ResyncsComeByTheClock) {
  lfb_replica_config config = Unlooking();
  config.resync_ms = 20;
  const Replica a = OpenReplica(options, "seen", config);
  for (uint64_t key = 0; key < 5; key++) {
    EXPECT_EQ(lfb_redis_put_u64(remote.get(), key, nullptr), LFB_OK);
    Await("a resync brings a key", [&] { return Has(a, key); });
  }
  EXPECT_EQ(State(a).loads, 1u);
}

// A resync during puts makes no other replica load: keys in transit are absent on the server,
// but not lost. Seen to fail, 2 times in 2, without the drain (resync_compare).
TEST_F(Replicas, AResyncUnderLoadTakesNothingForLost) {
  const Replica a = OpenReplica(options, "seen"), b = OpenReplica(options, "seen");
  std::atomic<bool> ended{false};
  std::thread putter([&] {
    for (uint64_t first = 0; !ended; first = (first + 50) % 150'000) PutRange(a, first, 50);
  });
  for (unsigned i = 0; i < 4; i++) EXPECT_EQ(lfb_replica_resync(a.get(), kForEver), LFB_OK);
  ended = true;
  putter.join();
  Flush(a);
  CatchUp(b);
  EXPECT_EQ(State(b).loads, 1u);
  EXPECT_EQ(WordsOf(a), WordsOf(b));
}

// ---- deleted filters --------------------------------------------------------------------------

TEST_F(Replicas, AFilterThatWasDeletedIsSaidToBeGoneAndLeavesNothing) {
  const Replica a = OpenReplica(options, "seen");
  PutRange(a, 0, 100);
  Flush(a);
  EXPECT_EQ(lfb_redis_delete(&options, "seen", LFB_FAST), LFB_OK);
  Await("the replica says that its filter is gone",
        [&] { return State(a).status == LFB_ERROR_REDIS_PART; });
  (void)lfb_replica_put_u64(a.get(), 100);
  EXPECT_EQ(lfb_replica_flush(a.get(), 100), LFB_ERROR_REPLICA_UNSENT);
  EXPECT_EQ(Missing(a, 0, 101), 0u);
  Await("nothing is left", [&] { return server.Call({"DBSIZE"}) == "0"; });
}

TEST_F(Replicas, TheStreamGoesWithItsFilter) {
  Replica a = OpenReplica(options, "seen");
  EXPECT_EQ(server.Call({"EXISTS", "{seen}:stream"}), "1");
  const auto left = [&] { return std::stoll(server.Call({"PTTL", "{seen}:stream"})); };
  constexpr long long kDay = 24 * 60 * 60 * 1000;
  EXPECT_GT(left(), kDay / 2) << "a stream that is forgotten goes, too";
  EXPECT_LE(left(), kDay);
  EXPECT_EQ(lfb_redis_expire(remote.get(), 1'000'000), LFB_OK);
  EXPECT_LE(left(), 1'000'000);
  server.Call({"PERSIST", "{seen}:stream"});
  EXPECT_NE(OpenReplica(options, "seen"), nullptr);
  EXPECT_GT(left(), 0);
  EXPECT_LE(left(), 1'000'000) << "not longer than the filter";
  EXPECT_EQ(lfb_redis_expire(remote.get(), 0), LFB_OK);
  EXPECT_GT(left(), kDay / 2);
  a.reset();
  EXPECT_EQ(lfb_redis_rename(remote.get(), "known"), LFB_OK);
  EXPECT_EQ(server.Call({"EXISTS", "{seen}:stream"}), "0");
  a = OpenReplica(options, "known");
  EXPECT_EQ(server.Call({"EXISTS", "{known}:stream"}), "1");
}

// ---- a cluster -----------------------------------------------------------------------------------

// The slot of the stream and of the description moves to another node during puts.
TEST(ReplicaCluster, ASlotThatMovesLosesNothing) {
  RedisCluster cluster;
  const Remote remote = CreateRemote(cluster.Options(), "seen", Exact());
  const Replica a = OpenReplica(cluster.Options(), "seen"), b = OpenReplica(cluster.Options(), "seen");
  const uint16_t slot = lfb_key_slot("{seen}:stream", 13);
  std::atomic<bool> moved{false};
  uint64_t put = 0;
  std::thread putter([&] {
    for (; !moved || put < 2000; put += 100) {
      PutRange(a, put, 100);
      Flush(a);
    }
  });
  RedisServer& from = cluster.Owner(slot);
  RedisServer& to = &from == &cluster.node(0) ? cluster.node(1) : cluster.node(0);
  cluster.Move(slot, from, to);
  moved = true;
  putter.join();
  CatchUp(b);
  EXPECT_EQ(Missing(b, 0, put), 0u);
  EXPECT_EQ(MissingThere(remote, put), 0u);
}

}  // namespace
