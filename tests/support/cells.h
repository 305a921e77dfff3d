// cells.h - keys and hashes whose claims meet in one cell of a filter.
#pragma once

#include <cstdint>
#include <vector>

#include "bloom/filter/core.h"
#include "tests/support/race.h"

// The number of the cell in which a filter decides claims of a 64-bit key.
inline uint64_t CellOf(const lfb_filter* filter, uint64_t key) {
  const lfb_hash hash = lfb_hasher_u64(&filter->layout.hasher, key);
  return static_cast<uint64_t>(lfb_claims_cell(&filter->claims, hash) - filter->claims.cells);
}

// `count` different keys of a stream whose claims meet in the first `cells` cells: one key in
// 256 / cells is such a key.
inline std::vector<uint64_t> KeysOfCells(const lfb_filter* filter, uint64_t stream, size_t count,
                                         uint64_t cells = 1) {
  std::vector<uint64_t> keys;
  for (uint64_t i = 0; keys.size() < count; i++)
    if (CellOf(filter, Mix(stream, i)) < cells) keys.push_back(Mix(stream, i));
  return keys;
}

// The same of hashes that the caller gives.
inline std::vector<uint64_t> HashesOfOneCell(const lfb_filter* filter, uint64_t stream,
                                             size_t count) {
  std::vector<uint64_t> hashes;
  for (uint64_t i = 0; hashes.size() < count; i++) {
    const lfb_hash hash = lfb_hasher_widen(&filter->layout.hasher, Mix(stream, i));
    if (lfb_claims_cell(&filter->claims, hash) == filter->claims.cells)
      hashes.push_back(Mix(stream, i));
  }
  return hashes;
}

// How many cells say that a claim has won and is not complete.
inline uint64_t CellsWon(const lfb_filter* filter) {
  uint64_t won = 0;
  for (uint32_t i = 0; i < LFB_CLAIM_CELLS; i++)
    won += lfb_claims_state(&filter->claims.cells[i]) == LFB_CLAIM_WON;
  return won;
}
