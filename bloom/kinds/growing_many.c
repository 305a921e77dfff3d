/*
 * growing_many.c - a growing filter's operations on many keys.
 *
 * Keys are taken and hashed in pieces.  All keys of a piece are looked up in one layer after the
 * other, the largest first.  Keys still without an answer are pending.
 *
 * Most keys are either in a large layer or in none.  As long as few keys have been found, all of
 * them are looked up in the next layer too, since that costs less than removing those found.
 * Once a quarter has been found, the pending ones are moved together.
 *
 * Stack      The hashes of a piece are computed into `room` of struct pending and moved together
 *            there, so that they are on the stack once.
 * Ahead      A layer's own loop loads many lines at once and waits only for its first ones, once
 *            per PENDING_KEYS keys.  Prefetching those of all layers before the first lookup
 *            gained nothing, also not with 100 keys per call, 14 layers and 37 MiB.
 */
#include <lfbloom/growing.h>

#include "bloom/kinds/layers.h"
#include "bloom/filter/pieces.h"

enum {
  PENDING_KEYS = LFB_PIECE_ROOM, /* the most that are looked up at a time           */
  PENDING_PAIRS = LFB_PIECE_WIDE,
  PENDING_WORDS = PENDING_KEYS / LFB_WORD_BITS,
  PENDING_NARROW = 4, /* keys are moved together once 1/PENDING_NARROW has been found    */
};

/* The pending keys of a piece, by hash, and which of them have been found. */
typedef struct pending {
  const uint64_t *low, *high; /* `high` is NULL if the hash has none                 */
  const uint16_t *at;         /* the index of each in the piece; NULL: its own index */
  size_t left;
  uint64_t found[PENDING_WORDS]; /* bit i: key i has been found; 0 after the last key    */
  uint64_t room[PENDING_KEYS];   /* hashes computed or moved here: `low`, and from
                                    PENDING_PAIRS on `high` if the hash has one          */
  uint16_t at_room[PENDING_KEYS];
} pending;

static size_t words_of(size_t count)
{
  return (count + LFB_WORD_BITS - 1) / LFB_WORD_BITS;
}

static bool pending_found(const pending *some, size_t i)
{
  return some->found[i / LFB_WORD_BITS] >> (i % LFB_WORD_BITS) & 1;
}

static size_t pending_at(const pending *some, size_t i)
{
  return some->at == NULL ? i : some->at[i];
}

/* Takes and hashes the caller's next keys, from `first` on of `count`.  Returns how many. */
LFB_INLINE size_t pending_take(pending *all, const lfb_filter *filter, const void *keys,
                               size_t first, size_t count, lfb_piece_hash hash_of)
{
  const lfb_hashing hashing = {&filter->layout.hasher, filter->strategy};
  const lfb_piece piece =
      lfb_piece_take(&hashing, keys, first, count, hash_of, PENDING_KEYS, all->room);

  all->low = piece.low;
  all->high = piece.high;
  all->at = NULL;
  all->left = piece.count;
  memset(all->found, 0, words_of(piece.count) * sizeof *all->found);
  return piece.count;
}

/* Moves the keys from `from` on that have not been found together, and drops all others.  No key
 * moves to a higher place, so hashes that are in `room` already may move within it. */
static void pending_narrow(pending *some, size_t from)
{
  size_t kept = 0;

  for (size_t i = from; i < some->left; i++) {
    some->room[kept] = some->low[i];
    if (some->high != NULL)
      some->room[PENDING_PAIRS + kept] = some->high[i];
    some->at_room[kept] = (uint16_t)pending_at(some, i);
    kept += !pending_found(some, i);
  }
  some->low = some->room;
  some->high = some->high == NULL ? NULL : some->room + PENDING_PAIRS;
  some->at = some->at_room;
  some->left = kept;
  memset(some->found, 0, words_of(kept) * sizeof *some->found);
}

/* Looks the keys up in one layer.  Returns how many have been found so far. */
static size_t pending_ask_layer(pending *some, const lfb_layer *layer)
{
  uint64_t answers[PENDING_WORDS];
  size_t found = 0;

  layer->kernel->might_contain_many(&layer->filter->layout, some->low, some->high, some->left,
                                      answers);
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
      pending_narrow(some, 0);
}

