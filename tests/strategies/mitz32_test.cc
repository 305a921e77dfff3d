// Strategy redis-mitz32 against the Java helper class over RedisTemplate.
#include <lfbloom/sink.h>

#include <vector>

#include "bloom/filter/filter.h"
#include "bloom/hashing/hasher.h"
#include "bloom/strategies/strategies.h"
#include "tests/support/filters.h"

namespace {

struct Offsets {
  std::string key;
  std::vector<uint64_t> offsets;
};

struct Row {
  uint64_t n;
  double fpp;
  uint64_t bit_size;
  std::vector<Offsets> keys;
};

// Printed by that class (murmurHashOffset, Guava 31.1). Its funnel puts the string twice:
// into.putString(from, UTF_8).putString(from, UTF_8).
const Row kRows[] = {
    {1000, 0.01, 9585,
     {{"apple", {456, 2917, 6291, 80, 2021, 8232, 4858}},
      {"", {0, 0, 0, 0, 0, 0, 0}},
      {"schl\xc3\xbcssel", {5231, 8374, 3543, 9184, 2733, 9175, 3552}},
      {"1000000007", {712, 851, 2415, 1496, 67, 1631, 2280}},
      {"https://example.com/p/1", {965, 1816, 877, 1904, 789, 1992, 701}}}},
    {1000000, 0.03, 7298440,
     {{"apple", {3485276, 202367, 3890011, 279215, 6816156}},
      {"1000000007", {6890047, 423801, 439210, 3029956, 4283892}},
      {"https://example.com/p/1", {5979185, 3383176, 5335917, 4026444, 4692649}}}},
    {200000000, 0.01, 1917011675,
     {{"apple", {207841596, 430810327, 1069462251, 1708114175, 31189521, 1309549272, 670897348}},
      {"schl\xc3\xbcssel",
       {423853931, 29058419, 826681038, 695535124, 160204333, 554999845, 967216317}},
      {"1000000007",
       {1342504567, 212078561, 1766661690, 973722476, 580860652, 218432106, 604940385}}}},
};

void Twice(const void* object, lfb_sink* sink) {
  const auto* text = static_cast<const std::string*>(object);
  lfb_sink_put_bytes(sink, text->data(), text->size());
  lfb_sink_put_bytes(sink, text->data(), text->size());
}

TEST(RedisMitz32, HasTheOffsetsOfTheJavaHelper) {
  for (const Row& row : kRows) {
    const lfb_config config = Config(row.n, row.fpp, LFB_REDIS_MITZ32);
    lfb_description description;
    ASSERT_EQ(lfb_description_make(&config, &description), LFB_OK);
    EXPECT_EQ(description.geometry.bit_count, row.bit_size);
    const lfb_layout layout = lfb_layout_of(&description, nullptr, lfb_stripes{});
    for (const Offsets& key : row.keys) {
      std::vector<uint64_t> found(LFB_MAX_PROBES);
      found.resize(description.strategy->bits_of(
          &layout, lfb_sink_hash(&layout.hasher, Twice, &key.key), found.data()));
      EXPECT_EQ(found, key.offsets) << row.n << " " << key.key;
    }
  }
}

TEST(RedisMitz32, IsRefusedBeyondAJavaInt) {
  lfb_stats stats;
  lfb_config config = Config(224'000'000, 0.01, LFB_REDIS_MITZ32);
  EXPECT_EQ(lfb_config_plan(&config, &stats), LFB_OK);
  EXPECT_EQ(stats.reachable_bits, stats.bit_count);
  config.expected_insertions = 225'000'000;
  EXPECT_EQ(lfb_config_plan(&config, &stats), LFB_ERROR_TOO_MANY_BITS);
}

}  // namespace
