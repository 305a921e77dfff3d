// Random programs on a filter that is replaced while they run, with a check that the answers of
// their threads are possible: no swap loses a key that was put, no key is found that was not
// put, and version numbers only rise.
//
// The source of truth is a set of keys. Workers write a key to it before they put it, or in one
// section with the put; the administrator fills each new version from it. The seeds are chosen
// so that the filter has no false positives.
#include <lfbloom/versions.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <iostream>

#include "tests/support/filters.h"
#include "tests/history/crew.h"
#include "tests/support/race.h"

namespace {

constexpr unsigned kKeys = 4, kWorkers = 6, kCalls = 8, kSwaps = 3, kSeeds = 40;
constexpr unsigned kHistories = kUnderTsan ? 1500 : 12000;

uint64_t Key(unsigned i) { return Mix(5, i); }

lfb_config Version(uint64_t seed) {
  lfb_config config = Config(60, 1e-6, LFB_FAST);
  config.seed = seed;
  return config;
}

// Seeds with which no absent key is found, even if all other keys are present.
std::vector<uint64_t> Seeds() {
  std::vector<uint64_t> seeds;
  for (uint64_t seed = 1; seeds.size() < kSeeds; seed++) {
    bool sure = true;
    for (unsigned key = 0; key < kKeys; key++) {
      const Filter filter = Make(Version(seed));
      for (unsigned other = 0; other < kKeys; other++)
        if (other != key) lfb_filter_put_u64(filter.get(), Key(other));
      sure = sure && !lfb_filter_might_contain_u64(filter.get(), Key(key));
    }
    if (sure) seeds.push_back(seed);
  }
  return seeds;
}

enum class Kind { kPut, kPutInSection, kQuery, kHeld, kNumber, kPublish };

struct Event {
  Kind kind;
  unsigned key;
  uint64_t begin, end;
  bool answer;
  uint64_t number;  // of the version, if the call reports it; otherwise 0
};

std::string Line(const Event& event) {
  static const char* const names[] = {
      "put", "put in a section", "query", "query in a held section", "number", "publish"};
  return "[" + std::to_string(event.begin) + ", " + std::to_string(event.end) + "] " +
         names[static_cast<int>(event.kind)] + " key " + std::to_string(event.key) + ": " +
         std::to_string(event.answer) + ", version " + std::to_string(event.number);
}

class VersionsStage {
 public:
  VersionsStage()
      : seeds_(Seeds()),
        seen_(kWorkers + 1),
        crew_(kWorkers + 1, [this](unsigned t, unsigned turn) {
          uint64_t draws = Mix(turn, t);
          if (t == kWorkers)
            Administer(draws);
          else
            for (unsigned i = 0; i < kCalls; i++) Work(t, draws = Mix(1, draws));
        }) {}

  // Runs one history; returns what is wrong with it.
  std::string Run() {
    const lfb_config config = Version(seeds_[0]);
    EXPECT_EQ(lfb_versions_create(&config, &versions_), LFB_OK);
    for (auto& in : source_) in = false;
    for (auto& seen : seen_) seen.clear();
    crew_.Take();
    lfb_versions_free(versions_);
    std::vector<Event> events;
    for (const auto& seen : seen_) events.insert(events.end(), seen.begin(), seen.end());
    return Check(events);
  }

 private:
  uint64_t Tick() { return clock_.fetch_add(1); }  // seq_cst

  void Work(unsigned thread, uint64_t draws) {
    Event event{static_cast<Kind>(draws >> 32 & 3),
                static_cast<unsigned>(draws >> 40) % kKeys,
                0,
                0,
                false,
                0};
    if ((draws >> 48) % 8 == 0) event.kind = Kind::kNumber;
    history::Pause(draws);
    event.begin = Tick();
    switch (event.kind) {
      case Kind::kPut:
        source_[event.key] = true;
        event.answer = lfb_versions_put_u64(versions_, Key(event.key));
        break;
      case Kind::kPutInSection:
        lfb_versions_enter(versions_, &event.number);
        event.answer = lfb_versions_put_u64(versions_, Key(event.key));
        history::Pause(draws >> 20);
        source_[event.key] = true;
        lfb_versions_leave(versions_);
        break;
      case Kind::kQuery:
        event.answer = lfb_versions_might_contain_u64(versions_, Key(event.key));
        break;
      case Kind::kHeld: {
        const lfb_filter* filter = lfb_versions_enter(versions_, &event.number);
        history::Pause(draws >> 20);
        event.answer = lfb_filter_might_contain_u64(filter, Key(event.key));
        lfb_versions_leave(versions_);
        break;
      }
      default:
        event.number = lfb_versions_number(versions_);
        break;
    }
    event.end = Tick();
    seen_[thread].push_back(event);
  }

