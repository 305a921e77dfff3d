// The promises of atomic/threads/slots.c, by Relacy: its own code, with atomic/threads/stripes.h
// over it. A thread's variables are the model's (tests/model/BUILD.bazel, slots_modelled);
// pthread's functions are in this file.
#include "tests/model/atomic.h"

#include <stdint.h>

namespace {

constexpr unsigned kThreads = 3;

unsigned Thread() { return rl::ctx().threadx_->index_; }

// A variable of which each thread of the model has one; Begin() comes before a run.
class PerThread {
 public:
  operator uint32_t() const { return of_[Thread()]; }
  PerThread& operator=(uint32_t value) {
    of_[Thread()] = value;
    return *this;
  }
  void Begin() {
    for (uint32_t& one : of_) one = 0;
  }

 private:
  uint32_t of_[kThreads] = {};
};

// The state of pthread. All keys have the same destructor. A thread knows the keys that were
// made before it in the happens-before sense.
struct Pthread {
  void (*at_exit)(void*) = nullptr;
  void* value[kThreads] = {};
  rl::atomic<int>* known = nullptr;  // for each key
  unsigned made = 0, deleted = 0;
  bool refuses_key = false, refuses_value = false;
} pthread;

int KeyCreate(unsigned* key, void (*at_exit)(void*)) {
  if (pthread.refuses_key) return 1;
  *key = pthread.made++;
  pthread.known[*key].store(1, rl::mo_relaxed, RL_INFO);
  pthread.at_exit = at_exit;
  return 0;
}
int KeyDelete() {
  pthread.deleted++;
  return 0;
}
int SetSpecific(unsigned key, const void* value) {
  if (pthread.refuses_value) return 1;
  RL_ASSERT(pthread.known[key].load(rl::mo_relaxed, RL_INFO) == 1);
  pthread.value[Thread()] = const_cast<void*>(value);
  return 0;
}

}  // namespace

// As atomic/threads/slots.h, except for the definitions above.
#define LFB_ATOMIC_SLOTS_H
enum { LFB_SLOT_COUNT = 128 };
extern PerThread lfb_slot_plus_one, lfb_slot_own_plus_one;
uint32_t lfb_slot_take(void);
static inline uint32_t lfb_slot_or_none(void) { return lfb_slot_plus_one - 1u; }
static inline uint32_t lfb_slot(void) {
  const uint32_t plus_one = lfb_slot_plus_one;
  return plus_one != 0 ? plus_one - 1 : lfb_slot_take();
}

#define pthread_key_create(key, at_exit) KeyCreate(key, at_exit)
#define pthread_key_delete(key) KeyDelete()
#define pthread_setspecific(key, value) SetSpecific(key, value)
using namespace lfb_model;
#ifdef LFB_MODEL_MUTATED
#include LFB_MODEL_MUTATED
#else
#include "tests/model/slots_modelled.h"
#endif

#include "atomic/threads/stripes.h"
#include "tests/model/model.h"

// As stripes.c has it; the thread's number stands for the processor.
uint64_t lfb_stripes_add_shared(const lfb_stripes* stripes, uint64_t amount) {
  const uint32_t which = stripes->owned + lfb_slot() % stripes->shared;
  return lfb_add_u64(&stripes->stripes[which].count, amount, memory_order_release);
}
void lfb_stripes_add_slow(const lfb_stripes* stripes, uint64_t amount) {
  const uint32_t slot = lfb_slot();
  if (slot < stripes->owned)
    lfb_stripe_add_owned(&stripes->stripes[slot], amount);
  else
    (void)lfb_stripes_add_shared(stripes, amount);
}

namespace {

// Three threads that count, each with its slot; of the 128 slots `free` are free.
template <typename Test>
struct Slots : rl::test_suite<Test, kThreads> {
  lfb_stripe lines[LFB_SLOT_COUNT + LFB_STRIPES_SHARED]{};
  lfb_stripes count{};
  Cells<uint64_t> cells;
  lfb_word owned[2]{};  // of the free slots: how many threads have each
  unsigned added[kThreads] = {};
  rl::atomic<int> known[kThreads];

  // The free slots: the last of the map's first word, and the first of its second.
  static constexpr uint32_t kFirst = 63;

