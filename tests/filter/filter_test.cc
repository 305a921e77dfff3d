// The filter on one thread: every way of putting and asking, for every strategy.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>

#include "tests/support/one_by_one.h"
#include "tests/support/race.h"
#include "tests/support/skip.h"
#include "tests/support/streams.h"
#include "tests/support/variants.h"

namespace {

class EveryStrategy : public testing::TestWithParam<lfb_strategy_id> {};
INSTANTIATE_TEST_SUITE_P(All, EveryStrategy, testing::ValuesIn(AllStrategies()),
                         StrategyTestName);

std::string Key(uint64_t i) { return "key-" + std::to_string(i); }

TEST_P(EveryStrategy, FindsWhatWasPutAndLittleElse) {
  constexpr uint64_t n = 20000;
  const Filter filter = Make(n, 0.01, GetParam());
  for (uint64_t i = 0; i < n; i++) {
    const bool before = Has(filter, Key(i));
    EXPECT_EQ(Put(filter, Key(i)), !before);
    EXPECT_TRUE(Has(filter, Key(i)));
  }
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < n; i++) {
    EXPECT_TRUE(Has(filter, Key(i)));
    EXPECT_FALSE(Put(filter, Key(i))) << "all its bits were on";
    wrong += Has(filter, Key(n + i));
  }
  EXPECT_LT(wrong, n / 50);
  const lfb_stats stats = Stats(filter);
  EXPECT_NEAR(static_cast<double>(stats.approximate_count), n, n * 0.02);
}

// The count is that of the bits, after every put.
TEST_P(EveryStrategy, CountsItsBits) {
  const Filter filter = Make(300, 0.03, GetParam());
  uint64_t before = 0;
  double fpp = 0;
  for (uint64_t i = 0; i < 300; i++) {
    const bool changed = Put(filter, Key(i));
    const lfb_stats stats = Stats(filter);
    EXPECT_EQ(stats.bits_set > before, changed);
    EXPECT_LE(stats.bits_set - before, stats.probes);
    EXPECT_EQ(stats.expected_fpp > fpp, changed);
    before = stats.bits_set;
    fpp = stats.expected_fpp;
  }
}

TEST_P(EveryStrategy, ManyAnswersAsOneByOne) {
  constexpr size_t n = 3000;  // several pieces, the last of odd size
  const Filter one = Make(n, 0.02, GetParam()), many = Make(n, 0.02, GetParam());
  std::vector<std::string> texts;
  for (size_t i = 0; i < n + 37; i++) texts.push_back(Key(Mix(7, i) % n));  // some occur twice
  std::vector<lfb_key> keys;
  for (const std::string& text : texts) keys.push_back({text.data(), text.size()});

  for (size_t count : {size_t{0}, size_t{1}, size_t{63}, size_t{64}, size_t{65}, size_t{512},
                       size_t{513}, keys.size()}) {
    ExpectAsOneByOne(
        count,
        [&](uint64_t* a) { return lfb_filter_put_many(many.get(), keys.data(), count, a); },
        [&](size_t i) { return Put(one, texts[i]); });
  }
  EXPECT_EQ(Stats(one).bits_set, Stats(many).bits_set);

  std::vector<uint64_t> answers((keys.size() + 63) / 64);
  for (size_t i = 0; i < keys.size(); i += 2) texts[i] += "-absent",
                  keys[i] = {texts[i].data(), texts[i].size()};
  const size_t yes =
      lfb_filter_might_contain_many(many.get(), keys.data(), keys.size(), answers.data());
  size_t expected = 0;
  for (size_t i = 0; i < keys.size(); i++) {
    expected += Has(one, texts[i]);
    ASSERT_EQ(answers[i / 64] >> (i % 64) & 1, Has(one, texts[i])) << i;
  }
  EXPECT_EQ(yes, expected);
  EXPECT_EQ(lfb_filter_might_contain_many(many.get(), keys.data(), keys.size(), nullptr), yes);
}

