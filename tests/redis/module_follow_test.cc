// module_follow_test.cc - a local copy follows a key of the module in real servers: it is the same filter,
// bit for bit, whatever happens to the key and its server.
//
// Seen to fail here, in module_source_test or in module_recent_test with each of these planted bugs: a
// single key that is not noted; a version that is read after the words; a log that stays after BF.MERGE
// or growth; `since` off by one, on either side; a ring that gives one hash too many; hashes or words of
// another epoch; a log that is freed one key too early, or not counted; changes for a version that the
// follower does not have; more hashes than the version says.
#include <atomic>
#include <functional>
#include <thread>

#include "tests/redis/copies.h"
#include "tests/redis/module.h"
#include "tests/redis/proxy.h"

namespace {

// The words of a key on the server, by another way than the follower's.
std::vector<uint64_t> WordsOn(const RedisServer& server, const std::string& key) {
  const lfb_redis_options options = server.Options();
  lfb_redis_module_value value{};
  EXPECT_EQ(lfb_redis_module_load(&options, key.c_str(), nullptr, &value), LFB_OK);
  if (value.filter == nullptr) return {};
  const std::vector<uint64_t> words = WordsOf(value.filter);
  lfb_filter_free(value.filter);
  return words;
}

void Reserve(const RedisServer& server, const std::string& key, int capacity) {
  ASSERT_EQ(server.Call({"BF.RESERVE", key, "0.01", std::to_string(capacity), "NONSCALING"}), "OK");
}

uint64_t Number(const std::string& text) { return std::stoull(text); }

uint64_t MemoryOf(const RedisServer& server, const std::string& key) {
  return Number(server.Call({"MEMORY", "USAGE", key}));
}

// What the module has allocated.
uint64_t ModuleMemory(const RedisServer& server) {
  const std::string info = server.Call({"INFO", "lfbloom"}), name = "lfbloom_memory:";
  const size_t at = info.find(name);
  return at == std::string::npos ? UINT64_MAX : Number(info.substr(at + name.size()));
}

class Follow : public testing::Test {
 protected:
  // The copy is what the key is.
  void ExpectEqual(const Copy& copy, const std::string& key = "k") const {
    EXPECT_TRUE(copy.Words() == WordsOn(server, key));
  }
  RedisServer server{WithModule()};
  const lfb_redis_options options = server.Options();
};

TEST_F(Follow, IsEqualBitForBitWhileClientsAdd) {
  Reserve(server, "k", 1'000'000);
  AddNumbers(server, "k", 0, 1000);
  Copy copy(options, "k");
  std::atomic<int> running{3};
  std::vector<std::thread> clients;
  for (int t = 0; t < 3; t++)
    clients.emplace_back([&, t] {
      AddNumbers(server, "k", 10'000 * (t + 1), 10'000 * (t + 2));
      for (int i = 0; i < 100; i++)
        server.Call({"BF.ADD", "k", "one-" + std::to_string(t) + "-" + std::to_string(i)});
      running--;
    });
  // A load in full succeeds though keys are added all the time, and so does each poll after it.
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
  unsigned changed = 0;
  while (running > 0) changed += copy.Poll() == LFB_FOLLOWED_CHANGES;
  for (std::thread& client : clients) client.join();
  copy.Poll();
  ExpectEqual(copy);
  EXPECT_GT(changed, 0U);
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_NOTHING);
  EXPECT_EQ(lfb_versions_number(copy.versions), 2U) << "one load in full";
  EXPECT_TRUE(copy.Has("one-2-99"));
  EXPECT_EQ(server.Call({"BF.ADD", "k", "one-2-99"}), "0");
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_NOTHING) << "a key that is not new";
}

// All keys of one acknowledged command are found after the next poll, of each kind of hash.
TEST_F(Follow, FollowsEachHash) {
  for (const std::string hash : {"aes", "siphash13", "xxh3"}) {
    ASSERT_EQ(server.Call({"CONFIG", "SET", "lfbloom.hash", hash}), "OK");
    Reserve(server, hash, 10'000);
    Copy copy(options, hash.c_str());
    EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
    AddNumbers(server, hash, 0, 1000);
    EXPECT_EQ(server.Call({"BF.ADD", hash, ""}), "1");
    EXPECT_EQ(server.Call({"BF.INSERT", hash, "ITEMS", "x", "x", "y"}), "1\n0\n1\n");
    EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_CHANGES);
    ExpectEqual(copy, hash);
    EXPECT_TRUE(copy.Has(""));
    EXPECT_TRUE(copy.Has("y"));
    EXPECT_TRUE(copy.Has(hash + "-999"));
  }
}

