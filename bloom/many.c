/*
 * many.c - the filter's operations on many keys: hashes a piece of them, then
 * hands the hashes to the strategy, which keeps many lines under way.
 *
 * Floor 12.
 */
#include <lfbloom/filter.h>

#include "bloom/core.h"

enum {
  /* Keys hashed at a time: 8 KiB of hashes, and long enough that the lines that
   * are not yet under way at its start do not matter.  A multiple of 64. */
  PIECE = 512,
  PIECE_WORDS = PIECE / LFB_WORD_BITS,
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

/* Puts or looks up the `count` keys, at most PIECE, from `first` on. */
static inline __attribute__((always_inline)) void
many_piece(const lfb_filter *filter, const void *keys, size_t first, size_t count,
           uint64_t answers[PIECE_WORDS], bool put, many_hash hash_of)
{
  uint64_t low[PIECE], high[PIECE];

  for (size_t i = 0; i < count; i++) {
    const lfb_hash hash = hash_of(&filter->hasher, keys, first + i);
    low[i] = hash.low;
    high[i] = hash.high;
  }
  for (size_t i = 0; i < PIECE_WORDS; i++)
    answers[i] = 0;
  if (put)
    lfb_core_count(filter,
                   filter->strategy->put_many(&filter->layout, low, high, count, answers));
  else
    filter->strategy->might_contain_many(&filter->layout, low, high, count, answers);
}

/* The loop that all six share; `put` and `hash_of` are constants where it is inlined. */
static inline __attribute__((always_inline)) size_t
many(const lfb_filter *filter, const void *keys, size_t count, uint64_t *answers, bool put,
     many_hash hash_of)
{
  uint64_t piece_answers[PIECE_WORDS];
  size_t yes = 0;

  for (size_t first = 0; first < count; first += PIECE) {
    const size_t in_piece = count - first < PIECE ? count - first : (size_t)PIECE;
    many_piece(filter, keys, first, in_piece, piece_answers, put, hash_of);
    for (size_t i = 0; i * LFB_WORD_BITS < in_piece; i++) {
      yes += (size_t)__builtin_popcountll(piece_answers[i]);
      if (answers != NULL)
        answers[first / LFB_WORD_BITS + i] = piece_answers[i];
    }
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
  return many(filter, hashes, count, answers, true, many_hash_given);
}

size_t lfb_filter_might_contain_many_hash(const lfb_filter *filter, const uint64_t *hashes,
                                          size_t count, uint64_t *answers)
{
  return many(filter, hashes, count, answers, false, many_hash_given);
}
