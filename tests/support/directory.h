// directory.h - a test fixture with a new directory for each test.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

class InDirectory : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::path(testing::TempDir()) /
                 testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
  }
  std::string Path(const std::string& name) const { return (directory_ / name).string(); }

  std::filesystem::path directory_;
};
