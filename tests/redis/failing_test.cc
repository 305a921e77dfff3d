// failing_test.cc - each function of redis/ when an allocation or a system call fails: the table
// of failing.h, on a server that the test starts.
//
// Seen to fail every time with each of two planted faults:
//
// - memory for poll() is allocated only after a command was sent: a filter that could not be
//   created kept its name
// - a failed initialisation of a condition variable is ignored
#include "tests/support/failing.h"

#include <lfbloom/redis_source.h>
#include <lfbloom/replica.h>

#include "tests/redis/module_fake.h"
#include "tests/redis/remotes.h"
#include "tests/support/await.h"

namespace {

using calls::Deed;
using calls::Spared;
using failing::Act;
using failing::Make;
using failing::Row;

constexpr uint64_t kKey = 42;
const char* const kName = "seen";

lfb_config SomeConfig() { return Config(2000, 0.01, LFB_FAST); }

// One server for all rows. It is empty between rows.
RedisServer& Server() {
  static RedisServer server;
  return server;
}

// One retry: a lost connection is opened again, and a permanent failure ends soon.
lfb_redis_options Options() {
  lfb_redis_options options = Server().Options();
  options.retries = 1;
  return options;
}

void Empty() { EXPECT_EQ(Server().Call({"FLUSHALL"}), "OK"); }

// The server is empty. If calls keep failing, nothing could be deleted, so this is not checked.
void ExpectNothingThere() {
  if (calls::Planned() != Deed::kFailOn) {
    EXPECT_EQ(Server().Call({"DBSIZE"}), "0");
  }
}

// ---- filters --------------------------------------------------------------------------

void Created() {
  lfb_redis* filter = nullptr;
  const lfb_config config = SomeConfig();
  const lfb_redis_options options = Options();
  ASSERT_EQ(lfb_redis_create(&options, kName, &config, kSmallParts, &filter), LFB_OK);
  EXPECT_EQ(lfb_redis_put_u64(filter, kKey, nullptr), LFB_OK);
  lfb_redis_close(filter);
}

void UseAndClose(lfb_redis* filter) {
  bool maybe = false;
  EXPECT_EQ(lfb_redis_put_u64(filter, kKey, nullptr), LFB_OK);
  EXPECT_EQ(lfb_redis_might_contain_u64(filter, kKey, &maybe), LFB_OK);
  EXPECT_TRUE(maybe);
  lfb_redis_close(filter);
}

// An act on an empty server; `before` may first put something there.
Act OnServer(const std::function<void()>& before, const Act& act,
             const std::function<void(lfb_status)>& behind) {
  return [=] {
    {
      const Spared now;
      Empty();
      before();
    }
    const lfb_status status = act();
    const Spared now;
    behind(status);
    Empty();
    return status;
  };
}

void Nothing() {}
void Whatever(lfb_status) {}

// Expects a filter to answer once no call fails, and closes it.
void ExpectKeyAndClose(lfb_redis* filter) {
  const Spared now;
  bool maybe = false;
  EXPECT_EQ(lfb_redis_might_contain_u64(filter, kKey, &maybe), LFB_OK);
  EXPECT_TRUE(maybe);
  lfb_redis_close(filter);
}

// An act on an existing filter that is open.
Act OnFilter(const std::function<lfb_status(lfb_redis*)>& act) {
  return OnServer(Created, [act] {
    lfb_redis* filter = nullptr;
    {
      const Spared now;
      const lfb_redis_options options = Options();
      EXPECT_EQ(lfb_redis_open(&options, kName, nullptr, &filter), LFB_OK);
    }
    const lfb_status status = act(filter);
    ExpectKeyAndClose(filter);
    return status;
  }, Whatever);
}

void FunnelKey(const void* object, lfb_sink* sink) { lfb_sink_put_bytes(sink, object, 1); }

// Keeps the first status that is not success. Checks that each call touches its output on
// success only.
class First {
 public:
  // `yes` starts as true, so a write of false after a failure is found.
  void Bool(const std::function<lfb_status(bool*)>& call) {
    bool yes = true;
    const lfb_status status = call(&yes);
    if (status != LFB_OK) {
      EXPECT_TRUE(yes);
    }
    Take(status);
  }
  void Many(const std::function<lfb_status(uint64_t*, size_t*)>& call) {
    uint64_t answers = 0xdead;
    size_t yes = 0xbeef;
    const lfb_status status = call(&answers, &yes);
    if (status != LFB_OK) {
      EXPECT_EQ(answers, 0xdeadu);
      EXPECT_EQ(yes, 0xbeefu);
    }
    Take(status);
  }
  lfb_status status() const { return status_; }