TEST_P(EveryStrategy, ManyIntegersAndHashesAsOneByOne) {
  constexpr size_t n = 700;
  std::vector<uint64_t> keys;
  for (size_t i = 0; i < n; i++) keys.push_back(Mix(3, i % 600));
  const Filter one = Make(n, 0.05, GetParam()), many = Make(n, 0.05, GetParam());
  size_t changed = 0;
  for (uint64_t key : keys) changed += lfb_filter_put_u64(one.get(), key);
  EXPECT_EQ(lfb_filter_put_many_u64(many.get(), keys.data(), n, nullptr), changed);
  changed = 0;
  for (uint64_t key : keys) changed += lfb_filter_put_hash(one.get(), ~key);
  for (uint64_t& key : keys) key = ~key;
  EXPECT_EQ(lfb_filter_put_many_hash(many.get(), keys.data(), n, nullptr), changed);
  EXPECT_EQ(Stats(one).bits_set, Stats(many).bits_set);
  EXPECT_EQ(lfb_filter_might_contain_many_hash(many.get(), keys.data(), n, nullptr), n);
  size_t found = 0;
  for (uint64_t key : keys) {
    EXPECT_TRUE(lfb_filter_might_contain_hash(one.get(), key));
    found += lfb_filter_might_contain_u64(one.get(), key);
  }
  EXPECT_EQ(lfb_filter_might_contain_many_u64(many.get(), keys.data(), n, nullptr), found);
}

// Turns of many keys in which none, some, most or all are present, so that puts begin and end to
// query first: bloom/filter/many.c.
TEST_P(EveryStrategy, ManyKnownKeysAsOneByOne) {
  constexpr size_t turn = 1024, n = 16 * turn + 100;
  std::vector<uint64_t> hashes;
  uint64_t fresh = 0;
  for (size_t i = 0; i < n; i++) {
    // How many of 16 are new.
    const size_t in16 = std::array<size_t, 8>{16, 0, 1, 0, 4, 5, 16, 2}[i / turn % 8];
    const bool is_new = i < turn || Mix(5, i) % 16 < in16;
    const uint64_t number = is_new ? fresh++ : Mix(6, i) % fresh;
    hashes.push_back(Mix(7, number));
  }
  for (const bool pieces : {false, true}) {  // in one call, and in calls that begin anywhere
    const Filter one = Make(n, 0.001, GetParam()), many = Make(n, 0.001, GetParam());
    for (size_t from = 0, count; from < n; from += count) {
      count = pieces ? std::min<size_t>(n - from, 1 + Mix(8, from) % 3000) : n;
      std::vector<uint64_t> answers((count + 63) / 64);
      size_t expected = 0;
      const size_t yes =
          lfb_filter_put_many_hash(many.get(), hashes.data() + from, count, answers.data());
      for (size_t i = 0; i < count; i++) {
        const bool wanted = lfb_filter_put_hash(one.get(), hashes[from + i]);
        expected += wanted;
        ASSERT_EQ(answers[i / 64] >> (i % 64) & 1, wanted) << from << " + " << i;
      }
      EXPECT_EQ(yes, expected);
    }
    EXPECT_EQ(Stats(one).bits_set, Stats(many).bits_set);
  }
}

struct Person {
  int32_t id;
  std::string name;
  int64_t born;
};

void PersonFunnel(const void* object, lfb_sink* sink) {
  const Person* person = static_cast<const Person*>(object);
  lfb_sink_put_i32(sink, person->id);
  lfb_sink_put_bytes(sink, person->name.data(), person->name.size());
  lfb_sink_put_i64(sink, person->born);
}

// An object through its funnel is the concatenation of its fields' bytes.
TEST_P(EveryStrategy, ObjectsAreTheirBytes) {
  const Filter filter = Make(100, 0.001, GetParam());
  const Person ada{0x01020304, "Ada Lovelace, Countess", -2};
  EXPECT_TRUE(lfb_filter_put_object(filter.get(), PersonFunnel, &ada));
  const std::string bytes = std::string("\4\3\2\1", 4) + ada.name +
                            "\xfe\xff\xff\xff\xff\xff\xff\xff";
  EXPECT_TRUE(Has(filter, bytes));
  EXPECT_FALSE(Put(filter, bytes));
  const Person bob{0x01020304, "Bob", -2};
  EXPECT_FALSE(lfb_filter_might_contain_object(filter.get(), PersonFunnel, &bob));
}

std::vector<uint64_t> WordsOf(const Filter& filter) {
  std::vector<uint64_t> words(Stats(filter).bytes / 8);
  EXPECT_EQ(lfb_filter_words(filter.get(), 0, words.data(), words.size()), words.size());
  return words;
}

