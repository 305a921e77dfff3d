// The promises of atomic/bit_array.h, by Relacy, with its own code and that of lfbloom/word.h,
// atomic/words/pair.h and atomic/threads/stripes.h: each bit has one winner and is counted once, a
// count is never above the truth and exact at the end, and put_all loses no bit.  Of calls that put
// the same bits into a pair at most one turns on any, unless words change one by one.
#include "tests/model/atomic.h"
#include "tests/model/slots.h"

#include <stdlib.h>

using namespace lfb_model;
#if defined(LFB_MODEL_MUTATED) && !defined(LFB_MODEL_MUTATED_bit_array_c)
#include LFB_MODEL_MUTATED // a header
#endif
#include "tests/model/pair_modelled.h"
#ifdef LFB_MODEL_MUTATED_bit_array_c
#include LFB_MODEL_MUTATED
#else
#include "atomic/bit_array.c"
#endif
#include "tests/model/model.h"

extern "C" {
// As stripes.c has them; the thread's number stands for the processor.
uint64_t lfb_stripes_add_shared(const lfb_stripes* stripes, uint64_t amount) {
  const uint32_t which = stripes->owned + lfb_slot() % stripes->shared;
  return lfb_add_u64(&stripes->stripes[which].count, amount, memory_order_release);
}
void lfb_stripes_add_slow(const lfb_stripes* stripes, uint64_t amount) {
  (void)lfb_stripes_add_shared(stripes, amount);
}
uint64_t lfb_stripes_sum(const lfb_stripes* stripes) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < stripes->owned + stripes->shared; i++)
    sum += atomic_load_explicit(&stripes->stripes[i].count, memory_order_acquire);
  return sum;
}
}

namespace {

// An array of one word, whose thread 0 has a stripe of its own.
struct OneWord {
  lfb_word word{};
  lfb_stripe lines[1 + LFB_STRIPES_SHARED]{};
  lfb_bit_array bits{};

  void Begin(Cells<uint64_t>* cells, uint64_t value) {
    cells->Begin(&word, value);
    for (lfb_stripe& line : lines) cells->Begin(&line.count, uint64_t{0});
    bits = lfb_bit_array_over(&word, 1, {lines, 1, LFB_STRIPES_SHARED});
  }
  void Or(uint64_t mask) { lfb_bit_array_add(&bits, lfb_bit_array_or(&bits, 0, mask)); }
  uint64_t On() const { return lfb_word_count(lfb_bit_array_word(&bits, 0)); }
};

// Two threads turn on bits, one with a stripe of its own. A third counts and then looks.
struct Counted : rl::test_suite<Counted, 3> {
  OneWord array;
  Cells<uint64_t> cells;
  unsigned won[2] = {0, 0};

  void before() { array.Begin(&cells, 0); }
  void thread(unsigned index) {
    if (index == 0) {
      array.Or(3);
      won[0] += lfb_bit_array_set(&array.bits, 2);
    } else if (index == 1) {
      won[1] += lfb_bit_array_set(&array.bits, 2);
      array.Or(6);
    } else {
      const uint64_t count = lfb_bit_array_count(&array.bits);
      RL_ASSERT(count <= array.On());
    }
  }
  void after() {
    RL_ASSERT(lfb_bit_array_count(&array.bits) == 3 && array.On() == 3);
    RL_ASSERT(won[0] + won[1] <= 1);
  }
};

// One thread puts another array into one in which a second thread turns on bits. A third sets a bit
// of the other one meanwhile.
struct PutAll : rl::test_suite<PutAll, 3> {
  OneWord into, from;
  Cells<uint64_t> cells;

  void before() {
    into.Begin(&cells, 0);
    from.Begin(&cells, 3);
  }
  void thread(unsigned index) {
    if (index == 0)
      RL_ASSERT(lfb_bit_array_put_all(&into.bits, &from.bits) == LFB_OK);
    else if (index == 1)
      into.Or(6);
    else
      lfb_bit_array_set(&from.bits, 3);
  }
  void after() {
    RL_ASSERT((lfb_bit_array_word(&into.bits, 0) | 8) == 15);
    RL_ASSERT(lfb_bit_array_count(&into.bits) == into.On());
  }
};

// Two threads put one key of a pair, and a third another one.
template <typename Test, model::Exchange kBy>
struct Pair : rl::test_suite<Test, 3> {
  lfb_word words[2]{};
  Cells<uint64_t> cells;
  uint32_t turned_on[3] = {0, 0, 0};

  void before() {
    model::exchange = kBy;
    for (lfb_word& word : words) cells.Begin(&word, uint64_t{0});
  }
  void thread(unsigned index) {
    const lfb_two mask = index < 2 ? lfb_two{3, 4} : lfb_two{2, 12};
    turned_on[index] = lfb_bit_array_or_pair(words, mask);
    const lfb_two now = lfb_pair_get(words);
    RL_ASSERT((mask.low & ~now.low) == 0 && (mask.high & ~now.high) == 0);
  }
  void after() {
    RL_ASSERT(lfb_two_count(lfb_pair_get(words)) == 4);
    RL_ASSERT(turned_on[0] + turned_on[1] + turned_on[2] == 4);
    RL_ASSERT(kBy == model::kHalves || turned_on[0] == 0 || turned_on[1] == 0);
  }
};

struct PairAtOnce : Pair<PairAtOnce, model::kOne> {};
struct PairByLoop : Pair<PairByLoop, model::kLoop> {};
struct PairInHalves : Pair<PairInHalves, model::kHalves> {};

}  // namespace

int main(int argc, char** argv) {
  model::Runs runs(argc, argv);
  MODEL_TRY(runs, Counted);
  MODEL_TRY(runs, PutAll);
  MODEL_TRY(runs, PairAtOnce);
  MODEL_TRY(runs, PairByLoop);
  MODEL_TRY(runs, PairInHalves);
  return runs.Status();
}
