// Guava's form: written and read back, through files and pipes, and every way in which its bytes
// can be wrong.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <functional>

#include <lfbloom/counting.h>
#include <lfbloom/growing.h>

#include "tests/support/files.h"
#include "tests/support/race.h"
#include "tests/support/skip.h"
#include "tests/support/streams.h"

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostKeys = kUnderTsan ? 1000000 : 3000000;

Filter Filled(uint64_t n, lfb_strategy_id strategy = LFB_GUAVA_MITZ64) {
  Filter filter = Make(n, 0.01, strategy);
  for (uint64_t i = 0; i < n; i++) lfb_filter_put_u64(filter.get(), Mix(1, i));
  return filter;
}

TEST(GuavaForm, ThereAndBack) {
  for (lfb_strategy_id strategy : {LFB_GUAVA_MITZ32, LFB_GUAVA_MITZ64})
    // from one word to several growths
    for (uint64_t n : {uint64_t{1}, uint64_t{10}, uint64_t{1000}, uint64_t{100000}, kMostKeys})
      for (size_t step : {size_t{1} << 16, size_t{4099}, SIZE_MAX}) {
        if (kUnderTsan && n == kMostKeys) continue;  // one thread, and many MiB
        const Filter filter = Filled(n, strategy);
        const std::string bytes = Bytes(filter);
        Filter back;
        ASSERT_EQ(ReadFrom({bytes, step}, &back), LFB_OK);
        EXPECT_EQ(Bytes(back), bytes);
        EXPECT_EQ(Stats(back).bits_set, Stats(filter).bits_set);
        EXPECT_EQ(Stats(back).form, LFB_FORM_GUAVA);
        EXPECT_EQ(Stats(back).strategy, strategy);
        EXPECT_EQ(Stats(back).expected_insertions, 0u) << "the form does not say";
      }
}

TEST(GuavaForm, BytesThatComeOneByOne) {
  const Filter filter = Filled(50);
  Filter back;
  ASSERT_EQ(ReadFrom({Bytes(filter), 1}, &back), LFB_OK);
  EXPECT_EQ(Bytes(back), Bytes(filter));
}

TEST(GuavaForm, EveryTruncationIsNamed) {
  const std::string bytes = Bytes(Filled(100));
  for (size_t size = 0; size < bytes.size(); size++)
    ASSERT_EQ(ReadFrom({bytes.substr(0, size)}), LFB_ERROR_TRUNCATED) << size;
}

TEST(GuavaForm, TrailingBytesOfAStreamAreLeft) {
  const std::string bytes = Bytes(Filled(100));
  Source source{bytes + "next"};
  lfb_filter* filter = nullptr;
  ASSERT_EQ(lfb_filter_read(Source::Read, &source, nullptr, &filter), LFB_OK);
  EXPECT_EQ(source.at, bytes.size());
  lfb_filter_free(filter);
}

TEST(GuavaForm, ForgedHeadersAreRefused) {
  using namespace std::string_literals;
  const std::string word(8, '\0');
  EXPECT_EQ(ReadFrom({"\1\5\0\0\0\1"s + word}), LFB_OK);
  EXPECT_EQ(ReadFrom({"\1\xff\0\0\0\1"s + word}), LFB_OK) << "255 probes are fine";
  EXPECT_EQ(ReadFrom({"\2\5\0\0\0\1"s + word}), LFB_ERROR_UNKNOWN_FORM);
  EXPECT_EQ(ReadFrom({"\xff\5\0\0\0\1"s + word}), LFB_ERROR_UNKNOWN_FORM);
  EXPECT_EQ(ReadFrom({"\4\5\0\0\0\1"s + word}), LFB_ERROR_UNKNOWN_FORM) << "java-double's id";
  EXPECT_EQ(ReadFrom({"\1\0\0\0\0\1"s + word}), LFB_ERROR_BAD_PROBES);
  EXPECT_EQ(ReadFrom({"\1\5\0\0\0\0"s}), LFB_ERROR_BAD_WORD_COUNT);
  EXPECT_EQ(ReadFrom({"\1\5\xff\xff\xff\xff"s + word}), LFB_ERROR_BAD_WORD_COUNT);
  EXPECT_EQ(ReadFrom({"\1\5\x80\0\0\0"s + word}), LFB_ERROR_BAD_WORD_COUNT);
  EXPECT_EQ(ReadFrom({"just some text"}), LFB_ERROR_UNKNOWN_FORM);
}

