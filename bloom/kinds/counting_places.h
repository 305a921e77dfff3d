/*
 * counting_places.h - the counters of one key, a word of them after the other: how they are
 * raised and lowered, and counted.
 *
 * Order  All who name a key go through its words in the same order: of those who remove it
 *        at once, whoever comes first to a word is first at it, so that one gets through.
 */
#ifndef LFB_BLOOM_COUNTING_PLACES_H
#define LFB_BLOOM_COUNTING_PLACES_H

#include "bloom/kinds/counting.h"

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

/* Lowers all of them, or, as far as others do not look on, none. */
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

/* Puts a key once more; whether a counter was 0.  Takes: places of different words. */
LFB_INLINE bool lfb_places_put(const lfb_counting *counting, const lfb_place *places,
                               uint32_t count)
{
  lfb_counters_tally tally = {0, 0, 0};

  places_raise(places, count, &tally);
  lfb_counting_count(counting, &tally);
  return tally.on > 0;
}

/* Takes back one put of a key that was just found to be in; whether it did. */
LFB_INLINE bool lfb_places_remove(const lfb_counting *counting, const lfb_place *places,
                                  uint32_t count)
{
  lfb_counters_tally tally = {0, 0, 0};

  const bool removed = places_lower(places, count, &tally);
  lfb_counting_count(counting, &tally);
  return removed;
}

#endif
