// The forms of Milvus' membership filters: golden files of its SDK, read, queried, made again of
// their keys and written byte for byte; and invalid headers.  //tests/files:every_form_test has
// what all forms have in common.
#include "tests/support/files.h"
#include "tests/support/streams.h"

namespace {

using namespace std::string_literals;

// A header of one block, with the set of kinds.
std::string Header(char kinds) {
  return "MBF1\1\0\1\0"s + "\x64\0\0\0\0\0\0\0"s + "\x7b\x14\xae\x47\xe1\x7a\x74\x3f"s +
         "\1\0\0\0"s + kinds +
         "\0\0\0"s;
}
const std::string kBlock(32, '\1');

std::string Golden(const std::string& name) {
  std::ifstream file("tests/golden/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Numbers i * 1000003 and the texts key-i for i < 100, n 100, p 0.005: @zilliz/milvus2-sdk-node
// 3.0.6 wrote them.
TEST(MilvusForm, GoldenFilesOfItsSdk) {
  const Filter ours = Make(100, 0.005, LFB_SBBF), our_texts = Make(100, 0.005, LFB_SBBF);
  const std::string numbers = Golden("milvus-int64.mbf1"), texts = Golden("milvus-utf8.mbf1");
  ASSERT_EQ(numbers.size(), 32u + 256);
  Filter read, read_texts;
  ASSERT_EQ(ReadFrom({numbers}, &read), LFB_OK);
  ASSERT_EQ(ReadFrom({texts}, &read_texts), LFB_OK);
  for (uint64_t i = 0; i < 100; i++) {
    EXPECT_TRUE(lfb_filter_might_contain_u64(read.get(), i * 1000003));
    EXPECT_TRUE(Has(read_texts, "key-" + std::to_string(i)));
    lfb_filter_put_u64(ours.get(), i * 1000003);
    Put(our_texts, "key-" + std::to_string(i));
  }
  EXPECT_EQ(Stats(read).form, LFB_FORM_MILVUS_INT64);
  EXPECT_EQ(Stats(read_texts).form, LFB_FORM_MILVUS_UTF8);
  EXPECT_EQ(Stats(read).key_type, LFB_KEYS_I64);
  EXPECT_EQ(Stats(read_texts).key_type, LFB_KEYS_TEXT);
  EXPECT_EQ(Stats(read).expected_insertions, 100u);
  EXPECT_EQ(Stats(read).fpp, 0.005);
  EXPECT_EQ(Bytes(read, LFB_FORM_MILVUS_INT64), numbers);
  EXPECT_EQ(Bytes(ours, LFB_FORM_MILVUS_INT64), numbers);
  EXPECT_EQ(Bytes(read_texts, LFB_FORM_MILVUS_UTF8), texts);
  EXPECT_EQ(Bytes(our_texts, LFB_FORM_MILVUS_UTF8), texts);
  EXPECT_EQ(Bytes(our_texts, LFB_FORM_MILVUS)[28], 3);
}

TEST(MilvusForm, AnEmptyFilterHasNoKindOfKeys) {
  const Filter empty = Make(1, 0.01, LFB_SBBF);
  for (const lfb_form form : {LFB_FORM_MILVUS, LFB_FORM_MILVUS_INT64, LFB_FORM_MILVUS_UTF8})
    EXPECT_EQ(Bytes(empty, form)[28], 0);
  EXPECT_EQ(ReadFrom({Bytes(empty, LFB_FORM_MILVUS_UTF8)}), LFB_OK);
}

TEST(MilvusForm, HoldsWhatMilvusTakes) {
  for (const lfb_strategy_id strategy : AllStrategies())
    EXPECT_EQ(lfb_form_holds(LFB_FORM_MILVUS_UTF8, strategy), strategy == LFB_SBBF);
  lfb_config config = Config(1'000, 0.01, LFB_SBBF);
  config.memory_preference = LFB_MEMORY_SMALLEST;  // not a power of two
  std::string bytes;
  EXPECT_EQ(lfb_filter_write(Make(config).get(), LFB_FORM_MILVUS, AppendTo, &bytes),
            LFB_ERROR_FORM_CANNOT_HOLD);
  EXPECT_EQ(bytes, "");
}

TEST(MilvusForm, ForgedHeadersAreRefused) {
  const auto forged = [](size_t at, const std::string& with) {
    return Header(3).replace(at, with.size(), with);
  };
  const struct {
    std::string header;
    lfb_status status;
  } rows[] = {
      {Header(0), LFB_OK},
      {Header(3), LFB_OK},
      {forged(8, std::string(8, '\xff')), LFB_OK},                     // n, which is only told
      {forged(16, std::string(8, '\0')), LFB_OK},                      // no p
      {forged(4, "\2"), LFB_ERROR_UNKNOWN_VERSION},
      {forged(5, "\1"), LFB_ERROR_UNKNOWN_VERSION},
      {forged(6, "\2"), LFB_ERROR_BAD_STRATEGY},
      {forged(7, "\1"), LFB_ERROR_BAD_STRATEGY},
      {forged(16, "\0\0\0\0\0\0\xf0\x3f"s), LFB_ERROR_BAD_HEADER},     // p = 1
      {forged(16, "\0\0\0\0\0\0\xf8\x7f"s), LFB_ERROR_BAD_HEADER},     // not a number
      {forged(16, "\0\0\0\0\0\0\xf0\xbf"s), LFB_ERROR_BAD_HEADER},     // -1
      {forged(24, "\0"s), LFB_ERROR_BAD_WORD_COUNT},
      {forged(24, "\3"s), LFB_ERROR_BAD_WORD_COUNT},
      {forged(24, "\0\0\x80\0"s), LFB_ERROR_BAD_WORD_COUNT},           // 256 MiB
      {forged(24, "\0\0\x40\0"s), LFB_ERROR_TRUNCATED},                // 128 MiB
      {forged(28, "\4"), LFB_ERROR_BAD_HEADER},
      {forged(29, "\1"), LFB_ERROR_BAD_HEADER},
      {forged(31, "\1"), LFB_ERROR_BAD_HEADER},
      {forged(3, "2"), LFB_ERROR_UNKNOWN_FORM},
  };
  for (const auto& row : rows)
    EXPECT_EQ(ReadFrom({row.header + kBlock}), row.status) << testing::PrintToString(row.header);
}

}  // namespace
