// Every interleaving of the operations on one class of tags, as bloom/counting/tags.h argues them:
// no query misses a key that stays, no save has fewer copies than keys that stay, no removal by the
// rule is refused; and each step that the argument needs, left out, is found.
//
// A state is the number of copies in each word of the class, in the order of looks, and where each
// thread is.  One class is enough: other tags only take slots.  A step is one look or one exchange.
// Puts take any word with a free slot, more than the product does.  A thread that stops is any
// delay.  All states are reached by a search; a state in which something is lost ends it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_set>
#include <vector>

namespace {

constexpr unsigned kWords = 4, kCapacity = 3, kMost = 4;  // words, copies in each, threads

// The deviations from the argument.
enum Flaw {
  kNone,
  kReadsBackward,      // the reader goes through the words from the last one
  kReadsSwapped,       // the reader exchanges two words of a line
  kReadsSecondFirst,   // the reader reads line B first
  kTakesLast,          // a removal takes the last copy of a unit of two words
  kGoesOn,             // after a failed exchange it goes on with the next word
  kTakesOfStaleMap,    // it reads all words once, and tries the copies that it saw
  kMovesBackward,      // a move goes to an earlier word
  kMovesTakingFirst,   // a move takes before it stores
};

// What each thread does, a letter for each call: p puts, r removes what it has put or an early key,
// m moves a copy.  One more thread reads.
struct Scene {
  std::vector<std::string> scripts;
  unsigned stay = 1;   // keys that are present throughout: a query sees one, a save all
  unsigned early = 0;  // keys that are present at first and that a thread removes
  bool wide = false;   // removals look at two words at once
  Flaw flaw = kNone;
};

// Where a thread is: before a call, before a look, before its exchange, in a move.
enum Place : uint8_t { kBefore, kLook, kTake, kStore, kStored };

struct State {
  uint8_t copies[kWords];
  uint8_t calls[kMost], place[kMost], word[kMost], to[kMost], map[kMost];  // of threads
  uint8_t read, seen;                                                      // of the reader
  bool operator==(const State& other) const { return memcmp(this, &other, sizeof *this) == 0; }
};
static_assert(sizeof(State) == kWords + 5 * kMost + 2, "without padding: it is compared");

struct Hash {
  size_t operator()(const State& state) const {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < sizeof state; i++)
      hash = (hash ^ reinterpret_cast<const unsigned char*>(&state)[i]) * 1099511628211u;
    return hash ^ hash >> 29;
  }
};

class Search {
 public:
  explicit Search(const Scene& scene) : scene_(scene) {}

  // What is lost, or "": nothing, in any state.
  std::string Run() {
    Begin(State{}, 0);
    for (size_t i = 0; i < queue_.size() && lost_.empty(); i++) {
      const State state = queue_[i];
      for (unsigned t = 0; t < scene_.scripts.size(); t++) Step(state, t);
      Read(state);
    }
    return lost_;
  }

  size_t states() const { return queue_.size(); }

 private:
  void Add(const State& state) {
    if (seen_.insert(state).second) queue_.push_back(state);
  }

  // The keys at the start, in all places.
  void Begin(State state, unsigned keys) {
    if (keys == scene_.stay + scene_.early) return Add(state);
    for (unsigned word = 0; word < kWords; word++) {
      State next = state;
      if (next.copies[word]++ < kCapacity) Begin(next, keys + 1);
    }
  }

  static void End(State* state, unsigned t) {
    state->place[t] = kBefore;
    state->word[t] = state->to[t] = state->map[t] = 0;
    state->calls[t]++;
  }
  void AddEnd(State state, unsigned t) {
    End(&state, t);
    Add(state);
  }
  // The same, with one copy fewer in a word.
  void AddTaken(State state, unsigned t, unsigned word) {
    state.copies[word]--;
    AddEnd(state, t);
  }

