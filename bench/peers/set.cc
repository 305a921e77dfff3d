// set.cc - a peer: an exact set, 64 parts with a mutex each, and the example for peer.h.
#include <array>
#include <mutex>
#include <unordered_set>

#include "bench/peers/peer.h"

namespace {

// The hash is the key, and distributes well.
struct Same {
  size_t operator()(uint64_t hash) const { return hash; }
};

struct alignas(64) Part {
  std::mutex mutex;
  std::unordered_set<uint64_t, Same> keys;
};

using Set = std::array<Part, 64>;

Part& PartOf(void* set, uint64_t hash) { return (*static_cast<Set*>(set))[hash >> 58]; }

// A node (a pointer and the key, and malloc's 16 bytes) and a bucket.
uint64_t Size(uint64_t n, double) { return 40 * n; }

void* Create(uint64_t n, double) {
  auto* set = new Set;
  for (Part& part : *set) part.keys.reserve(n / set->size());
  return set;
}

void Free(void* set) { delete static_cast<Set*>(set); }

void Copy(void* to, const void* from) {
  auto& target = *static_cast<Set*>(to);
  const auto& source = *static_cast<const Set*>(from);
  for (size_t i = 0; i < target.size(); i++) target[i].keys = source[i].keys;
}

size_t Put(void* set, const uint64_t* hashes, size_t count) {
  size_t fresh = 0;
  for (size_t i = 0; i < count; i++) {
    Part& part = PartOf(set, hashes[i]);
    const std::lock_guard<std::mutex> lock(part.mutex);
    fresh += part.keys.insert(hashes[i]).second;
  }
  return fresh;
}

size_t Query(void* set, const uint64_t* hashes, size_t count) {
  size_t present = 0;
  for (size_t i = 0; i < count; i++) {
    Part& part = PartOf(set, hashes[i]);
    const std::lock_guard<std::mutex> lock(part.mutex);
    present += part.keys.count(hashes[i]);
  }
  return present;
}

}  // namespace

const lfb_peer* lfb_peer_of() {
  static const lfb_peer peer = {LFB_PEER_VERSION, "set-64", true, false, Size,    Create,
                                Free,             Copy,     Put,  Query, nullptr, nullptr};
  return &peer;
}
