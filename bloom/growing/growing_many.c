/*
 * growing_many.c - a growing filter's operations on many keys.
 *
 * Keys are taken and hashed in pieces.  All keys of a piece are looked up in one layer after the
 * other, the largest first.  Keys still without an answer are pending.
 *
 * Most keys are either in a large layer or in none.  As long as few keys have been found, all of
 * them are looked up in the next layer too, since that costs less than removing those found.
 * Once a quarter has been found, the pending ones are moved together.
 */
#include <lfbloom/growing.h>

#include "bloom/growing/layers.h"

enum {
  PENDING_KEYS = LFB_PIECE_ROOM, /* the most that are looked up at a time           */
  PENDING_PAIRS = LFB_PIECE_BOTH,
  PENDING_WORDS = PENDING_KEYS / LFB_WORD_BITS,
  PENDING_NARROW = 4, /* keys are moved together once 1/PENDING_NARROW has been found    */
};

/* The pending keys of a piece, by hash, and the answers to all keys of the piece. */
typedef struct pending {
  const uint64_t *low, *high; /* `high` is NULL if the hash has none                   */
  const uint16_t *at;         /* the index of each in the piece; NULL: its own index   */
  size_t left;
  uint64_t found[PENDING_WORDS];   /* bit i: pending key i has been found; 0 after the last */
  uint64_t answers[PENDING_WORDS]; /* bit i: the answer to key i of the piece               */
  uint64_t buffer[PENDING_KEYS];   /* hashes computed or moved here: `low`, and from
                                      PENDING_PAIRS on `high` if the hash has one           */
  uint16_t at_room[PENDING_KEYS];
} pending;

static size_t words_of(size_t count)
{
  return (count + LFB_WORD_BITS - 1) / LFB_WORD_BITS;
}

static bool pending_found(const pending *some, size_t i)
{
  return lfb_answer(some->found, i);
}

static size_t pending_at(const pending *some, size_t i)
{
  return some->at == NULL ? i : some->at[i];
}

/* Sets the answer to pending key `i` to true. */
static void pending_say_yes(pending *some, size_t i)
{
  const size_t at = pending_at(some, i);
  some->answers[at / LFB_WORD_BITS] |= UINT64_C(1) << (at % LFB_WORD_BITS);
}

/* Takes and hashes the caller's next keys, from `first` on of `count`.  Returns how many. */
static size_t pending_take(pending *all, const lfb_filter *filter, const void *keys,
                           size_t first, size_t count, lfb_key_kind kind)
{
  const lfb_hashing hashing = {&filter->layout.hasher, filter->strategy};
  const lfb_piece piece =
      lfb_piece_take(&hashing, keys, first, count, kind, PENDING_KEYS, all->buffer);

  all->low = piece.low;
  all->high = piece.high;
  all->at = NULL;
  all->left = piece.count;
  memset(all->found, 0, words_of(piece.count) * sizeof *all->found);
  memset(all->answers, 0, words_of(piece.count) * sizeof *all->answers);
  return piece.count;
}

/* Moves the keys that have not been found together, and drops all others.  No key moves to a
 * higher place, so hashes that are in `buffer` already may move within it. */
static void pending_narrow(pending *some)
{
  size_t kept = 0;

  for (size_t i = 0; i < some->left; i++) {
    some->buffer[kept] = some->low[i];
    if (some->high != NULL)
      some->buffer[PENDING_PAIRS + kept] = some->high[i];
    some->at_room[kept] = (uint16_t)pending_at(some, i);
    kept += !pending_found(some, i);
  }
  some->low = some->buffer;
  some->high = some->high == NULL ? NULL : some->buffer + PENDING_PAIRS;
  some->at = some->at_room;
  some->left = kept;
  memset(some->found, 0, words_of(kept) * sizeof *some->found);
}

/* Looks the keys up in one layer.  Returns how many have been found so far. */
static size_t pending_ask_layer(pending *some, const lfb_layer *layer)
{
  uint64_t answers[PENDING_WORDS];
  size_t found = 0;

  (void)layer->kernel->many(&layer->filter->layout, LFB_KERNEL_MIGHT_CONTAIN, some->low,
                            some->high, some->left, answers);
  for (size_t i = 0; i < words_of(some->left); i++) {
    some->found[i] |= answers[i];
    found += lfb_word_count(some->found[i]);
  }
  return found;
}

