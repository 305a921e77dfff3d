// The promises of the window filter, by Relacy: its own code and that of claims, with two layers of
// one block of one pair.  A query reads them in the order of their numbers, so that each other
// generation is read newest first.
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

#ifdef LFB_MODEL_MUTATED_pair_modelled_h
#include LFB_MODEL_MUTATED
#endif
#include "tests/model/pair_modelled.h"
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
uint64_t lfb_forks(void) { return 0; }
}

namespace {

// The hashes of two keys of one bit in each word, and not the same; both belong to the first cell.
uint64_t Hash(unsigned key) {
  static uint64_t hashes[2] = {0, 0};
  for (uint64_t i = 1; hashes[1] == 0; i++) {
    const uint64_t upper = i << LFB_CLAIM_STATE_BITS, hash = upper | lfb_claims_spread(upper);
    if (hashes[0] == 0)
      hashes[0] = hash;
    else if (lfb_fast_mask(hash, 1, 1, 0) != lfb_fast_mask(hashes[0], 1, 1, 0))
      hashes[1] = hash;
  }
  return hashes[key];
}

constexpr uint64_t kOld = 1, kLive = kOld + 1;  // G and C

template <typename Test, unsigned kThreads>
struct Windows : rl::test_suite<Test, kThreads> {
  lfb_window window{};
  lfb_window_head head{};
  lfb_word words[kLive * LFB_PAIR_WORDS]{};
  lfb_cell cell{};
  Cells<uint64_t> cells;
  unsigned won[2] = {0, 0};

  void before() {
    model::exchange = model::kLoop;
    window.view = {words, &head, 1, 1, 1, 1};
    window.geometry.layers_shift = 1;
    window.kernel = lfb_window_kernels[0];
    window.head = &head;
    window.claims = lfb_claims_forgetting(&cell, &head.generation);
    cells.Begin(&head.generation, kLive);
    cells.Begin(&head.cleared, uint64_t{0});
    cells.Begin(&window.advancing, uint64_t{0});
    for (lfb_word& half : cell.half) cells.Begin(&half, uint64_t{0});
    for (lfb_word& word : words) cells.Begin(&word, uint64_t{0});
    model::called = 0;
    model::generation = kLive;
  }

  bool Has(unsigned key) { return window_might_contain(&window, Hash(key)); }
  bool Seek(unsigned key) { return lfb_window_seek(&window.view, Hash(key)); }
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
// found, by a query or by a seek.
template <typename Test, bool kSeeks = false, model::Exchange kBy = model::kLoop>
struct Refreshed : Windows<Test, 2> {
  static constexpr uint64_t kBegan = 2 * kLive;  // its layer is the first that a query reads
  void before() {
    Windows<Test, 2>::before();
    model::exchange = kBy;
    model::generation = kBegan;
    const lfb_window_view& view = this->window.view;
    const lfb_two mask = lfb_window_mask_of(&view, Hash(0)).pair[0];
    lfb_word* pair = &this->words[lfb_window_layer(&view, kBegan + 1)];
    pair[0].cell->store(mask.low, rl::mo_relaxed, RL_INFO);
    pair[1].cell->store(mask.high, rl::mo_relaxed, RL_INFO);
    this->head.generation.cell->store(kBegan, rl::mo_relaxed, RL_INFO);
  }
  void thread(unsigned index) {
    if (index == 1) RL_ASSERT(kSeeks ? this->Seek(0) : this->Has(0));
    if (index == 0) this->Put(0), this->Advance();
  }
};

struct Refresh : Refreshed<Refresh> {};
struct RefreshSought : Refreshed<RefreshSought, true> {};
struct RefreshInHalves : Refreshed<RefreshInHalves, false, model::kHalves> {};

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
  MODEL_TRY(runs, RefreshInHalves);
  MODEL_TRY(runs, RefreshSought);
  MODEL_TRY(runs, OneKey);
  MODEL_TRY(runs, TwoKeys);
  return runs.Status();
}
