// windows.h - making windows for tests.
#pragma once

#include "bloom/window/window.h"
#include "tests/support/anys.h"
#include "tests/support/race.h"

using Window = std::unique_ptr<lfb_window, Freed<lfb_window_free>>;

inline lfb_window_config WindowConfig(uint64_t n, double fpp, uint32_t generations = 3) {
  lfb_window_config config{};
  config.expected_insertions = n;
  config.fpp = fpp;
  config.generations = generations;
  config.seed = 1;
  return config;
}

// The same with a span, in seconds, that does not end if it is not given.
inline lfb_window_config Timed(lfb_window_config config, double span = 1e9) {
  config.span = span;
  return config;
}

// The same with generations that end by insertions.
inline lfb_window_config ByInsertions(lfb_window_config config) {
  config.by_insertions = true;
  return config;
}

inline Window MakeWindow(const lfb_window_config& config) {
  return Made<Window>(lfb_window_create, &config);
}

// A window of any geometry.
inline Window MakeWindowOf(const lfb_window_geometry& geometry, lfb_window_config config) {
  lfb_description description{};
  lfb_window_geometry own{};
  lfb_window_parts parts{};
  lfb_window* window = nullptr;

  config.generations = lfb_window_layers(&geometry) - 1;
  EXPECT_EQ(lfb_window_describe(&config, &description, &own), LFB_OK);
  EXPECT_EQ(lfb_pages_init(&parts.words, lfb_window_bytes(&geometry), true), LFB_OK);
  EXPECT_EQ(lfb_window_make(&description, &config, &geometry, &parts, &window), LFB_OK);
  return Window(window);
}

// A configuration by which a block has so many words, with few false positives if it may be.
inline lfb_window_config WindowConfigOf(uint64_t n, uint32_t words, uint32_t generations = 3) {
  lfb_window_config config = WindowConfig(n, 0.1, generations), chosen = config;
  lfb_window_figures plan{};
  for (; config.fpp > 1e-6 && plan.block_words <= words; config.fpp /= 2) {
    EXPECT_EQ(lfb_window_config_plan(&config, &plan), LFB_OK);
    if (plan.block_words == words) chosen = config;
  }
  EXPECT_EQ(lfb_window_config_plan(&chosen, &plan), LFB_OK);
  EXPECT_EQ(plan.block_words, words);
  return chosen;
}

inline bool Put(const Window& window, uint64_t key) {
  return lfb_window_put_u64(window.get(), key);
}
inline bool Claim(const Window& window, uint64_t key) {
  return lfb_window_claim_u64(window.get(), key);
}
inline bool Has(const Window& window, uint64_t key) {
  return lfb_window_might_contain_u64(window.get(), key);
}

inline std::string Bytes(const Window& window) { return BytesBy(any::write<lfb_window>, window); }

inline lfb_window_figures Stats(const Window& window) {
  lfb_window_figures figures;
  lfb_window_stats(window.get(), &figures);
  return figures;
}

inline void ExpectSameFigures(const lfb_window_figures& one, const lfb_window_figures& other) {
  EXPECT_EQ(one.expected_insertions, other.expected_insertions);
  EXPECT_EQ(one.fpp, other.fpp);
  EXPECT_EQ(one.generations, other.generations);
  EXPECT_EQ(one.span, other.span);
  EXPECT_EQ(one.probes, other.probes);
  EXPECT_EQ(one.block_words, other.block_words);
  EXPECT_EQ(one.hash, other.hash);
  EXPECT_EQ(one.key_kept, other.key_kept);
  EXPECT_EQ(one.generation, other.generation);
  EXPECT_EQ(one.bytes, other.bytes);
  EXPECT_EQ(one.bit_count, other.bit_count);
  EXPECT_EQ(one.expected_fpp, other.expected_fpp);
  for (uint32_t i = 0; i < LFB_WINDOW_LIVE; i++) {
    EXPECT_EQ(one.live[i].bits_set, other.live[i].bits_set) << i;
    EXPECT_EQ(one.live[i].approximate_count, other.live[i].approximate_count) << i;
  }
}
inline void ExpectSameFigures(const Window& a, const Window& b) {
  ExpectSameFigures(Stats(a), Stats(b));
}

// Makes all generations be over by the clock: the current one began in 1970.
inline void EndAll(const Window& window) {
  for (auto& word
       : window->head->began[lfb_window_generation(window.get()) % LFB_WINDOW_LIVE]) word = 0;
}

// How many generations a tick ends.
template <typename Owner>
uint32_t Tick(const Owner& window) {
  uint32_t ended = UINT32_MAX;
  EXPECT_EQ(lfb_window_tick(window.get(), &ended), LFB_OK);
  return ended;
}

// Begins `count` generations; no other thread does.
template <typename Owner>
void Advance(const Owner& window, uint64_t count = 1) {
  for (uint64_t i = 0; i < count; i++)
    ASSERT_EQ(lfb_window_advance(window.get(), lfb_window_generation(window.get())), LFB_OK);
}

// The hash of a key.
inline uint64_t HashOf(const Window& window,
                uint64_t key) { return lfb_hasher_u64(&window->hasher, key).low; }

// Puts, claims and queries of odd numbers of keys, in several generations, with each way to
// prefetch: `window` answers as `alone`, which gets one key at a time by the kernel without
// vectors.
inline void ExpectAlike(const Window& window, const Window& alone) {
  uint64_t next = 0;
  for (size_t count : {1, 2, 7, 63, 64, 65, 129, 191, 193, 600}) {
    window->cached = count % 2 == 0 ? 0 : LFB_LINES_NEAR;
    std::vector<uint64_t> keys(count), put(count / 64 + 1, ~uint64_t{0}), won = put, has = put;
    for (uint64_t& key : keys) next++, key = Mix(42, next % 2 ? next : next / 2);
    any::might_contain_many(window.get(), keys.data(), count, has.data());
    for (size_t i = 0; i < count; i++) {
      const bool found = lfb_window_might_contain_u64(alone.get(), keys[i]);
      ASSERT_EQ(has[i / 64] >> (i % 64) & 1, found) << i << " of " << count;
      ASSERT_EQ(lfb_window_might_contain_u64(window.get(), keys[i]), found);
      ASSERT_EQ(lfb_window_seek(&window->view, HashOf(window, keys[i])), found);
    }
    const size_t half = count / 2;
    any::claim_many(window.get(), keys.data(), half, won.data());
    for (size_t i = 0; i < half; i++)
      ASSERT_EQ(won[i / 64] >> (i % 64) & 1, lfb_window_claim_u64(alone.get(), keys[i]));
    any::put_many(window.get(), keys.data(), count, put.data());
    for (size_t i = 0; i < count; i++)
      ASSERT_EQ(put[i / 64] >> (i % 64) & 1, lfb_window_put_u64(alone.get(), keys[i]));
    for (size_t i = 0; i < count; i++) {
      const uint64_t key = Mix(43, next + i);
      ASSERT_EQ(lfb_window_claim_u64(window.get(), key), lfb_window_claim_u64(alone.get(), key));
      ASSERT_EQ(lfb_window_put_u64(window.get(), key), lfb_window_put_u64(alone.get(), key));
    }
    Advance(window), Advance(alone);
  }
  for (uint64_t i = 0; i < window->pages.size / sizeof(lfb_word); i++)
    ASSERT_EQ(lfb_word_get(&window->view.words[i]), lfb_word_get(&alone->view.words[i])) << i;
}
