// Each status has its own text, and any other number has a text, too.
#include <gtest/gtest.h>
#include <lfbloom/status.h>

#include <set>
#include <string>

namespace {

struct Listed {
  lfb_status status;
  std::string text;
};

#define LISTED(name, number, text) {name, text},
const Listed kAll[] = {LFB_STATUS_LIST(LISTED)};
#undef LISTED

TEST(Status, EachHasATextOfItsOwn) {
  std::set<std::string> texts;
  std::set<int> numbers;
  for (const Listed& row : kAll) {
    EXPECT_EQ(lfb_status_text(row.status), row.text);
    EXPECT_FALSE(row.text.empty());
    EXPECT_NE(row.text.back(), '.') << "a clause: " << row.text;
    EXPECT_TRUE(texts.insert(row.text).second) << "told of another, too: " << row.text;
    EXPECT_TRUE(numbers.insert(row.status).second) << row.status;
  }
  EXPECT_EQ(LFB_OK, 0);
}

TEST(Status, OtherNumbersHaveATextToo) {
  std::set<int> numbers;
  for (const Listed& row : kAll) numbers.insert(row.status);
  const std::string unknown = lfb_status_text(LFB_STATUS_MAX_);
  EXPECT_FALSE(unknown.empty());
  for (int number = 0; number < 200; number++)
    if (numbers.count(number) == 0) {
      EXPECT_EQ(lfb_status_text(static_cast<lfb_status>(number)), unknown) << number;
    }
}

}  // namespace
