// link_faults_test.cc - servers that die, stop, close connections, or are not Redis.
//
// Each planted fault (by hand) and the test that was seen to fail:
//
// - commands in flight on a broken connection are not sent again: SurvivesAServer
// - they are sent again without `again`: the same test
// - they are sent after commands that were not sent yet: KeepsTheOrder
// - no time limit: GivesUpOnASilentServer hangs
// - a connection that broke between two jobs is not noticed: NoticesThatItWasHungUp
#include <sys/resource.h>

#include <chrono>
#include <thread>

#include "tests/support/await.h"
#include "tests/support/race.h"
#include "tests/redis/fake.h"
#include "tests/redis/jobs.h"
#include "tests/redis/server.h"

namespace {

using std::chrono::milliseconds;

using LinkFaults = WithServer;

std::string Key(uint64_t i) { return "key" + std::to_string(i); }

// Sends INCR for `count` keys and calls `act` at each reply. Then checks that the server counted
// each key once, or more often if its reply was marked `again`.
void CountThrough(RedisServer& server, lfb_link* link, uint64_t count,
                  const std::function<void(uint64_t answered)>& act) {
  std::vector<int> seen(count, 0);
  std::vector<bool> repeated(count, false);
  uint64_t answered = 0;
  ASSERT_EQ(DoJob(link, {count, [](uint64_t i) { return Command{"INCR", Key(i)}; },
                         [&](uint64_t i, const redisReply* reply, bool again) {
                           seen[i]++;
                           repeated[i] = again;
                           act(++answered);
                           return lfb_reply_status(reply);
                         }}),
            LFB_OK)
      << link->said.text;
  for (uint64_t i = 0; i < count; i++) {
    ASSERT_EQ(seen[i], 1) << i;
    const int value = std::stoi("0" + Ask(link, {"GET", Key(i)}));
    ASSERT_TRUE(value == 1 || (value > 1 && repeated[i])) << i << ": " << value;
  }
  EXPECT_EQ(server.Call({"DBSIZE"}), std::to_string(count));
}

// The server is killed and restarted in the middle of a job, at once or after a delay.
// Acknowledged commands are present, others are sent again.
TEST_F(LinkFaults, SurvivesAServer) {
  RedisConfig config;
  config.durable = true;
  for (int late : {0, 1}) {
    RedisServer durable(config);
    const Link link = OpenLink(durable.Options());
    std::thread starter;
    CountThrough(durable, link.get(), 5000, [&](uint64_t answered) {
      if (answered == 1 || answered == 2500) {
        if (starter.joinable()) starter.join();
        durable.Kill();
        starter = std::thread([&durable, late] {
          std::this_thread::sleep_for(milliseconds(300 * late));
          durable.Start();
        });
        if (late == 0) starter.join();
      }
    });
    if (starter.joinable()) starter.join();
  }
}

// The server closes connections with unread commands: the peer sees a reset.
TEST_F(LinkFaults, SurvivesResets) {
  const Link link = OpenLink(options);
  unsigned killed = 0;
  CountThrough(server, link.get(), 20'000, [&](uint64_t answered) {
    if (answered % 1000 == 500)
      killed += std::stoul(server.Call({"CLIENT", "KILL", "TYPE", "normal"}));
  });
  EXPECT_GT(killed, 5u);  // some replies arrived before the connection was killed
}

