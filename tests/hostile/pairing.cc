// pairing.cc - finds a secret of hashes that multiply two words of a key, each combined with a
// secret word, as polynomials over GF(2): CLHASH, UMASH, "PH".
//
// With lanes a, b and secrets k, l, the product is (a ^ k)(b ^ l). Its factors can be swapped: keys
// (a, b) and (b ^ k ^ l, a ^ k ^ l) have one product, so they have one hash. Keys (a, a ^ c) and
// (a', a' ^ c) collide if a ^ a' = k ^ l ^ c. The attack puts 2^16 values of one half of a lane and
// queries 2^16 of the other: all 2^32 differences. With lanes of 32 bits this finds k ^ l, and any
// pair then has a false positive. Lanes of 64 bits need 2^32 of each. The AES hash has this form
// for keys of more than 128 bytes; its lanes of 128 bits need 2^64 of each.
#include "bloom/hashing/hasher.h"
#include "tests/hostile/attacks.h"

namespace hostile {

Pairing32::Pairing32(std::mt19937_64* random)
    : k_(static_cast<uint32_t>((*random)())),
      l_(static_cast<uint32_t>((*random)())),
      key_{(*random)(), (*random)()} {}

uint64_t Pairing32::operator()(uint64_t a, uint64_t b) const {
  uint64_t product = 0;
  for (unsigned i = 0; i < 32; i++)
    if ((b ^ l_) >> i & 1) product ^= ((a & UINT32_MAX) ^ k_) << i;
  const std::string bytes = Bytes({product});
  return lfb_siphash13(bytes.data(), bytes.size(), key_);
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

}  // namespace hostile
