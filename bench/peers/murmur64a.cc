// murmur64a.cc - std::hash of the GNU C++ library: MurmurHash64A with a fixed seed, on machines of
// 64 bits.
#include <functional>
#include <string_view>

extern "C" {
#include "bench/benches.h"
}

uint64_t lfb_peer_murmur64a(const void* bytes, size_t size) {
  return std::hash<std::string_view>()({static_cast<const char*>(bytes), size});
}
