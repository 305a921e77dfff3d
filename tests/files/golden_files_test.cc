// Files that this library, or another, wrote earlier: on every machine they are read, answer,
// and are written again unchanged. Seen to fail, row by row, with the words read and written in
// the other byte order, which a round trip does not show.
#include <lfbloom/growing_mapped.h>
#include <lfbloom/mapped.h>

#include <fstream>

#include "tests/files/golden_rows.h"
#include "tests/support/skip.h"

namespace {

const uint32_t kOne = 1;

std::string Path(const std::string& file) { return "tests/golden/" + file; }

std::string Content(const std::string& file) { return FileBytes(Path(file)); }

Filter Load(const std::string& file, const uint8_t* key = nullptr) {
  lfb_read_limits limits{};
  limits.key = key;
  lfb_filter* filter = nullptr;
  EXPECT_EQ(lfb_filter_load(Path(file).c_str(), &limits, &filter), LFB_OK) << file;
  return Filter(filter);
}

class GoldenFiles : public testing::TestWithParam<GoldenRow> {};

TEST_P(GoldenFiles, AnswerAsEver) {
  const Filter filter = Load(GetParam().file);
  for (uint64_t i = 0; i < GetParam().keys; i++) {
    EXPECT_TRUE(Has(filter, GoldenText(i))) << i;
    EXPECT_TRUE(lfb_filter_might_contain_u64(filter.get(), GoldenNumber(i))) << i;
  }
  uint64_t found = 0;
  for (int i = 0; i < 10000; i++) found += Has(filter, "absent-" + std::to_string(i));
  EXPECT_EQ(found, GetParam().found);
}

TEST_P(GoldenFiles, SayOfThemselvesWhatTheyDid) {
  const GoldenRow& row = GetParam();
  const bool native = GoldenSaysMore(row.form);
  const Filter filter = Load(row.file);
  const lfb_stats stats = Stats(filter);
  EXPECT_EQ(stats.form, row.form);
  EXPECT_EQ(stats.strategy, row.strategy);
  EXPECT_EQ(stats.expected_insertions, native ? row.n : 0);
  EXPECT_EQ(stats.fpp, native ? row.fpp : 0);
  EXPECT_EQ(stats.bit_count, row.bit_count);
  EXPECT_EQ(stats.probes, row.probes);
  EXPECT_EQ(stats.bits_set, row.bits_set);
  EXPECT_EQ(stats.approximate_count, row.approximate_count);
  EXPECT_EQ(stats.seed, row.seed);
  EXPECT_TRUE(row.hash == LFB_HASH_DEFAULT || (stats.hash == row.hash && stats.key_kept));
  EXPECT_EQ(stats.written, native ? kGoldenTime : 0);
}

TEST_P(GoldenFiles, AreWrittenAgainAsTheyAre) {
  EXPECT_TRUE(GoldenBytes(Load(GetParam().file), GetParam().form) == Content(GetParam().file));
}

// The same filter, made of the same keys today.
TEST_P(GoldenFiles, AreMadeAgainAsTheyAre) {
  const Filter made = MakeGolden(GetParam());
  EXPECT_TRUE(GoldenBytes(made, GetParam().form) == Content(GetParam().file));
  EXPECT_EQ(lfb_filter_put_all(Load(GetParam().file).get(), made.get()), LFB_OK);
}

// So is that of fast-pair, which is fast with one pair.
TEST(OtherGoldenFiles, OfFastPairIsMadeAgainByItsName) {
  for (GoldenRow row : kGoldenRows) {
    if (row.strategy != LFB_FAST || row.fpp != 0.01) continue;
    row.strategy = LFB_FAST_PAIR;
    EXPECT_TRUE(GoldenBytes(MakeGolden(row), row.form) == Content(row.file)) << row.file;
  }
}

// `fast` had another layout before: what has it is refused by its name, not as damaged.
TEST(OtherGoldenFiles, OfTheEarlierFastAreRefused) {
  const char* path = "tests/golden/native-v1-fast-old.lfb";
  const lfb_filter* in_place = nullptr;
  lfb_filter* filter = nullptr;
  EXPECT_EQ(lfb_filter_load(path, nullptr, &filter), LFB_ERROR_OLD_FAST);
  EXPECT_EQ(lfb_mapped_open_read_only(path, nullptr, &in_place), LFB_ERROR_OLD_FAST);
}

// In place every file answers as ever. Those of this library have words of one byte order, which
// the machine must have.
TEST_P(GoldenFiles, AnswerAsEverInPlace) {
  const bool little = *reinterpret_cast<const uint8_t*>(&kOne) == 1;
  const GoldenRow& row = GetParam();
  const lfb_filter* filter = nullptr;
  const bool opens = little || !GoldenSaysMore(row.form);
  ASSERT_EQ(lfb_mapped_open_read_only(Path(row.file).c_str(), nullptr, &filter),
            opens ? LFB_OK : LFB_ERROR_BYTE_ORDER);
  if (!opens) return;
  const Filter in_place(const_cast<lfb_filter*>(filter));
  const lfb_stats stats = Stats(in_place);
  EXPECT_EQ(stats.form, row.form);
  EXPECT_EQ(stats.bits_set, row.bits_set);
  EXPECT_EQ(stats.approximate_count, row.approximate_count);
  std::vector<uint64_t> numbers;
  for (uint64_t i = 0; i < row.keys; i++) {
    numbers.push_back(GoldenNumber(i));
    EXPECT_TRUE(Has(in_place, GoldenText(i))) << i;
    EXPECT_TRUE(lfb_filter_might_contain_u64(filter, numbers[i])) << i;
  }
  EXPECT_EQ(
      lfb_filter_might_contain_many_u64(filter, numbers.data(), numbers.size(), nullptr),
      numbers.size());
  uint64_t found = 0;
  for (int i = 0; i < 10000; i++) found += Has(in_place, "absent-" + std::to_string(i));
  EXPECT_EQ(found, row.found);
  EXPECT_TRUE(GoldenBytes(in_place, row.form) == Content(row.file));
}

INSTANTIATE_TEST_SUITE_P(All, GoldenFiles, testing::ValuesIn(kGoldenRows), GoldenTestName);

// Files of other programs, and those with a key of their own, answer in place as loaded.
TEST(OtherGoldenFiles, AnswerInPlaceAsLoaded) {
  uint8_t key[16];
  for (uint8_t i = 0; i < 16; i++) key[i] = static_cast<uint8_t>(0xc0 + i);
  lfb_read_limits limits{};
  limits.key = key;
  for (const char* file : {"native-v1-keyed.lfb", "native-v1-overcounted.lfb",
                           "parquet-hyparquet-string.sbbf", "parquet-hyparquet-int64.sbbf",
                           "parquet-parquetjs.sbbf"}) {
    const lfb_filter* filter = nullptr;
    const lfb_status status = lfb_mapped_open_read_only(Path(file).c_str(), &limits, &filter);
    if (status == LFB_ERROR_BYTE_ORDER) continue;
    ASSERT_EQ(status, LFB_OK) << file;
    const Filter in_place(const_cast<lfb_filter*>(filter)), loaded = Load(file, key);
    EXPECT_EQ(Stats(in_place).bits_set, Stats(loaded).bits_set);
    for (uint64_t i = 0; i < 20000; i++)
      ASSERT_EQ(lfb_filter_might_contain_u64(filter, i),
                lfb_filter_might_contain_u64(loaded.get(), i))
          << file;
  }
}

// A growing filter in a file, which has no other form.
TEST(GoldenGrowingMapped, AnswersAsEver) {
  const lfb_growing* growing = nullptr;
  const bool little = *reinterpret_cast<const uint8_t*>(&kOne) == 1;
  const std::string path = Path(kGoldenGrowing);
  ASSERT_EQ(any::open_in_place<lfb_growing>(path.c_str(), nullptr, &growing),
            little ? LFB_OK : LFB_ERROR_BYTE_ORDER);
  if (!little) return;
  uint64_t found = 0;
  for (uint64_t i = 0; i < kGoldenGrowingKeys; i++)
    EXPECT_TRUE(lfb_growing_might_contain_u64(growing, GoldenNumber(i))) << i;
  for (uint64_t i = 0; i < 10000; i++)
    found += lfb_growing_might_contain_u64(growing, GoldenNumber(kGoldenGrowingKeys + i));
  EXPECT_EQ(found, kGoldenGrowingFound);
  lfb_growing_figures figures;
  lfb_growing_stats(growing, &figures);
  EXPECT_EQ(figures.layers, kGoldenGrowingLayers);
  EXPECT_EQ(figures.bits_set, kGoldenGrowingBits);
  EXPECT_EQ(figures.written, kGoldenTime);
  any::free<lfb_growing>(growing);
}

// Its claims' cells are zeros, its stripes those of one thread.
TEST(GoldenGrowingMapped, IsMadeAgainAsItIs) {
  if (*reinterpret_cast<const uint8_t*>(&kOne) != 1) return NotHere("of the other byte order");
  EXPECT_TRUE(GoldenGrowingBytes(testing::TempDir() +
                                 "/golden-growing") == Content(kGoldenGrowing));
}

// Files of other programs, and with a key. The tests of their forms check their answers.
TEST(OtherGoldenFiles, AreWrittenAgainAsTheyAre) {
  uint8_t key[16];
  for (uint8_t i = 0; i < 16; i++) key[i] = static_cast<uint8_t>(0xc0 + i);
  const Filter keyed = Load("native-v1-keyed.lfb", key);
  EXPECT_EQ(Stamped(Bytes(keyed, LFB_FORM_NATIVE), Stats(keyed).written),
            Content("native-v1-keyed.lfb"));
  for (const char* file : {"parquet-hyparquet-string.sbbf", "parquet-hyparquet-int64.sbbf"})
    EXPECT_EQ(Bytes(Load(file), LFB_FORM_SBBF), Content(file)) << file;
}

}  // namespace