// A header that announces 16 GiB, with almost nothing after it (Guava issue 8463). The address
// space is limited, so an allocation of that size would fail.
TEST(GuavaForm, AClaimOf16GiBTakesNoMemory) {
  if (kUnderSanitizer) return NotHere("a sanitizer needs the address space");
  using namespace std::string_literals;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const rlimit limited{512u << 20, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limited), 0);
  const lfb_status empty = ReadFrom({"\1\5\x7f\xff\xff\xff"s});
  const lfb_status some = ReadFrom({"\1\5\x7f\xff\xff\xff"s + std::string(5 << 20, 'x')});
  setrlimit(RLIMIT_AS, &before);
  EXPECT_EQ(empty, LFB_ERROR_TRUNCATED);
  EXPECT_EQ(some, LFB_ERROR_TRUNCATED);
}

TEST(GuavaForm, TheLimitIsCheckedFirst) {
  const std::string bytes = Bytes(Filled(1000));
  const uint64_t words = bytes.size() - 6;
  EXPECT_EQ(ReadFrom({bytes}, nullptr, words), LFB_OK);
  EXPECT_EQ(ReadFrom({bytes}, nullptr, words - 1), LFB_ERROR_OVER_LIMIT);
  EXPECT_EQ(ReadFrom({bytes.substr(0, 6)}, nullptr, words - 1), LFB_ERROR_OVER_LIMIT);
}

TEST(GuavaForm, WhatTheCallersFunctionsReturnComesBack) {
  const Filter filter = Filled(1000);
  const std::string bytes = Bytes(filter);
  Source source{bytes.substr(0, 100)};
  source.at_end = LFB_ERROR_READ;
  EXPECT_EQ(ReadFrom(source), LFB_ERROR_READ);

  size_t room = 0;
  const auto write = [](void* to, const void*, size_t size) {
    size_t* left = static_cast<size_t*>(to);
    if (*left < size) return LFB_ERROR_WRITE;
    *left -= size;
    return LFB_OK;
  };
  EXPECT_EQ(lfb_filter_write(filter.get(), LFB_FORM_GUAVA, write, &room), LFB_ERROR_WRITE);
  room = 6;
  EXPECT_EQ(lfb_filter_write(filter.get(), LFB_FORM_GUAVA, write, &room), LFB_ERROR_WRITE);
}

TEST(GuavaForm, HoldsGuavasStrategiesOnly) {
  std::string bytes;
  const auto write = [](void*, const void*, size_t) { return LFB_OK; };
  EXPECT_EQ(lfb_filter_write(Make(10, 0.1, LFB_GO_FNV14).get(), LFB_FORM_GUAVA, write, &bytes),
            LFB_ERROR_FORM_CANNOT_HOLD);
  EXPECT_EQ(lfb_filter_write(Make(10, 0.1).get(), static_cast<lfb_form>(77), write, &bytes),
            LFB_ERROR_NO_SUCH_FORM);
}

TEST_F(Files, SaveAndLoad) {
  const Filter filter = Filled(200000);
  ASSERT_EQ(lfb_filter_save(filter.get(), LFB_FORM_GUAVA, Path("a").c_str()), LFB_OK);
  EXPECT_EQ(Content("a"), Bytes(filter));
  EXPECT_EQ(Entries(), 1u) << "a temporary file was left";
  Filter back;
  ASSERT_EQ(Load("a", &back), LFB_OK);
  EXPECT_EQ(Bytes(back), Bytes(filter));
}