TEST_P(EveryStrategy, WordsHaveTheBits) {
  const Filter filter = Make(5000, 0.01, GetParam());
  for (uint64_t i = 0; i < 3000; i++) Put(filter, Key(i));
  const std::vector<uint64_t> words = WordsOf(filter);
  uint64_t set = 0;
  for (uint64_t i = 0; i < words.size(); i++) {
    ASSERT_EQ(words[i], lfb_bit_array_word(&filter->layout.bits, i));
    set += lfb_word_count(words[i]);
  }
  EXPECT_EQ(set, Stats(filter).bits_set);
  uint64_t some[5] = {1, 1, 1, 1, 1};
  EXPECT_EQ(lfb_filter_words(filter.get(), 7, some, 3), 3u);
  EXPECT_TRUE(std::equal(some, some + 3, words.begin() + 7));
  EXPECT_EQ(some[3], 1u);
  EXPECT_EQ(lfb_filter_words(filter.get(), words.size() - 2, some, 4), 2u) << "up to the end";
  EXPECT_TRUE(std::equal(some, some + 2, words.end() - 2));
  EXPECT_EQ(some[2], words[9]) << "written beyond the end";
  EXPECT_EQ(lfb_filter_words(filter.get(), words.size(), some, 4), 0u);
  EXPECT_EQ(lfb_filter_words(filter.get(), UINT64_MAX, some, 4), 0u);
  EXPECT_EQ(lfb_filter_words(filter.get(), 0, some, 0), 0u);
}

void Append(void* to, const void* bytes, size_t size) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), size);
}

// Puts a text in pieces of up to 300 bytes: some fit into a sink, some do not.
void InPieces(const void* object, lfb_sink* sink) {
  const std::string& text = *static_cast<const std::string*>(object);
  for (size_t at = 0, piece = 0; at < text.size(); at += piece, piece = (piece * 3 + 7) % 300)
    lfb_sink_put_bytes(sink, text.data() + at, std::min(piece, text.size() - at));
}

TEST(ObjectBytes, AreWhatTheFunnelPuts) {
  for (size_t size : {0, 1, 63, 64, 127, 128, 129, 192, 193, 256, 1000, 5000}) {
    std::string text(size, '\0'), passed;
    for (size_t i = 0; i < size; i++) text[i] = static_cast<char>(Mix(31, i));
    lfb_object_bytes(InPieces, &text, Append, &passed);
    EXPECT_EQ(passed, text) << size;
  }
  const Person ada{0x01020304, "Ada", -2};
  std::string passed = "before ";
  lfb_object_bytes(PersonFunnel, &ada, Append, &passed);
  EXPECT_EQ(passed, std::string("before \4\3\2\1Ada\xfe\xff\xff\xff\xff\xff\xff\xff", 22));
}

TEST_P(EveryStrategy, CopyIsEqualAndApart) {
  const Filter filter = Make(1000, 0.01, GetParam());
  for (uint64_t i = 0; i < 500; i++) Put(filter, Key(i));
  const Filter copy = Made<Filter>(lfb_filter_copy, filter.get());
  EXPECT_EQ(Stats(copy).bits_set, Stats(filter).bits_set);
  for (uint64_t i = 0; i < 2000; i++) EXPECT_EQ(Has(copy, Key(i)), Has(filter, Key(i)));
  Put(copy, "only in the copy");
  EXPECT_NE(Stats(copy).bits_set, Stats(filter).bits_set);
}

TEST_P(EveryStrategy, PutAllUnites) {
  const Filter into = Make(1000, 0.01, GetParam()), from = Make(1000, 0.01, GetParam());
  const Filter both = Make(1000, 0.01, GetParam());
  for (uint64_t i = 0; i < 500; i++) Put(i % 3 ? into : from, Key(i)), Put(both, Key(i));
  ASSERT_EQ(lfb_filter_put_all(into.get(), from.get()), LFB_OK);
  EXPECT_EQ(Stats(into).bits_set, Stats(both).bits_set);
  for (uint64_t i = 0; i < 500; i++) EXPECT_TRUE(Has(into, Key(i)));
}

// The vector variants of a strategy, and its code for one key at a time, give the same answers
// and bits: for sizes around powers of two and any number of probes.
class Variants : public testing::TestWithParam<std::tuple<lfb_strategy_id, lfb_simd>> {};
INSTANTIATE_TEST_SUITE_P(All, Variants,
                         testing::Combine(testing::ValuesIn(AllStrategies()),
                                          testing::ValuesIn(SimdLevels())));

