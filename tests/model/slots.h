// slots.h - atomic/threads/slots.h for models: a thread of a model has the slot of its number.
#pragma once

#include <stdint.h>

#define LFB_ATOMIC_SLOTS_H
#define LFB_THREAD_LOCAL __thread
enum { LFB_SLOT_COUNT = 4 };
static inline uint32_t lfb_slot(void) { return rl::ctx().threadx_->index_; }
static inline uint32_t lfb_slot_or_none(void) { return lfb_slot(); }
