/* pieces.c - hashes pieces of the caller's keys, each kind of key in its own way. */
#include "bloom/filter/pieces.h"

lfb_piece lfb_piece_take(const lfb_hashing *hashing, const void *keys, size_t first, size_t count,
                         lfb_key_kind kind, size_t most, uint64_t *buffer)
{
  const bool both = hashing->strategy->hash_width != LFB_HASH_64;
  const size_t holds = both ? (size_t)LFB_PIECE_BOTH : (size_t)LFB_PIECE_ROOM;
  const size_t left = count - first, some = left < holds ? left : holds;
  uint64_t *high = both ? buffer + LFB_PIECE_BOTH : NULL;

  if (kind == LFB_HASH_KEY && lfb_hasher_takes_hashes(hashing->hasher))
    return (lfb_piece){(const uint64_t *)keys + first, NULL, left < most ? left : most};
  if (kind == LFB_BYTES_KEY)
    lfb_hasher_bytes_many(hashing->hasher, (const lfb_key *)keys + first, some, buffer, high);
  else if (kind == LFB_U64_KEY)
    lfb_hasher_u64_many(hashing->hasher, (const uint64_t *)keys + first, some, buffer, high);
  else
    lfb_hash_each_u64(hashing->hasher, (const uint64_t *)keys + first, some, buffer, high,
                      lfb_hasher_from_64);
  return (lfb_piece){buffer, high, some};
}

size_t lfb_pieces(const lfb_hashing *hashing, const void *keys, size_t count, lfb_key_kind kind,
                  lfb_piece_act act, const void *context)
{
  uint64_t buffer[LFB_PIECE_ROOM];
  size_t yes = 0;

  for (size_t first = 0; first < count;) {
    const lfb_piece piece =
        lfb_piece_take(hashing, keys, first, count, kind, LFB_PIECE_HASHES, buffer);
    yes += act(context, piece.low, piece.high, first, piece.count);
    first += piece.count;
  }
  return yes;
}
