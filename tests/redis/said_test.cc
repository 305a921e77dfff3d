// said_test.cc - what a server said when it ended a call: lfb_redis_last_error(), with each word
// that a server here can be made to say.
//
// Seen to fail with each of these planted faults:
//
// - the text is kept for all threads in one place: EachThreadHasItsOwn
// - the text is kept whatever its status: AnotherFailureHasNone
// - a failed deletion's text replaces that of the failure: IsNotThatOfTheDeletion
#include <sys/stat.h>

#include <thread>

#include "tests/redis/remotes.h"
#include "tests/support/await.h"

namespace {

const lfb_config kConfig = Config(2000, 0.01, LFB_FAST);

std::string Said(lfb_status status) { return lfb_redis_last_error(status); }

lfb_redis_options Impatient(const RedisServer& server) {
  lfb_redis_options options = server.Options();
  options.retries = UINT32_MAX;  // none
  return options;
}

lfb_status Create(const lfb_redis_options& options, const std::string& name) {
  lfb_redis* filter = nullptr;
  const lfb_status status = lfb_redis_create(&options, name.c_str(), &kConfig, 0, &filter);
  lfb_redis_close(filter);
  return status;
}

RedisConfig With(const std::vector<std::string>& more) {
  RedisConfig config;
  config.more = more;
  return config;
}

// A user with all rights but these.
lfb_redis_options UserWithout(const RedisServer& server, const std::vector<std::string>& rules) {
  std::vector<std::string> words = {"ACL", "SETUSER", "user", "reset",
                                    "on",  ">secret", "~*",   "+@all"};
  words.insert(words.end(), rules.begin(), rules.end());
  EXPECT_EQ(server.Call(words), "OK");
  lfb_redis_options options = Impatient(server);
  options.user = "user";
  options.password = "secret";
  return options;
}

TEST(Said, Noperm) {
  RedisServer server;
  EXPECT_EQ(Create(UserWithout(server, {"-type"}), "seen"), LFB_OK);
  EXPECT_EQ(TryOpen(UserWithout(server, {"-type"}), "seen"), LFB_ERROR_REDIS_DENIED);
  EXPECT_EQ(Said(LFB_ERROR_REDIS_DENIED),
            "NOPERM this user has no permissions to run the 'type' command");
  EXPECT_EQ(TryOpen(UserWithout(server, {"resetkeys"}), "seen"), LFB_ERROR_REDIS_DENIED);
  EXPECT_EQ(Said(LFB_ERROR_REDIS_DENIED).substr(0, 36), "NOPERM this user has no permissions ");
  EXPECT_NE(Said(LFB_ERROR_REDIS_DENIED).find("keys"), std::string::npos);
}

TEST(Said, Wrongpass) {
  RedisServer server;
  lfb_redis_options options = UserWithout(server, {});
  options.password = "wrong";
  EXPECT_EQ(Create(options, "seen"), LFB_ERROR_REDIS_LOGIN);
  EXPECT_EQ(Said(LFB_ERROR_REDIS_LOGIN),
            "WRONGPASS invalid username-password pair or user is disabled.");
}

TEST(Said, Oom) {
  RedisServer server;
  const Remote filter = CreateRemote(Impatient(server), "seen", kConfig);
  EXPECT_EQ(server.Call({"CONFIG", "SET", "maxmemory", "1"}), "OK");
  const std::string oom = "OOM command not allowed when used memory > 'maxmemory'.";
  EXPECT_EQ(Create(Impatient(server), "other"), LFB_ERROR_REDIS_MEMORY);
  EXPECT_EQ(Said(LFB_ERROR_REDIS_MEMORY), oom);
  EXPECT_EQ(Said(LFB_ERROR_REDIS_DENIED), "");
  EXPECT_EQ(PutNumber(filter.get(), 1, nullptr), LFB_ERROR_REDIS_MEMORY);
  EXPECT_EQ(Said(LFB_ERROR_REDIS_MEMORY), oom);
}

TEST(Said, Readonly) {
  RedisServer server;
  const Remote filter = CreateRemote(Impatient(server), "seen", kConfig);
  EXPECT_EQ(server.Call({"REPLICAOF", "127.0.0.1", "1"}), "OK");
  EXPECT_EQ(PutNumber(filter.get(), 1, nullptr), LFB_ERROR_REDIS_UNAVAILABLE);
  EXPECT_EQ(Said(LFB_ERROR_REDIS_UNAVAILABLE),
            "READONLY You can't write against a read only replica.");
}

TEST(Said, Masterdown) {
  RedisServer server(With({"--replica-serve-stale-data", "no"}));
  const Remote filter = CreateRemote(Impatient(server), "seen", kConfig);
  EXPECT_EQ(server.Call({"REPLICAOF", "127.0.0.1", "1"}), "OK");
  bool maybe;
  EXPECT_EQ(AskNumber(filter.get(), 1, &maybe), LFB_ERROR_REDIS_UNAVAILABLE);
  EXPECT_EQ(Said(LFB_ERROR_REDIS_UNAVAILABLE).substr(0, 37),
            "MASTERDOWN Link with MASTER is down a");
}

TEST(Said, Noreplicas) {
  RedisServer server;
  EXPECT_EQ(server.Call({"CONFIG", "SET", "min-replicas-to-write", "1"}), "OK");
  EXPECT_EQ(Create(Impatient(server), "seen"), LFB_ERROR_REDIS_UNAVAILABLE);
  EXPECT_EQ(Said(LFB_ERROR_REDIS_UNAVAILABLE), "NOREPLICAS Not enough good replicas to write.");
}

TEST(Said, Clusterdown) {
  RedisConfig config;
  config.cluster = true;  // no node serves any slot
  RedisServer server(config);
  EXPECT_EQ(Create(Impatient(server), "seen"), LFB_ERROR_REDIS_UNAVAILABLE);
  EXPECT_EQ(Said(LFB_ERROR_REDIS_UNAVAILABLE), "CLUSTERDOWN Hash slot not served");
}

// A snapshot fails: a directory has its name.
TEST(Said, Misconf) {
  RedisServer server(With({"--dbfilename", "taken", "--save", "3600 1"}));
  const std::string reply = server.Call({"CONFIG", "GET", "dir"});  // two lines
  const std::string folder = reply.substr(4, reply.size() - 5);
  ASSERT_EQ(mkdir((folder + "/taken").c_str(), 0700), 0) << folder;
  EXPECT_EQ(Create(Impatient(server), "seen"), LFB_OK);
  EXPECT_NE(server.Call({"SAVE"}), "OK");
  EXPECT_NE(server.Call({"BGSAVE"}), "");
  Await("the snapshot has failed", [&] { return server.Info("rdb_last_bgsave_status") == "err"; });
  EXPECT_EQ(Create(Impatient(server), "other"), LFB_ERROR_REDIS_REFUSED);
  EXPECT_EQ(Said(LFB_ERROR_REDIS_REFUSED).substr(0, 55),
            "MISCONF Redis is configured to save RDB snapshots, but ");
}

// Not of a server: of the network.
TEST(Said, ConnectionRefused) {
  lfb_redis_options options{};
  options.port = 1;
  options.retries = UINT32_MAX;
  EXPECT_EQ(Create(options, "seen"), LFB_ERROR_REDIS_CONNECT);
  EXPECT_EQ(Said(LFB_ERROR_REDIS_CONNECT), "127.0.0.1: Connection refused");
}

TEST(Said, AnotherFailureHasNone) {
  RedisServer server;
  EXPECT_EQ(TryOpen(UserWithout(server, {"-type"}), "seen"), LFB_ERROR_REDIS_DENIED);
  EXPECT_EQ(TryOpen(Impatient(server), "seen"), LFB_ERROR_REDIS_ABSENT);
  EXPECT_EQ(Said(LFB_ERROR_REDIS_ABSENT), "");
  EXPECT_EQ(Create(Impatient(server), ""), LFB_ERROR_REDIS_BAD_NAME);
  EXPECT_EQ(Said(LFB_ERROR_REDIS_BAD_NAME), "");
  EXPECT_EQ(Create(Impatient(server), "seen"), LFB_OK);
  EXPECT_EQ(Create(Impatient(server), "seen"), LFB_ERROR_REDIS_EXISTS);
  EXPECT_EQ(Said(LFB_ERROR_REDIS_EXISTS), "");
  server.Call({"DEL", "{seen}:0", "{seen:0}"});
  EXPECT_EQ(TryOpen(Impatient(server), "seen"), LFB_ERROR_REDIS_PART);
  EXPECT_EQ(Said(LFB_ERROR_REDIS_PART), "");
}

// A user without the right to write the parts, and to delete what was made until then.
TEST(Said, IsNotThatOfTheDeletion) {
  RedisServer server;
  EXPECT_EQ(Create(UserWithout(server, {"-bitfield", "-unlink"}), "seen"), LFB_ERROR_REDIS_DENIED);
  EXPECT_EQ(Said(LFB_ERROR_REDIS_DENIED),
            "NOPERM this user has no permissions to run the 'bitfield' command");
}

// Two threads use one filter in turns: one may put, and the server then has no memory for the
// other.
TEST(Said, EachThreadHasItsOwn) {
  RedisServer server;
  const Remote filter = CreateRemote(Impatient(server), "seen", kConfig);
  EXPECT_EQ(server.Call({"CONFIG", "SET", "maxmemory", "1"}), "OK");
  EXPECT_EQ(PutNumber(filter.get(), 1, nullptr), LFB_ERROR_REDIS_MEMORY);
  const char* const mine = lfb_redis_last_error(LFB_ERROR_REDIS_MEMORY);
  std::thread([&] {
    EXPECT_EQ(Said(LFB_ERROR_REDIS_MEMORY), "");
    EXPECT_EQ(server.Call({"CONFIG", "SET", "maxmemory", "0"}), "OK");
    EXPECT_EQ(server.Call({"REPLICAOF", "127.0.0.1", "1"}), "OK");
    EXPECT_EQ(PutNumber(filter.get(), 1, nullptr), LFB_ERROR_REDIS_UNAVAILABLE);
    EXPECT_EQ(Said(LFB_ERROR_REDIS_UNAVAILABLE).substr(0, 9), "READONLY ");
  }).join();
  EXPECT_EQ(std::string(mine).substr(0, 4), "OOM ");
  EXPECT_EQ(Said(LFB_ERROR_REDIS_UNAVAILABLE), "");
}

// go_on can print why the call waits.
TEST(Said, BeforeEachPause) {
  RedisServer server;
  lfb_redis_options options = server.Options();
  std::string text;
  options.told = &text;
  options.go_on = [](void* told, lfb_status why, uint64_t) {
    *static_cast<std::string*>(told) = Said(why);
    return false;
  };
  EXPECT_EQ(server.Call({"CONFIG", "SET", "min-replicas-to-write", "1"}), "OK");
  EXPECT_EQ(Create(options, "seen"), LFB_ERROR_REDIS_UNAVAILABLE);
  EXPECT_EQ(text, "NOREPLICAS Not enough good replicas to write.");
}

}  // namespace
