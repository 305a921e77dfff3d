// target.h - a filter as an attacker sees it. The attacker knows the source, puts keys and receives
// answers.
#pragma once

#include <lfbloom/filter.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "bloom/filter/filter.h"
#include "tests/support/filters.h"

namespace hostile {

class Target {
 public:
  explicit Target(const lfb_config& config) : filter_(::Make(config)) {}
  bool Put(const std::string& key) {
    puts_++;
    return lfb_filter_put(filter_.get(), key.data(), key.size());
  }
  bool Ask(const std::string& key) {
    asked_++;
    return lfb_filter_might_contain(filter_.get(), key.data(), key.size());
  }
  bool PutU64(uint64_t key) {
    puts_++;
    return lfb_filter_put_u64(filter_.get(), key);
  }
  bool AskU64(uint64_t key) {
    asked_++;
    return lfb_filter_might_contain_u64(filter_.get(), key);
  }
  // The number of the block that a query reads, of strategy `fast`: it is within a line, so caches
  // and their timing show an attacker at most this.
  uint64_t Line(const std::string& key) {
    asked_++;
    return LineOf(lfb_hasher_bytes(&filter_->layout.hasher, key.data(), key.size()));
  }
  uint64_t LineU64(uint64_t key) {
    asked_++;
    return LineOf(lfb_hasher_u64(&filter_->layout.hasher, key));
  }
  uint64_t Lines() const { return filter_->layout.fast.blocks; }
  // Whether no bit of a line is on.
  bool IsEmpty(uint64_t line) const {
    const uint32_t size = lfb_fast_block_words(filter_->layout.fast.pairs);
    const lfb_word* words = filter_->layout.fast.words + size * line;
    return std::all_of(words, words + size,
                       [](const lfb_word& word) { return lfb_word_get(&word) == 0; });
  }
  lfb_stats Stats() const { return ::Stats(filter_); }
  uint64_t Puts() const { return puts_; }
  uint64_t Asked() const { return asked_; }

 private:
  uint64_t LineOf(lfb_hash hash) const { return lfb_multiply_high(hash.low, Lines()); }

  Filter filter_;
  uint64_t puts_ = 0, asked_ = 0;
};

// The bytes of words, little-endian.
inline std::string Bytes(const std::vector<uint64_t>& words) {
  std::string bytes;
  for (uint64_t word : words)
    for (int i = 0; i < 8; i++) bytes.push_back(static_cast<char>(word >> (8 * i)));
  return bytes;
}

// The multiplicative inverse of an odd number modulo 2^64. Each round of Newton's method doubles
// the number of correct bits; 3 are correct at first.
inline uint64_t Inverse(uint64_t odd) {
  uint64_t inverse = odd;
  for (int i = 0; i < 5; i++) inverse *= 2 - odd * inverse;
  return inverse;
}

}  // namespace hostile
