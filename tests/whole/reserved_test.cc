// The reserved words of public structs (lfbloom/status.h, Structs): a word that is not 0 is refused
// in what a caller fills, whichever word it is; and all are 0 in what the library fills.
#include "tests/support/every_things.h"

namespace every {
namespace {

Things& SomeThings() {
  static Things things(Config(kFew, 0.01, LFB_FAST),
                       testing::TempDir() + "/reserved-" + std::to_string(getpid()));
  things.many = 3;
  return things;
}

// Also without a struct of its own: the row checks the words of the structs that the call fills.
class EachFunction : public testing::TestWithParam<Row> {};

TEST_P(EachFunction, MindsReservedWords) { ExpectReservedRefused(GetParam(), SomeThings()); }

INSTANTIATE_TEST_SUITE_P(Rows, EachFunction, testing::ValuesIn(AllRows()), RowName<Things>);

TEST(Reserved, EachFunctionWithSuchAStructIsTested) {
  ExpectReservedOfAll({"atomic/include/lfbloom", "bloom/include/lfbloom"}, NamesOf(AllRows(), true), {});
}

}  // namespace
}  // namespace every
