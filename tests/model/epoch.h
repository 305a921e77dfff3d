// epoch.h - atomic/threads/epoch.c unchanged, for models. Its system has no membarrier(2), so
// each reader executes a fence, for which C11 has rules. //tests/promela has the other barrier.
#pragma once

// A thread of the model has the slot of its number, or none.
#define LFB_ATOMIC_SLOTS_H
#include <stdint.h>
enum { LFB_SLOT_COUNT = 4 };
namespace model {
inline bool without_slot[LFB_SLOT_COUNT];
inline uint32_t self[LFB_SLOT_COUNT];  // its address is the thread's own
inline unsigned Thread() { return rl::ctx().threadx_->index_; }
}  // namespace model
#define lfb_slot_plus_one (model::self[model::Thread()])
#define lfb_slot_own_plus_one (model::without_slot[model::Thread()] ? 0 : model::Thread() + 1)
static inline uint32_t lfb_slot(void) { return model::Thread(); }

#include <linux/membarrier.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>
#define syscall(...) (-1)
#define sched_yield() rl::yield(1, RL_INFO)

using namespace lfb_model;
#ifndef LFB_MODEL_EPOCH
#define LFB_MODEL_EPOCH "atomic/threads/epoch.c"
#endif
#include LFB_MODEL_EPOCH
#undef syscall

namespace model {

// An epoch after lfb_epoch_init(); only the first two of the strays' places are ever used.
struct Epoch {
  lfb_epoch_place places[PLACES];
  void Begin(lfb_epoch* epoch, Cells<uint64_t>* cells) {
    memset(places, 0, sizeof places);
    *epoch = {};
    epoch->places = places;
    cells->Begin(&epoch->number, uint64_t{LFB_EPOCH_TURN});
    cells->Begin(&places[0].since, uint64_t{LFB_EPOCH_TURN});
    for (unsigned i = 1; i < STRAYS + 2; i++) cells->Begin(&places[i].since, uint64_t{0});
    for (unsigned i = STRAYS; i < STRAYS + 2; i++) cells->Begin(&places[i].owner, uint64_t{0});
  }
};

}  // namespace model
