// x mod d by multiplication equals % at every edge of the proof in modulus.h.
#include "bloom/strategies/modulus.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/race.h"

namespace {

constexpr uint64_t kMax = INT64_MAX;

// Around every power of two; they include the divisors that Guava can have.
std::vector<uint64_t> Divisors() {
  std::vector<uint64_t> divisors = {1, 2, 3, 5, 7, 10, 64, 640, 191701184, 7298496,
                                    64 * uint64_t{INT32_MAX}};
  for (int bit = 1; bit < 63; bit++)
    for (int off = -2; off <= 2; off++) {
      const uint64_t divisor = (uint64_t{1} << bit) + static_cast<uint64_t>(off);
      if (divisor >= 1 && divisor <= kMax) divisors.push_back(divisor);
    }
  for (uint64_t i = 0; i < 2000; i++) divisors.push_back((Mix(1, i) >> (1 + i % 62)) | 1);
  divisors.push_back(kMax);
  divisors.push_back(kMax - 1);
  return divisors;
}

// Numerators where a quotient changes: multiples of d and their neighbours.
std::vector<uint64_t> Numerators(uint64_t divisor) {
  std::vector<uint64_t> numerators = {0, 1, kMax, kMax - 1, uint64_t{1} << 62};
  const uint64_t most = kMax / divisor;
  for (uint64_t quotient : {uint64_t{1}, uint64_t{2}, most / 2, most - 1, most})
    for (int off = -1; off <= 1; off++) {
      const uint64_t x = quotient * divisor + static_cast<uint64_t>(off);
      if (x <= kMax) numerators.push_back(x);
    }
  for (uint64_t i = 0; i < 100; i++) numerators.push_back(Mix(divisor, i) >> 1);
  return numerators;
}

TEST(Modulus, EqualsTheDefinition) {
  for (uint64_t divisor : Divisors()) {
    const lfb_modulus modulus = lfb_modulus_for(divisor);
    for (uint64_t x : Numerators(divisor))
      ASSERT_EQ(lfb_modulo(&modulus, x), x % divisor) << x << " mod " << divisor;
  }
}

TEST(Modulus, SmallOnesWhole) {
  for (uint64_t divisor = 1; divisor < 200; divisor++) {
    const lfb_modulus modulus = lfb_modulus_for(divisor);
    for (uint64_t x = 0; x < 1000; x++) ASSERT_EQ(lfb_modulo(&modulus, x), x % divisor);
  }
}

}  // namespace
