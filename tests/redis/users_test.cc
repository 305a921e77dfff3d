// users_test.cc - each fault of a server, as each kind of user sees it: a plain client, and a
// publisher with a follower of versions.
//
// The invariant: an acknowledged key is found, or asking for it is an error. Planted by hand, and
// the test that was seen to fail: the mark is not compared (layouts.c, fields_expect),
// LosesNothingToAServerThatForgets.
#include <functional>
#include <set>
#include <thread>

#include "tests/redis/followers.h"

namespace {

// Puts numbers, 100 at a time, and remembers which were acknowledged.
class User {
 public:
  virtual ~User() = default;
  virtual lfb_status Open(const lfb_redis_options& options) = 0;
  // How many acknowledged keys are reported absent. A query that fails does not count.
  virtual uint64_t Lost() = 0;
  // Whether the last Lost() ran without an error.
  bool asked() const { return asked_; }
  // Puts the next numbers, or the last ones again if they were not acknowledged.
  lfb_status Put() {
    const lfb_status status = PutFrom(acknowledged_);
    if (status == LFB_OK) acknowledged_ += kStep;
    return status;
  }

 protected:
  virtual lfb_status PutFrom(uint64_t first) = 0;
  uint64_t acknowledged_ = 0;
  bool asked_ = true;
};

class Plain : public User {
 public:
  lfb_status Open(const lfb_redis_options& options) override {
    return TryOpen(options, "seen", nullptr, &remote_);
  }
  uint64_t Lost() override {
    uint64_t lost = 0;
    asked_ = true;
    for (uint64_t key = 0; key < acknowledged_; key++) {
      bool maybe = true;
      const lfb_status status = AskNumber(remote_.get(), key, &maybe);
      asked_ = asked_ && status == LFB_OK;
      lost += status == LFB_OK && !maybe;
    }
    return lost;
  }

 private:
  lfb_status PutFrom(uint64_t first) override {
    return lfb_redis_many(remote_.get(), LFB_PUT, KeysFrom(first, first + kStep).data(), kStep,
                          nullptr, nullptr, LFB_U64_KEY);
  }
  Remote remote_;
};

class Versions : public User {
 public:
  lfb_status Open(const lfb_redis_options& options) override {
    options_ = options;
    const lfb_status status = TryPublish(options, 1);
    if (status != LFB_OK) return status;
    follower_ = std::make_unique<Follower>(options);
    acknowledged_ = kStep;
    lfb_followed what = LFB_FOLLOWED_NOTHING;
    const lfb_status polled = Poll(&what);
    EXPECT_TRUE(polled != LFB_OK || what == LFB_FOLLOWED_REBUILT);
    return polled;
  }
  // A follower knows only what a poll fetched.
  uint64_t Lost() override {
    lfb_followed what;
    asked_ = Poll(&what) == LFB_OK;
    return follower_->Missing(followed_ / kStep);
  }