TEST_F(Files, SaveReplacesAndKeepsLinks) {
  Write("old", "old");
  fs::create_symlink("old", Path("link"));
  const Filter filter = Filled(10);
  ASSERT_EQ(lfb_filter_save(filter.get(), LFB_FORM_GUAVA, Path("link").c_str()), LFB_OK);
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(Content("old"), Bytes(filter));
  EXPECT_EQ(Entries(), 2u);
}

TEST_F(Files, SaveKeepsPermissions) {
  Write("secret", "old");
  ASSERT_EQ(chmod(Path("secret").c_str(), 0640), 0);
  const Filter filter = Filled(10);
  ASSERT_EQ(lfb_filter_save(filter.get(), LFB_FORM_GUAVA, Path("secret").c_str()), LFB_OK);
  struct stat found{};
  ASSERT_EQ(stat(Path("secret").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777, 0640u);
}

mode_t ModeOf(const std::string& path) {
  struct stat found {};
  EXPECT_EQ(stat(path.c_str(), &found), 0);
  return found.st_mode & 07777;
}

// A file that holds a key is readable by its owner only, for any mode of the file that it
// replaces. Seen to fail when that mode was kept.
TEST_F(Files, AKeyIsForTheOwnerAlone) {
  lfb_config config = Config(1000, 0.01, LFB_FAST);
  config.seed = 0;
  config.hash = LFB_HASH_SIPHASH13;
  config.key[0] = 1;
  config.keep_key = true;
  const Filter filter = Make(config);
  lfb_counting* counting = nullptr;
  lfb_growing* growing = nullptr;
  ASSERT_EQ(lfb_counting_create(&config, &counting), LFB_OK);
  ASSERT_EQ(lfb_growing_create(&config, &growing), LFB_OK);
  const mode_t umasked = umask(0);
  for (const mode_t before : {0u, 0666u, 07777u, 0640u, 0600u, 0400u}) {  // 0: there is no such file
    const std::string path = Path("key");
    for (const auto& save : std::vector<std::function<lfb_status()>>{
             [&] { return lfb_filter_save(filter.get(), LFB_FORM_NATIVE, path.c_str()); },
             [&] { return lfb_filter_save(filter.get(), LFB_FORM_MAPPED, path.c_str()); },
             [&] { return lfb_counting_save(counting, path.c_str()); },
             [&] { return lfb_growing_save(growing, path.c_str()); }}) {
      fs::remove(path);
      if (before != 0) {
        Write("key", "old");
        ASSERT_EQ(chmod(path.c_str(), before), 0);
      }
      EXPECT_EQ(save(), LFB_OK);
      EXPECT_EQ(ModeOf(path), before == 0 ? 0600u : before & 0600u);
    }
  }
  umask(umasked);
  lfb_counting_free(counting);
  lfb_growing_free(growing);
}

TEST_F(Files, ALinkThatPointsNowhereIsLeft) {
  fs::create_symlink("nothing", Path("link"));
  const Filter filter = Filled(10);
  EXPECT_EQ(lfb_filter_save(filter.get(), LFB_FORM_GUAVA, Path("link").c_str()), LFB_ERROR_OPEN);
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(Entries(), 1u);
}

TEST_F(Files, NamesAsLongAsCanBeAndNone) {
  const Filter filter = Filled(10);
  const std::string longest(255, 'x');
  EXPECT_EQ(lfb_filter_save(filter.get(), LFB_FORM_GUAVA, Path(longest).c_str()), LFB_OK);
  EXPECT_EQ(Content(longest), Bytes(filter));
  EXPECT_EQ(lfb_filter_save(filter.get(), LFB_FORM_GUAVA, ""), LFB_ERROR_OPEN);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(Entries(), 1u);
}

TEST_F(Files, SaveToAPipeAndLoadFromIt) {
  const Filter filter = Filled(1000);
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = Content("pipe"); });
  EXPECT_EQ(lfb_filter_save(filter.get(), LFB_FORM_GUAVA, Path("pipe").c_str()), LFB_OK);
  reader.join();
  EXPECT_EQ(read, Bytes(filter));
}