/* Looks the keys up in all layers.  Returns false if one cannot be opened: it may have any key. */
static bool pending_ask_all(pending *some, const lfb_growing *growing)
{
  const lfb_layer *newest = lfb_layers_newest(growing), *end = NULL;

  for (;;) {
    pending_ask_layers(some, newest, end);
    if (!lfb_layers_behind(growing, newest))
      return true;
    end = newest;
    newest = lfb_layers_newest(growing);
    if (newest == end)
      return false;
  }
}

/* The context of an operation on a piece. */
typedef struct growing_many {
  lfb_growing *growing; /* a query does not write to it */
  uint64_t *answers;    /* NULL: not wanted             */
} growing_many;

/* An operation on at most PENDING_KEYS keys.  Their first is key `first` of the caller's, a
 * multiple of 64.  Returns how many answers are true. */
typedef size_t (*pending_act)(const growing_many *m, pending *some, size_t first);

LFB_INLINE size_t growing_many_act(const growing_many *m, const void *keys, size_t count,
                                   lfb_piece_hash hash_of, pending_act act)
{
  size_t yes = 0;
  pending some;

  for (size_t first = 0, taken; first < count; first += taken) {
    taken = pending_take(&some, m->growing->first, keys, first, count, hash_of);
    yes += act(m, &some, first);
  }
  return yes;
}

/* ---- answers -------------------------------------------------------------------- */

/* Sets the answer to key `i` to true. */
static void growing_many_say_yes(const growing_many *m, size_t i)
{
  if (m->answers != NULL)
    m->answers[i / LFB_WORD_BITS] |= UINT64_C(1) << (i % LFB_WORD_BITS);
}

/* Sets all answers of a piece to `value`.  A piece begins at a word of the answers. */
static void growing_many_say(const growing_many *m, size_t first, size_t count, bool value)
{
  for (size_t i = 0; m->answers != NULL && i < count; i += LFB_WORD_BITS) {
    const size_t left = count - i;
    const uint64_t used =
        left < LFB_WORD_BITS ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
    m->answers[(first + i) / LFB_WORD_BITS] = value ? used : 0;
  }
}

/* If keys were moved together, sets the answers of those not found to false.  Otherwise copies
 * what was found. */
static void growing_many_say_found(const growing_many *m, const pending *some, size_t first)
{
  if (m->answers == NULL)
    return;
  if (some->at == NULL) {
    memcpy(m->answers + first / LFB_WORD_BITS, some->found,
           words_of(some->left) * sizeof *some->found);
    return;
  }
  for (size_t i = 0; i < some->left; i++) {
    const size_t key = first + some->at[i];
    if (!pending_found(some, i))
      m->answers[key / LFB_WORD_BITS] &= ~(UINT64_C(1) << (key % LFB_WORD_BITS));
  }
}

/* ---- the three operations --------------------------------------------------------- */

static size_t growing_many_query(const growing_many *m, pending *some, size_t first)
{
  const size_t count = some->left;
  size_t absent;

  growing_many_say(m, first, count, true);
  if (!pending_ask_all(some, m->growing))
    return count;
  growing_many_say_found(m, some, first);
  absent = some->left;
  for (size_t i = 0; i < words_of(some->left); i++)
    absent -= lfb_word_count(some->found[i]);
  return count - absent;
}

/* Puts keys from `from` on into the newest layer, as many as are allowed between two sums of its
 * count.  Returns how many; adds to `*yes` how many of them turned on a bit. */
static size_t growing_many_put_some(const growing_many *m, const lfb_layer *newest,
                                    const pending *some, size_t from, size_t first, size_t *yes)
{
  const size_t left = some->left - from, count = left < newest->keys ? left : newest->keys;
  const lfb_layout *layout = &newest->filter->layout;
  uint64_t answers[LFB_LAYER_KEYS / LFB_WORD_BITS];
  const uint64_t on = newest->kernel->put_many(
      layout, some->low + from, some->high == NULL ? NULL : some->high + from, count, answers);

  (void)lfb_layers_counted(m->growing, newest, on);
  for (size_t word = 0; word < words_of(count); word++)
    for (uint64_t left_on = answers[word]; left_on != 0; left_on &= left_on - 1) {
      const size_t i = from + word * LFB_WORD_BITS + (size_t)__builtin_ctzll(left_on);
      growing_many_say_yes(m, first + pending_at(some, i));
      ++*yes;
    }
  return count;
}

