// sentinel_test.cc - masters found by Redis sentinels (lfbloom/redis.h, Sentinel).
//
// Each planted fault (by hand) and the tests that were seen to fail:
//
// - ROLE is not checked (sentinel.c, master_check): ABadOneIsPassedOver, EachFailureHasItsStatus
// - only the first sentinel is asked (lfb_sentinels_connect), the address is kept after the first
//   connection (nodes.c, lfb_node_open), or the sentinels get the master's password:
//   AFailoverLosesNoAcknowledgedKey, which then waits for puts until the time limit
// - READONLY, or MASTERDOWN, leaves the connection open (link.c): ReadonlyAsksAgain,
//   MasterdownAsksAgain
// - the sentinel that gave the master is not the first to be asked again: ABadOneIsPassedOver
// - a name that was known is a mistake (link.c, run_may_pass): AMasterThatWasKnownIsWaitedFor
// - the last sentinel's failure is that of all (sentinels_add), or a path is taken for a host:
//   EachFailureHasItsStatus
#include <lfbloom/redis_source.h>

#include <array>
#include <atomic>
#include <thread>

#include "tests/redis/fake.h"
#include "tests/redis/followers.h"
#include "tests/redis/jobs.h"

namespace {

constexpr char kMaster[] = "mymaster";
constexpr uint32_t kPatient = 60'000;  // ms: reached only on failure

std::string At(uint16_t port) { return "127.0.0.1:" + std::to_string(port); }

RedisConfig Node(const std::string& password = "") {
  RedisConfig config;
  config.password = password;
  config.more = {"--repl-diskless-sync-delay", "0"};
  return config;
}

RedisConfig ReplicaOf(uint16_t port, const std::string& password = "") {
  RedisConfig config = Node(password);
  config.more.insert(config.more.end(), {"--replicaof", "127.0.0.1", std::to_string(port)});
  return config;
}

RedisConfig ReplicaOf(const RedisServer& master, const std::string& password = "") {
  return ReplicaOf(master.port(), password);
}

RedisConfig ASentinel(const std::string& password = "") {
  RedisConfig config;
  config.sentinel = true;
  config.password = password;
  return config;
}

void AwaitConnected(const RedisServer& replica) {
  Await("the replica is connected", [&] { return replica.Info("master_link_status") == "up"; });
}

// Makes `to` the master of `from`.
void Swap(RedisServer& from, RedisServer& to) {
  EXPECT_EQ(to.Call({"REPLICAOF", "NO", "ONE"}), "OK");
  EXPECT_EQ(from.Call({"REPLICAOF", "127.0.0.1", std::to_string(to.port())}), "OK");
  AwaitConnected(from);
}

// A list of sentinels, and how often calls wanted to pause.
struct Asked {
  std::string list;
  std::atomic<unsigned> pauses{0};

