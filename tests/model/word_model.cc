// The promises of lfbloom/word.h and of a shared stripe, by Relacy: a bit has one winner, and no
// addition is lost.
#include "tests/model/atomic.h"
#include "tests/model/slots.h"

using namespace lfb_model;
#include <lfbloom/word.h>

#ifdef LFB_MODEL_MUTATED
#include LFB_MODEL_MUTATED
#endif
#include "atomic/threads/stripes.h"
#include "tests/model/model.h"

// As stripes.c has it; the thread's number stands for the processor.
uint64_t lfb_stripes_add_shared(const lfb_stripes* stripes, uint64_t amount) {
  const uint32_t which = stripes->owned + lfb_slot() % stripes->shared;
  return lfb_add_u64(&stripes->stripes[which].count, amount, memory_order_release);
}
void lfb_stripes_add_slow(const lfb_stripes* stripes, uint64_t amount) {
  (void)lfb_stripes_add_shared(stripes, amount);
}

namespace {

// Three threads turn on masks that overlap: each bit is credited once, and none is lost.
struct Masks : rl::test_suite<Masks, 3> {
  lfb_word word{};
  Cells<uint64_t> cells;
  uint64_t turned_on[3] = {0, 0, 0};

  void before() { cells.Begin(&word, uint64_t{8}); }
  void thread(unsigned index) {
    static const uint64_t masks[] = {3, 6, 13};
    turned_on[index] = lfb_word_set(&word, masks[index]);
    RL_ASSERT((lfb_word_get(&word) & masks[index]) == masks[index]);
  }
  void after() {
    RL_ASSERT(lfb_word_get(&word) == 15);
    RL_ASSERT((turned_on[0] | turned_on[1] | turned_on[2]) == 7);
    RL_ASSERT(lfb_word_count(turned_on[0]) + lfb_word_count(turned_on[1]) +
                  lfb_word_count(turned_on[2]) ==
              3);
  }
};

// Two threads add to one shared stripe.
struct Shared : rl::test_suite<Shared, 2> {
  lfb_stripe lines[1 + LFB_STRIPES_SHARED]{};
  lfb_stripes count{};
  Cells<uint64_t> cells;

  void before() {
    count = {lines, 0, 1};
    for (lfb_stripe& line : lines) cells.Begin(&line.count, uint64_t{0});
  }
  void thread(unsigned index) {
    lfb_stripes_add(&count, 1 + index);
  }
  void after() { RL_ASSERT(lines[0].count.cell->load(rl::mo_acquire, RL_INFO) == 3); }
};

}  // namespace

int main(int argc, char** argv) {
  model::Runs runs(argc, argv);
  MODEL_TRY(runs, Masks);
  MODEL_TRY(runs, Shared);
  return runs.Status();
}
