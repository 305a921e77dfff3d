/*
 * counting_fast.c - the operations on the counters of a key of `fast`.
 *
 * A key has bits in one word of each of its groups (lfbloom/fast_view.h).  Four words of counters,
 * half a line, stand for one word of bits.  The view is a filter's, except that its words are
 * those of the counters, 32 per block.
 */
#include "bloom/kinds/counting_places.h"
#include "bloom/strategies/fast/fast_key.h"

enum {
  FAST_BLOCK = LFB_COUNTING_WORDS * LFB_BLOCK_WORDS, /* words of counters per block, and
                                                         the most that a key can have    */
};

/* The first word of counters in each of a key's groups. */
typedef struct cfast_groups {
  lfb_word *first[LFB_BLOCK_WORDS];
} cfast_groups;

LFB_INLINE lfb_word *cfast_block(const lfb_fast *fast, uint64_t hash)
{
  return fast->words + FAST_BLOCK * lfb_multiply_high(hash, fast->blocks);
}

/* The counters of the word that a hash selects in group j. */
LFB_INLINE lfb_word *cfast_group(const lfb_fast *fast, lfb_word *block, uint64_t round0,
                                 uint32_t j)
{
  return block + (size_t)LFB_COUNTING_WORDS * lfb_fast_word(fast, round0, j);
}

LFB_INLINE cfast_groups cfast_groups_of(const lfb_fast *fast, uint64_t hash)
{
  lfb_word *block = cfast_block(fast, hash);
  const uint64_t round0 = lfb_fast_round(hash, 0);
  /* Initialised for gcc 12: with -fsanitize=undefined it warns that used elements are not set. */
  cfast_groups groups = {{NULL}};

  LFB_UNROLL
  for (uint32_t j = 0; j < lfb_fast_groups(fast); j++)
    groups.first[j] = cfast_group(fast, block, round0, j);
  return groups;
}

/* The probe's counter, of the 64 of its word of bits. */
LFB_INLINE uint64_t cfast_counter(uint64_t hash, uint32_t probe)
{
  return lfb_fast_round(hash, probe / LFB_FAST_ROUND) >> (16 + 6 * (probe % LFB_FAST_ROUND)) &
         63;
}

/*
 * Whether all of a key's counters are above 0.
 *
 * Each counter is shifted to the bottom of a copy of its word, and 15 is added: a counter above 0
 * carries into bit 4.  No branch depends on the hash or on the counters.
 */
LFB_INLINE bool cfast_counted_in(const lfb_fast *fast, uint64_t hash)
{
  const cfast_groups groups = cfast_groups_of(fast, hash);
  uint64_t above = LFB_COUNTER_MOST + 1;

  LFB_UNROLL
  for (uint32_t probe = 0; probe < fast->probes; probe++) {
    const uint64_t counter = cfast_counter(hash, probe);
    const lfb_word *first = groups.first[probe & (lfb_fast_groups(fast) - 1)];
    const uint64_t word = lfb_word_get(&first[counter / LFB_COUNTERS_A_WORD]);
    const uint64_t in_word = LFB_COUNTER_BITS * (counter % LFB_COUNTERS_A_WORD);
    above &= (word >> in_word & LFB_COUNTER_MOST) + LFB_COUNTER_MOST;
  }
  return above != 0;
}

/* Prefetches a key's half lines: the first function for reading, the second for writing. */
LFB_INLINE void cfast_ask_to_read(const lfb_fast *fast, uint64_t hash)
{
  lfb_word *block = cfast_block(fast, hash);
  const uint64_t round0 = lfb_fast_round(hash, 0);

  LFB_UNROLL
  for (uint32_t j = 0; j < lfb_fast_groups(fast); j++)
    lfb_prefetch_read((const void *)cfast_group(fast, block, round0, j));
}

LFB_INLINE void cfast_ask_to_write(const lfb_fast *fast, uint64_t hash)
{
  lfb_word *block = cfast_block(fast, hash);
  const uint64_t round0 = lfb_fast_round(hash, 0);

  LFB_UNROLL
  for (uint32_t j = 0; j < lfb_fast_groups(fast); j++)
    lfb_prefetch_write((const void *)cfast_group(fast, block, round0, j));
}

/*
 * Writes the places of a key, each word once, in the order of the words.  Returns how many.
 *
 * The counters of each word are gathered in an array, with a bit for each element that is not
 * empty.  So the only unpredictable branch is the end of the loop over these bits.  It is resolved
 * long before the locked operations after it are done.
 */
LFB_INLINE uint32_t cfast_places(const lfb_fast *fast, uint64_t hash, lfb_place *places)
{
  const cfast_groups groups = cfast_groups_of(fast, hash);
  uint64_t which[FAST_BLOCK];
  uint64_t some = 0;
  uint32_t count = 0;

  LFB_UNROLL
  for (uint32_t i = 0; i < LFB_COUNTING_WORDS * lfb_fast_groups(fast); i++)
    which[i] = 0;
  LFB_UNROLL
  for (uint32_t probe = 0; probe < fast->probes; probe++) {
    const uint64_t counter = cfast_counter(hash, probe);
    const uint64_t at = (uint64_t)LFB_COUNTING_WORDS * (probe & (lfb_fast_groups(fast) - 1)) +
                        counter / LFB_COUNTERS_A_WORD;
    which[at] |= UINT64_C(1) << (LFB_COUNTER_BITS * (counter % LFB_COUNTERS_A_WORD));
    some |= UINT64_C(1) << at;
  }
  for (; some != 0; some &= some - 1) {
    const uint32_t at = (uint32_t)__builtin_ctzll(some);
    places[count].word = groups.first[at / LFB_COUNTING_WORDS] + at % LFB_COUNTING_WORDS;
    places[count++].which = which[at];
  }
  return count;
}

