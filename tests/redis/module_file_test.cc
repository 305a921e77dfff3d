// module_file_test.cc - lfb_redis_module_load and lfb_redis_module_save: filters between memory and
// keys of the module; killed, cut off and lied to.
//
// Seen to fail with each of these planted bugs: a save that loads under the name itself, that does
// not bear a chunk that was sent twice, that takes a name over, that leaves no end or an end; a
// growing filter that is saved with its header; a window that advances itself; a load that does not
// compare the offset of a chunk, that does not ask for the end of the body, without max_bytes, or
// only once; a name for a key that is not whole.
#include <lfbloom/redis.h>

#include <algorithm>
#include <cstring>

#include "tests/redis/fake.h"
#include "tests/redis/module.h"
#include "tests/redis/outlives.h"
#include "tests/redis/proxy.h"
#include "tests/support/calls.h"

namespace {

using calls::Deed;

// What a key holds; frees it.
struct Held {
  lfb_redis_module_value value = {};
  Held() = default;
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { lfb_any_free(value.any); }
  bool Has(const std::string& key) const {
    const lfb_key of = {key.data(), key.size()};
    return lfb_any_many(value.any, LFB_MIGHT_CONTAIN, &of, 1, nullptr) == 1;
  }
  bool Empty() const { return value.any.kind == LFB_KIND_NONE; }
};

lfb_status LoadKey(const lfb_redis_options& options, const std::string& name, Held* held,
                   uint64_t max_bytes = 0) {
  lfb_read_limits limits = {};
  limits.max_bytes = max_bytes;
  const lfb_status status = lfb_redis_module_load(&options, name.c_str(),
                                                  max_bytes == 0 ? nullptr : &limits, &held->value);
  EXPECT_EQ(status == LFB_OK, !held->Empty());
  return status;
}

lfb_status SaveKey(const lfb_redis_options& options, const std::string& name, const Held& held) {
  return lfb_redis_module_save(&options, name.c_str(), &held.value);
}

lfb_status Append(void* to, const void* bytes, size_t size) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), size);
  return LFB_OK;
}

