// windows.h - making windows for tests.
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
  config.seed = 1;
  return config;
}

inline Window MakeWindow(const lfb_window_config& config) {
  lfb_window* window = nullptr;
  EXPECT_EQ(lfb_window_create(&config, &window), LFB_OK);
  return Window(window);
}

// A window of any geometry, as a file or a processor without 16-byte exchanges can have it.
inline Window MakeWindowOf(const lfb_window_geometry& geometry, lfb_window_config config) {
  lfb_description description{};
  lfb_window_geometry own{};
  lfb_pages pages{};
  lfb_window* window = nullptr;

  config.generations = lfb_window_cells(&geometry) - 1;
  EXPECT_EQ(lfb_window_describe(&config, &description, &own), LFB_OK);
  EXPECT_EQ(lfb_pages_init(&pages, lfb_window_bytes(&geometry), true), LFB_OK);
  EXPECT_EQ(lfb_window_make(&description, &config, &geometry, &pages, lfb_window_cells(&geometry),
                            &window),
            LFB_OK);
  return Window(window);
}

// A window with cells of one word.
inline Window MakeWindowOfWords(const lfb_window_config& config) {
  lfb_window_geometry geometry{};
  geometry.shift = config.generations == 7 ? 3 : 2;
  geometry.words = 1;
  EXPECT_EQ(lfb_window_size(static_cast<double>(config.expected_insertions) /
                                (lfb_window_cells(&geometry) - 1),
                            config.fpp, &geometry),
            LFB_OK);
  return MakeWindowOf(geometry, config);
}

inline Window MakeWindow(const lfb_window_config& config, uint32_t words) {
  return words == 1 ? MakeWindowOfWords(config) : MakeWindow(config);
}

inline lfb_window_figures Stats(const Window& window) {
  lfb_window_figures figures;
  lfb_window_stats(window.get(), &figures);
  return figures;
}

// Begins `count` generations; no other thread does.
template <typename Owner>
void Advance(const Owner& window, uint64_t count = 1) {
  for (uint64_t i = 0; i < count; i++)
    ASSERT_EQ(lfb_window_advance(window.get(), lfb_window_generation(window.get())), LFB_OK);
}