  void Step(const State& state, unsigned t) {
    const std::string& script = scene_.scripts[t];
    switch (state.place[t]) {
      case kBefore:
        if (state.calls[t] == script.size()) return;
        if (script[state.calls[t]] == 'p') return Put(state, t);
        if (script[state.calls[t]] == 'm') return BeginMove(state, t);
        return At(state, t, kLook, 0);
      case kLook: return Look(state, t);
      case kTake: return Take(state, t);
      case kStore: return Store(state, t);
      default: return EndMove(state, t);
    }
  }

  void At(State state, unsigned t, Place place, unsigned word) {
    state.place[t] = place;
    state.word[t] = static_cast<uint8_t>(word);
    Add(state);
  }

  void Put(const State& state, unsigned t) {
    for (unsigned word = 0; word < kWords; word++)
      if (state.copies[word] < kCapacity) {
        State next = state;
        next.copies[word]++;
        AddEnd(next, t);
      }
  }

  // A look of a removal at one word, or at two.
  void Look(State state, unsigned t) {
    const unsigned word = state.word[t];
    if (scene_.flaw == kTakesOfStaleMap) return LookForMap(state, t);
    if (word == kWords) {
      lost_ = "a removal was refused";
      return;
    }
    const bool second = scene_.wide && state.copies[word + 1] > 0;
    if (second && (state.copies[word] == 0 || scene_.flaw == kTakesLast))
      return At(state, t, kTake, word + 1);
    if (state.copies[word] > 0) return At(state, t, kTake, word);
    At(state, t, kLook, word + (scene_.wide ? 2 : 1));
  }

  void LookForMap(State state, unsigned t) {
    const unsigned word = state.word[t];
    if (word < kWords) {
      state.map[t] = static_cast<uint8_t>(state.map[t] | (state.copies[word] > 0) << word);
      return At(state, t, kLook, word + 1);
    }
    if (state.map[t] == 0) {
      lost_ = "a removal was refused";
      return;
    }
    const auto first = static_cast<unsigned>(__builtin_ctz(state.map[t]));
    if (state.copies[first] > 0) return AddTaken(state, t, first);
    state.map[t] = static_cast<uint8_t>(state.map[t] & (state.map[t] - 1));
    Add(state);
  }

  // The exchange: it fails if its copy is gone, or if another slot of the word has changed.
  void Take(const State& state, unsigned t) {
    const unsigned word = state.word[t];
    if (state.copies[word] > 0) AddTaken(state, t, word);
    At(state, t, kLook, scene_.flaw == kGoesOn ? word + 1 : 0);
  }

  // A move has seen a copy in a word, and a free slot in a later one.  Or there is none to move.
  void BeginMove(const State& state, unsigned t) {
    const bool backward = scene_.flaw == kMovesBackward;
    for (unsigned from = 0; from < kWords; from++)
      for (unsigned to = 0; to < kWords; to++) {
        if (state.copies[from] == 0 || (backward ? to >= from : to <= from)) continue;
        State next = state;
        next.to[t] = static_cast<uint8_t>(to);
        next.copies[from] = static_cast<uint8_t>(next.copies[from] -
                                                 (scene_.flaw == kMovesTakingFirst));
        At(next, t, kStore, from);
      }
    AddEnd(state, t);
  }

  // What it saw may have changed meanwhile.  Its exchange fails: it ends.
  void Store(const State& state, unsigned t) {
    State next = state;
    if (state.copies[state.to[t]] < kCapacity) {
      next.copies[state.to[t]]++;
      if (scene_.flaw == kMovesTakingFirst) return AddEnd(next, t);
      At(next, t, kStored, state.word[t]);
    }
    if (scene_.flaw != kMovesTakingFirst) AddEnd(state, t);
  }

  // It takes a copy from where it saw one; without one it becomes a removal.
  void EndMove(State state, unsigned t) {
    const unsigned from = state.word[t];
    if (state.copies[from] > 0) AddTaken(state, t, from);
    state.to[t] = 0;
    At(state, t, kLook, 0);
  }

