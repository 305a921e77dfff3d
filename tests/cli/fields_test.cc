// The fields of a record: against splitting it the plain way, for random records.
#include "cli/input/fields.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/property.h"

namespace {

fields parsed(const std::string& text) {
  fields result{};
  EXPECT_TRUE(fields_parse(text.c_str(), &result)) << text;
  return result;
}

std::string found(const fields& wanted, const std::string& record) {
  const lfb_key key = fields_of(&wanted, {record.data(), record.size()});
  const char* bytes = static_cast<const char*>(key.bytes);
  EXPECT_GE(bytes, record.data());
  EXPECT_LE(bytes + key.size, record.data() + record.size());
  return std::string(bytes, key.size);
}

TEST(Fields, NumbersAreReadAsAWhole) {
  const fields two = parsed("2");
  EXPECT_EQ(two.first, 2u);
  EXPECT_EQ(two.last, 2u);
  EXPECT_FALSE(two.separated);
  const fields range = parsed("3,17");
  EXPECT_EQ(range.first, 3u);
  EXPECT_EQ(range.last, 17u);
  EXPECT_EQ(parsed("1000000000000000000").first, 1000000000000000000u);
  for (const char* bad : {"", "0", "1,", ",1", "2,1", "1,0", "0,1", "1.2", "1,2n", "-1", " 1", "1 ",
                          "+1", "1M", "1,2,3", "1000000000000000001", "18446744073709551617",
                          "99999999999999999999999"}) {
    fields unread{};
    EXPECT_FALSE(fields_parse(bad, &unread)) << bad;
  }
}

// The places of all fields of a record, found byte by byte.
struct place {
  size_t begin, end;
};
std::vector<place> places(const fields& wanted, const std::string& record) {
  std::vector<place> result;
  const auto separates = [&wanted](char byte) {
    return wanted.separated ? byte == wanted.separator
                            : byte == ' ' || byte == '\t' || byte == '\n';
  };
  size_t begin = 0;
  for (size_t i = 0; i <= record.size(); i++)
    if (i == record.size() || separates(record[i])) {
      if (wanted.separated || i > begin) result.push_back({begin, i});
      begin = i + 1;
    }
  return result;
}

// Seen to fail with fields that end at the end of the record, not of the last field: "a ,\t" is
// printed.
TEST(Fields, RandomRecordsAreSplitAlike) {
  uint64_t present = 0;
  ExpectFor(20000, [&present] {
    const auto record =
        *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab, \t\n\r\0", 8)));
    fields wanted{};
    wanted.first = *rc::gen::inRange<size_t>(1, 6);
    wanted.last = wanted.first + *rc::gen::inRange<size_t>(0, 3);
    wanted.separated = *rc::gen::arbitrary<bool>();
    wanted.separator = ',';
    const std::vector<place> all = places(wanted, record);
    std::string expected;
    if (wanted.first <= all.size()) {
      const size_t begin = all[wanted.first - 1].begin;
      expected =
          record.substr(begin, all[std::min<size_t>(wanted.last, all.size()) - 1].end - begin);
    }
    present += !expected.empty();
    RC_ASSERT(found(wanted, record) == expected);
  });
  EXPECT_GT(present, 2000u);
}

}  // namespace
