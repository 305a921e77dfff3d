// A join loses no row, drops most that have no partner, and drops a filter that is too full.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "examples/testing/program.h"

namespace {

struct Joined {
  unsigned long long bytes = 0, dropped = 0, lost = 1;
  double rate = 1;
};

Joined Join(const std::string& build, const std::string& probe, const std::string& bytes,
            const std::string& threads) {
  Program program({HASHJOIN_PROGRAM, build, probe, bytes, threads});
  Joined joined;
  EXPECT_EQ(sscanf(program.Line().c_str(), "filter: %llu bytes, rate %lf", &joined.bytes,
                   &joined.rate), 2);
  EXPECT_EQ(sscanf(program.Line().c_str(), "dropped early: %llu of %*u probe rows; lost: %llu",
                   &joined.dropped, &joined.lost), 2);
  EXPECT_EQ(program.Wait(), 0);
  return joined;
}

// A million probe rows, of which 100,000 have a partner.  Seen to fail without the fold (1 MiB),
// with a fold by twice the factor, with row numbers put for keys (lost rows), and, the next test,
// with a filter that is kept in any case.
TEST(Join, DropsRowsWithoutAPartner) {
  for (const char* threads : {"1", "2", "7"}) {
    const Joined joined = Join("100000", "1000000", "4194304", threads);
    EXPECT_LE(joined.bytes, 300000u);
    EXPECT_LE(joined.rate, 0.011);
    EXPECT_EQ(joined.lost, 0u);
    EXPECT_GE(joined.dropped, 885000u);
    EXPECT_LE(joined.dropped, 900000u);
  }
}

TEST(Join, DropsAFilterThatIsTooFull) {
  const Joined joined = Join("100000", "100000", "16384", "2");
  EXPECT_LE(joined.bytes, 16384u);
  EXPECT_GT(joined.rate, 0.3);
  EXPECT_EQ(joined.dropped + joined.lost, 0u);
  EXPECT_EQ(Join("0", "1000", "4096", "3").dropped, 1000u);  // an empty build side
}

TEST(Join, RefusesBadArguments) {
  const std::vector<std::vector<std::string>> rows = {
      {"1", "1", "1"}, {"1", "1", "0", "1"}, {"1", "1", "4096", "0"}, {"1", "1", "4096", "257"},
      {"-1", "1", "4096", "1"}, {"1x", "1", "4096", "1"}, {"1", "1", "7", "1"}};
  for (std::vector<std::string> row : rows) {
    row.insert(row.begin(), HASHJOIN_PROGRAM);
    Program program(row);
    EXPECT_EQ(program.Line(), "");
    EXPECT_EQ(program.Wait(), 2) << row.size();
  }
}

}  // namespace
