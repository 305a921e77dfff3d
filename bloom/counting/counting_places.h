/*
 * counting_places.h - raising and lowering the counters of one key, word by word, and
 * counting the changes.
 *
 * Order  Every thread goes through the words of a key in the same order.  Of the threads that
 *        remove a key at once, one is refused at a word only if another has passed that word.
 *        So one of them passes all words.
 */
#ifndef LFB_BLOOM_COUNTING_PLACES_H
#define LFB_BLOOM_COUNTING_PLACES_H

#include "bloom/counting/counting.h"

/* Some counters of one word. */
typedef struct lfb_place {
  lfb_word *word;
  uint64_t which;
} lfb_place;

LFB_INLINE void places_raise(const lfb_place *places, uint32_t count, lfb_counters_tally *tally)
{
  for (uint32_t i = 0; i < count; i++)
    lfb_counters_raised(tally, lfb_counters_raise(places[i].word, places[i].which));
}

/* Lowers the counters of all places, or of none: if one word is refused, the words before it are
 * raised again.  Other threads can see them lowered until then. */
LFB_INLINE bool places_lower(const lfb_place *places, uint32_t count, lfb_counters_tally *tally)
{
  for (uint32_t i = 0; i < count; i++) {
    lfb_counters_step step;
    if (!lfb_counters_lower(places[i].word, places[i].which, &step)) {
      places_raise(places, i, tally);
      return false;
    }
    lfb_counters_lowered(tally, step);
  }
  return true;
}

/* Puts a key.  Returns whether a counter was 0.  Takes: places of different words.  Not inlined, as below: its
 * locked operations cost far more than a call. */
static __attribute__((noinline)) bool lfb_places_put(const lfb_counting *counting, const lfb_place *places,
                               uint32_t count)
{
  lfb_counters_tally tally = {0, 0, 0};

  places_raise(places, count, &tally);
  lfb_counting_count(counting, &tally);
  return tally.on > 0;
}

/* Removes one put of a key that was just found present.  Returns whether it did. */
static __attribute__((noinline)) bool lfb_places_remove(const lfb_counting *counting, const lfb_place *places,
                                  uint32_t count)
{
  lfb_counters_tally tally = {0, 0, 0};

  const bool removed = places_lower(places, count, &tally);
  lfb_counting_count(counting, &tally);
  return removed;
}

#endif