TEST_F(Follow, AKeyMovesFewBytes) {
  Reserve(server, "big", 55'000'000);
  CuttingProxy proxy(server.port(), [](unsigned) { return CuttingProxy::kNever; });
  lfb_redis_options through = options;
  through.port = proxy.port();
  Copy copy(through, "big");
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
  EXPECT_GT(copy.Words().size(), size_t{64 << 20} / 8);
  EXPECT_GT(proxy.carried(), uint64_t{64 << 20});
  AddNumbers(server, "big", 0, 1);
  uint64_t before = proxy.carried();
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_CHANGES);
  EXPECT_TRUE(copy.Has("big-0"));
  EXPECT_LT(proxy.carried() - before, 1024U);
  std::printf("one key: %llu bytes, both directions\n",
              static_cast<unsigned long long>(proxy.carried() - before));
  before = proxy.carried();
  AddNumbers(server, "big", 1, 10'001);
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_CHANGES);
  EXPECT_LT(proxy.carried() - before, 1024U + 80'000);
  before = proxy.carried();
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_NOTHING);
  EXPECT_LT(proxy.carried() - before, 1024U);
  ExpectEqual(copy, "big");
}

// Up to as many new keys as the server notes, here 1,008, are followed in place.
TEST_F(Follow, FarBehindIsALoadInFull) {
  Reserve(server, "k", 50'000);
  Copy copy(options, "k");
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
  int next = 0;
  const auto add_new = [&](int count) {
    while (count > 0) count -= server.Call({"BF.ADD", "k", std::to_string(next++)}) == "1";
  };
  for (const int count : {1008, 1, 700, 700, 1008}) {  // the ring ends within some
    add_new(count);
    EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_CHANGES) << count;
    ExpectEqual(copy);
  }
  add_new(1009);
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
  ExpectEqual(copy);
  // Another follower asks in between, so the log goes on, and this one is behind.
  Copy other(options, "k");
  EXPECT_EQ(other.Poll(), LFB_FOLLOWED_REBUILT);
  add_new(1000);
  EXPECT_EQ(other.Poll(), LFB_FOLLOWED_CHANGES);
  add_new(9);
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
  EXPECT_EQ(other.Poll(), LFB_FOLLOWED_CHANGES);
  ExpectEqual(copy);
  ExpectEqual(other);
}

// More hashes than one reply has.
TEST_F(Follow, ManyKeysComeInSeveralReplies) {
  Reserve(server, "k", 15'000'000);
  Copy copy(options, "k");
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
  for (int from : {0, 200'000}) {  // the second ones go past the end of the ring
    AddNumbers(server, "k", from, from + 200'000);
    EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_CHANGES);
    EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_NOTHING);
    ExpectEqual(copy);
  }
}

// ---- what happens to a key ------------------------------------------------------------------

TEST_F(Follow, AKeyThatIsMadeAnewIsLoadedInFull) {
  const std::vector<std::pair<const char*, std::function<void()>>> ways = {
      {"deleted and reserved",
       [&] {
         server.Call({"DEL", "k"});
         Reserve(server, "k", 5000);
       }},
      {"renamed", [&] { server.Call({"RENAME", "other", "k"}); }},
      {"copied", [&] { server.Call({"COPY", "other", "k", "REPLACE"}); }},
      {"merged into", [&] { server.Call({"BF.MERGE", "k", "like"}); }},
      {"flushed",
       [&] {
         server.Call({"FLUSHALL"});
         Reserve(server, "k", 5000);
       }},
      {"loaded by chunks",
       [&] {
         const std::string head = server.Call({"BF.SCANDUMP", "k", "0"});
         server.Call({"DEL", "k"});
         EXPECT_EQ(server.Call({"BF.LOADCHUNK", "k", "1", head.substr(head.find('\n') + 1, 128)}), "OK");
         lfb_redis_module_value value{};
         const lfb_config config = Config(3000, 0.02, LFB_FAST);
         server.Call({"DEL", "k"});
         ASSERT_EQ(lfb_filter_create(&config, &value.filter), LFB_OK);
         lfb_filter_put_u64(value.filter, 5);
         EXPECT_EQ(lfb_redis_module_save(&options, "k", &value), LFB_OK);
         lfb_filter_free(value.filter);
       }},
      {"reloaded", [&] { server.Call({"DEBUG", "RELOAD"}); }},
  };
  for (const auto& [what, way] : ways) {
    server.Call({"FLUSHALL"});
    Reserve(server, "k", 5000);
    AddNumbers(server, "k", 0, 100);
    Reserve(server, "other", 7000);
    AddNumbers(server, "other", 0, 100);
    ASSERT_EQ(server.Call({"BF.LIKE", "like", "k"}), "OK");
    AddNumbers(server, "like", 0, 100);
    Copy copy(options, "k");
    EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
    // Logs of both have as many hashes: only the epoch tells them apart.
    server.Call({"BF.CHANGES", "other"});
    AddNumbers(server, "k", 100, 101);
    AddNumbers(server, "other", 100, 101);
    EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_CHANGES);
    way();
    EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT) << what;
    ExpectEqual(copy);
    server.Call({"BF.ADD", "k", "more"});
    EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_CHANGES) << what;
    ExpectEqual(copy);
  }
}

