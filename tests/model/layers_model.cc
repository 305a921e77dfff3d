// The promises of bloom/growing/layers.c, by Relacy: its own code over filters of one word, each
// full with one bit. Memory comes from a pool that is never reused; a use after free is
// reported.
#include "tests/model/atomic.h"
#include "tests/model/slots.h"

#include <stddef.h>
#include <stdlib.h>
static void* PoolTake(size_t size);
static void PoolGive(void* at);
#define aligned_alloc(line, size) PoolTake(size)
#define free(at) PoolGive(at)
#define sched_yield() rl::yield(1, RL_INFO)

using namespace lfb_model;
#define errno (*__errno_location())  // atomic.h has undefined it
#define _Static_assert(...) static_assert(true, "")  // of sizes, which differ here
#ifdef LFB_MODEL_MUTATED
#include LFB_MODEL_MUTATED
#else
#include "bloom/growing/layers.c"
#endif
#undef _Static_assert
#undef aligned_alloc
#undef free

#include "tests/model/model.h"

namespace {

constexpr unsigned kThreads = 3, kMost = 8;

// A filter, its word, and a stripe for each thread.
struct OneWord {
  lfb_filter filter;  // first
  lfb_word word;
  lfb_stripe lines[kThreads + LFB_STRIPES_SHARED];
  bool freed;
};
struct Piece {
  lfb_layer layer;  // first
  bool freed;
};

// All memory of a run.
struct Pool {
  OneWord filters[kMost];
  Piece layers[kMost];
  unsigned filter_count, layer_count;
  lfb_layer* last[LFB_SLOT_COUNT];  // the last one that a thread took
  Cells<uint64_t> cells;
};
Pool* pool;

OneWord* Of(const lfb_layout* layout) {
  OneWord* one = reinterpret_cast<OneWord*>(const_cast<lfb_layout*>(layout));
  RL_ASSERT(!one->freed);
  return one;
}

uint32_t TurnOn(const lfb_layout* layout, lfb_hash hash) {
  return lfb_word_count(lfb_word_set(&Of(layout)->word, hash.low));
}
bool IsIn(const lfb_layout* layout, lfb_hash hash) {
  return (hash.low & ~lfb_word_get(&Of(layout)->word)) == 0;
}
lfb_kernel Kernel() {
  lfb_kernel kernel = {};
  kernel.turn_on = TurnOn;
  kernel.might_contain = IsIn;
  return kernel;
}
const lfb_kernel kKernel = Kernel();

lfb_strategy Row() {
  lfb_strategy row = {};
  row.reachable_bits = UINT64_MAX;
  return row;
}
const lfb_strategy kRow = Row();

}  // namespace

static void* PoolTake(size_t size) {
  RL_ASSERT(pool->layer_count < kMost && size >= 64);
  return pool->last[lfb_slot()] = &pool->layers[pool->layer_count++].layer;
}
static void PoolGive(void* at) {
  Piece* piece = reinterpret_cast<Piece*>(at);
  RL_ASSERT(!piece->freed);
  piece->freed = true;
}

extern "C" {
lfb_status lfb_description_make(const lfb_config*, lfb_description* description) {
  *description = {};
  description->strategy = &kRow;
  description->geometry.bit_count = LFB_WORD_BITS;
  return LFB_OK;
}
lfb_status lfb_filter_make_empty(const lfb_description* description, bool, lfb_filter** filter) {
  RL_ASSERT(pool->filter_count < kMost);
  OneWord* one = &pool->filters[pool->filter_count++];
  one->filter.strategy = description->strategy;
  one->filter.kernel = &kKernel;
  one->filter.description = *description;
  one->filter.layout.probes = 1;
  one->filter.layout.bits.count = {one->lines, kThreads, LFB_STRIPES_SHARED};
  *filter = &one->filter;
  return LFB_OK;
}
void lfb_filter_free(lfb_filter* filter) {
  OneWord* one = reinterpret_cast<OneWord*>(filter);
  RL_ASSERT(!one->freed);
  one->freed = true;
}
void lfb_mapping_end(lfb_mapping*) { RL_ASSERT(false); }  // the layers are in memory
// Within the rate with one bit. The caller has just written a layer, the thread's last, with an
// atomic that begins here.
uint64_t lfb_strategy_most_bits(const lfb_strategy*, const lfb_geometry*, double) {
  pool->cells.Begin(&pool->last[lfb_slot()]->retry_bits, uint64_t{0});
  return 1;
}
void lfb_stripes_add_slow(const lfb_stripes*, uint64_t) { RL_ASSERT(false); }

uint64_t lfb_stripes_add_shared(const lfb_stripes*, uint64_t) {
  RL_ASSERT(false);  // each thread has a stripe of its own
  return 0;
}
uint64_t lfb_bit_array_count(const lfb_bit_array* bits) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < kThreads; i++)
    sum += atomic_load_explicit(&bits->count.stripes[i].count, memory_order_acquire);
  return sum;
}
}

