// module_source_test.cc - the source of a key of the module, before a server that only seems to have the
// module: whatever it answers, the copy is right or the poll fails.
#include <atomic>
#include <thread>

#include "tests/redis/module_fake.h"

namespace {

using Words = std::vector<std::string>;

// A hash is one of these for each number.
uint64_t Mixed(uint64_t number) {
  number = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
  number = (number ^ number >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
  return number ^ number >> 29;
}

void AddMany(FakeModule* module, uint64_t from, uint64_t to) {
  for (uint64_t i = from; i < to; i++) module->Add(Mixed(i));
}

TEST(ModuleSource, BeginsInFullAndThenFollowsInPlace) {
  FakeModule module;
  AddMany(&module, 0, 1000);
  Copy copy(module.Options(), "k");
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
  EXPECT_EQ(copy.Words(), module.Words());
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_NOTHING);
  for (uint64_t i = 1000; i < 1010; i++) {
    module.Add(Mixed(i));
    EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_CHANGES);
    EXPECT_EQ(copy.Words(), module.Words());
  }
  AddMany(&module, 1010, 100'000);  // many replies, and more than config.most_changes would be
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_CHANGES);
  EXPECT_EQ(copy.Words(), module.Words());
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_NOTHING);
  EXPECT_EQ(lfb_versions_number(copy.versions), 2U);
}

TEST(ModuleSource, AnotherLogIsALoadInFull) {
  FakeModule module;
  Copy copy(module.Options(), "k");
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
  for (uint64_t i = 0; i < 3; i++) {
    module.Add(Mixed(i), false);  // no log has it
    module.Forget();
    if (i == 1) module.Add(Mixed(99));
    EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
    EXPECT_EQ(copy.Words(), module.Words());
    EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_NOTHING);
  }
}

// The log ends after the version was read, before the changes are.
TEST(ModuleSource, ALogThatEndsBeforeTheChangesIsALoadInFull) {
  FakeModule module;
  Copy copy(module.Options(), "k");
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
  module.Add(Mixed(1));
  module.SetLie([&](const Words& words, std::string* answer) {
    if (words.size() != 4 || words[0] != "BF.CHANGES") return;
    module.Add(Mixed(2), false);
    module.Forget();
    *answer = FakeModule::Changes(module.epoch(), 0, "$-1\r\n");
  });
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
  EXPECT_EQ(copy.Words(), module.Words());
}

TEST(ModuleSource, KeysThatComeDuringTheLoadAreNotLost) {
  FakeModule module;
  Copy copy(module.Options(), "k");
  std::atomic<uint64_t> next{0};
  module.SetLie([&](const Words& words, std::string*) {
    if (words[0] == "BF.WORDS")  // after the words of the answer were read
      for (int i = 0; i < 100; i++) module.Add(Mixed(next++));
  });
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
  module.SetLie(nullptr);
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_CHANGES);
  EXPECT_EQ(copy.Words(), module.Words());
}

TEST(ModuleSource, ALogThatEndsDuringTheLoadIsReadAgain) {
  FakeModule module;
  Copy copy(module.Options(), "k");
  std::atomic<unsigned> left{3};
  module.SetLie([&](const Words& words, std::string*) {
    if (words[0] == "BF.WORDS" && left > 0 && left--) {
      module.Add(Mixed(left), false);
      module.Forget();
    }
  });
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
  EXPECT_EQ(copy.Words(), module.Words());
  left = 1000;
  module.Forget();
  EXPECT_EQ(copy.Poll(LFB_ERROR_MODULE_CHANGED), LFB_FOLLOWED_FAILED);
  left = 0;
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
  EXPECT_EQ(copy.Words(), module.Words());
}

// The follower has something else than the source gave last: its rebuild was given up, say.
TEST(ModuleSource, ChangesAreOnlyForTheVersionThatWasGiven) {
  FakeModule module;
  Copy copy(module.Options(), "k");
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
  module.Add(Mixed(1));
  uint64_t version = 0;
  lfb_filter* filter = nullptr;
  ASSERT_EQ(copy.functions.version(copy.functions.self, &version), LFB_OK);
  ASSERT_EQ(copy.functions.filter(copy.functions.self, &filter), LFB_OK);
  lfb_filter_free(filter);
  module.Add(Mixed(2));
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
  EXPECT_EQ(copy.Words(), module.Words());
}

TEST(ModuleSource, TheCallerMayStopIt) {
  FakeModule module;
  std::atomic<bool> go{false};
  lfb_redis_options options = module.Options();
  options.told = &go;
  options.moved = [](void* told, uint64_t) { return static_cast<std::atomic<bool>*>(told)->load(); };
  Copy copy(options, "k");
  EXPECT_EQ(copy.Poll(LFB_ERROR_STOPPED), LFB_FOLLOWED_FAILED);
  go = true;
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
  module.Add(Mixed(1));
  go = false;
  EXPECT_EQ(copy.Poll(LFB_ERROR_STOPPED), LFB_FOLLOWED_FAILED);
  go = true;
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_CHANGES);
  EXPECT_EQ(copy.Words(), module.Words());
}