 private:
  lfb_status Poll(lfb_followed* what) {
    const lfb_status status = lfb_follow_poll(follower_->follow, follower_->now += 1000, what);
    if (status == LFB_OK) followed_ = acknowledged_;
    return status;
  }
  lfb_status PutFrom(uint64_t first) override { return TryPublish(options_, first / kStep + 1); }
  lfb_redis_options options_{};
  std::unique_ptr<Follower> follower_;
  uint64_t followed_ = 0;  // what was acknowledged at the last successful poll
};

using MakeUser = std::unique_ptr<User> (*)();

class EachUser : public testing::TestWithParam<MakeUser> {
 protected:
  static RedisConfig Durable() {
    RedisConfig config;
    config.durable = true;
    config.password = "secret";
    return config;
  }
  void SetUp() override {
    EXPECT_NE(CreateRemote(server.Options(), "seen", config), nullptr);
  }
  // Every put fails until `mend`, then it is acknowledged.
  void Fails(const std::set<lfb_status>& expected, const std::function<void()>& mend) {
    for (int i = 0; i < 2; i++) {
      const lfb_status status = user->Put();
      EXPECT_EQ(expected.count(status), 1u) << lfb_status_text(status);
    }
    EXPECT_EQ(user->Lost(), 0u);
    mend();
    PutThrough();
    Await("all is asked for without an error", [&] {
      EXPECT_EQ(user->Lost(), 0u);
      return HasFailure() || user->asked();
    });
  }
  void PutThrough() {
    Await("a put is acknowledged", [&] { return user->Put() == LFB_OK; });
  }
  const lfb_config config = Config(20'000, 1e-6, LFB_FAST);
  RedisServer server{Durable()};
  const lfb_redis_options options = server.Options();
  const std::unique_ptr<User> user = GetParam()();
};

TEST_P(EachUser, IsNotKnownByAWrongPassword) {
  lfb_redis_options wrong = options;
  for (const char* password : {"", "secre", "secrets", static_cast<const char*>(nullptr)}) {
    wrong.password = password;
    EXPECT_EQ(user->Open(wrong), LFB_ERROR_REDIS_LOGIN);
  }
  wrong.password = "secret";
  wrong.user = "nobody";
  EXPECT_EQ(user->Open(wrong), LFB_ERROR_REDIS_LOGIN);
  EXPECT_EQ(user->Open(options), LFB_OK);
}

TEST_P(EachUser, OutlivesAServerThatIsKilled) {
  ASSERT_EQ(user->Open(options), LFB_OK);
  for (int round = 0; round < 4; round++) {
    PutThrough();
    std::thread killer([&] {
      server.Kill();
      server.Start();
    });
    for (int i = 0; i < 5; i++) PutThrough();
    killer.join();
    EXPECT_EQ(user->Lost(), 0u);
  }
}

TEST_P(EachUser, OutlivesResets) {
  ASSERT_EQ(user->Open(options), LFB_OK);
  std::thread resetter([&] {
    for (int i = 0; i < 50; i++) server.Call({"CLIENT", "KILL", "TYPE", "normal"});
  });
  for (int i = 0; i < 30; i++) PutThrough();
  resetter.join();
  EXPECT_EQ(user->Lost(), 0u);
}

// No call hangs, and no put is acknowledged.
TEST_P(EachUser, SeesThatAServerStops) {
  lfb_redis_options hasty = options;
  hasty.timeout_ms = 200;
  hasty.connect_ms = 2000;
  hasty.retries = UINT32_MAX;
  AwaitSpinning("it is opened in time", [&] { return user->Open(hasty) == LFB_OK; });
  server.Stop();
  Fails({LFB_ERROR_REDIS_TIMEOUT}, [&] { server.Continue(); });
}

TEST_P(EachUser, SeesThatAServerIsFull) {
  ASSERT_EQ(user->Open(options), LFB_OK);
  server.Call({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
  server.Call({"CONFIG", "SET", "maxmemory", "1mb"});
  Fails({LFB_ERROR_REDIS_MEMORY}, [&] { server.Call({"CONFIG", "SET", "maxmemory", "0"}); });
}

TEST_P(EachUser, SeesThatAServerBecameAReplica) {
  lfb_redis_options hasty = options;
  hasty.retries = 1;
  ASSERT_EQ(user->Open(hasty), LFB_OK);
  server.Call(
      {"REPLICAOF", "127.0.0.1", std::to_string(server.bus_port())});  // no server listens there
  Fails({LFB_ERROR_REDIS_UNAVAILABLE}, [&] { server.Call({"REPLICAOF", "NO", "ONE"}); });
}

// If the server loses all data, a user reports an error or is not affected: a version is
// complete.
TEST_P(EachUser, LosesNothingToAServerThatForgets) {
  ASSERT_EQ(user->Open(options), LFB_OK);
  EXPECT_EQ(user->Put(), LFB_OK);
  EXPECT_EQ(user->Lost(), 0u);  // the follower has it
  server.Call({"FLUSHALL"});
  EXPECT_EQ(user->Lost(), 0u);
  const lfb_status status = user->Put();  // versions start at a first one again
  EXPECT_TRUE(status == LFB_ERROR_REDIS_PART || status == LFB_OK) << lfb_status_text(status);
  EXPECT_EQ(user->Lost(), 0u);
  // A new filter of the same name is not the old one, and has none of its keys.
  lfb_ignore(lfb_redis_delete(&options, "seen", LFB_FAST));
  const Remote anew = CreateRemote(options, "seen", config);
  EXPECT_EQ(user->Lost(), 0u);
}

template <typename T>
std::unique_ptr<User> MakeOne() {
  return std::make_unique<T>();
}
INSTANTIATE_TEST_SUITE_P(Plain, EachUser, testing::Values(&MakeOne<Plain>));
INSTANTIATE_TEST_SUITE_P(Versions, EachUser, testing::Values(&MakeOne<Versions>));

}  // namespace
