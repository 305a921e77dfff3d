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
  explicit Target(const lfb_config& config) : config_(config), filter_(::Make(config)) {}
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
    numbers_.push_back(key);
    return lfb_filter_put_u64(filter_.get(), key);
  }
  bool AskU64(uint64_t key) {
    asked_++;
    return lfb_filter_might_contain_u64(filter_.get(), key);
  }
  bool PutHash(uint64_t hash) {
    puts_++;
    return lfb_filter_put_hash(filter_.get(), hash);
  }
  bool AskHash(uint64_t hash) {
    asked_++;
    return lfb_filter_might_contain_hash(filter_.get(), hash);
  }
  // The number of the line that a query reads, of strategy `fast`. Caches and their timing show
  // an attacker at most this.
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
    const lfb_word* words = filter_->layout.fast.words + LFB_BLOCK_WORDS * line;
    return std::all_of(words, words + LFB_BLOCK_WORDS,
                       [](const lfb_word& word) { return lfb_word_get(&word) == 0; });
  }
  // The attacker's own filter: by XXH3 with this seed, with the numbers that were put here.
  Target Own(uint64_t seed) const {
    lfb_config config = config_;
    config.hash = LFB_HASH_XXH3;
    config.seed = seed;
    std::fill(std::begin(config.key), std::end(config.key), uint8_t{0});
    Target own(config);
    for (const uint64_t number : numbers_) own.PutU64(number);
    return own;
  }
  lfb_stats Stats() const { return ::Stats(filter_); }
  uint64_t Puts() const { return puts_; }
  uint64_t Asked() const { return asked_; }

 private:
  uint64_t LineOf(lfb_hash hash) const { return lfb_multiply_high(hash.low, Lines()); }

  lfb_config config_;
  Filter filter_;
  std::vector<uint64_t> numbers_;
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
