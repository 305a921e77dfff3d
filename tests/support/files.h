// files.h - a test fixture for files in a test's own directory.
#pragma once

#include <filesystem>
#include <fstream>

#include "tests/support/directory.h"
#include "tests/support/filters.h"
#include "tests/support/streams.h"

class Files : public InDirectory {
 protected:
  std::string Content(const std::string& name) const {
    return FileBytes(Path(name));
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
};
