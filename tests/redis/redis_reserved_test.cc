// The reserved words of the structs that a caller fills for Redis: one that is not 0 is refused
// before anything is sent.  Nothing listens at the address.
//
// Seen to fail with a check removed from lfb_redis_source_create().
#include "tests/redis/every_redis_call.h"

namespace every_redis {
namespace {

Things& Nowhere() {
  static Things things(nullptr);
  things.options.port = 1;
  things.options.retries = UINT32_MAX;
  return things;
}

// The status of a call: no server, so nothing is before it and hardly anything after it.
lfb_status StatusOf(const Row& row, Things& t) {
  every::Reset(&t.out);
  row.act(t);
  if (t.status == LFB_OK) row.after(t);
  EXPECT_TRUE(every::Untouched(t.out)) << "an output without success";
  return t.status;
}

Rows RowsWithStructs() {
  Rows rows;
  for (const Rows& all : {AllRows(), ModuleRows()})
    for (const Row& row : all)
      if (!row.takes.empty()) rows.push_back(row);
  return rows;
}

const std::set<std::string> kUnconnected = {"lfb_redis_source_create"};

class EachRedisFunction : public testing::TestWithParam<Row> {};

TEST_P(EachRedisFunction, RefusesReservedWords) {
  const Row& row = GetParam();
  Things& t = Nowhere();
  const bool connects = kUnconnected.count(row.names) == 0;
  EXPECT_EQ(StatusOf(row, t), connects ? LFB_ERROR_REDIS_CONNECT : LFB_OK);
  every::EachReservedWord(row, t, [&] { EXPECT_EQ(StatusOf(row, t), LFB_ERROR_RESERVED); });
}

INSTANTIATE_TEST_SUITE_P(Rows, EachRedisFunction, testing::ValuesIn(RowsWithStructs()),
                         every::RowName<Things>);

TEST(RedisReserved, EachFunctionWithSuchAStructIsTested) {
  every::ExpectReservedOfAll(true, every::NamesOf(RowsWithStructs()), {});
}

}  // namespace
}  // namespace every_redis
