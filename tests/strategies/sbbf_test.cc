// Strategy sbbf: its bits by Parquet's definition, its model by a slower computation, and its
// sizes.
#include "bloom/strategies/strategies.h"

#include <cmath>

#include "tests/support/race.h"
#include "tests/support/variants.h"

namespace {

constexpr uint32_t kSalts[8] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

// The bitset of Parquet's definition, in its 32-bit words.
class Plain {
 public:
  explicit Plain(uint64_t blocks) : words_(8 * blocks) {}

  void Put(uint64_t hash) {
    const uint64_t block = (hash >> 32) * (words_.size() / 8) >> 32;
    for (int i = 0; i < 8; i++)
      words_[8 * block + i] |= uint32_t{1} << (static_cast<uint32_t>(hash) * kSalts[i] >> 27);
  }

  std::string Bytes() const {
    std::string bytes;
    for (uint32_t word : words_)
      for (int i = 0; i < 4; i++) bytes += static_cast<char>(word >> (8 * i));
    return bytes;
  }

 private:
  std::vector<uint32_t> words_;
};

std::string Words(const Filter& filter) {
  const std::string native = Bytes(filter, LFB_FORM_NATIVE);
  return native.substr(256, Stats(filter).bytes);
}

lfb_config Sized(uint64_t n, double fpp, lfb_memory_preference preference) {
  lfb_config config = Config(n, fpp, LFB_SBBF);
  config.memory_preference = preference;
  return config;
}

// By every variant, one key at a time and many. Seen to fail with salts swapped, with the bits of
// the other half of a block, and with the block rounded down to an even one.
TEST(Sbbf, BitsAreThoseOfTheDefinition) {
  for (lfb_simd most : SimdLevels())
    for (uint64_t n : {1, 20, 1000, 50000}) {
      const lfb_config config = Sized(n, 0.01, LFB_MEMORY_SMALLEST);
      const Filter filter = MakeUpTo(most, config), many = MakeUpTo(most, config);
      Plain plain(Stats(filter).bytes / 32);
      std::vector<uint64_t> hashes;
      for (uint64_t i = 0; i < n; i++) hashes.push_back(Mix(n, i));
      hashes.push_back(0), hashes.push_back(UINT64_MAX);
      for (uint64_t hash : hashes) {
        plain.Put(hash);
        lfb_filter_put_hash(filter.get(), hash);
        ASSERT_TRUE(lfb_filter_might_contain_hash(filter.get(), hash));
      }
      lfb_filter_put_many_hash(many.get(), hashes.data(), hashes.size(), nullptr);
      EXPECT_EQ(Words(filter), plain.Bytes());
      EXPECT_EQ(Words(many), plain.Bytes());
      for (const Filter* each : {&filter, &many})
        EXPECT_EQ(Stats(*each).bits_set, lfb_filter_recount(&(*each)->layout.bits));
    }
}

// Every variant answers batches as one key at a time without vectors. Seen to fail with a query
// that looks at half of a block, and with a put that looks at seven of eight words.
TEST(Sbbf, BatchesAnswerAlike) {
  for (lfb_simd most : SimdLevels()) {
    const lfb_config config = Sized(900, 0.01, LFB_MEMORY_SMALLEST);
    ExpectBatchesAlike(MakeUpTo(most, config), MakeUpTo(LFB_SIMD_NONE, config));
  }
}

// E[(1 - (31/32)^j)^8] for j keys per block: binomial, summed term by term.
double SlowFpp(double n, double blocks) {
  double sum = 0, log_term = n * std::log1p(-1 / blocks);
  for (double j = 0; j <= n; j++) {
    sum += std::exp(log_term) * std::pow(-std::expm1(j * std::log1p(-1 / 32.0)), 8);
    log_term += std::log((n - j) / (j + 1)) - std::log(blocks - 1);
  }
  return sum;
}

TEST(Sbbf, TheModelIsTheSumOverTheKeysOfABlock) {
  for (uint64_t n : {1, 10, 300, 5000})
    for (double fpp : {0.3, 0.01, 1e-4, 1e-8}) {
      const lfb_config config = Config(n, fpp, LFB_SBBF);
      lfb_stats stats;
      double model = 0;
      ASSERT_EQ(lfb_config_plan(&config, &stats), LFB_OK);
      if (stats.bytes == 32) continue;  // one block: no binomial
      for (uint64_t in : {n / 2, n, 3 * n}) {
        ASSERT_EQ(lfb_config_fpp_after(&config, in, &model), LFB_OK);
        const double slow = SlowFpp(static_cast<double>(in), static_cast<double>(stats.bytes / 32));
        EXPECT_NEAR(model, slow, 1e-9 * slow) << n << " " << fpp << " " << in;
      }
    }
}

// A power of two up to 128 MiB, which other implementations need, unless the smallest size is
// asked for. Above that, any number of blocks up to the header's limit. Never too small; the
// smallest size has no block too many.
TEST(Sbbf, SizesHoldTheFpp) {
  for (double n = 1; n < 1e10; n *= 1.7)
    for (double fpp : {0.5, 0.03, 0.01, 0.001, 1e-5}) {
      const auto count = static_cast<uint64_t>(n);
      const lfb_config config = Config(count, fpp, LFB_SBBF);
      const lfb_config smallest = Sized(count, fpp, LFB_MEMORY_SMALLEST);
      lfb_stats stats, least;
      double model = 1;
      const lfb_status status = lfb_config_plan(&config, &stats);
      ASSERT_EQ(lfb_config_plan(&smallest, &least), status);
      if (status != LFB_OK) {
        EXPECT_EQ(status, LFB_ERROR_TOO_MANY_BITS);
        EXPECT_GT(n, 1e8);
        continue;
      }
      const uint64_t blocks = stats.bytes / 32;
      EXPECT_TRUE(stats.bytes > 128 << 20 || (blocks & (blocks - 1)) == 0) << n;
      EXPECT_LE(least.bytes, stats.bytes);
      EXPECT_TRUE(stats.bytes == 32 || stats.bytes < 2 * least.bytes) << n;
      for (const auto& [asked, bytes]
           : {std::pair(&config, stats.bytes), {&smallest, least.bytes}}) {
        ASSERT_EQ(lfb_config_fpp_after(asked, count, &model), LFB_OK);
        EXPECT_LE(model, fpp * 1.000001) << n;
        EXPECT_EQ(bytes % 32, 0u);
        EXPECT_LT(bytes, uint64_t{1} << 31);
      }
      EXPECT_EQ(stats.probes, 8u);
      EXPECT_EQ(stats.words_per_key, 4u);
    }
  const struct {
    uint64_t n;
    double fpp;
    uint64_t bytes;
  } sizes[] = {{0, 0.01, 32}, {20, 0.01, 32}, {1000, 0.01, 2048}, {1000000, 0.01, 2097152}};
  for (const auto& size : sizes) {
    const lfb_config config = Config(size.n, size.fpp, LFB_SBBF);
    lfb_stats stats;
    ASSERT_EQ(lfb_config_plan(&config, &stats), LFB_OK);
    EXPECT_EQ(stats.bytes, size.bytes) << size.n;
  }
  lfb_stats stats;
  const lfb_config smallest = Sized(1000000, 0.01, LFB_MEMORY_SMALLEST);
  ASSERT_EQ(lfb_config_plan(&smallest, &stats), LFB_OK);
  EXPECT_EQ(stats.bytes, 1316160u);
}

TEST(Sbbf, RefusesWhatCannotBe) {
  lfb_stats stats;
  const lfb_config low = Config(1000000, 1e-18, LFB_SBBF);
  EXPECT_EQ(lfb_config_plan(&low, &stats), LFB_ERROR_TOO_MANY_BITS);
  const lfb_config many = Config(UINT64_MAX, 0.01, LFB_SBBF);
  EXPECT_EQ(lfb_config_plan(&many, &stats), LFB_ERROR_TOO_MANY_BITS);
  const lfb_config odd = Sized(1000, 0.01, static_cast<lfb_memory_preference>(3));
  EXPECT_EQ(lfb_config_plan(&odd, &stats), LFB_ERROR_UNKNOWN_PREFERENCE);
  lfb_config seeded = Config(10, 0.01, LFB_SBBF);
  seeded.seed = 1;
  EXPECT_EQ(lfb_config_plan(&seeded, &stats), LFB_ERROR_UNKNOWN_HASH);
}

}  // namespace
