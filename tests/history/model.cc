#include "tests/history/model.h"

#include <algorithm>
#include <sstream>

namespace history {
namespace {

bool Adds(Kind kind) { return kind == Kind::kPut || kind == Kind::kClaim || kind == Kind::kPutAll; }

bool Within(const Bits& inner, const Bits& outer) { return (inner & ~outer).none(); }

std::string Line(const Event& event) {
  static const char* const names[] = {"put", "claim", "query", "put_all", "count"};
  std::ostringstream line;
  line << '[' << event.begin << ", " << event.end << "] " << names[static_cast<int>(event.kind)];
  if (event.kind <= Kind::kQuery) line << " key " << event.key;
  if (event.kind != Kind::kPutAll) line << ": " << event.answer;
  return line.str();
}

class Judge {
 public:
  Judge(const Scene& scene, const History& history) : scene_(scene), history_(history) {
    for (const Event& event : history.events)
      if (Adds(event.kind)) adds_.push_back(&event);
  }

  std::string Verdict() {
    for (const Event& event : history_.events) {
      const std::string wrong = One(event);
      if (!wrong.empty()) return Line(event) + ": " + wrong;
    }
    for (unsigned key = 0; key < scene_.keys.size(); key++) {
      const std::string wrong = Winners(key);
      if (!wrong.empty()) return "key " + std::to_string(key) + ": " + wrong;
    }
    if (history_.last != Union([](const Event&) { return true; }))
      return "bits are lost, or of no key";
    if (history_.last_count != history_.last.count())
      return "the count at the end is not that of the bits";
    return Credit();
  }

 private:
  const Bits& Mask(const Event& event) const {
    return event.kind == Kind::kPutAll ? scene_.other : scene_.keys[event.key];
  }

  template <typename Which>
  Bits Union(const Which& which) const {
    Bits bits;
    for (const Event* add : adds_)
      if (which(*add)) bits |= Mask(*add);
    return bits;
  }

  // Bits that are certainly on at that time; next, bits that may be.
  Bits Certain(uint64_t time) const {
    return Union([&](const Event& add) { return add.end < time; });
  }
  Bits Possible(uint64_t time) const {
    return Union([&](const Event& add) { return add.begin < time; });
  }
  // The same, without the bits that one call itself turned on.
  Bits PossibleWithout(const Event& self) const {
    return Union([&](const Event& add) { return &add != &self && add.begin < self.end; });
  }

  std::string One(const Event& event) const {
    switch (event.kind) {
      case Kind::kQuery:
        if (event.answer == 0 && Within(Mask(event), Certain(event.begin))) return "a false no";
        if (event.answer == 1 && !Within(Mask(event), Possible(event.end)))
          return "a bit that no put had turned on";
        return "";
      case Kind::kPut:
      case Kind::kClaim:
        if (event.answer == 1 && Within(Mask(event), Certain(event.begin)))
          return "new, but all of it was in";
        if (event.answer == 0 && !Within(Mask(event), PossibleWithout(event)))
          return "not new, but no other call had put all of it";
        return "";
      case Kind::kCount:
        return Count(event);
      case Kind::kPutAll:
        return "";
    }
    return "";
  }

  // The thread that turned on a bit counts it, after the bit is on and before the call returns.
  std::string Count(const Event& count) const {
    Bits unsettled, claimed;  // may still be in progress, also as help for a claim that has ended
    bool claiming = false;
    for (const Event* add : adds_) {
      const bool in_progress = add->begin < count.end && add->end > count.begin;
      if (in_progress) unsettled |= Mask(*add);
      if (add->kind == Kind::kClaim) claimed |= Mask(*add);
      claiming |= in_progress && add->kind == Kind::kClaim;
    }
    if (claiming) unsettled |= claimed;
    if (count.answer < (Certain(count.begin) & ~unsettled).count())
      return "below what had been counted";
    if (count.answer > Possible(count.end).count() - SurelyOff(count)) return "above the truth";
    return "";
  }

