// link_calls_test.cc - each system call that a link makes transfers one byte only, or every other
// one is interrupted.  failing_test makes each of them fail.
//
// Seen to fail with EINTR of send() and recv() taken for a lost connection.
#include "tests/support/faults.h"
#include "tests/redis/jobs.h"
#include "tests/redis/server.h"

namespace {

class LinkCalls : public testing::TestWithParam<calls::Deed> {};
INSTANTIATE_TEST_SUITE_P(Deeds, LinkCalls,
                         testing::Values(calls::Deed::kShortenAll, calls::Deed::kInterruptOften));

TEST_P(LinkCalls, DoNotRepeatACommand) {
  constexpr uint64_t kCount = 200;
  RedisServer server;
  lfb_redis_options options = server.Options();
  options.window = 16;
  uint64_t answered = 0, repeated = 0;
  const auto count = [&] {
    const Link link = OpenLink(options);
    return DoJob(link.get(), {kCount, [](uint64_t i) { return Command{"INCR", std::to_string(i)}; },
                              [&](uint64_t, const redisReply* reply, bool again) {
                                answered++;
                                repeated += again;
                                return lfb_reply_status(reply);
                              }});
  };
  const Outcome outcome = Try({GetParam()}, count);
  EXPECT_EQ(outcome.status, LFB_OK);
  EXPECT_EQ(answered, kCount);
  EXPECT_EQ(repeated, 0u);
  EXPECT_GT(outcome.report.Count("recv"), GetParam() == calls::Deed::kShortenAll ? kCount : 0u);
  for (uint64_t i = 0; i < kCount; i += 50)
    EXPECT_EQ(server.Call({"GET", std::to_string(i)}), "1");
}

}  // namespace
