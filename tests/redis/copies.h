// copies.h - how the tests follow a key of the module.
#pragma once

#include <gtest/gtest.h>
#include <lfbloom/redis_source.h>

#include <string>
#include <vector>

#include "tests/support/filters.h"

inline std::vector<uint64_t> WordsOf(const lfb_filter* filter) {
  lfb_stats stats;
  lfb_filter_stats(filter, &stats);
  std::vector<uint64_t> words(stats.bytes / 8);
  for (uint64_t at = 0; at < words.size();)
    at += lfb_filter_words(filter, at, &words[at], words.size() - at);
  return words;
}

inline uint64_t BitsIn(const std::vector<uint64_t>& words) {
  uint64_t bits = 0;
  for (const uint64_t word : words) bits += static_cast<uint64_t>(__builtin_popcountll(word));
  return bits;
}

// A local copy of a key.
class Copy {
 public:
  explicit Copy(const lfb_redis_options& options, const char* key, uint64_t max_bytes = 0,
                lfb_follow_config config = {}) {
    const lfb_config first = Config(10, 0.01, LFB_FAST);
    lfb_read_limits limits{};
    limits.max_bytes = max_bytes;
    config.most_retry_seconds = 1;
    EXPECT_EQ(lfb_versions_create(&first, &versions), LFB_OK);
    EXPECT_EQ(lfb_redis_module_source_create(&options, key, max_bytes == 0 ? nullptr : &limits,
                                             &source),
              LFB_OK);
    functions = lfb_redis_module_source_functions(source);
    EXPECT_EQ(lfb_follow_create(versions, &functions, &config, &follow), LFB_OK);
  }
  ~Copy() {
    lfb_follow_free(follow);
    lfb_redis_module_source_free(source);
    lfb_versions_free(versions);
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  lfb_followed Poll(lfb_status expected = LFB_OK) {
    lfb_followed what = LFB_FOLLOWED_NOTHING;
    EXPECT_EQ(TryPoll(&what), expected);
    return what;
  }
  lfb_status TryPoll(lfb_followed* what) { return lfb_follow_poll(follow, now += 1000, what); }
  // The words.  Checks that the count of bits is exact.
  std::vector<uint64_t> Words() const {
    lfb_stats stats;
    const lfb_filter* filter = lfb_versions_enter(versions, nullptr);
    lfb_filter_stats(filter, &stats);
    const std::vector<uint64_t> words = WordsOf(filter);
    lfb_versions_leave(versions);
    EXPECT_EQ(stats.bits_set, BitsIn(words));
    return words;
  }
  bool Has(const std::string& key) const {
    return lfb_versions_might_contain(versions, key.data(), key.size());
  }

  lfb_versions* versions = nullptr;
  lfb_redis_module_source* source = nullptr;
  lfb_source functions{};
  lfb_follow* follow = nullptr;
  uint64_t now = 1'700'000'000;
};
