// pairing.h - finds a secret of hashes that multiply two words of a key, each combined with a
// secret word, as polynomials over GF(2): CLHASH, UMASH, "PH".
//
// With lanes a, b and secrets k, l, the product is (a ^ k)(b ^ l). Its factors can be swapped: keys
// (a, b) and (b ^ k ^ l, a ^ k ^ l) have one product, so they have one hash. Keys (a, a ^ c) and
// (a', a' ^ c) collide if a ^ a' = k ^ l ^ c. The attack puts 2^16 values of one half of a lane and
// queries 2^16 of the other: all 2^32 differences. With lanes of 32 bits this finds k ^ l, and any
// pair then has a false positive. Lanes of 64 bits need 2^32 of each. The AES hash has this form for
// keys of more than 128 bytes; its lanes of 128 bits need 2^64 of each.
#pragma once

#include <functional>
#include <optional>

#include "tests/hostile/target.h"

namespace hostile {

// A hash of this form with lanes of 32 bits, and SipHash of the product.
class Pairing32 {
 public:
  explicit Pairing32(std::mt19937_64* random);
  uint64_t operator()(uint32_t a, uint32_t b) const;
  uint32_t Secret() const { return k_ ^ l_; }  // what the attack finds

 private:
  uint32_t k_, l_;
  uint64_t key_[2];
};

// Puts or queries the key of two lanes.
using Act = std::function<bool(uint64_t a, uint64_t b)>;

// k ^ l, if it is a number of 32 bits, shifted by `shift`; none if answers do not reveal it.
std::optional<uint64_t> LearnPairing(const Act& put, const Act& ask, unsigned shift,
                                     std::mt19937_64* random);

// The key of two lanes, of 8 or 16 bytes each; the lanes end with these words.
template <unsigned bytes>
std::string Lanes(uint64_t a, uint64_t b) {
  const std::string fill(bytes - 8, '\0');
  return fill + Bytes({a}) + fill + Bytes({b});
}

// A key of 192 bytes. Its first group of 64 has such lanes of 16 bytes where the AES hash multiplies
// them: blocks 0 and 2.
std::string LongLanes(uint64_t a, uint64_t b);

}  // namespace hostile
