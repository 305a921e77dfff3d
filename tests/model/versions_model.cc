// The promises of bloom/versions/versions.c, by Relacy: its own code, over sections that keep their
// contract (sections.h) and filters of one word. Memory comes from a pool that is never reused; a
// use after free is reported.
#include "tests/model/atomic.h"

#include <cstring>

#include "tests/model/sections.h"

#include <lfbloom/word.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/model/model.h"

// Both are freed after a run, so that a late read can be seen.
struct lfb_filter {
  lfb_word word;
  bool freed;
};
static void* PoolTake(size_t count, size_t size);
static void PoolGive(void* at);
#define malloc(size) PoolTake(1, size)
#define calloc(count, size) PoolTake(count, size)
#define free(at) PoolGive(at)

#ifdef LFB_MODEL_MUTATED
#include LFB_MODEL_MUTATED
#else
#include "bloom/versions/versions.c"
#endif
#undef malloc
#undef calloc
#undef free

namespace {

constexpr unsigned kKeys = 2;

struct Pool {
  struct Piece {
    alignas(16) unsigned char bytes[128];
    bool freed;
  } pieces[32];
  unsigned count = 0;
};
Pool* pool;
Cells<uint64_t>* cells;

lfb_filter* MakeFilter(lfb_filter* filter) {
  *filter = {};
  cells->Begin(&filter->word, uint64_t{0});
  return filter;
}

bool Freed(const void* at) { return reinterpret_cast<const Pool::Piece*>(at)->freed; }

}  // namespace

static void* PoolTake(size_t count, size_t size) {
  RL_ASSERT(pool->count < 32 && count * size <= sizeof(Pool::Piece::bytes));
  Pool::Piece* piece = &pool->pieces[pool->count++];
  memset(piece, 0, sizeof *piece);
  return piece->bytes;
}
static void PoolGive(void* at) {
  RL_ASSERT(!Freed(at));
  reinterpret_cast<Pool::Piece*>(at)->freed = true;
}

extern "C" {
void lfb_filter_free(lfb_filter* filter) {
  if (filter == nullptr) return;
  RL_ASSERT(!filter->freed);
  filter->freed = true;
}
bool lfb_filter_put_u64(lfb_filter* filter, uint64_t key) {
  RL_ASSERT(!filter->freed);
  const bool changed = lfb_word_set(&filter->word, UINT64_C(1) << key) != 0;
  RL_ASSERT(!filter->freed);
  return changed;
}
bool lfb_filter_might_contain_u64(const lfb_filter* filter, uint64_t key) {
  RL_ASSERT(!filter->freed);
  const bool in = lfb_word_get(&filter->word) >> key & 1;
  RL_ASSERT(!filter->freed);
  return in;
}
// Never called: the models' keys are numbers.
bool lfb_filter_might_contain(const lfb_filter*, const void*, size_t) { return false; }
void lfb_filter_stats(const lfb_filter*, lfb_stats*) {}
bool lfb_filter_might_contain_hash(const lfb_filter*, uint64_t) { return false; }
bool lfb_filter_might_contain_object(const lfb_filter*, lfb_funnel, const void*) { return false; }
size_t lfb_filter_many(const lfb_filter*, lfb_verb, const void*, size_t, uint64_t*, lfb_key_kind) {
  return 0;
}
}

namespace {

// An administrator, a writer and a reader; thread 0 is the administrator.
template <typename Test, unsigned kThreads>
struct Swaps : rl::test_suite<Test, kThreads> {
  Pool memory;
  Cells<uint64_t> words;
  model::Sections sections;
  Cells<arrangement*> arrangements;
  lfb_versions versions{};
  lfb_filter filters[4];
  unsigned made = 0;
  lfb_word source{}, returned{};  // one bit per key: in the source of truth; its put has returned

  void before() {
    pool = &memory;
    cells = &words;
    sections.Begin(&words);
    words.Begin(&source, uint64_t{0});
    words.Begin(&returned, uint64_t{0});
    arrangements.Begin(&versions.now, static_cast<arrangement*>(nullptr));
    for (lfb_filter& filter : filters) MakeFilter(&filter);
    RL_ASSERT(versions_begin_life(&versions, &filters[made++], 1) == LFB_OK);
    versions.retired = lfb_section_retired();
  }

