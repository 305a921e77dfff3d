// tls_test.cc - filters on servers and clusters by TLS (lfbloom/redis.h, TLS).
//
// Seen to fail with each of these planted by hand: the name is not demanded; the certificate is not
// verified; a send that would block is taken for a failure.
#include <lfbloom/redis_source.h>

#include <atomic>
#include <csignal>

#include "tests/redis/fake.h"
#include "tests/redis/followers.h"
#include "tests/redis/jobs.h"
#include "tests/redis/proxy.h"
#include "tests/redis/remotes.h"
#include "tests/support/await.h"

namespace {

const Certificates& Made() {
  static const Certificates certificates;
  return certificates;
}

RedisConfig ByTls(bool durable = false) {
  RedisConfig config;
  config.tls = &Made();
  config.durable = durable;
  return config;
}

// Counts the signals that a send on a closed connection may raise.
volatile std::sig_atomic_t broken_pipes;

class Tls : public testing::Test {
 protected:
  Tls() {
    broken_pipes = 0;
    std::signal(SIGPIPE, [](int) { broken_pipes = broken_pipes + 1; });
  }
  ~Tls() override { EXPECT_EQ(broken_pipes, 0); }
};

TEST_F(Tls, AFilterIsUsed) {
  RedisServer server(ByTls());
  const Remote made = CreateRemote(server.TlsOptions(), "seen", Config(100'000, 0.01, LFB_FAST));
  const std::vector<uint64_t> keys = KeysFrom(0, 100'000);
  EXPECT_GT(RemoteMany(made, LFB_PUT, keys), keys.size() * 9 / 10);
  lfb_redis_options named = server.TlsOptions();
  named.host = "localhost";
  const Remote opened = OpenRemote(named, "seen");
  EXPECT_EQ(RemoteMany(opened, LFB_MIGHT_CONTAIN, keys), keys.size());
  // Long replies: the words over TLS are those without.
  EXPECT_EQ(WordsOf(Load(opened)), WordsOf(Load(OpenRemote(server.Options(), "seen"))));
}

// Each mistake is an error of its own, without any pause.
TEST_F(Tls, AMistakeIsRefused) {
  RedisConfig strict = ByTls();
  strict.more = {"--tls-auth-clients", "yes"};
  RedisServer server(ByTls()), demanding(strict);
  const std::string directory = testing::TempDir();
  const Certificates& made = Made();
  const auto expect = [&](const char* what, const RedisServer& at, lfb_status status,
                          const std::function<void(lfb_redis_options*)>& mistake) {
    unsigned pauses = 0;
    lfb_redis_options options = at.TlsOptions();
    options.told = &pauses;
    options.go_on = [](void* told, lfb_status, uint64_t) {
      return ++*static_cast<unsigned*>(told) < 20;
    };
    mistake(&options);
    lfb_link* link = nullptr;
    lfb_said said{};
    const lfb_status got = lfb_link_open(&options, &said, &link);
    EXPECT_EQ(got, status) << what << ": " << lfb_status_text(got) << ": " << said.text;
    EXPECT_EQ(pauses, 0u) << what;
    EXPECT_EQ(said.text[0] == '\0', status == LFB_OK) << what << ": " << said.text;
    lfb_link_close(link);
  };
  using Options = lfb_redis_options;
  expect("no mistake", server, LFB_OK, [](Options*) {});
  expect("another CA", server, LFB_ERROR_REDIS_CERTIFICATE,
         [&](Options* o) { o->ca_file = made.other_ca(); });
  expect("the system's CAs", server, LFB_ERROR_REDIS_CERTIFICATE,
         [](Options* o) { o->ca_file = nullptr; });
  expect("another name", server, LFB_ERROR_REDIS_CERTIFICATE,
         [](Options* o) { o->server_name = "example.org"; });
  expect("another address", server, LFB_ERROR_REDIS_CERTIFICATE,
         [](Options* o) { o->server_name = "127.0.0.2"; });
  FakeServer other([](unsigned, const std::string&) { return "-ERR unknown command\r\n"; });
  expect("a server without TLS", server, LFB_ERROR_REDIS_TLS,
         [&](Options* o) { o->port = other.port(); });
  expect("no CA file", server, LFB_ERROR_REDIS_TLS_FILE,
         [](Options* o) { o->ca_file = "/no/such/file"; });
  expect("a directory", server, LFB_ERROR_REDIS_TLS_FILE,
         [&](Options* o) { o->ca_file = directory.c_str(); });
  expect("no CA in it", server, LFB_ERROR_REDIS_TLS_FILE,
         [&](Options* o) { o->ca_file = made.client_key(); });
  expect("no certificate", demanding, LFB_ERROR_REDIS_TLS, [](Options*) {});
  const auto as_client = [&](const char* certificate, const char* key) {
    return [=](Options* o) {
      o->certificate = certificate;
      o->private_key = key;
    };
  };
  expect("a client", demanding, LFB_OK, as_client(made.client(), made.client_key()));
  expect("another's key", demanding, LFB_ERROR_REDIS_TLS_FILE,
         as_client(made.client(), made.server_key()));
  expect("an encrypted key", demanding, LFB_ERROR_REDIS_TLS_FILE,
         as_client(made.client(), made.locked_key()));
  expect("no key", demanding, LFB_ERROR_REDIS_TLS_FILE, as_client(made.client(), nullptr));
  expect("a key alone", demanding, LFB_ERROR_REDIS_TLS_FILE, as_client(nullptr, made.client_key()));
}

// Only one of client and server uses TLS. Redis without TLS waits for the end of a line.
TEST_F(Tls, BothUseItOrNeither) {
  RedisServer server(ByTls());
  lfb_redis_options options = server.TlsOptions();
  options.retries = UINT32_MAX;
  options.connect_ms = 500;
  options.tls = false;
  lfb_link* link = nullptr;
  EXPECT_EQ(lfb_link_open(&options, nullptr, &link), LFB_ERROR_REDIS_LOST);
  options.tls = true;
  options.port = server.port();
  lfb_said said{};
  EXPECT_EQ(lfb_link_open(&options, &said, &link), LFB_ERROR_REDIS_TIMEOUT);
  EXPECT_STREQ(said.text, "no answer to a TLS handshake in time");
}

// The server is killed and restarted in the middle of a job.
TEST_F(Tls, AServerThatIsKilledIsConnectedToAgain) {
  constexpr uint64_t kCount = 20'000;
  RedisServer server(ByTls(true));
  const Link link = OpenLink(server.TlsOptions());
  std::vector<int> seen(kCount, 0);
  uint64_t answered = 0;
  ASSERT_EQ(DoJob(link.get(), {kCount,
                               [](uint64_t i) {
                                 return Command{"SET", std::to_string(i), "x"};
                               },
                               [&](uint64_t i, const redisReply* reply, bool) {
                                 seen[i]++;
                                 if (++answered % 5000 == 1) {
                                   server.Restart();
                                 }
                                 return lfb_reply_status(reply);
                               }}),
            LFB_OK)
      << link->said.text;
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<long>(kCount));
  EXPECT_EQ(server.Call({"DBSIZE"}), std::to_string(kCount));
}

// More is sent than the kernel takes, so that sends and records are cut anywhere.
TEST_F(Tls, LongCommandsAndRepliesArriveWhole) {
  RedisServer server(ByTls());
  const Link link = OpenLink(server.TlsOptions());
  const auto value = [](uint64_t i) {
    return std::string(i * 997 % 150'000, static_cast<char>('a' + i % 26));
  };
  ASSERT_EQ(DoJob(link.get(), {300,
                               [&](uint64_t i) {
                                 return Command{"SET", std::to_string(i), value(i)};
                               }}),
            LFB_OK);
  EXPECT_EQ(DoJob(link.get(), {300, [](uint64_t i) { return Command{"GET", std::to_string(i)}; },
                               [&](uint64_t i, const redisReply* reply, bool) {
                                 EXPECT_EQ(std::string(reply->str, reply->len), value(i)) << i;
                                 return LFB_OK;
                               }}),
            LFB_OK);
}

TEST_F(Tls, OpensThroughACuttingProxy) {
  RedisServer server(ByTls());
  const Remote made = CreateRemote(server.TlsOptions(), "seen", Config(1000, 0.01, LFB_FAST));
  ExpectOpensThroughCuts(server.TlsOptions(), 3000, 100);
}

// Nodes of a cluster are at addresses; server_name is in the certificate of each.
TEST_F(Tls, ACluster) {
  RedisCluster cluster(3, 0, ByTls());
  lfb_redis_options options = cluster.node(0).TlsOptions();
  options.server_name = "localhost";
  const Remote made = CreateRemote(options, "seen", Config(10'000, 0.01, LFB_FAST));
  const std::vector<uint64_t> keys = KeysFrom(0, 10'000);
  RemoteMany(made, LFB_PUT, keys);
  EXPECT_EQ(RemoteMany(made, LFB_MIGHT_CONTAIN, keys), keys.size());
  for (size_t i = 0; i < 3; i++)
    EXPECT_GT(std::stoul(cluster.node(i).Call({"DBSIZE"})), 0u) << "node " << i << " holds no part";
}

// A follower hears of a version, on threads with connections of their own.
TEST_F(Tls, Followers) {
  RedisServer server(ByTls());
  const lfb_redis_options options = server.TlsOptions();
  Publish(options, 1);
  Follower follower(options);
  follower.Expect(LFB_FOLLOWED_REBUILT, 1);
}

}  // namespace
