// cells.h - keys and hashes with claims in the same cell of a filter.
#pragma once

#include <csetjmp>
#include <cstdint>
#include <vector>

#include "bloom/filter/filter.h"
#include "tests/support/race.h"

// The number of the cell where a filter decides claims of a 64-bit key.
inline uint64_t CellOf(const lfb_filter* filter, uint64_t key) {
  const lfb_hash hash = lfb_hasher_u64(&filter->layout.hasher, key);
  return static_cast<uint64_t>(lfb_claims_cell(&filter->claims, hash) - filter->claims.cells);
}

// `count` different keys of a stream with claims in the first `cells` cells.  One key in
// 256 / cells is such a key.
inline std::vector<uint64_t> KeysOfCells(const lfb_filter* filter, uint64_t stream, size_t count,
                                         uint64_t cells = 1) {
  std::vector<uint64_t> keys;
  for (uint64_t i = 0; keys.size() < count; i++)
    if (CellOf(filter, Mix(stream, i)) < cells) keys.push_back(Mix(stream, i));
  return keys;
}

// The same for hashes that a caller passes to a _hash function, and the first cell.
inline std::vector<uint64_t> HashesOfOneCell(const lfb_filter* filter, uint64_t stream,
                                             size_t count) {
  std::vector<uint64_t> hashes;
  for (uint64_t i = 0; hashes.size() < count; i++) {
    const lfb_hash hash = lfb_hasher_from_64(&filter->layout.hasher, Mix(stream, i));
    if (lfb_claims_cell(&filter->claims, hash) == filter->claims.cells)
      hashes.push_back(Mix(stream, i));
  }
  return hashes;
}

inline lfb_claim_state StateOf(const lfb_cell* cell) {
  return static_cast<lfb_claim_state>(lfb_word_get(&cell->half[0]) %
                                      (1u << LFB_CLAIM_STATE_BITS));
}

// Makes a claim that stops permanently once it has won, before it turns on a bit.  Returns whether
// it has won.  The hash must not have won before.
inline bool ClaimAndStop(const lfb_claims* claims, const lfb_claimed* in, lfb_hash hash) {
  struct Stopping {
    const lfb_claimed* in;
    lfb_hash hash;
    jmp_buf stop;
  } stopping{in, hash, {}};
  const lfb_claimed stops = {
      &stopping,
      [](const void* of, lfb_hash of_what) {
        const lfb_claimed* const real = static_cast<const Stopping*>(of)->in;
        return real->might_contain(real->of, of_what);
      },
      [](const void* of, lfb_hash of_what) {
        Stopping* const at = static_cast<Stopping*>(const_cast<void*>(of));
        if (of_what.low == at->hash.low && of_what.high == at->hash.high) longjmp(at->stop, 1);
        at->in->put(at->in->of, of_what);
      },
  };
  return setjmp(stopping.stop) != 0 || lfb_claims_claim(claims, &stops, hash);
}

// The number of cells in state WON: a claim has won and is not complete.
inline uint64_t CellsWon(const lfb_filter* filter) {
  uint64_t won = 0;
  for (uint32_t i = 0; i < LFB_CLAIM_CELLS; i++)
    won += StateOf(&filter->claims.cells[i]) == LFB_CLAIM_WON;
  return won;
}
