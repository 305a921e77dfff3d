// Random filters of every strategy, written and read back in every form that holds them.
#include <cmath>

#include "tests/support/native_bytes.h"
#include "tests/support/race.h"
#include "tests/support/streams.h"

namespace {

using Held = std::pair<lfb_strategy_id, lfb_form>;

std::vector<Held> AllHeld() {
  std::vector<Held> all;
  for (lfb_strategy_id strategy : AllStrategies())
    for (int form = 0; form < 64; form++)
      if (lfb_form_name(static_cast<lfb_form>(form)) != nullptr &&
          lfb_form_holds(static_cast<lfb_form>(form), strategy))
        all.emplace_back(strategy, static_cast<lfb_form>(form));
  return all;
}

std::string HeldName(const testing::TestParamInfo<Held>& info) {
  std::string name = StrategyTestName({info.param.first, 0}) + "_" +
                     lfb_form_name(info.param.second);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

uint8_t kKey[16] = {1, 2, 3, 4};

// n up to 20,000, p from 0.3 to 1e-9, and any choice that the strategy leaves.
lfb_config Drawn(lfb_strategy_id strategy, uint64_t draw) {
  const auto below = [&draw](uint64_t bound) { return Mix(draw, bound) % bound; };
  lfb_config config = Config(1 + below(20000) % (1 + below(20001)),
                             0.3 * std::pow(10, -8.5 * static_cast<double>(below(1000)) / 1000),
                             strategy);
  config.key_type = static_cast<lfb_key_type>(below(8));
  if (strategy == LFB_GUAVA_MITZ32 || strategy == LFB_GUAVA_MITZ64)
    config.probes_formula = static_cast<lfb_probes_formula>(below(2));
  if (strategy == LFB_FAST || strategy == LFB_FAST_PAIR || strategy == LFB_JAVA_DOUBLE)
    config.seed = Mix(draw, 1) | 1;
  if (strategy == LFB_FAST) {
    config.memory_preference = static_cast<lfb_memory_preference>(below(3));
    if (below(4) == 0) {
      config.hash = below(2) == 0 ? LFB_HASH_SIPHASH13 : LFB_HASH_AES;
      config.seed = 0;
      std::copy(std::begin(kKey), std::end(kKey), config.key);
    }
  }
  return config;
}

// Puts one key in each way. Returns whether it is new; the next returns whether it may be
// present.
bool PutKey(const Filter& filter, uint64_t key) {
  if (key % 3 == 0) return Put(filter, std::to_string(key));
  return key % 3 == 1 ? lfb_filter_put_u64(filter.get(), key)
                      : lfb_filter_put_hash(filter.get(), key);
}

bool HasKey(const Filter& filter, uint64_t key) {
  if (key % 3 == 0) return Has(filter, std::to_string(key));
  return key % 3 == 1 ? lfb_filter_might_contain_u64(filter.get(), key)
                      : lfb_filter_might_contain_hash(filter.get(), key);
}

void ExpectSameFigures(const lfb_stats& was, const lfb_stats& is, lfb_form form) {
  const bool says_n = form != LFB_FORM_GUAVA && form != LFB_FORM_SBBF;
  EXPECT_EQ(is.form, form);
  EXPECT_EQ(is.strategy, was.strategy);
  EXPECT_EQ(is.expected_insertions, says_n ? was.expected_insertions : 0);
  EXPECT_EQ(is.fpp, says_n ? was.fpp : 0);
  EXPECT_EQ(is.key_type, form == LFB_FORM_NATIVE || form == LFB_FORM_MAPPED ? was.key_type
                         : was.bits_set == 0                                ? LFB_KEYS_UNKNOWN
                         : form == LFB_FORM_MILVUS_INT64                    ? LFB_KEYS_I64
                         : form == LFB_FORM_MILVUS_UTF8                     ? LFB_KEYS_TEXT
                                                                            : LFB_KEYS_UNKNOWN);
  EXPECT_EQ(is.bit_count, was.bit_count);
  EXPECT_EQ(is.reachable_bits, was.reachable_bits);
  EXPECT_EQ(is.probes, was.probes);
  EXPECT_EQ(is.words_per_key, was.words_per_key);
  EXPECT_EQ(is.hash, was.hash);
  EXPECT_EQ(is.seed, was.seed);
  EXPECT_EQ(is.bytes, was.bytes);
  EXPECT_EQ(is.bits_set, was.bits_set);
  EXPECT_EQ(is.saturated, was.saturated);
  EXPECT_EQ(is.approximate_count, was.approximate_count);
  EXPECT_EQ(is.expected_fpp, was.expected_fpp);
}

// All that a form contains, except its time.
std::string Timeless(const Filter& filter, lfb_form form) {
  const std::string bytes = Bytes(filter, form);
  if (form == LFB_FORM_MAPPED)  // a native header after its prefix
    return bytes.substr(0, 256) + Stamped(bytes.substr(256), 0);
  return form == LFB_FORM_NATIVE ? Stamped(bytes, 0) : bytes;
}

class RoundTrip : public testing::TestWithParam<Held> {
 protected:
  void ThereAndBack(uint64_t draw) {
    const auto [strategy, form] = GetParam();
    lfb_config config = Drawn(strategy, draw);
    if (form >= LFB_FORM_MILVUS) config.memory_preference = LFB_MEMORY_BALANCED;  // powers of two
    const Filter filter = Make(config);
    const uint64_t keys = Mix(draw, 2) % 3000;
    for (uint64_t i = 0; i < keys; i++) PutKey(filter, Mix(draw + 1, i));
    Filter back;
    const size_t step = 1 + Mix(draw, 3) % 100000;
    ASSERT_EQ(ReadFrom({Bytes(filter, form), step}, &back, 0, kKey), LFB_OK);
    ExpectSameFigures(Stats(filter), Stats(back), form);
    EXPECT_TRUE(Timeless(back, form) == Timeless(filter, form));
    for (uint64_t i = 0; i < keys; i++) ASSERT_TRUE(HasKey(back, Mix(draw + 1, i)));
    for (uint64_t i = 0; i < 1000; i++)
      ASSERT_EQ(HasKey(back, Mix(draw + 2, i)), HasKey(filter, Mix(draw + 2, i)));
    EXPECT_EQ(PutKey(back, draw), PutKey(filter, draw));
    EXPECT_EQ(lfb_filter_put_all(back.get(), filter.get()), LFB_OK);
    EXPECT_EQ(Stats(back).bits_set, Stats(filter).bits_set);
  }
};

TEST_P(RoundTrip, OfRandomFilters) {
  const uint64_t draws = GetParam().first == LFB_GO_FNV14 ? 3 : 60;  // of 4 MiB each
  for (uint64_t draw = 1; draw <= draws; draw++) {
    SCOPED_TRACE(draw);
    ThereAndBack(10 * draw);
  }
}

INSTANTIATE_TEST_SUITE_P(All, RoundTrip, testing::ValuesIn(AllHeld()), HeldName);

}  // namespace