  // Fills a version from the current source of truth.
  void Load(lfb_filter* building) {
    for (unsigned key = 0; key < kKeys; key++)
      if (source_[key]) lfb_filter_put_u64(building, Key(key));
  }

  void Administer(uint64_t draws) {
    for (unsigned swap = 1; swap <= kSwaps; swap++) {
      draws = Mix(2, draws);
      const lfb_config config = Version(seeds_[draws % kSeeds]);
      lfb_filter* building = nullptr;
      history::Pause(draws >> 8);
      EXPECT_EQ(lfb_versions_begin_rebuild(versions_, &config, &building), LFB_OK);
      Load(building);
      history::Pause(draws >> 16);
      if (draws >> 60 == 0) {
        EXPECT_EQ(lfb_versions_abandon(versions_), LFB_OK);
        continue;
      }
      const lfb_previous previous = draws >> 40 & 1 ? LFB_KEEP_PREVIOUS : LFB_DROP_PREVIOUS;
      Publish([&](uint64_t* number) { return lfb_versions_publish(versions_, previous, number); });
      history::Pause(draws >> 24);
      if (previous == LFB_KEEP_PREVIOUS && draws >> 41 & 1)
        Publish([&](uint64_t* number) { return lfb_versions_rollback(versions_, number); });
      lfb_versions_reclaim(versions_);
    }
  }

  template <typename Call>
  void Publish(const Call& call) {
    Event event{Kind::kPublish, 0, Tick(), 0, true, 0};
    EXPECT_EQ(call(&event.number), LFB_OK);
    event.end = Tick();
    seen_[kWorkers].push_back(event);
  }

  static bool IsPut(const Event& event) {
    return event.kind == Kind::kPut || event.kind == Kind::kPutInSection;
  }

  static std::string Check(const std::vector<Event>& events) {
    for (const Event& event : events) {
      const std::string wrong = One(event, events);
      if (wrong.empty()) continue;
      std::string text = Line(event) + ": " + wrong + "\n";
      for (const Event& other : events)
        if (other.kind == Kind::kPublish || other.key == event.key) text += Line(other) + "\n";
      return text;
    }
    return "";
  }

  static std::string One(const Event& event, const std::vector<Event>& events) {
    bool in = false, maybe = false;  // certainly present at its beginning; possibly present at its
                                     // end
    for (const Event& other : events) {
      if (IsPut(other) && other.key == event.key) {
        in = in || other.end < event.begin;
        maybe = maybe || other.begin < event.end;
      }
      // A section has the version of its beginning. Only calls that begin later can have a newer
      // one.
      if (event.number != 0 && other.number > event.number && other.end < event.begin)
        return "older than " + Line(other);
      if (event.kind == Kind::kPublish && other.kind == Kind::kPublish && &other != &event &&
          other.number == event.number)
        return "two versions of one number";
    }
    if (event.kind == Kind::kQuery || event.kind == Kind::kHeld) {
      if (in && !event.answer) return "a key is lost";
      if (!maybe && event.answer) return "a key that was not put is found";
    }
    if (IsPut(event) && in && event.answer) return "new, though it had been put";
    return "";
  }

  const std::vector<uint64_t> seeds_;
  lfb_versions* versions_ = nullptr;
  std::atomic<bool> source_[kKeys];
  std::atomic<uint64_t> clock_{1};
  std::vector<std::vector<Event>> seen_;
  history::Crew crew_;
};

// Every history is possible for a filter that was never replaced, except for the version
// numbers. Seen to fail with undoubled, unwaited and ungraced.
TEST(VersionsHistory, CanHaveBeen) {
  mallopt(M_PERTURB, 1);  // freed memory is overwritten: a late reader finds other bits
  VersionsStage stage;
  for (unsigned i = 0; i < kHistories; i++) {
    const std::string wrong = stage.Run();
    ASSERT_EQ(wrong, "") << "history " << i;
  }
  std::cout << kHistories << " histories" << std::endl;
}

}  // namespace
