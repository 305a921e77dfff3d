// source_test.cc - versions of a filter on Redis: one process publishes them, others follow.
#include <mutex>
#include <set>

#include "tests/support/race.h"
#include "tests/redis/followers.h"

namespace {

class Versions : public testing::Test {
 protected:
  std::set<std::string> KeysThere() const { return ::KeysThere(server); }
  size_t FilterKeys() const { return ::FilterKeys(server); }

  RedisServer server;
  const lfb_redis_options options = server.Options();
};

// Three followers, which listen and otherwise poll once a day, go through 50 versions. All but
// every tenth have changes; a version without them is loaded in full. No poll fails: an
// announced version is complete.
TEST_F(Versions, FollowersComeToTheNewest) {
  constexpr uint64_t kVersions = 50;
  lfb_follow_config config{};
  config.poll_seconds = kDay;
  Follower followers[3] = {Follower(options, config), Follower(options, config),
                           Follower(options, config)};
  for (Follower& follower : followers) follower.Start();
  {
    const Watch watches[3] = {Watch(followers[0]), Watch(followers[1]), Watch(followers[2])};
    for (uint64_t version = 1; version <= kVersions; version++) {
      Publish(options, version, version % 10 != 1);
      if (version % 2 == 0) followers[version % 3].AwaitVersion(version);
    }
    for (Follower& follower : followers) follower.AwaitVersion(kVersions);
  }
  unsigned changed = 0;
  for (Follower& follower : followers) {
    EXPECT_EQ(follower.At(), kVersions);
    EXPECT_EQ(follower.Missing(kVersions), 0u);
    EXPECT_EQ(follower.did[LFB_FOLLOWED_FAILED], 0u) << lfb_status_text(follower.failure);
    changed += follower.did[LFB_FOLLOWED_CHANGES];
  }
  EXPECT_GT(changed, 3u);
}

// ---- in place, or in full -----------------------------------------------------

TEST_F(Versions, ChangesArePutInPlaceWhereTheyLeadToTheNewest) {
  Follower follower(options);
  EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_NOTHING) << "nothing is published";
  Publish(options, 1);
  EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_REBUILT);
  EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_NOTHING);
  Publish(options, 2, true);
  EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_CHANGES);
  EXPECT_EQ(follower.Missing(2), 0u);
  Publish(options, 3, true);
  Publish(options, 4, true);
  EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_CHANGES) << "two at once";
  EXPECT_EQ(follower.Missing(4), 0u);
  EXPECT_EQ(lfb_versions_number(follower.versions), 2u) << "the same filter";
  Publish(options, 5);
  Publish(options, 6, true);
  EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_REBUILT) << "a gap";
  EXPECT_EQ(follower.Missing(6), 0u);
  Publish(options, 7, true);
  EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_CHANGES);
  EXPECT_EQ(follower.At(), 7u);
}

TEST_F(Versions, ChangesThatDoNotReachBackTakeALoadInFull) {
  Follower follower(options), near(options);
  Publish(options, 1);
  EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_REBUILT);
  for (uint64_t version = 2; version <= LFB_REDIS_VERSIONS_REACH + 1; version++) {
    Publish(options, version, true);
    if (version == 2) {
      EXPECT_EQ(near.Poll(), LFB_FOLLOWED_REBUILT);
    }
  }
  EXPECT_EQ(server.Call({"XLEN", "{seen:versions}"}), std::to_string(LFB_REDIS_VERSIONS_REACH));
  EXPECT_EQ(near.Poll(), LFB_FOLLOWED_CHANGES) << "reaches back just as far";
  EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_REBUILT);
  EXPECT_EQ(follower.Missing(LFB_REDIS_VERSIONS_REACH + 1), 0u);
  EXPECT_EQ(near.Missing(LFB_REDIS_VERSIONS_REACH + 1), 0u);
}