// A path that could block, or be read without end, is refused at once by each way to load. Seen
// to wait forever at the pipe, and to report that reading a directory failed.
TEST_F(Files, LoadRefusesWhatIsNoRegularFile) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  fs::create_symlink("pipe", Path("link"));
  for (const std::string& path :
       {Path("pipe"), Path("link"), Path("."), std::string("/dev/zero"), std::string("/dev/null")}) {
    lfb_filter* filter = nullptr;
    lfb_counting* counting = nullptr;
    lfb_growing* growing = nullptr;
    EXPECT_EQ(lfb_filter_load(path.c_str(), nullptr, &filter), LFB_ERROR_NOT_REGULAR) << path;
    EXPECT_EQ(lfb_counting_load(path.c_str(), nullptr, &counting), LFB_ERROR_NOT_REGULAR) << path;
    EXPECT_EQ(lfb_growing_load(path.c_str(), nullptr, &growing), LFB_ERROR_NOT_REGULAR) << path;
    EXPECT_EQ(filter, nullptr);
    EXPECT_EQ(counting, nullptr);
    EXPECT_EQ(growing, nullptr);
  }
}

TEST_F(Files, LoadRefusesMoreAndLessThanTheFilter) {
  const std::string bytes = Bytes(Filled(1000));
  Write("long", bytes + "x");
  Write("short", bytes.substr(0, bytes.size() - 1));
  Write("empty", "");
  Write("claim", std::string("\1\5\x7f\xff\xff\xff", 6) + std::string(54, 'x'));
  EXPECT_EQ(Load("long"), LFB_ERROR_TRAILING_BYTES);
  EXPECT_EQ(Load("short"), LFB_ERROR_TRUNCATED);
  EXPECT_EQ(Load("empty"), LFB_ERROR_TRUNCATED);
  EXPECT_EQ(Load("claim"), LFB_ERROR_TRUNCATED);
}

TEST_F(Files, MissingAndForbiddenPaths) {
  errno = 0;
  EXPECT_EQ(Load("nothing"), LFB_ERROR_OPEN);
  EXPECT_EQ(errno, ENOENT);
  const Filter filter = Filled(10);
  EXPECT_EQ(lfb_filter_save(filter.get(), LFB_FORM_GUAVA, Path(".").c_str()), LFB_ERROR_OPEN);
  EXPECT_EQ(errno, EISDIR);
  EXPECT_EQ(lfb_filter_save(filter.get(), LFB_FORM_GUAVA, Path("no/where").c_str()),
            LFB_ERROR_OPEN);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(lfb_filter_save(filter.get(), LFB_FORM_GUAVA, "/dev/full"), LFB_ERROR_WRITE);
  EXPECT_EQ(errno, ENOSPC);
  EXPECT_EQ(Entries(), 0u);
}

// A write that fails half-way leaves the old file, and no other.
TEST_F(Files, AFailedSaveLeavesTheOldFile) {
  const Filter filter = Filled(200000);
  Write("a", "old");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_IGN);
  const rlimit limited{100000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limited), 0);
  const lfb_status status = lfb_filter_save(filter.get(), LFB_FORM_GUAVA, Path("a").c_str());
  const int cause = errno;
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(status, LFB_ERROR_WRITE);
  EXPECT_EQ(cause, EFBIG);
  EXPECT_EQ(Content("a"), "old");
  EXPECT_EQ(Entries(), 1u);
}

TEST_F(Files, AFormThatCannotHoldItTouchesNothing) {
  Write("a", "old");
  const Filter filter = Make(10, 0.1, LFB_GO_FNV14);
  EXPECT_EQ(lfb_filter_save(filter.get(), LFB_FORM_GUAVA, Path("a").c_str()),
            LFB_ERROR_FORM_CANNOT_HOLD);
  EXPECT_EQ(Content("a"), "old");
  EXPECT_EQ(Entries(), 1u);
}

}  // namespace