TEST_P(Variants, VectorsAndScalarsAgree) {
  const auto [strategy, most] = GetParam();
  for (uint64_t n : {1, 7, 100, 1366, 1367, 3001, 20011, 54321})
    for (double fpp : {0.3, 0.05, 0.01, 0.003, 1e-4, 1e-7, 1e-15}) {
      const lfb_config config = Config(n, fpp, strategy);
      lfb_stats plan{};
      if (lfb_config_plan(&config, &plan) != LFB_OK || plan.bytes > 1 << 21) continue;
      const Filter scalar = MakeUpTo(LFB_SIMD_NONE, config);
      const Filter vector = MakeUpTo(most, config), many = MakeUpTo(most, config);
      std::vector<uint64_t> keys;
      for (uint64_t i = 0; i < std::min<uint64_t>(n, 500) + 20; i++) keys.push_back(Mix(n, i));
      for (uint64_t key : keys) {
        const std::string text = std::to_string(key);
        ASSERT_EQ(Put(scalar, text), Put(vector, text)) << n << " " << fpp;
        ASSERT_EQ(lfb_filter_put_u64(scalar.get(), key), lfb_filter_put_u64(vector.get(), key));
        ASSERT_EQ(lfb_filter_put_hash(scalar.get(), ~key), lfb_filter_put_hash(vector.get(), ~key));
        Put(many, text);
        lfb_filter_put_hash(many.get(), ~key);
      }
      lfb_filter_put_many_u64(many.get(), keys.data(), keys.size(), nullptr);
      for (uint64_t i = 0; i < 300; i++) {
        ASSERT_EQ(Has(scalar, Key(i)), Has(vector, Key(i)));
        ASSERT_EQ(lfb_filter_might_contain_u64(scalar.get(), i),
                  lfb_filter_might_contain_u64(vector.get(), i));
      }
      const std::string bytes = Bytes(scalar, LFB_FORM_NATIVE).substr(256);
      EXPECT_EQ(bytes, Bytes(vector, LFB_FORM_NATIVE).substr(256)) << n << " " << fpp;
      EXPECT_EQ(bytes, Bytes(many, LFB_FORM_NATIVE).substr(256)) << n << " " << fpp;
      EXPECT_EQ(Stats(scalar).bits_set, Stats(vector).bits_set);
      EXPECT_EQ(Stats(scalar).bits_set, Stats(many).bits_set);
    }
}

// The vector remainder at the values where an error is most likely. A hash is its own first
// probe, so the test puts hashes around the multiples of the filter's size.
TEST(Filter, VectorRemaindersAtTheEdges) {
  for (uint64_t n : {1710, 3419, 6838, 10000, 99999, 1000003}) {
    const lfb_config config = Config(n, 0.01, LFB_GUAVA_MITZ64);
    const Filter scalar = MakeUpTo(LFB_SIMD_NONE, config);
    const Filter vector = MakeUpTo(lfb_simd_best(), config);
    const uint64_t m = Stats(scalar).bit_count, most = INT64_MAX / m;
    for (uint64_t i = 0; i < 3000; i++) {
      const uint64_t quotient = i < 1000 ? most - i : i < 2000 ? Mix(n, i) % most : i;
      for (uint64_t off : {uint64_t{0}, uint64_t{1}, m - 1}) {
        const uint64_t hash = quotient * m - 1 + off;
        ASSERT_EQ(lfb_filter_put_hash(scalar.get(), hash), lfb_filter_put_hash(vector.get(), hash));
      }
    }
    EXPECT_EQ(Bytes(scalar), Bytes(vector)) << n;
  }
}

TEST(Filter, Utf16AsUtf8HasAQuestionMarkForHalfAPair) {
  const Filter filter = Make(100, 0.001);
  const uint16_t units[] = {'a', 0xe9, 0x20ac, 0xd83d, 0xde00, 0xd83d, 'z', 0xde00, 0xd83d};
  const lfb_utf16 text{units, 9};
  lfb_filter_put_object(filter.get(), lfb_funnel_utf16_as_utf8, &text);
  EXPECT_TRUE(Has(filter, "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80?z??"));
  lfb_filter_put_object(filter.get(), lfb_funnel_utf16, &text);
  EXPECT_TRUE(Has(filter,
                  std::string("a\0\xe9\0\xac\x20\x3d\xd8\0\xde\x3d\xd8z\0\0\xde\x3d\xd8", 18)));
  // Where the number of bytes changes, and around the halves.
  const uint16_t bounds[] = {0x7f,   0x80,   0x7ff,  0x800,  0xd7ff, 0xe000,
                             0xffff, 0xd800, 0xdc00, 0xdbff, 0xdfff};
  const lfb_utf16 at_bounds{bounds, 11};
  lfb_filter_put_object(filter.get(), lfb_funnel_utf16_as_utf8, &at_bounds);
  EXPECT_TRUE(Has(filter, "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf"
                          "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"));
}

TEST(Filter, SequencesAreConcatenated) {
  const Filter filter = Make(100, 0.001);
  const int32_t numbers[] = {1, 2, 3};
  const lfb_sequence sequence{numbers, 3, sizeof(int32_t), lfb_funnel_i32};
  lfb_filter_put_object(filter.get(), lfb_funnel_sequence, &sequence);
  EXPECT_TRUE(Has(filter, std::string("\1\0\0\0\2\0\0\0\3\0\0\0", 12)));
}