  // A lower bound for the bits that could be on when a count ended and were off. Each call that
  // begins later and finds a bit of its key off shows one; calls without a common bit show one
  // each.
  size_t SurelyOff(const Event& count) const {
    const Bits possible = Possible(count.end);
    Bits told;
    size_t off = 0;
    for (const Event& later : history_.events) {
      const bool found_off =
          later.begin > count.end && ((later.kind == Kind::kQuery && later.answer == 0) ||
                                      (later.kind == Kind::kPut && later.answer == 1));
      if (!found_off) continue;
      const Bits mask = Mask(later);
      if (!Within(mask, possible) || (mask & told).any()) continue;
      told |= mask;
      off++;
    }
    return off;
  }

  bool Claims(const Event& event, unsigned key) const {
    const bool claim =
        event.kind == Kind::kClaim || (event.kind == Kind::kPut && scene_.puts_are_claims);
    return claim && event.key == key;
  }

  std::string Winners(unsigned key) const {
    unsigned won = 0, asked = 0;
    for (const Event& event : history_.events) {
      if (!Claims(event, key)) continue;
      asked++;
      won += event.answer == 1;
    }
    if (won > 1) return std::to_string(won) + " claims have won";
    if (asked == 0 || won == 1) return "";
    const Bits others = Union([&](const Event& add) { return !Claims(add, key); });
    return Within(scene_.keys[key], others) ? "" : "claimed, and no claim has won";
  }

  // Whether a call can have turned on a bit: its key has the bit, and no call with that bit had
  // ended before it began. A claim is won before its bits are on, so other calls may have turned
  // on all of them.
  bool CanHaveTurnedOn(const Event& add, size_t bit) const {
    if (!Mask(add)[bit] || (add.kind != Kind::kPutAll && add.answer == 0)) return false;
    return std::none_of(adds_.begin(), adds_.end(), [&](const Event* other) {
      return other->end < add.begin && Mask(*other)[bit];
    });
  }

  // One call turned on each bit; each put that returned true turned on at least one, of its own
  // key.
  std::string Credit() {
    std::vector<size_t> bits;
    for (size_t bit = 0; bit < kMostBits; bit++)
      if (history_.last[bit]) bits.push_back(bit);
    for (size_t bit : bits)
      if (std::none_of(adds_.begin(), adds_.end(),
                       [&](const Event* add) { return CanHaveTurnedOn(*add, bit); }))
        return "bit " + std::to_string(bit) + " is on, and no call reports that it turned it on";
    turned_on_.assign(kMostBits, nullptr);
    for (const Event* add : adds_) {
      if (add->kind != Kind::kPut || add->answer == 0) continue;
      std::vector<bool> tried(kMostBits, false);
      if (!Match(*add, bits, &tried))
        return Line(*add) + ": new, but others turned on each of its bits";
    }
    return "";
  }

  // Assigns a bit to the call, and another bit to the call that had it (Kuhn's matching).
  bool Match(const Event& add, const std::vector<size_t>& bits, std::vector<bool>* tried) {
    for (size_t bit : bits) {
      if ((*tried)[bit] || !CanHaveTurnedOn(add, bit)) continue;
      (*tried)[bit] = true;
      if (turned_on_[bit] == nullptr || Match(*turned_on_[bit], bits, tried)) {
        turned_on_[bit] = &add;
        return true;
      }
    }
    return false;
  }

  const Scene& scene_;
  const History& history_;
  std::vector<const Event*> adds_;
  std::vector<const Event*> turned_on_;  // the call that a bit is assigned to
};

}  // namespace

std::string Check(const Scene& scene, const History& history) {
  return Judge(scene, history).Verdict();
}

std::string Text(const History& history) {
  std::vector<Event> events = history.events;
  std::sort(events.begin(), events.end(),
            [](const Event& a, const Event& b) { return a.begin < b.begin; });
  std::string text;
  for (const Event& event : events) text += Line(event) + '\n';
  return text + "at the end " + std::to_string(history.last.count()) + " bits on, " +
         std::to_string(history.last_count) + " counted\n";
}

}  // namespace history
