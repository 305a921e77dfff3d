// Guava's form: forged headers, and the files that a save makes and that a load refuses.
// every_form_test has what all forms have in common; save_links_test links; save_faults_test
// failures.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <functional>

#include <lfbloom/counting.h>
#include <lfbloom/growing.h>

#include "tests/support/anys.h"
#include "tests/support/files.h"
#include "tests/support/race.h"
#include "tests/support/streams.h"
#include "tests/support/windows.h"

namespace {

namespace fs = std::filesystem;

Filter Filled(uint64_t n) {
  Filter filter = Make(n, 0.01);
  for (uint64_t i = 0; i < n; i++) lfb_filter_put_u64(filter.get(), Mix(1, i));
  return filter;
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

TEST(GuavaForm, HoldsGuavasStrategiesOnly) {
  std::string bytes;
  const auto write = [](void*, const void*, size_t) { return LFB_OK; };
  EXPECT_EQ(lfb_filter_write(Make(10, 0.1, LFB_GO_FNV14).get(), LFB_FORM_GUAVA, write, &bytes),
            LFB_ERROR_FORM_CANNOT_HOLD);
  EXPECT_EQ(lfb_filter_write(Make(10, 0.1).get(), static_cast<lfb_form>(77), write, &bytes),
            LFB_ERROR_NO_SUCH_FORM);
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
  lfb_window_config forgets = WindowConfig(1000, 0.01);
  forgets.seed = 0;
  forgets.hash = LFB_HASH_SIPHASH13;
  const Window window = MakeWindow(forgets);
  ASSERT_EQ(lfb_counting_create(&config, &counting), LFB_OK);
  ASSERT_EQ(lfb_growing_create(&config, &growing), LFB_OK);
  const mode_t umasked = umask(0);
  // 0: there is no such file.
  for (const mode_t before : {0u, 0666u, 07777u, 0640u, 0600u, 0400u}) {
    const std::string path = Path("key");
    for (const auto& save : std::vector<std::function<lfb_status()>>{
             [&] { return lfb_filter_save(filter.get(), LFB_FORM_NATIVE, path.c_str()); },
             [&] { return lfb_filter_save(filter.get(), LFB_FORM_MAPPED, path.c_str()); },
             [&] { return any::save<lfb_counting>(counting, path.c_str()); },
             [&] { return any::save<lfb_growing>(growing, path.c_str()); },
             [&] { return any::save<lfb_window>(window.get(), path.c_str()); }}) {
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

// A path that could block, or be read without end, is refused at once by each way to load. Seen
// to wait forever at the pipe, and to report that reading a directory failed.
TEST_F(Files, LoadRefusesWhatIsNoRegularFile) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  fs::create_symlink("pipe", Path("link"));
  for (const std::string& path :
       {Path("pipe"), Path("link"), Path("."), std::string("/dev/zero"),
        std::string("/dev/null")}) {
    lfb_filter* filter = nullptr;
    lfb_counting* counting = nullptr;
    lfb_growing* growing = nullptr;
    EXPECT_EQ(lfb_filter_load(path.c_str(), nullptr, &filter), LFB_ERROR_NOT_REGULAR) << path;
    EXPECT_EQ(any::load<lfb_counting>(path.c_str(), nullptr, &counting),
              LFB_ERROR_NOT_REGULAR) << path;
    EXPECT_EQ(any::load<lfb_growing>(path.c_str(), nullptr, &growing),
              LFB_ERROR_NOT_REGULAR) << path;
    EXPECT_EQ(filter, nullptr);
    EXPECT_EQ(counting, nullptr);
    EXPECT_EQ(growing, nullptr);
  }
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

TEST_F(Files, AFormThatCannotHoldItTouchesNothing) {
  Write("a", "old");
  const Filter filter = Make(10, 0.1, LFB_GO_FNV14);
  EXPECT_EQ(lfb_filter_save(filter.get(), LFB_FORM_GUAVA, Path("a").c_str()),
            LFB_ERROR_FORM_CANNOT_HOLD);
  EXPECT_EQ(Content("a"), "old");
  EXPECT_EQ(Entries(), 1u);
}

}  // namespace
