// The builder makes the filter that put_many makes for a known number of keys.
#include <gtest/gtest.h>
#include <lfbloom/builder.h>
#include <unistd.h>

#include <fstream>
#include <vector>

#include "bloom/filter/filter.h"
#include "tests/support/filters.h"
#include "tests/support/race.h"
#include "tests/support/skip.h"

namespace {

using Builder = std::unique_ptr<lfb_builder, Freed<lfb_builder_free>>;

Builder Begin(const lfb_config& config) { return Made<Builder>(lfb_builder_create, &config); }

Filter Finish(Builder& builder, uint64_t* new_keys = nullptr) {
  lfb_filter* filter = nullptr;
  EXPECT_EQ(lfb_builder_finish(builder.get(), &filter, new_keys), LFB_OK);
  (void)builder.release();
  return Filter(filter);
}

std::vector<uint64_t> Keys(uint64_t stream, size_t count) {
  std::vector<uint64_t> keys(count);
  for (size_t i = 0; i < count; i++) keys[i] = Mix(stream, i);
  return keys;
}

void ExpectSameBits(const Filter& a, const Filter& b) {
  ASSERT_EQ(a->layout.bits.word_count, b->layout.bits.word_count);
  uint64_t different = 0;
  for (uint64_t i = 0; i < a->layout.bits.word_count; i++)
    different += lfb_bit_array_word(&a->layout.bits, i) != lfb_bit_array_word(&b->layout.bits, i);
  ASSERT_EQ(different, 0u);
  ASSERT_EQ(Stats(a).bits_set, Stats(b).bits_set);
  ASSERT_EQ(Stats(a).bits_set, lfb_filter_recount(&a->layout.bits));
}

class EveryStrategyBuilder : public testing::TestWithParam<lfb_strategy_id> {};
INSTANTIATE_TEST_SUITE_P(All, EveryStrategyBuilder, testing::ValuesIn(AllStrategies()),
                         StrategyTestName);

// The same words, also of foldable filters.
TEST_P(EveryStrategyBuilder, MakesTheFilterOfTheKeysThatCame) {
  for (uint64_t n : {0ul, 1ul, 40ul, 3000ul, 90000ul}) {
    if (kUnderTsan && n > 3000) continue;
    lfb_config config = Config(3 * n, 0.01, GetParam());
    config.foldable = n == 3000;
    const Filter direct = Make(config);
    config.bytes = config.expected_insertions = 64 << 20;  // a limit that is far away; ignored
    Builder builder = Begin(config);
    const auto keys = Keys(1, n);
    std::vector<lfb_key> texts;
    for (const uint64_t& key : keys) texts.push_back({&key, 5});
    lfb_filter_put_many_u64(direct.get(), keys.data(), keys.size(), nullptr);
    lfb_builder_put_many(builder.get(), keys.data(), keys.size(), LFB_U64_KEY);
    lfb_filter_put_many_hash(direct.get(), keys.data(), keys.size(), nullptr);
    lfb_builder_put_many(builder.get(), keys.data(), keys.size(), LFB_HASH_KEY);
    lfb_filter_put_many(direct.get(), texts.data(), texts.size(), nullptr);
    lfb_builder_put_many(builder.get(), texts.data(), texts.size(), LFB_BYTES_KEY);
    uint64_t new_keys = 0;
    const Filter built = Finish(builder, &new_keys);
    ASSERT_NO_FATAL_FAILURE(ExpectSameBits(built, direct)) << n;
    ASSERT_EQ(Stats(built).expected_insertions, Stats(direct).expected_insertions);
    ASSERT_NEAR(static_cast<double>(new_keys), 3.0 * n, 0.02 * 3 * n + 1);
  }
}

// Repeated keys take no room: the size is within 3 % of that for the distinct ones, and fpp is
// held. A random hash is the same in the filter for all keys and in the smaller one.
TEST_P(EveryStrategyBuilder, MakesTheFilterOfDistinctKeys) {
  constexpr uint64_t n = kUnderTsan ? 1000 : 50000;
  lfb_config config = Config(n, 0.01, GetParam());
  config.seed = 0;
  const uint64_t wanted = Stats(Make(config)).bytes;
  Builder builder = Begin(config);
  const auto keys = Keys(1, n);
  for (int again = 0; again < 10; again++)
    lfb_builder_put_many(builder.get(), keys.data(), keys.size(), LFB_U64_KEY);
  const Filter built = Finish(builder);
  EXPECT_LE(static_cast<double>(Stats(built).bytes),
            (GetParam() == LFB_SBBF ? 2 : 1.03) * static_cast<double>(wanted));
  // Double hashing adds up to 10 / n of it (docs/guarantees.md, 9).
  EXPECT_LE(Stats(built).expected_fpp, 0.01 * (1 + 10.0 / n));
  EXPECT_GE(Stats(built).expected_insertions, n);
  for (uint64_t key : keys) ASSERT_TRUE(lfb_filter_might_contain_u64(built.get(), key));
}

// The address space of this process, in bytes.
uint64_t Mapped() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// A builder that is freed without a filter keeps no memory: of 12 lists of hashes of 27 MiB no more
// than a few are there at the end.  Seen to fail with a lfb_builder_free() that frees no hashes.
TEST(Builder, GivesUpCleanly) {
  if (kUnderSanitizer) return NotHere("a sanitizer keeps freed memory");
  constexpr uint64_t kTimes = 12, kBytes = uint64_t{27} << 20;
  const auto keys = Keys(1, kBytes / 8);
  const uint64_t before = Mapped();
  for (uint64_t i = 0; i < kTimes; i++) {
    const Builder builder = Begin(Config(1, 0.01, LFB_FAST));
    lfb_builder_put_many(builder.get(), keys.data(), keys.size(), LFB_U64_KEY);
  }
  EXPECT_LT(Mapped(), before + kTimes * kBytes / 4);
  lfb_builder_free(nullptr);
}

// Threads put at once: the bits are those of a filter filled by one thread.
class BuilderRace : public testing::TestWithParam<lfb_strategy_id> {};
INSTANTIATE_TEST_SUITE_P(All, BuilderRace, testing::ValuesIn(AllStrategies()), StrategyTestName);

TEST_P(BuilderRace, NoBitIsLost) {
  constexpr unsigned kThreads = 4;
  constexpr uint64_t kRounds = 2, kKeys = 25000;
  const lfb_config config = Config(kThreads * kKeys, 0.01, GetParam());
  for (uint64_t round = 0; round < kRounds; round++) {
    const Filter alone = Make(config);
    Builder builder = Begin(config);
    const auto hashes = Keys(round, kThreads * kKeys);
    lfb_filter_put_many_hash(alone.get(), hashes.data(), hashes.size(), nullptr);
    RunTogether(kThreads, [&](unsigned t) {
      lfb_builder_put_many(builder.get(), hashes.data() + t * kKeys, kKeys, LFB_HASH_KEY);
    });
    const Filter built = Finish(builder);
    ASSERT_NO_FATAL_FAILURE(ExpectSameBits(built, alone)) << "round " << round;
  }
}

}  // namespace
