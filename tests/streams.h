// streams.h - filters read from bytes in memory.
#pragma once

#include <algorithm>
#include <cstring>

#include "tests/filters.h"

// Bytes as a source that gives at most `step` of them at a time.
struct Source {
  std::string bytes;
  size_t step = SIZE_MAX;
  lfb_status at_end = LFB_OK;
  size_t at = 0;

  static lfb_status Read(void* from, void* bytes, size_t size, size_t* got) {
    Source* source = static_cast<Source*>(from);
    *got = std::min({size, source->step, source->bytes.size() - source->at});
    std::memcpy(bytes, source->bytes.data() + source->at, *got);
    source->at += *got;
    return *got == 0 ? source->at_end : LFB_OK;
  }
};

inline lfb_status ReadFrom(Source source, Filter* filter, const lfb_read_limits& limits) {
  lfb_filter* read = nullptr;
  const lfb_status status = lfb_filter_read(Source::Read, &source, &limits, &read);
  EXPECT_EQ(status == LFB_OK, read != nullptr) << "an output without success, or the reverse";
  Filter owner(read);
  if (filter != nullptr) *filter = std::move(owner);
  return status;
}

inline lfb_status ReadFrom(Source source, Filter* filter = nullptr, uint64_t max_bytes = 0,
                           const uint8_t* key = nullptr) {
  lfb_read_limits limits{};
  limits.max_bytes = max_bytes;
  limits.key = key;
  return ReadFrom(std::move(source), filter, limits);
}