/* ---- the operations on one key; its lines are prefetched or in the cache ------- */

typedef lfb_fast cfast_view;

LFB_INLINE uint64_t cfast_put_key(const cfast_view *fast, uint64_t hash)
{
  lfb_place places[FAST_BLOCK];
  return lfb_places_put(fast->filter, places, cfast_places(fast, hash, places));
}

LFB_INLINE uint64_t cfast_might_contain_key(const cfast_view *fast, uint64_t hash)
{
  return cfast_counted_in(fast, hash);
}

/* Removing a definitely absent key costs no more than querying it. */
LFB_INLINE uint64_t cfast_remove_key(const cfast_view *fast, uint64_t hash)
{
  lfb_place places[FAST_BLOCK];
  return cfast_counted_in(fast, hash) &&
         lfb_places_remove(fast->filter, places, cfast_places(fast, hash, places));
}

/* For a single key, prefetches all its lines before the first is written: a locked operation delays
 * everything after it. */
LFB_INLINE uint64_t cfast_ask_and_put(const cfast_view *fast, uint64_t hash)
{
  cfast_ask_to_write(fast, hash);
  return cfast_put_key(fast, hash);
}

LFB_INLINE uint64_t cfast_ask_and_remove(const cfast_view *fast, uint64_t hash)
{
  cfast_ask_to_write(fast, hash);
  return cfast_remove_key(fast, hash);
}

#define LINES_TARGET
#define LINES_LOOP cfast_lines
#define LINES_VIEW cfast_view
#define LINES_UNROLL
#include "bloom/strategies/lines.inc.h"

/* ---- shapes: each of LFB_FAST_SHAPES has code with constants ------------------- */

typedef void (*cfast_ask)(const cfast_view *fast, uint64_t hash);
typedef uint64_t (*cfast_act)(const cfast_view *fast, uint64_t hash);

/* Applies `act` to one hash, with a view of this shape.  0 probes: the view's own shape. */
LFB_INLINE bool cfast_shaped(const lfb_fast *fast, uint32_t group_shift, uint32_t probes,
                             lfb_hash hash, cfast_act act)
{
  const lfb_fast shaped = lfb_fast_shaped(fast, 3, group_shift, probes);
  return act(&shaped, hash.low) != 0;
}

LFB_INLINE bool cfast_one(const lfb_counting *counting, lfb_hash hash, cfast_act act)
{
  const lfb_fast *fast = &counting->layout.fast;

  switch (LFB_FAST_SHAPE(fast->group_shift, fast->probes)) {
#define CASE(name, s, n) case LFB_FAST_SHAPE(s, n): return cfast_shaped(fast, s, n, hash, act);
    LFB_FAST_SHAPES(CASE)
#undef CASE
  default:
    return cfast_shaped(fast, 0, 0, hash, act);
  }
}

/* The keys and answers of a batch. */
typedef struct cfast_batch {
  const uint64_t *hashes;
  size_t count;
  uint64_t *answers;
} cfast_batch;

/* The same as cfast_shaped() for many hashes. */
LFB_INLINE void cfast_shaped_many(const lfb_fast *fast, uint32_t group_shift, uint32_t probes,
                                  cfast_batch batch, cfast_ask ask, cfast_act act)
{
  const lfb_fast shaped = lfb_fast_shaped(fast, 3, group_shift, probes);
  (void)cfast_lines(&shaped, batch.hashes, batch.count, batch.answers, ask, act);
}

LFB_INLINE void cfast_many(const lfb_counting *counting, cfast_batch batch, cfast_ask ask,
                           cfast_act act)
{
  const lfb_fast *fast = &counting->layout.fast;

  switch (LFB_FAST_SHAPE(fast->group_shift, fast->probes)) {
#define CASE(name, s, n) case LFB_FAST_SHAPE(s, n): cfast_shaped_many(fast, s, n, batch, ask, act); return;
    LFB_FAST_SHAPES(CASE)
#undef CASE
  default:
    cfast_shaped_many(fast, 0, 0, batch, ask, act);
  }
}

/* ---- the kernel ---------------------------------------------------------------- */

static bool cfast_put_one(const lfb_counting *counting, lfb_hash hash)
{
  return cfast_one(counting, hash, cfast_ask_and_put);
}

static bool cfast_might_contain_one(const lfb_counting *counting, lfb_hash hash)
{
  return cfast_one(counting, hash, cfast_might_contain_key);
}

static bool cfast_remove_one(const lfb_counting *counting, lfb_hash hash)
{
  return cfast_one(counting, hash, cfast_ask_and_remove);
}

static void cfast_put_many(const lfb_counting *counting, const uint64_t *low,
                           const uint64_t *high, size_t count, uint64_t *answers)
{
  (void)high;
  cfast_many(counting, (cfast_batch){low, count, answers}, cfast_ask_to_write, cfast_put_key);
}

static void cfast_might_contain_many(const lfb_counting *counting, const uint64_t *low,
                                     const uint64_t *high, size_t count, uint64_t *answers)
{
  (void)high;
  cfast_many(counting, (cfast_batch){low, count, answers}, cfast_ask_to_read, cfast_might_contain_key);
}

static void cfast_remove_many(const lfb_counting *counting, const uint64_t *low,
                              const uint64_t *high, size_t count, uint64_t *answers)
{
  (void)high;
  cfast_many(counting, (cfast_batch){low, count, answers}, cfast_ask_to_write, cfast_remove_key);
}

const lfb_counting_kernel lfb_counting_kernel_fast = {
    .one = {cfast_put_one, cfast_might_contain_one, cfast_remove_one},
    .many = {cfast_put_many, cfast_might_contain_many, cfast_remove_many},
};
