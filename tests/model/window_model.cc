// The promises of the window filter, by Relacy: its own code and that of claims, with two layers of
// one block of one word.
#include "tests/model/atomic.h"

using namespace lfb_model;

namespace model {
inline unsigned Thread() { return rl::ctx().threadx_->index_; }
inline uint64_t called;      // the newest generation from which an advance was called
inline uint64_t generation;  // the current one, or the one before while an advance returns
inline uint64_t moment[4];   // that at the last hazard of each thread
inline void Hazard() { moment[Thread()] = generation; }
}  // namespace model
#define LFB_WINDOW_HAZARD model::Hazard

#include "tests/model/pair.h"
#include "tests/model/slots.h"

#define _Static_assert static_assert
#define errno (*__errno_location())  // atomic.h has undefined it
#ifdef LFB_MODEL_MUTATED
#include LFB_MODEL_MUTATED
#endif
#ifndef LFB_MODEL_MUTATED_claims_c
#include "bloom/filter/claims.c"
#endif
#include "atomic/threads/stripes.c"
#ifndef LFB_MODEL_MUTATED_window_c
#include "bloom/window/window.c"
#endif
#include "bloom/window/window_kernels.c"

#include "tests/model/model.h"

// No clock and no file.
extern "C" {
void lfb_window_begins(lfb_window_head*, uint64_t, const lfb_window_moment*) {}
lfb_window_moment lfb_window_moment_now(void) { return {}; }
lfb_status lfb_mapping_lock(lfb_mapping*) { return LFB_ERROR_OPEN; }
void lfb_mapping_unlock(const lfb_mapping*) {}
uint64_t lfb_sections_forks(void) { return 0; }
}

namespace {

// The hashes of two keys of one bit each; both belong to the first cell.
uint64_t Hash(unsigned key) {
  const uint64_t upper = (key + uint64_t{1}) << LFB_CLAIM_STATE_BITS;
  return upper | lfb_claims_spread(upper);
}

constexpr uint64_t kOld = 1, kLive = kOld + 1;  // G and C

const lfb_window_kernel kKernel = {
    [](const lfb_window_view* view, uint64_t hash) { return window_any_change(*view, hash); },
    [](const lfb_window_view* view, uint64_t hash) { return window_any_query(*view, hash); },
    [](const lfb_window_view* view, uint64_t hash,
       uint64_t e) { return window_any_query_layer(*view, hash, e); },
    nullptr,
    nullptr,
};

template <typename Test, unsigned kThreads>
struct Windows : rl::test_suite<Test, kThreads> {
  lfb_window window{};
  lfb_window_head head{};
  lfb_word words[kLive]{};
  lfb_cell cell{};
  Cells<uint64_t> cells;
  unsigned won[2] = {0, 0};

  void before() {
    window.view.fast.words = words;
    window.view.fast.blocks = window.view.fast.probes = window.view.fast.rounds = 1;
    window.view.layers_shift = window.geometry.layers_shift = 1;
    window.view.generation = &head.generation;
    window.kernel = &kKernel;
    window.head = &head;
    window.claims = lfb_claims_forgetting(&cell, &head.generation);
    cells.Begin(&head.generation, kLive);
    cells.Begin(&window.advancing, uint64_t{0});
    cells.Begin(&cell.half[0], uint64_t{0});
    for (lfb_word& word : words) cells.Begin(&word, uint64_t{0});
    model::called = 0;
    model::generation = kLive;
  }

  bool Has(unsigned key) { return window.kernel->might_contain(&window.view, Hash(key)); }
  bool Claim(unsigned key) {
    const bool mine = window_claim(&window, Hash(key));
    won[key] += mine;
    return mine;
  }
  void Advance() {
    const uint64_t now = lfb_window_generation(&window);
    if (now > model::called) model::called = now;
    if (lfb_window_advance(&window, now) == LFB_OK) model::generation++;
  }
  void Put(unsigned key) { window_put(&window, Hash(key)); }
  // A key that is put is found until the advance from the G-th later generation is called.
  void PutAndFind(unsigned key) {
    Put(key);
    const uint64_t put = model::moment[model::Thread()];
    const bool found = Has(key);
    RL_ASSERT(found || model::called >= put + kOld);
  }
};

// One thread puts, another advances.
struct PutAndFind : Windows<PutAndFind, 2> {
  void thread(unsigned index) {
    if (index == 0) return Windows::PutAndFind(0), Windows::PutAndFind(0);
    for (int i = 0; i < 3; i++) Advance();
  }
};

// Two threads advance: the lock keeps a late one from clearing a layer that is in use.
struct TwoAdvance : Windows<TwoAdvance, 3> {
  void thread(unsigned index) {
    if (index == 0) return Windows::PutAndFind(0);
    for (int i = 0; i < 2; i++) Advance();
  }
};

// A key is in the oldest layer, is put into the newest, and the oldest is cleared: it is always
// found.
struct Refresh : Windows<Refresh, 2> {
  void before() {
    Windows::before();
    model::generation = kLive + kOld;
    words[kLive % kLive].cell->store(lfb_fast_bit(Hash(0), 0), rl::mo_relaxed, RL_INFO);
    head.generation.cell->store(kLive + kOld, rl::mo_relaxed, RL_INFO);
  }
  void thread(unsigned index) {
    if (index == 0) {
      Put(0);
      Advance();
      return;
    }
    RL_ASSERT(Has(0));
  }
};

// Two claims of a key beside one advance: one wins.
struct OneKey : Windows<OneKey, 3> {
  void thread(unsigned index) {
    if (index == 2)
      Advance();
    else
      Claim(0);
  }
  void after() { RL_ASSERT(won[0] == 1); }
};

// Two keys of one cell, the first one claimed twice, beside one advance.  The claim of the second
// key completes that of the first: each has one winner.
struct TwoKeys : Windows<TwoKeys, 3> {
  void thread(unsigned index) {
    if (index == 1) Advance();
    Claim(index == 1 ? 1 : 0);
  }
  void after() { RL_ASSERT(won[0] == 1 && won[1] == 1); }
};

}  // namespace

int main(int argc, char** argv) {
  model::Runs runs(argc, argv);
  MODEL_TRY(runs, PutAndFind);
  MODEL_TRY(runs, TwoAdvance);
  MODEL_TRY(runs, Refresh);
  MODEL_TRY(runs, OneKey);
  MODEL_TRY(runs, TwoKeys);
  return runs.Status();
}