TEST(Filter, TheEmptyKeyIsAKey) {
  for (lfb_strategy_id strategy : AllStrategies()) {
    const Filter filter = Make(100, 0.01, strategy);
    EXPECT_FALSE(lfb_filter_might_contain(filter.get(), nullptr, 0));
    EXPECT_TRUE(lfb_filter_put(filter.get(), nullptr, 0));
    EXPECT_TRUE(lfb_filter_might_contain(filter.get(), "", 0));
  }
}

struct Refusal {
  uint64_t n;
  double fpp;
  lfb_status status;
};

TEST(Filter, RefusesWhatCannotBe) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const Refusal refusals[] = {
      {1000, 0.0, LFB_ERROR_FPP_TOO_LOW},       {1000, -0.0, LFB_ERROR_FPP_TOO_LOW},
      {1000, -1.0, LFB_ERROR_FPP_TOO_LOW},      {1000, nan, LFB_ERROR_FPP_TOO_LOW},
      {1000, -inf, LFB_ERROR_FPP_TOO_LOW},      {1000, 1.0, LFB_ERROR_FPP_TOO_HIGH},
      {1000, 2.0, LFB_ERROR_FPP_TOO_HIGH},      {1000, inf, LFB_ERROR_FPP_TOO_HIGH},
      {1, 0.9, LFB_ERROR_NO_BITS},              {0, 0.9, LFB_ERROR_NO_BITS},
      {1, 1e-77, LFB_ERROR_TOO_MANY_PROBES},    {UINT64_MAX, 0.01, LFB_ERROR_TOO_MANY_BITS},
      {INT64_MAX, 0.99, LFB_ERROR_TOO_MANY_BITS}, {UINT64_MAX, 5e-324, LFB_ERROR_TOO_MANY_BITS},
      {5'000'000'000'000, 0.01, LFB_ERROR_TOO_MANY_BITS},
  };
  for (const Refusal& refusal : refusals) {
    const lfb_config config = Config(refusal.n, refusal.fpp);
    lfb_filter* filter = nullptr;
    lfb_stats stats{};
    stats.probes = 77;
    EXPECT_EQ(lfb_filter_create(&config, &filter),
              refusal.status) << refusal.n << " " << refusal.fpp;
    EXPECT_EQ(filter, nullptr);
    EXPECT_EQ(lfb_config_plan(&config, &stats), refusal.status);
    EXPECT_EQ(stats.probes, 77u) << "a failure changed its output";
  }
}

TEST(Filter, RefusesUnknownStrategiesFormulasAndSeeds) {
  lfb_filter* filter = nullptr;
  lfb_config config = Config(10, 0.01, static_cast<lfb_strategy_id>(99));
  EXPECT_EQ(lfb_filter_create(&config, &filter), LFB_ERROR_UNKNOWN_STRATEGY);
  config = Config(10, 0.01, LFB_GUAVA_MITZ32);
  config.probes_formula = static_cast<lfb_probes_formula>(9);
  EXPECT_EQ(lfb_filter_create(&config, &filter), LFB_ERROR_UNKNOWN_FORMULA);
  config = Config(10, 0.01, LFB_GUAVA_MITZ32);
  config.seed = 1;
  EXPECT_EQ(lfb_filter_create(&config, &filter), LFB_ERROR_UNKNOWN_HASH);
  config = Config(10, 0.01, LFB_GUAVA_MITZ64);
  config.hash = LFB_HASH_SIPHASH13;
  EXPECT_EQ(lfb_filter_create(&config, &filter), LFB_ERROR_UNKNOWN_HASH);
  config = Config(10, 0.01, LFB_FAST);
  config.hash = static_cast<lfb_hash_id>(9);
  EXPECT_EQ(lfb_filter_create(&config, &filter), LFB_ERROR_UNKNOWN_HASH);
  config = Config(10, 0.01, LFB_FAST);
  config.key[3] = 1;  // a key without a keyed hash
  EXPECT_EQ(lfb_filter_create(&config, &filter), LFB_ERROR_UNKNOWN_HASH);
  for (lfb_strategy_id strategy : {LFB_DEFAULT, LFB_FAST, LFB_FAST_PAIR, LFB_SBBF}) {
    config = Config(10, 0.01, strategy);
    config.memory_preference = static_cast<lfb_memory_preference>(9);
    const lfb_status status = lfb_filter_create(&config, &filter);
    EXPECT_TRUE(status == LFB_ERROR_UNKNOWN_PREFERENCE || status == LFB_ERROR_NO_PAIRS) << strategy;
  }
  EXPECT_EQ(filter, nullptr);
}