// A list that is missing, damaged, or for another size of filter is ignored.
TEST_F(Versions, ChangesThatAreAmissTakeALoadInFull) {
  Follower follower(options);
  uint64_t version = 1;
  Publish(options, version);
  EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_REBUILT);
  const auto list = [this] {
    const std::set<std::string> keys = KeysThere();
    for (const std::string& key : keys)
      if (key.find(":changes}") != std::string::npos) return key;
    return std::string();
  };
  const size_t size = 24 + 8 * kStep;
  const std::vector<std::vector<std::string>> misdeeds = {
      {"DEL"},
      {"SET", ""},
      {"SET", std::string(size - 1, '\0')},
      {"SET", std::string(size, '\xff')},  // counts that no list has
      {"SET", std::string(size, '\0')},    // more bytes than keys
      {"SADD", "x"},
  };
  for (const auto& misdeed : misdeeds) {
    // Deletes all lists before the new one.
    for (std::string old; !(old = list()).empty();) server.Call({"DEL", old});
    Publish(options, ++version, true);
    std::vector<std::string> words = {misdeed[0], list()};
    words.insert(words.end(), misdeed.begin() + 1, misdeed.end());
    if (misdeed[0] == "SADD") server.Call({"DEL", words[1]});
    server.Call(words);
    EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_REBUILT) << misdeed[0];
    EXPECT_EQ(follower.Missing(version), 0u);
  }
  const Filter larger = VersionFilter(version, Config(90'000, 1e-4, LFB_FAST));
  lfb_redis_changes none{};
  none.after = version;
  lfb_redis_publication publication{};
  publication.changes = &none;
  EXPECT_EQ(lfb_redis_publish(&options, "seen", larger.get(), &publication, &version), LFB_OK);
  EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_REBUILT) << "another size";
}

// Keys of each kind. If a list is too long, its version is published without it.
TEST_F(Versions, KeysOfEachKindAreChanges) {
  Follower follower(options);
  Publish(options, 1);
  EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_REBUILT);
  const lfb_key keys[] = {{"apple", 5}, {"", 0}, {"pear", 4}};
  const uint64_t u64s[] = {1'000'001, UINT64_MAX}, hashes[] = {0x0123456789abcdef};
  const Filter filter = VersionFilter(1);
  lfb_filter_put_many(filter.get(), keys, 3, nullptr);
  lfb_filter_put_many_u64(filter.get(), u64s, 2, nullptr);
  lfb_filter_put_many_hash(filter.get(), hashes, 1, nullptr);
  const lfb_redis_changes changes = {1, keys, 3, u64s, 2, hashes, 1, {}};
  lfb_redis_publication publication{};
  publication.changes = &changes;
  EXPECT_EQ(lfb_redis_publish(&options, "seen", filter.get(), &publication, nullptr), LFB_OK);
  EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_CHANGES);
  for (const lfb_key& key : keys)
    EXPECT_TRUE(lfb_versions_might_contain(follower.versions, key.bytes, key.size));
  for (const uint64_t key : u64s) EXPECT_TRUE(lfb_versions_might_contain_u64(follower.versions, key));
  EXPECT_TRUE(lfb_versions_might_contain_hash(follower.versions, hashes[0]));

  const std::vector<uint64_t> many(LFB_REDIS_CHANGES_SIZE / 8);
  const std::string long_key(LFB_REDIS_CHANGES_SIZE - 24 - 4, 'x');
  lfb_redis_changes lists[] = {{}, {}, {}};
  const lfb_key fits = {long_key.data(), long_key.size()}, over[] = {fits, {"", 0}};
  lists[0].u64s = many.data();
  lists[0].u64_count = many.size();
  lists[1].keys = over;
  lists[1].key_count = 2;
  lists[2].keys = &fits;
  lists[2].key_count = 1;
  uint64_t number = 2;
  for (lfb_redis_changes& list : lists) {
    list.after = number;
    publication.changes = &list;
    EXPECT_EQ(lfb_redis_publish(&options, "seen", filter.get(), &publication, &number), LFB_OK);
    EXPECT_EQ(follower.Poll(), &list == &lists[2] ? LFB_FOLLOWED_CHANGES : LFB_FOLLOWED_REBUILT);
  }
}

// ---- racing publishers --------------------------------------------------------

