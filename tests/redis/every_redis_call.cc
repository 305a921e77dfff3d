// every_redis_call.cc - the objects and rows of every_redis_call.h.
#include "tests/redis/every_redis_call.h"

#include "tests/support/calls.h"

namespace every_redis {
namespace {

using every::Otherwise;
using every::Reset;
using every::Untouched;

// How a link reacts: a lost connection is opened again once, then the call fails.
const Otherwise kLink = {
    {"socket", {LFB_OK, LFB_ERROR_REDIS_CONNECT}},
    {"connect", {LFB_OK, LFB_ERROR_REDIS_CONNECT}},
    {"getsockopt", {LFB_OK, LFB_ERROR_REDIS_CONNECT}},
    {"send", {LFB_OK, LFB_ERROR_REDIS_LOST, LFB_ERROR_REDIS_CONNECT}},
    {"recv", {LFB_OK, LFB_ERROR_REDIS_LOST, LFB_ERROR_REDIS_CONNECT}},
};

// The same for a call of which some steps may fail.
const Otherwise kOptionalSteps = [] {
  Otherwise otherwise = kLink;
  for (const char* call : {"malloc", "calloc", "realloc", "strdup", "strndup", "getaddrinfo",
                           "redisReaderCreateWithFunctions"})
    otherwise[call] = {LFB_OK, LFB_ERROR_NO_MEMORY};
  return otherwise;
}();

const uint64_t kNumbers[] = {kKey, 1, 2};
const lfb_key kBytes[] = {{"key", 3}, {"another", 7}, {"", 0}};

// With a failure, whether the server has nothing.  If calls keep failing, nothing could be deleted.
bool Deletes() { return calls::Planned() != calls::Deed::kFailOn; }

void NothingThere(Things& t) {
  if (t.status != LFB_OK && Deletes()) {
    EXPECT_EQ(t.server->Call({"DBSIZE"}), "0");
  }
}

// ---- objects ------------------------------------------------------------------------------

void Create(Things& t, const lfb_redis_options& options) {
  EXPECT_EQ(lfb_redis_create(&options, kName, &t.config, kSmallParts, &t.own.filter), LFB_OK);
  EXPECT_EQ(lfb_redis_many(t.own.filter, LFB_PUT, &kKey, 1, nullptr, nullptr, LFB_U64_KEY), LFB_OK);
}

void Created(Things& t) {
  Create(t, t.options);
  lfb_redis_close(t.own.filter);
  t.own.filter = nullptr;
}

void Opened(Things& t) {
  Created(t);
  EXPECT_EQ(lfb_redis_open(&t.options, kName, nullptr, &t.own.filter), LFB_OK);
}

void Published(Things& t) {
  EXPECT_EQ(lfb_redis_publish(&t.options, kName, t.local.get(), &t.publication, nullptr), LFB_OK);
}

void NewSource(Things& t) {
  Published(t);
  EXPECT_EQ(lfb_redis_source_create(&t.options, kName, nullptr, &t.own.source), LFB_OK);
}

void NewFollowing(Things& t) {
  NewSource(t);
  t.own.following = std::make_unique<Following>(lfb_redis_source_functions(t.own.source));
}

// ---- after calls ----------------------------------------------------------------------------

template <auto output>
void Filled(Things& t) {
  if (t.status == LFB_OK) every::ExpectFilled(&(t.out.*output));
}

using Out = decltype(Things::out);

// Expects a filter to answer once no call fails.
void ExpectKey(lfb_redis* filter) {
  size_t yes = 0;
  EXPECT_EQ(lfb_redis_many(filter, LFB_MIGHT_CONTAIN, &kKey, 1, nullptr, &yes, LFB_U64_KEY),
            LFB_OK);
  EXPECT_EQ(yes, 1u);
}

void HasKey(Things& t) { ExpectKey(t.own.filter); }

void Yes(Things& t) {
  Filled<&Out::yes>(t);
  HasKey(t);
}

void Answers(Things& t) {
  Filled<&Out::answers>(t);
  Filled<&Out::count>(t);
  HasKey(t);
}

void UsedAndClosed(Things& t) {
  if (t.status != LFB_OK) return NothingThere(t);
  EXPECT_EQ(lfb_redis_many(t.out.filter, LFB_PUT, &kKey, 1, nullptr, nullptr, LFB_U64_KEY), LFB_OK);
  ExpectKey(t.out.filter);
  lfb_redis_close(t.out.filter);
  Reset(&t.out.filter);
}

void OpenedAndClosed(Things& t) {
  if (t.status == LFB_OK) UsedAndClosed(t);
}

template <auto output, auto close>
void Closed(Things& t) {
  if (t.status != LFB_OK) return;
  EXPECT_FALSE(Untouched(t.out.*output)) << "success without an output";
  close(t.out.*output);
  Reset(&(t.out.*output));
}

void LoadedWithKey(Things& t) {
  if (t.status == LFB_OK) {
    EXPECT_TRUE(lfb_filter_might_contain_u64(t.out.loaded, kKey));
  }
  Closed<&Out::loaded, lfb_filter_free>(t);
}

// It has the old name or the new one.
void Renamed(Things& t) {
  if (!Deletes()) return;
  HasKey(t);
  EXPECT_EQ(t.server->Call({"EXISTS", "other"}), t.status == LFB_OK ? "1" : "0");
}

// What is left can be deleted afterwards.
void Deleted(Things& t) {
  if (t.status != LFB_OK && t.server->Call({"EXISTS", kName}) != "1") return;
  if (t.status != LFB_OK) {
    EXPECT_EQ(lfb_redis_delete(&t.options, kName, LFB_FAST), LFB_OK) << "afterwards";
  }
  EXPECT_EQ(t.server->Call({"DBSIZE"}), "0");
}

void Unpublished(Things& t) {
  EXPECT_EQ(lfb_redis_unpublish(&t.options, kName), LFB_OK) << "afterwards";
  EXPECT_EQ(t.server->Call({"DBSIZE"}), "0");
}

void Second(Things& t) {
  if (t.status == LFB_OK) {
    EXPECT_EQ(t.out.number, 2u);
  }
  Filled<&Out::number>(t);
}

// ---- calls of several functions ---------------------------------------------------------------

// A version in full, and one by a delta, or in full too if the delta fails.
lfb_status PublishTwice(Things& t) {
  lfb_redis_publisher* publisher = nullptr;
  lfb_status status = lfb_redis_publisher_create(&t.options, kName, &t.publication, &publisher);
  EXPECT_EQ(publisher != nullptr, status == LFB_OK);
  for (uint64_t version = 1; version <= 2 && status == LFB_OK; version++) {
    uint64_t number = 0;
    status = lfb_redis_publisher_publish(publisher, t.local.get(), &number);
    EXPECT_EQ(number, status == LFB_OK ? version : 0u);
  }
  lfb_redis_publisher_free(publisher);
  return status;
}

lfb_status AskSource(Things& t) {
  const lfb_source functions = lfb_redis_source_functions(t.own.source);
  uint64_t version = 0;
  const lfb_status status = functions.version(functions.self, &version);
  EXPECT_EQ(version, status == LFB_OK ? 1u : 0u);
  return status == LFB_OK ? functions.filter(functions.self, &t.out.loaded) : status;
}

void Add(Rows* rows, const Rows& more, const std::function<void(Row&)>& set = [](Row&) {}) {
  for (const Row& row : more) {
    rows->push_back(row);
    set(rows->back());
  }
}

// ---- the rows -----------------------------------------------------------------------------------

#define SEVERAL(verb)                                                                        \
  ROW(lfb_redis_many, t.own.filter, verb, kBytes, 3, &t.out.answers, &t.out.count,           \
      LFB_BYTES_KEY),                                                                        \
  ROW(lfb_redis_many, t.own.filter, verb, kNumbers, 3, &t.out.answers, &t.out.count,        \
      LFB_U64_KEY)

void AddKeys(Rows* rows) {
  const auto opened = [](Row& row) { row.Before(Opened).Fails(0); };
  Add(rows, {ROW(lfb_redis_put, t.own.filter, "key", 3, &t.out.yes),
             ROW(lfb_redis_might_contain, t.own.filter, "key", 3, &t.out.yes)},
      [=](Row& row) { opened(row), row.After(Yes); });
  Add(rows, {SEVERAL(LFB_PUT), SEVERAL(LFB_MIGHT_CONTAIN)},
      [=](Row& row) { opened(row), row.After(Answers); });
}

void AddFilters(Rows* rows) {
  Add(rows, {
    ROW(lfb_redis_create, &t.options, kName, &t.config, kSmallParts, &t.out.filter).Fails(8)
        .After(UsedAndClosed).Takes(&Things::config),
    ROW(lfb_redis_open, &t.options, kName, &t.wanted, &t.out.filter).Fails(8).Before(Created)
        .After(OpenedAndClosed).Takes(&Things::wanted),
    ROW(lfb_redis_open, &t.options, kName, nullptr, &t.out.filter).Fails(8).Before(Created)
        .After(OpenedAndClosed),
    ROW(lfb_redis_delete, &t.options, kName, LFB_FAST).Fails(5).Before(Created).After(Deleted),
    ROW(lfb_redis_save, &t.options, kName, t.local.get(), kSmallParts).Fails(8).After(NothingThere),
    ROW(lfb_redis_publish, &t.options, kName, t.local.get(), &t.publication, &t.out.number)
        // after the announcement the version is published; a failed cleanup then is left for later
        .Fails(20, kOptionalSteps).Before(Published).After(Second).Takes(&Things::publication),
    Row("lfb_redis_publisher_create lfb_redis_publisher_publish lfb_redis_publisher_free",
        PublishTwice)
        .Fails(40, kOptionalSteps).Takes(&Things::publication),
    ROW(lfb_redis_unpublish, &t.options, kName).Fails(5).Before(Published).After(Unpublished),
    ROW(lfb_redis_source_create, &t.options, kName, &t.source_config, &t.out.source)
        .Fails(1).After(Closed<&Out::source, lfb_redis_source_free>).Takes(&Things::source_config),
  }, [](Row& row) { row.Takes(&Things::options); });
  Add(rows, {
    ROW(lfb_redis_stats, t.own.filter, &t.out.figures)
        .After(STEP(Filled<&Out::figures>(t), HasKey(t))),
    ROW(lfb_redis_plan, t.own.filter, &t.out.stats).After(STEP(Filled<&Out::stats>(t), HasKey(t))),
    ROW(lfb_redis_expire, t.own.filter, 0).After(HasKey),
    ROW(lfb_redis_rename, t.own.filter, "other").Fails(2).After(Renamed),
    ROW(lfb_redis_load, t.own.filter, &t.limits, &t.out.loaded).Fails(4)
        .After(STEP(LoadedWithKey(t), HasKey(t))),
    FREE(lfb_redis_close, filter),
  }, [](Row& row) {
    row.Before(Opened);
    if (row.failures.least == every::kQuiet && row.names != "lfb_redis_plan") row.Fails(0);
  });
  Add(rows, {ROW(lfb_redis_parse_url, "redis://localhost/seen", &t.out.address)
                 .After(Filled<&Out::address>)});
}

void AddSources(Rows* rows) {
  Add(rows, {
    Row("lfb_redis_source_functions", AskSource).Fails(20).Before(NewSource).After(LoadedWithKey),
    FREE(lfb_redis_source_free, source)
        .Before(NewSource),
    ROW(lfb_redis_source_listen, t.own.source, t.own.following->follow)
        .Fails(3, {{"eventfd", {LFB_ERROR_NO_THREAD}}}).Before(NewFollowing)
        .After(STEP(lfb_redis_source_silence(t.own.source))),
    ROW(lfb_redis_source_silence, t.own.source).Before(NewSource),
  });
}

}  // namespace

Rows AllRows() {
  Rows rows;
  AddKeys(&rows);
  AddFilters(&rows);
  AddSources(&rows);
  for (Row& row : rows) {
    if (row.failures.otherwise.empty()) row.failures.otherwise = kLink;
    row.failures.error = ECONNRESET;
  }
  return rows;
}

// A server cannot load the module under a sanitizer: their failures are in module_file_test.
Rows ModuleRows() {
  return {
    ROW(lfb_redis_module_save, &t.options, kName, &t.value).Takes(&Things::options)
        .Takes(&Things::value),
    ROW(lfb_redis_module_load, &t.options, kName, &t.limits, &t.out.value)
        .Takes(&Things::options)
        .Takes(&Things::limits),
  };
}

// ---- things -------------------------------------------------------------------------------------

Following::Following(const lfb_source& functions) {
  const lfb_config config = Config(2000, 0.01, LFB_FAST);
  lfb_follow_config following{};
  following.most_retry_seconds = 1;
  EXPECT_EQ(lfb_versions_create(&config, &versions), LFB_OK);
  EXPECT_EQ(lfb_follow_create(versions, &functions, &following, &follow), LFB_OK);
}

Following::~Following() {
  lfb_follow_free(follow);
  lfb_versions_free(versions);
}

Things::Things(RedisServer* on) : server(on), options(), local(Make(config)) {
  if (server != nullptr) options = server->Options();
  options.retries = 1;  // a lost connection is opened again, and a permanent failure ends soon
  lfb_filter_put_u64(local.get(), kKey);
  value.any = {LFB_KIND_PLAIN, {Make(config).release()}};
  folder = testing::TempDir() + "/redis-" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
}

void Things::Begin() {
  EXPECT_EQ(server->Call({"FLUSHALL"}), "OK");
}

void Things::End() {
  own.following.reset();
  lfb_redis_source_free(own.source);
  lfb_redis_close(own.filter);
  own.source = nullptr, own.filter = nullptr;
  EXPECT_EQ(server->Call({"FLUSHALL"}), "OK");
}

}  // namespace every_redis
