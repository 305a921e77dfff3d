// variants.h - the variants of a strategy side by side in one process, whatever
// LFBLOOM_SIMD says.
#pragma once

#include "bloom/filter/core.h"
#include "bloom/strategies/strategies.h"
#include "tests/filters.h"

// What this processor has, from none up.
inline std::vector<lfb_simd> SimdLevels() {
  std::vector<lfb_simd> levels;
  for (int level = LFB_SIMD_NONE; level <= lfb_simd_best(); level++)
    levels.push_back(static_cast<lfb_simd>(level));
  return levels;
}

inline Filter MakeDescribed(const lfb_description& description) {
  lfb_pages pages{};
  EXPECT_EQ(lfb_pages_init(&pages, description.geometry.word_count * 8, true), LFB_OK);
  lfb_filter* filter = nullptr;
  EXPECT_EQ(lfb_core_make(&description, &pages, &filter), LFB_OK);
  return Filter(filter);
}

// A filter whose operations use no more than `most`.
inline Filter MakeUpTo(lfb_simd most, const lfb_config& config) {
  lfb_description description{};
  EXPECT_EQ(lfb_core_describe(&config, &description), LFB_OK);
  description.strategy = lfb_strategy_variant(config.strategy, most);
  return MakeDescribed(description);
}

// One of strategy `fast` with w words a key and g bits in each.
inline Filter MakeShaped(lfb_simd most, uint32_t w, uint32_t g, uint64_t blocks) {
  const lfb_config config = Config(1, 0.5, LFB_FAST);
  lfb_description description{};
  EXPECT_EQ(lfb_core_describe(&config, &description), LFB_OK);
  description.strategy = lfb_strategy_variant(LFB_FAST, most);
  description.geometry = {512 * blocks, 8 * blocks, w * g, w};
  return MakeDescribed(description);
}

// The row for a filter's geometry that uses no more than `most`: for a filter that was
// made with another.
inline const lfb_strategy* RowUpTo(lfb_simd most, const Filter& filter) {
  const lfb_strategy* row = lfb_strategy_variant(filter->strategy->id, most);
  return row->fit == nullptr ? row : row->fit(&filter->description.geometry);
}
