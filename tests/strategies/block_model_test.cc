// The model of strategy `fast` against a slower computation from the same definition, and the
// sizes that follow from it.
#include "bloom/strategies/block_model.h"

#include <cmath>

#include "tests/support/filters.h"

namespace {

// The distribution of the number N of set bits in a word, by its occupancy recurrence, draw by
// draw. The rate follows from (N / 64)^g for the queried key and from the chance that each of j
// keys is in the word. 65 numbers per draw; the model has g + 1 per key.
class Occupancy {
 public:
  static constexpr int kKeys = 1024;

  explicit Occupancy(lfb_block_shape shape) : found_(kKeys) {
    const double share = shape.words / 8.0;
    std::vector<double> occupied(65), mean(kKeys);
    occupied[0] = 1;
    for (double& value : mean) {
      for (int n = 0; n <= 64; n++) value += occupied[n] * std::pow(n / 64.0, shape.bits);
      for (uint32_t draw = 0; draw < shape.bits; draw++) {
        for (int n = 64; n > 0; n--)
          occupied[n] = (occupied[n] * n + occupied[n - 1] * (65 - n)) / 64;
        occupied[0] = 0;
      }
    }
    for (int j = 0; j < kKeys; j++) {
      found_[j] = std::pow(mean[0], shape.words);
      for (int i = 0; i + j + 1 < kKeys; i++)
        mean[i] = (1 - share) * mean[i] + share * mean[i + 1];
    }
  }

  // Up to a load with Poisson numbers that stay within the table.
  double Fpp(double load) const {
    double poisson = std::exp(-load), sum = 0;
    for (int j = 0; j < kKeys; j++) {
      sum += poisson * found_[j];
      poisson *= load / (j + 1);
    }
    return sum;
  }

  // n keys in `blocks` blocks, each key in one of them.
  double Fpp(int n, int blocks) const {
    std::vector<double> binomial(n + 2);
    binomial[0] = 1;
    for (int i = 1; i <= n; i++)
      for (int j = i; j >= 0; j--)
        binomial[j] = (binomial[j] * (blocks - 1) + (j > 0 ? binomial[j - 1] : 0)) / blocks;
    double sum = 0;
    for (int j = 0; j <= n; j++) sum += binomial[j] * found_[j];
    return sum;
  }

  double Load(double fpp) const {
    double low = 0, high = kMaxLoad;
    for (int i = 0; i < 100; i++) (Fpp((low + high) / 2) <= fpp ? low : high) = (low + high) / 2;
    return low;
  }

  static constexpr double kMaxLoad = 650;

