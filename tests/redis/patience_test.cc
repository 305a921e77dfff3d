// patience_test.cc - calls that make new connections wait for a server as long as others do
// (lfbloom/redis.h, Patience).
//
// Seen to fail with the first request of a link, which connects it, not tried again.
#include <lfbloom/redis_source.h>

#include <atomic>
#include <set>
#include <thread>

#include "redis/link/net.h"
#include "tests/redis/fake.h"
#include "tests/redis/jobs.h"
#include "tests/redis/proxy.h"
#include "tests/redis/remotes.h"
#include "tests/support/await.h"

namespace {

RedisConfig Durable() {
  RedisConfig config;
  config.durable = true;
  return config;
}

// How often calls wanted to pause, from any thread.
struct Pauses {
  std::atomic<unsigned> count{0};
  lfb_redis_options Of(lfb_redis_options options) {
    options.go_on = [](void* told, lfb_status, uint64_t) {
      static_cast<Pauses*>(told)->count++;
      return true;
    };
    options.told = this;
    return options;
  }
};

// ---- a server that is down ---------------------------------------------------------

// Six pauses last 1.26 s or longer.
constexpr unsigned kPauses = 6, kThreads = 6;

// Calls `act` while the server is down. The server starts once `act` has paused so often.
void WhileDown(RedisServer& server, const Pauses& pauses, unsigned so_often,
               const std::function<void()>& act) {
  server.Kill();
  const unsigned before = pauses.count;
  std::thread thread(act);
  Await("a call pauses", [&] { return pauses.count >= before + so_often; });
  server.Start();
  thread.join();
}

TEST(Patience, ThreadsThatOpenOutlastADownTime) {
  RedisServer server(Durable());
  const Remote made = CreateRemote(server.Options(), "seen", Config(1000, 0.01, LFB_FAST));
  server.Kill();
  std::vector<std::thread> threads;
  std::vector<Pauses> pauses(kThreads);
  std::vector<lfb_status> opened(kThreads, LFB_ERROR_STOPPED), put(kThreads, LFB_ERROR_STOPPED);
  for (unsigned t = 0; t < kThreads; t++)
    threads.emplace_back([&, t] {
      Remote remote;
      opened[t] = TryOpen(pauses[t].Of(server.Options()), "seen", nullptr, &remote);
      if (opened[t] == LFB_OK) put[t] = PutNumber(remote.get(), t, nullptr);
    });
  for (const Pauses& each : pauses)
    Await("a thread pauses", [&] { return each.count >= kPauses; });
  server.Start();
  for (std::thread& thread : threads) thread.join();
  for (unsigned t = 0; t < kThreads; t++) {
    EXPECT_EQ(opened[t], LFB_OK) << lfb_status_text(opened[t]);
    EXPECT_EQ(put[t], LFB_OK) << lfb_status_text(put[t]);
    bool maybe = false;
    EXPECT_EQ(AskNumber(made.get(), t, &maybe), LFB_OK);
    EXPECT_TRUE(maybe) << t;
  }
}

// A thread needs a new connection because the pool has none left.
TEST(Patience, APoolThatMakesANewConnectionWaits) {
  RedisServer server(Durable());
  Pauses pauses;
  const Remote remote =
      CreateRemote(pauses.Of(server.Options()), "seen", Config(1000, 0.01, LFB_FAST));
  std::vector<lfb_status> put(kThreads, LFB_ERROR_STOPPED);
  WhileDown(server, pauses, 2 * kThreads, [&] {
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < kThreads; t++)
      threads.emplace_back([&, t] { put[t] = PutNumber(remote.get(), t, nullptr); });
    for (std::thread& thread : threads) thread.join();
  });
  for (lfb_status status : put) EXPECT_EQ(status, LFB_OK) << lfb_status_text(status);
}

// Each function that opens something.
TEST(Patience, EachOpeningWaits) {
  RedisServer server(Durable());
  Pauses pauses;
  const lfb_redis_options options = pauses.Of(server.Options());
  const lfb_config config = Config(1000, 0.01, LFB_FAST);
  const Filter local = Make(config);
  struct {
    const char* name;
    std::function<lfb_status()> call;
  } const rows[] = {
      {"create",
       [&] {
         lfb_redis* remote = nullptr;
         const lfb_status status = lfb_redis_create(&options, "seen", &config, 0, &remote);
         lfb_redis_close(remote);
         return status;
       }},
      {"delete", [&] { return lfb_redis_delete(&options, "seen", LFB_FAST); }},
      {"save", [&] { return lfb_redis_save(&options, "saved", local.get(), 0); }},
      {"publish", [&] { return lfb_redis_publish(&options, "v", local.get(), nullptr, nullptr); }},
      {"unpublish", [&] { return lfb_redis_unpublish(&options, "v"); }},
  };
  for (const auto& row : rows) {
    lfb_status status = LFB_ERROR_STOPPED;
    WhileDown(server, pauses, 3, [&] { status = row.call(); });
    EXPECT_EQ(status, LFB_OK) << row.name << ": " << lfb_status_text(status);
  }
}

