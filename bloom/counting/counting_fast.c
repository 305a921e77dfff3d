/*
 * counting_fast.c - the operations on the counters of a key of `fast`.
 *
 * A key has bits in the words of its pairs (bloom/strategies/fast_view.h).  Four words of counters,
 * half a line, stand for one word of bits.  The view is a filter's, except that its words are those
 * of the counters.
 */
#include "bloom/counting/counter_sets.h"
#include "bloom/hashing/simd.h"
#include "bloom/strategies/fast/fast_key.h"

enum {
  FAST_MOST = LFB_COUNTING_WORDS * LFB_BLOCK_WORDS, /* words of counters that a key can have */
};

/* The first word of counters of each of a key's words. */
typedef struct cfast_groups {
  lfb_word *first[LFB_BLOCK_WORDS];
} cfast_groups;

/* The words of a key, and its probes. */
LFB_INLINE uint32_t cfast_words(const lfb_fast *fast)
{
  return LFB_PAIR_WORDS * fast->pairs;
}

LFB_INLINE uint32_t cfast_probes(const lfb_fast *fast)
{
  return cfast_words(fast) * fast->bits;
}

LFB_INLINE cfast_groups cfast_groups_of(const lfb_fast *fast, uint64_t hash)
{
  lfb_word *block = fast->words + LFB_COUNTING_WORDS * lfb_multiply_high(hash, fast->blocks) *
                                      lfb_fast_block_words(fast->pairs);
  /* Initialised for gcc 12: with -fsanitize=undefined it warns that used elements are not set. */
  cfast_groups groups = {{NULL}};

  for (uint32_t w = 0; w < cfast_words(fast); w++)
    groups.first[w] = block + LFB_COUNTING_WORDS *
                                  (lfb_fast_pair_at(hash, fast->pairs, w / 2) + w % 2);
  return groups;
}

/* The probe's counter, of the 64 of its word of bits. */
LFB_INLINE uint64_t cfast_counter(uint64_t hash, uint32_t probe)
{
  return lfb_fast_round(hash, probe / LFB_FAST_ROUND) >> lfb_fast_shift(probe) & 63;
}

/* The counter of a probe, shifted to the bottom of its word, plus 15: above 0 it carries into bit
 * 4. */
LFB_INLINE uint64_t cfast_above(const lfb_fast *fast, const cfast_groups *groups, uint64_t hash,
                                uint32_t probe)
{
  const uint64_t counter = cfast_counter(hash, probe);
  const lfb_word *first = groups->first[probe & (cfast_words(fast) - 1)];
  const uint64_t word = lfb_word_get(&first[counter / LFB_COUNTERS_A_WORD]);
  const uint64_t in_word = LFB_COUNTER_BITS * (counter % LFB_COUNTERS_A_WORD);
  return (word >> in_word & LFB_COUNTER_MOST) + LFB_COUNTER_MOST;
}

/*
 * Whether all of a key's counters are above 0.
 *
 * No branch depends on the hash or on the counters.
 */
LFB_INLINE uint64_t cfast_might_contain_key(const lfb_fast *fast, uint64_t hash)
{
  const cfast_groups groups = cfast_groups_of(fast, hash);
  uint64_t above = LFB_COUNTER_MOST + 1;

  for (uint32_t probe = 0; probe < cfast_probes(fast); probe++)
    above &= cfast_above(fast, &groups, hash, probe);
  return above != 0;
}

/* Adds the counter of a probe to those of its word.  Returns the bit of the word. */
LFB_INLINE uint64_t cfast_gather(const lfb_fast *fast, uint64_t hash, uint32_t probe,
                                 uint64_t *which)
{
  const uint64_t counter = cfast_counter(hash, probe);
  const uint64_t at = (uint64_t)LFB_COUNTING_WORDS * (probe & (cfast_words(fast) - 1)) +
                      counter / LFB_COUNTERS_A_WORD;
  which[at] |= UINT64_C(1) << (LFB_COUNTER_BITS * (counter % LFB_COUNTERS_A_WORD));
  return UINT64_C(1) << at;
}

/*
 * Writes the sets of a key, each word once, in the order of the words.  Returns how many.
 *
 * The counters of each word are gathered in an array, with a bit for each element that is not
 * empty.  So the only unpredictable branch is the end of the loop over these bits.  It is resolved
 * long before the locked operations after it are done.
 */
