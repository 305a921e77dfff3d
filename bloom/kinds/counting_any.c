/*
 * counting_any.c - the operations on a key's counters, for any strategy: its bits_of (strategy.h)
 * returns a key's bits.
 */
#include "bloom/kinds/counting_places.h"

/*
 * Merges the places of each word into one.  Returns how many are left.  Which places share a word
 * depends on the hash, so a branch could not be predicted: there is none.
 */
LFB_INLINE uint32_t any_merge(lfb_place *places, uint32_t count)
{
  uint32_t kept = 0;

  for (uint32_t i = 0; i < count; i++) {
    const lfb_place place = places[i];
    uint32_t first = i;
    for (uint32_t j = i; j-- > 0;)
      first = places[j].word == place.word ? j : first;
    places[i].which = 0;
    places[first].which |= place.which;
  }
  for (uint32_t i = 0; i < count; i++) {
    places[kept] = places[i];
    kept += places[i].which != 0;
  }
  return kept;
}

/* Writes the places of a key and prefetches their lines.  Returns how many, at most
 * LFB_MAX_PROBES.  For a put or a removal each word occurs once. */
LFB_INLINE uint32_t any_find(const lfb_counting *counting, lfb_counting_verb verb, lfb_hash hash,
                             lfb_place *places)
{
  uint64_t indexes[LFB_MAX_PROBES];
  const uint32_t bits = counting->description.strategy->bits_of(&counting->layout, hash, indexes);

  for (uint32_t i = 0; i < bits; i++) {
    lfb_word *word = lfb_counting_words(counting) + indexes[i] / LFB_COUNTERS_A_WORD;
    if (verb == LFB_COUNTING_MIGHT_CONTAIN)
      lfb_prefetch_read((const void *)word);
    else
      lfb_prefetch_write((const void *)word);
    places[i].word = word;
    places[i].which = UINT64_C(1) << (LFB_COUNTER_BITS * (indexes[i] % LFB_COUNTERS_A_WORD));
  }
  return verb == LFB_COUNTING_MIGHT_CONTAIN ? bits : any_merge(places, bits);
}

/* All words are read, regardless of what is found, so that their misses overlap. */
LFB_INLINE bool any_above_0(const lfb_place *places, uint32_t count)
{
  uint64_t missing = 0;

  for (uint32_t i = 0; i < count; i++)
    missing |= places[i].which & ~lfb_counters_above_0(lfb_word_get(places[i].word));
  return missing == 0;
}

/* Removing a definitely absent key costs no more than querying it. */
LFB_INLINE bool any_do(const lfb_counting *counting, lfb_counting_verb verb,
                       const lfb_place *places, uint32_t count)
{
  switch (verb) {
  case LFB_COUNTING_PUT:
    return lfb_places_put(counting, places, count);
  case LFB_COUNTING_REMOVE:
    return any_above_0(places, count) && lfb_places_remove(counting, places, count);
  default:
    return any_above_0(places, count);
  }
}

LFB_INLINE bool any_one(const lfb_counting *counting, lfb_counting_verb verb, lfb_hash hash)
{
  lfb_place places[LFB_MAX_PROBES];
  return any_do(counting, verb, places, any_find(counting, verb, hash, places));
}

/* ---- many keys ------------------------------------------------------------- */

enum {
  /* Places of the keys that are prefetched at once: far more lines than a core can have in flight,
   * and room for one key of LFB_MAX_PROBES. */
  ANY_ROOM = 256,
};

/* Keys with computed places and prefetched lines. */
typedef struct any_group {
  uint16_t end[LFB_WORD_BITS]; /* of each key's places */
  lfb_place places[ANY_ROOM];
} any_group;

LFB_INLINE void any_group_find(const lfb_counting *counting, lfb_counting_verb verb,
                               const uint64_t *low, const uint64_t *high, size_t count,
                               any_group *group)
{
  uint32_t at = 0;

  for (size_t i = 0; i < count; i++) {
    const lfb_hash hash = {low[i], high == NULL ? 0 : high[i]};
    at += any_find(counting, verb, hash, group->places + at);
    group->end[i] = (uint16_t)at;
  }
}

LFB_INLINE void any_many(const lfb_counting *counting, lfb_counting_verb verb,
                         const uint64_t *low, const uint64_t *high, size_t count,
                         uint64_t *answers)
{
  const size_t fit = (size_t)ANY_ROOM / counting->description.geometry.probes;
  const size_t most = fit < LFB_WORD_BITS ? fit : (size_t)LFB_WORD_BITS;
  any_group group;

  memset(answers, 0, (count + LFB_WORD_BITS - 1) / LFB_WORD_BITS * sizeof *answers);
  for (size_t first = 0; first < count; first += most) {
    const size_t keys = count - first < most ? count - first : most;
    any_group_find(counting, verb, low + first, high == NULL ? NULL : high + first, keys, &group);
    for (size_t i = 0, at = 0; i < keys; at = group.end[i++]) {
      const uint32_t places = (uint32_t)group.end[i] - (uint32_t)at;
      const bool answer = any_do(counting, verb, group.places + at, places);
      answers[(first + i) / LFB_WORD_BITS] |= (uint64_t)answer << (first + i) % LFB_WORD_BITS;
    }
  }
}

/* ---- the kernel -------------------------------------------------------------- */

static bool any_put_one(const lfb_counting *counting, lfb_hash hash)
{
  return any_one(counting, LFB_COUNTING_PUT, hash);
}

static bool any_might_contain_one(const lfb_counting *counting, lfb_hash hash)
{
  return any_one(counting, LFB_COUNTING_MIGHT_CONTAIN, hash);
}

static bool any_remove_one(const lfb_counting *counting, lfb_hash hash)
{
  return any_one(counting, LFB_COUNTING_REMOVE, hash);
}

static void any_put_many(const lfb_counting *counting, const uint64_t *low,
                         const uint64_t *high, size_t count, uint64_t *answers)
{
  any_many(counting, LFB_COUNTING_PUT, low, high, count, answers);
}

static void any_might_contain_many(const lfb_counting *counting, const uint64_t *low,
                                   const uint64_t *high, size_t count, uint64_t *answers)
{
  any_many(counting, LFB_COUNTING_MIGHT_CONTAIN, low, high, count, answers);
}

static void any_remove_many(const lfb_counting *counting, const uint64_t *low,
                            const uint64_t *high, size_t count, uint64_t *answers)
{
  any_many(counting, LFB_COUNTING_REMOVE, low, high, count, answers);
}

const lfb_counting_kernel lfb_counting_kernel_any = {
    .one = {any_put_one, any_might_contain_one, any_remove_one},
    .many = {any_put_many, any_might_contain_many, any_remove_many},
};
