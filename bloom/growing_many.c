/*
 * growing_many.c - a growing filter's operations on many keys: hashed by the piece, asked
 * of one layer after the other, each time only those that no layer has had.
 *
 * Floor 14.
 */
#include <lfbloom/growing.h>

#include "bloom/layers.h"
#include "bloom/many.h"

/* Keys of a piece, by hash, that no layer asked so far has. */
typedef struct sieve {
  uint64_t low[LFB_LAYER_KEYS];
  uint64_t high[LFB_LAYER_KEYS]; /* 0 where the hash has none */
  uint16_t at[LFB_LAYER_KEYS];   /* which of the keys it is   */
  size_t left;
} sieve;

static void sieve_fill(sieve *all, const uint64_t *low, const uint64_t *high, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    all->low[i] = low[i];
    all->high[i] = high == NULL ? 0 : high[i];
    all->at[i] = (uint16_t)i;
  }
  all->left = count;
}

/* Drops the keys whose answer is true. */
static void sieve_drop(sieve *some, const uint64_t *answers)
{
  size_t kept = 0;

  for (size_t i = 0; i < some->left; i++) {
    some->low[kept] = some->low[i];
    some->high[kept] = some->high[i];
    some->at[kept] = some->at[i];
    kept += (~answers[i / LFB_WORD_BITS] >> (i % LFB_WORD_BITS)) & 1;
  }
  some->left = kept;
}

/* Drops the keys that this layer or an older one has; NULL has none. */
static void sieve_layers(sieve *some, const lfb_layer *layer)
{
  uint64_t answers[LFB_LAYER_KEYS / LFB_WORD_BITS];

  for (; layer != NULL && some->left > 0; layer = layer->older) {
    const lfb_filter *filter = layer->filter;
    filter->strategy->might_contain_many(&filter->layout, some->low, some->high, some->left,
                                         answers);
    sieve_drop(some, answers);
  }
}

/* What the act on a piece needs to know. */
typedef struct growing_many {
  lfb_growing *growing; /* not written to by a query     */
  uint64_t *answers;    /* where they go; NULL for nowhere */
} growing_many;

/* Makes the answer to key `i` true. */
static void many_say_yes(const growing_many *m, size_t i)
{
  if (m->answers != NULL)
    m->answers[i / LFB_WORD_BITS] |= UINT64_C(1) << (i % LFB_WORD_BITS);
}

/* All answers of a piece, which begins at a word of them, to `value`. */
static void many_say(const growing_many *m, size_t first, size_t count, bool value)
{
  for (size_t i = 0; m->answers != NULL && i < count; i += LFB_WORD_BITS) {
    const size_t left = count - i;
    const uint64_t used =
        left < LFB_WORD_BITS ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
    m->answers[(first + i) / LFB_WORD_BITS] = value ? used : 0;
  }
}

static const uint64_t *at_or_null(const uint64_t *high, size_t at)
{
  return high == NULL ? NULL : high + at;
}

static size_t many_query_act(const void *context, const uint64_t *low, const uint64_t *high,
                             size_t first, size_t count)
{
  const growing_many *m = context;
  const lfb_layer *newest = lfb_layers_newest(m->growing);
  size_t absent = 0;
  sieve some;

  many_say(m, first, count, true);
  for (size_t at = 0; at < count; at += LFB_LAYER_KEYS) {
    const size_t left = count - at;
    sieve_fill(&some, low + at, at_or_null(high, at),
               left < LFB_LAYER_KEYS ? left : (size_t)LFB_LAYER_KEYS);
    sieve_layers(&some, newest);
    absent += some.left;
    for (size_t i = 0; m->answers != NULL && i < some.left; i++) {
      const size_t key = first + at + some.at[i];
      m->answers[key / LFB_WORD_BITS] &= ~(UINT64_C(1) << (key % LFB_WORD_BITS));
    }
  }
  return count - absent;
}

/* Puts what is left into the newest layer; how many keys turned on a bit.  The first of
 * all keys is key `first` of the caller's. */
static size_t many_put_left(const growing_many *m, const lfb_layer *newest, const sieve *some,
                            size_t first)
{
  const lfb_filter *filter = newest->filter;
  uint64_t answers[LFB_LAYER_KEYS / LFB_WORD_BITS];
  size_t yes = 0;

  if (some->left == 0)
    return 0;
  (void)lfb_layers_counted(m->growing, newest,
                           filter->strategy->put_many(&filter->layout, some->low, some->high,
                                                      some->left, answers));
  for (size_t i = 0; i < some->left; i++)
    if (answers[i / LFB_WORD_BITS] >> (i % LFB_WORD_BITS) & 1) {
      many_say_yes(m, first + some->at[i]);
      yes++;
    }
  return yes;
}

static size_t many_put_act(const void *context, const uint64_t *low, const uint64_t *high,
                           size_t first, size_t count)
{
  const growing_many *m = context;
  size_t yes = 0, taken;
  sieve some;

  many_say(m, first, count, false);
  for (size_t at = 0; at < count; at += taken) {
    const lfb_layer *newest = lfb_layers_newest(m->growing);
    taken = count - at < newest->keys ? count - at : newest->keys;
    sieve_fill(&some, low + at, at_or_null(high, at), taken);
    sieve_layers(&some, newest->older);
    yes += many_put_left(m, newest, &some, first + at);
  }
  return yes;
}

static size_t many_claim_act(const void *context, const uint64_t *low, const uint64_t *high,
                             size_t first, size_t count)
{
  const growing_many *m = context;
  size_t yes = 0;
  sieve some;

  many_say(m, first, count, false);
  for (size_t at = 0; at < count; at += LFB_LAYER_KEYS) {
    const size_t left = count - at;
    sieve_fill(&some, low + at, at_or_null(high, at),
               left < LFB_LAYER_KEYS ? left : (size_t)LFB_LAYER_KEYS);
    sieve_layers(&some, lfb_layers_newest(m->growing));
    for (size_t i = 0; i < some.left; i++)
      if (lfb_layers_claim(m->growing, (lfb_hash){some.low[i], some.high[i]})) {
        many_say_yes(m, first + at + some.at[i]);
        yes++;
      }
  }
  return yes;
}

/* The three operations on `count` keys of one kind, hashed by `hash_of`. */
#define GROWING_MANY(suffix, type, hash_of)                                                     \
  size_t lfb_growing_put_many##suffix(lfb_growing *growing, const type *keys, size_t count,     \
                                      uint64_t *answers)                                        \
  {                                                                                             \
    const growing_many m = {growing, answers};                                                  \
    return lfb_many_pieces(growing->first, keys, count, hash_of, many_put_act, &m);             \
  }                                                                                             \
  size_t lfb_growing_might_contain_many##suffix(const lfb_growing *growing, const type *keys,   \
                                                size_t count, uint64_t *answers)                \
  {                                                                                             \
    const growing_many m = {(lfb_growing *)growing, answers};                                   \
    return lfb_many_pieces(growing->first, keys, count, hash_of, many_query_act, &m);           \
  }                                                                                             \
  size_t lfb_growing_claim_many##suffix(lfb_growing *growing, const type *keys, size_t count,   \
                                        uint64_t *answers)                                      \
  {                                                                                             \
    const growing_many m = {growing, answers};                                                  \
    return lfb_many_pieces(growing->first, keys, count, hash_of, many_claim_act, &m);           \
  }

GROWING_MANY(, lfb_key, lfb_piece_bytes)
GROWING_MANY(_u64, uint64_t, lfb_piece_u64)
GROWING_MANY(_hash, uint64_t, lfb_piece_given)