TEST_F(Follow, KeysThatCannotBeFollowedAreRefused) {
  Fill(server);
  EXPECT_EQ(server.Call({"SET", "string", "x"}), "OK");
  const std::string head = server.Call({"BF.SCANDUMP", "plain", "0"});
  EXPECT_EQ(server.Call({"BF.LOADCHUNK", "part", "1", head.substr(head.find('\n') + 1, 128)}), "OK");
  const std::pair<const char*, lfb_status> rows[] = {
      {"grown", LFB_ERROR_MODULE_GROWN},
      {"steady", LFB_ERROR_MODULE_GROWN},
      {"window", LFB_ERROR_MODULE_GROWN},
      {"string", LFB_ERROR_REDIS_NO_FILTER},
      {"absent", LFB_ERROR_REDIS_ABSENT},
      {"part", LFB_ERROR_REDIS_UNFINISHED},
      {"plain", LFB_OK},
      {"empty", LFB_OK},
  };
  for (const auto& [key, status] : rows) {
    Copy copy(options, key);
    EXPECT_EQ(copy.Poll(status), status == LFB_OK ? LFB_FOLLOWED_REBUILT : LFB_FOLLOWED_FAILED) << key;
  }
  RedisServer plain;
  Copy copy(plain.Options(), "k");
  EXPECT_EQ(copy.Poll(LFB_ERROR_MODULE_MISSING), LFB_FOLLOWED_FAILED);
}

TEST_F(Follow, AKeyThatGrowsOrGoesLeavesTheCopyAsItWas) {
  ASSERT_EQ(server.Call({"BF.RESERVE", "k", "0.01", "100"}), "OK");
  Copy copy(options, "k");
  AddNumbers(server, "k", 0, 50);
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
  const std::vector<uint64_t> had = copy.Words();
  AddNumbers(server, "k", 50, 300);
  EXPECT_EQ(copy.Poll(LFB_ERROR_MODULE_GROWN), LFB_FOLLOWED_FAILED);
  EXPECT_EQ(copy.Words(), had);
  EXPECT_EQ(CountNumbers(server, "k", 0, 300), 300);
  server.Call({"DEL", "k"});
  EXPECT_EQ(copy.Poll(LFB_ERROR_REDIS_ABSENT), LFB_FOLLOWED_FAILED);
  EXPECT_EQ(copy.Words(), had);
}

// ---- what happens to a server ---------------------------------------------------------------

TEST(FollowFaults, AServerThatIsKilledIsFollowedAgain) {
  for (const bool aof : {false, true}) {
    RedisConfig config = WithModule({}, {});
    config.durable = aof;
    RedisServer server(config);
    Reserve(server, "k", 50'000);
    AddNumbers(server, "k", 0, 500);
    Copy copy(server.Options(), "k");
    EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
    if (!aof) {
      ASSERT_EQ(server.Call({"SAVE"}), "OK");
    }
    AddNumbers(server, "k", 500, 600);
    EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_CHANGES);
    server.Kill();
    server.Start();
    // What was not saved is lost, and the copy loses it, too; as many other keys come.
    AddNumbers(server, "k", 600, 700);
    EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT) << aof;
    EXPECT_TRUE(copy.Words() == WordsOn(server, "k")) << aof;
    EXPECT_EQ(copy.Has("k-599"), CountNumbers(server, "k", 599, 600) == 1);
    AddNumbers(server, "k", 700, 800);
    EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_CHANGES);
    EXPECT_TRUE(copy.Words() == WordsOn(server, "k")) << aof;
  }
}

