// filters.h - making filters for tests.
#pragma once

#include <gtest/gtest.h>
#include <lfbloom/filter.h>

#include <memory>
#include <string>
#include <vector>

struct FilterFree {
  void operator()(lfb_filter* filter) const { lfb_filter_free(filter); }
};
using Filter = std::unique_ptr<lfb_filter, FilterFree>;

inline lfb_config Config(uint64_t n, double fpp, lfb_strategy_id strategy = LFB_GUAVA_MITZ64) {
  lfb_config config{};
  config.expected_insertions = n;
  config.fpp = fpp;
  config.strategy = strategy;
  if (strategy == LFB_FAST || strategy == LFB_FAST_PAIR) config.seed = 1;  // the same for all, so that they merge
  return config;
}

inline Filter Make(const lfb_config& config) {
  lfb_filter* filter = nullptr;
  EXPECT_EQ(lfb_filter_create(&config, &filter), LFB_OK);
  return Filter(filter);
}

inline Filter Make(uint64_t n, double fpp, lfb_strategy_id strategy = LFB_GUAVA_MITZ64) {
  return Make(Config(n, fpp, strategy));
}

inline lfb_stats Stats(const Filter& filter) {
  lfb_stats stats;
  lfb_filter_stats(filter.get(), &stats);
  return stats;
}

inline bool Put(const Filter& filter, const std::string& key) {
  return lfb_filter_put(filter.get(), key.data(), key.size());
}

inline bool Has(const Filter& filter, const std::string& key) {
  return lfb_filter_might_contain(filter.get(), key.data(), key.size());
}

// Appends to a string: an lfb_write_fn.
inline lfb_status AppendTo(void* string, const void* piece, size_t size) {
  static_cast<std::string*>(string)->append(static_cast<const char*>(piece), size);
  return LFB_OK;
}

// A filter's serialised form.
inline std::string Bytes(const Filter& filter, lfb_form form = LFB_FORM_GUAVA) {
  std::string bytes;
  EXPECT_EQ(lfb_filter_write(filter.get(), form, AppendTo, &bytes), LFB_OK);
  return bytes;
}

// Every strategy that this build has and this processor supports; LFB_DEFAULT stands for one of them.
inline std::vector<lfb_strategy_id> AllStrategies() {
  std::vector<lfb_strategy_id> all;
  for (int id = LFB_DEFAULT + 1; id < 64; id++) {
    lfb_stats stats;
    const lfb_config config = Config(1000, 0.01, static_cast<lfb_strategy_id>(id));
    const lfb_status status = lfb_config_plan(&config, &stats);
    if (status != LFB_ERROR_UNKNOWN_STRATEGY && status != LFB_ERROR_NO_PAIRS)
      all.push_back(config.strategy);
  }
  return all;
}

inline std::string StrategyTestName(const testing::TestParamInfo<lfb_strategy_id>& info) {
  std::string name = lfb_strategy_name(info.param);
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}
