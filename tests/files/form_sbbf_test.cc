// Parquet's form of a filter: its header byte by byte, headers of other writers, and invalid ones.
// //tests/files:every_form_test has what all forms have in common.
#include "tests/support/race.h"
#include "tests/support/streams.h"

namespace {

using namespace std::string_literals;

// 32 bytes of bitset; unions with their only choice; the header ends.
const std::string kUnions = "\x1c\x1c\0\0\x1c\x1c\0\0\x1c\x1c\0\0"s;
const std::string kHeader = "\x15\x40" + kUnions + "\0"s;
const std::string kBlock(32, '\1');

std::string Form(const Filter& filter) { return Bytes(filter, LFB_FORM_SBBF); }

TEST(SbbfForm, TheHeaderIsPinned) {
  EXPECT_EQ(Form(Make(1, 0.01, LFB_SBBF)), kHeader + std::string(32, '\0'));
  // 2 MiB: zigzag 2^22, which takes four bytes
  EXPECT_EQ(Form(Make(1000000, 0.01, LFB_SBBF)).substr(0, 18),
            "\x15\x80\x80\x80\x02"s + kUnions + "\0"s);
}

TEST(SbbfForm, BecomesNative) {
  Filter back;
  ASSERT_EQ(ReadFrom({kHeader + kBlock}, &back), LFB_OK);
  EXPECT_EQ(ReadFrom({Bytes(back, LFB_FORM_NATIVE)}), LFB_OK);
}

TEST(SbbfForm, HoldsItsStrategyOnly) {
  for (lfb_strategy_id strategy : AllStrategies())
    EXPECT_EQ(lfb_form_holds(LFB_FORM_SBBF, strategy), strategy == LFB_SBBF);
  EXPECT_FALSE(lfb_form_holds(LFB_FORM_GUAVA, LFB_SBBF));
}

TEST(SbbfForm, HeadersAsOthersMayWriteThem) {
  const std::string headers[] = {
      "\x15\x40\x1c\0\x1c\0\x1c\0\0"s,   // @dsnp/parquetjs: nothing chosen
      "\x15\xc0\0"s + kUnions + "\0"s,  // a longer 64
  };
  for (const std::string& header : headers) {
    Filter filter;
    ASSERT_EQ(ReadFrom({header + kBlock, 1}, &filter), LFB_OK) << testing::PrintToString(header);
    EXPECT_EQ(Form(filter), kHeader + kBlock);
  }
}

TEST(SbbfForm, ForgedHeadersAreRefused) {
  const struct {
    std::string header;
    lfb_status status;
  } rows[] = {
      {"\x15\0"s + kUnions + "\0"s, LFB_ERROR_BAD_WORD_COUNT},      // no bytes
      {"\x15\x42"s + kUnions + "\0"s, LFB_ERROR_BAD_WORD_COUNT},    // 33
      {"\x15\x3f"s + kUnions + "\0"s, LFB_ERROR_BAD_WORD_COUNT},    // -32
      {"\x15\x80\x80\x80\x80\x10"s + kUnions + "\0"s, LFB_ERROR_BAD_WORD_COUNT},  // 2^31
      {"\x15\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"s, LFB_ERROR_BAD_HEADER},
      {"\x15\x40\0"s, LFB_ERROR_BAD_HEADER},                              // nothing else
      {"\x15\x40\x1c\0\x1c\0\0"s, LFB_ERROR_BAD_HEADER},                   // no compression
      {"\x15\x40\x1c\0\x1c\0\x1c\0\x0c\x08\0\0"s, LFB_ERROR_BAD_HEADER},   // two
      {"\x15\x40\x05\x02\x40\x1c\0\x1c\0\x1c\0\0"s, LFB_ERROR_BAD_HEADER},  // two sizes
      {"\x15\x40\x15\0\x1c\0\x1c\0\0"s, LFB_ERROR_BAD_HEADER},             // a number for a union
      {"\x15\x40\x1c\x2c\0\0\x1c\0\x1c\0\0"s, LFB_ERROR_BAD_STRATEGY},     // another algorithm
      {"\x15\x40\x1c\0\x1c\x2c\0\0\x1c\0\0"s, LFB_ERROR_BAD_HEADER},       // another hash
      {"\x15\x40\x1c\0\x1c\0\x1c\x2c\0\0\0"s, LFB_ERROR_BAD_HEADER},       // a compression
      {"\x15\x40\x1c\x15\2\0\x1c\0\x1c\0\0"s, LFB_ERROR_BAD_STRATEGY},     // BLOCK as a number
      {"\x15\x40\x0c\x04\x1c\0\0\x1c\0\x1c\0\0"s, LFB_ERROR_BAD_HEADER},  // numbered in full
      {"\x15\x40\x3c\0\x0c\x04\0\x1c\0\0"s, LFB_ERROR_BAD_HEADER},        // the last first
      {"\x15\x40"s + kUnions + "\x11\0"s, LFB_ERROR_BAD_HEADER},           // a field 5
      {"\x15\x40\x1c\x1c\x15\2\0\0\x1c\0\x1c\0\0"s, LFB_ERROR_BAD_HEADER},  // one in BLOCK
      {"\x15\x40"s + kUnions + std::string(5000, '\x1c'), LFB_ERROR_BAD_HEADER},
      {"\x25\x40"s + kUnions + "\0"s, LFB_ERROR_UNKNOWN_FORM},  // begins with field 2
  };
  for (const auto& row : rows)
    EXPECT_EQ(ReadFrom({row.header + kBlock}), row.status) << testing::PrintToString(row.header);
}

uint64_t FoundOf10000(const Filter& filter) {
  uint64_t found = 0;
  for (int i = 0; i < 10000; i++) found += Has(filter, "absent-" + std::to_string(i));
  return found;
}

Filter Load(const char* path) {
  lfb_filter* filter = nullptr;
  EXPECT_EQ(lfb_filter_load(path, nullptr, &filter), LFB_OK) << path;
  return Filter(filter);
}

// A column of 100 strings and one of 100 numbers: their filters as hyparquet-writer 0.17.0 wrote
// them, and how many of 10,000 other values hyparquet 1.31.5 found in them.
TEST(SbbfForm, GoldenFilesOfHyparquet) {
  const Filter strings = Load("tests/golden/parquet-hyparquet-string.sbbf");
  const Filter numbers = Load("tests/golden/parquet-hyparquet-int64.sbbf");
  const Filter our_strings = Make(80, 0.01, LFB_SBBF), our_numbers = Make(80, 0.01, LFB_SBBF);
  for (uint64_t i = 0; i < 100; i++) {
    EXPECT_TRUE(Has(strings, "key-" + std::to_string(i)));
    EXPECT_TRUE(lfb_filter_might_contain_u64(numbers.get(), i * 1000003));
    Put(our_strings, "key-" + std::to_string(i));
    lfb_filter_put_u64(our_numbers.get(), i * 1000003);
  }
  EXPECT_EQ(Form(our_strings), Form(strings));
  EXPECT_EQ(Form(our_numbers), Form(numbers));
  EXPECT_EQ(FoundOf10000(strings), 97u);
  uint64_t found = 0;
  for (uint64_t i = 0; i < 10000; i++)
    found += lfb_filter_might_contain_u64(numbers.get(), 7 * i + 1);
  EXPECT_EQ(found, 87u);
}

// 12 strings in a filter that @dsnp/parquetjs 1.5.0 wrote: its header's unions choose nothing,
// and each block is the union of all.
TEST(SbbfForm, GoldenFileOfParquetjs) {
  const Filter filter = Load("tests/golden/parquet-parquetjs.sbbf");
  for (int i = 0; i < 12; i++) EXPECT_TRUE(Has(filter, "key-" + std::to_string(i)));
  EXPECT_EQ(FoundOf10000(filter), 2u);
  EXPECT_EQ(Stats(filter).bytes, 1024u);
}

// A header with one byte changed is refused, but for one change: an empty union for the compression
// ends the header two bytes early, and what follows is taken for the bits.  Seen to fail with a
// union that may have any field, which reads the filters of other algorithms and hashes.
TEST(SbbfForm, AnyByteOfTheHeaderChanged) {
  const std::string bytes = kHeader + kBlock;
  std::vector<std::pair<size_t, int>> read;
  for (size_t at = 0; at < kHeader.size(); at++)
    for (int byte = 0; byte < 256; byte++) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(byte);
      if (changed == bytes) continue;
      Filter filter;
      const lfb_status status = ReadFrom({changed}, &filter);
      ASSERT_EQ(filter != nullptr, status == LFB_OK) << at << " " << byte;
      if (filter == nullptr) continue;
      read.emplace_back(at, byte);
      EXPECT_EQ(Form(filter), kHeader + changed.substr(kHeader.size() - 2, kBlock.size()));
    }
  EXPECT_EQ(read, (std::vector<std::pair<size_t, int>>{{11, 0}}));
}

}  // namespace
