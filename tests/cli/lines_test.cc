// How the tool finds records: by vectors and without them it finds those of a loop over the bytes.
#include "cli/input/lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/property.h"

namespace {

using Records = std::vector<std::string>;

Records RecordsByLoop(const std::string& text, char delimiter) {
  Records records(1);
  for (char byte : text) {
    if (byte != delimiter)
      records.back() += byte;
    else
      records.emplace_back();
  }
  if (records.back().empty()) records.pop_back();
  return records;
}

using KeysFunction = size_t (*)(const char*, size_t, char, size_t*, lfb_key*, size_t);

Records RecordsBy(KeysFunction find, const std::string& room, size_t size, char delimiter,
                  size_t most) {
  std::vector<lfb_key> keys(most);
  Records records;
  size_t at = 0;
  while (const size_t count = find(room.data(), size, delimiter, &at, keys.data(), most))
    for (size_t i = 0; i < count; i++)
      records.emplace_back(static_cast<const char*>(keys[i].bytes), keys[i].size);
  RC_ASSERT(at == size);
  return records;
}

void ExpectAllOf(const std::string& room, size_t size, char delimiter, size_t most,
                 KeysFunction keys) {
  const std::string text = room.substr(0, size);
  RC_ASSERT(RecordsBy(keys, room, size, delimiter, most) == RecordsByLoop(text, delimiter));
}

// Texts of up to five blocks, with delimiters after the end, too.  Seen to fail by vectors with
// their halves exchanged, with one byte too many at the end, with a record at the end of a block
// lost, with empty records left out, and with the last record lost; and without vectors with the
// last two.
TEST(Lines, RecordsAreThoseOfALoop) {
  ExpectFor(3000, [] {
    const char delimiter = *rc::gen::element('\n', '\0', 'x', '\xff');
    const size_t size = *rc::gen::inRange<size_t>(0, 5 * LINES_BLOCK);
    const size_t rare = *rc::gen::inRange<size_t>(1, 60);
    auto room = *rc::gen::container<std::string>(
        size + LINES_BLOCK, rc::gen::weightedOneOf<char>({{1, rc::gen::just(delimiter)},
                                                          {rare, rc::gen::arbitrary<char>()}}));
    const size_t most = LINES_BLOCK + *rc::gen::inRange<size_t>(0, 100);
    ExpectAllOf(room, size, delimiter, most, lines_keys_portable);
    ExpectAllOf(room, size, delimiter, most, lines_keys);
#ifdef __x86_64__
    if (lines_have_avx2())
      ExpectAllOf(room, size, delimiter, most, lines_keys_avx2);
#endif
  });
}

}  // namespace