// Of several publishers of the next version at once, exactly one succeeds. The others receive an
// error and leave nothing. Seen to fail, 5 times in 5, with numbers added without a check of
// those present (XADD with the time as number).
TEST_F(Versions, OneOfAllPublishersOfAVersionSucceeds) {
  constexpr unsigned kThreads = 3, kRounds = 8;
  std::atomic<unsigned> won{0};
  std::mutex lock;
  std::multiset<uint64_t> numbers;
  InStep step(kThreads);
  Publish(options, 1, false, 1);
  const size_t of_one = FilterKeys();
  RunTogether(kThreads, [&](unsigned) {
    for (unsigned round = 1; round <= kRounds; round++) {
      step.Wait(round);
      uint64_t number = 0;
      const lfb_status status = TryPublish(options, 1, {}, &number);
      EXPECT_TRUE(status == LFB_OK || status == LFB_ERROR_REDIS_OVERTAKEN)
          << lfb_status_text(status);
      EXPECT_EQ(status == LFB_OK, number != 0);
      if (status != LFB_OK) continue;
      won++;
      const std::lock_guard<std::mutex> guard(lock);
      numbers.insert(number);
    }
  });
  EXPECT_GE(won, kRounds);
  EXPECT_EQ(std::set<uint64_t>(numbers.begin(), numbers.end()).size(), won) << "two with a number";
  EXPECT_EQ(*numbers.rbegin(), 1 + won);
  Publish(options, 2 + won, false, 1);
  EXPECT_EQ(FilterKeys(), of_one);
}

TEST_F(Versions, ChangesOfAnotherVersionThanTheNewestAreRefused) {
  Publish(options, 1);
  Publish(options, 2, true);
  const std::set<std::string> before = KeysThere();
  for (const uint64_t after : {0, 1, 3}) {
    uint64_t number = 77;
    EXPECT_EQ(TryPublish(options, 2, {true, after}, &number), LFB_ERROR_REDIS_OVERTAKEN);
    EXPECT_EQ(number, 77u);
  }
  EXPECT_EQ(KeysThere(), before);
}

// As many of the newest filters stay as `keep` says, and the lists of changes within reach.
TEST_F(Versions, OldOnesAreDeleted) {
  for (uint64_t version = 1; version <= 5; version++) Publish(options, version, version > 1, 3);
  const size_t of_one = FilterKeys() / 3;
  EXPECT_GT(of_one, 4u);
  EXPECT_EQ(FilterKeys(), 3 * of_one);
  EXPECT_EQ(KeysThere().size(), 3 * of_one + 4 + 2);
  Publish(options, 6);
  EXPECT_EQ(FilterKeys(), 2 * of_one);
  EXPECT_EQ(server.Call({"HLEN", "{seen:notes}"}), "6") << "two filters, four lists";
  EXPECT_EQ(lfb_redis_unpublish(&options, "seen"), LFB_OK);
  EXPECT_EQ(server.Call({"DBSIZE"}), "0");
  EXPECT_EQ(lfb_redis_unpublish(&options, "seen"), LFB_OK) << "nothing is there";
}

