// variants.h - several variants of a strategy in one process, regardless of LFBLOOM_SIMD.
#pragma once

#include "bloom/filter/create.h"
#include "bloom/strategies/strategies.h"
#include "tests/support/filters.h"

// The levels that this processor has, from none up.
inline std::vector<lfb_simd> SimdLevels() {
  std::vector<lfb_simd> levels;
  for (int level = LFB_SIMD_NONE; level <= lfb_simd_best(); level++)
    levels.push_back(static_cast<lfb_simd>(level));
  return levels;
}

// The kernel of a filter's strategy for a level of at most `most`.
inline const lfb_kernel* KernelUpTo(lfb_simd most, const Filter& filter) {
  return lfb_strategy_kernel(filter->strategy, &filter->description.geometry, most);
}

inline Filter MakeDescribed(lfb_simd most, const lfb_description& description) {
  lfb_pages pages{};
  EXPECT_EQ(lfb_pages_init(&pages, description.geometry.word_count * 8, true), LFB_OK);
  lfb_filter* made = nullptr;
  EXPECT_EQ(lfb_filter_make(&description, &pages, &made), LFB_OK);
  Filter filter(made);
  filter->kernel = KernelUpTo(most, filter);
  return filter;
}

// A filter with operations for a level of at most `most`.
inline Filter MakeUpTo(lfb_simd most, const lfb_config& config) {
  lfb_description description{};
  EXPECT_EQ(lfb_description_make(&config, &description), LFB_OK);
  return MakeDescribed(most, description);
}

// A filter of strategy `fast` with w words per key and g bits in each.
inline Filter MakeShaped(lfb_simd most, uint32_t w, uint32_t g, uint64_t blocks) {
  const lfb_config config = Config(1, 0.5, LFB_FAST);
  lfb_description description{};
  EXPECT_EQ(lfb_description_make(&config, &description), LFB_OK);
  description.geometry = {512 * blocks, 8 * blocks, w * g, w};
  return MakeDescribed(most, description);
}
