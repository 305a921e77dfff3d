// followers.h - how the tests publish and follow versions of a filter on Redis.
//
// Version v has the keys 0 to kStep * v - 1. So the version that a follower reports determines
// the keys that it must have.
#pragma once

#include <lfbloom/redis_source.h>

#include <atomic>
#include <chrono>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/await.h"
#include "tests/redis/remotes.h"

constexpr uint64_t kStep = 100;
constexpr uint64_t kDay = 86400;

inline Filter VersionFilter(uint64_t version, lfb_config config = Config(10'000, 1e-4, LFB_FAST)) {
  Filter filter = Make(config);
  const std::vector<uint64_t> keys = KeysFrom(0, kStep * version);
  lfb_filter_put_many_u64(filter.get(), keys.data(), keys.size(), nullptr);
  return filter;
}

inline lfb_redis_publication SmallParts(uint32_t keep) {
  lfb_redis_publication publication{};
  publication.part_bytes = kSmallParts;
  publication.keep = keep;
  return publication;
}

inline lfb_status TryPublish(const lfb_redis_options& options, uint64_t version, uint32_t keep = 0,
                             uint64_t* number = nullptr) {
  const Filter filter = VersionFilter(version);
  const lfb_redis_publication publication = SmallParts(keep);
  return lfb_redis_publish(&options, "seen", filter.get(), &publication, number);
}

// Publishes `version` in full and expects that number.
inline void Publish(const lfb_redis_options& options, uint64_t version, uint32_t keep = 0) {
  uint64_t number = 0;
  EXPECT_EQ(TryPublish(options, version, keep, &number), LFB_OK);
  EXPECT_EQ(number, version);
}

// Publishes by deltas where they suffice.
class Publisher {
 public:
  explicit Publisher(const lfb_redis_options& options, uint32_t keep = 0)
      : Publisher(options, SmallParts(keep)) {}
  Publisher(const lfb_redis_options& options, const lfb_redis_publication& publication) {
    EXPECT_EQ(lfb_redis_publisher_create(&options, "seen", &publication, &publisher_), LFB_OK);
  }
  ~Publisher() { lfb_redis_publisher_free(publisher_); }
  Publisher(const Publisher&) = delete;
  Publisher& operator=(const Publisher&) = delete;

  lfb_status Try(const Filter& filter, uint64_t* number = nullptr) {
    return lfb_redis_publisher_publish(publisher_, filter.get(), number);
  }
  void Publish(uint64_t version) {
    uint64_t number = 0;
    EXPECT_EQ(Try(VersionFilter(version), &number), LFB_OK);
    EXPECT_EQ(number, version);
  }

 private:
  lfb_redis_publisher* publisher_ = nullptr;
};

inline std::set<std::string> KeysThere(const RedisServer& server) {
  std::istringstream lines(server.Call({"KEYS", "*"}));
  std::set<std::string> keys;
  for (std::string line; std::getline(lines, line);) keys.insert(line);
  return keys;
}

// How many keys belong to filters: all except the list, the notes and deltas.
inline size_t FilterKeys(const RedisServer& server) {
  size_t count = 0;
  for (const std::string& key : KeysThere(server))
    count += key != "{seen:versions}" && key != "{seen:notes}" &&
             key.find(":delta}") == std::string::npos;
  return count;
}

inline std::set<std::string> DeltaKeys(const RedisServer& server) {
  std::set<std::string> deltas;
  for (const std::string& key : KeysThere(server))
    if (key.find(":delta}") != std::string::npos) deltas.insert(key);
  return deltas;
}

class Follower {
 public:
  explicit Follower(const lfb_redis_options& options, lfb_follow_config config = {},
                    const char* name = "seen") {
    const lfb_config first = Config(10, 0.01, LFB_FAST);
    if (config.most_retry_seconds == 0) config.most_retry_seconds = 1;
    config.start_at_once = true;
    config.report_to = this;
    config.report = [](void* to, lfb_followed what, lfb_status status) {
      Follower* it = static_cast<Follower*>(to);
      it->did[what]++;
      if (what != LFB_FOLLOWED_FAILED) return;
      if (status == LFB_ERROR_REDIS_OUTPACED) return;  // by a faster publisher: on a busy machine
      it->failed++;
      it->failure = status;
    };
    EXPECT_EQ(lfb_versions_create(&first, &versions), LFB_OK);
    EXPECT_EQ(lfb_redis_source_create(&options, name, nullptr, &source), LFB_OK);
    functions = lfb_redis_source_functions(source);
    EXPECT_EQ(lfb_follow_create(versions, &functions, &config, &follow), LFB_OK);
  }
  ~Follower() {
    lfb_redis_source_silence(source);
    lfb_follow_free(follow);
    lfb_redis_source_free(source);
    lfb_versions_free(versions);
  }
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  void Start() {
    EXPECT_EQ(lfb_follow_start(follow), LFB_OK);
    EXPECT_EQ(lfb_redis_source_listen(source, follow), LFB_OK);
  }
  lfb_followed Poll(lfb_status expected = LFB_OK) {
    lfb_followed what = LFB_FOLLOWED_NOTHING;
    EXPECT_EQ(lfb_follow_poll(follow, now += 1000, &what), expected);
    return what;
  }
  // Polls.  Expects that this did `what`, and that all keys of a version are found after it.
  void Expect(lfb_followed what, uint64_t version, int line = __builtin_LINE()) {
    EXPECT_EQ(Poll(), what) << "line " << line;
    EXPECT_EQ(Missing(version), 0u) << "line " << line;
  }
  // The version that it reports.
  uint64_t At() const {
    lfb_follow_figures figures;
    lfb_follow_stats(follow, &figures);
    return figures.source_version;
  }
  // How many keys of a version it does not find.
  uint64_t Missing(uint64_t version) const {
    const std::vector<uint64_t> keys = KeysFrom(0, kStep * version);
    return keys.size() - lfb_versions_many(versions, LFB_MIGHT_CONTAIN, keys.data(), keys.size(),
                                           nullptr, LFB_U64_KEY);
  }
  void AwaitVersion(uint64_t version) const {
    Await("a follower has version " + std::to_string(version), [&] { return At() >= version; });
  }

  std::atomic<unsigned> did[LFB_FOLLOWED_WAITING + 1] = {};
  std::atomic<unsigned> failed{0};  // but for being outpaced
  std::atomic<lfb_status> failure{LFB_OK};
  lfb_versions* versions = nullptr;
  lfb_redis_source* source = nullptr;
  lfb_source functions{};
  lfb_follow* follow = nullptr;
  uint64_t now = 1'700'000'000;
};

// Checks a follower repeatedly while others publish: the version that it reports only rises, and
// all keys of that version are found.
class Watch {
 public:
  explicit Watch(const Follower& follower)
      : thread_([this, &follower] {
          uint64_t last = 0;
          do {
            const uint64_t at = follower.At();
            EXPECT_GE(at, last);
            EXPECT_EQ(follower.Missing(at), 0u) << "version " << at;
            last = at;
          } while (!done_);
        }) {}
  ~Watch() {
    done_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> done_{false};
  std::thread thread_;
};