// Each strategy that has a description; a name with a hash tag.
TEST_F(Versions, EachLayoutIsFollowed) {
  for (const lfb_strategy_id strategy : {LFB_FAST, LFB_GUAVA_MITZ32, LFB_GUAVA_MITZ64})
    for (const char* name : {"a", "{user}a"}) {
      const Filter filter = VersionFilter(3, Config(10'000, 1e-4, strategy));
      EXPECT_EQ(lfb_redis_publish(&options, name, filter.get(), nullptr, nullptr), LFB_OK);
      Follower follower(options, {}, name);
      EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_REBUILT);
      EXPECT_EQ(follower.Missing(3), 0u);
      EXPECT_EQ(lfb_redis_unpublish(&options, name), LFB_OK);
      EXPECT_EQ(server.Call({"DBSIZE"}), "0");
    }
  const Filter helper = VersionFilter(1, Config(1000, 0.01, LFB_REDIS_MITZ32));
  EXPECT_EQ(lfb_redis_publish(&options, "a", helper.get(), nullptr, nullptr),
            LFB_ERROR_FORM_CANNOT_HOLD);
  EXPECT_EQ(server.Call({"DBSIZE"}), "0");
}

// ---- what is refused ----------------------------------------------------------

TEST_F(Versions, BadNamesAreRefused) {
  lfb_redis_source* source = nullptr;
  const Filter filter = VersionFilter(1);
  for (const std::string& name : {std::string(), std::string(LFB_REDIS_VERSIONS_NAME + 1, 'x')}) {
    EXPECT_EQ(lfb_redis_publish(&options, name.c_str(), filter.get(), nullptr, nullptr),
              LFB_ERROR_REDIS_BAD_NAME);
    EXPECT_EQ(lfb_redis_unpublish(&options, name.c_str()), LFB_ERROR_REDIS_BAD_NAME);
    EXPECT_EQ(lfb_redis_source_create(&options, name.c_str(), nullptr, &source),
              LFB_ERROR_REDIS_BAD_NAME);
  }
  const std::string longest(LFB_REDIS_VERSIONS_NAME, 'x');
  EXPECT_EQ(lfb_redis_publish(&options, longest.c_str(), filter.get(), nullptr, nullptr), LFB_OK);
  Follower follower(options, {}, longest.c_str());
  EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_REBUILT);
}

// Other data under the names is an error, and left alone. A follower keeps what it has.
TEST_F(Versions, WhatAreNoVersionsIsRefused) {
  const std::vector<std::vector<std::string>> others = {
      {"SET", "{seen:versions}", "x"},
      {"XADD", "{seen:versions}", "*", "a", "b"},
      {"XADD", "{seen:versions}", "2-0", "lfbloom", "2", "token", "0123456789abcdef", "shape", "2",
       "changes", "0"},
      {"XADD", "{seen:versions}", "2-0", "lfbloom", "1", "token", "0123456789ABCDEF", "shape", "2",
       "changes", "0"},
      {"XADD", "{seen:versions}", "2-0", "lfbloom", "1", "token", "0123456789abcdef", "shape", "2",
       "changes", "99999999"},
      {"XADD", "{seen:versions}", "2-0", "lfbloom", "1", "token", "0123456789abcdef", "shape", "2"},
      {"XADD", "{seen:versions}", "2-1", "lfbloom", "1", "token", "0123456789abcdef", "shape", "2",
       "changes", "0"},
  };
  for (const auto& other : others) {
    server.Call({"FLUSHALL"});
    Follower follower(options);
    Publish(options, 1);
    EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_REBUILT);
    if (other[0] == "SET") server.Call({"DEL", "{seen:versions}"});
    server.Call(other);
    const std::set<std::string> before = KeysThere();
    EXPECT_EQ(follower.Poll(LFB_ERROR_REDIS_NO_VERSIONS), LFB_FOLLOWED_FAILED);
    EXPECT_EQ(follower.Missing(1), 0u);
    EXPECT_EQ(TryPublish(options, 2), LFB_ERROR_REDIS_NO_VERSIONS);
    EXPECT_EQ(KeysThere(), before);
  }
  server.Call({"FLUSHALL"});
  server.Call({"SET", "{seen:notes}", "x"});
  EXPECT_EQ(TryPublish(options, 1), LFB_ERROR_REDIS_NO_VERSIONS);
  EXPECT_EQ(KeysThere(), std::set<std::string>{"{seen:notes}"});
}

// Unknown notes are left alone.
TEST_F(Versions, NotesThatAreNoneAreLeftAlone) {
  const std::vector<std::pair<std::string, std::string>> notes = {
      {"f:0123456789abcdef", "1"},  {"x:0123456789abcdef", "1 1"},        {"f:short", "1 1"},
      {"f", "1 1"},                 {"f:0123456789abcde\xff", "1 1"},     {"f:0123456789abcd00", "1 -1"},
      {"f:0123456789abcd01", "1 1048577"}, {"f:0123456789abcd02", "1 99999999999999999999"}};
  for (const auto& [field, value] : notes) server.Call({"HSET", "{seen:notes}", field, value});
  for (uint64_t version = 1; version <= 20; version++) Publish(options, version);
  EXPECT_EQ(server.Call({"HLEN", "{seen:notes}"}), std::to_string(notes.size() + 2));
}

