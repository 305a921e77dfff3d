// fpp_held.h - the false-positive rate of filters of strategy `fast`, measured in two ways.
//
// By queries: numbers that were not put are queried, and those found are counted. From the bits:
// the share of all possible keys that the bits would find, block by block. This equals an
// endless number of queries and shows rates of 1e-6, too, but it assumes that keys fall evenly;
// queries do not.
//
// The numbers put and queried are consecutive, in another range for each filter, and each filter
// has another seed.
#pragma once


#include <algorithm>
#include <cmath>

#include "bloom/filter/filter.h"
#include "tests/support/filters.h"
#include "tests/support/race.h"

// Puts or queries the numbers from `first` on; returns how many were put, or found.
template <typename Many>
uint64_t EachMany(uint64_t first, uint64_t count, const Many& many) {
  constexpr uint64_t kPiece = 4096;
  uint64_t keys[kPiece], yes = 0;
  for (uint64_t done = 0; done < count; done += kPiece) {
    const uint64_t piece = std::min(kPiece, count - done);
    for (uint64_t i = 0; i < piece; i++) keys[i] = first + done + i;
    yes += many(keys, piece);
  }
  return yes;
}

// Sums over filters of one configuration with equal fills.
struct Held {
  double asked = 0, wrong = 0;                // keys
  double blocks = 0, found = 0, squares = 0;  // sums of each block's share of keys found

  double FromBits() const { return found / blocks; }
  double Asked() const { return wrong / asked; }

  // The standard errors of both. A filter's blocks count as independent: few blocks share their
  // keys, which makes the true error smaller.
  double FromBitsError() const {
    return std::sqrt(std::max(squares / blocks - FromBits() * FromBits(), 0.0) / blocks);
  }
  // The expected error of queries if the true rate is `rate`. It depends on the keys in the
  // filters and on the keys queried.
  double AskedError(double rate) const {
    return std::sqrt(FromBitsError() * FromBitsError() + rate / asked);
  }

  // Puts the numbers from `first` on.
  static void Fill(lfb_filter* filter, uint64_t first, uint64_t count) {
    EachMany(first, count, [&](const uint64_t* keys, size_t piece) {
      return lfb_filter_put_many_u64(filter, keys, piece, nullptr);
    });
  }

  // Measures a filter; the numbers from `first` on are absent.
  void Ask(const lfb_filter* filter, uint64_t first, uint64_t count) {
    wrong += static_cast<double>(EachMany(first, count, [&](const uint64_t* keys, size_t piece) {
      return lfb_filter_might_contain_many_u64(filter, keys, piece, nullptr);
    }));
    asked += static_cast<double>(count);
    AddBits(filter);
  }

 private:
  void AddBits(const lfb_filter* filter);
};

inline void Held::AddBits(const lfb_filter* filter) {
  const lfb_fast fast = filter->layout.fast;
  const uint32_t choices = fast.pairs == 1 ? 1 : 2;
  double finds[65];  // by bits set in a word
  for (int set = 0; set <= 64; set++) finds[set] = std::pow(set / 64.0, fast.bits);
  const lfb_word* pair = fast.words;
  for (uint64_t block = 0; block < fast.blocks; block++) {
    double share = 1;
    for (uint32_t j = 0; j < fast.pairs; j++) {
      double group = 0;
      for (uint32_t i = 0; i < choices; i++, pair += LFB_PAIR_WORDS)
        group += finds[__builtin_popcountll(lfb_word_get(&pair[0]))] *
                 finds[__builtin_popcountll(lfb_word_get(&pair[1]))];
      share *= group / choices;
    }
    found += share;
    squares += share * share;
  }
  blocks += static_cast<double>(fast.blocks);
}

// `filters` of them are filled to fills[0] keys and measured, with `asked` queries each, then to
// fills[1] and so on.
inline std::vector<Held> MeasureFpp(uint64_t n, double fpp, const std::vector<uint64_t>& fills,
                                    uint64_t filters, uint64_t asked) {
  std::vector<Held> held(fills.size());
  const uint64_t stream = Mix(n, static_cast<uint64_t>(1 / fpp));  // differs for each cell
  for (uint64_t f = 0; f < filters; f++) {
    lfb_config config = Config(n, fpp, LFB_FAST);
    config.seed = Mix(stream, 2 * f);
    const Filter filter = Make(config);
    const uint64_t first_put = Mix(stream, 2 * f + 1);
    const uint64_t first_asked = first_put + (UINT64_C(1) << 40);
    uint64_t in = 0;
    for (size_t i = 0; i < fills.size(); i++) {
      Held::Fill(filter.get(), first_put + in, fills[i] - in);
      in = fills[i];
      held[i].Ask(filter.get(), first_asked + i * asked, asked);
    }
  }
  return held;
}

// The library's prediction for such a filter.
inline double ModelFpp(uint64_t n, double fpp, uint64_t fill) {
  const lfb_config config = Config(n, fpp, LFB_FAST);
  double after = -1;
  EXPECT_EQ(lfb_config_fpp_after(&config, fill, &after), LFB_OK);
  return after;
}
