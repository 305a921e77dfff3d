// windows.h - making window filters for tests.
#pragma once

#include "bloom/kinds/window.h"
#include "tests/support/filters.h"

struct WindowFree {
  void operator()(lfb_window* window) const { lfb_window_free(window); }
};
using Window = std::unique_ptr<lfb_window, WindowFree>;

inline lfb_window_config WindowConfig(uint64_t n, double fpp, uint32_t generations = 3) {
  lfb_window_config config{};
  config.expected_insertions = n;
  config.fpp = fpp;
  config.generations = generations;
  config.hash = LFB_HASH_XXH3;
  config.seed = 1;
  return config;
}

// A window with cells of so many words.
inline Window MakeWindow(const lfb_window_config& config, uint32_t words) {
  lfb_description description{};
  lfb_window_geometry geometry{};
  lfb_pages pages{};
  lfb_window* window = nullptr;
  EXPECT_EQ(lfb_window_describe(&config, &description, &geometry), LFB_OK);
  geometry.words = words;
  const uint64_t n = config.expected_insertions == 0 ? 1 : config.expected_insertions;
  EXPECT_EQ(lfb_window_size(static_cast<double>(n) / config.generations, config.fpp, &geometry),
            LFB_OK);
  EXPECT_EQ(lfb_pages_init(&pages, lfb_window_bytes(&geometry), true), LFB_OK);
  EXPECT_EQ(lfb_window_make(&description, &config, &geometry, &pages,
                            lfb_window_cells(&geometry), &window),
            LFB_OK);
  return Window(window);
}

inline Window MakeWindow(const lfb_window_config& config) {
  lfb_window* window = nullptr;
  EXPECT_EQ(lfb_window_create(&config, &window), LFB_OK);
  return Window(window);
}

// Ends the current generation.
inline void Advance(const Window& window) {
  EXPECT_EQ(lfb_window_advance(window.get(), lfb_window_generation(window.get())), LFB_OK);
}

inline lfb_window_figures Figures(const Window& window) {
  lfb_window_figures figures;
  lfb_window_stats(window.get(), &figures);
  return figures;
}
