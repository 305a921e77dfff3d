// The reserved words of public structs (lfbloom/status.h, Structs): a word that is not 0 is refused
// in what a caller fills, whichever word it is; and all are 0 in what the library fills.
//
// Seen to fail with: the words of a source that lfb_follow_create() does not check; one that
// a watch set; lfb_config_plan() without Row::takes.
#include "tests/support/every_things.h"

namespace every {
namespace {

Things& SomeThings() {
  static Things things(Config(kFew, 0.01, LFB_FAST),
                       testing::TempDir() + "/reserved-" + std::to_string(getpid()));
  things.many = 3;
  return things;
}

void ExpectStatus(lfb_status status, const Row& row, Things& t) {
  row.act(t);
  EXPECT_EQ(t.status, status);
}

// A row without such words is for the structs that the call fills: Finish() looks at them.
class EachFunction : public testing::TestWithParam<Row> {};

TEST_P(EachFunction, MindsReservedWords) {
  const Row& row = GetParam();
  Things& t = SomeThings();
  Prepare(row, t);
  ExpectStatus(row.returns, row, t);
  Finish(row, t);
  if (row.takes.empty()) return;
  Prepare(row, t);
  EachReservedWord(row, t, [&] { ExpectStatus(LFB_ERROR_RESERVED, row, t); });
  Finish(row, t);
}

INSTANTIATE_TEST_SUITE_P(Rows, EachFunction, testing::ValuesIn(AllRows()), RowName<Things>);

TEST(Reserved, EachFunctionWithSuchAStructIsTested) {
  ExpectReservedOfAll(false, NamesOf(AllRows(), true), {});
}

}  // namespace
}  // namespace every