  unsigned Order(unsigned i) const {
    static constexpr unsigned swapped[] = {1, 0, 2, 3}, second[] = {2, 3, 0, 1};
    return scene_.flaw == kReadsBackward      ? kWords - 1 - i
           : scene_.flaw == kReadsSwapped     ? swapped[i]
           : scene_.flaw == kReadsSecondFirst ? second[i]
                                              : i;
  }

  // A query or a save: it adds up the copies, up to those that stay.
  void Read(State state) {
    if (state.read > kWords) return;
    if (state.read == kWords) {
      if (state.seen < scene_.stay) lost_ = "a reader missed a key that stays";
    } else {
      const unsigned sum = state.seen + state.copies[Order(state.read)];
      state.seen = static_cast<uint8_t>(std::min(sum, scene_.stay));
    }
    state.read++;
    Add(state);
  }

  const Scene scene_;
  std::vector<State> queue_;
  std::unordered_set<State, Hash> seen_;
  std::string lost_;
};

struct Named {
  const char* name;
  Scene scene;
};

std::string NameOf(const testing::TestParamInfo<Named>& named) { return named.param.name; }

// ---- what the product does --------------------------------------------------------------

class Right : public testing::TestWithParam<Named> {};
INSTANTIATE_TEST_SUITE_P(
    Scenes, Right,
    testing::Values(Named{"TwoWriters", {{"prpr", "prpr"}}},
                    Named{"ThreeWriters", {{"pr", "pr", "pr"}}},
                    Named{"SaveOfTwo", {{"prpr", "pr"}, 2}},
                    Named{"SaveBesideAMove", {{"m", "pr"}, 2}},
                    Named{"Wide", {{"prpr", "prpr"}, 1, 0, true}},
                    Named{"WideWithAMove", {{"m", "pr", "r"}, 1, 1, true}},
                    Named{"MoverAndTwoWriters", {{"m", "pr", "pr"}}},
                    Named{"MoverThatMovesTwice", {{"mm", "r", "pr"}, 1, 1}},
                    Named{"TwoMovers", {{"m", "m", "r"}, 1, 1}},
                    Named{"MoverOfTheLastCopy", {{"m", "r", "r"}, 1, 2}}),
    NameOf);

TEST_P(Right, LosesNothingInAnyInterleaving) {
  Search search(GetParam().scene);
  EXPECT_EQ(search.Run(), "");
  EXPECT_GT(search.states(), 3000u);
  RecordProperty("states", static_cast<int>(search.states()));
}

// ---- what it must not do ----------------------------------------------------------------

class Wrong : public testing::TestWithParam<Named> {};
const Scene kWriters{{"prpr", "prpr"}};
Scene With(Scene scene, Flaw flaw) {
  scene.flaw = flaw;
  return scene;
}
INSTANTIATE_TEST_SUITE_P(
    Flaws, Wrong,
    testing::Values(Named{"ReadsBackward", With({{"pr", "pr"}}, kReadsBackward)},
                    Named{"ReadsSwapped", With({{"pr", "pr"}}, kReadsSwapped)},
                    Named{"ReadsSecondFirst", With({{"pr", "pr"}}, kReadsSecondFirst)},
                    Named{"TakesLast", With({{"prpr", "prpr"}, 1, 0, true}, kTakesLast)},
                    Named{"GoesOn", With(kWriters, kGoesOn)},
                    Named{"TakesOfStaleMap", With(kWriters, kTakesOfStaleMap)},
                    Named{"MovesBackward", With({{"m", "pr"}}, kMovesBackward)},
                    Named{"MovesTakingFirst", With({{"m", "pr"}}, kMovesTakingFirst)},
                    // callers that break the rule
                    Named{"RemovesBeforeThePut", {{"rp", "pr"}}},
                    Named{"RemovesTwice", {{"prr", "pr"}}}),
    NameOf);

TEST_P(Wrong, IsFound) { EXPECT_NE(Search(GetParam().scene).Run(), ""); }

}  // namespace
