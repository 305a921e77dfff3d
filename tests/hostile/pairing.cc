#include "tests/hostile/pairing.h"

#include <algorithm>

#include "bloom/hashing/hasher.h"

namespace hostile {

namespace {

// The product of two polynomials over GF(2).
uint64_t Product(uint32_t a, uint32_t b) {
  uint64_t product = 0;
  for (unsigned i = 0; i < 32; i++)
    if (b >> i & 1) product ^= uint64_t{a} << i;
  return product;
}

}  // namespace

Pairing32::Pairing32(std::mt19937_64* random)
    : k_(static_cast<uint32_t>((*random)())),
      l_(static_cast<uint32_t>((*random)())),
      key_{(*random)(), (*random)()} {}

uint64_t Pairing32::operator()(uint32_t a, uint32_t b) const {
  unsigned char bytes[8];
  lfb_store_le64(bytes, Product(a ^ k_, b ^ l_));
  return lfb_siphash13(bytes, sizeof bytes, key_);
}

std::optional<uint64_t> LearnPairing(const Act& put, const Act& ask, unsigned shift,
                                     std::mt19937_64* random) {
  constexpr uint64_t kHalf = 1 << 16;
  constexpr unsigned kChecks = 8;
  const uint64_t lane = UINT64_C(0xffffffff) << shift;
  const uint64_t base = (*random)() & lane, c = (*random)() & lane;
  std::vector<std::pair<uint64_t, uint64_t>> checks;
  for (unsigned i = 0; i < kChecks; i++) {
    checks.emplace_back((*random)() & lane, (*random)() & lane);
    put(checks.back().first, checks.back().second);
  }
  for (uint64_t i = 0; i < kHalf; i++) {
    const uint64_t a = base ^ i << shift;
    put(a, a ^ c);
  }
  for (uint64_t j = 0; j < kHalf; j++) {
    const uint64_t a = base ^ j << (16 + shift);
    if (!ask(a, a ^ c)) continue;
    // Of all that were put, one may be the swapped one.
    for (uint64_t i = 0; i < kHalf; i++) {
      const uint64_t secret = (j << 16 ^ i) << shift ^ c;
      const bool all = std::all_of(checks.begin(), checks.end(), [&](const auto& check) {
        return ask(check.second ^ secret, check.first ^ secret);
      });
      if (all) return secret;
    }
  }
  return std::nullopt;
}

std::string LongLanes(uint64_t a, uint64_t b) {
  const std::string half(8, '\0'), block(16, '\0');
  return half + Bytes({a}) + block + half + Bytes({b}) + std::string(144, '\0');
}

}  // namespace hostile
