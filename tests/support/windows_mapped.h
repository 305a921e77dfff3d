// windows_mapped.h - making and opening windows in files that processes share, for tests.
#pragma once

#include <lfbloom/window_mapped.h>

#include "tests/support/mapped.h"
#include "tests/support/windows.h"

// Processes can share a window only if their processor can exchange 16 bytes, as claims in a file
// need. A test's program skips all tests without it: testing::AddGlobalTestEnvironment(new
// SharableHere).
class SharableHere : public testing::Environment {
  void SetUp() override {
    if (!lfb_pair_runs_here()) GTEST_SKIP() << "NOT ON THIS MACHINE: no exchange of 16 bytes";
  }
};

inline Window CreateWindow(const Path& path, const lfb_window_config& config) {
  return Made<Window>(lfb_window_mapped_create, path.c_str(), &config);
}

inline Window OpenWindow(const Path& path) {
  return Made<Window>(any::open_shared<lfb_window>, path.c_str(), nullptr);
}
