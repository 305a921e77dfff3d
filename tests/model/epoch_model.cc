// The promises of atomic/threads/epoch.c, by Relacy: its own code, with a writer that publishes
// objects, retires them and polls, and readers that use the objects they find.
#include "tests/model/atomic.h"

#include <cstring>

#ifdef LFB_MODEL_MUTATED
#define LFB_MODEL_EPOCH LFB_MODEL_MUTATED
#endif
#include "tests/model/epoch.h"

#include "tests/model/model.h"

namespace {

constexpr unsigned kObjects = 3;

struct Object {
  lfb_epoch_entry entry;  // first
  rl::var<int> alive;     // plain: Relacy reports a use concurrently with the reclaiming
};

void Reclaim(lfb_epoch_entry* entry) { reinterpret_cast<Object*>(entry)->alive(RL_INFO) = 0; }

// Thread 0 writes, the others read.
template <typename Test, unsigned kThreads>
struct Reading : rl::test_suite<Test, kThreads> {
  lfb_epoch epoch;
  model::Epoch places;
  Cells<uint64_t> cells;
  Cells<Object*> pointers;
  LFB_ATOMIC(Object*) published{};
  Object objects[kObjects];

  void before() {
    for (bool& without : model::without_slot) without = false;
    places.Begin(&epoch, &cells);
    for (Object& object : objects) object.alive(RL_INFO) = 1;
    pointers.Begin(&published, &objects[0]);
  }
  void after() { RL_ASSERT(lfb_epoch_poll(&epoch) == 0); }

  void Publish(unsigned next) {
    Object* before = &objects[next - 1];
    atomic_store_explicit(&published, &objects[next], memory_order_release);
    lfb_epoch_retire(&epoch, &before->entry, Reclaim);
    lfb_epoch_poll(&epoch);
  }
  void Use() {
    const Object* object = atomic_load_explicit(&published, memory_order_acquire);
    RL_ASSERT(const_cast<Object*>(object)->alive(RL_INFO) == 1);
  }
  void Read() {
    lfb_epoch_enter(&epoch);
    Use();
    lfb_epoch_leave(&epoch);
  }
  void ReadNested() {
    lfb_epoch_enter(&epoch);
    Read();
    Use();
    lfb_epoch_leave(&epoch);
  }
};

struct OneReader : Reading<OneReader, 2> {
  void thread(unsigned index) {
    if (index == 0) {
      Publish(1);
      Publish(2);
    } else {
      Read();
      Read();
    }
  }
};

struct Nested : Reading<Nested, 2> {
  void thread(unsigned index) {
    if (index == 0) {
      Publish(1);
      Publish(2);
    } else {
      ReadNested();
      RL_ASSERT(!lfb_epoch_inside(&epoch));
    }
  }
};

// Two threads without a slot: each uses the place that it takes, perhaps the same one in turn.
struct Strays : Reading<Strays, 3> {
  void thread(unsigned index) {
    model::without_slot[index] = true;
    if (index == 0) {
      Publish(1);
    } else {
      RL_ASSERT(!lfb_epoch_inside(&epoch));
      ReadNested();
      RL_ASSERT(!lfb_epoch_inside(&epoch));
    }
  }
};

// A wait ends after the sections that it found, and sees what they did.
struct Waiting : Reading<Waiting, 2> {
  rl::var<int> done;

  void before() {
    Reading::before();
    done(RL_INFO) = 0;
  }
  void thread(unsigned index) {
    if (index == 0) {
      atomic_store_explicit(&published, &objects[1], memory_order_release);
      lfb_epoch_wait(&epoch, [](void*) { rl::yield(1, RL_INFO); }, nullptr);
      done(RL_INFO) = 1;
    } else {
      lfb_epoch_enter(&epoch);
      if (atomic_load_explicit(&published, memory_order_acquire) == &objects[0])
        RL_ASSERT(done(RL_INFO) == 0);
      lfb_epoch_leave(&epoch);
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  model::Runs runs(argc, argv);
  MODEL_TRY(runs, OneReader);
  MODEL_TRY(runs, Nested);
  MODEL_TRY(runs, Strays);
  MODEL_TRY(runs, Waiting);
  return runs.Status();
}
