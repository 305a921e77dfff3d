// The form of windows: they are read back with their generation; forged files are refused.
// //tests/files:every_form_test has what all forms have in common.
#include <cmath>
#include <cstring>

#include "tests/support/files.h"
#include "tests/support/native_bytes.h"
#include "tests/support/race.h"
#include "tests/support/streams.h"
#include "tests/support/windows.h"

namespace {

constexpr size_t kPrefix = 256, kHeader = 512;
constexpr uint64_t kKeys = 300;

template <typename From>
lfb_status ReadWindow(const From& from, Window* window = nullptr,
                      const lfb_read_limits& limits = {}) {
  return ReadBy(any::read<lfb_window>, Source{from}, window, limits);
}

// Puts keys 0, 1, ... in six generations, the last of which is current.
Window Filled(const lfb_window_config& config) {
  Window window = MakeWindow(config);
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

// With a span, or by insertions, or neither.
TEST(WindowForm, ItIsReadWithItsGenerationAndWhenThatBegan) {
  for (uint32_t generations : {1u, 3u, 7u})
    for (uint32_t words : {2u, 4u, 8u}) {
      lfb_window_config config = WindowConfigOf(kKeys, words, generations);
      config.span = words == 4 ? 1e9 : 0;
      const Window window = Filled(config);
      window->config.by_insertions = words == 2;
      const std::string bytes = Bytes(window);
      Window read;
      ASSERT_EQ(ReadWindow(bytes, &read), LFB_OK);
      const uint64_t e = lfb_window_generation(window.get());
      EXPECT_EQ(lfb_window_generation(read.get()), e);
      ExpectSameFigures(read, window);
      ExpectLiveKeys(read, generations);
      EXPECT_EQ(read->config.by_insertions, words == 2);
      const lfb_window_moment is = lfb_window_began(read->head, e),
                                   was = lfb_window_began(window->head, e);
      EXPECT_EQ(is.boot[0], was.boot[0]);
      EXPECT_EQ(is.boot[1], was.boot[1]);
      EXPECT_EQ(is.boottime, was.boottime);
      EXPECT_EQ(is.realtime, was.realtime);
      EXPECT_EQ(is.realtime != 0, words == 4) << "without a span there is no time in a file";
      EXPECT_EQ(Stamped(Bytes(read), 7, kPrefix), Stamped(bytes, 7, kPrefix));
      // It forgets as the first one would: the keys of the current generation stay for G more.
      Advance(read, generations);
      for (uint64_t i = kKeys / 6 * 5; i < kKeys; i++)
        ASSERT_TRUE(lfb_window_might_contain_u64(read.get(), i));
      Advance(read);
      EXPECT_EQ(Stats(read).expected_fpp, 0);
    }
}

// Of a claim that was won, the copy knows what the window knew: the key is found.
TEST(WindowForm, WhatWasClaimedIsClaimed) {
  const Window window = MakeWindow(WindowConfig(1000, 1e-9));
  for (uint64_t i = 0; i < 100; i++) ASSERT_TRUE(lfb_window_claim_u64(window.get(), i));
  Window read;
  ASSERT_EQ(ReadWindow(Bytes(window), &read), LFB_OK);
  for (uint64_t i = 0; i < 100; i++) ASSERT_FALSE(lfb_window_claim_u64(read.get(), i));
  EXPECT_TRUE(lfb_window_claim_u64(read.get(), 100));
}

// Damaged words, opened, are full in every live generation: no key is lost, and G + 1 generations
// later they are as others.
TEST(WindowForm, OpenedDamagedItLosesNoKey) {
  std::string bytes = Bytes(Filled());
  bytes[kHeader + 300] ^= 1;
  lfb_read_limits limits{};
  EXPECT_EQ(ReadWindow(bytes, nullptr, limits), LFB_ERROR_BAD_CHECKSUM);
  limits.open_damaged = true;
  Window read;
  ASSERT_EQ(ReadWindow(bytes, &read, limits), LFB_OK);
  ExpectLiveKeys(read, 3);
  EXPECT_EQ(Stats(read).live[0].approximate_count, UINT64_MAX);
  EXPECT_EQ(Stats(read).expected_fpp, 1);
  ASSERT_EQ(ReadWindow(Bytes(read)), LFB_OK) << "once written again it is whole";
  Advance(read, 4);
  EXPECT_EQ(Stats(read).expected_fpp, 0);
}

// The header's fields, each with its worst values, with valid checksums.
TEST(WindowForm, ForgedHeadersAreRefused) {
  const Window window = Filled();
  const std::string bytes = Bytes(window);
  const auto forged = [&](size_t at, uint64_t value) {
    std::string changed = bytes;
    Store(&changed, at, value);
    SealHeader(&changed);
    SealHeader(&changed, kPrefix);
    return ReadWindow(changed);
  };
  const auto span = [&](double value) { return forged(40, WordOf(value)); };
  const uint64_t one = uint64_t{1} << 32;
  const uint64_t bits = window->geometry.bits, blocks = window->geometry.blocks;
  ASSERT_EQ(window->geometry.block_shift, 1u);
  EXPECT_EQ(forged(8, 1 | 256 * one), LFB_ERROR_UNKNOWN_VERSION);
  EXPECT_EQ(forged(8, 3 | 256 * one), LFB_ERROR_UNKNOWN_VERSION);
  EXPECT_EQ(forged(8, 2 | 512 * one), LFB_ERROR_BAD_HEADER);
  EXPECT_EQ(forged(16, 3 | 2 * one), LFB_OK);
  EXPECT_EQ(forged(16, 7 | 2 * one), LFB_ERROR_TRUNCATED);
  EXPECT_EQ(forged(16, 1 | 2 * one),
            LFB_ERROR_BAD_CHECKSUM) << "half of the words, and no checksums";
  for (uint64_t generations : {0, 2, 4, 5, 6, 8, 15, -1})
    EXPECT_EQ(forged(16, static_cast<uint32_t>(generations) | 2 * one),
              LFB_ERROR_BAD_HEADER) << generations;
  for (uint64_t words : {0, 1, 3, 5, 6, 7, 16, -1})
    EXPECT_EQ(forged(16, 3 | words << 32), LFB_ERROR_BAD_HEADER) << words;
  EXPECT_EQ(forged(16, 3 | 4 * one), LFB_ERROR_TRUNCATED);
  EXPECT_EQ(forged(24, bits), LFB_OK);
  EXPECT_EQ(forged(24, 1), LFB_OK) << "it decides what a key is";
  EXPECT_EQ(forged(24, bits | one), LFB_OK) << "by insertions";
  const uint64_t most = LFB_FAST_MAX_PROBES / 2;
  EXPECT_EQ(forged(24, most), LFB_OK);
  for (uint64_t wrong : {uint64_t{0}, most + 1, uint64_t{UINT32_MAX}, bits | 2 * one})
    EXPECT_EQ(forged(24, wrong), LFB_ERROR_BAD_HEADER) << wrong;
  EXPECT_EQ(forged(32, 0), LFB_ERROR_BAD_HEADER);
  EXPECT_EQ(forged(32, UINT64_MAX), LFB_ERROR_BAD_HEADER);
  EXPECT_EQ(forged(32, (uint64_t{1} << 42) + 1), LFB_ERROR_BAD_HEADER);
  EXPECT_EQ(forged(32, uint64_t{1} << 42), LFB_ERROR_TRUNCATED) << "the most blocks";
  EXPECT_EQ(forged(32, blocks + 1), LFB_ERROR_TRUNCATED);
  EXPECT_EQ(forged(32, blocks - 1), LFB_ERROR_BAD_CHECKSUM);
  for (double right : {0.0, 0.001, 60.0, 1e9}) EXPECT_EQ(span(right), LFB_OK) << right;
  for (double wrong : {-1.0, 0.0009, 1.1e9, HUGE_VAL, -HUGE_VAL, std::nan("")})
    EXPECT_EQ(span(wrong), LFB_ERROR_BAD_HEADER) << wrong;
  EXPECT_EQ(forged(48, 4), LFB_OK);
  EXPECT_EQ(forged(48, uint64_t{1} << 59), LFB_OK);
  for (uint64_t wrong : {uint64_t{0}, uint64_t{3}, (uint64_t{1} << 59) + 1, UINT64_MAX})
    EXPECT_EQ(forged(48, wrong), LFB_ERROR_BAD_HEADER) << wrong;
  for (size_t at = 56; at < 88; at += 8) EXPECT_EQ(forged(at, UINT64_MAX),
                                                   LFB_OK) << at << ": any time";
  for (size_t at = 88; at < 248; at += 8) EXPECT_EQ(forged(at, 1), LFB_ERROR_BAD_HEADER) << at;
  EXPECT_EQ(forged(88, 65536), LFB_ERROR_BAD_HEADER) << "shared, without the order of its bytes";
  EXPECT_EQ(forged(kPrefix, 1), LFB_ERROR_BAD_HEADER) << "no native header";
  EXPECT_EQ(forged(kPrefix + 16, 99), LFB_ERROR_BAD_STRATEGY);
  EXPECT_EQ(forged(kPrefix + 56, 0), LFB_ERROR_BAD_HEADER) << "no fpp";
  EXPECT_EQ(forged(kPrefix + 80, 12345), LFB_OK) << "when is not checked";
}

// A time that nobody has is one that the clocks correct.
TEST(WindowForm, AnyTimeIsTicked) {
  const Window window = Filled(Timed(WindowConfig(kKeys, 0.01), 60));
  for (uint64_t time
       : {uint64_t{0}, uint64_t{1}, UINT64_MAX, uint64_t{1} << 63, (uint64_t{1} << 63) - 1})
    for (bool same_boot : {false, true}) {
      std::string bytes = Bytes(window);
      if (!same_boot) Store(&bytes, 56, 1);
      Store(&bytes, 72, time), Store(&bytes, 80, time);
      SealHeader(&bytes);
      Window read;
      ASSERT_EQ(ReadWindow(bytes, &read), LFB_OK);
      const uint64_t before = lfb_window_generation(read.get());
      const uint32_t ended = Tick(read);
      EXPECT_LE(ended, 4u);
      EXPECT_EQ(lfb_window_generation(read.get()), before + ended);
      EXPECT_EQ(Tick(read), 0u);
    }
}

class WindowFiles : public Files {};

// Saved during puts and advances, a file has the keys that are live before and after.
TEST_F(WindowFiles, SavedDuringPutsItHasTheKeysThatStay) {
  constexpr uint64_t kRounds = kUnderTsan ? 3 : 20, kKept = 2000;
  for (uint64_t round = 0; round < kRounds; round++) {
    const Window window = MakeWindow(WindowConfig(20000, 0.01));
    for (uint64_t i = 0; i < kKept; i++) lfb_window_put_u64(window.get(), i);
    std::atomic<bool> saved{false};
    RunTogether(3, [&](unsigned t) {
      if (t == 0) {
        ASSERT_EQ(any::save<lfb_window>(window.get(), Path("a").c_str()), LFB_OK);
        saved = true;
      } else if (t == 1) {
        for (int i = 0; i < 3; i++) Advance(window);
      } else {
        for (uint64_t i = 0; !saved; i++) lfb_window_put_u64(window.get(), Mix(round, i));
      }
    });
    const Window loaded = Made<Window>(any::load<lfb_window>, Path("a").c_str(), nullptr);
    for (uint64_t i = 0; i < kKept; i++)
      ASSERT_TRUE(lfb_window_might_contain_u64(loaded.get(), i)) << i;
  }
}

// ---- golden files ------------------------------------------------------------------

Window MakeGolden() {
  Window window = MakeWindow(WindowConfig(120, 0.01));
  for (int i = 0; i < 100; i++) {
    const std::string text = std::to_string(i);
    if (i > 0 && i % 20 == 0) Advance(window);
    lfb_window_put(window.get(), text.data(), text.size());
  }
  return window;
}

// Written by the first version of windows that are rings of layers.  It is read, holds the keys
// that are live, and is written and made again byte for byte, on every machine.
TEST(WindowForm, AGoldenFileIsReadAndMadeAgain) {
  const std::string bytes = FileBytes("tests/golden/window-v2.lfb");
  Window window;
  ASSERT_EQ(ReadWindow(bytes, &window), LFB_OK);
  uint64_t then;
  memcpy(&then, bytes.data() + kPrefix + 80, sizeof then);
  EXPECT_EQ(Stamped(Bytes(window), LFB_LITTLE_64(then), kPrefix), bytes);
  EXPECT_EQ(Stamped(Bytes(MakeGolden()), LFB_LITTLE_64(then), kPrefix), bytes);
  for (int i = 20; i < 100; i++) {
    const std::string text = std::to_string(i);
    EXPECT_TRUE(lfb_window_might_contain(window.get(), text.data(), text.size())) << text;
  }
}

}  // namespace
