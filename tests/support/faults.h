// faults.h - makes the system calls of an act fail, one at a time (calls.h).
#pragma once

#include <gtest/gtest.h>
#include <lfbloom/status.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <map>

#include "tests/support/calls.h"

inline size_t OpenFiles() {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                                           {}));
}

// The usual status of a library function when this system call fails.  LFB_OK: the function does
// something else instead, or nothing depends on the call.
inline lfb_status StatusOf(const std::string& call) {
  static const std::map<std::string, lfb_status> statuses = {
      // memory
      {"malloc", LFB_ERROR_NO_MEMORY},          {"calloc", LFB_ERROR_NO_MEMORY},
      {"realloc", LFB_ERROR_NO_MEMORY},         {"aligned_alloc", LFB_ERROR_NO_MEMORY},
      {"strdup", LFB_ERROR_NO_MEMORY},          {"strndup", LFB_ERROR_NO_MEMORY},
      {"mmap", LFB_ERROR_NO_MEMORY},            {"madvise", LFB_OK},
      // files
      {"open", LFB_ERROR_OPEN},                 {"stat", LFB_ERROR_OPEN},
      {"lstat", LFB_ERROR_OPEN},                {"fstat", LFB_ERROR_OPEN},
      {"readlink", LFB_ERROR_OPEN},             {"opendir", LFB_ERROR_OPEN},
      {"readdir", LFB_ERROR_OPEN},              {"linkat", LFB_OK},
      {"read", LFB_ERROR_READ},                 {"pread", LFB_ERROR_READ},
      {"write", LFB_ERROR_WRITE},               {"pwrite", LFB_ERROR_WRITE},
      {"lseek", LFB_ERROR_WRITE},               {"fchmod", LFB_ERROR_WRITE},
      {"ftruncate", LFB_ERROR_WRITE},           {"fallocate", LFB_ERROR_WRITE},
      {"posix_fallocate", LFB_ERROR_WRITE},     {"fsync", LFB_ERROR_SYNC},
      {"msync", LFB_ERROR_SYNC},                {"rename", LFB_ERROR_RENAME},
      {"fstatfs", LFB_OK},                      {"getrlimit", LFB_OK},
      {"access", LFB_OK},                       {"unlink", LFB_OK},
      {"close", LFB_OK},
      // threads, and others
      {"pthread_create", LFB_ERROR_NO_THREAD},  {"pthread_cond_init", LFB_ERROR_NO_MEMORY},
      {"pthread_condattr_init", LFB_ERROR_NO_MEMORY},
      {"getrandom", LFB_ERROR_NO_RANDOM},       {"eventfd", LFB_ERROR_NO_MEMORY},
      // sockets
      {"getaddrinfo", LFB_ERROR_NO_MEMORY},
      {"redisReaderCreateWithFunctions", LFB_ERROR_NO_MEMORY},
      {"socket", LFB_ERROR_REDIS_CONNECT},
      {"connect", LFB_ERROR_REDIS_CONNECT},     {"getsockopt", LFB_ERROR_REDIS_CONNECT},
      {"setsockopt", LFB_OK},                   {"poll", LFB_OK},
      {"send", LFB_ERROR_REDIS_LOST},           {"recv", LFB_ERROR_REDIS_LOST},
  };
  const auto found = statuses.find(call);
  EXPECT_NE(found, statuses.end()) << "calls.cc fails " << call << ", and no status is expected";
  return found == statuses.end() ? LFB_OK : found->second;
}

struct Outcome {
  lfb_status status;
  int cause;
  calls::Report report;
};

// Runs the act by the plan.  Regardless of the result, no file may stay open, and no memory taken.
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

// Fails call 1, then call 2 and so on, one at a time, until the act makes no further call.  Returns
// the number of calls.  Each time the act must return the status expected for the call that failed.
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