// The follower's own thread puts while others query: what a reader has found stays.
TEST(ModuleSource, ReadersSeeKeysComeAndNoneGo) {
  FakeModule module;
  constexpr uint64_t kKeys = 20'000;
  Copy copy(module.Options(), "k");
  EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
  ASSERT_EQ(lfb_follow_start(copy.follow), LFB_OK);
  std::vector<std::thread> readers;
  for (int t = 0; t < 2; t++)
    readers.emplace_back([&] {
      for (uint64_t found = 0; found < kKeys;) {
        while (found < kKeys && lfb_versions_might_contain_hash(copy.versions, Mixed(found))) found++;
        for (uint64_t i = 0; i < found; i += 1 + found / 100)
          ASSERT_TRUE(lfb_versions_might_contain_hash(copy.versions, Mixed(i)));
        lfb_follow_wake(copy.follow);
        std::this_thread::yield();
      }
    });
  AddMany(&module, 0, kKeys);
  for (std::thread& reader : readers) reader.join();
  lfb_follow_stop(copy.follow);
  lfb_followed what;
  EXPECT_EQ(copy.TryPoll(&what), LFB_OK);
  EXPECT_EQ(copy.Words(), module.Words());
}

// ---- hostile servers ------------------------------------------------------------------------

struct Row {
  const char* what;
  std::string reply;
  lfb_status status;
};

const std::vector<Row> kAnywhere = {
    {"OK", "+OK\r\n", LFB_ERROR_REDIS_PROTOCOL},
    {"a number", ":1\r\n", LFB_ERROR_REDIS_PROTOCOL},
    {"an empty array", "*0\r\n", LFB_ERROR_REDIS_PROTOCOL},
    {"two", "*2\r\n:7\r\n:1\r\n", LFB_ERROR_REDIS_PROTOCOL},
    {"unfinished", "-ERR the filter is incomplete: load\r\n", LFB_ERROR_REDIS_UNFINISHED},
    {"gone", "-ERR not found\r\n", LFB_ERROR_REDIS_ABSENT},
    {"of another type", "-WRONGTYPE Operation\r\n", LFB_ERROR_REDIS_NO_FILTER},
    {"no module", "-ERR unknown command 'BF.CHANGES'\r\n", LFB_ERROR_MODULE_MISSING},
    {"grown", "-ERR only a key that is one filter can be followed: no\r\n", LFB_ERROR_MODULE_GROWN},
    {"no memory", "-ERR Insufficient memory to create filter\r\n", LFB_ERROR_REDIS_MEMORY},
    {"not allowed", "-NOPERM this user\r\n", LFB_ERROR_REDIS_LOGIN},
    {"another error", "-ERR\r\n", LFB_ERROR_REDIS_REFUSED},
};

// Sends a row's reply to each command that `when` names: the poll fails and changes nothing, and the
// next one has everything.
void ExpectRefused(const std::vector<Row>& rows, bool begun,
                   const std::function<bool(const Words&)>& when) {
  for (const Row& row : rows) {
    FakeModule module;
    AddMany(&module, 0, 50);
    Copy copy(module.Options(), "k");
    if (begun) {
      EXPECT_EQ(copy.Poll(), LFB_FOLLOWED_REBUILT);
    }
    AddMany(&module, 50, 55);
    const std::vector<uint64_t> before = copy.Words();
    module.SetLie([&](const Words& words, std::string* answer) {
      if (when(words)) *answer = row.reply;
    });
    lfb_followed what = LFB_FOLLOWED_NOTHING;
    EXPECT_EQ(copy.TryPoll(&what), row.status) << row.what;
    EXPECT_EQ(copy.Words(), before) << row.what;
    module.SetLie(nullptr);
    EXPECT_EQ(copy.TryPoll(&what), LFB_OK) << row.what;
    EXPECT_EQ(copy.Words(), module.Words()) << row.what;
  }
}

std::vector<Row> With(std::vector<Row> rows) {
  rows.insert(rows.end(), kAnywhere.begin(), kAnywhere.end());
  return rows;
}

std::string Text(const std::string& number) {
  return "*3\r\n:7\r\n" + FakeModule::Bulk(number) + "$-1\r\n";
}

