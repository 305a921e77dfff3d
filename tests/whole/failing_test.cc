// failing_test.cc - each function of bloom/ with memory, or a system call, refused: the table of
// failing.h.
//
// Seen to fail, each time, with these bugs planted by hand: a filter kept by a handle with
// versions that could not be made, or by a load that fails after it was made; a temporary file
// that stays; an output that is written before everything has succeeded; a version that needs
// memory to be abandoned; a directory taken to end where it could not be read; getrandom() not
// called again after a signal.
#include "tests/whole/failing_rows.h"

namespace failing {
namespace {

Rows AllRows() {
  Rows rows;
  AddFilters(&rows);
  AddCounting(&rows);
  AddGrowing(&rows);
  AddWindow(&rows);
  AddMapped(&rows);
  AddGrowingMapped(&rows);
  AddBuilder(&rows);
  AddWatches(&rows);
  AddVersions(&rows);
  AddFollowers(&rows);
  AddGrowth(&rows);
  AddQuiet(&rows);
  return rows;
}

class EachFunction : public testing::TestWithParam<Row> {};

TEST_P(EachFunction, FailsCleanly) { failing::FailEachCallOf(GetParam()); }

std::string RowName(const testing::TestParamInfo<Row>& info) {
  return std::to_string(info.index) + "_" + failing::NameOf(info.param);
}

const failing::Excuses kExcuses = {
    {"lfb_builder_finish", "never fails, and says so: it takes nothing"},
    {"lfb_builder_free", "gives back"},
    {"lfb_counting_free", "gives back"},
    {"lfb_file_source_free", "gives back"},
    {"lfb_filter_free", "gives back"},
    {"lfb_follow_free", "gives back"},
    {"lfb_growing_free", "gives back; the files of a mapped one: lfb_growing_mapped_close()"},
    {"lfb_versions_free", "gives back"},
    {"lfb_watch_free", "gives back"},
    {"lfb_window_free", "gives back"},
    {"lfb_fast*", "inline: loads; a put or a query calls the function of filter.h"},
    {"lfb_fence", "inline, no call"},
    {"lfb_cas_u64", "inline, no call"},
    {"lfb_add_u64", "inline, no call"},
    {"lfb_word*", "inline: as above"},
    {"lfb_prefetch*", "inline, no call"},
    {"lfb_multiply_high", "inline, no call"},
};

TEST(Failing, EveryFunctionHasARow) {
  failing::ExpectRowsOfAll({"atomic/include/lfbloom", "bloom/include/lfbloom"}, AllRows(), kExcuses);
}

INSTANTIATE_TEST_SUITE_P(Rows, EachFunction, testing::ValuesIn(AllRows()), RowName);

}  // namespace
}  // namespace failing
