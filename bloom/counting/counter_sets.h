/*
 * counter_sets.h - raising and lowering the counters of one key, word by word, and
 * counting the changes.
 *
 * Order  Every thread goes through the words of a key in the same order.  Of the threads that
 *        remove a key at once, one is refused at a word only if another has passed that word.
 *        So one of them passes all words.
 */
#ifndef LFB_BLOOM_COUNTER_SETS_H
#define LFB_BLOOM_COUNTER_SETS_H

#include "bloom/counting/counting.h"

/* Some counters of one word. */
typedef struct lfb_counter_set {
  lfb_word *word;
  uint64_t which;
} lfb_counter_set;

LFB_INLINE void sets_raise(const lfb_counter_set *sets, uint32_t count, lfb_counters_tally *tally)
{
  for (uint32_t i = 0; i < count; i++)
    lfb_counters_raised(tally, lfb_counters_raise(sets[i].word, sets[i].which));
}

/* Lowers the counters of all sets, or of none: if one word is refused, the words before it are
 * raised again.  Other threads can see them lowered until then. */
LFB_INLINE bool sets_lower(const lfb_counter_set *sets, uint32_t count, lfb_counters_tally *tally)
{
  for (uint32_t i = 0; i < count; i++) {
    lfb_counters_step step;
    if (!lfb_counters_lower(sets[i].word, sets[i].which, &step)) {
      sets_raise(sets, i, tally);
      return false;
    }
    lfb_counters_lowered(tally, step);
  }
  return true;
}

/* Puts a key.  Returns whether a counter was 0.  Takes: sets of different words.  Not inlined, as
 * below: its locked operations cost far more than a call. */
static __attribute__((noinline)) bool lfb_counter_sets_put(const lfb_counting *counting,
                                                           const lfb_counter_set *sets,
                                                           uint32_t count)
{
  lfb_counters_tally tally = {0, 0, 0};

  sets_raise(sets, count, &tally);
  lfb_counting_count(counting, &tally);
  return tally.on > 0;
}

/* Removes one put of a key that was just found present.  Returns whether it did. */
static __attribute__((noinline)) bool lfb_counter_sets_remove(const lfb_counting *counting,
                                                              const lfb_counter_set *sets,
                                                              uint32_t count)
{
  lfb_counters_tally tally = {0, 0, 0};

  const bool removed = sets_lower(sets, count, &tally);
  lfb_counting_count(counting, &tally);
  return removed;
}

#endif
