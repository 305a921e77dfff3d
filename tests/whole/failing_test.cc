// failing_test.cc - each function of atomic/ and bloom/ with memory, or a system call, refused:
// failing.h.  And whether the table of every_call.h has all functions.
//
// Seen to fail, each time, with these bugs planted by hand: a filter kept by a handle with
// versions that could not be made, or by a load that fails after it was made; a temporary file
// that stays; an output that is written before everything has succeeded; a version that needs
// memory to be abandoned; a directory taken to end where it could not be read; getrandom() not
// called again after a signal; pages kept by a counting filter that could not be made;
// an exported name without a header, a function without a row.
#include "atomic/threads/sections.h"
#include "tests/support/every_things.h"
#include "tests/support/failing.h"

namespace every {
namespace {

// Few keys in a call with many, which then needs no memory; seeds that are random.
Things& SomeThings() {
  static Things things([] {
    lfb_config config = Config(kFew, 0.01, LFB_FAST);
    config.seed = 0;
    return config;
  }(), testing::TempDir() + "/failing-" + std::to_string(getpid()));
  things.many = 3;
  // The record of a handle that is freed is kept for the next handle, which then allocates none.
  static const bool kept = (lfb_section_free_retired(lfb_section_retired()), true);
  EXPECT_TRUE(kept);
  return things;
}

class EachFunction : public testing::TestWithParam<Row> {};

TEST_P(EachFunction, FailsCleanly) { failing::FailEachCallOf(GetParam(), SomeThings()); }

INSTANTIATE_TEST_SUITE_P(Rows, EachFunction, testing::ValuesIn(AllRows()), RowName<Things>);

const Excuses kExcuses = {
    {"lfb_fence", "inline, no call"},
    {"lfb_cas_u64", "inline, no call"},
    {"lfb_add_u64", "inline, no call"},
    {"lfb_answer", "inline, no call"},
    {"lfb_filter_put_many*", "inline: rows of lfb_filter_many() have it"},
    {"lfb_filter_might_contain_many*", "inline: rows of lfb_filter_many() have it"},
    {"lfb_sink_put_little", "inline: a row of lfb_sink_put_bytes() has it"},
    {"lfb_word*", "inline: as above"},
    {"lfb_prefetch*", "inline, no call"},
    {"lfb_multiply_high", "inline, no call"},
};

TEST(EveryCall, EachPublicFunctionHasARow) {
  ExpectRowsOfAll(false, "packaging/lfbloom.map",
                  NamesOf(AllRows()), kExcuses);
}

}  // namespace
}  // namespace every
