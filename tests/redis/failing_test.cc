// failing_test.cc - each function of redis/ when an allocation or a system call fails (failing.h),
// on a server that the test starts.  And whether the table has all functions.
//
// Seen to fail every time with each of these planted faults:
//
// - memory for poll() is allocated only after a command was sent: a filter that could not be
//   created kept its name
// - the buffer of lfb_redis_load() is kept after a failure
// - lfb_redis_stats() fills the figures after a failure, too
#include "tests/support/failing.h"

#include "tests/redis/every_redis_call.h"

namespace every_redis {
namespace {

// One server for all rows.
Things& SomeThings() {
  static RedisServer server;
  static Things things(&server);
  return things;
}

class EachRedisFunction : public testing::TestWithParam<Row> {};

TEST_P(EachRedisFunction, FailsCleanly) { failing::FailEachCallOf(GetParam(), SomeThings()); }

INSTANTIATE_TEST_SUITE_P(Rows, EachRedisFunction, testing::ValuesIn(AllRows()),
                         every::RowName<Things>);

const every::Excuses kExcuses = {
    {"lfb_redis_module_load", "of ModuleRows(), which says why"},
    {"lfb_redis_module_save", "of ModuleRows(), which says why"},
    {"lfb_redis_last_error", "a text"},
};

TEST(EveryRedisCall, EachPublicFunctionHasARow) {
  every::ExpectRowsOfAll(true, "packaging/lfbloom_redis.map",
                         every::NamesOf(AllRows()), kExcuses);
}

}  // namespace
}  // namespace every_redis
