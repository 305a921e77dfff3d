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
  LFB_PIECE_BOTH = LFB_PIECE_ROOM / 2, /* hashes with both halves that fit */
  /* Hashes of the caller need no buffer except for their answers, 2 KiB: longer pieces. */
  LFB_PIECE_HASHES = 16384,
};

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
 * Hashes the keys from `first` on, of `count`, into `buffer`, of LFB_PIECE_ROOM numbers: as
 * many as fit, a multiple of 64, or all that are left.  If the keys are hashes already, the piece
 * is at most `most` of them, in the caller's array.
 */
lfb_piece lfb_piece_take(const lfb_hashing *hashing, const void *keys, size_t first, size_t count,
                         lfb_key_kind kind, size_t most, uint64_t *buffer);

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

/* Calls `act` for all keys, piece by piece.  Returns the sum of what it returned. */
size_t lfb_pieces(const lfb_hashing *hashing, const void *keys, size_t count, lfb_key_kind kind,
                  lfb_piece_act act, const void *context);

#endif
