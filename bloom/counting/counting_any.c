/*
 * counting_any.c - the operations on a key's counters, for any strategy: its bits_of (strategy.h)
 * returns a key's bits.
 */
#include "bloom/counting/counter_sets.h"

/*
 * Merges the sets of each word into one.  Returns how many are left.  Which sets share a word
 * depends on the hash, so a branch could not be predicted: there is none.
 */
LFB_INLINE uint32_t any_merge(lfb_counter_set *sets, uint32_t count)
{
  uint32_t kept = 0;

  for (uint32_t i = 0; i < count; i++) {
    const lfb_counter_set set = sets[i];
    uint32_t first = i;
    for (uint32_t j = i; j-- > 0;)
      first = sets[j].word == set.word ? j : first;
    sets[i].which = 0;
    sets[first].which |= set.which;
  }
  for (uint32_t i = 0; i < count; i++) {
    sets[kept] = sets[i];
    kept += sets[i].which != 0;
  }
  return kept;
}

/* Writes the sets of a key and prefetches their lines.  Returns how many, at most
 * LFB_MAX_PROBES.  If they are to be changed, each word occurs once. */
LFB_INLINE uint32_t any_find(const lfb_counting *counting, bool change, lfb_hash hash,
                             lfb_counter_set *sets)
{
  uint64_t indexes[LFB_MAX_PROBES];
  const uint32_t bits = counting->description.strategy->bits_of(&counting->layout, hash, indexes);

  for (uint32_t i = 0; i < bits; i++) {
    lfb_word *word = lfb_counting_words(counting) + indexes[i] / LFB_COUNTERS_A_WORD;
    if (change)
      lfb_prefetch_write((const void *)word);
    else
      lfb_prefetch_read((const void *)word);
    sets[i].word = word;
    sets[i].which = UINT64_C(1) << (LFB_COUNTER_BITS * (indexes[i] % LFB_COUNTERS_A_WORD));
  }
  return change ? any_merge(sets, bits) : bits;
}

/* All words are read, regardless of what is found, so that their misses overlap. */
LFB_INLINE bool any_might_contain(const lfb_counter_set *sets, uint32_t count)
{
  uint64_t missing = 0;

  for (uint32_t i = 0; i < count; i++)
    missing |= sets[i].which & ~lfb_counters_above_0(lfb_word_get(sets[i].word));
  return missing == 0;
}

/* Queries, puts or removes a key.  Removing a definitely absent key costs no more than querying
 * it. */
LFB_INLINE bool any_act(const lfb_counting *counting, bool change, bool remove,
                        const lfb_counter_set *sets, uint32_t count)
{
  if (change && !remove)
    return lfb_counter_sets_put(counting, sets, count);
  return any_might_contain(sets, count) &&
         (!change || lfb_counter_sets_remove(counting, sets, count));
}

LFB_INLINE bool any_one(const lfb_counting *counting, lfb_hash hash, bool change, bool remove)
{
  lfb_counter_set sets[LFB_MAX_PROBES];
  return any_act(counting, change, remove, sets, any_find(counting, change, hash, sets));
}

/* ---- many keys ------------------------------------------------------------- */

enum {
  /* Places of the keys that are prefetched at once: far more lines than a core can have in flight,
   * and room for one key of LFB_MAX_PROBES. */
  ANY_ROOM = 256,
};

/* Computes the sets of some keys and prefetches their lines, before it uses the first. */
LFB_INLINE void any_many(const lfb_counting *counting, lfb_piece hashes, uint64_t *answers,
                         bool change, bool remove)
{
  const size_t fit = (size_t)ANY_ROOM / counting->description.geometry.probes;
  const size_t most = fit < LFB_WORD_BITS ? fit : (size_t)LFB_WORD_BITS;
  lfb_counter_set sets[ANY_ROOM];
  uint16_t end[LFB_WORD_BITS]; /* of each key's sets */

  memset(answers, 0, (hashes.count + LFB_WORD_BITS - 1) / LFB_WORD_BITS * sizeof *answers);
  for (size_t first = 0; first < hashes.count; first += most) {
    const size_t left = hashes.count - first, keys = left < most ? left : most;
    uint32_t at = 0;
    for (size_t i = 0; i < keys; end[i++] = (uint16_t)at) {
      const uint64_t high = hashes.high == NULL ? 0 : hashes.high[first + i];
      at += any_find(counting, change, (lfb_hash){hashes.low[first + i], high}, sets + at);
    }
    at = 0;
    for (size_t i = 0; i < keys; at = end[i++]) {
      const bool answer = any_act(counting, change, remove, sets + at, end[i] - at);
      answers[(first + i) / LFB_WORD_BITS] |= (uint64_t)answer << (first + i) % LFB_WORD_BITS;
    }
  }
}

/* ---- the kernel ---------------------------------------------------------------- */

static bool any_change_one(const lfb_counting *counting, lfb_hash hash, bool remove)
{
  return any_one(counting, hash, true, remove);
}

static bool any_might_contain_one(const lfb_counting *counting, lfb_hash hash)
{
  return any_one(counting, hash, false, false);
}

static void any_change_many(const lfb_counting *counting, lfb_piece hashes, uint64_t *answers,
                            bool remove)
{
  any_many(counting, hashes, answers, true, remove);
}

static void any_might_contain_many(const lfb_counting *counting, lfb_piece hashes,
                                   uint64_t *answers)
{
  any_many(counting, hashes, answers, false, false);
}

const lfb_counting_kernel lfb_counting_kernel_any = {any_might_contain_one, any_change_one,
                                                     any_might_contain_many, any_change_many};
