/*
 * pieces.h - many keys as their hashes, a piece at a time.
 */
#ifndef LFB_BLOOM_PIECES_H
#define LFB_BLOOM_PIECES_H

#include <lfbloom/cpu.h>
#include <lfbloom/filter.h>

#include "bloom/strategies/strategy.h"

enum {
  /* Keys hashed at a time: 8 KiB of hashes, and long enough that the lines that
   * are not yet under way at its start do not matter.  A multiple of 64. */
  LFB_PIECE = 512,
  /* Numbers, whose hashes are one array, and computed several at a time: 8 KiB too. */
  LFB_NUMBERS_PIECE = 1024,
  /* Hashes that the caller gives need no room but for their answers, 2 KiB: longer pieces. */
  LFB_GIVEN_PIECE = 16384,
};

/* The hash of key i of the caller's array. */
typedef lfb_hash (*lfb_piece_hash)(const lfb_hasher *hasher, const void *keys, size_t i);

static inline lfb_hash lfb_piece_bytes(const lfb_hasher *hasher, const void *keys, size_t i)
{
  const lfb_key *key = (const lfb_key *)keys + i;
  return lfb_hasher_bytes(hasher, key->bytes, key->size);
}

static inline lfb_hash lfb_piece_u64(const lfb_hasher *hasher, const void *keys, size_t i)
{
  return lfb_hasher_u64(hasher, ((const uint64_t *)keys)[i]);
}

static inline lfb_hash lfb_piece_given(const lfb_hasher *hasher, const void *hashes, size_t i)
{
  return lfb_hasher_widen(hasher, ((const uint64_t *)hashes)[i]);
}

/* What is done to the piece of keys from `first` on; how many answers are true. */
typedef size_t (*lfb_piece_act)(const void *context, const uint64_t *low, const uint64_t *high,
                                size_t first, size_t count);

/* How many of `count` answers are true. */
static inline size_t lfb_piece_yes(const uint64_t *answers, size_t count)
{
  size_t yes = 0;

  for (size_t i = 0; i < (count + LFB_WORD_BITS - 1) / LFB_WORD_BITS; i++)
    yes += lfb_word_count(answers[i]);
  return yes;
}

/* Does it to all keys, hashed here; `hash_of` and `act` are constants where this is
 * inlined. */
LFB_INLINE size_t lfb_pieces(const lfb_hasher *hasher, const void *keys, size_t count,
                             lfb_piece_hash hash_of, lfb_piece_act act, const void *context)
{
  /* One array, which shares its stack with that of lfb_pieces_u64() where both are inlined. */
  uint64_t hashes[2 * LFB_PIECE], *const low = hashes, *const high = hashes + LFB_PIECE;
  size_t yes = 0;

  for (size_t first = 0; first < count; first += LFB_PIECE) {
    const size_t in_piece = count - first < LFB_PIECE ? count - first : (size_t)LFB_PIECE;
    for (size_t i = 0; i < in_piece; i++) {
      const lfb_hash hash = hash_of(hasher, keys, first + i);
      low[i] = hash.low;
      high[i] = hash.high;
    }
    yes += act(context, low, high, first, in_piece);
  }
  return yes;
}

/* What strategy.h calls hash_u64_many. */
typedef void (*lfb_piece_hash_many)(const lfb_hasher *hasher, const uint64_t *keys, size_t count,
                                    uint64_t *hashes);

/* The same for numbers whose hashes are computed many at a time. */
LFB_INLINE size_t lfb_pieces_u64(const lfb_hasher *hasher, const uint64_t *keys, size_t count,
                                 lfb_piece_hash_many hash_many, lfb_piece_act act,
                                 const void *context)
{
  uint64_t hashes[LFB_NUMBERS_PIECE];
  size_t yes = 0;

  for (size_t first = 0; first < count; first += LFB_NUMBERS_PIECE) {
    const size_t left = count - first;
    const size_t in_piece = left < LFB_NUMBERS_PIECE ? left : (size_t)LFB_NUMBERS_PIECE;
    hash_many(hasher, keys + first, in_piece, hashes);
    yes += act(context, hashes, NULL, first, in_piece);
  }
  return yes;
}

/* The same over the caller's hashes, where the strategy takes 64 bits as they are. */
LFB_INLINE size_t lfb_pieces_given(const uint64_t *hashes, size_t count, lfb_piece_act act,
                                   const void *context)
{
  size_t yes = 0;

  for (size_t first = 0; first < count; first += LFB_GIVEN_PIECE) {
    const size_t left = count - first;
    yes += act(context, hashes + first, NULL, first,
               left < LFB_GIVEN_PIECE ? left : (size_t)LFB_GIVEN_PIECE);
  }
  return yes;
}

/* The same over keys of any kind, in the way that is the fastest for a strategy's row:
 * `hash_of` and `act` are constants where this is inlined. */
LFB_INLINE size_t lfb_pieces_best(const lfb_strategy *row, const lfb_hasher *hasher,
                                  const void *keys, size_t count, lfb_piece_hash hash_of,
                                  lfb_piece_act act, const void *context)
{
  if (hash_of == lfb_piece_given && lfb_hasher_takes_hashes(hasher))
    return lfb_pieces_given(keys, count, act, context);
  if (hash_of == lfb_piece_u64 && row->hash_u64_many != NULL)
    return lfb_pieces_u64(hasher, keys, count, row->hash_u64_many, act, context);
  return lfb_pieces(hasher, keys, count, hash_of, act, context);
}

#endif
