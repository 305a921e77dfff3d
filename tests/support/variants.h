// variants.h - several variants of a strategy in one process, regardless of LFBLOOM_SIMD.
#pragma once

#include "bloom/filter/filter.h"
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
  Filter filter = Made<Filter>(lfb_filter_make, &description, &pages);
  filter->kernel = KernelUpTo(most, filter);
  return filter;
}

// A filter with operations for a level of at most `most`.
inline Filter MakeUpTo(lfb_simd most, const lfb_config& config) {
  lfb_description description{};
  EXPECT_EQ(lfb_description_make(&config, &description), LFB_OK);
  return MakeDescribed(most, description);
}

// Batches of odd sizes, half of their keys present, with each way to prefetch: `filter` answers as
// `alone`, which gets one key at a time, and has the same bits in the end. Seen to fail with a loop
// that prefetches and takes the key ahead.
inline void ExpectBatchesAlike(const Filter& filter, const Filter& alone) {
  uint64_t next = 0;
  for (const uint32_t fits : {0, 1, static_cast<int>(LFB_LINES_NEAR)}) {
    filter->layout.cached = fits;
    for (size_t count : {1, 2, 7, 63, 64, 65, 127, 129, 191, 193, 300}) {
      std::vector<uint64_t> hashes(count), put(count / 64 + 1, ~uint64_t{0}), has = put;
      for (uint64_t& hash : hashes) next++, hash = Mix(42, next % 2 ? next : next / 2);
      lfb_filter_might_contain_many_hash(filter.get(), hashes.data(), count, has.data());
      for (size_t i = 0; i < count; i++)
        ASSERT_EQ(has[i / 64] >> (i % 64) & 1,
                  lfb_filter_might_contain_hash(alone.get(), hashes[i]));
      lfb_filter_put_many_hash(filter.get(), hashes.data(), count, put.data());
      for (size_t i = 0; i < count; i++)
        ASSERT_EQ(put[i / 64] >> (i % 64) & 1, lfb_filter_put_hash(alone.get(), hashes[i]));
      if (count % 64 != 0) {
        ASSERT_EQ((put[count / 64] | has[count / 64]) >> (count % 64), 0u);
      }
    }
  }
  for (uint64_t i = 0; i < filter->layout.bits.word_count; i++)
    ASSERT_EQ(lfb_bit_array_word(&filter->layout.bits, i),
              lfb_bit_array_word(&alone->layout.bits, i));
  ASSERT_EQ(lfb_bit_array_count(&filter->layout.bits), lfb_bit_array_count(&alone->layout.bits));
}

// A filter of strategy `fast` with these pairs, and bits in each word.
inline Filter MakeShaped(lfb_simd most, uint32_t pairs, uint32_t bits, uint64_t blocks) {
  const lfb_config config = Config(1, 0.5, LFB_FAST);
  lfb_description description{};
  EXPECT_EQ(lfb_description_make(&config, &description), LFB_OK);
  const uint64_t words = blocks * lfb_fast_block_words(pairs);
  description.geometry = {64 * words, words, 2 * pairs * bits, 2 * pairs};
  return MakeDescribed(most, description);
}
