/*
 * counters.h - sixteen counters of 4 bits in a word, which many threads may raise and
 * lower at once.  One compare-and-exchange changes any set of a word's counters.
 *
 * Which      A set of a word's counters is given as a word with the lowest bit of each of
 *            them: a subset of LFB_COUNTER_ONES.  Counter i is bits 4 i to 4 i + 3.
 * Stuck      A counter that has reached 15 has lost count, and stays at 15 permanently.
 * Ordering   Every access is relaxed: a word publishes nothing but its counters.
 * Progress   Reading is wait-free.  Raising and lowering are lock-free: a CAS fails only
 *            because another thread has raised or lowered a counter of the word.
 * Stopped    As lfbloom/word.h.
 * Threads    Any function concurrently with any other, on the same word.
 */
#ifndef LFB_ATOMIC_COUNTERS_H
#define LFB_ATOMIC_COUNTERS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include <lfbloom/word.h>

enum {
  LFB_COUNTER_BITS = 4,
  LFB_COUNTER_MOST = 15,
  LFB_COUNTERS_A_WORD = LFB_WORD_BITS / LFB_COUNTER_BITS,
};

#define LFB_COUNTER_ONES UINT64_C(0x1111111111111111)

/* A word before and after it was changed. */
typedef struct lfb_counters_step {
  uint64_t before, after;
} lfb_counters_step;

/* The set of the counters that are above 0. */
static inline uint64_t lfb_counters_above_0(uint64_t word)
{
  const uint64_t either = word | word >> 1;
  return (either | either >> 2) & LFB_COUNTER_ONES;
}

/* The set of the counters that are stuck at 15. */
static inline uint64_t lfb_counters_stuck(uint64_t word)
{
  const uint64_t both = word & word >> 1;
  return both & both >> 2 & LFB_COUNTER_ONES;
}

/*
 * Adds 1 to each of these counters that is not stuck; writes nothing if all are.
 *
 * No carry reaches the next counter: a counter that is not stuck is at most 14.
 */
static inline lfb_counters_step lfb_counters_raise(lfb_word *word, uint64_t which)
{
  assert((which & ~LFB_COUNTER_ONES) == 0);
  uint64_t seen = lfb_word_get(word);

  for (;;) {
    const uint64_t after = seen + (which & ~lfb_counters_stuck(seen));
    /* relaxed: the counters themselves are the whole message. */
    if (after == seen || lfb_cas_u64(word, &seen, after, LFB_STD memory_order_relaxed)) {
      const lfb_counters_step step = {seen, after};
      return step;
    }
  }
}

/*
 * Subtracts 1 from each of these counters that is not stuck: from all of them or from none.
 *
 * Gives    step  the change of the word; untouched if the call returns false.
 * Returns  false if one of the counters was 0: the word is unchanged.
 */
static inline bool lfb_counters_lower(lfb_word *word, uint64_t which, lfb_counters_step *step)
{
  assert((which & ~LFB_COUNTER_ONES) == 0);
  uint64_t seen = lfb_word_get(word);

  while ((which & ~lfb_counters_above_0(seen)) == 0) {
    const uint64_t after = seen - (which & ~lfb_counters_stuck(seen));
    /* relaxed: as above. */
    if (after == seen || lfb_cas_u64(word, &seen, after, LFB_STD memory_order_relaxed)) {
      step->before = seen;
      step->after = after;
      return true;
    }
  }
  return false;
}

/* The sums of two words' counters; a sum of 15 or more is 15, stuck. */
static inline uint64_t lfb_counters_sum(uint64_t a, uint64_t b)
{
  const uint64_t tops = LFB_COUNTER_ONES << 3;
  const uint64_t low = (a & ~tops) + (b & ~tops); /* a carry ends in the top bit */
  const uint64_t over = ((a & b) | ((a | b) & low)) & tops;

  return (low ^ ((a ^ b) & tops)) | (over >> 3) * LFB_COUNTER_MOST;
}

/* Adds the counters of `more` to those of a word; writes nothing if none changes. */
static inline lfb_counters_step lfb_counters_add(lfb_word *word, uint64_t more)
{
  uint64_t seen = lfb_word_get(word);

  for (;;) {
    const uint64_t after = lfb_counters_sum(seen, more);
    /* relaxed: as above. */
    if (after == seen || lfb_cas_u64(word, &seen, after, LFB_STD memory_order_relaxed)) {
      const lfb_counters_step step = {seen, after};
      return step;
    }
  }
}

/* The number of counters in a set. */
static inline uint32_t lfb_counters_count(uint64_t which)
{
  const uint64_t pairs = (which + (which >> LFB_COUNTER_BITS)) & UINT64_C(0x0303030303030303);
  return (uint32_t)(pairs * UINT64_C(0x0101010101010101) >> 56);
}

/* How many counters left 0, returned to 0, and reached 15. */
typedef struct lfb_counters_tally {
  uint64_t on, off, stuck;
} lfb_counters_tally;

/* Adds a step of lfb_counters_raise() or lfb_counters_add() to a tally. */
LFB_INLINE void lfb_counters_raised(lfb_counters_tally *tally, lfb_counters_step step)
{
  const uint64_t stuck = lfb_counters_stuck(step.after);

  tally->on += lfb_counters_count(lfb_counters_above_0(step.after) &
                                  ~lfb_counters_above_0(step.before));
  if (__builtin_expect(stuck != 0, 0))
    tally->stuck += lfb_counters_count(stuck & ~lfb_counters_stuck(step.before));
}

/* Adds a step of lfb_counters_lower() to a tally. */
LFB_INLINE void lfb_counters_lowered(lfb_counters_tally *tally, lfb_counters_step step)
{
  tally->off += lfb_counters_count(lfb_counters_above_0(step.before) &
                                   ~lfb_counters_above_0(step.after));
}

/* Returns the set as 16 bits, bit i for counter i. */
static inline uint64_t lfb_counters_gather(uint64_t which)
{
  which = (which | which >> 3) & UINT64_C(0x0303030303030303);
  which = (which | which >> 6) & UINT64_C(0x000f000f000f000f);
  which = (which | which >> 12) & UINT64_C(0x000000ff000000ff);
  return (which | which >> 24) & UINT64_C(0xffff);
}

#endif
