// remotes.h - how the tests create filters on Redis.
#pragma once

#include <lfbloom/redis.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "bloom/filter/filter.h"
#include "redis/filter/remote.h"
#include "tests/support/filters.h"
#include "tests/redis/server.h"

using Remote = std::unique_ptr<lfb_redis, Freed<lfb_redis_close>>;

// Parts of 4 KiB, 63 blocks each, so that small filters have many.
constexpr uint64_t kSmallParts = 4096;

inline Remote CreateRemote(const lfb_redis_options& options, const std::string& name,
                           const lfb_config& config, uint64_t part_bytes = kSmallParts) {
  return Made<Remote>(lfb_redis_create, &options, name.c_str(), &config, part_bytes);
}

inline lfb_status TryOpen(const lfb_redis_options& options, const std::string& name,
                          const lfb_config* wanted = nullptr, Remote* opened = nullptr) {
  lfb_redis* filter = nullptr;
  const lfb_status status = lfb_redis_open(&options, name.c_str(), wanted, &filter);
  EXPECT_EQ(status == LFB_OK, filter != nullptr);
  if (opened != nullptr)
    opened->reset(filter);
  else
    lfb_redis_close(filter);
  return status;
}

inline Remote OpenRemote(const lfb_redis_options& options, const std::string& name,
                         const lfb_config* wanted = nullptr) {
  Remote filter;
  EXPECT_EQ(TryOpen(options, name, wanted, &filter), LFB_OK);
  return filter;
}

inline Filter Load(const Remote& remote) {
  return Made<Filter>(lfb_redis_load, remote.get(), nullptr);
}

inline lfb_stats RemoteStats(const Remote& remote) {
  lfb_figures figures{};
  EXPECT_EQ(lfb_redis_stats(remote.get(), &figures), LFB_OK);
  return figures.all;
}

inline bool RemotePut(const Remote& remote, const std::string& key) {
  bool changed = false;
  EXPECT_EQ(lfb_redis_put(remote.get(), key.data(), key.size(), &changed), LFB_OK);
  return changed;
}

inline bool RemoteHas(const Remote& remote, const std::string& key) {
  bool maybe = false;
  EXPECT_EQ(lfb_redis_might_contain(remote.get(), key.data(), key.size(), &maybe), LFB_OK);
  return maybe;
}

inline std::vector<uint64_t> KeysFrom(uint64_t first, uint64_t end) {
  std::vector<uint64_t> keys(end - first);
  std::iota(keys.begin(), keys.end(), first);
  return keys;
}

// Puts or queries numbers, and returns how many were new, or are found.
inline size_t RemoteMany(const Remote& remote, lfb_verb verb, const std::vector<uint64_t>& keys,
                         lfb_status expected = LFB_OK) {
  size_t yes = 0;
  EXPECT_EQ(lfb_redis_many(remote.get(), verb, keys.data(), keys.size(), nullptr, &yes,
                           LFB_U64_KEY),
            expected);
  return yes;
}

// Puts or queries a number.
inline lfb_status PutNumber(lfb_redis* remote, uint64_t key, bool* changed) {
  size_t yes = 0;
  const lfb_status status = lfb_redis_many(remote, LFB_PUT, &key, 1, nullptr, &yes, LFB_U64_KEY);
  if (status == LFB_OK && changed != nullptr) *changed = yes == 1;
  return status;
}

inline lfb_status AskNumber(lfb_redis* remote, uint64_t key, bool* maybe) {
  size_t yes = 0;
  const lfb_status status =
      lfb_redis_many(remote, LFB_MIGHT_CONTAIN, &key, 1, nullptr, &yes, LFB_U64_KEY);
  if (status == LFB_OK) *maybe = yes == 1;
  return status;
}

inline std::vector<std::string> Keys(const Remote& remote) {
  std::vector<std::string> keys;
  const auto add = [&keys](const lfb_key& key) {
    keys.emplace_back(static_cast<const char*>(key.bytes), key.size);
  };
  if (remote->place.layout->described) add(remote->place.name);
  for (uint64_t i = remote->place.plan.parts; i-- > 0;) add(remote->parts[i].name);
  return keys;
}

inline std::vector<uint64_t> WordsOf(const Filter& filter) {
  const lfb_bit_array& bits = filter->layout.bits;
  std::vector<uint64_t> words;
  for (uint64_t i = 0; i < bits.word_count; i++) words.push_back(bits.words[i].load());
  return words;
}

// Every strategy that has a layout and that this processor supports.
inline const std::vector<lfb_strategy_id> kRemoteStrategies = [] {
  std::vector<lfb_strategy_id> all;
  for (lfb_strategy_id id : AllStrategies())
    if (id != LFB_SBBF && id != LFB_JAVA_DOUBLE && id != LFB_GO_FNV14) all.push_back(id);
  return all;
}();

// Whether it has the layout for any size, with parts and a description.
inline bool HasParts(lfb_strategy_id id) { return id == LFB_FAST || id == LFB_FAST_PAIR; }