TEST_F(Versions, AVersionWithAPartMissingIsNeverTaken) {
  Follower follower(options);
  Publish(options, 1);
  EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_REBUILT);
  Publish(options, 2, false, 1);
  for (const std::string& key : KeysThere())
    if (key.find(":3}") != std::string::npos) server.Call({"DEL", key});
  EXPECT_EQ(follower.Poll(LFB_ERROR_REDIS_PART), LFB_FOLLOWED_FAILED);
  EXPECT_EQ(follower.Missing(1), 0u);
  EXPECT_EQ(follower.At(), 1u);
  Publish(options, 3);
  EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_REBUILT);
  EXPECT_EQ(follower.Missing(3), 0u);
}

// ---- versions that are deleted ------------------------------------------------

// If the version that a follower was going to load has been deleted, it loads the newest.
TEST_F(Versions, ALoaderOfADeletedVersionTakesTheNewest) {
  Follower follower(options);
  Publish(options, 1, false, 1);
  uint64_t version = 0;
  EXPECT_EQ(follower.functions.version(follower.functions.self, &version), LFB_OK);
  EXPECT_EQ(version, 1u);
  Publish(options, 2, false, 1);
  lfb_filter* filter = nullptr;
  ASSERT_EQ(follower.functions.filter(follower.functions.self, &filter), LFB_OK);
  const Filter owned(filter);
  for (uint64_t key = 0; key < 2 * kStep; key++)
    EXPECT_TRUE(lfb_filter_might_contain_u64(filter, key));
  Publish(options, 3, true, 1);
  EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_REBUILT);
  EXPECT_EQ(follower.Missing(3), 0u);
}

// Versions come and go as fast as they can while one is loaded repeatedly: it is complete each
// time. Seen to fail, 5 times in 5, without the second check of the marks after a load
// (snapshot.c, load_all) and without the comparison of sizes.
TEST_F(Versions, AVersionThatIsDeletedIsNeverHalfLoaded) {
  std::atomic<bool> done{false};
  Publish(options, 1, false, 1);
  std::thread loader([&] {
    unsigned loads = 0;
    while (!done || loads == 0) {
      Follower fresh(options);
      EXPECT_EQ(fresh.Poll(), LFB_FOLLOWED_REBUILT);
      EXPECT_EQ(fresh.Missing(fresh.At()), 0u);
      loads++;
    }
  });
  for (uint64_t version = 2; version <= (kUnderTsan ? 60 : 200); version++)
    Publish(options, version, false, 1);
  done = true;
  loader.join();
}

// ---- servers and processes that die -------------------------------------------

// The newest version's number, from XINFO STREAM; 0 if there is none, or no list.
uint64_t Newest(const std::string& info) {
  const std::string before = "last-generated-id\n";
  const size_t at = info.find(before);
  return at == std::string::npos ? 0 : std::stoull(info.substr(at + before.size()));
}

// A server that is killed and restarted during publications has every acknowledged version, and
// followers reach the newest.
TEST(VersionsKilled, AServerThatComesBackHasThem) {
  constexpr uint64_t kVersions = 16;
  RedisConfig durable;
  durable.durable = true;
  RedisServer server(durable);
  const lfb_redis_options options = server.Options();
  Follower followers[2] = {Follower(options), Follower(options)};
  for (Follower& follower : followers) follower.Start();
  {
    const Watch watches[2] = {Watch(followers[0]), Watch(followers[1])};
    std::atomic<uint64_t> published{0};
    std::thread publisher([&] {
      // A publisher that is cut off may have published: the list has the number.
      for (unsigned tries = 0; published < kVersions; tries++) {
        ASSERT_LT(tries, 100 * kVersions);
        const lfb_status status =
            TryPublish(options, published + 1, {published > 0, published, 0});
        EXPECT_TRUE(status == LFB_OK || status == LFB_ERROR_REDIS_CONNECT ||
                    status == LFB_ERROR_REDIS_LOST || status == LFB_ERROR_REDIS_UNAVAILABLE)
            << lfb_status_text(status);
        std::string last;
        Await("the server says which version is the newest", [&] {
          return server.TryCall({"XINFO", "STREAM", "{seen:versions}"}, &last) &&
                 last.find("LOADING") == std::string::npos;
        });
        published = Newest(last);
      }
    });
    for (uint64_t kill = 1; kill <= 3; kill++) {
      Await("more versions are published", [&] { return published >= 4 * kill; });
      server.Kill();
      server.Start();
    }
    publisher.join();
    for (Follower& follower : followers) follower.AwaitVersion(kVersions);
  }
  for (Follower& follower : followers) EXPECT_EQ(follower.Missing(kVersions), 0u);
}

