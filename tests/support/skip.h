// skip.h - a test that is not run says why: `return Skip("no seccomp here");`.
//
// Each leaves a line in the test's log that .ci/run lists at its end.  Where LFBLOOM_NO_SKIP=1,
// as .ci/run has it, a test that is skipped fails.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

inline std::string SkippedTest() {
  const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
  return std::string(test->test_suite_name()) + "." + test->name();
}

// The running test is left out, for want of what a machine can be given: a right, a package,
// memory, a network.
inline void Skip(const std::string& why) {
  const char* const none = std::getenv("LFBLOOM_NO_SKIP");
  const std::string line = "SKIPPED: " + SkippedTest() + ": " + why;
  if (none != nullptr && std::string(none) == "1") FAIL() << line;
  GTEST_SKIP() << line;
}

// The running test is left out, for want of what no right and no package gives: the processor,
// the emulator, or the build with a sanitizer cannot.  Nothing else may be said with this.
inline void NotHere(const std::string& why) {
  GTEST_SKIP() << "NOT ON THIS MACHINE: " << SkippedTest() << ": " << why;
}