/*
 * Looks the keys up in the older layers once, and puts those not found.  If a layer is added
 * during the call, the keys still to be put are looked up in the layers that have become older.
 */
static size_t growing_many_put(const growing_many *m, pending *some, size_t first)
{
  const lfb_layer *newest = lfb_layers_newest(m->growing);
  size_t yes = 0, at = 0;

  growing_many_say(m, first, some->left, false);
  pending_ask_layers(some, newest->older, NULL);
  pending_narrow(some, 0);
  while (at < some->left) {
    const lfb_layer *now = lfb_layers_newest(m->growing);
    if (now != newest) {
      pending_narrow(some, at);
      pending_ask_layers(some, now->older, newest->older);
      pending_narrow(some, 0);
      newest = now;
      at = 0;
      continue;
    }
    at += growing_many_put_some(m, newest, some, at, first, &yes);
  }
  return yes;
}

static size_t growing_many_claim(const growing_many *m, pending *some, size_t first)
{
  size_t yes = 0;

  growing_many_say(m, first, some->left, false);
  if (!pending_ask_all(some, m->growing))
    return 0;
  pending_narrow(some, 0);
  for (size_t i = 0; i < some->left; i++) {
    const lfb_hash hash = {some->low[i], some->high == NULL ? 0 : some->high[i]};
    if (lfb_layers_claim(m->growing, hash)) {
      growing_many_say_yes(m, first + some->at[i]);
      yes++;
    }
  }
  return yes;
}

size_t lfb_growing_put_many(lfb_growing *growing, const lfb_key *keys, size_t count,
                            uint64_t *answers)
{
  const growing_many m = {growing, answers};
  return growing_many_act(&m, keys, count, lfb_piece_bytes, growing_many_put);
}

size_t lfb_growing_put_many_u64(lfb_growing *growing, const uint64_t *keys, size_t count,
                                uint64_t *answers)
{
  const growing_many m = {growing, answers};
  return growing_many_act(&m, keys, count, lfb_piece_u64, growing_many_put);
}

size_t lfb_growing_put_many_hash(lfb_growing *growing, const uint64_t *hashes, size_t count,
                                 uint64_t *answers)
{
  const growing_many m = {growing, answers};
  return growing_many_act(&m, hashes, count, lfb_piece_given, growing_many_put);
}

size_t lfb_growing_might_contain_many(const lfb_growing *growing, const lfb_key *keys,
                                      size_t count, uint64_t *answers)
{
  const growing_many m = {(lfb_growing *)growing, answers};
  return growing_many_act(&m, keys, count, lfb_piece_bytes, growing_many_query);
}

size_t lfb_growing_might_contain_many_u64(const lfb_growing *growing, const uint64_t *keys,
                                          size_t count, uint64_t *answers)
{
  const growing_many m = {(lfb_growing *)growing, answers};
  return growing_many_act(&m, keys, count, lfb_piece_u64, growing_many_query);
}

size_t lfb_growing_might_contain_many_hash(const lfb_growing *growing, const uint64_t *hashes,
                                           size_t count, uint64_t *answers)
{
  const growing_many m = {(lfb_growing *)growing, answers};
  return growing_many_act(&m, hashes, count, lfb_piece_given, growing_many_query);
}

size_t lfb_growing_claim_many(lfb_growing *growing, const lfb_key *keys, size_t count,
                              uint64_t *answers)
{
  const growing_many m = {growing, answers};
  return growing_many_act(&m, keys, count, lfb_piece_bytes, growing_many_claim);
}

size_t lfb_growing_claim_many_u64(lfb_growing *growing, const uint64_t *keys, size_t count,
                                  uint64_t *answers)
{
  const growing_many m = {growing, answers};
  return growing_many_act(&m, keys, count, lfb_piece_u64, growing_many_claim);
}

size_t lfb_growing_claim_many_hash(lfb_growing *growing, const uint64_t *hashes, size_t count,
                                   uint64_t *answers)
{
  const growing_many m = {growing, answers};
  return growing_many_act(&m, hashes, count, lfb_piece_given, growing_many_claim);
}