// A Redis replica answers followers, also of what its master added; and when it is the master.
TEST(FollowFaults, ARedisReplicaIsFollowed) {
  RedisServer master(WithModule({"--repl-diskless-sync-delay", "0"})), replica(WithModule());
  Reserve(master, "k", 50'000);
  AddNumbers(master, "k", 0, 500);
  ASSERT_EQ(replica.Call({"REPLICAOF", "127.0.0.1", std::to_string(master.port())}), "OK");
  const auto settle = [&] {
    Await("the replica has every key", [&] { return Digest(master, "k") == Digest(replica, "k"); });
  };
  settle();
  Copy copy(replica.Options(), "k");
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
  AddNumbers(master, "k", 500, 700);
  settle();
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_CHANGES);
  EXPECT_TRUE(copy.Words() == WordsOn(master, "k"));
  master.Kill();
  EXPECT_EQ(replica.Call({"REPLICAOF", "NO", "ONE"}), "OK");
  AddNumbers(replica, "k", 700, 900);
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_CHANGES) << "the same log";
  EXPECT_TRUE(copy.Words() == WordsOn(replica, "k"));
}

// The follower's master fails, and a Redis replica takes its place.
TEST(FollowFaults, FollowsThroughAFailover) {
  RedisConfig config = WithModule();
  config.node_ms = 2000;
  RedisCluster cluster(3, 1, config);
  std::string key;
  for (int n = 0; key.empty(); n++) {
    const std::string name = "key" + std::to_string(n);
    if (std::stoi(cluster.node(0).Call({"CLUSTER", "KEYSLOT", name})) * 3 / 16384 == 2) key = name;
  }
  RedisServer& master = cluster.node(2);
  Reserve(master, key, 50'000);
  AddNumbers(master, key, 0, 500);
  Copy copy(cluster.Options(), key.c_str());
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
  AddNumbers(master, key, 500, 600);
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_CHANGES);
  const std::string digest = Digest(master, key);
  Await("a replica has every key", [&] {
    for (size_t n = 3; n < cluster.size(); n++)
      if (Digest(cluster.node(n), key) == digest) return true;
    return false;
  });
  master.Kill();
  RedisServer* heir = nullptr;
  Await("a replica takes over", [&] {
    for (size_t n = 3; n < cluster.size(); n++)
      if (cluster.node(n).Call({"BF.ADD", key, "after"}) == "1") heir = &cluster.node(n);
    return heir != nullptr;
  });
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT) << "another log";
  EXPECT_TRUE(copy.Has("after"));
  AddNumbers(*heir, key, 600, 700);
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_CHANGES);
  lfb_redis_module_value value{};
  const lfb_redis_options options = cluster.Options();
  ASSERT_EQ(lfb_redis_module_load(&options, key.c_str(), nullptr, &value), LFB_OK);
  EXPECT_TRUE(copy.Words() == WordsOf(value.filter));
  lfb_filter_free(value.filter);
}

// ---- the commands ----------------------------------------------------------------------------