TEST(Filter, PutAllRefusesInGuavasOrder) {
  const Filter base = Make(1000, 0.01);
  EXPECT_EQ(lfb_filter_put_all(base.get(), base.get()), LFB_ERROR_SAME_FILTER);
  // Probes, bit count and strategy all differ: the status names the probes.
  EXPECT_EQ(lfb_filter_put_all(base.get(), Make(10, 0.1, LFB_GUAVA_MITZ32).get()),
            LFB_ERROR_PROBES_DIFFER);
  EXPECT_EQ(lfb_filter_put_all(base.get(), Make(2010, 0.01, LFB_GUAVA_MITZ32).get()),
            LFB_ERROR_BIT_COUNT_DIFFERS);
  EXPECT_EQ(lfb_filter_put_all(base.get(), Make(1000, 0.01, LFB_GUAVA_MITZ32).get()),
            LFB_ERROR_STRATEGY_DIFFERS);
  lfb_config seeded = Config(1000, 0.01, LFB_JAVA_DOUBLE);
  const Filter first = Make(seeded);
  seeded.seed = 9;
  EXPECT_EQ(lfb_filter_put_all(first.get(), Make(seeded).get()), LFB_ERROR_HASH_DIFFERS);
}

// n = 3, p = 0.01: 6 probes up to Guava 31.1, 7 since. The status names this cause, even if one
// of the two filters comes from a file that does not record n and p.
TEST(Filter, PutAllNamesGuavasChangeOfFormula) {
  lfb_config config = Config(3, 0.01);
  const Filter before = Make(config);
  config.probes_formula = LFB_PROBES_GUAVA_CURRENT;
  const Filter since = Make(config);
  EXPECT_EQ(Stats(before).probes, 6u);
  EXPECT_EQ(Stats(since).probes, 7u);
  EXPECT_EQ(lfb_filter_put_all(before.get(), since.get()), LFB_ERROR_PROBES_DIFFER_BY_FORMULA);
  EXPECT_EQ(lfb_filter_put_all(since.get(), before.get()), LFB_ERROR_PROBES_DIFFER_BY_FORMULA);
}

TEST(Filter, SaturatesToCertaintyOfNothing) {
  const Filter filter = Make(1, 0.5);  // one word, one probe
  for (uint64_t i = 0; i < 2000; i++) lfb_filter_put_u64(filter.get(), i);
  const lfb_stats stats = Stats(filter);
  EXPECT_EQ(stats.bits_set, 64u);
  EXPECT_TRUE(stats.saturated);
  EXPECT_EQ(stats.approximate_count, UINT64_MAX);
  EXPECT_EQ(stats.expected_fpp, 1.0);
  EXPECT_TRUE(Has(filter, "anything"));
}

// With more than 2^32 bits, keys reach all of them (lazily backed: only touched pages exist).
// mitz32 reports that it reaches fewer.
TEST(Filter, MoreThan32BitsOfBits) {
  lfb_config config = Config(600'000'000, 0.01);
  config.lazy_memory = true;
  const Filter filter = Make(config);
  lfb_stats stats = Stats(filter);
  EXPECT_EQ(stats.bit_count, 5751035072u);
  EXPECT_EQ(stats.reachable_bits, stats.bit_count);
  for (uint64_t i = 0; i < 2000; i++) EXPECT_TRUE(lfb_filter_put_u64(filter.get(), i));
  for (uint64_t i = 0; i < 2000; i++) EXPECT_TRUE(lfb_filter_might_contain_u64(filter.get(), i));
  EXPECT_NEAR(static_cast<double>(Stats(filter).bits_set), 7 * 2000, 3);

  config = Config(600'000'000, 0.01, LFB_GUAVA_MITZ32);
  ASSERT_EQ(lfb_config_plan(&config, &stats), LFB_OK);
  EXPECT_EQ(stats.bit_count, 5751035072u);
  EXPECT_EQ(stats.reachable_bits, uint64_t{1} << 31);
}

