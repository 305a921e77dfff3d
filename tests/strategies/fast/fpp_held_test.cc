// The requested false-positive rate is held: for n from 1 to 10^8 and fpp from 0.1 to 1e-6.
//
// The measured rate must be within 5 standard errors of the model's, in both directions (a
// correct filter fails one such comparison in 1.7 million), and at most 1.02 times the request.
// Queries alone show the latter with 62,500 false positives, as for 10 %, 1 % and 0.1 %: 0.02 is
// 5 standard errors then. For 1e-4 to 1e-6 that would take up to 6e10 keys. There the count only
// has to be within its interval, 11 % (1e-4) to 110 % (1e-6) on either side. The bits are more
// precise: their standard error at 10^7 keys is 0.3 % (1e-4) to 0.8 % (1e-6). Everything is
// seeded: a test that passes passes again.
//
// Seen to fail with 3 % fewer blocks than the model's, with one probe per word less than the
// geometry's, and with M(0) = 1, so that a key's bits depend on its block.
#include "tests/strategies/fast/fpp_held.h"

#include "bloom/strategies/block_model.h"
#include "tests/support/skip.h"
#include "tests/support/variants.h"

namespace {

constexpr double kRates[] = {0.1, 0.01, 0.001, 1e-4, 1e-5, 1e-6};
constexpr uint64_t kMost = kUnderSanitizer ? 100'000 : 10'000'000;
constexpr double kPut = kUnderSanitizer ? 20'000 : 1'000'000;  // keys in all filters, or more

// Enough filters to put that many keys, limited to those that can be made in 0.1 s.
uint64_t Filters(uint64_t n) {
  return std::clamp<uint64_t>(static_cast<uint64_t>(kPut / static_cast<double>(n)), 1,
                              kUnderSanitizer ? 100 : 2000);
}

// Queries per filter: enough for 65,000 false positives, unless that takes long.
uint64_t Asked(double fpp, uint64_t filters) {
  const double all = kUnderSanitizer ? 200'000 : fpp < 1e-3 ? 2e7 : 65'000 / fpp;
  return static_cast<uint64_t>(all / static_cast<double>(filters)) + 1;
}

void ExpectTheModel(const Held& held, double model) {
  const double tolerance = 5 * held.AskedError(model) + 5 / held.asked;
  EXPECT_NEAR(held.Asked(), model, tolerance);
  // A sample's own spread is reliable only if no single block dominates it.
  if (held.FromBitsError() < 0.1 * held.FromBits()) {
    EXPECT_NEAR(held.FromBits(), model, 5 * held.FromBitsError());
  }
}

void ExpectHeld(const Held& held, double fpp) {
  const bool counted = held.asked * fpp > 62'500;
  EXPECT_LE(held.Asked(), 1.02 * fpp + (counted ? 0 : 5 * held.AskedError(fpp) + 5 / held.asked));
  EXPECT_LE(held.FromBits(), 1.02 * fpp + (counted ? 0 : 5 * held.FromBitsError()));
}

void ExpectHeld(uint64_t n, double fpp) {
  SCOPED_TRACE(testing::Message() << "n " << n << ", fpp " << fpp);
  const uint64_t filters = Filters(n);
  const Held held = MeasureFpp(n, fpp, {n}, filters, Asked(fpp, filters))[0];
  ExpectTheModel(held, ModelFpp(n, fpp, n));
  ExpectHeld(held, fpp);
}

class FppHeld : public testing::TestWithParam<double> {};

TEST_P(FppHeld, AtN) {
  for (uint64_t n : {1, 2, 3}) ExpectHeld(n, GetParam());
  for (uint64_t n = 10; n <= kMost; n *= 10) ExpectHeld(n, GetParam());
}

// Few blocks make a filter larger than necessary; many must not.
TEST_P(FppHeld, WithoutWaste) {
  const double fpp = GetParam();
  EXPECT_GT(ModelFpp(1'000'000, fpp, 1'000'000), 0.99 * fpp);
}

TEST_P(FppHeld, BeyondNAsTheModelPredicts) {
  const double fpp = GetParam();
  for (uint64_t n : {1, 10, 100, 10'000, 300'000}) {
    if (n > kMost) continue;
    const std::vector<uint64_t> fills = {n, n + (n + 1) / 2, 2 * n, 3 * n};
    const uint64_t filters = Filters(3 * n);
    const std::vector<Held> held = MeasureFpp(n, fpp, fills, filters, 2'000'000 / filters);
    for (size_t i = 0; i < fills.size(); i++) {
      SCOPED_TRACE(testing::Message() << fills[i] << " keys, n " << n << ", fpp " << fpp);
      ExpectTheModel(held[i], ModelFpp(n, fpp, fills[i]));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rates, FppHeld, testing::ValuesIn(kRates));

// Of every shape with code of its own: 32 full filters of 2^20 keys, and 10^9 absent keys or more,
// so many that 40,000 are false positives. 0.02 is 4 standard errors then. What is asked is
// compared with what the bits say: that has no error but the number of queries, and differs as soon
// as the probes of a key depend on each other.
//
// Seen to fail with a selection of pairs by bits 15 + j, one of which names a bit of a word, too:
// 2p2 finds 1.028 times what the bits say (the plant "overlapped"); with bits 16 + j 1.43 times.
struct Shape {
  uint32_t pairs, bits;
  double fpp;  // at 2^20 keys
};

class FppHeldByShape : public testing::TestWithParam<Shape> {};

TEST_P(FppHeldByShape, WithinTwoPercent) {
  if (kUnderSanitizer) return NotHere("takes too long with a sanitizer");
  constexpr uint64_t kFilters = 32, kKeys = 1 << 20;
  const Shape& shape = GetParam();
  static lfb_block_model model;
  lfb_block_model_init(&model, lfb_block_shape_of(shape.pairs, shape.bits), LFB_WORD_BITS);
  const double load = lfb_block_model_load(&model, shape.fpp);
  const auto blocks = static_cast<uint64_t>(std::ceil(kKeys / load));
  const auto asked = static_cast<uint64_t>(std::max(1e9, 40'000 / shape.fpp) / kFilters);
  Held held;
  for (uint64_t f = 0; f < kFilters; f++) {
    const Filter filter = MakeShaped(lfb_simd_chosen(), shape.pairs, shape.bits, blocks);
    held.Fill(filter.get(), f << 40, kKeys);
    held.Ask(filter.get(), (f << 40) + kKeys, asked);
  }
  EXPECT_NEAR(held.Asked() / held.FromBits(), 1, 0.02);
  EXPECT_NEAR(held.Asked() / shape.fpp, 1, 0.02);
  EXPECT_NEAR(held.FromBits(), shape.fpp, 5 * held.FromBitsError());
}

INSTANTIATE_TEST_SUITE_P(Shapes, FppHeldByShape,
                         testing::Values(Shape{1, 3, 1e-2}, Shape{1, 4, 1e-3}, Shape{2, 2, 1e-3},
                                         Shape{2, 3, 1e-4}, Shape{4, 2, 2e-5}, Shape{4, 3, 2e-5}),
                         [](const testing::TestParamInfo<Shape>& of) {
                           return std::to_string(of.param.pairs) + "p" +
                                  std::to_string(of.param.bits);
                         });

TEST(FppHeldBy, AHundredMillionKeys) {
  if (kUnderSanitizer) return NotHere("takes too long with a sanitizer");
  ExpectHeld(100'000'000, 0.01);
  ExpectHeld(100'000'000, 0.001);
}

}  // namespace