uint64_t NumberAt(const std::string& bytes, size_t at) {
  uint64_t number = 0;
  for (size_t i = 8; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

// Takes the time of writing, and the checksum over it, out of a native header; returns where its
// form ends (docs/formats.md).
size_t WithoutTime(std::string* bytes, size_t header) {
  const uint64_t words = 8 * NumberAt(*bytes, header + 32);
  bytes->replace(header + 80, 8, 8, '\0').replace(header + 248, 8, 8, '\0');
  return header + 256 + words + 8 * ((words + (1 << 20) - 1) / (1 << 20) + 1);
}

// The bytes of the file, except the times of writing.
std::string Bytes(const Held& held) {
  std::string bytes;
  size_t at = 0;

  EXPECT_EQ(lfb_any_write(held.value.any, Append, &bytes), LFB_OK);
  if (held.value.any.kind != LFB_KIND_PLAIN) {
    at = 256;
    if (held.value.any.kind == LFB_KIND_GROWING) bytes.replace(40, 8, 8, '\0');
    bytes.replace(248, 8, 8, '\0');
  }
  if (held.value.any.kind == LFB_KIND_WINDOW)
    bytes.replace(at + 80, 8, 8, '\0').replace(at + 248, 8, 8, '\0');
  while (held.value.any.kind != LFB_KIND_WINDOW && at < bytes.size()) at = WithoutTime(&bytes, at);
  return bytes;
}

lfb_config FastConfig(uint64_t n = 20) {
  lfb_config config = {};
  config.expected_insertions = n;
  config.fpp = 0.01;
  config.strategy = LFB_FAST;
  return config;
}

// Puts keys into a filter of this kind that was made with `status`.
void Put(lfb_status status, lfb_kind kind, int keys, Held* held) {
  ASSERT_EQ(status, LFB_OK);
  held->value.any.kind = kind;
  for (int i = 0; i < keys; i++) {
    const std::string key = "k-" + std::to_string(i);
    const lfb_key bytes = {key.data(), key.size()};
    lfb_any_many(held->value.any, LFB_PUT, &bytes, 1, nullptr);
  }
}

void MakeFilter(const lfb_config& config, Held* held, int keys = 15) {
  Put(lfb_filter_create(&config, &held->value.any.plain), LFB_KIND_PLAIN, keys, held);
}

void MakeGrowing(const lfb_config& config, Held* held, int keys) {
  Put(lfb_growing_create(&config, &held->value.any.growing), LFB_KIND_GROWING, keys, held);
}

void MakeCounting(const lfb_config& config, Held* held, int keys) {
  Put(lfb_counting_create(&config, &held->value.any.counting), LFB_KIND_COUNTING, keys, held);
}

void MakeWindow(uint32_t generations, bool by_insertions, Held* held) {
  lfb_window_config config = {};
  config.expected_insertions = 300;
  config.fpp = 0.01;
  config.generations = generations;
  config.by_insertions = by_insertions;
  Put(lfb_window_create(&config, &held->value.any.window), LFB_KIND_WINDOW, 100, held);
  lfb_window* window = held->value.any.window;
  lfb_ignore(lfb_window_advance(window, lfb_window_generation(window)));
  Put(LFB_OK, LFB_KIND_WINDOW, 250, held);
}

std::string Loading(const RedisServer& server) {
  return server.Call({"KEYS", "*loading*"});
}

// ---- there and back ----------------------------------------------------------------------

// A key that commands have filled, in memory, answers as it does on the server, and is saved again
// as the same bits; a chain grows on after a first layer with a larger share.  Seen to fail
// where only the series' own share was read.  Files of more kinds: //tests/cli:module_cli_test.
TEST(ModuleFile, KeysComeBack) {
  RedisServer server(WithModule());
  const lfb_redis_options options = server.Options();
  Fill(server);
  ASSERT_EQ(server.Call({"BF.RESERVE", "doubled", "0.01", "3000", "EXPANSION", "2"}), "OK");
  AddNumbers(server, "doubled", 0, 9000);
  ASSERT_EQ(server.Call({"BF.WINDOW.RESERVE", "hour", "0.01", "2000", "SPAN", "3600"}), "OK");
  AddNumbers(server, "hour", 0, 1500);
  for (const std::string key : {"plain", "empty", "doubled", "window", "hour", "removable"}) {
    SCOPED_TRACE(key);
    Held held, again;
    ASSERT_EQ(LoadKey(options, key, &held), LFB_OK);
    EXPECT_EQ(held.value.any.kind == LFB_KIND_GROWING, key == "doubled");
    EXPECT_EQ(held.value.any.kind == LFB_KIND_WINDOW, key == "window" || key == "hour");
    EXPECT_EQ(held.value.any.kind == LFB_KIND_COUNTING, key == "removable");
    ASSERT_EQ(SaveKey(options, "again", held), LFB_OK);
    int differ = 0, found = 0;
    for (int i = 0; i < 12000; i += 100) {
      Words words = {"BF.MEXISTS", key}, copy = {"BF.MEXISTS", "again"};
      std::string mine;
      for (int k = i; k < i + 100; k++) {
        words.push_back(key + "-" + std::to_string(k));
        copy.push_back(words.back());
        mine += held.Has(words.back()) ? "1\n" : "0\n";
      }
      const std::string theirs = server.Call(words);
      differ += theirs != server.Call(copy);
      differ += theirs.substr(0, mine.size() - 1) != mine.substr(0, mine.size() - 1);
      found += static_cast<int>(std::count(mine.begin(), mine.end(), '1'));
    }
    EXPECT_EQ(differ, 0);
    EXPECT_GE(found, key == "empty" ? 0 : key == "doubled" ? 9000
                                                           : 999);
    ASSERT_EQ(LoadKey(options, "again", &again), LFB_OK);
    EXPECT_EQ(Bytes(again), Bytes(held));
    EXPECT_EQ(again.value.period_ms, key == "hour" ? 1'200'000u : 0u);
    EXPECT_EQ(server.Call({"PTTL", "again"}), "-1");
    if (key == "doubled") {
      const int had = std::stoi(server.Call({"BF.CARD", "again"})),
                fresh = AddNumbers(server, "again", 0, 9000);
      EXPECT_GT(fresh, 8500);
      EXPECT_EQ(server.Call({"BF.CARD", "again"}), std::to_string(had + fresh));
    }
    server.Call({"DEL", "again"});
  }
  EXPECT_EQ(Loading(server), "");
}

// Several MiB: pieces of a body do not begin where chunks do.
TEST(ModuleFile, ABigFilter) {
  RedisServer server(WithModule());
  const lfb_redis_options options = server.Options();
  Held held, back;
  ASSERT_NO_FATAL_FAILURE(MakeFilter(FastConfig(20'000'000), &held, 20'000));
  ASSERT_EQ(SaveKey(options, "{tag}big", held), LFB_OK);
  ASSERT_EQ(LoadKey(options, "{tag}big", &back), LFB_OK);
  EXPECT_TRUE(Bytes(back) == Bytes(held));
}

TEST(ModuleFile, WhatDoesNotFitIsRefused) {
  RedisServer server(WithModule({}, {"max-bytes", "1000000"})), plain;
  const lfb_redis_options options = server.Options(), without = plain.Options();
  Held loaded;
  Fill(server);
  server.Call({"SET", "text", "x"});
  EXPECT_EQ(LoadKey(options, "grown", &loaded), LFB_ERROR_MODULE_CHAIN);   // from 100 keys on
  EXPECT_EQ(LoadKey(options, "steady", &loaded), LFB_ERROR_MODULE_CHAIN);  // EXPANSION 1
  server.Call({"BF.RESERVE", "merged", "0.01", "2000"});
  server.Call({"BF.LIKE", "other", "merged"});
  AddNumbers(server, "merged", 0, 1500);
  AddNumbers(server, "other", 0, 1500);
  ASSERT_EQ(server.Call({"BF.MERGE", "merged", "other"}), "OK");
  EXPECT_EQ(LoadKey(options, "merged", &loaded), LFB_ERROR_MODULE_CHAIN);  // two of 2,000 keys
  EXPECT_EQ(LoadKey(options, "none", &loaded), LFB_ERROR_REDIS_ABSENT);
  EXPECT_EQ(LoadKey(options, "text", &loaded), LFB_ERROR_REDIS_NO_FILTER);
  EXPECT_EQ(LoadKey(options, "", &loaded), LFB_ERROR_REDIS_BAD_NAME);
  EXPECT_EQ(LoadKey(options, "plain", &loaded, 1000), LFB_ERROR_OVER_LIMIT);
  EXPECT_EQ(LoadKey(options, "window", &loaded, 1000), LFB_ERROR_OVER_LIMIT);
  const std::string keys = server.Call({"DBSIZE"});

  const uint8_t key[16] = {1};
  for (int kind = 0; kind < 8; kind++) {
    SCOPED_TRACE(kind);
    Held held;
    lfb_config config = FastConfig(1000);
    if (kind == 0) config.strategy = LFB_GUAVA_MITZ64;
    if (kind == 1) config.strategy = LFB_SBBF;
    if (kind == 2) config.hash = LFB_HASH_AES, memcpy(config.key, key, sizeof key);
    if (kind == 3) config.strategy = LFB_GUAVA_MITZ32, config.expected_insertions = 0;
    if (kind < 4) MakeFilter(config, &held);
    if (kind == 4) config.strategy = LFB_GUAVA_MITZ64;
    if (kind == 4) MakeGrowing(config, &held, 10);
    if (kind == 5) MakeWindow(3, true, &held);
    if (kind == 6) MakeWindow(3, false, &held);
    if (kind == 6) held.value.period_ms = UINT64_MAX;
    if (kind == 7) MakeCounting(config, &held, 10);
    EXPECT_EQ(SaveKey(options, "a", held), LFB_ERROR_MODULE_FILTER);
  }
  Held fine, large;
  MakeFilter(FastConfig(), &fine);
  MakeFilter(FastConfig(1'000'000), &large);
  EXPECT_EQ(SaveKey(without, "a", fine), LFB_ERROR_MODULE_MISSING);
  EXPECT_EQ(SaveKey(options, "a", large), LFB_ERROR_OVER_LIMIT);
  EXPECT_EQ(SaveKey(options, std::string(513, 'n'), fine), LFB_ERROR_REDIS_BAD_NAME);
  EXPECT_EQ(SaveKey(options, "text", fine), LFB_ERROR_REDIS_EXISTS);
  EXPECT_EQ(SaveKey(options, "plain", fine), LFB_ERROR_REDIS_EXISTS);
  EXPECT_EQ(server.Call({"DBSIZE"}), keys);
  EXPECT_EQ(plain.Call({"DBSIZE"}), "0");

  const std::string head = server.Call({"BF.SCANDUMP", "plain", "0"});
  const size_t end = head.find('\n');
  ASSERT_EQ(server.Call({"BF.LOADCHUNK", "half", head.substr(0, end), head.substr(end + 1, 128)}),
            "OK");
  EXPECT_EQ(LoadKey(options, "half", &loaded), LFB_ERROR_REDIS_UNFINISHED);
}

TEST(ModuleFile, InACluster) {
  RedisCluster cluster(3, 0, WithModule());
  const lfb_redis_options options = cluster.Options();
  Held held;
  MakeFilter(FastConfig(), &held);
  for (const std::string name : {"a", "b", "c", "{user}seen", "}d"}) {
    Held back;
    ASSERT_EQ(SaveKey(options, name, held), name == "}d" ? LFB_ERROR_REDIS_OTHER_SLOT : LFB_OK);
    if (name == "}d") continue;
    ASSERT_EQ(LoadKey(options, name, &back), LFB_OK);
    EXPECT_EQ(Bytes(back), Bytes(held));
  }
  for (size_t i = 0; i < 3; i++) EXPECT_EQ(Loading(cluster.node(i)), "");
}

// ---- stopped, killed, cut off ---------------------------------------------------------------

TEST(ModuleFile, AStoppedSaveLeavesNothing) {
  RedisServer server(WithModule());
  Held held;
  MakeFilter(FastConfig(3'000'000), &held);  // 4 MiB
  for (int stop = 0; stop < 8; stop++) {
    int left = stop;
    lfb_redis_options options = server.Options();
    options.told = &left;
    options.moved = [](void* told, uint64_t) { return (*static_cast<int*>(told))-- > 0; };
    const lfb_status status = SaveKey(options, "a", held);
    EXPECT_TRUE(status == LFB_ERROR_STOPPED || (stop > 5 && status == LFB_OK)) << stop << status;
    EXPECT_EQ(server.Call({"DBSIZE"}), status == LFB_OK ? "1" : "0");
    server.Call({"DEL", "a"});
  }
}

// What another client does while a filter is moved, once.
struct Meanwhile {
  const RedisServer* server;
  Words command;
  unsigned calls = 0;
};

lfb_redis_options Disturbed(Meanwhile* meanwhile) {
  lfb_redis_options options = meanwhile->server->Options();
  options.told = meanwhile;
  options.moved = [](void* told, uint64_t) {
    auto* now = static_cast<Meanwhile*>(told);
    if (now->calls++ == 0) now->server->Call(now->command);
    return true;
  };
  return options;
}

TEST(ModuleFile, ANameThatIsTakenMeanwhileIsKept) {
  RedisServer server(WithModule());
  Held held;
  MakeFilter(FastConfig(), &held);
  Meanwhile other = {&server, {"SET", "a", "theirs"}};
  EXPECT_EQ(SaveKey(Disturbed(&other), "a", held), LFB_ERROR_REDIS_EXISTS);
  EXPECT_EQ(server.Call({"GET", "a"}), "theirs");
  EXPECT_EQ(server.Call({"DBSIZE"}), "1");
}

TEST(ModuleFile, AKeyThatIsGoneMeanwhileIsReported) {
  RedisServer server(WithModule());
  Held held;
  MakeFilter(FastConfig(), &held);
  Meanwhile other = {&server, {"FLUSHALL"}};
  EXPECT_NE(SaveKey(Disturbed(&other), "a", held), LFB_OK);
  EXPECT_EQ(server.Call({"DBSIZE"}), "0");
}

TEST(ModuleFile, AKeyThatChangesMeanwhileIsReadAgain) {
  RedisServer server(WithModule());
  Held held;
  ASSERT_EQ(server.Call({"BF.RESERVE", "a", "0.001", "100"}), "OK");
  AddNumbers(server, "a", 0, 50);
  Meanwhile other = {&server, {"BF.ADD", "a", "new"}};
  ASSERT_EQ(LoadKey(Disturbed(&other), "a", &held), LFB_OK);
  EXPECT_TRUE(held.Has("new") && held.Has("a-7"));
  EXPECT_GT(other.calls, 2U);
}

// Killed before and after each command: the name is unused, or the key is whole.  What is left
// under another name expires.
TEST(ModuleFile, AKilledSaveLeavesNothingUnderTheName) {
  RedisServer server(WithModule());
  const lfb_redis_options options = server.Options();
  Held held, twin;
  MakeFilter(FastConfig(), &held);
  ASSERT_EQ(SaveKey(options, "twin", held), LFB_OK);
  const std::string digest = Digest(server, "twin");
  unsigned kills = 0, whole = 0;
  for (const Deed deed : {Deed::kKillBefore, Deed::kKillAfter})
    for (uint64_t at = 1;; at++) {
      SCOPED_TRACE("command " + std::to_string(at));
      const bool done =
          Outlives(deed, at, [&] { return SaveKey(options, "a", held) == LFB_OK; });
      // The server executes what it has received.
      Await("its connections are closed", [&] { return server.Info("connected_clients") == "1"; });
      const bool there = server.Call({"EXISTS", "a"}) == "1";
      EXPECT_TRUE(there || !done);
      EXPECT_EQ(there ? Digest(server, "a") : digest, digest);
      std::string left = Loading(server);
      left = left.substr(0, left.find('\n'));
      EXPECT_TRUE(left.empty() || std::stoi(server.Call({"PTTL", left})) > 0);
      EXPECT_FALSE(there && !left.empty());
      server.Call({"DEL", "a", left});
      EXPECT_EQ(server.Call({"DBSIZE"}), "1");
      if (done) break;
      kills++;
      whole += there;
    }
  EXPECT_GE(kills, 12U);
  EXPECT_GE(whole, 1U);
}

// A connection that is cut after any number of bytes costs nothing: commands are sent again.
TEST(ModuleFile, ACutConnectionIsOpenedAgain) {
  RedisServer server(WithModule());
  Held held;
  MakeFilter(FastConfig(), &held);
  ASSERT_EQ(SaveKey(server.Options(), "twin", held), LFB_OK);
  const std::string digest = Digest(server, "twin");
  for (size_t at = 1;; at += 29) {
    SCOPED_TRACE(at);
    CuttingProxy proxy(server.port(), [at](unsigned number) {
      return number == 0 ? at : CuttingProxy::kNever;
    });
    lfb_redis_options options = server.Options();
    options.port = proxy.port();
    Held back;
    ASSERT_EQ(SaveKey(options, "a", held), LFB_OK);
    EXPECT_EQ(Digest(server, "a"), digest);
    EXPECT_EQ(server.Call({"DBSIZE"}), "2");
    const bool was_cut = proxy.cut() > 0;
    ASSERT_EQ(LoadKey(options, "a", &back), LFB_OK);
    EXPECT_EQ(Bytes(back), Bytes(held));
    server.Call({"DEL", "a"});
    if (!was_cut) break;
    ASSERT_LT(at, 100'000U);
  }
}

// ---- hostile servers ------------------------------------------------------------------------

std::string Bulk(const std::string& bytes) {
  return "$" + std::to_string(bytes.size()) + "\r\n" + bytes + "\r\n";
}

std::string Sent(const std::string& cursor, const std::string& bytes) {
  return "*2\r\n:" + cursor + "\r\n" + Bulk(bytes);
}

// What a chunk of the dump with this head begins with.
std::string Begin(const std::string& head, uint64_t offset, bool last) {
  std::string word;
  for (int i = 0; i < 8; i++) word += static_cast<char>((offset << 1 | last) >> (8 * i));
  return word + head.substr(head.size() - 8);
}

// A server that has a key of the module, and answers its time-th BF.SCANDUMP by `scan`.
class Liar {
 public:
  explicit Liar(std::function<std::string(unsigned)> scan)
      : server_([this, scan](unsigned, const std::string& received) -> std::string {
          if (received.find("SLOTS") != std::string::npos)
            return "-ERR This instance has cluster support disabled\r\n";
          if (received.find("PING") != std::string::npos) return "+PONG\r\n";
          if (received.find("TYPE") != std::string::npos) return scans_ = 0, "+lfbloom-v\r\n";
          return scan(scans_++);
        }) {}
  lfb_status Load(uint64_t max_bytes = 1 << 20) {
    lfb_redis_options options = {};
    options.port = server_.port();
    options.retries = UINT32_MAX;
    Held held;
    return LoadKey(options, "a", &held, max_bytes);
  }
  unsigned scans() const { return scans_; }

 private:
  std::atomic<unsigned> scans_{0};
  FakeServer server_;
};

std::vector<std::string> ChunksOf(const RedisServer& server, const std::string& key) {
  std::vector<std::string> chunks;
  for (const Chunk& chunk : ScanAll(server, key)) chunks.push_back(chunk.bytes);
  return chunks;
}

TEST(ModuleLiars, ChangedBytesAreRefused) {
  RedisServer server(WithModule());
  ASSERT_EQ(server.Call({"BF.RESERVE", "k", "0.1", "10", "NONSCALING"}), "OK");
  ASSERT_EQ(server.Call({"BF.RESERVE", "w", "0.3", "3"}), "OK");
  AddNumbers(server, "k", 0, 9);
  const std::vector<std::string> good = ChunksOf(server, "k");
  ASSERT_EQ(good.size(), 3U);
  std::vector<std::string> now = good;
  Liar liar([&now](unsigned time) { return Sent("5", now[time % now.size()]); });
  ASSERT_EQ(liar.Load(), LFB_OK);
  for (size_t which = 0; which < good.size(); which++)
    for (size_t i = 0; i < good[which].size(); i++) {
      now[which][i] = static_cast<char>(now[which][i] ^ (1 << i % 8));
      ASSERT_NE(liar.Load(), LFB_OK) << which << " " << i;
      now = good;
    }
  for (size_t cut = 0; cut < good[1].size(); cut += 7) {
    now[1] = good[1].substr(0, cut);
    ASSERT_NE(liar.Load(), LFB_OK) << cut;
  }
  now = good;
  now[1] += "more";
  EXPECT_EQ(liar.Load(), LFB_ERROR_TRAILING_BYTES);
  now = {good[0], good[1], good[1], good[2]};
  EXPECT_EQ(liar.Load(), LFB_ERROR_BAD_HEADER);
  now = {good[0], good[2], good[1]};
  EXPECT_NE(liar.Load(), LFB_OK);
  now = {good[0], good[0], good[2]};
  EXPECT_NE(liar.Load(), LFB_OK);
}

TEST(ModuleLiars, OtherRepliesAreRefused) {
  RedisServer server(WithModule());
  ASSERT_EQ(server.Call({"BF.RESERVE", "k", "0.1", "10", "NONSCALING"}), "OK");
  const std::vector<std::string> good = ChunksOf(server, "k");
  const struct {
    const char* what;
    std::string reply;  // to each scan after the head, or to all
    bool all;
    lfb_status status;
  } rows[] = {
      {"OK", "+OK\r\n", true, LFB_ERROR_REDIS_PROTOCOL},
      {"a number", ":1\r\n", false, LFB_ERROR_REDIS_PROTOCOL},
      {"nothing", "*0\r\n", true, LFB_ERROR_REDIS_PROTOCOL},
      {"nil", "$-1\r\n", true, LFB_ERROR_REDIS_PROTOCOL},
      {"three", "*3\r\n:1\r\n:1\r\n:1\r\n", false, LFB_ERROR_REDIS_PROTOCOL},
      {"a cursor of text", "*2\r\n$1\r\n1\r\n" + Bulk("x"), true, LFB_ERROR_REDIS_PROTOCOL},
      {"a cursor below 0", Sent("-5", good[0]), true, LFB_ERROR_REDIS_PROTOCOL},
      {"no bytes", "*2\r\n:1\r\n$-1\r\n", false, LFB_ERROR_REDIS_PROTOCOL},
      {"an array of bytes", "*2\r\n:1\r\n*1\r\n$1\r\nx\r\n", false, LFB_ERROR_REDIS_PROTOCOL},
      {"a large chunk", Sent("1", Begin(good[0], 0, false) + std::string(21 << 20, 'x')), false,
       LFB_ERROR_REDIS_PROTOCOL},
      {"a short chunk", Sent("1", "123456789012345"), false, LFB_ERROR_TRUNCATED},
      {"no chunk", Sent("1", ""), false, LFB_ERROR_TRUNCATED},
      {"an empty chunk", Sent("1", Begin(good[0], 0, false)), false, LFB_ERROR_BAD_HEADER},
      {"the end at once", Sent("1", Begin(good[0], 0, true)), false, LFB_ERROR_TRUNCATED},
      {"the end with bytes", Sent("1", Begin(good[0], 0, true) + "x"), false,
       LFB_ERROR_BAD_HEADER},
      {"of another dump", Sent("1", Begin("12345678", 0, true)), false, LFB_ERROR_MODULE_CHANGED},
      {"RedisBloom's head", Sent("1", std::string(60, '\1')), true, LFB_ERROR_UNKNOWN_FORM},
      {"changed each time", "-ERR the filter has changed since\r\n", false,
       LFB_ERROR_MODULE_CHANGED},
      {"unfinished", "-ERR the filter is incomplete: load\r\n", true, LFB_ERROR_REDIS_UNFINISHED},
      {"gone", "-ERR not found\r\n", false, LFB_ERROR_REDIS_ABSENT},
      {"of another type", "-WRONGTYPE Operation\r\n", true, LFB_ERROR_REDIS_NO_FILTER},
      {"no module", "-ERR unknown command 'BF.SCANDUMP'\r\n", true, LFB_ERROR_MODULE_MISSING},
      {"not allowed", "-NOPERM this user\r\n", true, LFB_ERROR_REDIS_DENIED},
      {"another error", "-ERR\r\n", false, LFB_ERROR_REDIS_REFUSED},
  };
  for (const auto& row : rows) {
    Liar liar([&](unsigned time) {
      const bool head =
          !row.all && (time == 0 || (row.status == LFB_ERROR_MODULE_CHANGED && time % 2 == 0));
      return head ? Sent("1", good[0]) : row.reply;
    });
    EXPECT_EQ(liar.Load(), row.status) << row.what;
  }
}

// A header that announces more than the limit is refused before its words are requested; and bodies
// that never end, when the filter has all of its bytes.
TEST(ModuleLiars, NothingTakesMoreThanTheLimit) {
  RedisServer server(WithModule());
  ASSERT_EQ(server.Call({"BF.WINDOW.RESERVE", "w", "0.001", "10000000"}), "OK");
  ASSERT_EQ(server.Call({"BF.RESERVE", "f", "0.001", "100000000", "NONSCALING"}), "OK");
  for (const bool window : {false, true}) {
    const std::vector<std::string> chunks = ChunksOf(server, window ? "w" : "f");
    const std::string body = chunks[1].substr(16, 65536);
    std::atomic<uint64_t> sent{0};
    Liar liar([&](unsigned time) {
      if (time == 0) return Sent("1", chunks[0]);
      const uint64_t offset = sent;
      sent += body.size();
      return Sent("1", Begin(chunks[0], offset, false) +
                            (time == 1 ? body : std::string(body.size(), '\0')));
    });
    EXPECT_EQ(liar.Load(1 << 20), LFB_ERROR_OVER_LIMIT);
    EXPECT_EQ(sent, body.size()) << "the header says it";
  }
  ASSERT_EQ(server.Call({"BF.RESERVE", "small", "0.1", "10", "NONSCALING"}), "OK");
  const std::vector<std::string> small = ChunksOf(server, "small");
  Liar endless([&](unsigned time) {
    if (time == 0) return Sent("1", small[0]);
    return Sent("1", Begin(small[0], time - 1, false) +
                          (time <= small[1].size() - 16 ? small[1][15 + time] : 'x'));
  });
  EXPECT_EQ(endless.Load(), LFB_ERROR_TRAILING_BYTES);
  EXPECT_EQ(endless.scans(), 1 + small[1].size() - 16 + 1);
}

// The connection is lost at the last chunk.  Sent again, it is refused, as after it was loaded.
// But the server, another one by now, does not have all chunks, and the key does not get its name.
TEST(ModuleLiars, AKeyThatIsNotWholeGetsNoName) {
  std::atomic<unsigned> ends{0}, names{0}, deleted{0};
  FakeServer server([&](unsigned, const std::string& received) -> std::string {
    const auto has = [&received](const char* text) {
      return received.find(text) != std::string::npos;
    };
    if (has("SLOTS")) return "-ERR This instance has cluster support disabled\r\n";
    if (has("PING")) return "+PONG\r\n";
    if (has("TYPE")) return "+none\r\n";
    if (has("EVAL")) return names++, ":1\r\n";
    if (has("UNLINK")) return deleted++, ":1\r\n";
    if (has("BF.CARD") || (has("\r\n$16\r\n") && ends++ > 0))
      return std::string("-ERR the filter is incomplete\r\n") + (has("PEXPIRE") ? ":1\r\n" : "");
    return ends > 0 ? FakeServer::kClose : "+OK\r\n:1\r\n";
  });
  lfb_redis_options options = {};
  options.port = server.port();
  Held held;
  MakeFilter(FastConfig(), &held);
  EXPECT_EQ(SaveKey(options, "a", held), LFB_ERROR_REDIS_PART);
  EXPECT_EQ(ends, 2U);
  EXPECT_EQ(names, 0U);
  EXPECT_EQ(deleted, 1U);
}

}  // namespace
