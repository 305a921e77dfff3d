/*
 * many.c - the filter's operations on many keys: hashes a piece of them, then
 * hands the hashes to the strategy, which keeps many lines under way.
 *
 * Floor 13.
 */
#include <lfbloom/filter.h>

#include "bloom/core.h"

enum {
  /* Keys hashed at a time: 8 KiB of hashes, and long enough that the lines that
   * are not yet under way at its start do not matter.  A multiple of 64. */
  PIECE = 512,
  /* Hashes that the caller gives need no room: longer pieces, to the same end. */
  GIVEN_PIECE = 16384,
};

/* The hash of key i of the caller's array. */
typedef lfb_hash (*many_hash)(const lfb_hasher *hasher, const void *keys, size_t i);

static lfb_hash many_hash_bytes(const lfb_hasher *hasher, const void *keys, size_t i)
{
  const lfb_key *key = (const lfb_key *)keys + i;
  return lfb_hasher_bytes(hasher, key->bytes, key->size);
}

static lfb_hash many_hash_u64(const lfb_hasher *hasher, const void *keys, size_t i)
{
  return lfb_hasher_u64(hasher, ((const uint64_t *)keys)[i]);
}

static lfb_hash many_hash_given(const lfb_hasher *hasher, const void *hashes, size_t i)
{
  return lfb_hasher_widen(hasher, ((const uint64_t *)hashes)[i]);
}

/* Puts or looks up hashes; answers are counted, and copied where they are wanted. */
LFB_INLINE size_t
many_hashes(const lfb_filter *filter, const uint64_t *low, const uint64_t *high, size_t count,
            uint64_t *room, uint64_t *answers, bool put)
{
  const size_t words = (count + LFB_WORD_BITS - 1) / LFB_WORD_BITS;
  uint64_t *into = answers != NULL ? answers : room;
  size_t yes = 0;

  if (put)
    lfb_layout_count(&filter->layout,
                     filter->strategy->put_many(&filter->layout, low, high, count, into));
  else
    filter->strategy->might_contain_many(&filter->layout, low, high, count, into);
  for (size_t i = 0; i < words; i++)
    yes += lfb_word_count(into[i]);
  return yes;
}

/* The loop over keys that are hashed here; `put` and `hash_of` are constants where
 * it is inlined. */
LFB_INLINE size_t
many(const lfb_filter *filter, const void *keys, size_t count, uint64_t *answers, bool put,
     many_hash hash_of)
{
  uint64_t low[PIECE], high[PIECE], room[PIECE / LFB_WORD_BITS];
  size_t yes = 0;

  for (size_t first = 0; first < count; first += PIECE) {
    const size_t in_piece = count - first < PIECE ? count - first : (size_t)PIECE;
    for (size_t i = 0; i < in_piece; i++) {
      const lfb_hash hash = hash_of(&filter->layout.hasher, keys, first + i);
      low[i] = hash.low;
      high[i] = hash.high;
    }
    yes += many_hashes(filter, low, high, in_piece, room,
                       answers == NULL ? NULL : answers + first / LFB_WORD_BITS, put);
  }
  return yes;
}

/* The same over the caller's hashes, which strategies of 64 bits take as they are. */
LFB_INLINE size_t
many_given(const lfb_filter *filter, const uint64_t *hashes, size_t count, uint64_t *answers,
           bool put)
{
  uint64_t room[GIVEN_PIECE / LFB_WORD_BITS];
  size_t yes = 0;

  if (filter->layout.fast.words == NULL)
    return many(filter, hashes, count, answers, put, many_hash_given);
  for (size_t first = 0; first < count; first += GIVEN_PIECE) {
    const size_t in_piece = count - first < GIVEN_PIECE ? count - first : (size_t)GIVEN_PIECE;
    yes += many_hashes(filter, hashes + first, NULL, in_piece, room,
                       answers == NULL ? NULL : answers + first / LFB_WORD_BITS, put);
  }
  return yes;
}

size_t lfb_filter_put_many(lfb_filter *filter, const lfb_key *keys, size_t count,
                           uint64_t *answers)
{
  return many(filter, keys, count, answers, true, many_hash_bytes);
}

size_t lfb_filter_might_contain_many(const lfb_filter *filter, const lfb_key *keys, size_t count,
                                     uint64_t *answers)
{
  return many(filter, keys, count, answers, false, many_hash_bytes);
}

size_t lfb_filter_put_many_u64(lfb_filter *filter, const uint64_t *keys, size_t count,
                               uint64_t *answers)
{
  return many(filter, keys, count, answers, true, many_hash_u64);
}

size_t lfb_filter_might_contain_many_u64(const lfb_filter *filter, const uint64_t *keys,
                                         size_t count, uint64_t *answers)
{
  return many(filter, keys, count, answers, false, many_hash_u64);
}

size_t lfb_filter_put_many_hash(lfb_filter *filter, const uint64_t *hashes, size_t count,
                                uint64_t *answers)
{
  return many_given(filter, hashes, count, answers, true);
}

size_t lfb_filter_might_contain_many_hash(const lfb_filter *filter, const uint64_t *hashes,
                                          size_t count, uint64_t *answers)
{
  return many_given(filter, hashes, count, answers, false);
}
