// golden_test.cc - results of Guava 31.1 on OpenJDK 17, as facts. Needs no Java.
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "tests/support/filters.h"
#include "tests/support/murmur128_vectors.h"

namespace {

using Bytes = std::vector<uint8_t>;

Bytes from_hex(const std::string& text) {
  Bytes bytes;
  for (size_t i = 0; i < text.size(); i += 2)
    bytes.push_back(static_cast<uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
  return bytes;
}

std::string to_hex(const Bytes& bytes) {
  std::string text;
  for (uint8_t byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

lfb_status append(void* to, const void* bytes, size_t size) {
  const auto* from = static_cast<const uint8_t*>(bytes);
  static_cast<Bytes*>(to)->insert(static_cast<Bytes*>(to)->end(), from, from + size);
  return LFB_OK;
}

Bytes write(const Filter& filter) {
  Bytes bytes;
  EXPECT_EQ(lfb_filter_write(filter.get(), LFB_FORM_GUAVA, append, &bytes), LFB_OK);
  return bytes;
}

// Delivers one byte at a time, the least that a source may.
struct Source {
  Bytes bytes;
  size_t at;
};

lfb_status take_one(void* from, void* bytes, size_t, size_t* got) {
  auto& source = *static_cast<Source*>(from);
  *got = source.at < source.bytes.size();
  if (*got) *static_cast<uint8_t*>(bytes) = source.bytes[source.at++];
  return LFB_OK;
}

lfb_status read(Source* source, Filter* filter) {
  lfb_filter* made = nullptr;
  const lfb_status status = lfb_filter_read(take_one, source, nullptr, &made);
  EXPECT_EQ(made == nullptr, status != LFB_OK);
  filter->reset(made);
  return status;
}

// HotSpot's pow and this C library's may differ by one unit in the last place.
void expect_within_one_ulp(double actual, double expected) {
  EXPECT_GE(actual, std::nextafter(expected, -1));
  EXPECT_LE(actual, std::nextafter(expected, 2));
}

// Guava's expectedFpp() follows from our figures.  Ours has what double hashing adds, too.
void expect_guavas_fpp(const lfb_stats& stats, double expected) {
  const double fill =
      static_cast<double>(stats.bits_set) / static_cast<double>(stats.reachable_bits);
  expect_within_one_ulp(std::pow(fill, stats.probes), expected);
  EXPECT_GE(stats.expected_fpp, std::nextafter(expected, -1));
}

// ---- create ----

struct Created {
  uint64_t bits;
  uint32_t probes;
  lfb_status refused = LFB_OK;
};

constexpr Created kNoBits{0, 0, LFB_ERROR_NO_BITS};
constexpr Created kMany{0, 0, LFB_ERROR_TOO_MANY_PROBES};
constexpr Created kLow{0, 0, LFB_ERROR_FPP_TOO_LOW};
constexpr Created kHigh{0, 0, LFB_ERROR_FPP_TOO_HIGH};

const uint64_t kInsertions[5] = {0, 1, 2, 10, 1000};

const struct {
  double fpp;
  Created made[5];  // for each of kInsertions
} kCreated[] = {
    {0.03, {{64, 5}, {64, 5}, {64, 5}, {128, 5}, {7360, 5}}},
    {0.01, {{64, 6}, {64, 6}, {64, 7}, {128, 7}, {9600, 7}}},
    {0.5, {{64, 1}, {64, 1}, {64, 1}, {64, 1}, {1472, 1}}},
    {0.9, {kNoBits, kNoBits, kNoBits, {64, 1}, {256, 1}}},
    {0.99, {kNoBits, kNoBits, kNoBits, kNoBits, {64, 1}}},
    {0.001, {{64, 10}, {64, 10}, {64, 10}, {192, 10}, {14400, 10}}},
    {1e-10, {{64, 33}, {64, 33}, {128, 33}, {512, 33}, {47936, 33}}},
    {1e-76, {{384, 252}, {384, 252}, {768, 252}, {3648, 252}, {364288, 252}}},
    {1e-77, {kMany, kMany, kMany, kMany, kMany}},
    {std::numeric_limits<double>::denorm_min(), {kMany, kMany, kMany, kMany, kMany}},
    {0.0, {kLow, kLow, kLow, kLow, kLow}},
    {1.0, {kHigh, kHigh, kHigh, kHigh, kHigh}},
    {-1.0, {kLow, kLow, kLow, kLow, kLow}},
    {std::numeric_limits<double>::quiet_NaN(), {kLow, kLow, kLow, kLow, kLow}},
    {2.0, {kHigh, kHigh, kHigh, kHigh, kHigh}},
    {0.9999999999999999, {kNoBits, kNoBits, kNoBits, kNoBits, kNoBits}},
};

void expect_created(const lfb_config& config, const Created& made) {
  lfb_filter* raw = nullptr;
  ASSERT_EQ(lfb_filter_create(&config, &raw), made.refused);
  const Filter filter(raw);
  if (made.refused != LFB_OK) {
    EXPECT_EQ(raw, nullptr);
    return;
  }
  const lfb_stats stats = Stats(filter);
  EXPECT_EQ(stats.bit_count, made.bits);
  EXPECT_EQ(stats.bytes, made.bits / 8);
  EXPECT_EQ(stats.probes, made.probes);
  EXPECT_EQ(stats.bits_set, 0U);
  EXPECT_EQ(stats.approximate_count, 0U);
  EXPECT_EQ(stats.expected_fpp, 0.0);
  EXPECT_FALSE(stats.saturated);
  EXPECT_EQ(stats.form, LFB_FORM_NONE);
}

TEST(Create, MakesAndRefusesWhatGuavaDoes) {
  for (const auto& row : kCreated)
    for (size_t i = 0; i < 5; i++)
      for (lfb_strategy_id strategy : {LFB_GUAVA_MITZ32, LFB_GUAVA_MITZ64}) {
        SCOPED_TRACE(testing::Message() << "n=" << kInsertions[i] << " p=" << row.fpp);
        expect_created(Config(kInsertions[i], row.fpp, strategy), row.made[i]);
      }
}

// Java's array of words ends at 2^31 - 1 words: 137,438,953,408 bits.
TEST(Create, EndsWhereGuavaEnds) {
  const struct {
    double fpp;
    uint64_t last;  // the largest n that Guava makes
  } rows[] = {{0.5, 95265423054}, {0.01, 14338874944}, {0.03, 18831275948}};
  lfb_stats stats;
  for (const auto& row : rows) {
    lfb_config config = Config(row.last, row.fpp);
    ASSERT_EQ(lfb_config_plan(&config, &stats), LFB_OK);
    EXPECT_EQ(stats.bit_count, UINT64_C(137438953408));
    config.expected_insertions++;
    EXPECT_EQ(lfb_config_plan(&config, &stats), LFB_ERROR_TOO_MANY_BITS);
  }
  const lfb_config saturates = Config(INT64_MAX, 0.03);
  EXPECT_EQ(lfb_config_plan(&saturates, &stats), LFB_ERROR_TOO_MANY_BITS);
  const lfb_config high = Config(INT64_MAX, 0.99);
  EXPECT_EQ(lfb_config_plan(&high, &stats), LFB_ERROR_TOO_MANY_BITS);
  // The size is checked before the number of probes.
  const lfb_config both = Config(INT32_MAX, std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(lfb_config_plan(&both, &stats), LFB_ERROR_TOO_MANY_BITS);
}

// The values of n up to 200,000 for which the formula of k up to 31.1 differs from the current
// one, which depends only on the probability.
const struct {
  double fpp;
  uint32_t current;
  std::map<uint64_t, uint32_t> older;  // n -> k up to 31.1, where it differs
} kProbes[] = {
    {0.5, 1, {}},
    {0.4, 1, {}},
    {0.3, 2, {{1, 1}}},
    {0.25, 2, {{1, 1}}},
    {0.2, 2, {}},
    {0.15, 3, {{1, 2}, {2, 2}}},
    {0.1, 3, {}},
    {0.05, 4, {}},
    {0.03, 5, {}},
    {0.02, 6, {}},
    {0.01, 7, {{1, 6}, {3, 6}}},
    {0.005, 8, {}},
    {0.001, 10, {}},
    {1e-4, 13, {}},
    {1e-5, 17, {{1, 16}, {2, 16}, {3, 16}, {4, 16}, {5, 16}}},
    {1e-6, 20, {{1, 19}}},
    {1e-7, 23, {}},
    {1e-8, 27, {{1, 26}, {2, 26}, {5, 26}}},
    {1e-9, 30, {}},
    {1e-10, 33, {}},
    {1e-12, 40, {}},
    {1e-15, 50, {{1, 49}}},
    {1e-20, 66, {}},
};

uint32_t planned_probes(lfb_config config, lfb_probes_formula formula) {
  lfb_stats stats;
  config.probes_formula = formula;
  return lfb_config_plan(&config, &stats) == LFB_OK ? stats.probes : 0;
}

TEST(Create, BothFormulasOfProbes) {
  for (const auto& row : kProbes)
    for (uint64_t n = 1; n <= 200000; n++) {
      const lfb_config config = Config(n, row.fpp);
      const auto older = row.older.find(n);
      const uint32_t expected = older == row.older.end() ? row.current : older->second;
      ASSERT_EQ(planned_probes(config, LFB_PROBES_GUAVA_31), expected)
          << "n=" << n << " p=" << row.fpp;
      if (n <= 10 || n % 1000 == 0) {
        ASSERT_EQ(planned_probes(config, LFB_PROBES_GUAVA_CURRENT), row.current)
            << "n=" << n << " p=" << row.fpp;
      }
    }
}

// ---- the hash ----

const char kHashOfHell[] = "67f8103e694299624753ebba820bdb92";

uint64_t little_endian(const Bytes& bytes, size_t from) {
  uint64_t value = 0;
  for (size_t i = 8; i-- > 0;) value = value << 8 | bytes[from + i];
  return value;
}

// Puts a key into a filter of two probes and this many words. The bits set are h1 and h1 + h2,
// without their signs, modulo the filter's bits.
void expect_hash(const Bytes& key, const std::string& hash, uint64_t words) {
  Bytes form = {1, 2, 0, 0, static_cast<uint8_t>(words >> 8), static_cast<uint8_t>(words)};
  form.resize(6 + 8 * words);
  Source source{form, 0};
  Filter filter;
  ASSERT_EQ(read(&source, &filter), LFB_OK);
  EXPECT_TRUE(lfb_filter_put(filter.get(), key.data(), key.size()));
  const uint64_t h1 = little_endian(from_hex(hash), 0);
  const uint64_t h2 = little_endian(from_hex(hash), 8);
  for (uint64_t probe : {h1, h1 + h2}) {
    const uint64_t index = (probe & INT64_MAX) % (64 * words);
    form[6 + 8 * (index / 64) + 7 - index % 64 / 8] |= static_cast<uint8_t>(1U << index % 8);
  }
  EXPECT_TRUE(write(filter) == form) << "key " << to_hex(key) << ", " << words << " words";
}

// The moduli together determine all 63 bits that a probe depends on.
TEST(Hash, IsGuavasMurmur3) {
  Bytes key;
  for (uint64_t words : {4093, 4091, 4079, 4073, 4057}) {
    expect_hash({'h', 'e', 'l', 'l'}, kHashOfHell, words);
    key.clear();
    for (const char* hash : kMurmur128) {
      expect_hash(key, hash, words);
      key.push_back(static_cast<uint8_t>(0xc8 + 0x25 * key.size()));
    }
  }
  EXPECT_EQ(key.size(), 49U);
}

// ---- readFrom ----

TEST(Read, TakesWhatGuavaTakes) {
  const struct {
    const char* form;
    uint32_t probes;
    uint64_t bits_set;
    uint64_t count;
    double fpp;
    size_t left;
  } rows[] = {
      {"0105000000010000000000000000", 5, 0, 0, 0.0, 0},
      {"0005000000010000000000000001", 5, 1, 0, 9.313225746154785e-10, 0},
      {"01ff000000010000000000000000", 255, 0, 0, 0.0, 0},
      {"010500000001000000000000000fdeadbeef", 5, 4, 1, 9.5367431640625e-7, 4},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.form);
    Source source{from_hex(row.form), 0};
    Filter filter;
    ASSERT_EQ(read(&source, &filter), LFB_OK);
    const lfb_stats stats = Stats(filter);
    EXPECT_EQ(stats.bit_count, 64U);
    EXPECT_EQ(stats.probes, row.probes);
    EXPECT_EQ(stats.strategy, row.form[1] == '0' ? LFB_GUAVA_MITZ32 : LFB_GUAVA_MITZ64);
    EXPECT_EQ(stats.form, LFB_FORM_GUAVA);
    EXPECT_EQ(stats.bits_set, row.bits_set);
    EXPECT_EQ(stats.approximate_count, row.count);
    expect_guavas_fpp(stats, row.fpp);
    EXPECT_EQ(source.bytes.size() - source.at, row.left);
    EXPECT_EQ(to_hex(write(filter)), std::string(row.form, 28));
  }
}

// ---- writeTo ----

// The final state of a filter of n = 10, p = .01. `put` puts the same keys as the Java side.
template <typename Put>
void expect_form(lfb_strategy_id strategy, Put put, double fpp, uint64_t count,
                 const std::string& form) {
  SCOPED_TRACE(form);
  const Filter filter = Make(Config(10, 0.01, strategy));
  put(filter.get());
  const lfb_stats stats = Stats(filter);
  EXPECT_EQ(stats.bit_count, 128U);
  EXPECT_EQ(stats.probes, 7U);
  EXPECT_EQ(stats.approximate_count, count);
  expect_guavas_fpp(stats, fpp);
  EXPECT_EQ(to_hex(write(filter)), form);
  Source source{from_hex(form), 0};
  Filter theirs;
  ASSERT_EQ(read(&source, &theirs), LFB_OK);
  EXPECT_EQ(to_hex(write(theirs)), form);
  EXPECT_EQ(Stats(theirs).bits_set, stats.bits_set);
}

TEST(Write, BytesAreGuavas) {
  const auto put = [](lfb_filter* filter) {
    for (const std::string key : {"a", "b", "hello"})
      EXPECT_TRUE(lfb_filter_put(filter, key.data(), key.size()));
  };
  expect_form(LFB_GUAVA_MITZ64, put, 3.1993759481707684e-6, 3,
              "01070000000220100220098402048802405800802801");
  expect_form(LFB_GUAVA_MITZ32, put, 2.2737367544323206e-6, 3,
              "0007000000020038000221800082200840980008c0a0");
}

TEST(Write, NumbersAreGuavas) {
  expect_form(
      LFB_GUAVA_MITZ64,
      [](lfb_filter* filter) {
        for (int32_t i = 0; i < 5; i++)
          EXPECT_TRUE(lfb_filter_put_object(filter, lfb_funnel_i32, &i));
      },
      3.884892407768348e-5, 5, "01070000000258183804c100cc194423000d48000200");
  expect_form(
      LFB_GUAVA_MITZ64,
      [](lfb_filter* filter) {
        for (uint64_t i = 0; i < 5; i++) EXPECT_TRUE(lfb_filter_put_u64(filter, i));
      },
      3.884892407768348e-5, 5, "01070000000250800104228810400007e12610412e22");
}

// One text through two funnels, and one sequence of ints.
TEST(Write, TextAndSequencesAreGuavas) {
  const std::vector<uint16_t> text = {'h', 0xe9, 'l', 'l', 'o'};
  const lfb_utf16 view{text.data(), text.size()};
  const double fpp = 1.4629062405902005e-9;
  const auto put = [&view](lfb_funnel funnel) {
    return [&view, funnel](lfb_filter* filter) {
      EXPECT_TRUE(lfb_filter_put_object(filter, funnel, &view));
    };
  };
  expect_form(LFB_GUAVA_MITZ64, put(lfb_funnel_utf16), fpp, 1,
              "01070000000200200004000080001000020008000100");
  expect_form(LFB_GUAVA_MITZ64, put(lfb_funnel_utf16_as_utf8), fpp, 1,
              "01070000000200000108421084000000000000000000");
  expect_form(
      LFB_GUAVA_MITZ64,
      [](lfb_filter* filter) {
        const int32_t numbers[] = {1, 2, 3};
        const lfb_sequence sequence{numbers, 3, sizeof(int32_t), lfb_funnel_i32};
        EXPECT_TRUE(lfb_filter_put_object(filter, lfb_funnel_sequence, &sequence));
      },
      fpp, 1, "0107000000020aa00000000000000540000000000000");
}

// ---- known false positives: Guava's own BloomFilterTest ----

// Puts the decimal text of the even numbers below 2,000,000, and queries the odd ones.
template <typename Put, typename Ask>
void expect_false_positives(lfb_strategy_id strategy, uint64_t expected, Put put, Ask ask) {
  const Filter filter = Make(Config(1000000, 0.03, strategy));
  EXPECT_EQ(Stats(filter).bit_count, 7298496U);
  EXPECT_EQ(Stats(filter).probes, 5U);
  for (int i = 0; i < 2000000; i += 2) put(filter.get(), std::to_string(i));
  uint64_t missing = 0, found = 0;
  for (int i = 0; i < 2000000; i += 2) missing += !ask(filter.get(), std::to_string(i));
  for (int i = 1; i < 2000000; i += 2) found += ask(filter.get(), std::to_string(i));
  EXPECT_EQ(missing, 0U);
  EXPECT_EQ(found, expected);
}

bool put_chars(lfb_filter* filter, const std::string& text) {
  const std::vector<uint16_t> units(text.begin(), text.end());
  const lfb_utf16 view{units.data(), units.size()};
  return lfb_filter_put_object(filter, lfb_funnel_utf16, &view);
}

bool ask_chars(const lfb_filter* filter, const std::string& text) {
  const std::vector<uint16_t> units(text.begin(), text.end());
  const lfb_utf16 view{units.data(), units.size()};
  return lfb_filter_might_contain_object(filter, lfb_funnel_utf16, &view);
}

TEST(FalsePositives, AreAsManyAsGuavas) {
  expect_false_positives(LFB_GUAVA_MITZ32, 29824, put_chars, ask_chars);
  expect_false_positives(LFB_GUAVA_MITZ64, 30104, put_chars, ask_chars);
  expect_false_positives(
      LFB_GUAVA_MITZ64, 29763,
      [](lfb_filter* filter, const std::string& text) {
        return lfb_filter_put(filter, text.data(), text.size());
      },
      [](const lfb_filter* filter, const std::string& text) {
        return lfb_filter_might_contain(filter, text.data(), text.size());
      });
}

}  // namespace