  static bool Has(const lfb_word& keys, uint64_t key) {
    return atomic_load_explicit(&keys, memory_order_acquire) >> key & 1;
  }
  static void Add(lfb_word* keys, uint64_t key) {
    atomic_fetch_or_explicit(keys, UINT64_C(1) << key, memory_order_acq_rel);
  }

  void Put(uint64_t key) {
    Add(&source, key);
    lfb_versions_put_u64(&versions, key);
    Add(&returned, key);
  }
  void PutInSection(uint64_t key) {
    lfb_versions_enter(&versions, nullptr);
    lfb_versions_put_u64(&versions, key);
    Add(&source, key);
    lfb_versions_leave(&versions);
    Add(&returned, key);
  }
  void Ask(uint64_t key) {
    const bool in = Has(returned, key);
    const bool found = lfb_versions_might_contain_u64(&versions, key);
    RL_ASSERT(found || !in);
  }
  void AskInSection(uint64_t key) {
    const bool in = Has(returned, key);
    uint64_t number = 0, later = 0;
    const lfb_filter* filter = lfb_versions_enter(&versions, &number);
    RL_ASSERT(lfb_filter_might_contain_u64(filter, key) || !in);
    lfb_versions_leave(&versions);
    later = lfb_versions_number(&versions);
    RL_ASSERT(later >= number);
  }
  void Begin() {
    lfb_filter* next = &filters[made++];
    RL_ASSERT(lfb_versions_begin_rebuild_with(&versions, next) == LFB_OK);
    for (uint64_t key = 0; key < kKeys; key++)
      if (Has(source, key)) lfb_filter_put_u64(next, key);
  }
  void Publish(lfb_previous previous) {
    uint64_t number = 0;
    RL_ASSERT(lfb_versions_publish(&versions, previous, &number) == LFB_OK);
    RL_ASSERT(number > 1);
  }
  void after() {
    for (uint64_t key = 0; key < kKeys; key++) Ask(key);
    lfb_versions_reclaim(&versions);
    RL_ASSERT(versions.retired->first == nullptr);
  }
};

// A writer, and a reader of its keys, while a version is replaced by another.
struct OneSwap : Swaps<OneSwap, 3> {
  void thread(unsigned index) {
    if (index == 0) {
      Begin();
      Publish(LFB_DROP_PREVIOUS);
    } else if (index == 1) {
      Put(0);
    } else {
      Ask(0);
    }
  }
};

// The writer adds the key to the source after the put, in one section with it.
struct SwapBesideASection : Swaps<SwapBesideASection, 3> {
  void thread(unsigned index) {
    if (index == 0) {
      Begin();
      Publish(LFB_DROP_PREVIOUS);
    } else if (index == 1) {
      PutInSection(1);
    } else {
      AskInSection(1);
    }
  }
};

// The previous version becomes current again, and has the keys put since.
struct Rollback : Swaps<Rollback, 2> {
  void thread(unsigned index) {
    if (index == 0) {
      Begin();
      Publish(LFB_KEEP_PREVIOUS);
      RL_ASSERT(lfb_versions_rollback(&versions, nullptr) == LFB_OK);
    } else {
      Put(0);
      Ask(0);
    }
  }
};

// One version is abandoned, the next is published.
struct Abandoned : Swaps<Abandoned, 2> {
  void thread(unsigned index) {
    if (index == 0) {
      Begin();
      RL_ASSERT(lfb_versions_abandon(&versions) == LFB_OK);
      Begin();
      Publish(LFB_DROP_PREVIOUS);
    } else {
      Put(0);
      Ask(0);
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  model::Runs runs(argc, argv);
  MODEL_TRY(runs, OneSwap);
  MODEL_TRY(runs, SwapBesideASection);
  MODEL_TRY(runs, Rollback);
  MODEL_TRY(runs, Abandoned);
  return runs.Status();
}
