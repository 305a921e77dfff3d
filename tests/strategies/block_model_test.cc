// The model of blocked filters against a slower computation from the same definition, and the
// sizes of `fast` that follow from it.
#include "bloom/strategies/block_model.h"

#include <cmath>

#include "tests/support/filters.h"

namespace {

// The distribution of the number N of set bits in a word, by its occupancy recurrence, draw by
// draw. Given how many keys have a unit, its words are independent; how many of j keys have it is
// binomial. The rate of a word follows from (N / W)^g for the queried key. W + 1 numbers per draw;
// the model has g + 1 per key, or the square of that.
class Occupancy {
 public:
  static constexpr int kKeys = 1024;

  Occupancy(lfb_block_shape shape, uint32_t word_bits) : found_(kKeys) {
    const double share = 1.0 / shape.choices, word = word_bits;
    std::vector<double> occupied(word_bits + 1), unit(kKeys);
    occupied[0] = 1;
    for (double& value : unit) {
      for (uint32_t n = 0; n <= word_bits; n++)
        value += occupied[n] * std::pow(n / word, shape.bits);
      value = std::pow(value, shape.words);
      for (uint32_t draw = 0; draw < shape.bits; draw++) {
        for (uint32_t n = word_bits; n > 0; n--)
          occupied[n] = (occupied[n] * n + occupied[n - 1] * (word_bits + 1 - n)) / word;
        occupied[0] = 0;
      }
    }
    for (int j = 0; j < kKeys; j++) {
      found_[j] = std::pow(unit[0], shape.units);
      for (int i = 0; i + j + 1 < kKeys; i++)
        unit[i] = (1 - share) * unit[i] + share * unit[i + 1];
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

struct Modelled {
  lfb_block_shape shape;
  uint32_t word_bits;
};

std::ostream& operator<<(std::ostream& out, const Modelled& of) {
  return out << of.shape.units << " of " << of.shape.words << "x" << of.shape.bits << " by "
             << of.shape.choices;
}

// All of `fast`, those of windows, which have no choice, and that of sbbf.
std::vector<Modelled> AllShapes() {
  std::vector<Modelled> shapes = {{{8, 1, 1, 1}, 32}};
  for (uint32_t pairs : {1u, 2u, 4u})
    for (uint32_t g = 1; 2 * pairs * g <= LFB_FAST_MAX_PROBES; g += g < 6 ? 1 : 3) {
      shapes.push_back({lfb_block_shape_of(pairs, g), 64});
      if (pairs > 1) shapes.push_back({{pairs, 2, g, 1}, 64});
    }
  return shapes;
}

// Seen to fail for the shapes with a choice of pairs with the words of a chosen pair taken as
// independent: at a low load the rate is a quarter.
TEST(BlockModel, EqualsTheOccupancyRecurrence) {
  for (const Modelled& of : AllShapes()) {
    SCOPED_TRACE(of);
    const Occupancy slow(of.shape, of.word_bits);
    static lfb_block_model model;
    lfb_block_model_init(&model, of.shape, of.word_bits);
    for (double load = 1e-6; load < Occupancy::kMaxLoad; load *= 1.25)
      EXPECT_NEAR(lfb_block_model_fpp(&model, load, INFINITY) / slow.Fpp(load), 1, 1e-11) << load;
    EXPECT_EQ(lfb_block_model_fpp(&model, 0, INFINITY), 0);
    for (double load : {700.0, 725.0})  // beyond the model's table
      EXPECT_NEAR(lfb_block_model_fpp(&model, load, INFINITY) / slow.Fpp(load), 1, 1.5e-3) << load;
    for (double fpp : {0.7, 0.5, 0.3, 0.1, 0.01, 0.001, 1e-4, 1e-6, 1e-9, 1e-12}) {
      const double expected = slow.Load(fpp);
      if (expected > 0.99 * Occupancy::kMaxLoad) continue;
      EXPECT_NEAR(lfb_block_model_load(&model, fpp) / expected, 1, 1e-11) << fpp;
    }
  }
}

TEST(BlockModel, FewBlocksShareTheirKeys) {
  for (const Modelled& of : AllShapes()) {
    SCOPED_TRACE(of);
    const Occupancy slow(of.shape, of.word_bits);
    static lfb_block_model model;
    lfb_block_model_init(&model, of.shape, of.word_bits);
    for (int blocks : {1, 2, 3, 7})
      for (int n : {1, 2, 3, 10, 50, 100, 500})
        EXPECT_NEAR(lfb_block_model_fpp(&model, double(n) / blocks, blocks) / slow.Fpp(n, blocks),
                    1, 1e-11)
            << n << " keys in " << blocks;
    EXPECT_NEAR(lfb_block_model_fpp(&model, 30, 1e15) / slow.Fpp(30), 1, 1e-11);
    // One block, beyond the model's table.
    EXPECT_NEAR(lfb_block_model_fpp(&model, 696, 1) / slow.Fpp(696, 1), 1, 2.1e-3);
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
TEST(BlockModel, LoadIsTheInverse) {
  for (const Modelled& of : AllShapes()) {
    SCOPED_TRACE(of);
    static lfb_block_model model;
    lfb_block_model_init(&model, of.shape, of.word_bits);
    for (double fpp : {0.7, 0.5, 0.3, 0.1, 1e-3, 1e-6, 1e-10, 1e-30, 1e-100, 1e-300}) {
      const double load = lfb_block_model_load(&model, fpp);
      EXPECT_NEAR(lfb_block_model_fpp(&model, load, INFINITY) / fpp, 1, 1e-9) << fpp;
    }
    EXPECT_GE(lfb_block_model_load(&model, 5e-324), 0);
    for (double fpp : {0.99, 0.999999, 1 - 1e-15, std::nextafter(1, 0)}) {
      const double load = lfb_block_model_load(&model, fpp);
      EXPECT_LT(load, 20000) << fpp;
      EXPECT_NEAR(lfb_block_model_fpp(&model, load, INFINITY), fpp, 1e-8);
    }
  }
}

// Filters of one configuration must fit each other across versions of the library, so a
// published size never changes.
TEST(FastSize, StaysWhatItIs) {
  const struct {
    double fpp;
    lfb_memory_preference preference;
    uint64_t words;
    uint32_t pairs, bits;
  } known[] = {
      {0.5, LFB_MEMORY_BALANCED, 25532698, 1, 1},
      {0.1, LFB_MEMORY_BALANCED, 78110048, 1, 2},
      {0.05, LFB_MEMORY_BALANCED, 102394840, 1, 2},
      {0.01, LFB_MEMORY_BALANCED, 169911272, 1, 3},
      {0.01, LFB_MEMORY_SMALLEST, 159953088, 2, 2},
      {0.005, LFB_MEMORY_BALANCED, 204498526, 1, 3},
      {0.0049, LFB_MEMORY_BALANCED, 204687504, 2, 2},
      {0.0025, LFB_MEMORY_BALANCED, 211778224, 2, 2},
      {0.001, LFB_MEMORY_BALANCED, 252451496, 2, 2},
      {0.001, LFB_MEMORY_SPEED, 297882898, 1, 4},
      {0.001, LFB_MEMORY_SMALLEST, 252451496, 2, 2},
      {1e-4, LFB_MEMORY_BALANCED, 366084472, 2, 3},
      {1e-4, LFB_MEMORY_SPEED, 468750000, 2, 3},
      {1e-4, LFB_MEMORY_SMALLEST, 334853632, 4, 2},
      {3e-5, LFB_MEMORY_BALANCED, 429687504, 4, 2},
      {1e-5, LFB_MEMORY_BALANCED, 429941616, 4, 2},
      {1e-5, LFB_MEMORY_SPEED, 511144784, 2, 3},
      {1e-6, LFB_MEMORY_BALANCED, 546163984, 4, 2},
      {1e-6, LFB_MEMORY_SPEED, 691736776, 2, 4},
      {1e-9, LFB_MEMORY_BALANCED, 1019944816, 4, 3},
      {1e-9, LFB_MEMORY_SPEED, 1500000000, 4, 3},
      {1e-12, LFB_MEMORY_BALANCED, 1834944384, 4, 3},
      {1e-15, LFB_MEMORY_BALANCED, 3450772496, 4, 3},
  };
  for (const auto& size : known) {
    lfb_config config = Config(1'000'000'000, size.fpp, LFB_FAST);
    config.memory_preference = size.preference;
    lfb_stats stats{};
    ASSERT_EQ(lfb_config_plan(&config, &stats), LFB_OK);
    EXPECT_EQ(stats.bytes / 8, size.words) << size.fpp << " " << size.preference;
    EXPECT_EQ(stats.words_per_key, 2 * size.pairs) << size.fpp << " " << size.preference;
    EXPECT_EQ(stats.probes, 2 * size.pairs * size.bits) << size.fpp << " " << size.preference;
  }
}

}  // namespace