// The pages of the process, in bytes.
uint64_t Resident() {
  uint64_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// Seen to fail with a copy that stores every word.
TEST(Filter, ACopyOfALazyFilterTouchesWhatHasBits) {
  if (kUnderSanitizer) return NotHere("their own memory");
  lfb_config config = Config(400'000'000, 0.01, LFB_FAST);
  config.lazy_memory = true;
  const Filter filter = Make(config);
  for (uint64_t i = 0; i < 20; i++) lfb_filter_put_u64(filter.get(), i);
  const uint64_t before = Resident();
  lfb_filter* copy = nullptr;
  ASSERT_EQ(lfb_filter_copy(filter.get(), &copy), LFB_OK);
  const Filter kept(copy);
  EXPECT_LT(Resident(), before + (uint64_t{200} << 20)); // of 518 MiB
  for (uint64_t i = 0; i < 20; i++) EXPECT_TRUE(lfb_filter_might_contain_u64(copy, i));
  EXPECT_EQ(Stats(kept).bits_set, Stats(filter).bits_set);
}

TEST(Filter, NothingInIsNeverWrong) {
  double fpp = -1;
  const lfb_config one_bit = Config(1, 0.5, LFB_JAVA_DOUBLE);
  EXPECT_EQ(lfb_config_fpp_after(&one_bit, 0, &fpp), LFB_OK);
  EXPECT_EQ(fpp, 0.0);
}

// The model against measured mean rates of several fills.
TEST_P(EveryStrategy, TheModelHolds) {
  constexpr uint64_t n = 50000, asked = 200000;
  const lfb_config config = Config(n, 0.02, GetParam());
  const Filter filter = Make(config);
  uint64_t put = 0;
  for (uint64_t until : {n / 2, n, 2 * n}) {
    for (; put < until; put++) lfb_filter_put_u64(filter.get(), Mix(11, put));
    double model = 0;
    ASSERT_EQ(lfb_config_fpp_after(&config, until, &model), LFB_OK);
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < asked; i++)
      wrong += lfb_filter_might_contain_u64(filter.get(), Mix(12, i));
    const double expected = model * asked;
    EXPECT_NEAR(static_cast<double>(wrong), expected, 5 * std::sqrt(expected + 1) + 0.05 * expected)
        << "after " << until;
    // The rate from the bits, with the same tolerance. Seen to fail for go-fnv14 with the classic
    // formula, which predicts 0 false positives of 300.
    EXPECT_NEAR(static_cast<double>(wrong), Stats(filter).expected_fpp * asked,
                5 * std::sqrt(expected + 1) + 0.05 * expected)
        << "after " << until;
  }
}

// What double hashing adds, where the classic rate is 100 to 1e9 times less: some keys have fewer
// places than probes.  It is an estimate for four strategies that differ among themselves by a
// factor of 2.7. Seen to fail without it, and with a value that does not depend on the fill.
TEST(DoubleHashing, TheFiguresHold) {
  constexpr uint64_t n = 100, asked = 200'000, filters = 20;
  for (lfb_strategy_id strategy
       : {LFB_GUAVA_MITZ32, LFB_GUAVA_MITZ64, LFB_JAVA_DOUBLE, LFB_REDIS_MITZ32})
    for (uint64_t put : {n / 2, n, 3 * n / 2}) {
      const lfb_config config = Config(n, 1e-8, strategy);
      double after = 0, now = 0, wrong = 0;
      ASSERT_EQ(lfb_config_fpp_after(&config, put, &after), LFB_OK);
      for (uint64_t f = 0; f < filters; f++) {
        const Filter filter = Make(config);
        for (uint64_t i = 0; i < put; i++) lfb_filter_put_u64(filter.get(), Mix(f, i));
        for (uint64_t i = 0; i < asked; i++)
          wrong += lfb_filter_might_contain_u64(filter.get(), Mix(100 + f, i));
        now += Stats(filter).expected_fpp;
      }
      const double measured = wrong / static_cast<double>(asked * filters);
      EXPECT_NEAR(now / filters / after, 1, 0.1);
      EXPECT_GT(measured / after, 0.3) << lfb_strategy_name(strategy) << " " << put;
      EXPECT_LT(measured / after, 2.5) << lfb_strategy_name(strategy) << " " << put;
    }
  double empty = -1;
  const lfb_config config = Config(n, 1e-8, LFB_GUAVA_MITZ64);
  ASSERT_EQ(lfb_config_fpp_after(&config, 0, &empty), LFB_OK);
  EXPECT_EQ(empty, 0);
}

// go-fnv14 where both parts of its rate matter: keys that share their 25 bits with another key,
// and keys with bits that others turned on. Seen to fail, 0.157 for 0.237, with the classic
// formula of the bits, and by 15 % with the classic rate in addition to the 25 bits.
TEST(GoFnv14, TheFiguresHold) {
  constexpr uint64_t n = 5'000'000, asked = 200'000;
  const lfb_config config = Config(1, 0.5, LFB_GO_FNV14);
  const Filter filter = Make(config);
  for (uint64_t i = 0; i < n; i++) lfb_filter_put_u64(filter.get(), Mix(21, i));
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < asked; i++)
    wrong += lfb_filter_might_contain_u64(filter.get(), Mix(22, i));
  double after = 0;
  ASSERT_EQ(lfb_config_fpp_after(&config, n, &after), LFB_OK);
  const lfb_stats stats = Stats(filter);
  const double measured = static_cast<double>(wrong) / asked;  // its standard error: 0.4 %
  EXPECT_NEAR(stats.expected_fpp, measured, 0.03 * measured);
  EXPECT_NEAR(after, measured, 0.03 * measured);
  EXPECT_NEAR(static_cast<double>(stats.approximate_count), n, 0.01 * n);
}