TEST(ModuleSourceLiars, VersionsAreChecked) {
  FakeModule module;
  const std::string header = module.Header();
  const auto with = [&](size_t at) {
    std::string changed = header;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    return FakeModule::Changes(7, 55, FakeModule::Bulk(changed));
  };
  const auto bulk = FakeModule::Bulk(header);
  for (const bool begun : {false, true})
    ExpectRefused(With({{"no header", FakeModule::Changes(7, 55, "$-1\r\n"), LFB_ERROR_REDIS_PROTOCOL},
                        {"a short header", FakeModule::Changes(7, 55, "$1\r\nx\r\n"), LFB_ERROR_REDIS_PROTOCOL},
                        {"a long header", FakeModule::Changes(7, 55, FakeModule::Bulk(header + "x")),
                         LFB_ERROR_REDIS_PROTOCOL},
                        {"a header of numbers", FakeModule::Changes(7, 55, ":1\r\n"), LFB_ERROR_REDIS_PROTOCOL},
                        {"no epoch", FakeModule::Changes(0, 55, bulk), LFB_ERROR_REDIS_PROTOCOL},
                        {"an epoch below 0", "*3\r\n:-7\r\n:55\r\n" + bulk, LFB_ERROR_REDIS_PROTOCOL},
                        {"a version below 0", "*3\r\n:7\r\n:-1\r\n" + bulk, LFB_ERROR_REDIS_PROTOCOL},
                        {"a version of text", Text("55"), LFB_ERROR_REDIS_PROTOCOL},
                        {"nil", "$-1\r\n", LFB_ERROR_REDIS_PROTOCOL}}),
                  begun, [](const Words& words) { return words.size() == 2; });
  Copy copy(module.Options(), "k");
  std::atomic<size_t> at{0};
  module.SetLie([&](const Words& words, std::string* answer) {
    if (words.size() == 2) *answer = with(at);
  });
  for (; at < header.size(); at++) {
    lfb_followed what;
    EXPECT_NE(copy.TryPoll(&what), LFB_OK) << at;
  }
  EXPECT_EQ(module.asked("BF.WORDS"), 0U);
}

TEST(ModuleSourceLiars, WordsAreChecked) {
  ExpectRefused(With({{"no words", "$0\r\n\r\n", LFB_ERROR_REDIS_PROTOCOL},
                      {"few words", FakeModule::Bulk("12345678"), LFB_ERROR_REDIS_PROTOCOL},
                      {"many words", FakeModule::Bulk(std::string(2 << 20, 'x')), LFB_ERROR_REDIS_PROTOCOL},
                      {"always changed", "$-1\r\n", LFB_ERROR_MODULE_CHANGED}}),
                false, [](const Words& words) { return words[0] == "BF.WORDS"; });
}

TEST(ModuleSourceLiars, ChangesAreChecked) {
  const auto changes = [](uint64_t count, size_t hashes) {
    return FakeModule::Changes(7, count, FakeModule::Bulk(std::string(8 * hashes, 'x')));
  };
  ExpectRefused(With({{"none", changes(55, 0), LFB_ERROR_REDIS_PROTOCOL},
                      {"one more than there are", changes(55, 6), LFB_ERROR_REDIS_PROTOCOL},
                      {"fewer than before", changes(49, 1), LFB_ERROR_REDIS_PROTOCOL},
                      {"part of a hash", FakeModule::Changes(7, 55, FakeModule::Bulk("123456789")),
                       LFB_ERROR_REDIS_PROTOCOL},
                      {"more than 1 MiB", changes(INT64_MAX, (1 << 17) + 1), LFB_ERROR_REDIS_PROTOCOL},
                      {"no bytes", FakeModule::Changes(7, 55, ":1\r\n"), LFB_ERROR_REDIS_PROTOCOL},
                      {"an array", FakeModule::Changes(7, 55, "*1\r\n$8\r\n12345678\r\n"),
                       LFB_ERROR_REDIS_PROTOCOL}}),
                true, [](const Words& words) { return words.size() == 4; });
}

// The header says how large the filter is: nothing else is asked for.
TEST(ModuleSourceLiars, NothingTakesMoreThanTheLimit) {
  FakeModule module;
  const uint64_t bytes = 8 * module.Words().size();
  Copy small(module.Options(), "k", bytes - 1);
  EXPECT_EQ(small.Poll(LFB_ERROR_OVER_LIMIT), LFB_FOLLOWED_FAILED);
  EXPECT_EQ(module.asked("BF.WORDS"), 0U);
  FakeModule other;
  Copy fits(other.Options(), "k", bytes);
  EXPECT_EQ(fits.Poll(), LFB_FOLLOWED_REBUILT);
}

TEST(ModuleSourceLiars, OnlyStrategyFastIsLoaded) {
  FakeModule module;
  const Filter other = Make(Config(1000, 0.01, LFB_GUAVA_MITZ64));
  const std::string header = Bytes(other, LFB_FORM_NATIVE).substr(0, 256);
  Copy copy(module.Options(), "k");
  module.SetLie([&](const Words& words, std::string* answer) {
    if (words.size() == 2) *answer = FakeModule::Changes(7, 0, FakeModule::Bulk(header));
  });
  EXPECT_EQ(copy.Poll(LFB_ERROR_BAD_HEADER), LFB_FOLLOWED_FAILED);
}

TEST(ModuleSource, NamesAreChecked) {
  lfb_redis_options options{};
  for (const std::string& name : {std::string(), std::string(1 << 16, 'x')}) {
    lfb_redis_module_source* source = nullptr;
    EXPECT_EQ(lfb_redis_module_source_create(&options, name.c_str(), nullptr, &source),
              LFB_ERROR_REDIS_BAD_NAME);
    EXPECT_EQ(source, nullptr);
  }
  lfb_redis_module_source_free(nullptr);
}

}  // namespace
