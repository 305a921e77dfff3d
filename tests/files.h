// files.h - a directory of its own for each test of files.
#pragma once

#include <filesystem>
#include <fstream>

#include "tests/filters.h"

class Files : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::path(testing::TempDir()) /
                 testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
  }
  std::string Path(const std::string& name) const { return (directory_ / name).string(); }
  std::string Content(const std::string& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  size_t Entries() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(directory_), {}));
  }
  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(Path(name), std::ios::binary) << bytes;
  }
  lfb_status Load(const std::string& name, Filter* filter = nullptr) const {
    lfb_filter* loaded = nullptr;
    const lfb_status status = lfb_filter_load(Path(name).c_str(), nullptr, &loaded);
    Filter owner(loaded);
    if (filter != nullptr) *filter = std::move(owner);
    return status;
  }
  std::filesystem::path directory_;
};
