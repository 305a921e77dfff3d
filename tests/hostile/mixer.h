// mixer.h - finds the seed of the mixer that hashes numbers where XXH3 hashes bytes, from answers
// or from lines.
//
// The hash of number n is Murmur's finaliser of n ^ seed. With X = n ^ n >> 33 and S made from the
// seed in the same way, it is
//
//   z = (X ^ S) * c1,  w = z ^ z >> 33,  v = w * c2,  hash = v ^ v >> 33
//
// and a key's line is v's top bits. An attacker chooses X. Call t the top 31 bits of z, u the low
// 31. Then w is 2^33 * t + (t ^ u), with two bits of z in between. If bit b of t is turned on, the
// line moves by c2 * 2^b * (2^33 + 1), or by c2 * 2^b * (2^33 - 1) if bit b of u is on.
//
// For bit 63 of X both are 2.6 % of the filter. For bit 62 they are half of the filter, or 1.3 % if
// bit 29 of u is on. So an attacker that can tell "near" from "far" knows bit 29 of c1 * (X ^ S)
// for any X. Some 80 such bits give the low 30 bits of S. With them, the attacker chooses a u of
// zeros or ones. Lines are then linear in t. A change of few bits of X is near or far, which tells
// one bit of S. So the attacker finds one more bit after another; the last six it tries.
//
// By lines, "near" is visible. By answers, the filter must be small (about 20 lines, 1,000
// numbers). The attacker puts some random numbers, and then, for each false positive that it
// finds, the number 2.6 % away. Lines with many keys have most of the false positives, and these
// puts give them more keys. In the end one region has nearly all false positives: numbers near
// one are often false positives too, and numbers far from it hardly ever.
#pragma once

#include <optional>

#include "tests/hostile/target.h"

namespace hostile {

// Pairs of numbers X, X ^ difference; the bits `fixed` of X are those of `value`.
struct Pairs {
  uint64_t fixed, value, difference;
};

// What an attacker can see of where keys are.
class Sight {
 public:
  virtual ~Sight() = default;
  // Of some pairs, how many seem to be near each other.
  virtual unsigned Near(const Pairs& pairs) = 0;
  // Whether a seed explains what the attacker has seen.
  virtual bool Explains(uint64_t seed) = 0;
  // Whether the attacker gives up.
  virtual bool Exhausted() const = 0;
};

// Sees answers only.
class Answers : public Sight {
 public:
  struct Tries {
    unsigned random = 400;     // numbers to put at first
    unsigned heated = 600;     // to put near false positives
    unsigned pairs = 4;        // at once
    uint64_t asked = 2000000;  // the most queries
  };
  // The attacker knows the configuration, except for the seed.
  Answers(Target* target, const lfb_config& config, const Tries& tries, std::mt19937_64* random);
  unsigned Near(const Pairs& pairs) override;
  bool Explains(uint64_t seed) override;
  bool Exhausted() const override { return target_->Asked() >= tries_.asked; }
  // A filter of the attacker's own, with that seed and all that it put.
  Target Own(uint64_t seed) const;

 private:
  std::optional<uint64_t> FalsePositive(uint64_t fixed, uint64_t value);
  void Put(uint64_t number);

  Target* target_;
  lfb_config config_;
  Tries tries_;
  std::mt19937_64* random_;
  std::vector<uint64_t> put_, found_;
};

// Sees the line of each number that it queries: more than any measured time tells.
class Lines : public Sight {
 public:
  Lines(Target* target, std::mt19937_64* random) : target_(target), random_(random) {}
  unsigned Near(const Pairs& pairs) override;
  bool Explains(uint64_t seed) override;
  bool Exhausted() const override { return false; }

 private:
  static constexpr size_t kSeen = 64;
  uint64_t Line(uint64_t number);

  Target* target_;
  std::mt19937_64* random_;
  std::vector<std::pair<uint64_t, uint64_t>> seen_;
};

// The seed, or none if what the attacker sees does not reveal it.
std::optional<uint64_t> LearnNumberSeed(Sight* sight, std::mt19937_64* random);

}  // namespace hostile
