// faults.h - acts whose calls of the system fail, one at a time (calls.h).
#pragma once

#include <gtest/gtest.h>
#include <lfbloom/status.h>

#include <cerrno>
#include <filesystem>
#include <functional>

#include "tests/calls.h"

inline size_t OpenFiles() {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

struct Outcome {
  lfb_status status;
  int cause;
  calls::Report report;
};

// Does it as planned; nothing may stay open, or taken, whatever comes of it.
inline Outcome Try(const calls::Plan& plan, const std::function<lfb_status()>& act) {
  const size_t open = OpenFiles();
  calls::Arm(plan);
  errno = 0;
  const lfb_status status = act();
  const int cause = errno;
  Outcome outcome{status, cause, calls::Disarm()};
  EXPECT_EQ(OpenFiles(), open) << "a file was left open";
  EXPECT_EQ(outcome.report.kept, 0) << "blocks of memory were kept";
  EXPECT_EQ(outcome.report.mapped, 0) << "bytes were left mapped";
  return outcome;
}

// Fails call 1, 2, .. of an act, one at a time, until it makes no more calls; how many.  The
// act comes to what is expected of the call that failed.
inline size_t FailEach(int error, const std::function<lfb_status(const calls::Report&)>& expected,
                       const std::function<lfb_status()>& act,
                       const std::function<void(const Outcome&)>& look) {
  for (size_t at = 1;; at++) {
    const Outcome outcome = Try({calls::Deed::kFail, at, error}, act);
    const calls::Report& report = outcome.report;
    if (report.made.size() < at) {
      EXPECT_EQ(outcome.status, LFB_OK);
      return at - 1;
    }
    SCOPED_TRACE(std::string(report.made[at - 1].name) + ", call " + std::to_string(at) +
                 ", error " + std::to_string(error));
    if (report.hit == 0 || error == EINTR) {
      EXPECT_EQ(outcome.status, LFB_OK);
    } else {
      EXPECT_EQ(outcome.status, expected(report));
      if (outcome.status != LFB_OK && outcome.status != LFB_ERROR_NO_MEMORY) {
        EXPECT_EQ(outcome.cause, outcome.status == LFB_ERROR_MAP ? ENOMEM : error);
      }
    }
    look(outcome);
    if (testing::Test::HasFailure()) return at;
  }
}