namespace {

// Threads that put keys of their own, one bit each, and query the keys that were put.
template <typename Test>
struct Growing : rl::test_suite<Test, kThreads> {
  Pool memory;
  lfb_growing growing;
  Cells<lfb_layer*> newest;
  lfb_word returned;  // the keys with a put that has returned

  void before() {
    memset(static_cast<void*>(&memory.filters), 0, sizeof memory.filters);
    memset(static_cast<void*>(&memory.layers), 0, sizeof memory.layers);
    memset(static_cast<void*>(&growing), 0, sizeof growing);
    returned = {};
    memory.filter_count = memory.layer_count = 0;
    pool = &memory;
    for (OneWord& one : memory.filters) {
      memory.cells.Begin(&one.word, uint64_t{0});
      for (unsigned i = 0; i < kThreads; i++) memory.cells.Begin(&one.lines[i].count, uint64_t{0});
    }
    memory.cells.Begin(&growing.refused, uint64_t{0});
    memory.cells.Begin(&returned, uint64_t{0});
    newest.Begin(&growing.newest, static_cast<lfb_layer*>(nullptr));
    growing.config.fpp = 0.01;
    growing.config.expected_insertions = 1;
    lfb_description description;
    lfb_filter* first;
    RL_ASSERT(lfb_description_make(nullptr, &description) == LFB_OK);
    RL_ASSERT(lfb_filter_make_empty(&description, true, &first) == LFB_OK);
    RL_ASSERT(lfb_layers_add(&growing, nullptr, first) == LFB_OK);
  }
  // As lfb_growing_put().
  void Put(uint64_t key) {
    const lfb_hash hash = {UINT64_C(1) << key, 0};
    const lfb_layer* layer = lfb_layers_newest(&growing);
    RL_ASSERT(!lfb_layers_have(layer, hash));  // no other thread puts it
    RL_ASSERT(lfb_layers_put(&growing, layer, hash));
    atomic_fetch_or_explicit(&returned, hash.low, memory_order_release);
  }
  void Ask() {
    const uint64_t in = atomic_load_explicit(&returned, memory_order_acquire);
    for (uint64_t key = 0; key < 3; key++)
      if (in >> key & 1)
        RL_ASSERT(lfb_layers_have(lfb_layers_newest(&growing), {UINT64_C(1) << key, 0}));
  }
  // All keys are present; each level has one layer, and layers outside the list were freed.
  void after() {
    const lfb_layer* now = growing.newest.cell->load(rl::mo_acquire, RL_INFO);
    const uint64_t in = returned.cell->load(rl::mo_acquire, RL_INFO);
    for (uint64_t key = 0; key < 3; key++)
      RL_ASSERT((in >> key & 1) == 0 || lfb_layers_have(now, {UINT64_C(1) << key, 0}));
    unsigned listed = 0, kept = 0;
    for (const lfb_layer* layer = now; layer != nullptr; layer = layer->older) {
      RL_ASSERT(!reinterpret_cast<const Piece*>(layer)->freed);
      RL_ASSERT(layer->number == (layer->older == nullptr ? 0 : layer->older->number + 1));
      listed++;
    }
    for (unsigned i = 0; i < memory.layer_count; i++) kept += !memory.layers[i].freed;
    RL_ASSERT(listed == kept && listed == now->number + 1);
    unsigned filters = 0;
    for (unsigned i = 0; i < memory.filter_count; i++) filters += !memory.filters[i].freed;
    RL_ASSERT(filters == listed);
    RL_ASSERT(listed > 1);  // the first is full with one key
  }
};

// Two threads put and find the layer full, and one queries.
struct TwoPut : Growing<TwoPut> {
  void thread(unsigned index) {
    if (index < 2)
      Put(index);
    else
      Ask();
  }
};

// Three threads put; the last one queries, too.
struct ThreePut : Growing<ThreePut> {
  void thread(unsigned index) {
    Put(index);
    if (index == 2) Ask();
  }
};

}  // namespace

int main(int argc, char** argv) {
  model::Runs runs(argc, argv);
  MODEL_TRY(runs, TwoPut);
  MODEL_TRY(runs, ThreePut);
  return runs.Status();
}