// If a server comes back without its versions, followers keep theirs. They take the next
// publication, although its number is 1 again.
TEST(VersionsKilled, WhatAServerForgotIsKeptUntilThereIsMore) {
  RedisServer server;
  const lfb_redis_options options = server.Options();
  Follower follower(options), other(options);
  for (uint64_t version = 1; version <= 3; version++) Publish(options, version, version > 1);
  EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_REBUILT);
  EXPECT_EQ(other.Poll(), LFB_FOLLOWED_REBUILT);
  server.Kill();
  server.Start();
  EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_NOTHING);
  EXPECT_EQ(follower.Missing(3), 0u);
  Publish(options, 1);
  EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_REBUILT);
  EXPECT_EQ(follower.At(), 4u);
  EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_NOTHING);
  for (uint64_t version = 2; version <= 4; version++) Publish(options, version, true);
  EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_CHANGES);
  EXPECT_EQ(follower.At(), 7u);
  EXPECT_EQ(other.Poll(), LFB_FOLLOWED_REBUILT) << "number 4 does not come after another's 3";
  EXPECT_EQ(other.Missing(4), 0u);
}

TEST(VersionsKilled, AServerThatIsAwayIsAFailureAndNoLoss) {
  RedisServer server;
  lfb_redis_options options = server.Options();
  options.retries = UINT32_MAX;
  Follower follower(options);
  Publish(options, 1);
  EXPECT_EQ(follower.Poll(), LFB_FOLLOWED_REBUILT);
  server.Kill();
  EXPECT_EQ(follower.Poll(LFB_ERROR_REDIS_CONNECT), LFB_FOLLOWED_FAILED);
  EXPECT_EQ(follower.Missing(1), 0u);
  EXPECT_EQ(TryPublish(options, 2), LFB_ERROR_REDIS_CONNECT);
  EXPECT_EQ(lfb_redis_source_listen(follower.source, follower.follow), LFB_OK);
  EXPECT_EQ(lfb_redis_source_listen(follower.source, follower.follow), LFB_ERROR_FOLLOWING);
  lfb_redis_source_silence(follower.source);
  lfb_redis_source_silence(follower.source);
}

// ---- clusters ------------------------------------------------------------------

// A listener at a node without the list receives the news, also after its own node has gone.
TEST(VersionsCluster, AreFollowed) {
  RedisCluster cluster(3, 1);
  lfb_redis_options options = cluster.Options();
  lfb_redis_options at_a_replica = cluster.node(4).Options();
  lfb_follow_config config{};
  config.poll_seconds = kDay;
  Follower here(options, config), there(at_a_replica, config);
  here.Start();
  there.Start();
  for (uint64_t version = 1; version <= 5; version++) {
    Publish(options, version, version > 1);
    here.AwaitVersion(version);
    there.AwaitVersion(version);
  }
  cluster.node(4).Kill();
  for (uint64_t version = 6; version <= 8; version++) {
    Publish(options, version, true);
    here.AwaitVersion(version);
    there.AwaitVersion(version);
  }
  EXPECT_EQ(here.Missing(8), 0u);
  EXPECT_EQ(there.Missing(8), 0u);
  EXPECT_EQ(lfb_redis_unpublish(&options, "seen"), LFB_OK);
  for (size_t i = 0; i < 3; i++) EXPECT_EQ(cluster.node(i).Call({"DBSIZE"}), "0");
}

}  // namespace
