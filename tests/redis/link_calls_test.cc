// link_calls_test.cc - each system call that a link makes fails, is interrupted, or transfers
// one byte only.
//
// Seen to fail with these planted by hand: EINTR taken for a lost connection; a socket left open
// after a failed connect; a reply's newest memory block not freed; a first connection that is not
// tried again.
#include <cerrno>

#include "tests/support/faults.h"
#include "tests/redis/jobs.h"
#include "tests/redis/server.h"

namespace {

using calls::Deed;

constexpr uint64_t kCount = 200;

class LinkCalls : public testing::Test {
 protected:
  lfb_redis_options Options() const {
    lfb_redis_options options = server_.Options();
    options.window = 16;
    return options;
  }
  // Opens a link, counts each key once, and closes it.
  lfb_status Count(const lfb_redis_options& options) {
    lfb_link* link = nullptr;
    const lfb_status status = lfb_link_open(&options, nullptr, &link);
    if (status != LFB_OK) return status;
    answered_ = repeated_ = 0;
    const lfb_job job = {kCount, Write, Read, this};
    const lfb_status done = lfb_link_run(link, &job);
    lfb_link_close(link);
    return done;
  }
  // Checks the server's counters after `least` fully acknowledged runs.
  void Check(long long least) {
    for (uint64_t i = 0; i < kCount; i += 50)
      EXPECT_GE(std::stoll(server_.Call({"GET", std::to_string(i)})), least);
  }
  static uint16_t Write(void*, uint64_t i, lfb_wire* wire) {
    lfb_wire_begin(wire, 2);
    lfb_wire_text(wire, "INCR");
    lfb_wire_number(wire, i);
    return LFB_ANY_SLOT;
  }
  static lfb_status Read(void* context, uint64_t, const redisReply* reply, bool again) {
    auto* self = static_cast<LinkCalls*>(context);
    self->answered_++;
    self->repeated_ += again;
    return lfb_reply_status(reply);
  }

  RedisServer server_;
  uint64_t answered_ = 0, repeated_ = 0;
};

// A failed allocation may fail the opening of a link or a job. No other failed call does: it is
// tried again. Nothing stays open or allocated.
TEST_F(LinkCalls, EachFails) {
  const lfb_redis_options options = Options();
  unsigned outlived = 0, no_memory = 0;
  for (size_t at = 1;; at++) {
    const Outcome outcome = Try({Deed::kFail, at, ECONNRESET}, [&] { return Count(options); });
    const calls::Report& report = outcome.report;
    if (report.made.size() < at) break;
    const std::string name = report.made[at - 1].name;
    SCOPED_TRACE(name + ", call " + std::to_string(at));
    if (outcome.status == LFB_OK) {
      EXPECT_EQ(answered_, kCount);
      outlived++;
    } else {
      EXPECT_EQ(outcome.status, LFB_ERROR_NO_MEMORY) << lfb_status_text(outcome.status);
      EXPECT_EQ(report.Hit().file, -1) << "a call that asks for no memory";
      no_memory++;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(outlived, 10u);
  EXPECT_GT(no_memory, 6u);
  Check(outlived);
}

// One byte per call, in both directions.
TEST_F(LinkCalls, MoveAByte) {
  const lfb_redis_options options = Options();
  const Outcome outcome = Try({Deed::kShortenAll}, [&] { return Count(options); });
  EXPECT_EQ(outcome.status, LFB_OK);
  EXPECT_EQ(answered_, kCount);
  EXPECT_EQ(repeated_, 0u);
  EXPECT_GT(outcome.report.Count("recv"), kCount);
  Check(1);
}

TEST_F(LinkCalls, AreInterrupted) {
  const lfb_redis_options options = Options();
  const Outcome outcome = Try({Deed::kInterruptOften}, [&] { return Count(options); });
  EXPECT_EQ(outcome.status, LFB_OK);
  EXPECT_EQ(answered_, kCount);
  EXPECT_EQ(repeated_, 0u);
  Check(1);
}

}  // namespace
