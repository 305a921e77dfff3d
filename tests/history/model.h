// model.h - what a history of one filter's calls may look like: the sequential
// specification, a set of bits that only gains some, held against what threads
// saw.
//
// A call is known by the interval from just before it to just after it, on one
// clock for all threads.  A put is no single step: it turns on its bits one
// after the other.  So a history is judged bit by bit: a bit is surely on once
// a call that has it has ended, and surely off until one has begun.  The model
// knows each key's bits: what a query may say of a key that nobody put is
// exact, not a matter of chance.
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
  uint64_t begin, end;  // on the clock: no two are equal, but those of one batch
  uint64_t answer;      // 0 or 1; of kCount the count
};

// What the model knows before anything runs.
struct Scene {
  std::vector<Bits> keys;  // each key's bits
  Bits other;              // those that put_all brings
  bool puts_are_claims;    // strategy fast-pair
};

struct History {
  std::vector<Event> events;
  Bits last;            // the bits when all had ended
  uint64_t last_count;  // and their number, by the filter's count
};

// Why the history cannot be one of a filter; empty if it can.
std::string Check(const Scene& scene, const History& history);

// The history as text, a call a line, in the order in which they began.
std::string Text(const History& history);

}  // namespace history