  explicit Asked(std::string given) : list(std::move(given)) {}
  lfb_redis_options Options(uint32_t retries = 8) {
    lfb_redis_options options{};
    options.host = list.c_str();
    options.master = kMaster;
    options.retries = retries;
    return Counted(options);
  }
  lfb_redis_options Counted(lfb_redis_options options) {
    options.connect_ms = 20'000;
    options.timeout_ms = 2 * kPatient;
    options.told = this;
    options.go_on = [](void* told, lfb_status, uint64_t) {
      static_cast<Asked*>(told)->pauses++;
      return true;
    };
    return options;
  }
};

// ---- sentinels that answer as the test wants ------------------------------------------

std::string Bulk(const std::string& text) {
  return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

std::string Address(const std::string& host, const std::string& port) {
  return "*2\r\n" + Bulk(host) + Bulk(port);
}

std::string Address(uint16_t port) { return Address("127.0.0.1", std::to_string(port)); }

FakeServer::Answer Says(std::function<std::string()> reply) {
  return [reply](unsigned, const std::string& received) -> std::string {
    const auto has = [&received](const char* word) {
      return received.find(word) != std::string::npos;
    };
    if (has("SENTINEL")) return reply();
    return has("AUTH") ? "+OK\r\n+PONG\r\n" : "+PONG\r\n";
  };
}

FakeServer::Answer Says(const std::string& reply) {
  return Says([reply] { return reply; });
}

const std::string kNil = "*-1\r\n", kNoAuth = "-NOAUTH Authentication required.\r\n";

// ---- a failover ------------------------------------------------------------------------

// Threads that put without a pause, each its own keys, and count what is acknowledged.
class Putters {
 public:
  explicit Putters(const Remote& remote) {
    for (unsigned t = 0; t < kThreads; t++)
      threads_.emplace_back([this, &remote, t] {
        for (uint64_t batch = 0; !done_; batch++, acknowledged_[t]++) {
          const std::vector<uint64_t> keys = Batch(t, batch);
          const lfb_status status =
              lfb_redis_put_many_u64(remote.get(), keys.data(), keys.size(), nullptr, nullptr);
          EXPECT_EQ(status, LFB_OK) << lfb_status_text(status);
          if (status != LFB_OK) return;
        }
      });
  }
  ~Putters() { Join(); }
  void Join() {
    done_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  // Waits until each thread has `more` batches acknowledged from now on.
  void AwaitMore(uint64_t more) {
    for (std::atomic<uint64_t>& count : acknowledged_) {
      const uint64_t wanted = count + more;
      Await("a thread puts", [&] { return count >= wanted; });
    }
  }
  // How many acknowledged keys are not found.
  uint64_t Lost(const Remote& remote) {
    uint64_t lost = 0;
    for (unsigned t = 0; t < kThreads; t++)
      for (uint64_t batch = 0; batch < acknowledged_[t]; batch++) {
        const std::vector<uint64_t> keys = Batch(t, batch);
        size_t yes = 0;
        EXPECT_EQ(lfb_redis_might_contain_many_u64(remote.get(), keys.data(), keys.size(), nullptr,
                                                   &yes),
                  LFB_OK);
        lost += keys.size() - yes;
      }
    return lost;
  }

 private:
  static constexpr unsigned kThreads = 4;
  static constexpr uint64_t kBatch = 20;
  static std::vector<uint64_t> Batch(unsigned thread, uint64_t batch) {
    const uint64_t first = (uint64_t{thread} << 40) + batch * kBatch;
    return KeysFrom(first, first + kBatch);
  }
  std::atomic<bool> done_{false};
  std::array<std::atomic<uint64_t>, kThreads> acknowledged_{};
  std::vector<std::thread> threads_;
};

void Set(const RedisServer& sentinel, const char* name, const std::string& value) {
  EXPECT_EQ(sentinel.Call({"SENTINEL", "SET", kMaster, name, value}), "OK") << name;
}

// Whether the sentinel replaces a silent master. On a busy host one that lives is silent, too.
void Replace(const RedisServer& sentinel, bool does) {
  Set(sentinel, "down-after-milliseconds", does ? "500" : "3600000");
}

// A real sentinel monitors `master`, with its one replica.
void Monitor(RedisServer& sentinel, const RedisServer& master, const std::string& password) {
  EXPECT_EQ(sentinel.Call({"SENTINEL", "MONITOR", kMaster, "127.0.0.1",
                           std::to_string(master.port()), "1"}),
            "OK");
  Set(sentinel, "auth-pass", password);
  Set(sentinel, "failover-timeout", "5000");
  Replace(sentinel, false);
  Await("the sentinel knows the replica", [&] {
    return sentinel.Call({"SENTINEL", "REPLICAS", kMaster}).find("master-link-status\nok") !=
           std::string::npos;
  });
}

bool Names(const RedisServer& sentinel, const RedisServer& master) {
  return sentinel.Call({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", kMaster}) ==
         "127.0.0.1\n" + std::to_string(master.port()) + "\n";
}

// The master is killed while threads put, and comes back as a replica of the server that the
// sentinel made master. No put fails, and every acknowledged key is found. Of the sentinels one is
// down, one gives a replica, and one the old master for ever: all are asked before the real one.
TEST(Sentinel, AFailoverLosesNoAcknowledgedKey) {
  const std::string password = "sesame", other = "another";
  RedisServer survivor(Node(password)), master(ReplicaOf(survivor, password));
  AwaitConnected(master);
  Swap(survivor, master);
  RedisServer sentinel(ASentinel(other));
  Monitor(sentinel, master, password);
  const HeldPort nobody;
  RedisServer other_replica(ReplicaOf(nobody.number(), password));
  FakeServer stale(Says(Address(master.port()))), liar(Says(Address(other_replica.port())));
  Asked asked("redis+sentinel://:sesame@" + At(nobody.number()) + "," + At(liar.port()) + "," +
              At(stale.port()) + "," + At(sentinel.port()) + "/mymaster/seen");
  lfb_redis_address address;
  ASSERT_EQ(lfb_redis_parse_url(asked.list.c_str(), &address), LFB_OK);
  lfb_redis_options options = asked.Counted(address.options);
  options.sentinel_password = other.c_str();
  options.retries = 200;
  options.replicas = 1;
  options.replicas_ms = kPatient;
  const Remote remote =
      CreateRemote(options, address.name, Config(2'000'000, 1e-6, LFB_FAST), 1 << 20);
  EXPECT_EQ(asked.pauses, 0u);

  Putters putters(remote);
  putters.AwaitMore(20);
  master.Kill();
  Replace(sentinel, true);
  Await("the sentinel names the survivor", [&] { return Names(sentinel, survivor); });
  Replace(sentinel, false);
  master.Start();  // as replica of the survivor, since options.replicas is 1
  putters.AwaitMore(20);
  putters.Join();
  EXPECT_GT(asked.pauses, 0u);
  EXPECT_EQ(survivor.Info("role"), "master");
  EXPECT_EQ(putters.Lost(OpenRemote(options, "seen")), 0u);
}

// ---- sentinels and masters that cannot be trusted -----------------------------------------

// Each first sentinel is passed over without a pause, and not asked again: the second one gave the
// master.
TEST(Sentinel, ABadOneIsPassedOver) {
  RedisServer master(Node()), replica(ReplicaOf(master));
  AwaitConnected(replica);
  const HeldPort nobody;
  const std::string port = std::to_string(master.port());
  FakeServer good(Says(Address(master.port())));
  const std::string answers[] = {
      FakeServer::kClose, "+OK\r\n", "-ERR unknown command\r\n", kNoAuth, kNil, "$-1\r\n", ":1\r\n",
      "*0\r\n", "*1\r\n" + Bulk("127.0.0.1"),
      "*3\r\n" + Bulk("127.0.0.1") + Bulk(port) + Bulk(port), "*2\r\n:1\r\n:2\r\n",
      "*2\r\n*0\r\n*0\r\n", "*2\r\n$-1\r\n" + Bulk(port),
      "*2\r\n" + Bulk("127.0.0.1") + ":" + port + "\r\n", "*1000000000\r\n",
      "HTTP/1.1 400 Bad Request\r\n\r\n", Address("127.0.0.1", "0"), Address("127.0.0.1", "65536"),
      Address("127.0.0.1", port + "x"), Address("127.0.0.1", ""), Address("", port),
      Address("/tmp/socket", port), Address(std::string("127.0.0.1\0x", 11), port),
      Address("no such host", port), Address(nobody.number()), Address(replica.port()),
      Address(good.port())};
  for (const std::string& answer : answers) {
    FakeServer bad(Says(answer));
    Asked asked(At(bad.port()) + "," + At(good.port()));
    const Link link = OpenLink(asked.Options());
    ASSERT_NE(link, nullptr) << answer;
    EXPECT_EQ(Ask(link.get(), {"SET", "key", "1"}), "OK") << answer;
    EXPECT_EQ(asked.pauses, 0u) << answer;
    const unsigned times = bad.times();
    EXPECT_GT(times, 0u) << answer;
    master.Call({"CLIENT", "KILL", "TYPE", "normal"});
    EXPECT_EQ(Ask(link.get(), {"GET", "key"}), "1") << answer;
    EXPECT_EQ(bad.times(), times) << answer;
  }
}

// A sentinel that is silent is passed over after connect_ms.
TEST(Sentinel, ASilentOneIsPassedOver) {
  RedisServer master(Node());
  FakeServer silent(Says(std::string())), cut(Says("*2\r\n$9\r\n127")),
      good(Says(Address(master.port())));
  Asked asked(At(silent.port()) + "," + At(cut.port()) + "," + At(good.port()));
  lfb_redis_options options = asked.Options(200);
  options.connect_ms = 200;
  EXPECT_EQ(Ask(OpenLink(options).get(), {"SET", "key", "1"}), "OK");
}

TEST(Sentinel, EachFailureHasItsStatus) {
  RedisServer master(Node()), replica(ReplicaOf(master));
  AwaitConnected(replica);
  const HeldPort down;
  FakeServer nil(Says(kNil)), same(Says(kNil)), closed(Says(kNoAuth)),
      slave(Says(Address(replica.port()))), gone(Says(Address(down.number()))),
      path(Says(Address("/no/such/socket", "1")));
  const auto list = [](uint16_t one, uint16_t other) { return At(one) + "," + At(other); };
  const struct {
    std::string list;
    lfb_status status;
    unsigned pauses;
  } rows[] = {
      {list(nil.port(), same.port()), LFB_ERROR_REDIS_NO_MASTER, 0},
      {list(down.number(), down.number()), LFB_ERROR_REDIS_NO_SENTINEL, 2},
      {list(down.number(), nil.port()), LFB_ERROR_REDIS_NO_SENTINEL, 2},
      {list(nil.port(), down.number()), LFB_ERROR_REDIS_NO_SENTINEL, 2},
      {list(closed.port(), nil.port()), LFB_ERROR_REDIS_NO_SENTINEL, 2},
      {list(closed.port(), closed.port()), LFB_ERROR_REDIS_LOGIN, 0},
      {list(slave.port(), down.number()), LFB_ERROR_REDIS_UNAVAILABLE, 2},
      {list(nil.port(), gone.port()), LFB_ERROR_REDIS_CONNECT, 2},
      {list(gone.port(), nil.port()), LFB_ERROR_REDIS_CONNECT, 2},
      {At(path.port()), LFB_ERROR_REDIS_PROTOCOL, 0},
      {At(master.port()), LFB_ERROR_REDIS_REFUSED, 0},
      {"no such host", LFB_ERROR_REDIS_HOST, 0},
      {"", LFB_ERROR_REDIS_ADDRESS, 0},
      {"a,,b", LFB_ERROR_REDIS_ADDRESS, 0},
      {"a,b:0", LFB_ERROR_REDIS_ADDRESS, 0},
      {"a,[::1", LFB_ERROR_REDIS_ADDRESS, 0},
  };
  for (const auto& row : rows) {
    Asked asked(row.list);
    const lfb_redis_options options = asked.Options(2);
    lfb_link* link = nullptr;
    lfb_said said{};
    EXPECT_EQ(lfb_link_open(&options, &said, &link), row.status) << row.list << said.text;
    EXPECT_EQ(asked.pauses, row.pauses) << row.list << ": " << said.text;
    lfb_link_close(link);
  }
}

// The name was known, so it may be so again: sentinels without their configuration are asked again.
TEST(Sentinel, AMasterThatWasKnownIsWaitedFor) {
  RedisServer master(Node());
  std::atomic<unsigned> forgets{0};
  FakeServer sentinel(Says([&] {
    if (forgets == 0) return Address(master.port());
    forgets--;
    return kNil;
  }));
  Asked asked(At(sentinel.port()));
  const Link link = OpenLink(asked.Options());
  forgets = 3;
  master.Call({"CLIENT", "KILL", "TYPE", "normal"});
  EXPECT_EQ(Ask(link.get(), {"SET", "key", "1"}), "OK");
  EXPECT_GE(asked.pauses, 3u);
  EXPECT_EQ(forgets, 0u);
}

// ---- a master that becomes a replica, while its connections stay ----------------------------

struct Pair {
  RedisServer one{Node()}, two{ReplicaOf(one)};
  std::atomic<uint16_t> master{one.port()};
  FakeServer sentinel{Says([this] { return Address(master); })};
  Asked asked{At(sentinel.port())};
  Pair() { AwaitConnected(two); }
  void Switch() {
    Await("the replica has all", [this] {
      return one.Info("master_repl_offset") == two.Info("master_repl_offset");
    });
    Swap(one, two);
    master = two.port();
  }
};

TEST(Sentinel, ReadonlyAsksAgain) {
  Pair pair;
  const Link link = OpenLink(pair.asked.Options());
  EXPECT_EQ(Ask(link.get(), {"SET", "key", "1"}), "OK");
  pair.Switch();
  EXPECT_EQ(Ask(link.get(), {"SET", "key", "2"}), "OK");
  EXPECT_EQ(pair.two.Call({"GET", "key"}), "2");
  EXPECT_EQ(pair.asked.pauses, 1u);
}

TEST(Sentinel, MasterdownAsksAgain) {
  Pair pair;
  const HeldPort nobody;
  const Link link = OpenLink(pair.asked.Options());
  EXPECT_EQ(Ask(link.get(), {"SET", "key", "1"}), "OK");
  pair.Switch();
  EXPECT_EQ(pair.one.Call({"CONFIG", "SET", "replica-serve-stale-data", "no"}), "OK");
  EXPECT_EQ(pair.one.Call({"REPLICAOF", "127.0.0.1", std::to_string(nobody.number())}), "OK");
  EXPECT_EQ(Ask(link.get(), {"GET", "key"}), "1");
  EXPECT_EQ(pair.asked.pauses, 1u);
}

// A follower of versions, which listens for news.
TEST(Sentinel, EachKindOfUserFollowsTheMaster) {
  Pair pair;
  const lfb_redis_options options = pair.asked.Options();
  Follower follower(options);
  Publish(options, 1);
  follower.Start();
  follower.AwaitVersion(1);

  pair.Switch();
  pair.one.Call({"CLIENT", "KILL", "TYPE", "pubsub"});  // as sentinels do
  Publish(options, 2);
  follower.AwaitVersion(2);
  EXPECT_EQ(pair.two.Info("role"), "master");
}

TEST(Sentinel, ByTls) {
  const Certificates certificates;
  RedisConfig config = Node(), watching = ASentinel();
  config.tls = watching.tls = &certificates;
  watching.more = {"--tls-replication", "yes"};
  RedisServer master(config), sentinel(watching);
  EXPECT_EQ(sentinel.Call({"SENTINEL", "MONITOR", kMaster, "127.0.0.1",
                           std::to_string(master.tls_port()), "1"}),
            "OK");
  lfb_redis_address address;
  const std::string url = "rediss+sentinel://" + At(sentinel.tls_port()) + "/mymaster?db=3";
  ASSERT_EQ(lfb_redis_parse_url(url.c_str(), &address), LFB_OK);
  lfb_redis_options options = Asked("").Counted(address.options);
  options.go_on = nullptr;
  options.ca_file = certificates.ca();
  EXPECT_EQ(Ask(OpenLink(options).get(), {"SET", "key", "1"}), "OK");
  EXPECT_NE(master.Info("db3"), "");
}

}  // namespace