TEST_F(Follow, MemoryIsCountedAndGivenBack) {
  Reserve(server, "k", 10'000);
  AddNumbers(server, "k", 0, 1);
  const uint64_t before = MemoryOf(server, "k");
  const uint64_t all = ModuleMemory(server);
  const std::string digest = Digest(server, "k"), dump = server.Call({"DUMP", "k"});
  server.Call({"BF.CHANGES", "k"});
  const uint64_t with = MemoryOf(server, "k");
  EXPECT_GE(with, before + 8 * 1024 - 128);
  EXPECT_LE(with, before + 8 * 1024 + 64);
  EXPECT_EQ(ModuleMemory(server) - all, with - before);
  EXPECT_EQ(Digest(server, "k"), digest) << "no part of the value";
  EXPECT_EQ(server.Call({"DUMP", "k"}).size(), dump.size());
  EXPECT_EQ(server.Call({"COPY", "k", "copy"}), "1");
  EXPECT_LE(MemoryOf(server, "copy"), before + 64);
  EXPECT_EQ(server.Call({"DEL", "copy"}), "1");
  // Nobody asks while more keys come than are noted.
  AddNumbers(server, "k", 1, 900);
  EXPECT_EQ(MemoryOf(server, "k"), with);
  AddNumbers(server, "k", 900, 1400);
  EXPECT_EQ(MemoryOf(server, "k"), before);
  server.Call({"BF.CHANGES", "k"});
  EXPECT_EQ(MemoryOf(server, "k"), with);
  EXPECT_EQ(server.Call({"DEL", "k"}), "1");
  Await("all memory is given back", [&] { return ModuleMemory(server) == 0; });
}

TEST_F(Follow, TheLargestLogTakes16MiB) {
  Reserve(server, "k", 1'000'000'000);  // its pages are not touched
  const uint64_t before = MemoryOf(server, "k");
  EXPECT_NE(server.Call({"BF.CHANGES", "k"}), "");
  EXPECT_GE(MemoryOf(server, "k"), before + (16 << 20) - 128);
  EXPECT_LT(MemoryOf(server, "k"), before + (17 << 20));
}

TEST_F(Follow, TheCommandsSayWhatIsWrong) {
  Reserve(server, "k", 1000);
  const std::string arity = "ERR wrong number of arguments for 'bf.";
  const std::string number = "ERR an argument is no number, or out of its range";
  const std::string grown =
      "ERR only a key that is one filter can be followed: this one is a window or has grown";
  EXPECT_EQ(server.Call({"BF.WINDOW.RESERVE", "w", "0.1", "100"}), "OK");
  EXPECT_EQ(server.Call({"SET", "s", "x"}), "OK");
  const std::pair<Words, std::string> rows[] = {
      {{"BF.CHANGES"}, arity + "changes' command"},
      {{"BF.CHANGES", "k", "1"}, arity + "changes' command"},
      {{"BF.CHANGES", "k", "1", "2", "3"}, arity + "changes' command"},
      {{"BF.CHANGES", "k", "x", "2"}, number},
      {{"BF.CHANGES", "k", "1", "-1"}, number},
      {{"BF.CHANGES", "absent"}, "ERR not found"},
      {{"BF.CHANGES", "w"}, grown},
      {{"BF.CHANGES", "s"}, "WRONGTYPE Operation against a key holding the wrong kind of value"},
      {{"BF.WORDS", "k", "1", "0"}, arity + "words' command"},
      {{"BF.WORDS", "k", "1", "0", "0"}, number},
      {{"BF.WORDS", "k", "1", "0", "131073"}, number},
      {{"BF.WORDS", "k", "-1", "0", "1"}, number},
      {{"BF.WORDS", "k", "1", "y", "1"}, number},
      {{"BF.WORDS", "k", "1", "0", "1"}, "(nil)"},
      {{"BF.WORDS", "absent", "1", "0", "1"}, "ERR not found"},
  };
  for (const auto& [words, reply] : rows) EXPECT_EQ(server.Call(words), reply) << words.back();
  // Replies, in lines: the epoch, the version, and a header, hashes or nil.
  const std::string begun = server.Call({"BF.CHANGES", "k"});
  const std::string epoch = begun.substr(0, begun.find('\n'));
  EXPECT_GT(Number(epoch), 0U);
  EXPECT_LT(Number(epoch), uint64_t{1} << 53);
  EXPECT_EQ(begun.size(), epoch.size() + 3 + 256 + 1);
  EXPECT_EQ(server.Call({"BF.CHANGES", "k", epoch, "0"}), epoch + "\n0\n\n");
  EXPECT_EQ(server.Call({"BF.CHANGES", "k", epoch, "1"}), epoch + "\n0\n(nil)\n");
  EXPECT_EQ(server.Call({"BF.CHANGES", "k", "1", "0"}), epoch + "\n0\n(nil)\n");
  EXPECT_EQ(server.Call({"BF.MADD", "k", "a", "b", "a"}), "1\n1\n0\n");
  EXPECT_EQ(server.Call({"BF.CHANGES", "k", epoch, "0"}).size(), epoch.size() + 3 + 16 + 1);
  EXPECT_EQ(server.Call({"BF.CHANGES", "k", epoch, "1"}).size(), epoch.size() + 3 + 8 + 1);
  EXPECT_EQ(server.Call({"BF.CHANGES", "k", epoch, "2"}), epoch + "\n2\n\n");
  EXPECT_EQ(server.Call({"BF.WORDS", "k", epoch, "0", "1"}).size(), 8U);
  EXPECT_EQ(server.Call({"BF.WORDS", "k", std::to_string(Number(epoch) ^ 2), "0", "1"}), "(nil)");
  const uint64_t words = Number(server.Call({"BF.INFO", "k", "SIZE"})) / 8;
  EXPECT_EQ(server.Call({"BF.WORDS", "k", epoch, std::to_string(words), "1"}), "");
  EXPECT_EQ(server.Call({"BF.WORDS", "k", epoch, "9223372036854775807", "131072"}), "");
  // Both only read.
  EXPECT_NE(server.Call({"COMMAND", "INFO", "bf.changes", "bf.words"}).find("readonly"), std::string::npos);
  EXPECT_EQ(server.Call({"COMMAND", "INFO", "bf.changes", "bf.words"}).find("write"), std::string::npos);
}

}  // namespace