TEST(Patience, ACluster) {
  RedisCluster cluster(3, 0, Durable());
  Pauses pauses;
  lfb_link* link = nullptr;
  WhileDown(cluster.node(0), pauses, 3, [&] {
    const lfb_redis_options options = pauses.Of(cluster.Options());
    EXPECT_EQ(lfb_link_open(&options, nullptr, &link), LFB_OK);
  });
  cluster.AwaitReady();
  for (const char* key : {"a", "b", "c", "d"}) EXPECT_EQ(Ask(link, {"SET", key, "1"}), "OK");
  lfb_link_close(link);
}

// ---- a network that cuts -------------------------------------------------------------

// Each third connection is cut after 0 to 399 bytes: while it connects, logs in, asks whether
// there is a cluster, or opens the filter.
TEST(Patience, OpensThroughACuttingProxy) {
  RedisServer server;
  const Remote made = CreateRemote(server.Options(), "seen", Config(1000, 0.01, LFB_FAST));
  ExpectOpensThroughCuts(server.Options(), 400, 200);
}

// ---- a server that refuses -------------------------------------------------------------

// A server that answers a command three times with `refusal`, then properly.
FakeServer::Answer RefusesThrice(const std::string& command, const std::string& refusal) {
  auto times = std::make_shared<unsigned>(0);
  return [=](unsigned, const std::string& received) -> std::string {
    if (received.find(command) != std::string::npos && (*times)++ < 3) return refusal;
    if (received.find("SLOTS") != std::string::npos)
      return "-ERR This instance has cluster support disabled\r\n";
    return "+PONG\r\n";
  };
}

TEST(Patience, ARefusalThatPassesIsWaitedFor) {
  for (const char* command : {"PING", "SLOTS"})
    for (const char* refusal :
         {"-LOADING Redis is loading the dataset in memory\r\n", "-MASTERDOWN Link is down\r\n",
          "-ERR max number of clients reached\r\n", "-BUSY a script\r\n", FakeServer::kClose}) {
      if (strcmp(command, "SLOTS") == 0 && strstr(refusal, "max number") != nullptr) continue;
      FakeServer server(RefusesThrice(command, refusal));
      Pauses pauses;
      lfb_redis_options options{};
      options.port = server.port();
      options.connect_ms = options.timeout_ms = 20'000;
      const lfb_redis_options patient = pauses.Of(options);
      EXPECT_NE(OpenLink(patient), nullptr) << command << ": " << refusal;
      EXPECT_EQ(pauses.count, 3u) << command << ": " << refusal;
    }
}

// A mistake of the caller's is an error without any pause.
TEST(Patience, AMistakeFailsAtOnce) {
  RedisConfig config;
  config.password = "open, sesame";
  RedisServer server(config);
  FakeServer other([](unsigned, const std::string&) { return "HTTP/1.1 400 Bad Request\r\n\r\n"; });
  Pauses pauses;
  const auto expect = [&](lfb_status status,
                          const std::function<void(lfb_redis_options*)>& mistake) {
    lfb_redis_options options = pauses.Of(server.Options());
    mistake(&options);
    lfb_link* link = nullptr;
    lfb_said said{};
    EXPECT_EQ(lfb_link_open(&options, &said, &link), status) << said.text;
    EXPECT_STRNE(said.text, "");
    EXPECT_EQ(pauses.count, 0u) << lfb_status_text(status);
  };
  expect(LFB_ERROR_REDIS_LOGIN, [](lfb_redis_options* options) { options->password = nullptr; });
  expect(LFB_ERROR_REDIS_LOGIN, [](lfb_redis_options* options) { options->password = "wrong"; });
  // With a blank it needs no name server to be unknown.
  expect(LFB_ERROR_REDIS_HOST,
         [](lfb_redis_options* options) { options->host = "no such host"; });
  expect(LFB_ERROR_REDIS_PROTOCOL,
         [&](lfb_redis_options* options) { options->port = other.port(); });
}

// ---- pauses --------------------------------------------------------------------------------

TEST(Patience, PausesDoubleAndAreRandom) {
  for (uint32_t failures : {0u, 1u, 5u, 6u, 7u, 8u, 31u, 32u, UINT32_MAX}) {
    const uint64_t least = failures < 7 ? uint64_t{20} << failures : 2000;
    std::set<uint64_t> seen;
    for (int i = 0; i < 1000; i++) seen.insert(lfb_pause_ms(failures));
    EXPECT_GE(*seen.begin(), least);
    EXPECT_LE(*seen.rbegin(), least + least / 2);
    EXPECT_GT(seen.size(), 5u) << failures;
  }
}

}  // namespace
