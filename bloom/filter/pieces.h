/*
 * pieces.h - hashes many keys, one piece of the caller's array at a time.
 */
#ifndef LFB_BLOOM_PIECES_H
#define LFB_BLOOM_PIECES_H

#include <lfbloom/cpu.h>
#include <lfbloom/filter.h>

#include "bloom/strategies/strategy.h"

enum {
  /* Numbers in the buffer for hashes: 8 KiB.  A piece is long enough that the cache misses at its
   * start, before the prefetches arrive, do not matter.  Twice a multiple of 64. */
  LFB_PIECE_ROOM = 1024,
  LFB_PIECE_WIDE = LFB_PIECE_ROOM / 2, /* hashes with both halves that fit */
  /* Hashes of the caller need no buffer except for their answers, 2 KiB: longer pieces. */
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

/* What hashes the keys. */
typedef struct lfb_hashing {
  const lfb_hasher *hasher;
  const lfb_strategy *strategy;
} lfb_hashing;

/* The hashes of some of the caller's keys. */
typedef struct lfb_piece {
  const uint64_t *low, *high; /* `high` is NULL if the hash has one half */
  size_t count;
} lfb_piece;

/*
 * Hashes the keys from `first` on, of `count`, into `room`, a buffer of LFB_PIECE_ROOM numbers: as
 * many as fit, a multiple of 64, or all that are left.  If the keys are hashes already, the piece
 * is at most `most` of them, in the caller's array.  `hash_of` is a constant after inlining.
 */
LFB_INLINE lfb_piece lfb_piece_take(const lfb_hashing *hashing, const void *keys, size_t first,
                                    size_t count, lfb_piece_hash hash_of, size_t most,
                                    uint64_t *room)
{
  const bool wide = hashing->strategy->hash_width != LFB_HASH_64;
  const size_t holds = wide ? (size_t)LFB_PIECE_WIDE : (size_t)LFB_PIECE_ROOM;
  const size_t left = count - first, some = left < holds ? left : holds;
  uint64_t *high = wide ? room + LFB_PIECE_WIDE : NULL;

  if (hash_of == lfb_piece_given && lfb_hasher_takes_hashes(hashing->hasher))
    return (lfb_piece){(const uint64_t *)keys + first, NULL, left < most ? left : most};
  if (hash_of == lfb_piece_bytes)
    lfb_hasher_bytes_many(hashing->hasher, (const lfb_key *)keys + first, some, room, high);
  else if (hash_of == lfb_piece_u64)
    lfb_hasher_u64_many(hashing->hasher, (const uint64_t *)keys + first, some, room, high);
  else
    lfb_hash_each_u64(hashing->hasher, (const uint64_t *)keys + first, some, room, high,
                      lfb_hasher_widen);
  return (lfb_piece){room, high, some};
}

/* Puts, queries or claims the piece of keys from `first` on, a multiple of 64.  Returns how many
 * answers are true. */
typedef size_t (*lfb_piece_act)(const void *context, const uint64_t *low, const uint64_t *high,
                                size_t first, size_t count);

/* Returns how many of `count` answers are true. */
static inline size_t lfb_piece_yes(const uint64_t *answers, size_t count)
{
  size_t yes = 0;

  for (size_t i = 0; i < (count + LFB_WORD_BITS - 1) / LFB_WORD_BITS; i++)
    yes += lfb_word_count(answers[i]);
  return yes;
}

/* Calls `act` for all keys, piece by piece.  `hash_of` and `act` are constants after inlining. */
LFB_INLINE size_t lfb_pieces(const lfb_hashing *hashing, const void *keys, size_t count,
                             lfb_piece_hash hash_of, lfb_piece_act act, const void *context)
{
  uint64_t room[LFB_PIECE_ROOM];
  size_t yes = 0;

  for (size_t first = 0; first < count;) {
    const lfb_piece piece =
        lfb_piece_take(hashing, keys, first, count, hash_of, LFB_GIVEN_PIECE, room);
    yes += act(context, piece.low, piece.high, first, piece.count);
    first += piece.count;
  }
  return yes;
}

#endif
