/*
 * counting_any.c - the operations on a key's counters, for any strategy but `tags`: its bits_of
 * (strategy.h) returns a key's bits.
 *
 * Order  Every thread goes through the words of a key in the same order.  Of the threads that
 *        remove a key at once, one is refused at a word only if another has passed that word.
 *        So one of them passes all words.
 */
#include "bloom/counting/counting.h"

/* ---- the counters of one key ------------------------------------------------ */

/* Some counters of one word. */
typedef struct counter_set {
  lfb_word *word;
  uint64_t which;
} counter_set;

LFB_INLINE void sets_raise(const counter_set *sets, uint32_t count, lfb_counters_tally *tally)
{
  for (uint32_t i = 0; i < count; i++)
    lfb_counters_raised(tally, lfb_counters_raise(sets[i].word, sets[i].which));
}

/* Lowers the counters of all sets, or of none: if one word is refused, the words before it are
 * raised again.  Other threads can see them lowered until then. */
LFB_INLINE bool sets_lower(const counter_set *sets, uint32_t count, lfb_counters_tally *tally)
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

/*
 * Merges the sets of each word into one.  Returns how many are left.  Which sets share a word
 * depends on the hash, so a branch could not be predicted: there is none.
 */
LFB_INLINE uint32_t any_merge(counter_set *sets, uint32_t count)
{
  uint32_t kept = 0;

  for (uint32_t i = 0; i < count; i++) {
    const counter_set set = sets[i];
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
                             counter_set *sets)
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
LFB_INLINE bool any_might_contain(const counter_set *sets, uint32_t count)
{
  uint64_t missing = 0;

  for (uint32_t i = 0; i < count; i++)
    missing |= sets[i].which & ~lfb_counters_above_0(lfb_word_get(sets[i].word));
  return missing == 0;
}

static bool any_might_contain_one(const lfb_counting *counting, lfb_hash hash)
{
  counter_set sets[LFB_MAX_PROBES];
  return any_might_contain(sets, any_find(counting, false, hash, sets));
}

/* Removing a definitely absent key costs no more than querying it. */
static bool any_change_one(const lfb_counting *counting, lfb_hash hash, bool remove)
{
  counter_set sets[LFB_MAX_PROBES];
  const uint32_t count = any_find(counting, true, hash, sets);
  lfb_counters_tally tally = {0, 0, 0};
  bool done = true;

  if (remove)
    done = any_might_contain(sets, count) && sets_lower(sets, count, &tally);
  else
    sets_raise(sets, count, &tally);
  lfb_counting_count(counting, &tally);
  return done;
}

const lfb_counting_kernel lfb_counting_kernel_any = {any_might_contain_one, any_change_one, NULL,
                                                     NULL};
