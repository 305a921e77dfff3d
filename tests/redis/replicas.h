// replicas.h - how the tests open replicas.
#pragma once

#include <lfbloom/replica.h>

#include <chrono>
#include <memory>
#include <vector>

#include "tests/support/await.h"
#include "tests/redis/remotes.h"

using Replica = std::unique_ptr<lfb_replica, Freed<lfb_replica_close>>;

// A time limit that is reached only on failure.
constexpr uint64_t kForEver = std::chrono::milliseconds(kPatience).count();

// A replica that does not look for puts of plain clients, so that all comes by the stream.
inline lfb_replica_config Unlooking() {
  lfb_replica_config config{};
  config.look_ms = UINT64_MAX;
  return config;
}

inline Replica OpenReplica(const lfb_redis_options& options, const std::string& name,
                           const lfb_replica_config& config = Unlooking()) {
  return Made<Replica>(lfb_replica_open, &options, name.c_str(), &config);
}

inline lfb_replica_state State(const Replica& replica) {
  lfb_replica_state state{};
  lfb_replica_state_now(replica.get(), &state);
  return state;
}

inline bool Has(const Replica& replica, uint64_t key) {
  return lfb_filter_might_contain_u64(lfb_replica_filter(replica.get()), key);
}

// How many of the keys first .. first + count - 1 it lacks.
inline uint64_t Missing(const Replica& replica, uint64_t first, uint64_t count) {
  uint64_t missing = 0;
  for (uint64_t key = first; key < first + count; key++) missing += !Has(replica, key);
  return missing;
}

inline void PutRange(const Replica& replica, uint64_t first, uint64_t count) {
  std::vector<uint64_t> keys(count);
  for (uint64_t i = 0; i < count; i++) keys[i] = first + i;
  (void)lfb_replica_put_many_u64(replica.get(), keys.data(), count);
}

inline void Flush(const Replica& replica) {
  EXPECT_EQ(lfb_replica_flush(replica.get(), kForEver), LFB_OK)
      << lfb_status_text(State(replica).status);
}

// Waits until everything flushed by now is in each of them, by guarantee 2 of lfbloom/replica.h.
inline void CatchUp(const std::vector<const Replica*>& replicas) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  const auto caught_up = [&](const Replica& replica) {
    const auto passed = Clock::now() - begin;  // read before the state, so that it is not too long
    return std::chrono::microseconds(State(replica).lag_us) < passed;
  };
  for (const Replica* replica : replicas)
    Await("a replica has caught up", [&] { return caught_up(*replica); });
}

template <typename... Replicas>
void CatchUp(const Replica& first, const Replicas&... others) {
  CatchUp(std::vector<const Replica*>{&first, &others...});
}
