// filter_faults_test.cc - what is refused and what is never lost: missing parts, names that are
// taken, servers that die.
#include <atomic>
#include <thread>

#include "tests/support/await.h"
#include "tests/support/native_bytes.h"
#include "tests/support/race.h"
#include "tests/redis/remotes.h"

namespace {

class Faults : public WithServer {
 protected:
  const lfb_config config = Config(20'000, 0.01, LFB_FAST);  // 7 parts

  lfb_status Create(const std::string& name, const lfb_config& wanted) {
    lfb_redis* filter = nullptr;
    const lfb_status status =
        lfb_redis_create(&options, name.c_str(), &wanted, kSmallParts, &filter);
    EXPECT_EQ(status == LFB_OK, filter != nullptr);
    lfb_redis_close(filter);
    return status;
  }
};

// Puts or queries until each part has been touched; counts how often the answer was
// LFB_ERROR_REDIS_PART.
struct Tally {
  unsigned refused = 0, answered = 0;
};

Tally Ask(const Remote& remote, bool put) {
  Tally tally;
  for (uint64_t i = 0; i < 200; i++) {
    bool yes = false;
    const lfb_status status = put ? PutNumber(remote.get(), i, &yes)
                                  : AskNumber(remote.get(), i, &yes);
    EXPECT_TRUE(status == LFB_OK || status == LFB_ERROR_REDIS_PART) << lfb_status_text(status);
    tally.refused += status == LFB_ERROR_REDIS_PART;
    tally.answered += status == LFB_OK;
  }
  return tally;
}

// A client of a deleted filter does not delete a new filter of the same name that is being
// created.
TEST_F(Faults, ADraftIsNoStump) {
  const Remote old = CreateRemote(options, "seen", config);
  EXPECT_EQ(lfb_redis_delete(&options, "seen", LFB_FAST), LFB_OK);
  const Remote anew = CreateRemote(options, "seen", config);
  const std::string part = "{seen:3}";
  const size_t size = std::stoul(server.Call({"STRLEN", part}));
  const std::string mark = server.Call({"GETRANGE", part, std::to_string(size - 4), "-1"});
  std::string draft = mark;
  for (char& c : draft) c = static_cast<char>(~c);
  server.Call({"SETRANGE", part, std::to_string(size - 4), draft});
  EXPECT_GT(Ask(anew, true).refused, 0u);
  EXPECT_EQ(Ask(old, true).answered, 0u);
  EXPECT_EQ(server.Call({"STRLEN", part}), std::to_string(size));
  server.Call({"SETRANGE", part, std::to_string(size - 4), mark});
  EXPECT_EQ(Ask(anew, true).refused, 0u);
}

// After any damage to one part, its keys are refused, keys of other parts are not, and opening
// the filter fails. With the mark not compared (planted: layouts.c, fields_expect) each of these
// is a silent "absent".
TEST_F(Faults, APartThatIsAmissIsAnErrorAndNeverAbsent) {
  const Remote first = CreateRemote(options, "first", config);
  const size_t size = std::stoul(server.Call({"STRLEN", "{first:3}"}));
  EXPECT_EQ(lfb_redis_delete(&options, "first", LFB_FAST), LFB_OK);
  const std::vector<std::vector<std::string>> misdeeds = {
      {"DEL", "{seen:3}"},
      {"SET", "{seen:3}", ""},
      {"SET", "{seen:3}", std::string(size - 1, '\0')},
      {"SET", "{seen:3}", std::string(size, '\0')},
      {"SETRANGE", "{seen:3}", std::to_string(size - 4), "abcd"},  // the mark of another filter
      {"RENAME", "{seen:2}", "{seen:3}"},
  };
  for (const auto& misdeed : misdeeds) {
    const Remote remote = CreateRemote(options, "seen", config);
    ASSERT_EQ(Keys(remote).size(), 8u);
    EXPECT_EQ(Ask(remote, true).refused, 0u);
    server.Call(misdeed);
    const Tally asked = Ask(remote, false);
    EXPECT_GT(asked.refused, 0u) << misdeed[0];
    EXPECT_GT(asked.answered, 0u);
    EXPECT_EQ(TryOpen(options, "seen"), LFB_ERROR_REDIS_PART);
    lfb_figures figures{};
    EXPECT_EQ(lfb_redis_stats(remote.get(), &figures), LFB_ERROR_REDIS_PART);
    lfb_filter* local = nullptr;
    EXPECT_EQ(lfb_redis_load(remote.get(), nullptr, &local), LFB_ERROR_REDIS_PART);
    EXPECT_EQ(local, nullptr);
    EXPECT_EQ(lfb_redis_delete(&options, "seen", LFB_FAST), LFB_OK);
    EXPECT_EQ(server.Call({"DBSIZE"}), "0") << misdeed[0];
  }
}

TEST_F(Faults, APartOfAnotherTypeIsAnError) {
  const Remote remote = CreateRemote(options, "seen", config);
  server.Call({"DEL", "{seen:3}"});
  server.Call({"LPUSH", "{seen:3}", "x"});
  EXPECT_GT(Ask(remote, false).refused, 0u);
  EXPECT_GT(Ask(remote, true).refused, 0u);
  lfb_figures figures{};
  EXPECT_EQ(lfb_redis_stats(remote.get(), &figures), LFB_ERROR_REDIS_PART);
  lfb_filter* local = nullptr;
  EXPECT_EQ(lfb_redis_load(remote.get(), nullptr, &local), LFB_ERROR_REDIS_PART);
}

// A part of the same name that belongs to a newer filter is not used.
TEST_F(Faults, AFilterThatWasMadeAnewIsNotTakenForTheOldOne) {
  const Remote old = CreateRemote(options, "seen", config);
  EXPECT_EQ(lfb_redis_delete(&options, "seen", LFB_FAST), LFB_OK);
  const Remote anew = CreateRemote(options, "seen", config);
  EXPECT_EQ(Ask(old, false).answered, 0u);
  EXPECT_EQ(Ask(old, true).answered, 0u);
  EXPECT_EQ(Ask(anew, false).refused, 0u);
}

// A put to a missing part leaves a key behind. Each client that is refused deletes it again.
TEST(Stumps, NothingIsLeftOfAFilterThatWasDeletedUnderItsClients) {
  for (lfb_strategy_id strategy : {LFB_FAST, LFB_GUAVA_MITZ64}) {
    RedisServer server;
    const lfb_redis_options options = server.Options();
    const Remote remote = CreateRemote(options, "seen", Config(20'000, 0.01, strategy));
    EXPECT_EQ(lfb_redis_delete(&options, "seen", strategy), LFB_OK);
    EXPECT_EQ(Ask(remote, true).answered, 0u);
    RemoteMany(remote, LFB_PUT, KeysFrom(0, 5000), LFB_ERROR_REDIS_PART);
    EXPECT_EQ(server.Call({"DBSIZE"}), "0");
  }
}

TEST_F(Faults, AFilterThatExpiresLeavesNothing) {
  const Remote remote = CreateRemote(options, "seen", config);
  EXPECT_EQ(lfb_redis_expire(remote.get(), 50), LFB_OK);
  AwaitSpinning("the filter expires", [&] { return Ask(remote, true).answered == 0; });
  // -2: no such key; -1: a key that never expires.
  for (const std::string& key : Keys(remote)) EXPECT_EQ(server.Call({"PTTL", key}), "-2") << key;
  EXPECT_EQ(TryOpen(options, "seen"), LFB_ERROR_REDIS_ABSENT);
}

// ---- names ------------------------------------------------------------------

TEST_F(Faults, ANameThatIsTakenIsLeftAsItIs) {
  server.Call({"SET", "string", "somebody's"});
  server.Call({"HSET", "hash", "field", "somebody's"});
  server.Call({"LPUSH", "list", "somebody's"});
  for (const std::string name : {"string", "hash", "list"}) {
    for (lfb_strategy_id strategy : kRemoteStrategies)
      EXPECT_EQ(Create(name, Config(1000, 0.01, strategy)), LFB_ERROR_REDIS_EXISTS) << name;
    EXPECT_EQ(TryOpen(options, name), LFB_ERROR_REDIS_NO_FILTER) << name;
    EXPECT_EQ(lfb_redis_delete(&options, name.c_str(), LFB_FAST), LFB_ERROR_REDIS_NO_FILTER)
        << name;
  }
  EXPECT_EQ(server.Call({"GET", "string"}), "somebody's");
  EXPECT_EQ(server.Call({"HLEN", "hash"}), "1");
  EXPECT_EQ(server.Call({"LLEN", "list"}), "1");
  EXPECT_EQ(server.Call({"DBSIZE"}), "3");
}

// A part name that is taken is left alone, too: the key is neither written nor deleted as a
// part, and parts created before it was found are deleted. Seen to fail when parts were created
// without a check.
TEST_F(Faults, APartsNameThatIsTakenIsLeftAsItIs) {
  server.Call({"LPUSH", "{list:3}", "somebody's"});
  server.Call({"SET", "{string:0}", "somebody's"});
  server.Call({"SET", "{last:6}", ""});
  for (const std::string name : {"list", "string", "last"}) {
    EXPECT_EQ(Create(name, config), LFB_ERROR_REDIS_EXISTS) << name;
    EXPECT_EQ(TryOpen(options, name), LFB_ERROR_REDIS_ABSENT) << name;
  }
  EXPECT_EQ(server.Call({"LLEN", "{list:3}"}), "1");
  EXPECT_EQ(server.Call({"GET", "{string:0}"}), "somebody's");
  EXPECT_EQ(server.Call({"DBSIZE"}), "3");
}

TEST_F(Faults, AFilterIsNotMadeTwice) {
  for (lfb_strategy_id strategy : kRemoteStrategies) {
    const std::string name = lfb_strategy_name(strategy);
    const lfb_config own = Config(1000, 0.01, strategy);
    const Remote remote = CreateRemote(options, name, own);
    RemotePut(remote, "apple");
    EXPECT_EQ(Create(name, own), LFB_ERROR_REDIS_EXISTS);
    EXPECT_TRUE(RemoteHas(remote, "apple"));
  }
}

// If several clients create a filter of one name at once, exactly one succeeds.
TEST_F(Faults, OfManyMakersOneDoes) {
  for (lfb_strategy_id strategy : kRemoteStrategies) {
    const lfb_config own = Config(20'000, 0.01, strategy);
    std::atomic<unsigned> made{0}, refused{0};
    RunTogether(4, [&](unsigned) {
      const lfb_status status = Create("one", own);
      made += status == LFB_OK;
      refused += status == LFB_ERROR_REDIS_EXISTS;
    });
    EXPECT_EQ(made, 1u);
    EXPECT_EQ(refused, 3u);
    EXPECT_TRUE(RemotePut(OpenRemote(options, "one", &own), "apple"));
    EXPECT_EQ(lfb_redis_delete(&options, "one", strategy), LFB_OK);
    EXPECT_EQ(server.Call({"DBSIZE"}), "0");
  }
}

TEST_F(Faults, AStrategyWithoutALayoutIsRefused) {
  for (lfb_strategy_id strategy : {LFB_SBBF, LFB_JAVA_DOUBLE, LFB_GO_FNV14})
    EXPECT_EQ(Create("seen", Config(1000, 0.01, strategy)), LFB_ERROR_FORM_CANNOT_HOLD);
  EXPECT_EQ(Create("seen", Config(1000, 2, LFB_FAST)), LFB_ERROR_FPP_TOO_HIGH);
  EXPECT_EQ(server.Call({"DBSIZE"}), "0");
}

// ---- descriptions -----------------------------------------------------------

TEST_F(Faults, WhatIsNotWhatWasWantedIsRefused) {
  const Remote remote = CreateRemote(options, "seen", config);
  const auto open = [&](lfb_config wanted) { return TryOpen(options, "seen", &wanted); };
  EXPECT_EQ(open(config), LFB_OK);
  EXPECT_EQ(open(Config(30'000, 0.01, LFB_FAST)), LFB_ERROR_BIT_COUNT_DIFFERS);
  EXPECT_EQ(open(Config(20'000, 0.0001, LFB_FAST)), LFB_ERROR_PROBES_DIFFER);
  EXPECT_EQ(open(Config(20'000, 0.01, LFB_GUAVA_MITZ64)), LFB_ERROR_STRATEGY_DIFFERS);
  EXPECT_EQ(open(Config(20'000, 7, LFB_FAST)), LFB_ERROR_FPP_TOO_HIGH);
  lfb_config other = config;
  other.seed = 2;
  EXPECT_EQ(open(other), LFB_ERROR_HASH_DIFFERS);
  other.seed = 0;  // any value
  EXPECT_EQ(open(other), LFB_OK);
  other.key[0] = 1;  // which XXH3 does not have
  EXPECT_EQ(open(other), LFB_ERROR_HASH_DIFFERS);
  other.key[0] = 0;
  other.hash = LFB_HASH_SIPHASH13;
  EXPECT_EQ(open(other), LFB_ERROR_HASH_DIFFERS);

  other.hash = LFB_HASH_AES;
  other.key[0] = 1;
  const Remote keyed = CreateRemote(options, "keyed", other);
  const auto open_keyed = [&](lfb_hash_id hash, uint8_t key) {
    other.hash = hash;
    other.key[0] = key;
    return TryOpen(options, "keyed", &other);
  };
  EXPECT_EQ(open_keyed(LFB_HASH_DEFAULT, 0), LFB_ERROR_KEY_NEEDED);
  EXPECT_EQ(open_keyed(LFB_HASH_DEFAULT, 2), LFB_ERROR_WRONG_KEY);
  EXPECT_EQ(open_keyed(LFB_HASH_DEFAULT, 1), LFB_OK);
  EXPECT_EQ(open_keyed(LFB_HASH_AES, 1), LFB_OK);
  EXPECT_EQ(open_keyed(LFB_HASH_SIPHASH13, 1), LFB_ERROR_HASH_DIFFERS);
  EXPECT_EQ(TryOpen(options, "keyed"), LFB_ERROR_KEY_NEEDED);
  EXPECT_EQ(lfb_redis_delete(&options, "keyed", LFB_FAST), LFB_OK) << "without the key";

  const Remote guava = CreateRemote(options, "guava", Config(1000, 0.01));
  other = Config(1000, 0.01, LFB_GUAVA_MITZ32);
  EXPECT_EQ(TryOpen(options, "guava", &other), LFB_ERROR_STRATEGY_DIFFERS);
  other = Config(1000, 0.01, LFB_FAST);
  EXPECT_EQ(TryOpen(options, "guava", &other), LFB_ERROR_STRATEGY_DIFFERS);
}

// Each field of the description, missing or wrong.
TEST_F(Faults, ADescriptionThatIsAmissIsRefused) {
  const struct {
    std::vector<std::string> words;
    lfb_status status;
  } rows[] = {
      {{"HDEL", "seen", "mark"}, LFB_ERROR_REDIS_NO_FILTER},
      {{"HSET", "seen", "mark", "0"}, LFB_ERROR_REDIS_NO_FILTER},
      {{"HSET", "seen", "mark", "4294967295"}, LFB_ERROR_REDIS_NO_FILTER},
      {{"HSET", "seen", "mark", "1"}, LFB_ERROR_REDIS_PART},
      {{"HDEL", "seen", "whole"}, LFB_ERROR_REDIS_UNFINISHED},
      {{"HDEL", "seen", "header"}, LFB_ERROR_REDIS_UNFINISHED},
      {{"HDEL", "seen", "lfbloom"}, LFB_ERROR_REDIS_UNFINISHED},
      {{"HSET", "seen", "lfbloom", "2"}, LFB_ERROR_UNKNOWN_VERSION},
      {{"HSET", "seen", "part_blocks", "0"}, LFB_ERROR_BAD_HEADER},
      {{"HSET", "seen", "part_blocks", "1048576"}, LFB_ERROR_BAD_HEADER},
      {{"HSET", "seen", "part_blocks", "-1"}, LFB_ERROR_BAD_HEADER},
      {{"HSET", "seen", "part_blocks", "99999999999999999999999"}, LFB_ERROR_BAD_HEADER},
      {{"HSET", "seen", "part_blocks", "62"}, LFB_ERROR_REDIS_PART},
      {{"HSET", "seen", "header", "short"}, LFB_ERROR_BAD_HEADER},
      {{"HSET", "seen", "header", std::string(256, 'x')}, LFB_ERROR_UNKNOWN_FORM},
  };
  for (const auto& row : rows) {
    const Remote remote = CreateRemote(options, "seen", config);
    server.Call(row.words);
    EXPECT_EQ(TryOpen(options, "seen"), row.status) << row.words[0] << " " << row.words[2];
    server.Call({"FLUSHALL"});
  }
}

// A header of another strategy, or with more parts than possible, asks for impossible amounts of
// memory.
TEST_F(Faults, AHeaderThatClaimsTooMuchIsRefused) {
  const Remote remote = CreateRemote(options, "seen", config);
  const auto with = [&](const Filter& filter) {
    server.Call({"HSET", "seen", "header", Bytes(filter, LFB_FORM_NATIVE).substr(0, 256)});
    return TryOpen(options, "seen");
  };
  EXPECT_EQ(with(Make(1000, 0.01, LFB_GUAVA_MITZ64)), LFB_ERROR_BAD_STRATEGY);
  server.Call({"HSET", "seen", "part_blocks", "61"});
  EXPECT_EQ(with(Make(1000, 1e-6, LFB_FAST)), LFB_ERROR_BAD_HEADER)
      << "a part divides a block of two lines";
  lfb_config large = Config(1'000'000'000, 0.01, LFB_FAST);  // 2.4e6 blocks
  large.lazy_memory = true;
  server.Call({"HSET", "seen", "part_blocks", "1"});
  const Filter vast = Make(large);
  unsigned char header[256];
  lfb_description description = vast->description;
  EXPECT_GT(description.geometry.word_count / 8, uint64_t{1} << 20);
  std::string bytes;
  const lfb_status cut = lfb_filter_write(
      vast.get(), LFB_FORM_NATIVE,
      [](void* to, const void* piece, size_t size) {
        if (size != sizeof header) return LFB_ERROR_STOPPED;
        static_cast<std::string*>(to)->assign(static_cast<const char*>(piece), size);
        return LFB_OK;
      },
      &bytes);
  EXPECT_EQ(cut, LFB_ERROR_STOPPED);
  server.Call({"HSET", "seen", "header", bytes});
  EXPECT_EQ(TryOpen(options, "seen"), LFB_ERROR_BAD_HEADER);
}

// A filter with the layout that `fast` had before is refused by its name, and can be deleted.
TEST_F(Faults, AFilterOfTheEarlierFastIsRefusedAndDeleted) {
  const Remote remote = CreateRemote(options, "seen", config);
  std::string header = Bytes(Make(config), LFB_FORM_NATIVE).substr(0, 256);
  header[16] = 2;
  SealHeader(&header);
  server.Call({"HSET", "seen", "header", header});
  EXPECT_EQ(TryOpen(options, "seen"), LFB_ERROR_OLD_FAST);
  EXPECT_EQ(Create("seen", config), LFB_ERROR_REDIS_EXISTS);
  EXPECT_EQ(lfb_redis_delete(&options, "seen", LFB_FAST), LFB_OK);
  EXPECT_EQ(server.Call({"DBSIZE"}), "0");
}

// If the creator of a filter died, its remains cannot be opened, but can be deleted.
TEST_F(Faults, WhatWasNeverFinishedIsRefusedAndDeleted) {
  server.Call({"HSET", "seen", "mark", "77"});  // before the rest of the description
  EXPECT_EQ(TryOpen(options, "seen"), LFB_ERROR_REDIS_UNFINISHED);
  EXPECT_EQ(Create("seen", config), LFB_ERROR_REDIS_EXISTS);
  EXPECT_EQ(lfb_redis_delete(&options, "seen", LFB_FAST), LFB_OK);
  EXPECT_EQ(server.Call({"DBSIZE"}), "0");

  EXPECT_NE(CreateRemote(options, "seen", config), nullptr);
  server.Call({"HDEL", "seen", "whole"});  // before the last step
  EXPECT_EQ(TryOpen(options, "seen"), LFB_ERROR_REDIS_UNFINISHED);
  EXPECT_EQ(lfb_redis_delete(&options, "seen", LFB_FAST), LFB_OK);
  EXPECT_EQ(server.Call({"DBSIZE"}), "0");

  server.Call({"SET", "guava", "\xffLrand"});  // before the header
  EXPECT_EQ(TryOpen(options, "guava"), LFB_ERROR_REDIS_UNFINISHED);
  EXPECT_EQ(lfb_redis_delete(&options, "guava", LFB_FAST), LFB_OK);
  EXPECT_NE(CreateRemote(options, "guava", Config(1000, 0.01)), nullptr);
  server.Call({"SET", "guava", server.Call({"GETRANGE", "guava", "0", "99"})});
  EXPECT_EQ(TryOpen(options, "guava"), LFB_ERROR_REDIS_UNFINISHED);
  EXPECT_EQ(lfb_redis_delete(&options, "guava", LFB_FAST), LFB_OK);
  EXPECT_EQ(server.Call({"DBSIZE"}), "0");
}

// ---- servers ----------------------------------------------------------------

TEST_F(Faults, AServerThatIsFullRefusesPutsAndAnswersQueries) {
  const Remote remote = CreateRemote(options, "seen", config);
  const Remote helper = CreateRemote(options, "helper", Config(1000, 0.01, LFB_REDIS_MITZ32));
  EXPECT_TRUE(RemotePut(remote, "apple"));
  EXPECT_TRUE(RemotePut(helper, "apple"));
  server.Call({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
  server.Call({"CONFIG", "SET", "maxmemory", "1mb"});
  EXPECT_EQ(lfb_redis_put(remote.get(), "pear", 4, nullptr), LFB_ERROR_REDIS_MEMORY);
  EXPECT_EQ(lfb_redis_put(helper.get(), "pear", 4, nullptr), LFB_ERROR_REDIS_MEMORY);
  EXPECT_TRUE(RemoteHas(remote, "apple"));
  EXPECT_TRUE(RemoteHas(helper, "apple"));
  EXPECT_EQ(RemoteStats(remote).bits_set, 6u);
  EXPECT_EQ(Create("another", config), LFB_ERROR_REDIS_MEMORY);
  EXPECT_EQ(server.Call({"EXISTS", "another"}), "0");
}

// A filter that does not fit leaves nothing behind.
TEST_F(Faults, AFilterForWhichThereIsNoMemoryLeavesNothing) {
  server.Call({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
  server.Call({"CONFIG", "SET", "maxmemory", "10mb"});
  lfb_redis* none = nullptr;
  for (lfb_strategy_id strategy : kRemoteStrategies) {
    const lfb_config large = Config(20'000'000, 0.01, strategy);  // some 24 MB
    EXPECT_EQ(lfb_redis_create(&options, "large", &large, 1 << 20, &none), LFB_ERROR_REDIS_MEMORY);
    EXPECT_EQ(server.Call({"DBSIZE"}), "0");
  }
}

// If the server begins to refuse writes during a rename, the rename waits for it twice: once on the
// way there and once on the way back. Seen to fail with one wait for each of thousands of keys.
TEST_F(Faults, ARenameDoesNotWaitForEachKey) {
  unsigned waits = 0;
  lfb_redis_options impatient = options;
  impatient.told = &waits;
  impatient.go_on = [](void* told, lfb_status, uint64_t) {
    ++*static_cast<unsigned*>(told);
    return false;
  };
  lfb_status status = LFB_OK;
  // Repeats if everything was renamed before the server refused anything.
  for (int round = 0; status == LFB_OK; round++) {
    ASSERT_LT(round, 50) << "each time all was renamed";
    const std::string name = "new" + std::to_string(round);
    const Remote remote =
        CreateRemote(impatient, "old" + std::to_string(round), Config(200'000, 0.01, LFB_FAST), 68);
    ASSERT_GT(Keys(remote).size(), 3000u);
    std::thread refuser([&] {
      AwaitSpinning("a part is renamed",
                    [&] { return server.Call({"EXISTS", "{" + name + ":20}"}) != "0"; });
      server.Call({"CONFIG", "SET", "min-replicas-to-write", "1"});
    });
    status = lfb_redis_rename(remote.get(), name.c_str());
    refuser.join();
    server.Call({"CONFIG", "SET", "min-replicas-to-write", "0"});
  }
  EXPECT_EQ(status, LFB_ERROR_REDIS_UNAVAILABLE);
  EXPECT_EQ(waits, 2u);
}

// A server that is killed and restarted during puts loses nothing acknowledged: every put that
// returned is found. No key is reported as old that had not been put. Seen to fail with `again`
// ignored (filter.c, keys_put_reply), in 5 runs of 5.
class Killed : public testing::TestWithParam<lfb_strategy_id> {};

INSTANTIATE_TEST_SUITE_P(Puts, Killed, testing::Values(LFB_FAST, LFB_REDIS_MITZ32));

TEST_P(Killed, NoPutThatReturnedIsLost) {
  RedisConfig durable;
  durable.durable = true;
  RedisServer server(durable);
  const lfb_config config = Config(200'000, 1e-9, GetParam());
  const Remote remote = CreateRemote(server.Options(), "seen", config);
  constexpr uint64_t kBatch = 300, kBatches = 40, kRounds = 5;
  std::atomic<uint64_t> batches{0};
  // How many keys of a batch are new, or are found.
  const auto many = [&](lfb_verb verb, uint64_t batch) {
    return RemoteMany(remote, verb, KeysFrom(batch * kBatch, (batch + 1) * kBatch));
  };

  std::thread putter([&] {
    for (; batches < kBatches; batches++) {
      EXPECT_EQ(many(LFB_PUT, batches), kBatch) << "batch " << batches;
      EXPECT_EQ(many(LFB_MIGHT_CONTAIN, batches), kBatch) << "batch " << batches;
    }
  });
  for (uint64_t round = 1; round <= kRounds; round++) {
    AwaitSpinning("more batches are put",
                  [&] { return batches >= round * kBatches / (kRounds + 1); });
    server.Restart();
  }
  putter.join();
  for (uint64_t batch = 0; batch < kBatches; batch++)
    EXPECT_EQ(many(LFB_MIGHT_CONTAIN, batch), kBatch) << "batch " << batch;
}

// A server that restarts without its data is an error, not an empty filter.
TEST(Forgotten, AServerThatForgotIsAnError) {
  RedisServer server;
  const Remote remote = CreateRemote(server.Options(), "seen", Config(20'000, 0.01, LFB_FAST));
  EXPECT_TRUE(RemotePut(remote, "apple"));
  server.Restart();
  bool maybe = false;
  EXPECT_EQ(lfb_redis_might_contain(remote.get(), "apple", 5, &maybe), LFB_ERROR_REDIS_PART);
}

}  // namespace
