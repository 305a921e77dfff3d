// countings.h - making counting filters for tests, and reading their counters.
#pragma once

#include "bloom/counting/counting.h"
#include "tests/support/anys.h"

using Counting = std::unique_ptr<lfb_counting, Freed<lfb_counting_free>>;

inline Counting Count(const lfb_config& config) {
  return Made<Counting>(lfb_counting_create, &config);
}

// Puts a key into one that is not full.
inline void PutInto(lfb_counting* counting, uint64_t key) {
  EXPECT_TRUE(lfb_counting_put_u64(counting, key));
}

inline Counting Copy(const Counting& counting) {
  return Made<Counting>(any::copy<lfb_counting>, counting.get());
}

inline Filter Plain(const Counting& counting) {
  return Made<Filter>(any::to_plain<lfb_counting>, counting.get());
}

inline std::string Bytes(const Counting& counting) { return BytesBy(any::write<lfb_counting>,
                                                                    counting); }

inline lfb_stats Stats(const Counting& counting) {
  lfb_stats stats;
  lfb_counting_stats(counting.get(), &stats);
  return stats;
}

// The value of each counter.
inline std::vector<unsigned> Counters(const Counting& counting) {
  std::vector<unsigned> counters;
  for (uint64_t i = 0; i < counting->pages.size / sizeof(lfb_word); i++) {
    uint64_t word = lfb_word_get(&lfb_counting_words(counting.get())[i]);
    for (unsigned at = 0; at < LFB_COUNTERS_A_WORD; at++, word >>= LFB_COUNTER_BITS)
      counters.push_back(word & LFB_COUNTER_MOST);
  }
  return counters;
}

inline std::vector<uint64_t> Words(const Filter& filter) {
  std::vector<uint64_t> words(filter->layout.bits.word_count);
  lfb_bit_array_snapshot(&filter->layout.bits, 0, words.data(), words.size());
  return words;
}

// The bits that a plain filter turns on for a key.
inline std::vector<uint64_t> BitsOf(const lfb_config& config, uint64_t key) {
  const Filter filter = Make(config);
  lfb_filter_put_u64(filter.get(), key);
  const std::vector<uint64_t> words = Words(filter);
  std::vector<uint64_t> bits;
  for (size_t i = 0; i < words.size(); i++)
    for (uint64_t left = words[i]; left != 0; left &= left - 1)
      bits.push_back(64 * i + static_cast<uint64_t>(__builtin_ctzll(left)));
  return bits;
}