/* Looks the keys up in this layer and the older ones, up to but not in `end`; NULL: in all. */
static void pending_ask_layers(pending *some, const lfb_layer *layer, const lfb_layer *end)
{
  for (; layer != end && some->left > 0; layer = layer->older)
    if (pending_ask_layer(some, layer) * PENDING_NARROW >= some->left)
      pending_narrow(some);
}

/* Looks the keys up in all layers.  Returns false if one cannot be opened: it may have any key. */
static bool pending_ask_all(pending *some, const lfb_growing *growing)
{
  const lfb_layer *newest;

  if (lfb_layers_seen(growing, &newest) != LFB_OK)
    return false;
  pending_ask_layers(some, newest, NULL);
  return true;
}

/* ---- the three operations --------------------------------------------------------- */

/* An operation on the keys of a piece.  All answers are false before it. */
typedef void (*growing_act)(lfb_growing *growing, pending *some);

static void growing_query_act(lfb_growing *growing, pending *some)
{
  const size_t count = some->left, last = count / LFB_WORD_BITS;

  if (!pending_ask_all(some, growing))
    some->left = 0; /* no key is known to be absent */
  if (some->left == count) {
    memcpy(some->answers, some->found, words_of(count) * sizeof *some->answers);
    return;
  }
  memset(some->answers, 0xff, last * sizeof *some->answers);
  if (count % LFB_WORD_BITS != 0)
    some->answers[last] = (UINT64_C(1) << (count % LFB_WORD_BITS)) - 1;
  for (size_t i = 0; i < some->left; i++)
    if (!pending_found(some, i))
      some->answers[some->at[i] / LFB_WORD_BITS] &=
          ~(UINT64_C(1) << (some->at[i] % LFB_WORD_BITS));
}

/* Puts the first keys into the newest layer, as many as are allowed between two sums of its count,
 * and drops them.  No pending key has been found. */
static void growing_put_some(lfb_growing *growing, const lfb_layer *newest, pending *some)
{
  const size_t most = lfb_layers_keys(newest), count = some->left < most ? some->left : most;
  uint64_t answers[PENDING_WORDS];
  const uint64_t on = newest->kernel->many(&newest->filter->layout, LFB_KERNEL_PUT, some->low,
                                           some->high, count, answers);

  (void)lfb_layers_counted(growing, newest, on);
  for (size_t word = 0; word < words_of(count); word++)
    for (uint64_t left_on = answers[word]; left_on != 0; left_on &= left_on - 1)
      pending_say_yes(some, word * LFB_WORD_BITS + (size_t)__builtin_ctzll(left_on));
  some->low += count;
  some->high = some->high == NULL ? NULL : some->high + count;
  some->at += count;
  some->left -= count;
}

/* Looks the keys up in the older layers once, and puts those not found.  If a layer is added
 * during the call, the keys still to be put are looked up in the layers that have become older. */
static void growing_put_act(lfb_growing *growing, pending *some)
{
  const lfb_layer *newest = NULL;

  while (some->left > 0) {
    const lfb_layer *now = lfb_layers_newest(growing);
    if (newest != NULL && now == newest) {
      growing_put_some(growing, newest, some);
      continue;
    }
    pending_ask_layers(some, now->older, newest == NULL ? NULL : newest->older);
    pending_narrow(some);
    newest = now;
  }
}

static void growing_claim_act(lfb_growing *growing, pending *some)
{
  if (!pending_ask_all(some, growing))
    return;
  pending_narrow(some);
  for (size_t i = 0; i < some->left; i++)
    if (lfb_layers_claim(growing, (lfb_hash){some->low[i], some->high == NULL ? 0 : some->high[i]}))
      pending_say_yes(some, i);
}

size_t lfb_growing_many(lfb_any any, lfb_verb verb, const void *keys, size_t count,
                        uint64_t *answers, lfb_key_kind kind)
{
  const growing_act act = verb == LFB_PUT     ? growing_put_act
                          : verb == LFB_CLAIM ? growing_claim_act
                                              : growing_query_act;
  size_t yes = 0;
  pending some;

  for (size_t first = 0, taken; first < count; first += taken) {
    taken = pending_take(&some, any.growing->first, keys, first, count, kind);
    act(any.growing, &some);
    yes += lfb_piece_yes(some.answers, taken);
    if (answers != NULL) /* a piece begins at a word of the answers */
      memcpy(answers + first / LFB_WORD_BITS, some.answers,
             words_of(taken) * sizeof *some.answers);
  }
  return yes;
}
