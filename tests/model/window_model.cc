// The promises of the window filter, by Relacy: its own code, with cells of one word, two live
// generations, and tags of 3 bits.
#include "tests/model/atomic.h"

#include "tests/model/sections.h"
#include "tests/model/slots.h"

namespace model {
inline uint64_t generation;            // the true one
inline uint64_t moment[kThreads];  // that at each thread's last hazard
inline void Hazard() { moment[Thread()] = generation; }
}  // namespace model

#define _Static_assert static_assert
#define LFB_WINDOW_HAZARD model::Hazard
#define LFB_WINDOW_TAG_BITS 3
#define LFB_WINDOW_SWEEP 1
#define LFB_WINDOW_SLEEP 2
#ifdef LFB_MODEL_MUTATED
#include LFB_MODEL_MUTATED
#endif
#include "atomic/threads/stripes.c"
#include "bloom/kinds/window.c"
#include "bloom/kinds/window_kernel.c"

#include "tests/model/model.h"

namespace {

// Two keys of one bit each.
constexpr uint64_t kKeys[] = {1, UINT64_C(1) << 63};
constexpr uint64_t kLive = 2;

// Windows of one block.
template <typename Test, unsigned kThreads>
struct Windows : rl::test_suite<Test, kThreads> {
  lfb_window window{};
  lfb_word words[kLive];
  model::Sections sections;
  Cells<uint64_t> cells;

  void before() {
    window.view = {words, {1, 1, 1, 1}, 0, &window.generation};
    sections.Begin(&cells);
    cells.Begin(&window.generation, kLive);
    for (auto& mark : window.marks) cells.Begin(&mark, UINT64_MAX);
    for (lfb_word& word : words) cells.Begin(&word, uint64_t{0});
    model::generation = kLive;
  }

  bool Change(bool (*one)(const lfb_window_view*, uint64_t), unsigned key) {
    return window_change(&window, one, kKeys[key]);
  }
  bool Has(unsigned key) { return window_any_might_contain(&window.view, kKeys[key]); }
  void Advance(unsigned times) {
    for (unsigned i = 0; i < times; i++)
      if (lfb_window_advance(&window, lfb_window_generation(&window)) == LFB_OK)
        model::generation++;
  }
  // A key is found while the generation of its put's last step is live, also after `later` others.
  void PutAndFind(unsigned key, unsigned later = 0) {
    Change(window_any_put, key);
    const uint64_t put = model::moment[model::Thread()];
    Advance(later);
    const bool found = Has(key);
    RL_ASSERT(found || model::generation >= put + kLive);
  }
};

// One thread puts and ends generations, and another ends generations.
struct Put : Windows<Put, 2> {
  void thread(unsigned index) {
    if (index == 1) return Advance(3);
    PutAndFind(0, 1);
    PutAndFind(0, 1);
  }
};

// Two threads put, each a key of its own, the second two generations later into the same cell.
struct TwoPut : Windows<TwoPut, 2> {
  void thread(unsigned index) {
    if (index == 0) return PutAndFind(0);
    Advance(2);
    PutAndFind(1);
  }
};

// Two threads end generations, so that each may find that the other has.
struct TwoAdvance : Windows<TwoAdvance, 3> {
  void thread(unsigned index) {
    if (index > 0) return Advance(3);
    PutAndFind(0);
    PutAndFind(1);
  }
};

// Two claims of a key: one wins, or both, one after the window of the other.
struct Claim : Windows<Claim, 3> {
  struct {
    bool won;
    uint64_t began, ended;
  } claims[2];

  void thread(unsigned index) {
    if (index == 2) return Advance(3);
    claims[index].began = model::generation;
    claims[index].won = Change(window_any_claim, 0);
    claims[index].ended = model::generation;
  }
  void after() {
    RL_ASSERT(claims[0].won || claims[1].won);
    if (claims[0].won && claims[1].won)
      RL_ASSERT(claims[0].ended >= claims[1].began + kLive ||
                claims[1].ended >= claims[0].began + kLive);
  }
};

}  // namespace

int main(int argc, char** argv) {
  model::Runs runs(argc, argv);
  MODEL_TRY(runs, Put);
  MODEL_TRY(runs, TwoPut);
  MODEL_TRY(runs, TwoAdvance);
  MODEL_TRY(runs, Claim);
  return runs.Status();
}
