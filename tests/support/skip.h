// skip.h - skips a test and reports why: `return Skip("no seccomp here");`.
//
// Each skip writes a line to the test's log, and bazelw lists these lines at its end.  With
// LFBLOOM_NO_SKIP=1, which .ci/stages.sh sets, a skipped test fails.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

inline std::string SkippedTest() {
  const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
  return std::string(test->test_suite_name()) + "." + test->name();
}

// Skips the running test because the host lacks something that it could be given: a right, a
// package, memory, a network.
inline void Skip(const std::string& why) {
  const char* const none = std::getenv("LFBLOOM_NO_SKIP");
  const std::string line = "SKIPPED: " + SkippedTest() + ": " + why;
  if (none != nullptr && std::string(none) == "1") FAIL() << line;
  GTEST_SKIP() << line;
}

// Skips the running test because the processor, the emulator, or the build with a sanitizer lacks
// something that no right and no package provides.  Use it for no other reason.
inline void NotHere(const std::string& why) {
  GTEST_SKIP() << "NOT ON THIS MACHINE: " << SkippedTest() << ": " << why;
}