 private:
  void Take(lfb_status status) {
    if (status_ == LFB_OK) status_ = status;
  }
  lfb_status status_ = LFB_OK;
};

const uint64_t kNumbers[] = {kKey, 1, 2};
const lfb_key kBytes[] = {{"key", 3}, {"another", 7}, {"", 0}};

lfb_status PutAll(lfb_redis* filter) {
  First first;
  first.Bool([&](bool* yes) { return lfb_redis_put(filter, "key", 3, yes); });
  first.Bool([&](bool* yes) { return lfb_redis_put_u64(filter, 7, yes); });
  first.Bool([&](bool* yes) { return lfb_redis_put_hash(filter, 8, yes); });
  first.Bool([&](bool* yes) { return lfb_redis_put_object(filter, FunnelKey, "x", yes); });
  first.Many([&](uint64_t* a, size_t* n) { return lfb_redis_put_many(filter, kBytes, 3, a, n); });
  first.Many(
      [&](uint64_t* a, size_t* n) { return lfb_redis_put_many_u64(filter, kNumbers, 3, a, n); });
  first.Many(
      [&](uint64_t* a, size_t* n) { return lfb_redis_put_many_hash(filter, kNumbers, 3, a, n); });
  return first.status();
}

lfb_status AskAll(lfb_redis* filter) {
  First first;
  first.Bool([&](bool* yes) { return lfb_redis_might_contain(filter, "key", 3, yes); });
  first.Bool([&](bool* yes) { return lfb_redis_might_contain_u64(filter, kKey, yes); });
  first.Bool([&](bool* yes) { return lfb_redis_might_contain_hash(filter, 8, yes); });
  first.Bool([&](bool* yes) { return lfb_redis_might_contain_object(filter, FunnelKey, "x", yes); });
  first.Many([&](uint64_t* a, size_t* n) {
    return lfb_redis_might_contain_many(filter, kBytes, 3, a, n);
  });
  first.Many([&](uint64_t* a, size_t* n) {
    return lfb_redis_might_contain_many_u64(filter, kNumbers, 3, a, n);
  });
  first.Many([&](uint64_t* a, size_t* n) {
    return lfb_redis_might_contain_many_hash(filter, kNumbers, 3, a, n);
  });
  return first.status();
}

// How a link reacts: a lost connection is opened again once, then the call fails.
const std::map<std::string, failing::Statuses> kLink = {
    {"socket", {LFB_OK, LFB_ERROR_REDIS_CONNECT}},
    {"connect", {LFB_OK, LFB_ERROR_REDIS_CONNECT}},
    {"getsockopt", {LFB_OK, LFB_ERROR_REDIS_CONNECT}},
    {"send", {LFB_OK, LFB_ERROR_REDIS_LOST, LFB_ERROR_REDIS_CONNECT}},
    {"recv", {LFB_OK, LFB_ERROR_REDIS_LOST, LFB_ERROR_REDIS_CONNECT}},
};

// The same for an act of which some steps may fail.
std::map<std::string, failing::Statuses> WithOptionalSteps() {
  std::map<std::string, failing::Statuses> otherwise = kLink;
  for (const char* call : {"malloc", "calloc", "realloc", "strdup", "strndup", "getaddrinfo",
                           "redisReaderCreateWithFunctions"})
    otherwise[call] = {LFB_OK, LFB_ERROR_NO_MEMORY};
  return otherwise;
}

void Add(const char* names, size_t least, const Act& act, std::vector<Row>* rows) {
  rows->push_back({names, least, [act](const std::string&) { return act; }, kLink, ECONNRESET});
}

void AddFilters(std::vector<Row>* rows) {
  Add("lfb_redis_create", 8, OnServer(Nothing, [] {
    const lfb_redis_options options = Options();
    const lfb_config config = SomeConfig();
    return Make<lfb_redis>(
        [&](lfb_redis** filter) {
          return lfb_redis_create(&options, kName, &config, kSmallParts, filter);
        },
        UseAndClose);
  }, [](lfb_status status) {
    if (status != LFB_OK) ExpectNothingThere();
  }), rows);
  // A string for which the server is asked for room, in vain if a call fails.
  const Act create_long = OnServer(Nothing, [] {
    const lfb_redis_options options = Options();
    const lfb_config config = Config(4'500'000, 0.01, LFB_GUAVA_MITZ64);
    return Make<lfb_redis>(
        [&](lfb_redis** filter) { return lfb_redis_create(&options, kName, &config, 0, filter); },
        UseAndClose);
  }, [](lfb_status status) {
    if (status != LFB_OK) ExpectNothingThere();
  });
  rows->push_back({"lfb_redis_create", 8, [=](const std::string&) { return create_long; },
                   WithOptionalSteps(), ECONNRESET, true});
  Add("lfb_redis_open", 8, OnServer(Created, [] {
    const lfb_redis_options options = Options();
    return Make<lfb_redis>(
        [&](lfb_redis** filter) { return lfb_redis_open(&options, kName, nullptr, filter); },
        UseAndClose);
  }, Whatever), rows);
  Add("lfb_redis_put lfb_redis_put_u64 lfb_redis_put_hash lfb_redis_put_object "
      "lfb_redis_put_many lfb_redis_put_many_u64 lfb_redis_put_many_hash", 3,
      OnFilter(PutAll), rows);
  Add("lfb_redis_might_contain lfb_redis_might_contain_u64 lfb_redis_might_contain_hash "
      "lfb_redis_might_contain_object lfb_redis_might_contain_many "
      "lfb_redis_might_contain_many_u64 lfb_redis_might_contain_many_hash", 3,
      OnFilter(AskAll), rows);
  Add("lfb_redis_stats", 0, OnFilter([](lfb_redis* filter) {
    lfb_stats stats{};
    const lfb_status status = lfb_redis_stats(filter, &stats);
    EXPECT_EQ(stats.bits_set != 0, status == LFB_OK);
    return status;
  }), rows);
}

// Queries of a Redis replica. If it cannot be asked, the master answers.
void AddReads(std::vector<Row>* rows) {
  static const auto reading = [] {
    lfb_redis_options options = Options();
    options.replicas = options.read_replicas = 1;
    options.replicas_ms = 30'000;
    return options;
  };
  static const auto connected = [] {
    static RedisServer* replica = nullptr;
    if (replica != nullptr) return;
    RedisConfig config;
    config.more = {"--replicaof", "127.0.0.1", std::to_string(Server().port())};
    replica = new RedisServer(config);  // it ends with the process
    Await("the replica is listed", [] {
      return Server().Call({"ROLE"}).find("\n" + std::to_string(replica->port())) != std::string::npos;
    });
  };
  const Act ask = OnServer(connected, [] {
    lfb_redis* filter = nullptr;
    {
      const Spared now;
      const lfb_redis_options options = reading();
      const lfb_config config = SomeConfig();
      EXPECT_EQ(lfb_redis_create(&options, kName, &config, kSmallParts, &filter), LFB_OK);
      EXPECT_EQ(lfb_redis_put_u64(filter, kKey, nullptr), LFB_OK);
    }
    const lfb_status status = AskAll(filter);
    ExpectKeyAndClose(filter);
    return status;
  }, Whatever);
  rows->push_back({"lfb_redis_might_contain", 3, [ask](const std::string&) { return ask; },
                   WithOptionalSteps(), ECONNRESET});
}

void AddKeeping(std::vector<Row>* rows) {
  Add("lfb_redis_keys", 0, OnFilter([](lfb_redis* filter) {
    const auto each = [](void*, const char*, size_t) { return LFB_OK; };
    return lfb_redis_keys(filter, each, nullptr);
  }), rows);
  Add("lfb_redis_expire", 0, OnFilter([](lfb_redis* filter) {
    return lfb_redis_expire(filter, 0);
  }), rows);
  Add("lfb_redis_rename", 2, OnServer(Created, [] {
    lfb_redis* filter = nullptr;
    {
      const Spared now;
      const lfb_redis_options options = Options();
      EXPECT_EQ(lfb_redis_open(&options, kName, nullptr, &filter), LFB_OK);
    }
    const lfb_status status = lfb_redis_rename(filter, "other");
    const Spared now;
    bool maybe = false;
    if (calls::Planned() != Deed::kFailOn) {  // it has the old name or the new one
      EXPECT_EQ(lfb_redis_might_contain_u64(filter, kKey, &maybe), LFB_OK);
      EXPECT_EQ(Server().Call({"EXISTS", "other"}), status == LFB_OK ? "1" : "0");
    }
    lfb_redis_close(filter);
    return status;
  }, Whatever), rows);
  Add("lfb_redis_delete", 5, OnServer(Created, [] {
    const lfb_redis_options options = Options();
    return lfb_redis_delete(&options, kName, LFB_FAST);
  }, [](lfb_status status) {
    const lfb_redis_options options = Options();
    if (status == LFB_OK) {
      EXPECT_EQ(Server().Call({"DBSIZE"}), "0");
    }
    if (status != LFB_OK && Server().Call({"EXISTS", kName}) == "1") {
      EXPECT_EQ(lfb_redis_delete(&options, kName, LFB_FAST), LFB_OK) << "afterwards";
      EXPECT_EQ(Server().Call({"DBSIZE"}), "0");
    }
  }), rows);
  const std::shared_ptr<lfb_filter> local(Make(SomeConfig()));
  Add("lfb_redis_save", 8, OnServer(Nothing, [local] {
    const lfb_redis_options options = Options();
    return lfb_redis_save(&options, kName, local.get(), kSmallParts);
  }, [](lfb_status status) {
    if (status != LFB_OK) ExpectNothingThere();
  }), rows);
  Add("lfb_redis_load", 4, OnFilter([](lfb_redis* filter) {
    return Make<lfb_filter>([=](lfb_filter** into) { return lfb_redis_load(filter, nullptr, into); },
                            [](lfb_filter* loaded) {
                              EXPECT_TRUE(lfb_filter_might_contain_u64(loaded, kKey));
                              lfb_filter_free(loaded);
                            });
  }), rows);
  rows->push_back({"lfb_redis_parse_url lfb_redis_plan", failing::kQuiet, [](const std::string&) {
                     Empty();
                     Created();
                     const auto remote =
                         std::make_shared<Remote>(OpenRemote(Options(), kName));
                     return [remote] {
                       lfb_stats stats;
                       lfb_redis_address address;
                       lfb_redis_plan(remote->get(), &stats);
                       return lfb_redis_parse_url("redis://localhost/seen", &address);
                     };
                   }});
}

// ---- versions --------------------------------------------------------------------------

const lfb_filter* OneKey() {
  static const Filter filter = [] {
    Filter made = Make(SomeConfig());
    lfb_filter_put_u64(made.get(), kKey);
    return made;
  }();
  return filter.get();
}

lfb_status PublishOne(uint64_t* number) {
  const lfb_redis_options options = Options();
  const lfb_redis_publication publication = {kSmallParts, 1, {}};
  return lfb_redis_publish(&options, kName, OneKey(), &publication, number);
}

void Published() { EXPECT_EQ(PublishOne(nullptr), LFB_OK); }

// A follower of a source that has not been queried yet, and the versions it fills.
struct Following {
  lfb_versions* versions = nullptr;
  lfb_follow* follow = nullptr;
  explicit Following(lfb_redis_source* source) {
    const lfb_config config = SomeConfig();
    const lfb_source functions = lfb_redis_source_functions(source);
    const lfb_follow_config following{};
    EXPECT_EQ(lfb_versions_create(&config, &versions), LFB_OK);
    EXPECT_EQ(lfb_follow_create(versions, &functions, &following, &follow), LFB_OK);
  }
  ~Following() {
    lfb_follow_free(follow);
    lfb_versions_free(versions);
  }
  Following(const Following&) = delete;
  Following& operator=(const Following&) = delete;
};

lfb_status MakeSource(lfb_redis_source** source) {
  static const lfb_redis_options options = Options();
  return lfb_redis_source_create(&options, kName, nullptr, source);
}

void AddVersions(std::vector<Row>* rows) {
  // After the announcement the version is published. A failed cleanup then is left for later.
  rows->push_back({"lfb_redis_publish", 20, [](const std::string&) {
                     return OnServer(Published, [] {
                       uint64_t number = 0;
                       const lfb_status status = PublishOne(&number);
                       EXPECT_EQ(number, status == LFB_OK ? 2u : 0u);
                       return status;
                     }, Whatever);
                   }, WithOptionalSteps(), ECONNRESET});
  // A version in full, and one by a delta, or in full too if the delta fails.
  rows->push_back({"lfb_redis_publisher_create lfb_redis_publisher_publish "
                   "lfb_redis_publisher_free", 40, [](const std::string&) {
                     return OnServer(Nothing, [] {
                       const lfb_redis_options options = Options();
                       const lfb_redis_publication publication = {kSmallParts, 1, {}};
                       lfb_redis_publisher* publisher = nullptr;
                       lfb_status status =
                           lfb_redis_publisher_create(&options, kName, &publication, &publisher);
                       EXPECT_EQ(publisher != nullptr, status == LFB_OK);
                       for (uint64_t version = 1; version <= 2 && status == LFB_OK; version++) {
                         uint64_t number = 0;
                         status = lfb_redis_publisher_publish(publisher, OneKey(), &number);
                         EXPECT_EQ(number, status == LFB_OK ? version : 0u);
                       }
                       lfb_redis_publisher_free(publisher);
                       return status;
                     }, Whatever);
                   }, WithOptionalSteps(), ECONNRESET});
  Add("lfb_redis_unpublish", 5, OnServer(Published, [] {
    const lfb_redis_options options = Options();
    return lfb_redis_unpublish(&options, kName);
  }, [](lfb_status status) {
    const lfb_redis_options options = Options();
    EXPECT_EQ(lfb_redis_unpublish(&options, kName), LFB_OK) << "afterwards";
    EXPECT_EQ(Server().Call({"DBSIZE"}), "0");
    (void)status;
  }), rows);
  Add("lfb_redis_source_create lfb_redis_source_functions", 15, OnServer(Published, [] {
    lfb_redis_source* source = nullptr;
    lfb_status status = MakeSource(&source);
    EXPECT_EQ(source != nullptr, status == LFB_OK);
    if (status != LFB_OK) return status;
    const lfb_source functions = lfb_redis_source_functions(source);
    uint64_t version = 0;
    status = functions.version(functions.self, &version);
    EXPECT_EQ(version, status == LFB_OK ? 1u : 0u);
    if (status == LFB_OK)
      status = Make<lfb_filter>(
          [&](lfb_filter** filter) { return functions.filter(functions.self, filter); },
          [](lfb_filter* filter) {
            EXPECT_TRUE(lfb_filter_might_contain_u64(filter, kKey));
            lfb_filter_free(filter);
          });
    const Spared now;
    lfb_redis_source_free(source);
    return status;
  }, Whatever), rows);
  rows->push_back({"lfb_redis_source_listen", 3, [](const std::string&) {
                     return OnServer(Published, [] {
                       lfb_redis_source* source = nullptr;
                       std::unique_ptr<Following> following;
                       {
                         const Spared now;
                         EXPECT_EQ(MakeSource(&source), LFB_OK);
                         following = std::make_unique<Following>(source);
                       }
                       const lfb_status status =
                           lfb_redis_source_listen(source, following->follow);
                       const Spared now;
                       lfb_redis_source_silence(source);
                       following.reset();
                       lfb_redis_source_free(source);
                       return status;
                     }, Whatever);
                   }, {{"eventfd", {LFB_ERROR_NO_THREAD}}}});
}

// ---- a key of the module ---------------------------------------------------------------

// A copy in full, then a change, of a key that a server only seems to have (module_fake.h).
void AddModule(std::vector<Row>* rows) {
  rows->push_back({"lfb_redis_module_source_create lfb_redis_module_source_functions "
                   "lfb_redis_module_source_free", 15,
                   [](const std::string&) {
    const auto module = std::make_shared<FakeModule>(2000);  // each act loads it in full
    const auto next = std::make_shared<uint64_t>(0);
    return [module, next] {
      lfb_redis_options options = module->Options();
      options.retries = 1;
      lfb_redis_module_source* source = nullptr;
      lfb_status status = lfb_redis_module_source_create(&options, kName, nullptr, &source);
      EXPECT_EQ(source != nullptr, status == LFB_OK);
      if (status != LFB_OK) return status;
      const lfb_source functions = lfb_redis_module_source_functions(source);
      lfb_versions* versions = nullptr;
      lfb_follow* follow = nullptr;
      {
        const Spared now;
        const lfb_config config = SomeConfig();
        lfb_follow_config following{};
        following.most_retry_seconds = 1;
        EXPECT_EQ(lfb_versions_create(&config, &versions), LFB_OK);
        EXPECT_EQ(lfb_follow_create(versions, &functions, &following, &follow), LFB_OK);
      }
      for (uint64_t now = 1; now <= 2 && status == LFB_OK; now++) {
        lfb_followed what = LFB_FOLLOWED_NOTHING;
        status = lfb_follow_poll(follow, 1000 * now, &what);
        const Spared also;
        if (status == LFB_OK) {
          EXPECT_EQ(what, now == 1 ? LFB_FOLLOWED_REBUILT : LFB_FOLLOWED_CHANGES);
          EXPECT_EQ(WordsOf(lfb_versions_enter(versions, nullptr)), module->Words());
          lfb_versions_leave(versions);
        }
        module->Add(UINT64_C(0x9e3779b97f4a7c15) * ++*next);
      }
      const Spared now;
      lfb_follow_free(follow);
      lfb_versions_free(versions);
      lfb_redis_module_source_free(source);
      module->Settle();
      return status;
    };
  }, kLink, ECONNRESET});
}

// ---- replicas --------------------------------------------------------------------------

void AddReplicas(std::vector<Row>* rows) {
  const Act open = OnServer(Created, [] {
    const lfb_redis_options options = Options();
    lfb_replica_config config{};
    config.queue_keys = 1024;  // not the 32 MiB of the default: each act makes a queue
    return Make<lfb_replica>(
        [&](lfb_replica** replica) {
          return lfb_replica_open(&options, kName, &config, replica);
        },
        [](lfb_replica* replica) {
          EXPECT_TRUE(lfb_filter_might_contain_u64(lfb_replica_filter(replica), kKey));
          lfb_replica_close(replica);
        });
  }, Whatever);
  rows->push_back({"lfb_replica_open", 20, [open](const std::string&) { return open; }, kLink,
                   ECONNRESET, true});
}

std::vector<Row> Rows() {
  std::vector<Row> rows;
  AddFilters(&rows);
  AddReads(&rows);
  AddKeeping(&rows);
  AddVersions(&rows);
  AddModule(&rows);
  AddReplicas(&rows);
  return rows;
}

class EachRedisFunction : public testing::TestWithParam<Row> {};

TEST_P(EachRedisFunction, FailsCleanly) { failing::FailEachCallOf(GetParam()); }

std::string RowName(const testing::TestParamInfo<Row>& info) {
  return std::to_string(info.index) + "_" + failing::NameOf(info.param);
}

const char* const kReplicaOwn =
    "memory and an eventfd, whose write cannot fail; its threads' calls: replica_test";

const failing::Excuses kExcuses = {
    {"lfb_redis_close", "gives back"},
    {"lfb_redis_module_load", "a server cannot load the module under a sanitizer: module_file_test"},
    {"lfb_redis_module_save", "as lfb_redis_module_load()"},
    {"lfb_redis_source_free", "gives back"},
    {"lfb_redis_source_silence", "gives back"},
    {"lfb_replica_close", "gives back"},
    {"lfb_replica_filter", "a pointer"},
    {"lfb_replica_fast", "as lfb_fast_of()"},
    {"lfb_replica_put*", kReplicaOwn},
    {"lfb_replica_flush", kReplicaOwn},
    {"lfb_replica_resync", kReplicaOwn},
    {"lfb_replica_state_now", "figures"},
};

TEST(FailingOnRedis, EveryFunctionHasARow) {
  failing::ExpectRowsOfAll({"redis/include/lfbloom"}, Rows(), kExcuses);
}

INSTANTIATE_TEST_SUITE_P(Rows, EachRedisFunction, testing::ValuesIn(Rows()), RowName);

}  // namespace
