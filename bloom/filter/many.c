/*
 * many.c - the filter's operations on many keys.  Each piece of keys is hashed, then passed to
 * the strategy, which prefetches many lines.
 *
 * Known keys  A put of a present key is a query that does not know it: it fetches its line for
 *             writing, and one key at a time.  So if most keys of the turn before were present (of
 *             a call's first turn: most of 16 keys), a turn of puts queries first, and then puts
 *             the absent keys one by one.  Their lines are in a cache.
 */
#include <assert.h>
#include <lfbloom/filter.h>

#include "bloom/filter/filter.h"
#include "bloom/filter/pieces.h"

/* The context of the acts below. */
typedef struct many_keys {
  const lfb_filter *filter;
  uint64_t *answers; /* NULL if not wanted */
  bool *known; /* of a put: whether most keys of the turn before were present */
} many_keys;

enum {
  MANY_TURN = 1024,  /* keys; their lines fit into the second cache */
  MANY_SAMPLED = 16, /* keys of a first turn */
};

/* Of up to 64 hashes, puts or claims those with a bit in `absent`.  Adds the bits that puts turned
 * on to `*turned_on`.  Returns a bit for each that is new. */
typedef uint64_t (*many_word)(const lfb_filter *filter, const uint64_t *low, const uint64_t *high,
                              uint64_t absent, uint64_t *turned_on);

/* Queries hashes, and takes the absent ones by `word`, which is inlined.  Returns how many bits
 * puts turned on. */
LFB_INLINE uint64_t many_after_query(const lfb_filter *filter, const uint64_t *low,
                                     const uint64_t *high, size_t count, uint64_t *answers,
                                     many_word word)
{
  uint64_t turned_on = 0;

  (void)filter->kernel->many(&filter->layout, LFB_KERNEL_MIGHT_CONTAIN, low, high, count, answers);
  for (size_t at = 0; at < count; at += LFB_WORD_BITS) {
    const size_t left = count - at;
    const uint64_t all = left < LFB_WORD_BITS ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
    uint64_t *answer = &answers[at / LFB_WORD_BITS];
    *answer = word(filter, low + at, high == NULL ? NULL : high + at, all & ~*answer, &turned_on);
  }
  return turned_on;
}

LFB_INLINE lfb_hash many_hash(const uint64_t *low, const uint64_t *high, int i)
{
  return (lfb_hash){low[i], high == NULL ? 0 : high[i]};
}

LFB_INLINE uint64_t many_put_word(const lfb_filter *filter, const uint64_t *low,
                                  const uint64_t *high, uint64_t absent, uint64_t *turned_on)
{
  uint64_t fresh = 0;

  for (uint64_t left = absent; left != 0; left &= left - 1) {
    const int i = __builtin_ctzll(left);
    const uint32_t on = filter->kernel->turn_on(&filter->layout, many_hash(low, high, i));
    *turned_on += on;
    fresh |= (uint64_t)(on != 0) << i;
  }
  return fresh;
}

/* Whether most of MANY_SAMPLED keys are present. */
static bool many_are_known(const lfb_filter *filter, const uint64_t *low, const uint64_t *high)
{
  uint64_t present;

  (void)filter->kernel->many(&filter->layout, LFB_KERNEL_MIGHT_CONTAIN, low, high, MANY_SAMPLED,
                             &present);
  return lfb_word_count(present) >= MANY_SAMPLED * 3 / 4;
}

