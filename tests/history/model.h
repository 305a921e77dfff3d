// model.h - the histories that one filter's calls can have: the sequential specification, a set
// of bits that only grows, compared with the answers that threads received.
//
// A call is known by the interval from just before it to just after it, on one clock for all
// threads. A put is not a single step: it turns on its bits one after the other. A history is
// therefore judged bit by bit. A bit is certainly on once a call with that bit has ended, and
// certainly off until one has begun. The model knows each key's bits, so its answers for absent
// keys are exact, not a matter of chance.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

namespace history {

constexpr size_t kMostBits = 1024;
using Bits = std::bitset<kMostBits>;

enum class Kind : uint8_t { kPut, kClaim, kQuery, kPutAll, kCount };

struct Event {
  Kind kind;
  unsigned key;         // of put, claim and query
  uint64_t begin, end;  // on the clock: all differ, except within one batch
  uint64_t answer;      // 0 or 1; for kCount the count
};

// The model's knowledge before anything runs.
struct Scene {
  std::vector<Bits> keys;  // each key's bits
  Bits other;              // those that put_all adds
  bool puts_are_claims;    // strategy fast-pair
};

struct History {
  std::vector<Event> events;
  Bits last;            // the bits after all calls have ended
  uint64_t last_count;  // their number, by the filter's count
};

// Why the history is impossible for a filter; empty if it is possible.
std::string Check(const Scene& scene, const History& history);

// The history as text, one call per line, in the order of their beginnings.
std::string Text(const History& history);

}  // namespace history