  void Begin(unsigned free) {
    pthread = {};
    pthread.known = known;
    for (rl::atomic<int>& key : known) key.store(0, rl::mo_relaxed, RL_INFO);
    lfb_slot_plus_one.Begin();
    lfb_slot_own_plus_one.Begin();
    cells.Begin(&slots_map[0], free > 0 ? UINT64_MAX >> 1 : UINT64_MAX);
    cells.Begin(&slots_map[1], free > 1 ? UINT64_MAX << 1 : UINT64_MAX);
    cells.Begin(&slots_shared_next, uint64_t{0});
    cells.Begin(&slots_key, uint64_t{0});
    count = {lines, LFB_SLOT_COUNT, LFB_STRIPES_SHARED};
    for (uint32_t i = 0; i < 2; i++) {
      cells.Begin(&lines[kFirst + i].count, uint64_t{0});
      cells.Begin(&owned[i], uint64_t{0});
    }
    for (uint32_t i = 0; i < LFB_STRIPES_SHARED; i++)
      cells.Begin(&lines[LFB_SLOT_COUNT + i].count, uint64_t{0});
  }
  void Add() {
    lfb_stripes_add(&count, 1);
    added[Thread()]++;
  }
  // Whether the thread has a slot; then no other thread has it.
  bool Own() {
    const uint32_t slot = lfb_slot();
    if (slot >= LFB_SLOT_COUNT) {
      RL_ASSERT(lfb_slot_own_plus_one == 0u);
      return false;
    }
    RL_ASSERT(slot >= kFirst && slot < kFirst + 2 && lfb_slot_own_plus_one == slot + 1);
    RL_ASSERT(atomic_fetch_add_explicit(&owned[slot - kFirst], 1, memory_order_relaxed) == 0);
    return true;
  }
  void Disown() {
    atomic_fetch_add_explicit(&owned[lfb_slot() - kFirst], UINT64_MAX, memory_order_relaxed);
  }
  // One round of destructors; returns whether there was one to call.
  static bool Round() {
    void* const value = pthread.value[Thread()];
    pthread.value[Thread()] = nullptr;
    if (value != nullptr) pthread.at_exit(value);
    return value != nullptr;
  }
  // Puts once, and again in each round of its exit's destructors.
  void Live() {
    const bool own = Own();
    RL_ASSERT(lfb_slot() == (own ? lfb_slot_own_plus_one - 1u : lfb_slot_plus_one - 1u));
    Add();
    if (!own) {
      RL_ASSERT(!Round());
      return;
    }
    RL_ASSERT(Round());                       // after the first round it still has its slot
    RL_ASSERT(lfb_slot() < LFB_SLOT_COUNT);
    Add();
    Disown();
    RL_ASSERT(Round() && !Round());
    RL_ASSERT(lfb_slot() >= LFB_SLOT_COUNT);  // a late put has no slot, and takes none
    Add();
  }
  uint64_t Sum(uint32_t from, uint32_t to) {
    uint64_t sum = 0;
    for (uint32_t i = from; i < to; i++)
      sum += atomic_load_explicit(&lines[i].count, memory_order_acquire);
    return sum;
  }
  // Everything counted is in the sum, and the slots are free again.
  void Ended(unsigned free) {
    const uint64_t sum = Sum(kFirst, kFirst + 2) +
                         Sum(LFB_SLOT_COUNT, LFB_SLOT_COUNT + LFB_STRIPES_SHARED);
    RL_ASSERT(sum == added[0] + added[1] + added[2]);
    RL_ASSERT(pthread.made - pthread.deleted == (pthread.refuses_key ? 0u : 1u));
    RL_ASSERT(slots_map[0].cell->load(rl::mo_relaxed, RL_INFO) ==
              (free > 0 ? UINT64_MAX >> 1 : UINT64_MAX));
    RL_ASSERT(slots_map[1].cell->load(rl::mo_relaxed, RL_INFO) ==
              (free > 1 ? UINT64_MAX << 1 : UINT64_MAX));
  }
};

// Two slots: a thread that comes while both are taken shares; a returned slot is reused.
struct TwoSlots : Slots<TwoSlots> {
  void before() { Begin(2); }
  void thread(unsigned) { Live(); }
  void after() { Ended(2); }
};

// One slot, which all three may have, one after another.
struct OneSlot : Slots<OneSlot> {
  void before() { Begin(1); }
  void thread(unsigned) { Live(); }
  void after() { Ended(1); }
};

// No slot: all share, nothing is lost.
struct NoSlot : Slots<NoSlot> {
  void before() { Begin(0); }
  void thread(unsigned) {
    RL_ASSERT(!Own());
    Add();
  }
  void after() {
    Ended(0);
    // Spread: each has had a stripe of its own.
    for (uint32_t i = 0; i < kThreads; i++)
      RL_ASSERT(Sum(LFB_SLOT_COUNT + i, LFB_SLOT_COUNT + i + 1) == 1);
  }
};

// pthread refuses to keep the value by which a slot is returned: the thread keeps no slot.
struct Refused : Slots<Refused> {
  void before() {
    Begin(2);
    pthread.refuses_value = true;
  }
  void thread(unsigned) {
    RL_ASSERT(!Own());
    Add();
  }
  void after() { Ended(2); }
};

// pthread refuses a key.
struct RefusedKey : Slots<RefusedKey> {
  void before() {
    Begin(2);
    pthread.refuses_key = true;
  }
  void thread(unsigned) {
    RL_ASSERT(!Own());
    Add();
  }
  void after() { Ended(2); }
};

}  // namespace

int main(int argc, char** argv) {
  model::Runs runs(argc, argv);
  MODEL_TRY(runs, TwoSlots);
  MODEL_TRY(runs, OneSlot);
  MODEL_TRY(runs, NoSlot);
  MODEL_TRY(runs, Refused);
  MODEL_TRY(runs, RefusedKey);
  return runs.Status();
}
