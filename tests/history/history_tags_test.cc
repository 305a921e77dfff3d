// Random programs on one filter of strategy `tags`, with a check that the answers of their threads
// are possible: each class (bloom/counting/tags.h) is a number of copies, and its calls have an
// order in time that gives every answer, and the copies that are left.
#include <algorithm>
#include <array>
#include <memory>
#include <unordered_set>

#include "bloom/counting/tags_key.h"
#include "tests/history/crew.h"
#include "tests/support/countings.h"
#include "tests/support/race.h"

namespace {

thread_local uint64_t pauses = 0;

}  // namespace

// Before each access of the kernels (tags_pauses.h): threads meet within their calls.
extern "C" void tags_pause() {
  if (Mix(8, pauses++) % 8 == 0) std::this_thread::yield();
}

namespace {

constexpr unsigned kThreads = 5, kCalls = 6, kKeys = 6, kClasses = 3;
constexpr unsigned kHistories = kUnderSanitizer ? 500 : 2000;

enum Kind { kPut, kRemove, kQuery };

struct Event {
  Kind kind;
  unsigned key;
  uint64_t begin, end;  // all differ
  bool answer;
  bool moves;  // of a query: a put ran meanwhile, which may have stored a copy too many for a while
};

std::string Text(const std::vector<Event>& events) {
  static const char* const names[] = {"put", "remove", "query"};
  std::string text;
  for (const Event& event : events)
    text += "[" + std::to_string(event.begin) + ", " + std::to_string(event.end) + "] " +
            names[event.kind] + " key " + std::to_string(event.key) + ": " +
            (event.answer ? "yes\n" : "no\n");
  return text;
}

// Whether an order of the calls exists (Wing and Gong).
class Orders {
 public:
  Orders(std::vector<Event> events, unsigned left) : events_(std::move(events)), left_(left) {}

  bool Exists(uint64_t done = 0, unsigned copies = 0) {
    if (done == (uint64_t{1} << events_.size()) - 1) return copies == left_;
    if (!tried_.insert(done).second) return false;  // the copies follow from the calls
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; i < events_.size(); i++)
      if ((done >> i & 1) == 0) next = std::min(next, events_[i].end);
    for (size_t i = 0; i < events_.size(); i++) {
      const Event& event = events_[i];
      if ((done >> i & 1) != 0 || event.begin > next || !Fits(event, copies)) continue;
      const unsigned after = copies + (event.kind == kPut) - (event.kind == kRemove);
      if (Exists(done | uint64_t{1} << i, after)) return true;
      if (event.kind == kQuery) return false;  // it changes nothing: any order may have it now
    }
    return false;
  }

 private:
  static bool Fits(const Event& event, unsigned copies) {
    if (event.kind == kPut) return true;
    return event.answer ? copies > 0 || event.moves : copies == 0;
  }

  const std::vector<Event> events_;
  const unsigned left_;
  std::unordered_set<uint64_t> tried_;
};

TEST(TagsOrders, PassesWhatCanBeAndNothingElse) {
  const Event put{kPut, 0, 10, 40, true, false}, remove{kRemove, 0, 50, 80, true, false};
  const auto query = [](uint64_t begin, uint64_t end, bool answer) {
    return Event{kQuery, 0, begin, end, answer, false};
  };
  for (bool answer : {true, false})
    for (uint64_t begin : {20, 60})
      EXPECT_TRUE(Orders({put, remove, query(begin, begin + 5, answer)}, 0).Exists());
  EXPECT_FALSE(Orders({put, query(41, 42, false)}, 1).Exists()) << "missed";
  EXPECT_FALSE(Orders({put, remove, query(81, 82, true)}, 0).Exists()) << "found after its removal";
  EXPECT_FALSE(Orders({put, remove, query(20, 21, true), query(30, 31, false)}, 0).Exists())
      << "found, and then not";
  EXPECT_FALSE(Orders({put, remove}, 1).Exists()) << "a copy too many";
  EXPECT_FALSE(Orders({put, put, remove}, 0).Exists()) << "a copy is lost";
}

// A filter of four lines, keys of three classes, and threads that run programs on it.
class Stage {
 public:
  Stage(double fpp, bool full)
      : full_(full), filter_(Count(Config(300, fpp, LFB_TAGS))), seen_(kThreads) {
    filter_->tags.half = 2;
    bits_ = Stats(filter_).probes;
    filter_->kernel = lfb_tags_kernel(bits_);  // so that the one with pauses is linked
    filter_->kernel->might_contain(filter_.get(), {1, 0});
    EXPECT_GT(pauses, 0u);
    for (unsigned key = 0; key < kKeys; key++)
      hashes_.push_back({uint64_t{key % kClasses == 1} << 63 | Mix(1, key) >> 33 << 32 |
                             (1 + key % kClasses / 2), 0});
    crew_ = std::make_unique<history::Crew>(
        kThreads, [this](unsigned t, unsigned turn) { Perform(t, turn); });
  }
  // Runs one history. Returns what is impossible, or "".
  std::string Run(uint64_t number) {
    Begin(number);
    crew_->Take();
    std::string wrong;
    for (unsigned key = 0; key < kClasses; key++) wrong += Judge(key);
    return wrong;
  }

