// module_merge_test.cc - BF.LIKE, BF.MERGE, BF.COMPARE.
#include <algorithm>
#include <cmath>
#include <thread>

#include "tests/redis/module.h"
#include "tests/support/filters.h"

namespace {

// The first number of a field of BF.COMPARE.
double Field(const std::string& reply, const std::string& name) {
  const size_t at = ("\n" + reply).find("\n" + name + "\n");
  EXPECT_NE(at, std::string::npos) << name << " is not in " << reply;
  return std::stod(("\n" + reply).substr(at + name.size() + 2));
}

// What a merge does, refuses and does by FORCE: as on a replica and from the AOF.
class ModuleMergeError : public testing::Test {
 protected:
  ModuleMergeError() { Follow(replica_, server_); }
  // Makes filters of one hash, each with as many keys.
  void MakeFilters(const Words& keys, const Words& reserve, int count) {
    ASSERT_EQ(server_.Call(reserve), "OK");
    for (const std::string& key : keys) {
      if (key != reserve[1]) {
        ASSERT_EQ(server_.Call({"BF.LIKE", key, reserve[1]}), "OK");
      }
      AddNumbers(server_, key, 0, count);
    }
  }
  double Figure(const std::string& key, const std::string& name) const {
    return std::stod(server_.Call({"BF.INFO", key, name}));
  }
  // Whether BF.INFO tells the share of absent keys that are found: as Module.TellsItsErrorNow.
  void ExpectErrorNow(const std::string& key) {
    const double now = Figure(key, "ERRORNOW");
    EXPECT_NEAR(CountNumbers(server_, key, 100'000, 120'000), 20'000 * now,
                9 * std::sqrt(20'000 * now));
  }
  void ExpectSameEverywhere() {
    const std::string all = server_.Call({"DEBUG", "DIGEST"});
    Await("the replica has all", [&] { return replica_.Call({"DEBUG", "DIGEST"}) == all; });
    ASSERT_EQ(server_.Call({"DEBUG", "LOADAOF"}), "OK");
    EXPECT_EQ(server_.Call({"DEBUG", "DIGEST"}), all);
  }
  RedisServer server_{DurableModule({"--repl-diskless-sync-delay", "0"})}, replica_{WithModule()};
  const std::string refused_ =
      "ERR the merge would exceed the error that the filter was made for: with FORCE as the last "
      "word it is done, and BF.INFO tells the error";
};

TEST_F(ModuleMergeError, HasAllKeysOfItsSources) {
  ASSERT_EQ(server_.Call({"BF.RESERVE", "a", "0.01", "500"}), "OK");
  ASSERT_EQ(server_.Call({"BF.LIKE", "b", "a"}), "OK");
  EXPECT_EQ(server_.Call({"BF.INFO", "b", "capacity"}), "500\n");
  EXPECT_EQ(server_.Call({"BF.LIKE", "b", "a"}), "ERR item exists");
  EXPECT_EQ(server_.Call({"BF.LIKE", "c", "none"}), "ERR not found");
  AddNumbers(server_, "a", 0, 400);   // one layer
  AddNumbers(server_, "b", 0, 3000);  // three
  ASSERT_EQ(server_.Call({"BF.MERGE", "both", "a", "b"}), "OK");
  ASSERT_EQ(server_.Call({"BF.MERGE", "a", "b"}), "OK");
  for (const std::string into : {"both", "a"})
    for (int i = 0; i < 3000; i++) {
      const std::string number = std::to_string(i);
      if (i < 400) {
        EXPECT_EQ(server_.Call({"BF.EXISTS", into, "a-" + number}), "1");
      }
      EXPECT_EQ(server_.Call({"BF.EXISTS", into, "b-" + number}), "1");
    }
  EXPECT_EQ(Digest(server_, "both"), Digest(server_, "a"));
  AddNumbers(server_, "both", 0, 3000);
  ExpectSameEverywhere();
}

// Two that are full at 1 % had 11.3 % without a word.
TEST_F(ModuleMergeError, AFixedFilterKeepsToItsCapacity) {
  MakeFilters({"a", "b", "c"}, {"BF.RESERVE", "a", "0.01", "10000", "NONSCALING"}, 4000);
  EXPECT_EQ(server_.Call({"BF.MERGE", "a", "b"}), "OK");
  EXPECT_EQ(CountNumbers(server_, "b", 0, 4000), 4000);
  EXPECT_LT(Figure("a", "ERRORNOW"), 0.01);
  ExpectErrorNow("a");
  const std::string before = server_.Call({"DEBUG", "DIGEST"});
  EXPECT_EQ(server_.Call({"BF.MERGE", "a", "c"}), refused_);
  EXPECT_EQ(server_.Call({"BF.MERGE", "new", "a", "c"}), refused_);
  EXPECT_EQ(server_.Call({"COPY", "a", "copy"}), "1");
  AddNumbers(server_, "copy", 0, 3000);
  std::string answer = "0";  // of a false positive
  for (int i = 0; answer == "0"; i++)
    answer = server_.Call({"BF.ADD", "copy", "more" + std::to_string(i)});
  EXPECT_EQ(answer, "ERR non scaling filter is full");
  EXPECT_EQ(server_.Call({"DEL", "copy"}), "1");
  EXPECT_EQ(server_.Call({"DEBUG", "DIGEST"}), before);
  EXPECT_EQ(server_.Call({"BF.MERGE", "a", "c", "force"}), "OK");
  EXPECT_GT(Figure("a", "ERRORNOW"), 0.01);
  ExpectErrorNow("a");
  ExpectSameEverywhere();
}

// A filter that grows keeps the layers of the others, also while it grows on.
TEST_F(ModuleMergeError, AGrowingFilterKeepsToItsError) {
  MakeFilters({"a", "b", "c", "d"}, {"BF.RESERVE", "a", "0.01", "1000"}, 900);
  ASSERT_EQ(server_.Call({"BF.LIKE", "empty", "a"}), "OK");
  EXPECT_EQ(server_.Call({"BF.MERGE", "a", "b", "empty", "c"}), "OK");
  EXPECT_EQ(Figure("a", "FILTERS"), 3);
  const std::string before = server_.Call({"DEBUG", "DIGEST"});
  EXPECT_EQ(server_.Call({"BF.MERGE", "a", "d"}), refused_);
  EXPECT_EQ(server_.Call({"BF.MERGE", "new", "b", "a", "d"}), refused_);
  EXPECT_EQ(server_.Call({"DEBUG", "DIGEST"}), before);
  EXPECT_EQ(server_.Call({"BF.MERGE", "new", "empty", "a"}), "OK");
  AddNumbers(server_, "new", 0, 30'000);
  EXPECT_LE(Figure("new", "ERRORNOW"), 0.01);
  ExpectErrorNow("new");
  const std::string script = R"(
    local found = 0
    for _, key in ipairs({'a', 'b', 'c'}) do
      for i = 0, 899 do found = found + redis.call('BF.EXISTS', 'new', key .. '-' .. i) end
    end
    return found)";
  EXPECT_EQ(server_.Call({"EVAL", script, "0"}), "2700");
  EXPECT_EQ(server_.Call({"BF.MERGE", "new", "d"}), refused_);
  EXPECT_EQ(server_.Call({"BF.MERGE", "new", "d", "FORCE"}), "OK");
  AddNumbers(server_, "new", 30'000, 80'000);
  ExpectErrorNow("new");
  ExpectSameEverywhere();
  // Both halves of a layer's keys are one layer.
  MakeFilters({"half", "other"}, {"BF.RESERVE", "half", "0.01", "5000"}, 2400);
  EXPECT_EQ(server_.Call({"BF.MERGE", "half", "other"}), "OK");
  EXPECT_EQ(Figure("half", "FILTERS"), 1);
}

// The last layer, which takes new keys, is that with more room, also after a restart.
TEST_F(ModuleMergeError, AMergedFilterGrowsAlikeEverywhere) {
  MakeFilters({"a"}, {"BF.RESERVE", "a", "0.05", "1000"}, 900);
  ASSERT_EQ(server_.Call({"BF.LIKE", "b", "a"}), "OK");
  AddNumbers(server_, "b", 0, 300);
  ASSERT_EQ(server_.Call({"COPY", "a", "c"}), "1");
  EXPECT_EQ(server_.Call({"BF.MERGE", "a", "b"}), "OK");
  EXPECT_EQ(server_.Call({"BF.MERGE", "b", "c"}), "OK");
  ASSERT_EQ(replica_.Call({"DEBUG", "RELOAD"}), "OK");
  for (const std::string key : {"a", "b"}) {
    AddNumbers(server_, key, 1000, 1600);
    EXPECT_EQ(Figure(key, "FILTERS"), 2) << key;
    AddNumbers(server_, key, 1600, 2000);
    EXPECT_EQ(Figure(key, "FILTERS"), 3) << key;
  }
  ExpectSameEverywhere();
}

// Only what a merge adds counts, and nothing is half done.  Seen to count the empty layer that is
// replaced and the layer that joins, and to merge the sources before the one too many.
TEST_F(ModuleMergeError, KeepsToMaxBytes) {
  MakeFilters({"grown", "other"}, {"BF.RESERVE", "grown", "0.01", "500"}, 600);
  MakeFilters({"a", "b", "c"}, {"BF.RESERVE", "a", "0.01", "500"}, 450);
  ASSERT_EQ(server_.Call({"BF.LIKE", "empty", "grown"}), "OK");
  const uint64_t first = Stats(Make(500, 0.0025, LFB_FAST)).bytes;
  const uint64_t second = Stats(Make(1000, 0.0015, LFB_FAST)).bytes;
  const std::vector<std::pair<Words, uint64_t>> rows = {
      {{"BF.MERGE", "empty", "grown"}, first + second},
      {{"BF.MERGE", "new", "other"}, first + second},
      {{"BF.MERGE", "grown", "other"}, 2 * first + second},
      {{"BF.MERGE", "sum", "a", "b", "c"}, 3 * first},
      {{"BF.MERGE", "a", "b", "c"}, 3 * first}};
  for (const auto& [merge, bytes] : rows) {
    const std::string before = server_.Call({"DEBUG", "DIGEST"});
    server_.Call({"CONFIG", "SET", "lfbloom.max-bytes", std::to_string(bytes - 1)});
    EXPECT_TRUE(Failed(server_.Call(merge))) << merge[1];
    EXPECT_EQ(server_.Call({"DEBUG", "DIGEST"}), before) << merge[1];
    server_.Call({"CONFIG", "SET", "lfbloom.max-bytes", std::to_string(bytes)});
    EXPECT_EQ(server_.Call(merge), "OK") << merge[1];
  }
  ExpectSameEverywhere();
}

TEST(ModuleMerge, RefusesWhatDoesNotFit) {
  RedisServer server(WithModule());
  ASSERT_EQ(server.Call({"BF.RESERVE", "a", "0.01", "500"}), "OK");
  ASSERT_EQ(server.Call({"BF.RESERVE", "other hash", "0.01", "500"}), "OK");
  ASSERT_EQ(server.Call({"BF.RESERVE", "other size", "0.01", "501"}), "OK");
  ASSERT_EQ(server.Call({"BF.WINDOW.RESERVE", "window", "0.01", "500"}), "OK");
  ASSERT_EQ(server.Call({"SET", "text", "x"}), "OK");
  AddNumbers(server, "a", 0, 100);
  const std::string before = server.Call({"DEBUG", "DIGEST"});
  for (const std::string command : {"BF.MERGE", "BF.COMPARE"}) {
    EXPECT_EQ(server.Call({command, "a", "other hash"}),
              "ERR the filters differ in their hash: make one by COPY or BF.LIKE of the other");
    EXPECT_EQ(server.Call({command, "a", "other size"}),
              "ERR the filters differ in their capacity, error, expansion or size");
    EXPECT_EQ(server.Call({command, "a", "window"}),
              "ERR only two filters, or two removable ones, can be merged; only filters compared");
    EXPECT_EQ(server.Call({command, "a", "none"}), "ERR not found");
    EXPECT_EQ(server.Call({command, "a", "text"}).substr(0, 9), "WRONGTYPE");
  }
  EXPECT_EQ(server.Call({"BF.MERGE", "a", "a"}), "ERR a filter cannot be merged into itself");
  // Nothing is half done if a later source does not fit.
  EXPECT_TRUE(Failed(server.Call({"BF.MERGE", "new", "a", "other size"})));
  EXPECT_TRUE(Failed(server.Call({"BF.MERGE", "other hash", "other hash", "a"})));
  EXPECT_EQ(server.Call({"DEBUG", "DIGEST"}), before);
}

// A file with other words than the recipe gives makes a key that fits no other one but its copies.
TEST(ModuleMerge, RefusesOtherSizesOfOneRecipe) {
  RedisServer server(WithModule());
  lfb_config config{};
  config.expected_insertions = 600'000;
  config.fpp = 0.000001;
  config.strategy = LFB_FAST;
  config.keep_key = true;
  config.foldable = true;
  lfb_redis_module_value value{};
  value.any.kind = LFB_KIND_PLAIN;
  ASSERT_EQ(lfb_filter_create(&config, &value.any.plain), LFB_OK);
  const lfb_redis_options options = server.Options();
  ASSERT_EQ(lfb_redis_module_save(&options, "foldable", &value), LFB_OK);
  lfb_any_free(value.any);
  AddNumbers(server, "foldable", 0, 100);
  ASSERT_EQ(server.Call({"BF.LIKE", "like", "foldable"}), "OK");
  ASSERT_EQ(server.Call({"COPY", "foldable", "copy"}), "1");
  const std::string before = server.Call({"DEBUG", "DIGEST"});
  const std::string refused = "ERR the filters differ in their capacity, error, expansion or size";
  EXPECT_EQ(server.Call({"BF.MERGE", "foldable", "like"}), refused);
  EXPECT_EQ(server.Call({"BF.MERGE", "like", "foldable"}), refused);
  EXPECT_EQ(server.Call({"BF.COMPARE", "like", "foldable"}), refused);
  EXPECT_EQ(server.Call({"BF.MERGE", "new", "foldable"}), refused);
  EXPECT_EQ(server.Call({"EXISTS", "new"}), "0");
  EXPECT_EQ(server.Call({"DEBUG", "DIGEST"}), before);
  EXPECT_EQ(server.Call({"BF.MERGE", "copy", "foldable"}), "OK");
}

TEST(ModuleMerge, ComparesByEstimates) {
  RedisServer server(WithModule());
  ASSERT_EQ(server.Call({"BF.RESERVE", "a", "0.01", "20000"}), "OK");
  AddNumbers(server, "a", 0, 6000);
  ASSERT_EQ(server.Call({"COPY", "a", "b"}), "1");
  AddNumbers(server, "b", 0, 4000);
  const std::string reply = server.Call({"BF.COMPARE", "a", "b"});
  EXPECT_NEAR(Field(reply, "a"), 6000, 300);
  EXPECT_NEAR(Field(reply, "b"), 10'000, 400);
  EXPECT_NEAR(Field(reply, "both"), 6000, 600);
  EXPECT_NEAR(Field(reply, "either"), 10'000, 400);
  EXPECT_NEAR(Field(reply, "jaccard"), 0.6, 0.06);
  EXPECT_NEAR(Field(reply, "a_in_b"), 1, 0.1);
  EXPECT_NEAR(Field(reply, "b_in_a"), 0.6, 0.06);
  AddNumbers(server, "grown", 0, 1000);
  EXPECT_EQ(server.Call({"BF.COMPARE", "grown", "grown"}),
            "ERR a filter that has grown cannot be compared");
}

// Large filters are compared in a thread of their own, but where the client must not wait: in this
// thread.
TEST(ModuleMerge, ComparesLargeOnesAside) {
  RedisServer server(WithModule());
  ASSERT_EQ(server.Call({"BF.RESERVE", "a", "0.01", "20000000"}), "OK");
  AddNumbers(server, "a", 0, 6000);
  ASSERT_EQ(server.Call({"COPY", "a", "b"}), "1");
  AddNumbers(server, "b", 0, 4000);
  const std::string reply = server.Call({"BF.COMPARE", "a", "b"});
  EXPECT_NEAR(Field(reply, "a"), 6000, 10);
  EXPECT_NEAR(Field(reply, "b"), 10'000, 10);
  EXPECT_NEAR(Field(reply, "both"), 6000, 10);
  const std::string both =
      server.Call({"EVAL", "return redis.call('BF.COMPARE', 'a', 'b')[6][1]", "0"});
  EXPECT_EQ(std::stod(both), Field(reply, "both"));
  EXPECT_EQ(server.Call({"BF.COMPARE", "a", "none"}), "ERR not found");
}

// Nine at once are one too many, which does not hold up the server.  Whether they are at once is
// the host's choice.
TEST(ModuleMerge, RefusesTooManyComparisons) {
  RedisServer server(WithModule());
  ASSERT_EQ(server.Call({"BF.RESERVE", "a", "0.01", "300000000"}), "OK");
  const std::string refused = "ERR too many comparisons at once: repeat it later";
  Await("one is refused", [&] {
    std::vector<std::string> replies(9);
    std::vector<std::thread> clients;
    for (std::string& reply : replies)
      clients.emplace_back([&server, &reply] { reply = server.Call({"BF.COMPARE", "a", "a"}); });
    for (std::thread& client : clients) client.join();
    for (const std::string& reply : replies)
      EXPECT_TRUE(reply == refused || reply.substr(0, 2) == "a\n") << reply;
    return std::count(replies.begin(), replies.end(), refused) > 0;
  });
}

// Between a COPY or a BF.MERGE of filters of several MiB and its last step, all is as if it were
// done: for further commands, on a replica, in a file.  A script leaves no time for a step.
TEST_F(ModuleMergeError, TakesStepsThatNobodySees) {
  ASSERT_EQ(server_.Call({"BF.RESERVE", "a", "0.0001", "2000000"}), "OK");
  ASSERT_EQ(server_.Call({"BF.LIKE", "b", "a"}), "OK");
  ASSERT_EQ(server_.Call({"BF.LIKE", "d", "a"}), "OK");
  AddNumbers(server_, "a", 0, 1000);
  AddNumbers(server_, "b", 0, 1000);
  const std::string script = R"(
    local function add(key, of, from, to)
      local new = 0
      for i = from, to do new = new + redis.call('BF.ADD', key, of .. '-' .. i) end
      return new
    end
    local function count(key, of, from, to)
      local found = 0
      for i = from, to do found = found + redis.call('BF.EXISTS', key, of .. '-' .. i) end
      return found
    end
    redis.call('COPY', 'a', 'c')
    local said = {add('a', 'a', 1000, 1999), count('c', 'a', 0, 999), count('c', 'a', 1000, 1999)}
    redis.call('BF.MERGE', 'c', 'b')
    said[4] = add('b', 'b', 500, 1499)
    said[5], said[6] = count('c', 'b', 0, 999), count('c', 'b', 1000, 1499)
    redis.call('COPY', 'c', 'd', 'REPLACE')
    redis.call('DEL', 'c')
    said[7], said[8] = add('d', 'a', 0, 999), add('d', 'a', 1000, 1999)
    return table.concat(said, ' '))";
  EXPECT_EQ(server_.Call({"EVAL", script, "0"}), "1000 1000 0 500 1000 0 0 1000");
  ExpectSameEverywhere();
  ASSERT_EQ(
      server_.Call(
          {"EVAL", "redis.call('COPY', 'd', 'e') return redis.call('BF.MERGE', 'e', 'a')", "0"}),
      "OK");
  const std::string dump = Digest(server_, "e");
  ASSERT_EQ(server_.Call({"DEBUG", "RELOAD"}), "OK");
  EXPECT_EQ(Digest(server_, "e"), dump);
}

// A filter that is deleted while it is copied leaves its memory before the command ends: Redis
// would evict more keys.
TEST(ModuleMerge, FreesAtOnce) {
  RedisServer server(WithModule());
  ASSERT_EQ(server.Call({"BF.RESERVE", "a", "0.01", "20000000"}), "OK");
  AddNumbers(server, "a", 0, 1000);
  const std::string script = R"(
    local function used()
      return tonumber(redis.call('INFO', 'memory'):match('used_memory:(%d+)'))
    end
    local began, said = used(), {}
    redis.call('COPY', 'a', 'b')
    said[1] = used() - began > 20e6 and 'more' or 'less'
    redis.call('DEL', ARGV[1])
    said[2] = used() - began > 1e6 and 'more' or 'less'
    redis.call('RENAME', ARGV[2], 'a')
    return table.concat(said, ' '))";
  EXPECT_EQ(server.Call({"EVAL", script, "0", "b", "a"}), "more less");
  EXPECT_EQ(server.Call({"EVAL", script, "0", "a", "b"}), "more less");
  EXPECT_EQ(CountNumbers(server, "a", 0, 1000), 1000);
}

// The header of a filter that is just being copied or merged has the bits that it will have.
TEST(ModuleMerge, CountsTheBitsToCome) {
  RedisServer server(WithModule());
  ASSERT_EQ(server.Call({"BF.RESERVE", "a", "0.01", "2000000"}), "OK");
  ASSERT_EQ(server.Call({"BF.LIKE", "other", "a"}), "OK");
  AddNumbers(server, "a", 0, 1000);
  AddNumbers(server, "other", 0, 1000);
  const std::string script = R"(
    redis.call(unpack(ARGV))
    local chunk = redis.call('BF.SCANDUMP', 'b', redis.call('BF.SCANDUMP', 'b', 0)[1])[2]
    return (struct.unpack('<I8', chunk:sub(89, 96))))";
  const std::string copy = server.Call({"EVAL", script, "0", "COPY", "a", "b"});
  ASSERT_EQ(server.Call({"DEBUG", "RELOAD"}), "OK");  // counts them
  EXPECT_EQ(copy, server.Call({"EVAL", script, "0", "PING"}));
  const std::string merged = server.Call({"EVAL", script, "0", "BF.MERGE", "b", "other"});
  EXPECT_NE(merged, copy);
  ASSERT_EQ(server.Call({"DEBUG", "RELOAD"}), "OK");
  EXPECT_EQ(merged, server.Call({"EVAL", script, "0", "PING"}));
}

}  // namespace
