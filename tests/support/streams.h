// streams.h - filters read from bytes in memory.
#pragma once

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "tests/support/filters.h"

inline std::string FileBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A source of bytes that returns at most `step` of them at a time.
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

// Calls an lfb_*_read() function.  `owner` owns the result unless it is null.
template <typename Read, typename Owner>
lfb_status ReadBy(const Read& read, Source source, Owner* owner,
                  const lfb_read_limits& limits = {}) {
  typename Owner::pointer made = nullptr;
  const lfb_status status = read(Source::Read, &source, &limits, &made);
  EXPECT_EQ(status == LFB_OK, made != nullptr) << "an output without success, or the reverse";
  Owner owned(made);
  if (owner != nullptr) *owner = std::move(owned);
  return status;
}

inline lfb_status ReadFrom(Source source, Filter* filter, const lfb_read_limits& limits) {
  return ReadBy(lfb_filter_read, std::move(source), filter, limits);
}

inline lfb_status ReadFrom(Source source, Filter* filter = nullptr, uint64_t max_bytes = 0,
                           const uint8_t* key = nullptr) {
  lfb_read_limits limits{};
  limits.max_bytes = max_bytes;
  limits.key = key;
  return ReadFrom(std::move(source), filter, limits);
}