 private:
  // Empties the lines; or fills most slots, so that puts move tags.
  void Begin(uint64_t number) {
    const unsigned slots = 64 / bits_;
    uint64_t next = 0;
    for (unsigned i = 0; i < 4 * LFB_TAGS_LINE; i++) {
      uint64_t word = 0;
      for (unsigned slot = 0; full_ && slot < slots; slot++)
        if (const uint64_t draw = Mix(number, next++); draw % 16 != 0)
          word |= (3 + (draw >> 8 & 1)) << bits_ * slot;  // their lines B differ
      lfb_word_store_alone(&filter_->tags.words[i], word);
    }
    for (auto& held : held_) held = 0;
    for (auto& seen : seen_) seen.clear();
  }

  uint64_t Tick() { return clock_.fetch_add(1); }  // seq_cst

  // Takes the right to remove a key, if some put of it has no removal.
  bool Take(unsigned key) {
    int held = held_[key];
    while (held > 0 && !held_[key].compare_exchange_weak(held, held - 1)) continue;
    return held > 0;
  }

  void Perform(unsigned thread, unsigned turn) {
    if (thread >= 2 + Mix(turn, kThreads) % (kThreads - 1)) return;
    uint64_t draws = pauses = Mix(turn, thread);
    for (unsigned i = 0; i < kCalls; i++) {
      history::Pause(draws);
      draws = Mix(3, draws);
      Event event{kQuery, static_cast<unsigned>(draws >> 40) % kKeys, 0, 0, false, false};
      const unsigned what = draws >> 32 & 7;
      if (what < 6) event.kind = what < 3 && Take(event.key) ? kRemove : kPut;
      const lfb_hash hash = hashes_[event.key];
      event.begin = Tick();
      event.answer = event.kind == kQuery
                         ? filter_->kernel->might_contain(filter_.get(), hash)
                         : filter_->kernel->change(filter_.get(), hash, event.kind == kRemove);
      event.end = Tick();
      held_[event.key] += event.kind == kPut && event.answer;
      seen_[thread].push_back(event);
    }
  }

  // The calls of a class; puts that were refused have changed nothing.
  std::vector<Event> Calls(unsigned key) const {
    std::vector<Event> calls;
    for (const auto& seen : seen_)
      for (Event event : seen) {
        if (event.key % kClasses != key || (event.kind == kPut && !event.answer)) continue;
        for (const auto& others : seen_)
          for (const Event& other : others)
            event.moves |= full_ && other.kind == kPut && other.begin < event.end &&
                           event.begin < other.end;
        calls.push_back(event);
      }
    std::sort(calls.begin(), calls.end(),
              [](const Event& a, const Event& b) { return a.begin < b.begin; });
    return calls;
  }

  std::string Judge(unsigned key) const {
    const tags_class at = tags_class_of(&filter_->tags, hashes_[key].low, bits_);
    const unsigned left = tags_look(at.line[0], at.tag, bits_, false).count +
                          tags_look(at.line[1], at.tag, bits_, false).count;
    const std::vector<Event> calls = Calls(key);
    return Orders(calls, left).Exists()
               ? ""
               : Text(calls) + "at the end " + std::to_string(left) + " copies\n";
  }

  const bool full_;
  const Counting filter_;
  uint32_t bits_ = 0;
  std::vector<lfb_hash> hashes_;
  std::array<std::atomic<int>, kKeys> held_{};  // puts without a removal
  std::atomic<uint64_t> clock_{1};
  std::vector<std::vector<Event>> seen_;
  std::unique_ptr<history::Crew> crew_;
};

class TagsHistory : public testing::TestWithParam<std::tuple<double, bool>> {};
INSTANTIATE_TEST_SUITE_P(All, TagsHistory,
                         testing::Combine(testing::Values(0.01, 1e-4, 1e-6), testing::Bool()),
                         [](const testing::TestParamInfo<std::tuple<double, bool>>& row) {
                           return std::to_string(row.index);
                         });

// Seen to fail with went_on, took_last, kept_moved, moved_backward, independent_line,
// queried_backward.
TEST_P(TagsHistory, CanHaveBeen) {
  Stage stage(std::get<0>(GetParam()), std::get<1>(GetParam()));
  for (uint64_t number = 0; number < kHistories; number++)
    ASSERT_EQ(stage.Run(number), "") << "history " << number;
}

}  // namespace