 private:
  std::vector<double> found_;
};

std::vector<lfb_block_shape> AllShapes() {
  std::vector<lfb_block_shape> shapes;
  for (uint32_t w : {1u, 2u, 4u, 8u})
    for (uint32_t g = 1; w * g <= LFB_FAST_MAX_PROBES; g += g < 6 ? 1
                                                                  : 5) shapes.push_back({w, g, 8});
  return shapes;
}

TEST(FastModel, EqualsTheOccupancyRecurrence) {
  for (const lfb_block_shape shape : AllShapes()) {
    const Occupancy slow(shape);
    static lfb_block_model model;
    lfb_block_model_init(&model, shape, LFB_WORD_BITS);
    for (double load = 1e-6; load < Occupancy::kMaxLoad; load *= 1.25) {
      const double expected = slow.Fpp(load);
      EXPECT_NEAR(lfb_block_model_fpp(&model, load, INFINITY) / expected, 1, 1e-11)
          << shape.words << "x" << shape.bits << " at " << load;
    }
    EXPECT_EQ(lfb_block_model_fpp(&model, 0, INFINITY), 0);
    for (double load : {700.0, 725.0}) {  // beyond the model's table
      EXPECT_NEAR(lfb_block_model_fpp(&model, load, INFINITY) / slow.Fpp(load), 1, 1.5e-3)
          << shape.words << "x" << shape.bits << " at " << load;
    }
    for (double fpp : {0.7, 0.5, 0.3, 0.1, 0.01, 0.001, 1e-4, 1e-6, 1e-9, 1e-12}) {
      const double expected = slow.Load(fpp);
      if (expected > 0.99 * Occupancy::kMaxLoad) continue;
      EXPECT_NEAR(lfb_block_model_load(&model, fpp) / expected, 1, 1e-11)
          << shape.words << "x" << shape.bits << " for " << fpp;
    }
  }
}

TEST(FastModel, FewBlocksShareTheirKeys) {
  for (const lfb_block_shape shape : AllShapes()) {
    const Occupancy slow(shape);
    static lfb_block_model model;
    lfb_block_model_init(&model, shape, LFB_WORD_BITS);
    for (int blocks : {1, 2, 3, 7})
      for (int n : {1, 2, 3, 10, 50, 100, 500})
        EXPECT_NEAR(lfb_block_model_fpp(&model, double(n) / blocks, blocks) / slow.Fpp(n, blocks),
                    1, 1e-11)
            << shape.words << "x" << shape.bits << ", " << n << " keys in " << blocks;
    EXPECT_NEAR(lfb_block_model_fpp(&model, 30, 1e15) / slow.Fpp(30), 1, 1e-11);
    // One block, beyond the model's table.
    EXPECT_NEAR(lfb_block_model_fpp(&model, 696, 1) / slow.Fpp(696, 1), 1, 2.1e-3)
        << shape.words << "x" << shape.bits;
    // An estimated number of keys need not be whole.
    for (int blocks : {1, 2, 3}) {
      const double one = lfb_block_model_fpp(&model, 10.0 / blocks, blocks),
                   half = lfb_block_model_fpp(&model, 10.5 / blocks, blocks),
                   two = lfb_block_model_fpp(&model, 11.0 / blocks, blocks);
      EXPECT_LT(one, half);
      EXPECT_LT(half, two);
    }
  }
}

// Load and rate are inverse if the rate has enough digits to show it. The search for the load
// ends for any fpp.
TEST(FastModel, LoadIsTheInverse) {
  for (const lfb_block_shape shape : AllShapes()) {
    static lfb_block_model model;
    lfb_block_model_init(&model, shape, LFB_WORD_BITS);
    for (double fpp : {0.7, 0.5, 0.3, 0.1, 1e-3, 1e-6, 1e-10, 1e-30, 1e-100, 1e-300}) {
      const double load = lfb_block_model_load(&model, fpp);
      EXPECT_NEAR(lfb_block_model_fpp(&model, load, INFINITY) / fpp, 1, 1e-9)
          << shape.words << "x" << shape.bits << " for " << fpp;
    }
    EXPECT_GE(lfb_block_model_load(&model, 5e-324), 0);
    for (double fpp : {0.99, 0.999999, 1 - 1e-15, std::nextafter(1, 0)}) {
      const double load = lfb_block_model_load(&model, fpp);
      EXPECT_LT(load, 20000) << shape.words << "x" << shape.bits << " for " << fpp;
      EXPECT_NEAR(lfb_block_model_fpp(&model, load, INFINITY), fpp, 1e-8)
          << shape.words << "x" << shape.bits;
    }
  }
}

// Filters of one configuration must fit each other across versions of the library, so a
// published size never changes.
TEST(FastSize, StaysWhatItIs) {
  const struct {
    double fpp;
    lfb_memory_preference preference;
    uint64_t blocks;
    uint32_t words, probes;
  } known[] = {
      // one probe: ceil(1e9 / (512 ln 2)), computed by hand, too
      {0.5, LFB_MEMORY_BALANCED, 2817764, 1, 1},
      {0.1, LFB_MEMORY_BALANCED, 9831190, 1, 3},     {0.1, LFB_MEMORY_SMALLEST, 9541500, 4, 4},
      // at a limit of the bits per key, 11.58 and 30
      {0.0055, LFB_MEMORY_BALANCED, 22617188, 4, 8}, {2e-5, LFB_MEMORY_SPEED, 58593750, 4, 12},
      {0.05, LFB_MEMORY_BALANCED, 12471677, 2, 4},   {0.03, LFB_MEMORY_SPEED, 16313149, 1, 4},
      {0.01, LFB_MEMORY_BALANCED, 20052858, 2, 6},   {0.01, LFB_MEMORY_SPEED, 23708417, 1, 5},
      {0.01, LFB_MEMORY_SMALLEST, 19725211, 8, 8},   {0.002, LFB_MEMORY_SPEED, 28910954, 2, 8},
      {0.001, LFB_MEMORY_BALANCED, 30901059, 4, 8},  {0.001, LFB_MEMORY_SMALLEST, 30712120, 8, 8},
      {1e-4, LFB_MEMORY_BALANCED, 44059192, 4, 12},  {1e-4, LFB_MEMORY_SPEED, 50768039, 2, 10},
      {1e-5, LFB_MEMORY_BALANCED, 60662385, 4, 12},  {1e-6, LFB_MEMORY_BALANCED, 66863076, 8, 16},
      {1e-6, LFB_MEMORY_SPEED, 80239097, 4, 16},     {1e-7, LFB_MEMORY_SPEED, 105833259, 4, 16},
      {1e-9, LFB_MEMORY_BALANCED, 121876910, 8, 24}, {1e-9, LFB_MEMORY_SPEED, 187421657, 4, 16},
  };
  for (const auto& size : known) {
    lfb_config config = Config(1'000'000'000, size.fpp, LFB_FAST);
    config.memory_preference = size.preference;
    lfb_stats stats{};
    ASSERT_EQ(lfb_config_plan(&config, &stats), LFB_OK);
    EXPECT_EQ(stats.bit_count / 512, size.blocks) << size.fpp << " " << size.preference;
    EXPECT_EQ(stats.words_per_key, size.words);
    EXPECT_EQ(stats.probes, size.probes);
  }
}

}  // namespace
