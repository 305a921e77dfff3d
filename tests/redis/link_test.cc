// link_test.cc - a link to one server that works as it should.
#include <sys/socket.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "tests/support/ports.h"
#include "tests/redis/jobs.h"
#include "tests/redis/server.h"

namespace {

TEST(Link, DoesCommandsInOrder) {
  RedisServer server;
  const Link link = OpenLink(server.Options());
  EXPECT_FALSE(link->nodes.cluster);
  uint64_t next = 0;
  constexpr uint64_t kCount = 20'000;
  const lfb_status status =
      DoJob(link.get(), {kCount, [](uint64_t) { return Command{"INCR", "count"}; },
                       [&](uint64_t i, const redisReply* reply, bool again) {
                         EXPECT_EQ(i, next++);
                         EXPECT_EQ(reply->integer, static_cast<long long>(i + 1));
                         EXPECT_FALSE(again);
                         return lfb_reply_status(reply);
                       }});
  EXPECT_EQ(status, LFB_OK);
  EXPECT_EQ(next, kCount);
  EXPECT_EQ(server.Call({"GET", "count"}), std::to_string(kCount));
}

TEST(Link, DoesNothingOfNothing) {
  RedisServer server;
  const Link link = OpenLink(server.Options());
  EXPECT_EQ(DoJob(link.get(), {0, nullptr, nullptr}), LFB_OK);
}

// Commands written without an answer never exceed the window by more than one; 0 is the default.
TEST(Link, KeepsToItsWindow) {
  RedisServer server;
  lfb_redis_options options = server.Options();
  for (uint32_t given : {1u, 2u, 7u, 0u}) {
    options.window = given;
    const uint64_t window = given == 0 ? 64 : given;
    const Link link = OpenLink(options);
    uint64_t written = 0, answered = 0, most = 0;
    EXPECT_EQ(DoJob(link.get(), {500,
                               [&](uint64_t) {
                                 written++;
                                 most = std::max(most, written - answered);
                                 return Command{"PING"};
                               },
                               [&](uint64_t, const redisReply* reply, bool) {
                                 answered++;
                                 return lfb_reply_status(reply);
                               }}),
              LFB_OK);
    EXPECT_EQ(answered, 500u);
    // One more is written, and held until there is room.
    EXPECT_LE(most, window + 1);
    EXPECT_GE(most, window);
  }
}

// Bytes of every kind and size come back unchanged, also if a reply takes many reads.
TEST(Link, CarriesAnyBytes) {
  RedisServer server;
  const Link link = OpenLink(server.Options());
  for (size_t size : {size_t{0}, size_t{1}, size_t{4095}, size_t{65536}, size_t{5} << 20}) {
    std::string bytes(size, '\0');
    for (size_t i = 0; i < size; i++) bytes[i] = static_cast<char>(i * 7 + i / 251);
    EXPECT_EQ(Ask(link.get(), {"SET", "bytes", bytes}), "OK");
    EXPECT_EQ(Ask(link.get(), {"GET", "bytes"}), bytes);
  }
}

// Nested arrays, and numbers of either sign.
TEST(Link, ReadsEveryReply) {
  RedisServer server;
  const Link link = OpenLink(server.Options());
  Ask(link.get(), {"XADD", "stream", "1-1", "field", "value"});
  EXPECT_EQ(DoJob(link.get(), {4,
                             [](uint64_t i) {
                               return i == 0   ? Command{"XRANGE", "stream", "-", "+"}
                                      : i == 1 ? Command{"GET", "nothing"}
                                      : i == 2 ? Command{"DECR", "number"}
                                               : Command{"LRANGE", "empty", "0", "-1"};
                             },
                             [](uint64_t i, const redisReply* reply, bool) {
                               if (i == 0) {
                                 const redisReply* fields = reply->element[0]->element[1];
                                 EXPECT_STREQ(fields->element[0]->str, "field");
                                 EXPECT_STREQ(fields->element[1]->str, "value");
                               }
                               constexpr int kTypes[] = {REDIS_REPLY_ARRAY, REDIS_REPLY_NIL,
                                                         REDIS_REPLY_INTEGER, REDIS_REPLY_ARRAY};
                               EXPECT_EQ(reply->type, kTypes[i]);
                               EXPECT_EQ(reply->integer, i == 2 ? -1 : 0);
                               EXPECT_EQ(reply->elements, i == 0 ? 1u : 0u);
                               return LFB_OK;
                             }}),
            LFB_OK);
}

// An error is a reply like any other. If the caller's function returns it, the job ends, and the
// link still works.
TEST(Link, HandsErrorsOver) {
  RedisServer server;
  const Link link = OpenLink(server.Options());
  Ask(link.get(), {"SET", "text", "x"});
  uint64_t replies = 0;
  EXPECT_EQ(DoJob(link.get(), {1000, [](uint64_t) { return Command{"LPUSH", "text", "y"}; },
                             [&](uint64_t, const redisReply* reply, bool) {
                               replies++;
                               EXPECT_TRUE(lfb_reply_is_error(reply, "WRONGTYPE"));
                               return lfb_reply_status(reply);
                             }}),
            LFB_ERROR_REDIS_REFUSED);
  EXPECT_EQ(replies, 1u);
  EXPECT_NE(std::string(link->said.text).find("WRONGTYPE"), std::string::npos);
  EXPECT_EQ(Ask(link.get(), {"GET", "text"}), "x");
}

TEST(Link, LogsIn) {
  RedisConfig config;
  config.password = "open, sesame";
  RedisServer server(config);
  EXPECT_EQ(Ask(OpenLink(server.Options()).get(), {"PING"}), "PONG");
  server.Call({"ACL", "SETUSER", "reader", "on", ">other", "~*", "+get", "+ping", "+set"});
  lfb_redis_options options = server.Options();
  options.user = "reader";
  options.password = "other";
  const Link link = OpenLink(options);
  EXPECT_EQ(Ask(link.get(), {"SET", "a", "1"}), "OK");
  lfb_status status = LFB_OK;
  EXPECT_EQ(DoJob(link.get(), {1, [](uint64_t) { return Command{"DEL", "a"}; },
                             [&](uint64_t, const redisReply* reply, bool) {
                               return status = lfb_reply_status(reply);
                             }}),
            LFB_ERROR_REDIS_DENIED);
}

TEST(Link, RefusesAWrongPassword) {
  RedisConfig config;
  config.password = "open, sesame";
  RedisServer guarded(config), open;
  struct {
    const RedisServer* server;
    const char *user, *password;
  } const rows[] = {
      {&guarded, nullptr, nullptr},  // NOAUTH
      {&guarded, nullptr, "wrong"},
      {&guarded, "nobody", "wrong"},
      {&open, nullptr, "needless"},
  };
  for (const auto& row : rows) {
    lfb_redis_options options = row.server->Options();
    options.user = row.user;
    options.password = row.password;
    lfb_link* link = nullptr;
    lfb_said said{};
    EXPECT_EQ(lfb_link_open(&options, &said, &link), LFB_ERROR_REDIS_LOGIN) << said.text;
    EXPECT_EQ(link, nullptr);
    EXPECT_STRNE(said.text, "");
  }
}

// A directory with a short path, since that of a Unix socket has at most 107 bytes.
struct ShortDirectory {
  ShortDirectory() { EXPECT_NE(mkdtemp(path), nullptr); }
  ~ShortDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  char path[21] = "/tmp/lfbloom-XXXXXXX";
};

TEST(Link, ConnectsToAUnixSocket) {
  const ShortDirectory directory;
  const std::string path = std::string(directory.path) + "/redis.sock";
  RedisConfig config;
  config.password = "secret";
  config.more = {"--unixsocket", path};
  RedisServer server(config);
  lfb_redis_options options = server.Options();
  options.port = 1;  // ignored
  options.host = path.c_str();
  const Link link = OpenLink(options);
  EXPECT_EQ(Ask(link.get(), {"SET", "a", "1"}), "OK");
  EXPECT_EQ(server.Call({"GET", "a"}), "1");
  EXPECT_NE(server.Call({"CLIENT", "LIST"}).find("addr=" + path), std::string::npos);

  options.retries = UINT32_MAX;
  options.host = "/no/such/socket";
  lfb_link* none = nullptr;
  lfb_said said{};
  EXPECT_EQ(lfb_link_open(&options, &said, &none), LFB_ERROR_REDIS_CONNECT);
  EXPECT_STREQ(said.text, "/no/such/socket: No such file or directory");
  const std::string longest = "/" + std::string(107, 'x');
  options.host = longest.c_str();
  EXPECT_EQ(lfb_link_open(&options, &said, &none), LFB_ERROR_REDIS_HOST) << said.text;
}

TEST(Link, UsesADatabase) {
  RedisServer server;
  lfb_redis_options options = server.Options();
  const Link first = OpenLink(options);
  options.database = 15;
  const Link last = OpenLink(options);
  EXPECT_EQ(Ask(first.get(), {"SET", "a", "in 0"}), "OK");
  EXPECT_EQ(Ask(last.get(), {"SET", "a", "in 15"}), "OK");
  EXPECT_EQ(Ask(first.get(), {"GET", "a"}), "in 0");
  // A new connection uses it, too.
  server.Call({"CLIENT", "KILL", "TYPE", "normal"});
  EXPECT_EQ(Ask(last.get(), {"GET", "a"}), "in 15");
  for (uint64_t none : {uint64_t{16}, UINT64_MAX}) {
    options.database = none;
    lfb_link* link = nullptr;
    lfb_said said{};
    EXPECT_EQ(lfb_link_open(&options, &said, &link), LFB_ERROR_REDIS_DATABASE) << said.text;
  }
}

TEST(Link, HasNoDatabasesInACluster) {
  RedisConfig config;
  config.cluster = true;  // with a port of its own for the bus
  config.node_ms = 2000;
  RedisServer server(config);
  lfb_redis_options options = server.Options();
  EXPECT_NE(OpenLink(options), nullptr);
  options.database = 1;
  lfb_link* link = nullptr;
  lfb_said said{};
  EXPECT_EQ(lfb_link_open(&options, &said, &link), LFB_ERROR_REDIS_DATABASE) << said.text;
}

TEST(Link, KeepsConnectionsAlive) {
  RedisServer server;
  const Link link = OpenLink(server.Options());
  int value = 0;
  socklen_t size = sizeof value;
  ASSERT_EQ(
      getsockopt(link->nodes.nodes[0].connection->socket, SOL_SOCKET, SO_KEEPALIVE, &value, &size),
      0);
  EXPECT_NE(value, 0);
}

TEST(Link, ReportsThatNoServerIsThere) {
  const HeldPort port;
  lfb_redis_options options{};
  options.port = port.number();
  lfb_link* link = nullptr;
  lfb_said said{};
  options.retries = UINT32_MAX;
  EXPECT_EQ(lfb_link_open(&options, &said, &link), LFB_ERROR_REDIS_CONNECT);
  EXPECT_STREQ(said.text, "127.0.0.1: Connection refused");
  EXPECT_EQ(link, nullptr);
}

// Writes beyond maxmemory are refused with a status of their own; reads continue.
TEST(Link, TellsThatTheServerIsFull) {
  RedisConfig config;
  config.more = {"--maxmemory", "3mb", "--maxmemory-policy", "noeviction"};
  RedisServer server(config);
  const Link link = OpenLink(server.Options());
  const std::string bytes(100'000, 'x');
  uint64_t written = 0;
  EXPECT_EQ(DoJob(link.get(), {200,
                               [&](uint64_t i) {
                                 return Command{"SET", std::to_string(i), bytes};
                               },
                               [&](uint64_t, const redisReply* reply, bool) {
                                 written += reply->type == REDIS_REPLY_STATUS;
                                 return lfb_reply_status(reply);
                               }}),
            LFB_ERROR_REDIS_MEMORY);
  EXPECT_LT(written, 200u);
  for (uint64_t i = 0; i < written; i++)
    EXPECT_EQ(Ask(link.get(), {"GET", std::to_string(i)}), bytes);
}

}  // namespace