// Commands of one slot stay in order through losses.
TEST_F(LinkFaults, KeepsTheOrder) {
  const Link link = OpenLink(options);
  uint64_t next = 0;
  long long last = 0;
  EXPECT_EQ(DoJob(link.get(), {20'000,
                               [](uint64_t i) {
                                 return Command{"APPEND", "log", std::to_string(i % 10)};
                               },
                               [&](uint64_t i, const redisReply* reply, bool again) {
                                 EXPECT_EQ(i, next++);
                                 EXPECT_TRUE(again || reply->integer == last + 1) << i;
                                 last = reply->integer;
                                 if (i % 1000 == 500)
                                   server.Call({"CLIENT", "KILL", "TYPE", "normal"});
                                 return lfb_reply_status(reply);
                               }}),
            LFB_OK);
  EXPECT_EQ(next, 20'000u);
}

// A connection closed between two jobs costs no pause, and no reply is marked `again`.
TEST_F(LinkFaults, NoticesThatItWasHungUp) {
  options.retries = UINT32_MAX;  // none
  const Link link = OpenLink(options);
  for (int i = 1; i <= 5; i++) {
    bool sent_again = true;
    EXPECT_EQ(DoJob(link.get(), {1, [](uint64_t) { return Command{"INCR", "n"}; },
                                 [&](uint64_t, const redisReply* reply, bool again) {
                                   sent_again = again;
                                   EXPECT_EQ(reply->integer, i);
                                   return LFB_OK;
                                 }}),
              LFB_OK)
        << link->said.text;
    EXPECT_FALSE(sent_again);
    EXPECT_NE(server.Call({"CLIENT", "KILL", "TYPE", "normal"}), "0");
  }
}

lfb_status Ping(lfb_link* link) {
  return DoJob(link, {1, [](uint64_t) { return Command{"PING"}; }});
}

void AwaitAnswer(lfb_link* link) {
  AwaitSpinning("PING is answered", [=] { return Ping(link) == LFB_OK; });
}

// A server that stays dead is an error after the retries. The link works once the server is
// back.
TEST_F(LinkFaults, GivesUpOnADeadServer) {
  options.retries = 3;
  const Link link = OpenLink(options);
  server.Kill();
  EXPECT_EQ(Ping(link.get()), LFB_ERROR_REDIS_CONNECT);
  EXPECT_STREQ(link->said.text, "127.0.0.1: Connection refused");
  server.Start();
  EXPECT_EQ(Ping(link.get()), LFB_OK);
}

// Connecting within 100 ms may need an idle host, so this tries repeatedly.
Link OpenSoon(const lfb_redis_options& options) {
  lfb_link* made = nullptr;
  AwaitSpinning("a link is opened in time",
                [&] { return lfb_link_open(&options, nullptr, &made) == LFB_OK; });
  return Link(made);
}

// A stopped server does not hang the call. The link works once the server continues.
TEST_F(LinkFaults, GivesUpOnASilentServer) {
  options.timeout_ms = 100;
  options.connect_ms = 100;
  options.retries = 2;
  const Link link = OpenSoon(options);
  server.Stop();
  EXPECT_EQ(Ping(link.get()), LFB_ERROR_REDIS_TIMEOUT);
  EXPECT_STREQ(link->said.text, "no answer in time");
  lfb_link* none = nullptr;
  EXPECT_EQ(lfb_link_open(&options, nullptr, &none), LFB_ERROR_REDIS_TIMEOUT);
  server.Continue();
  AwaitAnswer(link.get());
}

// The same if far more is to be sent than the kernel's buffers take.
TEST_F(LinkFaults, GivesUpOnASilentServerWhileSending) {
  options.timeout_ms = 100;
  options.retries = UINT32_MAX;
  const Link link = OpenLink(options);
  const std::string bytes(100'000, 'x');
  server.Stop();
  EXPECT_EQ(DoJob(link.get(), {1000, [&](uint64_t i) { return Command{"SET", Key(i), bytes}; },
                               [](uint64_t, const redisReply*, bool) { return LFB_OK; }}),
            LFB_ERROR_REDIS_TIMEOUT);
  server.Continue();
  AwaitAnswer(link.get());
}

// The arguments that go_on() received, and how often it is to return true.
struct Patience {
  int times;
  std::vector<std::pair<lfb_status, uint64_t>> told;
};

bool GoOn(void* told, lfb_status why, uint64_t silent_ms) {
  auto* patience = static_cast<Patience*>(told);
  patience->told.emplace_back(why, silent_ms);
  return static_cast<int>(patience->told.size()) <= patience->times;
}

// Before each pause go_on() is called, with the time since the server last answered. That time
// includes the time that it took to detect the failure. `retries` still bounds the pauses. Seen
// to fail with the result ignored, and with the time counted from the first failure.
TEST_F(LinkFaults, ContinuesForAsLongAsConfigured) {
  options.timeout_ms = options.connect_ms = 100;
  options.retries = 5;
  options.go_on = GoOn;
  for (const bool dead : {false, true}) {
    Patience patience = {3, {}};
    options.told = &patience;
    const Link link = OpenSoon(options);
    dead ? server.Kill() : server.Stop();
    EXPECT_EQ(Ping(link.get()), dead ? LFB_ERROR_REDIS_CONNECT : LFB_ERROR_REDIS_TIMEOUT);
    ASSERT_EQ(patience.told.size(), 4u);
    EXPECT_EQ(patience.told[0].first, dead ? LFB_ERROR_REDIS_CONNECT : LFB_ERROR_REDIS_TIMEOUT);
    EXPECT_GE(patience.told[0].second, dead ? 0u : 100u);
    for (size_t i = 1; i < patience.told.size(); i++)
      EXPECT_GE(patience.told[i].second, patience.told[i - 1].second + (20u << (i - 1)));
    patience = {100, {}};
    EXPECT_NE(Ping(link.get()), LFB_OK);
    EXPECT_EQ(patience.told.size(), 5u);
    dead ? server.Start() : server.Continue();
    patience = {1000, {}};
    AwaitAnswer(link.get());
    EXPECT_EQ(Ping(link.get()), LFB_OK);
  }
}

// The server is stopped for a while only: the job continues.
TEST_F(LinkFaults, WaitsForAServerThatPauses) {
  options.timeout_ms = 50;
  options.connect_ms = 1000;
  options.retries = 1000;
  const Link link = OpenLink(options);
  std::thread waker;
  CountThrough(server, link.get(), 3000, [&](uint64_t answered) {
    if (answered != 1000) return;
    server.Stop();
    waker = std::thread([this] {
      std::this_thread::sleep_for(milliseconds(300));
      server.Continue();
    });
  });
  waker.join();
}

// If no file descriptors are left, opening a link reports that, and leaks none.
TEST_F(LinkFaults, HasNoDescriptors) {
  options.retries = UINT32_MAX;
  rlimit before, none;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  lfb_link* link = nullptr;
  lfb_said said{};
  const lfb_status status = lfb_link_open(&options, &said, &link);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(status, LFB_ERROR_REDIS_CONNECT);
  EXPECT_NE(std::string(said.text).find("Too many open files"), std::string::npos) << said.text;
}

// ---- fake and faulty servers -----------------------------------------------------

lfb_redis_options At(const FakeServer& server) {
  lfb_redis_options options{};
  options.port = server.port();
  options.connect_ms = 20'000;
  options.timeout_ms = 20'000;
  options.retries = 2;
  return options;
}

constexpr char kNoCluster[] = "-ERR This instance has cluster support disabled\r\n";

// Answers PING and CLUSTER SLOTS like a standalone server, all else through `answer`.
FakeServer::Answer Then(std::function<std::string(unsigned)> answer) {
  auto times = std::make_shared<unsigned>(0);
  return [answer, times](unsigned, const std::string& received) -> std::string {
    if (received.find("SLOTS") != std::string::npos) return kNoCluster;
    if (received == "*1\r\n$4\r\nPING\r\n") return "+PONG\r\n";
    return answer((*times)++);
  };
}

lfb_status Get(lfb_link* link) {
  return DoJob(link, {1, [](uint64_t) { return Command{"GET", "a"}; }});
}

TEST(LinkFakes, AreFoundOutAtTheDoor) {
  const std::string deep(100 * 4, '*');
  struct {
    const char* answer;
    lfb_status status;
  } const rows[] = {
      {"HTTP/1.1 400 Bad Request\r\n\r\n", LFB_ERROR_REDIS_PROTOCOL},
      {"SSH-2.0-OpenSSH_9.2\r\n", LFB_ERROR_REDIS_PROTOCOL},
      {"+OK\r\n", LFB_ERROR_REDIS_PROTOCOL},
      {":1\r\n", LFB_ERROR_REDIS_PROTOCOL},
      {"*2000000000\r\n", LFB_ERROR_REDIS_PROTOCOL},
      {"*99999999999999999999\r\n", LFB_ERROR_REDIS_PROTOCOL},
      {"*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
       LFB_ERROR_REDIS_PROTOCOL},
      {"$-5\r\n", LFB_ERROR_REDIS_PROTOCOL},
      {"-ERR max number of clients reached\r\n", LFB_ERROR_REDIS_UNAVAILABLE},
      {"-LOADING Redis is loading the dataset in memory\r\n", LFB_ERROR_REDIS_UNAVAILABLE},
      {FakeServer::kClose, LFB_ERROR_REDIS_LOST},
  };
  for (const auto& row : rows) {
    FakeServer server([&](unsigned, const std::string&) { return row.answer; });
    const lfb_redis_options options = At(server);
    lfb_link* link = nullptr;
    lfb_said said{};
    EXPECT_EQ(lfb_link_open(&options, &said, &link), row.status) << row.answer << said.text;
    EXPECT_EQ(link, nullptr);
    EXPECT_STRNE(said.text, "") << row.answer;
  }
}

TEST(LinkFakes, ThatSayNothingAreLeft) {
  FakeServer server([](unsigned, const std::string&) { return ""; });
  lfb_redis_options options = At(server);
  options.connect_ms = 100;
  lfb_link* link = nullptr;
  EXPECT_EQ(lfb_link_open(&options, nullptr, &link), LFB_ERROR_REDIS_TIMEOUT);
}

// An invalid map of slots.
TEST(LinkFakes, WithABadMapAreRefused) {
  for (const char* map : {"+OK\r\n", "*1\r\n:1\r\n", "*1\r\n*2\r\n:0\r\n:1\r\n",
                          "*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$1\r\nh\r\n:1\r\n",
                          "*1\r\n*3\r\n:5\r\n:4\r\n*2\r\n$1\r\nh\r\n:1\r\n",
                          "*1\r\n*3\r\n:-1\r\n:4\r\n*2\r\n$1\r\nh\r\n:1\r\n",
                          "*1\r\n*3\r\n:0\r\n:4\r\n*2\r\n$1\r\nh\r\n:0\r\n",
                          "*1\r\n*3\r\n:0\r\n:4\r\n*2\r\n$1\r\nh\r\n:65536\r\n",
                          "*1\r\n*3\r\n:0\r\n:4\r\n*1\r\n$1\r\nh\r\n"}) {
    FakeServer server([&](unsigned, const std::string& received) {
      return received.find("SLOTS") != std::string::npos ? map : "+PONG\r\n";
    });
    const lfb_redis_options options = At(server);
    lfb_link* link = nullptr;
    EXPECT_EQ(lfb_link_open(&options, nullptr, &link), LFB_ERROR_REDIS_PROTOCOL) << map;
  }
}

// Redirections to nowhere, or in a circle.
TEST(LinkFakes, ThatMisleadAreLeft) {
  for (const char* answer :
       {"-MOVED\r\n", "-MOVED x 127.0.0.1:1\r\n", "-MOVED 16384 127.0.0.1:1\r\n",
        "-MOVED 1 127.0.0.1\r\n", "-MOVED 1 127.0.0.1:\r\n", "-ASK 1 127.0.0.1:0\r\n",
        "-ASK 1 127.0.0.1:65536\r\n", "-MOVED 1\r\n"}) {
    FakeServer server(Then([&](unsigned) { return answer; }));
    const Link link = OpenLink(At(server));
    EXPECT_EQ(Get(link.get()), LFB_ERROR_REDIS_PROTOCOL) << answer;
  }
  std::string circle;
  FakeServer server(Then([&](unsigned) { return circle; }));
  circle = "-MOVED 15495 :" + std::to_string(server.port()) + "\r\n";
  const Link link = OpenLink(At(server));
  EXPECT_EQ(Get(link.get()), LFB_ERROR_REDIS_UNAVAILABLE);
}

// A temporary refusal is retried; the caller sees only the final answer.
TEST(LinkFakes, ThatAreBusyAreAskedAgain) {
  for (const char* busy : {"-LOADING still\r\n", "-BUSY a script\r\n", "-CLUSTERDOWN no quorum\r\n",
                           "-TRYAGAIN later\r\n", "-MASTERDOWN link\r\n",
                           "-READONLY a replica\r\n", "-NOREPLICAS not enough\r\n",
                           "-UNBLOCKED another state\r\n"}) {
    FakeServer server(
        Then([&](unsigned time) -> std::string { return time < 2 ? busy : "+yes\r\n"; }));
    const Link link = OpenLink(At(server));
    EXPECT_EQ(Ask(link.get(), {"GET", "a"}), "yes") << busy;
    FakeServer always(Then([&](unsigned) { return busy; }));
    const Link other = OpenLink(At(always));
    EXPECT_EQ(Get(other.get()), LFB_ERROR_REDIS_UNAVAILABLE) << busy;
  }
}

// The same if WAIT is refused: the command is executed again, and the wait repeated. Seen to
// fail with WAIT's BUSY returned to the caller.
TEST(LinkFakes, ThatAreTooBusyToWaitForReplicasAreAskedAgain) {
  for (const char* busy :
       {"-BUSY a script\r\n", "-LOADING still\r\n", "-UNBLOCKED another state\r\n"}) {
    FakeServer server(Then([&](unsigned time) -> std::string {
      return time % 2 == 0 ? "+yes\r\n" : time == 1 ? busy : ":1\r\n";
    }));
    lfb_redis_options options = At(server);
    options.replicas = 1;
    const Link link = OpenLink(options);
    link->writes = true;
    EXPECT_EQ(Get(link.get()), LFB_OK) << busy << link->said.text;
    FakeServer always(
        Then([&](unsigned time) -> std::string { return time % 2 == 0 ? "+yes\r\n" : busy; }));
    options.port = always.port();
    const Link other = OpenLink(options);
    other->writes = true;
    EXPECT_NE(Get(other.get()), LFB_OK) << busy;
  }
}

// If connecting times out, the silence reported is the time that connecting took, not the longer
// timeout_ms. Seen to fail with timeout_ms reported.
TEST(LinkFakes, ReportTheSilenceOfARefusedConnection) {
  unsigned pings = 0;  // written by the server's thread
  FakeServer server([&](unsigned, const std::string& received) -> std::string {
    if (received.find("SLOTS") != std::string::npos) return kNoCluster;
    if (received == "*1\r\n$4\r\nPING\r\n") return pings++ == 0 ? "+PONG\r\n" : "";
    return FakeServer::kClose;
  });
  uint64_t silent = UINT64_MAX;
  lfb_redis_options options = At(server);
  options.told = &silent;
  options.go_on = [](void* told, lfb_status why, uint64_t silent_ms) {
    if (why == LFB_ERROR_REDIS_TIMEOUT) *static_cast<uint64_t*>(told) = silent_ms;
    return false;
  };
  options.connect_ms = 500;
  options.timeout_ms = 1'000'000;
  const Link link = OpenLink(options);
  EXPECT_EQ(Get(link.get()), LFB_ERROR_REDIS_LOST);
  EXPECT_EQ(Get(link.get()), LFB_ERROR_REDIS_TIMEOUT);
  EXPECT_EQ(silent, 500u);
}

// An endless answer exhausts neither memory nor time: a string with a huge announced size, a
// line without an end, nested arrays with more elements than any command returns. Seen to fail,
// by the test's time limit or with NO_MEMORY, without the checks in connection.c (reader_is_over,
// `elements`).
TEST(LinkFakes, ThatNeverEndTheirAnswerAreLeft) {
  std::string many = "*1000000\r\n";
  for (int i = 0; i < 8; i++) {
    many += "*200000\r\n";
    for (int k = 0; k < 200'000; k++) many += ":1\r\n";
  }
  const std::string rows[] = {
      "$9000000000000000000\r\n" + std::string(80 << 20, 'x'),
      "+" + std::string(30 << 20, 'x'),
      "-ERR " + std::string(30 << 20, 'x'),
      "$" + std::string(30 << 20, '1'),
      many,
  };
  for (const std::string& answer : rows) {
    FakeServer server(
        Then([&](unsigned time) -> std::string { return time == 0 ? answer : "+yes\r\n"; }));
    const Link link = OpenLink(At(server));
    EXPECT_EQ(Get(link.get()), LFB_ERROR_REDIS_PROTOCOL) << answer.substr(0, 20);
    EXPECT_STREQ(link->said.text, "an answer that does not end");
    EXPECT_EQ(Ask(link.get(), {"GET", "a"}), "yes") << "the link is good for the next job";
  }
}

// "Too many clients" is not taken for a refused password.
TEST_F(LinkFaults, AServerThatIsFullOfClientsIsTriedAgain) {
  RedisConfig config;
  config.password = "secret";
  RedisServer guarded(config);
  options = guarded.Options();
  options.retries = 1;
  Link first = OpenLink(options);
  guarded.Call({"CONFIG", "SET", "maxclients", "1"});
  lfb_link* none = nullptr;
  lfb_said said{};
  EXPECT_EQ(lfb_link_open(&options, &said, &none), LFB_ERROR_REDIS_UNAVAILABLE) << said.text;
  EXPECT_EQ(Ping(first.get()), LFB_OK);
  first.reset();
  AwaitSpinning("there is room for a client",
                [&] { return lfb_link_open(&options, nullptr, &none) == LFB_OK; });
  lfb_link_close(none);
}

// If a master becomes a replica, refused commands are sent again over a new connection. Seen to
// fail with READONLY taken for a final refusal, and with the connection kept.
TEST_F(LinkFaults, AMasterThatBecameAReplicaIsTriedAgain) {
  const Link link = OpenLink(options);
  EXPECT_EQ(Ask(link.get(), {"SET", "a", "1"}), "OK");
  server.Call(
      {"REPLICAOF", "127.0.0.1", std::to_string(server.bus_port())});  // no server listens there
  const auto figure = [&](const char* name) { return std::stoul(server.Info(name)); };
  const unsigned long before = figure("total_error_replies");
  std::thread helper([&] {
    AwaitSpinning("a put is refused", [&] { return figure("total_error_replies") != before; });
    EXPECT_EQ(server.Call({"REPLICAOF", "NO", "ONE"}), "OK");
  });
  const std::string id = Ask(link.get(), {"CLIENT", "ID"});
  EXPECT_EQ(Ask(link.get(), {"SET", "a", "2"}), "OK");
  helper.join();
  EXPECT_NE(Ask(link.get(), {"CLIENT", "ID"}), id);
  EXPECT_EQ(server.Call({"GET", "a"}), "2");
}

// After extra replies or a malformed one, the link works for the next job.
TEST(LinkFakes, ThatTalkTooMuchAreLeft) {
  for (const char* answer : {"+one\r\n+two\r\n", "?\r\n"}) {
    FakeServer server(
        Then([&](unsigned time) -> std::string { return time == 0 ? answer : "+yes\r\n"; }));
    const Link link = OpenLink(At(server));
    EXPECT_NE(Get(link.get()), LFB_ERROR_REDIS_LOST);
    EXPECT_EQ(Ask(link.get(), {"GET", "a"}), "yes") << answer;
  }
}

}  // namespace