LFB_INLINE uint32_t cfast_sets(const lfb_fast *fast, uint64_t hash, lfb_counter_set *sets)
{
  const cfast_groups groups = cfast_groups_of(fast, hash);
  const uint32_t words = LFB_COUNTING_WORDS * cfast_words(fast);
  uint64_t which[FAST_MOST];
  uint64_t some = 0;
  uint32_t count = 0;

  for (uint32_t i = 0; i < words; i++)
    which[i] = 0;
  for (uint32_t probe = 0; probe < cfast_probes(fast); probe++)
    some |= cfast_gather(fast, hash, probe, which);
  for (; some != 0; some &= some - 1) {
    const uint32_t at = (uint32_t)__builtin_ctzll(some);
    sets[count].word = groups.first[at / LFB_COUNTING_WORDS] + at % LFB_COUNTING_WORDS;
    sets[count++].which = which[at];
  }
  return count;
}

/* ---- the operations on one key; its lines are prefetched or in the cache ------- */

/* What is the same for all keys of a call. */
typedef struct cfast_view {
  lfb_fast fast;
  bool removes; /* whether keys that are changed are removed, not put */
} cfast_view;

LFB_INLINE uint64_t cfast_query(const cfast_view *view, uint64_t hash)
{
  return cfast_might_contain_key(&view->fast, hash);
}

/* Removing a definitely absent key costs no more than querying it. */
LFB_INLINE uint64_t cfast_change(const cfast_view *view, uint64_t hash)
{
  const lfb_fast *fast = &view->fast;
  lfb_counter_set sets[FAST_MOST];

  if (view->removes && cfast_might_contain_key(fast, hash) == 0)
    return 0;
  const uint32_t count = cfast_sets(fast, hash, sets);
  return view->removes ? lfb_counter_sets_remove(fast->filter, sets, count)
                       : lfb_counter_sets_put(fast->filter, sets, count);
}

/* Prefetches a key's half lines: the first function for reading, the second for writing. */
LFB_INLINE void cfast_prefetch(const cfast_view *view, uint64_t hash)
{
  const cfast_groups groups = cfast_groups_of(&view->fast, hash);
  const uint32_t count = cfast_words(&view->fast);

  for (uint32_t j = 0; j < count; j++)
    lfb_prefetch_read((const void *)groups.first[j]);
}

LFB_INLINE void cfast_prefetch_change(const cfast_view *view, uint64_t hash)
{
  const cfast_groups groups = cfast_groups_of(&view->fast, hash);
  const uint32_t count = cfast_words(&view->fast);

  for (uint32_t j = 0; j < count; j++)
    lfb_prefetch_write((const void *)groups.first[j]);
}

#define LINES_TARGET
#define LINES_LOOP cfast_lines
#define LINES_VIEW cfast_view
#include "bloom/strategies/lines.inc.h"

/* ---- the kernel ---------------------------------------------------------------- */

/* All lines of a key that is changed are prefetched before the first is written: a locked operation
 * delays everything after it. */
static bool cfast_change_one(const lfb_counting *counting, lfb_hash hash, bool remove)
{
  const cfast_view view = {counting->layout.fast, remove};

  cfast_prefetch_change(&view, hash.low);
  return cfast_change(&view, hash.low) != 0;
}

static bool cfast_might_contain_one(const lfb_counting *counting, lfb_hash hash)
{
  return cfast_might_contain_key(&counting->layout.fast, hash.low) != 0;
}

static void cfast_change_many(const lfb_counting *counting, lfb_piece hashes, uint64_t *answers,
                              bool remove)
{
  const cfast_view view = {counting->layout.fast, remove};
  (void)cfast_lines(&view, true, hashes.low, hashes.count, answers, cfast_prefetch_change,
                    cfast_change);
}

static void cfast_might_contain_many(const lfb_counting *counting, lfb_piece hashes,
                                     uint64_t *answers)
{
  const cfast_view view = {counting->layout.fast, false};
  (void)cfast_lines(&view, true, hashes.low, hashes.count, answers, cfast_prefetch, cfast_query);
}

const lfb_counting_kernel lfb_counting_kernel_fast = {cfast_might_contain_one, cfast_change_one,
                                                      cfast_might_contain_many, cfast_change_many};
