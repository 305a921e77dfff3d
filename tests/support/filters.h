// filters.h - making filters for tests.
#pragma once

#include <gtest/gtest.h>
#include <lfbloom/filter_more.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

// Frees what a function of the library made: for std::unique_ptr.
template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* made) const {
    Free(made);
  }
};

// What a function of the library makes.  Its last parameter says where to; it must succeed.
template <typename Owner, typename Make, typename... Given>
Owner Made(Make make, const Given&... given) {
  typename Owner::pointer made = nullptr;
  EXPECT_EQ(make(given..., &made), LFB_OK) << strerror(errno);
  return Owner(made);
}

using Filter = std::unique_ptr<lfb_filter, Freed<lfb_filter_free>>;

inline lfb_config Config(uint64_t n, double fpp, lfb_strategy_id strategy = LFB_GUAVA_MITZ64) {
  lfb_config config{};
  config.expected_insertions = n;
  config.fpp = fpp;
  config.strategy = strategy;
  // The same for all, so that they merge.
  if (strategy == LFB_FAST || strategy == LFB_FAST_PAIR) config.seed = 1;
  return config;
}

inline Filter Make(const lfb_config& config) {
  return Made<Filter>(lfb_filter_create, &config);
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

// What a function that writes an object of any kind writes.
template <typename Write, typename Owner>
std::string BytesBy(Write write, const Owner& owner) {
  std::string bytes;
  EXPECT_EQ(write(owner.get(), AppendTo, &bytes), LFB_OK);
  return bytes;
}

// A filter's serialised form.
inline std::string Bytes(const Filter& filter, lfb_form form = LFB_FORM_GUAVA) {
  std::string bytes;
  EXPECT_EQ(lfb_filter_write(filter.get(), form, AppendTo, &bytes), LFB_OK);
  return bytes;
}

// Every strategy that this build has and this processor supports; LFB_DEFAULT stands for one of
// them.
inline std::vector<lfb_strategy_id> AllStrategies() {
  std::vector<lfb_strategy_id> all;
  for (int id = LFB_DEFAULT + 1; id < 64; id++) {
    if (id == LFB_TAGS) continue;  // of no plain filter
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
