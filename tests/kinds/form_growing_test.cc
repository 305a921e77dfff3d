// The form of growing filters: they are read back and continue to grow; forged files are refused.
// //tests/files:every_form_test has what all forms have in common.
#include <cmath>
#include <cstring>

#include "tests/support/files.h"
#include "tests/support/forms.h"

namespace {

constexpr size_t kHeader = 256;

template <typename From>
lfb_status ReadGrowing(const From& from, Growing* growing = nullptr,
                       const lfb_read_limits& limits = {}) {
  return ReadBy(any::read<lfb_growing>, Source{from}, growing, limits);
}

Growing Filled(const lfb_config& config, uint64_t keys) {
  Growing growing = MakeGrowing(config);
  for (uint64_t i = 0; i < keys; i++) lfb_growing_put_u64(growing.get(), i);
  return growing;
}

// Three layers.
Growing Filled() { return Filled(Config(1024, 0.01, LFB_FAST), 5000); }

void ExpectSameAnswers(const Growing& a, const Growing& b, uint64_t keys) {
  for (uint64_t i = 0; i < keys; i++)
    ASSERT_EQ(lfb_growing_might_contain_u64(a.get(), i), lfb_growing_might_contain_u64(b.get(), i))
        << i;
}

class EveryGrowingForm : public testing::TestWithParam<lfb_strategy_id> {};
INSTANTIATE_TEST_SUITE_P(All, EveryGrowingForm, testing::ValuesIn(SizedStrategies()),
                         StrategyTestName);

// A filter that is read has the same figures and answers, and grows like the written one: both
// are given the same keys afterwards, and stay equal.
TEST_P(EveryGrowingForm, ComesBackAndGrowsOn) {
  lfb_config config = Config(1500, 0.01, GetParam());
  config.probes_formula = LFB_PROBES_GUAVA_CURRENT;
  config.memory_preference = LFB_MEMORY_SMALLEST;
  const Growing growing = Filled(config, 8000);
  Growing read;
  ASSERT_EQ(ReadGrowing(Source{Bytes(growing), 7}, &read), LFB_OK);
  for (uint64_t end : {8000, 30000}) {
    for (uint64_t i = 8000; i < end; i++)
      ASSERT_EQ(lfb_growing_put_u64(growing.get(), i), lfb_growing_put_u64(read.get(), i));
    const lfb_growing_figures a = Figures(growing), b = Figures(read);
    EXPECT_EQ(a.layers, b.layers);
    EXPECT_EQ(a.hash, b.hash);
    EXPECT_EQ(a.seed, b.seed);
    EXPECT_EQ(a.bit_count, b.bit_count);
    EXPECT_EQ(a.bits_set, b.bits_set);
    EXPECT_EQ(a.approximate_count, b.approximate_count);
    EXPECT_EQ(a.written, 0u);
    EXPECT_GT(b.written, 1700000000u);
    ExpectSameAnswers(growing, read, 2 * end);
    ExpectOneLayerALevel(read);
  }
  EXPECT_GE(Figures(read).layers, 5u);
}

TEST(GrowingForm, AKeyedOneGrowsOnAndHasNoLayerOfAnother) {
  const uint8_t key[16] = {1, 2, 3};
  const Hash hash = {LFB_HASH_SIPHASH13, true, key};
  const Growing growing = Filled(With(Config(1024, 0.01, LFB_FAST), hash), 5000);
  EXPECT_FALSE(Figures(growing).key_kept);
  const std::string bytes = Bytes(growing);
  lfb_damage damage;
  lfb_read_limits limits{};
  limits.damage = &damage;
  limits.key = key;
  Growing read;
  ASSERT_EQ(ReadGrowing(bytes, &read, limits), LFB_OK);
  for (uint64_t i = 5000; i < 20000; i++) lfb_growing_put_u64(read.get(), i);
  EXPECT_GT(Figures(read).layers, Figures(growing).layers);
  for (uint64_t i = 0; i < 20000; i++)
    ASSERT_TRUE(lfb_growing_might_contain_u64(read.get(), i));

  // One layer of a keyed filter among those of another, for any keys queried.
  const std::string plain = Bytes(Filled());
  const std::vector<size_t> keyed_at = LayersAt(bytes), at = LayersAt(plain);
  const std::string mixed = plain.substr(0, at[1]) + bytes.substr(keyed_at[1]);
  const std::string turned = bytes.substr(0, keyed_at[1]) + plain.substr(at[1]);
  EXPECT_EQ(ReadGrowing(mixed, nullptr, limits), LFB_ERROR_BAD_HEADER);
  EXPECT_EQ(ReadGrowing(turned, nullptr, limits), LFB_ERROR_BAD_HEADER);
  limits.key = nullptr;
  EXPECT_EQ(ReadGrowing(mixed, nullptr, limits), LFB_ERROR_KEY_NEEDED);
  EXPECT_EQ(ReadGrowing(turned, nullptr, limits), LFB_ERROR_BAD_HEADER);
}

// A kept key is in every layer's header, also in layers added after reading. Seen to fail when
// only the layers that were read had it.
TEST(GrowingForm, AKeptKeyIsKeptInLayersToCome) {
  lfb_config config = Config(1024, 0.01, LFB_FAST);
  config.seed = 0;  // the default hash, with a key that is drawn
  Growing read;
  ASSERT_EQ(ReadGrowing(Bytes(Filled(config, 5000)), &read), LFB_OK);
  for (uint64_t i = 5000; i < 20000; i++) lfb_growing_put_u64(read.get(), i);
  ASSERT_EQ(ReadGrowing(Bytes(read), &read), LFB_OK);
  EXPECT_GE(Figures(read).layers, 5u);
  EXPECT_TRUE(Figures(read).key_kept);
  for (uint64_t i = 0; i < 20000; i++)
    ASSERT_TRUE(lfb_growing_might_contain_u64(read.get(), i));
}

TEST(GrowingForm, OpenedDamagedItKnowsNoFigures) {
  std::string bytes = Bytes(Filled());
  bytes[LayersAt(bytes)[1] + 300] ^= 1;
  lfb_read_limits limits{};
  limits.open_damaged = true;
  Growing read;
  ASSERT_EQ(ReadGrowing(bytes, &read, limits), LFB_OK);
  EXPECT_EQ(Figures(read).expected_fpp, 1);
  EXPECT_EQ(Figures(read).approximate_count, UINT64_MAX);
}

// The header's fields, each with its worst value, with a valid checksum.
TEST(GrowingForm, ForgedHeadersAreRefused) {
  const std::string bytes = Bytes(Filled());
  const auto forged = [&](size_t at, uint64_t value) {
    std::string changed = bytes;
    Store(&changed, at, value);
    SealHeader(&changed);
    return ReadGrowing(changed);
  };
  EXPECT_EQ(forged(8, 2 | uint64_t{256} << 32), LFB_ERROR_UNKNOWN_VERSION);
  EXPECT_EQ(forged(8, 1 | uint64_t{512} << 32), LFB_ERROR_BAD_HEADER);
  for (uint64_t layers : {uint64_t{0}, uint64_t{65}, uint64_t{UINT32_MAX}})
    EXPECT_EQ(forged(16, layers), LFB_ERROR_BAD_HEADER) << layers;
  EXPECT_EQ(forged(16, 4), LFB_ERROR_TRUNCATED);
  EXPECT_EQ(forged(16, 3 | uint64_t{3} << 32), LFB_ERROR_BAD_HEADER);
  for (uint64_t n : {uint64_t{0}, uint64_t{1023}, uint64_t{1025}, UINT64_MAX})
    EXPECT_EQ(forged(24, n), LFB_ERROR_BAD_HEADER) << n;
  for (double fpp : {0.0, -0.01, 0.011, 1.0, 1e300, static_cast<double>(NAN)})
    EXPECT_EQ(forged(32, WordOf(fpp)), LFB_ERROR_BAD_HEADER) << fpp;
  for (size_t at = 48; at < 248; at += 8)  // up to 112 ignored, then zeros
    EXPECT_EQ(forged(at, 1), at < 112 ? LFB_OK : LFB_ERROR_BAD_HEADER) << at;
  EXPECT_EQ(forged(40, 12345), LFB_OK) << "when is not checked";
}

// Layers that are valid alone, but not those of one growing filter.
TEST(GrowingForm, ForgedLayersAreRefused) {
  const std::string bytes = Bytes(Filled());
  const std::vector<size_t> at = LayersAt(bytes);
  const std::string header = bytes.substr(0, kHeader);
  const std::string first = bytes.substr(at[0], at[1] - at[0]);
  const std::string second = bytes.substr(at[1], at[2] - at[1]), rest = bytes.substr(at[2]);
  EXPECT_EQ(ReadGrowing(header + first + second + rest), LFB_OK);
  EXPECT_EQ(ReadGrowing(header + second + first + rest), LFB_ERROR_BAD_HEADER);
  EXPECT_EQ(ReadGrowing(header + first + first + rest), LFB_ERROR_BAD_HEADER);
  EXPECT_EQ(ReadGrowing(header + bytes), LFB_ERROR_BAD_HEADER) << "a growing one as a layer";
  EXPECT_EQ(ReadGrowing(header + Bytes(Make(1024, 0.0025))), LFB_ERROR_BAD_HEADER) << "Guava's";
  std::string seeded = second;
  Store(&seeded, 64, 2);
  SealHeader(&seeded);
  EXPECT_EQ(ReadGrowing(header + first + seeded + rest), LFB_ERROR_BAD_HEADER);

  // A layer of one line that claims to be made for as many keys as the header.
  std::string claims = header;
  const Filter small = Make(1, 0.01 * 3 / 12, LFB_FAST);
  std::string layer = Bytes(small, LFB_FORM_NATIVE);
  for (std::string* each : {&claims, &layer}) Store(each, each == &claims ? 24
                                                                          : 48, uint64_t{1} << 40);
  Store(&claims, 16, 1);
  SealHeader(&claims);
  SealHeader(&layer);
  EXPECT_EQ(ReadGrowing(claims + layer), LFB_ERROR_BAD_HEADER);
}

class GrowingFiles : public Files {};

// Saved while it grows, the file is whole and has the keys that were put before.
TEST_F(GrowingFiles, SavedWhileItGrowsItHasWhatWasPutBefore) {
  constexpr uint64_t kRounds = kUnderTsan ? 3 : 20, kBefore = 3000, kKeys = 20000;
  for (uint64_t round = 0; round < kRounds; round++) {
    const Growing growing = Filled(Config(1024, 0.01, LFB_FAST), kBefore);
    RunTogether(4, [&](unsigned t) {
      if (t == 0) {
        ASSERT_EQ(any::save<lfb_growing>(growing.get(), Path("a").c_str()), LFB_OK);
        return;
      }
      for (uint64_t i = 0; i < kKeys; i++) lfb_growing_put_u64(growing.get(), Mix(round + t, i));
    });
    const Growing loaded = Made<Growing>(any::load<lfb_growing>, Path("a").c_str(), nullptr);
    for (uint64_t i = 0; i < kBefore; i++)
      ASSERT_TRUE(lfb_growing_might_contain_u64(loaded.get(), i));
  }
}

// Written by this version when growing filters were first written: of the texts 0 to 4999.
TEST(GrowingForm, AnOldFileIsReadAndWrittenAgain) {
  const Growing growing =
      Made<Growing>(any::load<lfb_growing>, "tests/golden/growing-v1-fast.lfb", nullptr);
  for (uint64_t i = 0; i < 5000; i++) {
    const std::string text = std::to_string(i);
    ASSERT_TRUE(lfb_growing_might_contain(growing.get(), text.data(), text.size()));
  }
  EXPECT_EQ(Figures(growing).layers, 3u);
  const std::string bytes = FileBytes("tests/golden/growing-v1-fast.lfb");
  const auto timeless = [](std::string form) {
    Store(&form, 40, 0);
    SealHeader(&form);
    for (size_t at : LayersAt(form))
      if (at < form.size()) form.replace(at, 256, Stamped(form.substr(at, 256), 0));
    return form;
  };
  EXPECT_EQ(timeless(bytes), timeless(Bytes(growing)));
}

}  // namespace
