// The form of windows: they are read back with their generation; forged files are refused.
// //tests/files:every_form_test has what all forms have in common.
#include <cstring>
#include <fstream>
#include <iterator>

#include "tests/support/files.h"
#include "tests/support/native_bytes.h"
#include "tests/support/race.h"
#include "tests/support/streams.h"
#include "tests/support/windows.h"

namespace {

constexpr size_t kPrefix = 256, kHeader = 512;
constexpr lfb_read_limits kNoLimits = {};
constexpr uint64_t kKeys = 300;

std::string WindowBytes(const Window& window) {
  std::string bytes;
  EXPECT_EQ(lfb_window_write(window.get(), AppendTo, &bytes), LFB_OK);
  return bytes;
}

lfb_status ReadWindow(Source source, Window* window = nullptr,
                      const lfb_read_limits& limits = kNoLimits) {
  return ReadBy(lfb_window_read, std::move(source), window, limits);
}

lfb_status ReadWindow(const std::string& bytes, Window* window = nullptr,
                      const lfb_read_limits& limits = kNoLimits) {
  return ReadWindow(Source{bytes}, window, limits);
}

// Puts keys 0, 1, ... in six generations, the last of which is current.
Window Filled(const lfb_window_config& config, uint32_t words = 1) {
  Window window = MakeWindow(config, words);
  for (uint64_t i = 0; i < kKeys; i++) {
    if (i > 0 && i % (kKeys / 6) == 0) Advance(window);
    lfb_window_put_u64(window.get(), i);
  }
  return window;
}

Window Filled() { return Filled(WindowConfig(kKeys, 0.01)); }

// The keys of the last G + 1 generations.
void ExpectLiveKeys(const Window& window, uint32_t generations) {
  for (uint64_t i = kKeys / 6 * (5 - std::min(generations, 5u)); i < kKeys; i++)
    ASSERT_TRUE(lfb_window_might_contain_u64(window.get(), i)) << i;
}

TEST(WindowForm, ItIsReadWithItsGeneration) {
  for (uint32_t generations : {3u, 7u})
    for (uint32_t words : {1u, 2u}) {
      if (words == 2 && !lfb_pair_runs_here()) continue;  // a golden file has such a window
      const Window window = Filled(WindowConfig(kKeys, 0.01, generations), words);
      window->config.by_insertions = words == 1;
      const std::string bytes = WindowBytes(window);
      Window read;
      ASSERT_EQ(ReadWindow(bytes, &read), LFB_OK);
      EXPECT_EQ(lfb_window_generation(read.get()), lfb_window_generation(window.get()));
      const lfb_window_figures a = Stats(window), b = Stats(read);
      EXPECT_EQ(memcmp(&a, &b, sizeof a), 0) << "the figures are equal";
      ExpectLiveKeys(read, generations);
      EXPECT_EQ(read->config.by_insertions, words == 1);
      EXPECT_EQ(Stamped(WindowBytes(read), 7, kPrefix), Stamped(bytes, 7, kPrefix));
      // It forgets as the first one would: the keys of the current generation stay for G more.
      for (uint32_t i = 0; i < generations; i++) Advance(read);
      for (uint64_t i = kKeys / 6 * 5; i < kKeys; i++)
        ASSERT_TRUE(lfb_window_might_contain_u64(read.get(), i));
      Advance(read);
      EXPECT_EQ(Stats(read).expected_fpp, 0);
    }
}

// Damaged cells, opened, are full in every live generation: no key is lost, and G + 1 generations
// later they are as others.
TEST(WindowForm, OpenedDamagedItLosesNoKey) {
  std::string bytes = WindowBytes(Filled());
  bytes[kHeader + 300] ^= 1;
  lfb_read_limits limits{};
  EXPECT_EQ(ReadWindow(bytes, nullptr, limits), LFB_ERROR_BAD_CHECKSUM);
  limits.open_damaged = true;
  Window read;
  ASSERT_EQ(ReadWindow(bytes, &read, limits), LFB_OK);
  ExpectLiveKeys(read, 3);
  EXPECT_EQ(Stats(read).live[0].approximate_count, UINT64_MAX);
  EXPECT_EQ(Stats(read).expected_fpp, 1);
  ASSERT_EQ(ReadWindow(WindowBytes(read)), LFB_OK) << "once written again it is whole";
  for (int i = 0; i < 4; i++) Advance(read);
  EXPECT_EQ(Stats(read).expected_fpp, 0);
}

// The header's fields, each with its worst values, with valid checksums.
TEST(WindowForm, ForgedHeadersAreRefused) {
  const Window window = Filled();
  const std::string bytes = WindowBytes(window);
  const auto forged = [&](size_t at, uint64_t value) {
    std::string changed = bytes;
    Store(&changed, at, value);
    SealHeader(&changed);
    SealHeader(&changed, kPrefix);
    return ReadWindow(changed);
  };
  const uint64_t one = uint64_t{1} << 32;
  const uint64_t bits = window->view.geometry.bits, blocks = window->view.geometry.blocks;
  EXPECT_EQ(forged(8, 2 | 256 * one), LFB_ERROR_UNKNOWN_VERSION);
  EXPECT_EQ(forged(8, 1 | 512 * one), LFB_ERROR_BAD_HEADER);
  EXPECT_EQ(forged(16, 3 | one), LFB_OK);
  for (uint64_t generations : {0, 1, 4, 8, -1})
    EXPECT_EQ(forged(16, static_cast<uint32_t>(generations) | one), LFB_ERROR_BAD_HEADER);
  EXPECT_EQ(forged(16, 3), LFB_ERROR_BAD_HEADER) << "no words";
  EXPECT_EQ(forged(16, 3 | 3 * one), LFB_ERROR_BAD_HEADER) << "cells of 3 words";
  EXPECT_EQ(forged(24, bits), LFB_OK);
  for (uint64_t wrong : {uint64_t{0}, uint64_t{9}, bits | 2 * one})
    EXPECT_EQ(forged(24, wrong), LFB_ERROR_BAD_HEADER) << wrong;
  EXPECT_EQ(forged(32, 0), LFB_ERROR_BAD_HEADER);
  EXPECT_EQ(forged(32, UINT64_MAX), LFB_ERROR_BAD_HEADER);
  EXPECT_EQ(forged(32, uint64_t{1} << 40), LFB_ERROR_TRUNCATED) << "the most blocks";
  EXPECT_EQ(forged(32, blocks + 1), LFB_ERROR_TRUNCATED);
  EXPECT_EQ(forged(32, blocks - 1), LFB_ERROR_BAD_CHECKSUM);
  EXPECT_EQ(forged(40, 4), LFB_OK);
  for (uint64_t wrong : {uint64_t{0}, uint64_t{3}, uint64_t{1} << 36, UINT64_MAX})
    EXPECT_EQ(forged(40, wrong), LFB_ERROR_BAD_HEADER) << wrong;
  for (size_t at = 48; at < 248; at += 8) EXPECT_EQ(forged(at, 1), LFB_ERROR_BAD_HEADER) << at;
  EXPECT_EQ(forged(kPrefix, 1), LFB_ERROR_BAD_HEADER) << "no native header";
  EXPECT_EQ(forged(kPrefix + 16, 99), LFB_ERROR_BAD_STRATEGY);
  EXPECT_EQ(forged(kPrefix + 56, 0), LFB_ERROR_BAD_HEADER) << "no fpp";
  EXPECT_EQ(forged(kPrefix + 80, 12345), LFB_OK) << "when is not checked";
}

class WindowFiles : public Files {
 protected:
  lfb_status LoadWindow(const std::string& name, Window* window = nullptr) {
    lfb_window* loaded = nullptr;
    const lfb_status status = lfb_window_load(Path(name).c_str(), nullptr, &loaded);
    Window owner(loaded);
    if (window != nullptr) *window = std::move(owner);
    return status;
  }
};

// Saved during puts and advances, a file has the keys that are live before and after.
TEST_F(WindowFiles, SavedDuringPutsItHasTheKeysThatStay) {
  constexpr uint64_t kRounds = kUnderTsan ? 3 : 20, kKept = 2000;
  for (uint64_t round = 0; round < kRounds; round++) {
    const Window window = MakeWindow(WindowConfig(20000, 0.01));
    for (uint64_t i = 0; i < kKept; i++) lfb_window_put_u64(window.get(), i);
    std::atomic<bool> saved{false};
    RunTogether(3, [&](unsigned t) {
      if (t == 0) {
        ASSERT_EQ(lfb_window_save(window.get(), Path("a").c_str()), LFB_OK);
        saved = true;
      } else if (t == 1) {
        for (int i = 0; i < 3; i++) Advance(window);
      } else {
        for (uint64_t i = 0; !saved; i++) lfb_window_put_u64(window.get(), Mix(round, i));
      }
    });
    Window loaded;
    ASSERT_EQ(LoadWindow("a", &loaded), LFB_OK);
    for (uint64_t i = 0; i < kKept; i++)
      ASSERT_TRUE(lfb_window_might_contain_u64(loaded.get(), i)) << i;
  }
}

// ---- golden files ------------------------------------------------------------------

Window MakeGolden(uint32_t words) {
  Window window = MakeWindow(WindowConfig(120, 0.01), words);
  for (int i = 0; i < 100; i++) {
    const std::string text = std::to_string(i);
    if (i > 0 && i % 20 == 0) Advance(window);
    lfb_window_put(window.get(), text.data(), text.size());
  }
  return window;
}

// Written by the first version of windows. They are read, hold the keys that are live, and are
// written and made again byte for byte, on every machine that can open them.
TEST(WindowForm, GoldenFilesAreReadAndMadeAgain) {
  for (uint32_t words : {1u, 2u}) {
    const std::string path =
        "tests/golden/window-v1-" + std::to_string(words) + "-words.lfb";
    lfb_window* loaded = nullptr;
    const lfb_status status = lfb_window_load(path.c_str(), nullptr, &loaded);
    if (words == 2 && !lfb_pair_runs_here()) {
      EXPECT_EQ(status, LFB_ERROR_NO_PAIRS);
      continue;
    }
    ASSERT_EQ(status, LFB_OK) << path;
    const Window window(loaded);
    std::ifstream file(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    uint64_t then;
    memcpy(&then, bytes.data() + kPrefix + 80, sizeof then);
    EXPECT_EQ(Stamped(WindowBytes(window), LFB_LITTLE_64(then), kPrefix), bytes);
    EXPECT_EQ(Stamped(WindowBytes(MakeGolden(words)), LFB_LITTLE_64(then), kPrefix), bytes);
    for (int i = 20; i < 100; i++) {
      const std::string text = std::to_string(i);
      EXPECT_TRUE(lfb_window_might_contain(window.get(), text.data(), text.size())) << text;
    }
  }
}

}  // namespace