static size_t many_put_act(const void *context, const uint64_t *low, const uint64_t *high,
                           size_t first, size_t count)
{
  const many_keys *m = context;
  const lfb_layout *layout = &m->filter->layout;
  uint64_t buffer[LFB_PIECE_HASHES / LFB_WORD_BITS];
  uint64_t *into = m->answers == NULL ? buffer : m->answers + first / LFB_WORD_BITS;
  size_t yes = 0;

  if (first == 0 && count >= MANY_TURN)
    *m->known = many_are_known(m->filter, low, high);
  for (size_t at = 0, turn; at < count; at += turn) {
    const uint64_t *above = high == NULL ? NULL : high + at;
    uint64_t *answers = into + at / LFB_WORD_BITS;
    turn = *m->known && count - at > MANY_TURN ? (size_t)MANY_TURN : count - at;
    const uint64_t turned_on =
        *m->known ? many_after_query(m->filter, low + at, above, turn, answers, many_put_word)
                  : m->filter->kernel->many(layout, LFB_KERNEL_PUT, low + at, above, turn, answers);
    lfb_bit_array_add(&layout->bits, turned_on);
    const size_t fresh = lfb_piece_yes(answers, turn);
    *m->known = fresh <= turn / 4;
    yes += fresh;
  }
  return yes;
}

static size_t many_query_act(const void *context, const uint64_t *low, const uint64_t *high,
                       size_t first, size_t count)
{
  const many_keys *m = context;
  const lfb_layout *layout = &m->filter->layout;
  uint64_t buffer[LFB_PIECE_HASHES / LFB_WORD_BITS];
  uint64_t *into = m->answers == NULL ? buffer : m->answers + first / LFB_WORD_BITS;

  (void)m->filter->kernel->many(layout, LFB_KERNEL_MIGHT_CONTAIN, low, high, count, into);
  return lfb_piece_yes(into, count);
}

enum { MANY_LOOKED = 256 }; /* keys queried at a time, before the absent ones are claimed */

LFB_INLINE uint64_t many_claim_word(const lfb_filter *filter, const uint64_t *low,
                                    const uint64_t *high, uint64_t absent, uint64_t *turned_on)
{
  const lfb_claimed in = lfb_filter_claimed(filter);
  uint64_t won = 0;

  (void)turned_on; /* a claim counts them itself */
  /* Most absent keys will win their claim, which writes to their cells. */
  for (uint64_t left = absent; left != 0; left &= left - 1)
    lfb_prefetch_write((const void *)lfb_claims_cell(
        &filter->claims, many_hash(low, high, __builtin_ctzll(left))));
  for (uint64_t left = absent; left != 0; left &= left - 1) {
    const int i = __builtin_ctzll(left);
    won |= (uint64_t)lfb_claims_claim(&filter->claims, &in, many_hash(low, high, i)) << i;
  }
  return won;
}

static size_t many_claim_act(const void *context, const uint64_t *low, const uint64_t *high,
                             size_t first, size_t count)
{
  const many_keys *m = context;
  uint64_t buffer[MANY_LOOKED / LFB_WORD_BITS];
  size_t yes = 0;

  for (size_t at = 0, some; at < count; at += some) {
    uint64_t *answers = m->answers == NULL ? buffer : m->answers + (first + at) / LFB_WORD_BITS;
    some = count - at < MANY_LOOKED ? count - at : (size_t)MANY_LOOKED;
    (void)many_after_query(m->filter, low + at, high == NULL ? NULL : high + at, some, answers,
                           many_claim_word);
    yes += lfb_piece_yes(answers, some);
  }
  return yes;
}

/* If every put of the strategy is a claim, a claim is a put. */
size_t lfb_filter_many(const lfb_filter *filter, lfb_verb verb, const void *keys, size_t count,
                       uint64_t *answers, lfb_key_kind kind)
{
  bool known = false;

  assert(verb != LFB_REMOVE);
  const many_keys m = {filter, answers, &known};
  const lfb_hashing hashing = {&filter->layout.hasher, filter->strategy};
  const lfb_piece_act act = verb == LFB_MIGHT_CONTAIN ? many_query_act
                            : verb == LFB_CLAIM && !lfb_filter_puts_claim(filter)
                                ? many_claim_act
                                : many_put_act;

  return lfb_pieces(&hashing, keys, count, kind, act, &m);
}
