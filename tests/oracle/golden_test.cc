// golden_test.cc - results of Guava 31.1 on OpenJDK 17, as facts. Needs no Java. guava_test has
// random cases.
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "tests/support/streams.h"

namespace {

std::string from_hex(const std::string& text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoul(text.substr(i, 2), nullptr, 16)));
  return bytes;
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
  EXPECT_EQ(Bytes(filter, LFB_FORM_GUAVA), from_hex(form));
  Filter theirs;
  ASSERT_EQ(ReadFrom({from_hex(form), 1}, &theirs), LFB_OK);
  EXPECT_EQ(Bytes(theirs, LFB_FORM_GUAVA), from_hex(form));
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
