// target.h - a filter as an attacker sees it. The attacker knows the source, puts keys and
// receives answers.
#pragma once

#include <lfbloom/filter.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace hostile {

class Target {
 public:
  explicit Target(const lfb_config& config) {
    lfb_filter* made = nullptr;
    status_ = lfb_filter_create(&config, &made);
    filter_.reset(made);
  }
  bool Made() const { return status_ == LFB_OK; }
  bool Put(const std::string& key) {
    puts_++;
    return lfb_filter_put(filter_.get(), key.data(), key.size());
  }
  bool Ask(const std::string& key) {
    asked_++;
    return lfb_filter_might_contain(filter_.get(), key.data(), key.size());
  }
  bool AskU64(uint64_t key) {
    asked_++;
    return lfb_filter_might_contain_u64(filter_.get(), key);
  }
  lfb_stats Stats() const {
    lfb_stats stats;
    lfb_filter_stats(filter_.get(), &stats);
    return stats;
  }
  uint64_t Puts() const { return puts_; }
  uint64_t Asked() const { return asked_; }

 private:
  struct Free {
    void operator()(lfb_filter* filter) const { lfb_filter_free(filter); }
  };
  lfb_status status_ = LFB_OK;
  std::unique_ptr<lfb_filter, Free> filter_;
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
