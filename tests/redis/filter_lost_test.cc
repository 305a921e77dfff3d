// filter_lost_test.cc - a filter that the server has lost is not made again by a put.
//
// Each planted fault (by hand), and the tests that were seen to fail, in 3 runs of 3:
//
// - helper puts by lfb_part_put(), a BITFIELD (layout_helper.c): NoPutMakesItAgain,
//   AnotherStringStaysAsItIs, NothingOfJavasIsLost
// - the same, and its stump deleted (clears_stumps): the last two
// - the script does not look at the mark: the first two
// - adoption does not ask whether the string exists: AdoptsNothingThatIsGone
// - only part 0 is looked for (open.c, left_status): PartsThatAreLeftAreFoundAndDeleted
// - any string is taken for a part (lfb_fast_is_part): OtherStringsAreNotParts
// - another SHA-1 (helper_put_name): SendsTheScriptOnce
#include <atomic>
#include <random>
#include <set>
#include <thread>

#include "redis/filter/remote.h"
#include "tests/redis/jobs.h"
#include "tests/redis/remotes.h"
#include "tests/support/await.h"
#include "tests/support/race.h"

namespace {

lfb_status PutMany(const Remote& remote, const std::vector<uint64_t>& keys) {
  return lfb_redis_many(remote.get(), LFB_PUT, keys.data(), keys.size(), nullptr, nullptr,
                        LFB_U64_KEY);
}

using Words = std::vector<std::string>;

struct Loss {
  const char* name;
  std::vector<std::string> words;
};

const Loss kLosses[] = {
    {"DEL", {"DEL", "seen"}},
    {"RENAME", {"RENAME", "seen", "other"}},
    {"FLUSHALL", {"FLUSHALL"}},
    {"expiry", {"PEXPIRE", "seen", "1"}},
};

// After each kind of loss every put is refused, as it is with the other layouts; the string is
// not made again, so that no later open takes it for a filter.
TEST(Lost, NoPutMakesItAgain) {
  for (lfb_strategy_id strategy : {LFB_REDIS_MITZ32, LFB_GUAVA_MITZ64}) {
    for (const Loss& loss : kLosses) {
      RedisServer server;
      const lfb_redis_options options = server.Options();
      const lfb_config config = Config(20'000, 0.01, strategy);
      const Remote remote = CreateRemote(options, "seen", config);
      EXPECT_EQ(PutMany(remote, KeysFrom(0, 20'000)), LFB_OK);
      server.Call(loss.words);
      Await("the filter is gone", [&] { return server.Call({"EXISTS", "seen"}) == "0"; });
      EXPECT_EQ(PutNumber(remote.get(), 1, nullptr), LFB_ERROR_REDIS_PART) << loss.name;
      EXPECT_EQ(PutMany(remote, KeysFrom(0, 20'000)), LFB_ERROR_REDIS_PART) << loss.name;
      EXPECT_EQ(server.Call({"EXISTS", "seen"}), "0") << loss.name;
      EXPECT_EQ(TryOpen(options, "seen", &config), LFB_ERROR_REDIS_ABSENT) << loss.name;
    }
  }
}

// Parts without a description: any number of them is the same error to each call, and is deleted.
TEST(Lost, PartsThatAreLeftAreFoundAndDeleted) {
  RedisServer server;
  const lfb_redis_options options = server.Options();
  const lfb_config config = Config(300'000, 0.01, LFB_FAST);
  const Words all = Keys(CreateRemote(options, "seen", config));
  ASSERT_GT(all.size(), 90u);  // more than one look finds
  ASSERT_EQ(lfb_redis_delete(&options, "seen", LFB_DEFAULT), LFB_OK);
  for (const Words& gone :
       {Words{}, Words{"{seen:0}"}, Words{"{seen:0}", "{seen:1}", "{seen:70}"}}) {
    const Remote remote = CreateRemote(options, "seen", config);
    EXPECT_EQ(PutMany(remote, KeysFrom(0, 100)), LFB_OK);
    server.Call({"PEXPIRE", "seen", "1"});
    Await("the name has expired", [&] { return server.Call({"EXISTS", "seen"}) == "0"; });
    for (const std::string& part : gone) EXPECT_EQ(server.Call({"DEL", part}), "1");
    EXPECT_EQ(TryOpen(options, "seen"), LFB_ERROR_REDIS_PART);
    EXPECT_EQ(TryOpen(options, "seen", &config), LFB_ERROR_REDIS_PART);
    lfb_redis* none = nullptr;
    EXPECT_EQ(lfb_redis_create(&options, "seen", &config, kSmallParts, &none),
              LFB_ERROR_REDIS_EXISTS);
    EXPECT_EQ(lfb_redis_delete(&options, "seen", LFB_DEFAULT), LFB_OK);
    EXPECT_EQ(server.Call({"DBSIZE"}), "0") << server.Call({"KEYS", "*"});
    EXPECT_EQ(lfb_redis_delete(&options, "seen", LFB_DEFAULT), LFB_ERROR_REDIS_ABSENT);
  }
}

// What is no part is neither taken for one nor deleted, nor is a part of another size.
TEST(Lost, OtherStringsAreNotParts) {
  RedisServer server;
  const lfb_redis_options options = server.Options();
  server.Call({"SET", "{seen:0}", "hello"});
  server.Call({"SET", "{seen:1}", ""});
  server.Call({"SET", "{seen:2}", "four"});
  server.Call({"RPUSH", "{seen:3}", "a"});
  EXPECT_EQ(TryOpen(options, "seen"), LFB_ERROR_REDIS_ABSENT);
  EXPECT_EQ(lfb_redis_delete(&options, "seen", LFB_DEFAULT), LFB_ERROR_REDIS_ABSENT);
  server.Call({"SET", "{seen:4}", std::string(68, 'a')});
  server.Call({"SET", "{seen:5}", std::string(132, 'a')});
  EXPECT_EQ(TryOpen(options, "seen"), LFB_ERROR_REDIS_PART);
  const lfb_config helper = Config(100, 0.01, LFB_REDIS_MITZ32);
  EXPECT_EQ(TryOpen(options, "seen", &helper), LFB_ERROR_REDIS_ABSENT);
  EXPECT_EQ(lfb_redis_delete(&options, "seen", LFB_DEFAULT), LFB_OK);
  EXPECT_EQ(server.Call({"DBSIZE"}), "5");
  EXPECT_EQ(server.Call({"EXISTS", "{seen:4}"}), "0");
}

class LostHelper : public WithServer {
 protected:
  const lfb_config config = Config(20'000, 0.01, LFB_REDIS_MITZ32);
};

// A put writes nothing into a string that is not the filter.
TEST_F(LostHelper, AnotherStringStaysAsItIs) {
  const Remote remote = CreateRemote(options, "seen", config);
  const std::string size = server.Call({"STRLEN", "seen"});
  for (const std::string& other :
       {std::string("somebody's"), std::string(std::stoul(size), '\0')}) {
    server.Call({"SET", "seen", other});
    EXPECT_EQ(PutMany(remote, KeysFrom(0, 1000)), LFB_ERROR_REDIS_PART);
    EXPECT_EQ(server.Call({"GET", "seen"}), other);
  }
  server.Call({"DEL", "seen"});
  server.Call({"LPUSH", "seen", "somebody's"});
  EXPECT_EQ(PutMany(remote, KeysFrom(0, 1000)), LFB_ERROR_REDIS_PART);
  EXPECT_EQ(server.Call({"LLEN", "seen"}), "1");
}

// While puts are in progress, the filter is lost, and then a program like the Java class makes it
// and puts into it. All its bits stay, and there are no others.
TEST_F(LostHelper, NothingOfJavasIsLost) {
  constexpr unsigned kRounds = 12;
  std::mt19937_64 random(1);
  for (unsigned round = 0; round < kRounds; round++) {
    const Remote remote = CreateRemote(options, "seen", config);
    std::atomic<uint64_t> puts{0};
    std::atomic<bool> ended{false};
    std::thread putter([&] {
      while (!ended) {
        const lfb_status status = PutMany(remote, KeysFrom(0, 500));
        EXPECT_TRUE(status == LFB_OK || status == LFB_ERROR_REDIS_PART);
        puts++;
      }
    });
    Link java = OpenLink(options);
    EXPECT_EQ(Ask(java.get(), {"DEL", "seen"}), "1");
    std::set<uint64_t> bits;
    for (unsigned i = 0; i < 50; i++) {
      // Half of them are bits that the puts of this library would set, too.
      const uint64_t bit = random() % 190'000;
      bits.insert(bit);
      (void)Ask(java.get(), {"SETBIT", "seen", std::to_string(bit), "1"});
    }
    const uint64_t before = puts;
    AwaitSpinning("more puts are refused", [&] { return puts >= before + 2; });
    ended = true;
    putter.join();
    EXPECT_EQ(server.Call({"BITCOUNT", "seen"}), std::to_string(bits.size())) << "round " << round;
    for (uint64_t bit : bits) EXPECT_EQ(server.Call({"GETBIT", "seen", std::to_string(bit)}), "1");
    EXPECT_EQ(TryOpen(options, "seen", &config), LFB_OK) << "what Java made is a filter";
    EXPECT_EQ(lfb_redis_delete(&options, "seen", LFB_REDIS_MITZ32), LFB_OK);
  }
}

// A string that was lost after it was found is not adopted.
TEST_F(LostHelper, AdoptsNothingThatIsGone) {
  const Remote remote = CreateRemote(options, "seen", Config(2'000'000, 0.01, LFB_REDIS_MITZ32));
  const Link link = OpenLink(options);
  lfb_redis_place place = remote->place;
  server.Call({"DEL", "seen"});
  EXPECT_EQ(place.layout->adopt(link.get(), &place), LFB_ERROR_REDIS_PART);
  EXPECT_EQ(server.Call({"EXISTS", "seen"}), "0");
  server.Call({"SETBIT", "seen", "9", "1"});
  EXPECT_EQ(place.layout->adopt(link.get(), &place), LFB_OK);
  EXPECT_EQ(server.Call({"STRLEN", "seen"}), std::to_string(place.plan.part_bytes));
  EXPECT_EQ(server.Call({"BITCOUNT", "seen"}), "2") << "and the mark";
}

// A job sends the script with its first command and then only its name.
TEST_F(LostHelper, SendsTheScriptOnce) {
  const Remote remote = CreateRemote(options, "seen", config);
  server.Call({"CONFIG", "RESETSTAT"});
  EXPECT_EQ(PutMany(remote, KeysFrom(0, 8 * 100 + 1)), LFB_OK);
  const std::string eval = server.Info("cmdstat_eval"), evalsha = server.Info("cmdstat_evalsha");
  EXPECT_EQ(eval.substr(0, 8), "calls=1,") << eval;
  EXPECT_EQ(evalsha.substr(0, 10), "calls=100,") << evalsha;
  EXPECT_NE(evalsha.find("rejected_calls=0,failed_calls=0"), std::string::npos) << evalsha;
}

// Puts go on if the server forgets the script, and none is lost.
TEST_F(LostHelper, AServerMayForgetTheScript) {
  const Remote remote = CreateRemote(options, "seen", Config(200'000, 1e-9, LFB_REDIS_MITZ32));
  std::atomic<bool> ended{false};
  std::thread forgetter([&] {
    const Link link = OpenLink(options);
    while (!ended) {
      (void)Ask(link.get(), {"SCRIPT", "FLUSH"});
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
  const std::vector<uint64_t> keys = KeysFrom(0, kUnderTsan ? 20'000 : 30'000);
  EXPECT_EQ(PutMany(remote, keys), LFB_OK);
  ended = true;
  forgetter.join();
  EXPECT_EQ(RemoteMany(remote, LFB_MIGHT_CONTAIN, keys), keys.size());
}

// What a user needs: redis.h, 8.
TEST_F(LostHelper, NeedsTheRightToRunScripts) {
  const Remote made = CreateRemote(options, "seen", config);
  server.Call({"ACL", "SETUSER", "all", "on", ">secret", "~seen", "+type", "+strlen", "+exists",
               "+bitfield_ro", "+eval", "+evalsha", "+getbit", "+setbit"});
  server.Call(
      {"ACL", "SETUSER", "reader", "on", ">secret", "~seen", "+type", "+strlen", "+bitfield_ro"});
  server.Call({"ACL", "SETUSER", "half", "on", ">secret", "~seen", "+type", "+strlen",
               "+bitfield_ro", "+eval", "+evalsha", "+getbit"});
  lfb_redis_options user = options;
  user.password = "secret";
  user.user = "all";
  EXPECT_EQ(PutMany(OpenRemote(user, "seen", &config), KeysFrom(0, 100)), LFB_OK);
  for (const char* name : {"reader", "half"}) {
    user.user = name;
    const Remote remote = OpenRemote(user, "seen", &config);
    bool maybe = false;
    EXPECT_EQ(AskNumber(remote.get(), 7, &maybe), LFB_OK);
    EXPECT_TRUE(maybe);
    EXPECT_EQ(PutMany(remote, KeysFrom(0, 100)), user.user == std::string("reader")
                                                ? LFB_ERROR_REDIS_DENIED
                                                : LFB_ERROR_REDIS_REFUSED);
  }
}

}  // namespace
