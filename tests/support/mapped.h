// mapped.h - filters in mapped files, for tests.
#pragma once

#include <lfbloom/mapped.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>
#include <vector>

#include "bloom/filter/claims.h"
#include "tests/support/filters.h"
#include "tests/support/streams.h"

// A new path where no file exists.  The destructor deletes a file there.
class Path {
 public:
  explicit Path(const std::string& folder = testing::TempDir())
      : path_(folder + "/mapped-" + std::to_string(run_) + "-" + std::to_string(next_++)) {}
  ~Path() { unlink(path_.c_str()); }
  const char* c_str() const { return path_.c_str(); }

 private:
  // Not the process's id: processes in different sandboxes may have the same.
  static inline const unsigned run_ = std::random_device()();
  static inline int next_ = 0;
  std::string path_;
};

// Whether processes can share filters of this strategy: guava-mitz64 needs a processor with a
// compare-and-exchange of 16 bytes.
inline bool IsSharable(lfb_strategy_id strategy) {
  return strategy != LFB_GUAVA_MITZ64 || lfb_claims_sharable(LFB_HASH_128) == LFB_OK;
}

inline std::vector<lfb_strategy_id> SharableStrategies() {
  std::vector<lfb_strategy_id> sharable;
  for (const lfb_strategy_id strategy : AllStrategies())
    if (IsSharable(strategy)) sharable.push_back(strategy);
  return sharable;
}

inline Filter Create(const Path& path, const lfb_config& config) {
  return Made<Filter>(lfb_mapped_create, path.c_str(), &config);
}

inline Filter Open(const Path& path) {
  return Made<Filter>(lfb_mapped_open, path.c_str(), nullptr);
}

// The filter is only read.
inline Filter OpenReadOnly(const Path& path) {
  const lfb_filter* filter = nullptr;
  EXPECT_EQ(lfb_mapped_open_read_only(path.c_str(), nullptr, &filter), LFB_OK) << strerror(errno);
  return Filter(const_cast<lfb_filter*>(filter));
}

inline std::string Contents(const Path& path) {
  return FileBytes(path.c_str());
}

inline void Overwrite(const Path& path, const std::string& bytes) {
  std::ofstream(path.c_str(), std::ios::binary | std::ios::trunc) << bytes;
}