// The words of a key of LFB_DEFAULT, which is `fast`, with 1000 keys.
uint32_t DefaultWords(double fpp, lfb_memory_preference preference = LFB_MEMORY_BALANCED) {
  lfb_config config = Config(1000, fpp, LFB_DEFAULT);
  config.memory_preference = preference;
  const lfb_stats made = Stats(Make(config));
  lfb_stats planned{};
  EXPECT_EQ(lfb_config_plan(&config, &planned), LFB_OK);
  for (const lfb_stats& stats : {made, planned}) EXPECT_EQ(stats.strategy, LFB_FAST);
  EXPECT_EQ(made.bit_count, planned.bit_count);
  EXPECT_EQ(made.words_per_key, planned.words_per_key);
  return made.words_per_key;
}

// One pair from 0.005 on, so that a put is a claim.
TEST(Default, IsFastWithThePairsOfItsFpp) {
  for (double fpp : {0.5, 0.01, 0.005}) EXPECT_EQ(DefaultWords(fpp), 2u) << fpp;
  for (double fpp : {0.0049, 0.001, 1e-4}) EXPECT_EQ(DefaultWords(fpp), 4u) << fpp;
  for (double fpp : {1e-5, 1e-9}) EXPECT_EQ(DefaultWords(fpp), 8u) << fpp;
  EXPECT_EQ(DefaultWords(0.01, LFB_MEMORY_SMALLEST), 4u);
  EXPECT_EQ(DefaultWords(0.001, LFB_MEMORY_SPEED), 2u);
}

// Its files and copies have the strategy that was chosen, so they merge with it.
TEST(Default, IsPassedOnAsTheOneChosen) {
  for (double fpp : {0.01, 0.001}) {
    const Filter filter = Make(Config(1000, fpp, LFB_DEFAULT));
    Put(filter, "apple");
    Filter loaded;
    ASSERT_EQ(ReadFrom({Bytes(filter, LFB_FORM_NATIVE)}, &loaded), LFB_OK);
    EXPECT_EQ(Stats(loaded).strategy, Stats(filter).strategy);
    EXPECT_TRUE(Has(loaded, "apple"));
    EXPECT_EQ(lfb_filter_put_all(filter.get(), loaded.get()), LFB_OK);
  }
  EXPECT_TRUE(lfb_form_holds(LFB_FORM_NATIVE, LFB_DEFAULT));
  EXPECT_TRUE(lfb_form_holds(LFB_FORM_MAPPED, LFB_DEFAULT));
  EXPECT_FALSE(lfb_form_holds(LFB_FORM_GUAVA, LFB_DEFAULT));
}

TEST(Names, GoThereAndBack) {
  EXPECT_STREQ(lfb_strategy_name(LFB_DEFAULT), "default");
  for (lfb_strategy_id id : AllStrategies()) {
    lfb_strategy_id back = LFB_FAST;
    EXPECT_EQ(lfb_strategy_from_name(lfb_strategy_name(id), &back), LFB_OK);
    EXPECT_EQ(back, id);
  }
  lfb_strategy_id id = LFB_GO_FNV14;
  EXPECT_EQ(lfb_strategy_from_name("default", &id), LFB_OK);
  EXPECT_EQ(id, LFB_DEFAULT);
  id = LFB_GO_FNV14;
  EXPECT_EQ(lfb_strategy_from_name("guava", &id), LFB_ERROR_UNKNOWN_STRATEGY);
  EXPECT_EQ(id, LFB_GO_FNV14);
  lfb_form form = LFB_FORM_NONE;
  EXPECT_EQ(lfb_form_from_name("guava", &form), LFB_OK);
  EXPECT_EQ(form, LFB_FORM_GUAVA);
  EXPECT_EQ(lfb_form_from_name("zip", &form), LFB_ERROR_NO_SUCH_FORM);
  EXPECT_STREQ(lfb_form_name(LFB_FORM_GUAVA), "guava");
  EXPECT_EQ(lfb_form_name(LFB_FORM_NONE), nullptr);
  EXPECT_TRUE(lfb_form_holds(LFB_FORM_GUAVA, LFB_GUAVA_MITZ32));
  EXPECT_FALSE(lfb_form_holds(LFB_FORM_GUAVA, LFB_GO_FNV14));
}

}  // namespace
