// module_keys_test.cc - puts and queries of keys of the module by lfb_redis_*: the fourth layout.
//
// Each planted fault (by hand), and the tests that were seen to fail, in 3 runs of 3:
//
// - no mark is asked for (filter.c, keys_send): NeverIsAMissingKeySilentlyAbsent,
//   AKeyMadeAnewIsAnother
// - the mark is not compared (layout_module.c, module_same_head): AKeyMadeAnewIsAnother
// - it is not asked for again after a lost connection: AMarkBeforeALateQueryDoesNotCount
// - BF.MADD in place of BF.INSERT NOCREATE: NoPutMakesItAgain
// - an error among the answers is not looked for: AFullKeyIsAnError
// - a put that was sent again keeps the server's answer: NothingIsLostWithAConnection

#include <atomic>
#include <thread>

#include "redis/link/nodes.h"
#include "tests/redis/fake.h"
#include "tests/redis/module.h"
#include "tests/redis/proxy.h"
#include "tests/redis/remotes.h"
#include "tests/support/race.h"

namespace {

std::vector<uint64_t> From(uint64_t first, uint64_t count) {
  std::vector<uint64_t> keys(count);
  for (uint64_t i = 0; i < count; i++) keys[i] = first + i;
  return keys;
}

lfb_status PutAll(const Remote& remote, const std::vector<uint64_t>& keys, size_t* yes = nullptr) {
  return lfb_redis_many(remote.get(), LFB_PUT, keys.data(), keys.size(), nullptr, yes, LFB_U64_KEY);
}

lfb_status FindAll(const Remote& remote, const std::vector<uint64_t>& keys, size_t* yes) {
  return lfb_redis_many(remote.get(), LFB_MIGHT_CONTAIN, keys.data(), keys.size(), nullptr, yes,
                        LFB_U64_KEY);
}

size_t Found(const Remote& remote, const std::vector<uint64_t>& keys) {
  size_t yes = 0;
  EXPECT_EQ(FindAll(remote, keys, &yes), LFB_OK);
  return yes;
}

class ModuleKeys : public testing::Test {
 protected:
  void SetUp() override {
    EXPECT_EQ(server.Call({"BF.RESERVE", "seen", "0.0000001", "50000", "NONSCALING"}), "OK");
  }
  std::string Head(const std::string& name) const { return Scan(server, name, "0").bytes; }
  RedisServer server{WithModule()};
  const lfb_redis_options options = server.Options();
};

// The same answers as those of the filter that is loaded from the key: keys are bytes, and numbers
// are 8 bytes, little-endian.
TEST_F(ModuleKeys, AnswersAsTheFilterInMemory) {
  const Remote remote = OpenRemote(options, "seen");
  EXPECT_TRUE(RemotePut(remote, "apple"));
  EXPECT_FALSE(RemotePut(remote, "apple"));
  EXPECT_TRUE(RemoteHas(remote, "apple"));
  EXPECT_FALSE(RemoteHas(remote, "pear"));
  EXPECT_TRUE(RemotePut(remote, ""));
  EXPECT_TRUE(RemotePut(remote, std::string("\0\r\n$", 4)));
  EXPECT_EQ(server.Call({"BF.MEXISTS", "seen", "apple", "", "pear"}), "1\n1\n0\n");
  bool yes = false;
  EXPECT_EQ(PutNumber(remote.get(), 0x0807060504030201, &yes), LFB_OK);
  EXPECT_TRUE(yes);
  EXPECT_EQ(server.Call({"BF.EXISTS", "seen", "\1\2\3\4\5\6\7\10"}), "1");
  EXPECT_EQ(AskNumber(remote.get(), 0x0807060504030201, &yes), LFB_OK);
  EXPECT_TRUE(yes);

  for (const size_t count : {0u, 1u, 63u, 64u, 65u, 128u, 20'011u}) {
    std::vector<std::string> texts;
    std::vector<lfb_key> keys;
    for (size_t i = 0; i < count; i++)
      texts.push_back("k" + std::to_string(Mix(count, i % 15'000)));
    for (const std::string& text : texts) keys.push_back({text.data(), text.size()});
    const size_t words = (count + 63) / 64;
    std::vector<uint64_t> here(words), there(words, ~uint64_t{0});
    lfb_redis_module_value value{};
    ASSERT_EQ(lfb_redis_module_load(&options, "seen", nullptr, &value), LFB_OK);
    for (const bool again : {false, true}) {
      size_t some = 1;
      EXPECT_EQ(lfb_redis_many(remote.get(), LFB_PUT, keys.data(), count, there.data(), &some,
                               LFB_BYTES_KEY),
                LFB_OK);
      EXPECT_EQ(some, lfb_any_many(value.any, LFB_PUT, keys.data(), count, here.data()));
      EXPECT_EQ(there, here);
      EXPECT_EQ(again && some > 0, false);
    }
    for (size_t i = 0; i < count; i += 3) keys[i].size--;  // most are absent
    size_t some = 1;
    EXPECT_EQ(lfb_redis_many(remote.get(), LFB_MIGHT_CONTAIN, keys.data(), count, there.data(),
                             &some, LFB_BYTES_KEY),
              LFB_OK);
    EXPECT_EQ(some, lfb_any_many(value.any, LFB_MIGHT_CONTAIN, keys.data(), count, here.data()));
    EXPECT_EQ(there, here);
    lfb_any_free(value.any);
  }
}

// A call is a few commands of 64 keys each and one that proves the key.
TEST_F(ModuleKeys, SendsManyKeysInACommand) {
  const Remote remote = OpenRemote(options, "seen");
  server.Call({"CONFIG", "RESETSTAT"});
  EXPECT_EQ(PutAll(remote, From(0, 6401)), LFB_OK);
  EXPECT_EQ(Found(remote, From(0, 6401)), 6401u);
  EXPECT_EQ(server.Info("cmdstat_bf.insert").substr(0, 10), "calls=101,");
  EXPECT_EQ(server.Info("cmdstat_bf.mexists").substr(0, 10), "calls=101,");
  EXPECT_EQ(server.Info("cmdstat_bf.scandump").substr(0, 8), "calls=2,");
}

// Chains that grow, and windows, whatever they were made by.
TEST_F(ModuleKeys, TakesEveryKindOfKey) {
  Fill(server);
  EXPECT_EQ(server.Call({"BF.WINDOW.RESERVE", "minute", "0.01", "5000", "SPAN", "60"}), "OK");
  for (const std::string name : {"plain", "grown", "steady", "empty", "window", "minute"}) {
    const Remote remote = OpenRemote(options, name);
    EXPECT_EQ(PutAll(remote, From(1 << 20, 900)), LFB_OK) << name;
    EXPECT_EQ(Found(remote, From(1 << 20, 900)), 900u) << name;
    EXPECT_LT(Found(remote, From(1 << 21, 900)), 100u) << name;
  }
  EXPECT_EQ(TryOpen(options, "removable"), LFB_ERROR_COUNTING);  // a repeated put is one too many
}

TEST_F(ModuleKeys, HasFigures) {
  server.Call({"BF.RESERVE", "chain", "0.02", "3000"});
  lfb_config own{}, keyed{};
  own.expected_insertions = 3000;
  own.fpp = 0.01;
  EXPECT_EQ(TryOpen(options, "chain", &own), LFB_ERROR_BIT_COUNT_DIFFERS);
  own.fpp = 0.02;
  const Remote remote = OpenRemote(options, "chain", &own);
  keyed.key[0] = 1;
  EXPECT_EQ(TryOpen(options, "chain", &keyed), LFB_ERROR_WRONG_KEY);
  EXPECT_EQ(RemoteStats(remote).expected_fpp, 0);
  size_t fresh = 0;
  EXPECT_EQ(PutAll(remote, From(0, 10'000), &fresh), LFB_OK);
  const lfb_stats stats = RemoteStats(remote);
  EXPECT_EQ(std::to_string(stats.approximate_count), server.Call({"BF.CARD", "chain"}));
  EXPECT_EQ(stats.approximate_count, fresh);
  EXPECT_EQ(stats.expected_insertions, 3000u);
  EXPECT_EQ(stats.fpp, 0.02);
  EXPECT_GT(stats.expected_fpp, 0.001);
  EXPECT_LT(stats.expected_fpp, 0.02);
  EXPECT_EQ(stats.expected_fpp, std::stod(server.Call({"BF.INFO", "chain", "ERRORNOW"})));
  EXPECT_EQ(std::to_string(stats.bytes) + "\n", server.Call({"BF.INFO", "chain", "SIZE"}));
  EXPECT_EQ(stats.strategy, LFB_FAST);
  EXPECT_EQ(stats.bits_set, 0u);
}

TEST_F(ModuleKeys, HasTheFiguresOfItsKind) {
  lfb_figures figures{};
  server.Call({"BF.RESERVE", "chain", "0.02", "3000"});
  server.Call({"BF.WINDOW.RESERVE", "window", "0.02", "3000", "SPAN", "60", "GENERATIONS", "7"});
  AddNumbers(server, "chain", 0, 10'000);
  AddNumbers(server, "window", 0, 3000);
  AddNumbers(server, "seen", 0, 50'000);
  server.Call({"BF.LIKE", "like", "seen"});
  AddNumbers(server, "like", 0, 50'000);
  EXPECT_EQ(server.Call({"BF.MERGE", "seen", "like", "FORCE"}), "OK");
  ASSERT_EQ(lfb_redis_stats(OpenRemote(options, "chain").get(), &figures), LFB_OK);
  EXPECT_EQ(figures.kind, LFB_KIND_GROWING);
  EXPECT_EQ(figures.growing.layers, 3u);
  ASSERT_EQ(lfb_redis_stats(OpenRemote(options, "window").get(), &figures), LFB_OK);
  EXPECT_EQ(figures.kind, LFB_KIND_WINDOW);
  EXPECT_EQ(figures.window.generations, 7u);
  EXPECT_NEAR(figures.window.span, 60, 0.01);
  EXPECT_EQ(figures.all.strategy, LFB_DEFAULT);
  EXPECT_GT(figures.all.expected_fpp, 0);
  ASSERT_EQ(lfb_redis_stats(OpenRemote(options, "seen").get(), &figures), LFB_OK);
  EXPECT_EQ(figures.kind, LFB_KIND_PLAIN);
  EXPECT_GT(figures.all.expected_fpp, 2 * figures.all.fpp);
}

TEST_F(ModuleKeys, IsListedExpiredRenamedAndDeleted) {
  const Remote remote = OpenRemote(options, "seen"), old = OpenRemote(options, "seen");
  RemotePut(remote, "apple");
  EXPECT_EQ(Keys(remote), std::vector<std::string>{"seen"});
  EXPECT_EQ(lfb_redis_expire(remote.get(), 3'600'000), LFB_OK);
  EXPECT_GT(std::stoll(server.Call({"PTTL", "seen"})), 3'000'000);
  EXPECT_EQ(lfb_redis_expire(remote.get(), 0), LFB_OK);
  EXPECT_EQ(server.Call({"PTTL", "seen"}), "-1");
  server.Call({"SET", "taken", "somebody's"});
  EXPECT_EQ(lfb_redis_rename(remote.get(), "taken"), LFB_ERROR_REDIS_EXISTS);
  EXPECT_EQ(lfb_redis_rename(remote.get(), "renamed"), LFB_OK);
  EXPECT_TRUE(RemoteHas(remote, "apple"));
  EXPECT_TRUE(RemoteHas(OpenRemote(options, "renamed"), "apple"));
  bool maybe = false;
  EXPECT_EQ(lfb_redis_might_contain(old.get(), "apple", 5, &maybe), LFB_ERROR_REDIS_PART);
  EXPECT_EQ(lfb_redis_delete(&options, "renamed", LFB_DEFAULT), LFB_OK);
  EXPECT_EQ(server.Call({"DBSIZE"}), "1");
  EXPECT_EQ(lfb_redis_expire(remote.get(), 1000), LFB_ERROR_REDIS_PART);
  EXPECT_EQ(lfb_redis_rename(remote.get(), "again"), LFB_ERROR_REDIS_PART);
  EXPECT_EQ(lfb_redis_delete(&options, "renamed", LFB_DEFAULT), LFB_ERROR_REDIS_ABSENT);
}

// A key that waits for chunks is no filter yet, and can be deleted.
TEST_F(ModuleKeys, AKeyThatIsBeingLoadedIsUnfinished) {
  RemotePut(OpenRemote(options, "seen"), "apple");
  EXPECT_EQ(server.Call({"BF.LOADCHUNK", "half", "1", Head("seen")}), "OK");
  EXPECT_EQ(TryOpen(options, "half"), LFB_ERROR_REDIS_UNFINISHED);
  const Remote remote = OpenRemote(options, "seen");
  server.Call({"RENAME", "half", "seen"});
  size_t yes = 0;
  EXPECT_EQ(PutAll(remote, From(0, 100)), LFB_ERROR_REDIS_PART);
  EXPECT_EQ(FindAll(remote, From(0, 100), &yes), LFB_ERROR_REDIS_PART);
  EXPECT_EQ(lfb_redis_delete(&options, "seen", LFB_DEFAULT), LFB_OK);
  EXPECT_EQ(server.Call({"DBSIZE"}), "0");
}

// What needs the words of the filter is refused; lfb_redis_module_load() has them.
TEST_F(ModuleKeys, OtherFunctionsRefuseIt) {
  const Remote remote = OpenRemote(options, "seen");
  lfb_filter* local = nullptr;
  EXPECT_EQ(lfb_redis_load(remote.get(), nullptr, &local), LFB_ERROR_REDIS_NO_FILTER);
  EXPECT_EQ(local, nullptr);
  const lfb_config config = Config(100, 0.01, LFB_FAST);
  lfb_redis* made = nullptr;
  EXPECT_EQ(lfb_redis_create(&options, "seen", &config, 0, &made), LFB_ERROR_REDIS_EXISTS);
  const lfb_config helper = Config(100, 0.01, LFB_REDIS_MITZ32);
  EXPECT_EQ(TryOpen(options, "seen", &helper), LFB_ERROR_STRATEGY_DIFFERS);
  EXPECT_EQ(server.Call({"DBSIZE"}), "1");
}

// ---- made here -------------------------------------------------------------------------

// lfb_redis_create() and lfb_redis_save() make keys of the module if they are asked to.
TEST_F(ModuleKeys, AreMadeIfAskedFor) {
  lfb_redis_options asking = options;
  asking.module = true;
  const lfb_config config = Config(1000, 0.001, LFB_DEFAULT);
  lfb_redis* made = nullptr;
  ASSERT_EQ(lfb_redis_create(&asking, "new", &config, 0, &made), LFB_OK);
  const Remote remote(made);
  EXPECT_EQ(PutAll(remote, From(0, 3000)), LFB_OK);  // it grows
  EXPECT_EQ(Found(remote, From(0, 3000)), 3000u);
  EXPECT_EQ(server.Call({"TYPE", "new"}), "lfbloom-v");
  EXPECT_EQ(server.Call({"BF.INFO", "new", "EXPANSION"}), "2\n");
  EXPECT_EQ(lfb_redis_create(&asking, "new", &config, 0, &made), LFB_ERROR_REDIS_EXISTS);
  EXPECT_EQ(server.Call({"SET", "text", "somebody's"}), "OK");
  EXPECT_EQ(lfb_redis_create(&asking, "text", &config, 0, &made), LFB_ERROR_REDIS_EXISTS);
  for (const lfb_strategy_id strategy : {LFB_FAST_PAIR, LFB_GUAVA_MITZ64}) {
    const lfb_config other = Config(1000, 0.001, strategy);
    EXPECT_EQ(lfb_redis_create(&asking, "other", &other, 0, &made), LFB_ERROR_MODULE_FILTER);
  }
  lfb_config seeded = Config(1000, 0.001, LFB_FAST);
  seeded.hash = LFB_HASH_XXH3;
  seeded.seed = 5;
  ASSERT_EQ(lfb_redis_create(&asking, "seeded", &seeded, 0, &made), LFB_OK);
  lfb_redis_close(made);
  lfb_redis_module_value value{};
  ASSERT_EQ(lfb_redis_module_load(&options, "seeded", nullptr, &value), LFB_OK);
  const Filter local(value.any.plain);
  lfb_config told{};
  ASSERT_EQ(lfb_config_take_hash(&told, local.get()), LFB_OK);
  EXPECT_EQ(told.seed, 5u);
  EXPECT_EQ(lfb_redis_save(&asking, "saved", local.get(), 0), LFB_OK);
  EXPECT_EQ(server.Call({"TYPE", "saved"}), "lfbloom-v");
  const RedisServer plain;
  lfb_redis_options without = plain.Options();
  without.module = true;
  EXPECT_EQ(lfb_redis_create(&without, "new", &config, 0, &made), LFB_ERROR_MODULE_MISSING);
}

// Wherever the connection is cut, the command is sent again, and what is there then is known by its
// hash.  Seen to fail if a name in use is always an error.
TEST_F(ModuleKeys, AreMadeOnceIfAConnectionIsLost) {
  const lfb_config config = Config(1000, 0.001, LFB_DEFAULT);
  for (size_t bytes = 0; bytes < 900; bytes += 16) {
    const CuttingProxy proxy(server.port(), [&](unsigned number) {
      return number > 0 ? CuttingProxy::kNever : 40 + bytes;
    });
    lfb_redis_options asking = options;
    asking.port = proxy.port();
    asking.module = true;
    lfb_redis* made = nullptr;
    ASSERT_EQ(
        lfb_redis_create(&asking, ("new " + std::to_string(bytes)).c_str(), &config, 0, &made),
        LFB_OK)
        << bytes;
    lfb_redis_close(made);
  }
}

// ---- what is refused, and never silently absent ----------------------------------------

const Words kLosses[] = {
    {"DEL", "seen"},
    {"RENAME", "seen", "other"},
    {"FLUSHALL"},
    {"PEXPIRE", "seen", "1"},
    {"SET", "seen", "somebody's"},
};

TEST_F(ModuleKeys, NeverIsAMissingKeySilentlyAbsent) {
  for (const Words& loss : kLosses) {
    server.Call({"DEL", "seen"});
    server.Call({"BF.RESERVE", "seen", "0.0001", "50000"});
    const Remote remote = OpenRemote(options, "seen");
    EXPECT_EQ(PutAll(remote, From(0, 1000)), LFB_OK);
    server.Call(loss);
    Await("it is gone", [&] { return server.Call({"TYPE", "seen"}) != "lfbloom-v"; });
    std::vector<uint64_t> answers(16, 7);
    size_t yes = 9;
    EXPECT_EQ(lfb_redis_many(remote.get(), LFB_MIGHT_CONTAIN, From(0, 1000).data(), 1000,
                             answers.data(), &yes, LFB_U64_KEY),
              LFB_ERROR_REDIS_PART)
        << loss[0];
    EXPECT_EQ(answers, std::vector<uint64_t>(16, 7));
    EXPECT_EQ(yes, 9u);
    bool maybe = true;
    EXPECT_EQ(AskNumber(remote.get(), 1, &maybe), LFB_ERROR_REDIS_PART);
    EXPECT_TRUE(maybe);
    lfb_figures figures{};
    EXPECT_EQ(lfb_redis_stats(remote.get(), &figures), LFB_ERROR_REDIS_PART);
  }
}

TEST_F(ModuleKeys, NoPutMakesItAgain) {
  for (const Words& loss : kLosses) {
    server.Call({"DEL", "seen"});
    server.Call({"BF.RESERVE", "seen", "0.0001", "50000"});
    const Remote remote = OpenRemote(options, "seen");
    server.Call(loss);
    Await("it is gone", [&] { return server.Call({"TYPE", "seen"}) != "lfbloom-v"; });
    const std::string before = server.Call({"TYPE", "seen"});
    EXPECT_EQ(PutAll(remote, From(0, 1000)), LFB_ERROR_REDIS_PART) << loss[0];
    EXPECT_EQ(PutNumber(remote.get(), 1, nullptr), LFB_ERROR_REDIS_PART);
    EXPECT_EQ(server.Call({"TYPE", "seen"}), before);
  }
}

// A key of the same size that was since made under the name has another hash.
TEST_F(ModuleKeys, AKeyMadeAnewIsAnother) {
  for (const char* hash : {"default", "xxh3", "siphash13"}) {
    server.Call({"CONFIG", "SET", "lfbloom.hash", hash});
    server.Call({"DEL", "seen"});
    server.Call({"BF.RESERVE", "seen", "0.0001", "50000"});
    const Remote remote = OpenRemote(options, "seen");
    RemotePut(remote, "apple");
    server.Call({"DEL", "seen"});
    server.Call({"BF.RESERVE", "seen", "0.0001", "50000"});
    bool maybe = false;
    EXPECT_EQ(lfb_redis_might_contain(remote.get(), "apple", 5, &maybe), LFB_ERROR_REDIS_PART)
        << hash;
    EXPECT_EQ(lfb_redis_put(remote.get(), "apple", 5, &maybe), LFB_ERROR_REDIS_PART);
  }
}

TEST_F(ModuleKeys, AFullKeyIsAnError) {
  server.Call({"BF.RESERVE", "full", "0.01", "1000", "NONSCALING"});
  const Remote remote = OpenRemote(options, "full");
  EXPECT_EQ(PutAll(remote, From(0, 900)), LFB_OK);
  EXPECT_EQ(PutAll(remote, From(900, 5000)), LFB_ERROR_CANNOT_GROW);
  EXPECT_EQ(PutNumber(remote.get(), 1 << 30, nullptr), LFB_ERROR_CANNOT_GROW);
  EXPECT_EQ(Found(remote, From(0, 900)), 900u);
  server.Call({"BF.RESERVE", "grows", "0.01", "1000"});
  server.Call({"CONFIG", "SET", "lfbloom.max-bytes", "20000"});
  EXPECT_EQ(PutAll(OpenRemote(options, "grows"), From(0, 200'000)), LFB_ERROR_OVER_LIMIT);
}

TEST_F(ModuleKeys, AServerWithoutMemoryRefusesPutsOnly) {
  const Remote remote = OpenRemote(options, "seen");
  EXPECT_EQ(PutAll(remote, From(0, 100)), LFB_OK);
  server.Call({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_EQ(PutAll(remote, From(100, 100)), LFB_ERROR_REDIS_MEMORY);
  EXPECT_EQ(Found(remote, From(0, 100)), 100u);
}

// What a user needs: redis.h, 8.
TEST_F(ModuleKeys, NeedsItsRights) {
  EXPECT_EQ(PutAll(OpenRemote(options, "seen"), From(0, 10)), LFB_OK);
  lfb_redis_options user = options;
  user.password = "secret";
  user.user = "reader";
  server.Call({"ACL", "SETUSER", "reader", "on", ">secret", "~seen", "+type", "+bf.mexists",
               "+bf.scandump"});
  {
    const Remote remote = OpenRemote(user, "seen");
    EXPECT_EQ(Found(remote, From(0, 10)), 10u);
    EXPECT_EQ(PutAll(remote, From(0, 10)), LFB_ERROR_REDIS_DENIED);
  }
  server.Call({"ACL", "SETUSER", "reader", "-bf.mexists", "+bf.insert"});
  size_t yes = 0;
  const Remote remote = OpenRemote(user, "seen");
  EXPECT_EQ(PutAll(remote, From(0, 10)), LFB_OK);
  EXPECT_EQ(FindAll(remote, From(0, 10), &yes), LFB_ERROR_REDIS_DENIED);
}

// ---- connections ---------------------------------------------------------------------------

// Connections are cut at many places. Every key is found, and each new one is reported as new once
// or, if its command was sent again, at least once.
TEST_F(ModuleKeys, NothingIsLostWithAConnection) {
  CuttingProxy proxy(server.port(), [](unsigned number) { return 20'000 + 31'777 * (number % 5); });
  lfb_redis_options through = options;
  through.port = proxy.port();
  const Remote remote = OpenRemote(through, "seen");
  for (uint64_t first = 0; first < 20'000; first += 2000) {
    size_t yes = 0;
    EXPECT_EQ(PutAll(remote, From(first, 2000), &yes), LFB_OK);
    EXPECT_EQ(yes, 2000u);
    EXPECT_EQ(Found(remote, From(first, 2000)), 2000u);
  }
  EXPECT_GT(proxy.cut(), 3u);
}

// A server puts a query off and answers the command for the mark that follows it. Then the key is
// lost, and the query, sent again, finds nothing: that is not "absent".
TEST_F(ModuleKeys, AMarkBeforeALateQueryDoesNotCount) {
  const std::string head = Head("seen");
  const std::string mark = "*2\r\n:1\r\n$128\r\n" + head + "\r\n";
  for (const bool lost : {false, true}) {
    unsigned queries = 0;
    FakeServer fake([&](unsigned, const std::string& received) -> std::string {
      const auto has = [&received](const char* text) {
        return received.find(text) != std::string::npos;
      };
      if (has("SLOTS")) return "-ERR This instance has cluster support disabled\r\n";
      if (has("PING")) return "+PONG\r\n";
      if (has("TYPE")) return "+lfbloom-v\r\n";
      if (has("BF.MEXISTS")) return queries++ == 0 ? "-LOADING\r\n" + mark : "*1\r\n:0\r\n";
      return lost && queries > 0 ? "-ERR not found\r\n" : mark;
    });
    lfb_redis_options late{};
    late.port = fake.port();
    const Remote remote = OpenRemote(late, "seen");
    bool maybe = true;
    EXPECT_EQ(AskNumber(remote.get(), 1, &maybe),
              lost ? LFB_ERROR_REDIS_PART : LFB_OK);
    EXPECT_EQ(maybe, lost) << "untouched";
    EXPECT_EQ(queries, 2u);
  }
}

// Whatever a server answers that is not the module, is an error.
TEST_F(ModuleKeys, LiesAreRefused) {
  const std::string mark = "*2\r\n:1\r\n$128\r\n" + Head("seen") + "\r\n";
  const struct {
    std::string answer;
    lfb_status status;
  } rows[] = {
      {"+OK\r\n", LFB_ERROR_REDIS_PROTOCOL},
      {"*0\r\n", LFB_ERROR_REDIS_PROTOCOL},
      {"*2\r\n:1\r\n:1\r\n", LFB_ERROR_REDIS_PROTOCOL},
      {"*1\r\n$1\r\n1\r\n", LFB_ERROR_REDIS_PROTOCOL},
      {"*1\r\n-ERR problem inserting into filter: it cannot grow: out of memory\r\n",
       LFB_ERROR_REDIS_MEMORY},
      {"*1\r\n-ERR problem inserting into filter: it cannot grow: else\r\n", LFB_ERROR_CANNOT_GROW},
      {"-ERR unknown command 'BF.INSERT'\r\n", LFB_ERROR_MODULE_MISSING},
      {"-ERR else\r\n", LFB_ERROR_REDIS_REFUSED},
  };
  for (const auto& row : rows) {
    FakeServer fake([&](unsigned, const std::string& received) -> std::string {
      const auto has = [&received](const char* text) {
        return received.find(text) != std::string::npos;
      };
      if (has("SLOTS")) return "-ERR This instance has cluster support disabled\r\n";
      if (has("PING")) return "+PONG\r\n";
      if (has("TYPE")) return "+lfbloom-v\r\n";
      return has("BF.INSERT") ? row.answer + mark : mark;
    });
    lfb_redis_options lying{};
    lying.port = fake.port();
    const Remote remote = OpenRemote(lying, "seen");
    EXPECT_EQ(PutNumber(remote.get(), 1, nullptr), row.status) << row.answer;
  }
}

// ---- replicas and clusters --------------------------------------------------------------------

TEST(ModuleKeysReplicas, APutWaitsForThem) {
  RedisServer master{WithModule({"--repl-diskless-sync-delay", "0"})};
  master.Call({"BF.RESERVE", "seen", "0.0001", "50000"});
  lfb_redis_options options = master.Options();
  options.replicas = 1;
  options.replicas_ms = 50;
  const Remote hasty = OpenRemote(options, "seen");
  EXPECT_EQ(PutAll(hasty, From(0, 100)), LFB_ERROR_REDIS_REPLICAS);
  EXPECT_EQ(Found(hasty, From(0, 100)), 100u);

  RedisServer replica{WithModule({"--replicaof", "127.0.0.1", std::to_string(master.port())})};
  Await("the replica is connected", [&] { return replica.Info("master_link_status") == "up"; });
  options.replicas_ms = 60'000;
  options.timeout_ms = 120'000;
  const Remote remote = OpenRemote(options, "seen");
  master.Call({"CONFIG", "RESETSTAT"});
  size_t yes = 0;
  EXPECT_EQ(PutAll(remote, From(100, 1000), &yes), LFB_OK);
  EXPECT_EQ(yes, 1000u);
  EXPECT_EQ(master.Info("cmdstat_wait").substr(0, 8), "calls=1,");
  master.Kill();
  EXPECT_EQ(replica.Call({"REPLICAOF", "NO", "ONE"}), "OK");
  EXPECT_EQ(Found(OpenRemote(replica.Options(), "seen"), From(0, 1100)), 1100u);
}

// The key moves between nodes during puts and queries. No acknowledged key is ever missing.
TEST(ModuleKeysCluster, NothingIsLostWhileItMoves) {
  RedisConfig config = WithModule();
  config.cluster = true;
  RedisCluster cluster(3, 0, config);
  const uint16_t slot = lfb_key_slot("seen", 4);
  EXPECT_EQ(cluster.Owner(slot).Call({"BF.RESERVE", "seen", "0.000000001", "100000"}), "OK");
  const Remote remote = OpenRemote(cluster.Options(), "seen");
  EXPECT_EQ(lfb_redis_rename(remote.get(), "other"), LFB_ERROR_REDIS_OTHER_SLOT);
  std::atomic<bool> ended{false};
  std::atomic<uint64_t> rounds{0};
  std::thread client([&] {
    for (; !ended; rounds++) {
      const std::vector<uint64_t> batch = From(rounds % 40 * 500, 500);
      size_t yes = 0;
      EXPECT_EQ(PutAll(remote, batch, &yes), LFB_OK);
      if (rounds < 40) {
        EXPECT_EQ(yes, 500u);
      }
      EXPECT_EQ(FindAll(remote, batch, &yes), LFB_OK);
      EXPECT_EQ(yes, 500u);
    }
  });
  for (int turn = 0; turn < 6; turn++) {
    const uint64_t before = rounds;
    RedisServer& from = cluster.Owner(slot);
    cluster.Move(slot, from, &from == &cluster.node(0) ? cluster.node(1) : cluster.node(0));
    AwaitSpinning("the client goes on",
                  [&] { return rounds != before || testing::Test::HasFailure(); });
  }
  ended = true;
  client.join();
}

// Of any number of clients that put one new key, exactly one is told that it was new.
TEST_F(ModuleKeys, EachKeyIsNewOnce) {
  constexpr unsigned kThreads = 4;
  constexpr uint64_t kCount = 20'000;
  std::vector<size_t> wins(kThreads);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; t++)
    threads.emplace_back([&, t] {
      EXPECT_EQ(PutAll(OpenRemote(options, "seen"), From(0, kCount), &wins[t]), LFB_OK);
    });
  for (std::thread& thread : threads) thread.join();
  size_t all = 0;
  for (const size_t won : wins) all += won;
  EXPECT_LE(all, kCount);
  EXPECT_GE(all, kCount - 10) << "false positives at 1e-7";
}

}  // namespace
