// mixer.cc - finds the seed of the mixer that hashes numbers where XXH3 hashes bytes, from answers
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
// zeros or ones. Lines are then linear in t. Many changes of two bits of X are near if these bits
// of S are equal and far if not, or the other way round: together they tell all bits of S from two.
// Those and the others are tried.
//
// By lines, "near" is visible. By answers, the filter must be small (about 20 lines, 1,000
// numbers). The attacker puts some random numbers, and then, for each false positive that it
// finds, the number 2.6 % away. Lines with many keys have most of the false positives, and these
// puts give them more keys. In the end one region has nearly all false positives: numbers near
// one are often false positives too, and numbers far from it hardly ever.
#include <algorithm>
#include <cmath>

#include "bloom/hashing/hasher.h"
#include "tests/hostile/attacks.h"

namespace hostile {

namespace {

constexpr uint64_t kFirst = LFB_MURMUR_FINISH_1, kSecond = LFB_MURMUR_FINISH_2;
constexpr unsigned kLow = 30;     // bits of S that bit 29 of u depends on
constexpr unsigned kCoarse = 20;  // the first of them that decide its first 10 bits
constexpr unsigned kHigh = 30;    // bits 33 to 62 of S
constexpr unsigned kSamples = 60;
constexpr int kLead = 6;              // of the nearer pairs
constexpr int kRounds = 100;          // of pairs, at most
constexpr unsigned kRepeats = 3;      // of all, if it fails
constexpr unsigned kRandom = 400;     // numbers to put at first, by answers
constexpr unsigned kHeated = 600;     // to put near false positives
constexpr uint64_t kAsked = 2000000;  // the most queries, by answers
constexpr uint64_t kTop = UINT64_C(1) << 63, kNext = UINT64_C(1) << 62;

uint64_t Bit(unsigned b) { return UINT64_C(1) << b; }
uint64_t Mask(unsigned bits) { return Bit(bits) - 1; }

// The first step of the finaliser, which is its own inverse.
uint64_t Fold(uint64_t x) { return x ^ x >> 33; }

// Pairs of numbers X, X ^ difference; the bits `fixed` of X are those of `value`.
struct Pairs {
  uint64_t fixed, value, difference;
};

// What the attacker can see of where keys are.
class Sight {
 public:
  Sight(Target* target, By by, std::mt19937_64* random)
      : target_(target), by_(by), random_(random) {
    if (by == By::kLines) return;
    for (unsigned i = 0; i < kRandom; i++) target->PutU64((*random)());
    for (unsigned i = 0; i < kHeated; i++)
      if (const auto x = FalsePositive({0, 0, 0})) target->PutU64(Fold(*x ^ kTop));
  }

  // Of some pairs, how many seem to be near each other.
  unsigned Near(const Pairs& pairs) {
    if (by_ == By::kLines) {
      const uint64_t x = Draw(pairs);
      const double apart = Where(Fold(x)) - Where(Fold(x ^ pairs.difference));
      return std::abs(apart - std::nearbyint(apart)) <= 0.075;
    }
    unsigned near = 0;
    for (unsigned i = 0; i < 4; i++)
      if (const auto x = FalsePositive(pairs))
        for (const uint64_t top : {UINT64_C(0), kTop})
          near += target_->AskU64(Fold(*x ^ pairs.difference ^ top));
    return near;
  }

  // Whether a seed explains what the attacker has seen: false positives, or lines.
  bool Explains(uint64_t seed) const {
    if (by_ == By::kLines)
      return std::all_of(lines_.begin(), lines_.end(), [&](const auto& seen) {
        return lfb_multiply_high(lfb_murmur_finish64(seen.first ^ seed), target_->Lines()) ==
               seen.second;
      });
    if (seed == 0 || found_.empty()) return false;  // 0 means a random one
    Target own = target_->Own(seed);
    return std::all_of(found_.begin(), found_.end(), [&](uint64_t n) { return own.AskU64(n); });
  }

  // Whether the attacker gives up.
  bool Exhausted() const { return by_ == By::kAnswers && target_->Asked() >= kAsked; }

 private:
  uint64_t Draw(const Pairs& pairs) { return ((*random_)() & ~pairs.fixed) | pairs.value; }

  // The X of a false positive.
  std::optional<uint64_t> FalsePositive(const Pairs& pairs) {
    while (!Exhausted()) {
      const uint64_t x = Draw(pairs);
      if (!target_->AskU64(Fold(x))) continue;
      found_.push_back(Fold(x));
      return x;
    }
    return std::nullopt;
  }

  // The line of a number, as a part of the filter.
  double Where(uint64_t number) {
    const uint64_t line = target_->LineU64(number);
    if (lines_.size() < 64) lines_.emplace_back(number, line);
    return static_cast<double>(line) / static_cast<double>(target_->Lines());
  }

  Target* target_;
  By by_;
  std::mt19937_64* random_;
  std::vector<uint64_t> found_;
  std::vector<std::pair<uint64_t, uint64_t>> lines_;
};

// Whether the first pairs are nearer than the others, as soon as one lead by enough.
bool Nearer(Sight* sight, const Pairs& one, const Pairs& other) {
  int lead = 0;
  for (int round = 0; round < kRounds && std::abs(lead) < kLead && !sight->Exhausted(); round++)
    lead += static_cast<int>(sight->Near(one)) - static_cast<int>(sight->Near(other));
  return lead >= 0;
}

// ---- the low bits of S

// Bit 29 of u, if the low bits of X ^ S are these.
bool Bit29(uint64_t low) { return kFirst * low >> 29 & 1; }

// What the attacker learnt of bit 29 of u: for these low bits of X it is on, or off.
struct Sample {
  uint64_t low;
  bool on;
};
using Samples = std::vector<Sample>;

bool Learn(Sight* sight, uint64_t low, Samples* samples) {
  const auto pairs = [](uint64_t value) { return Pairs{Mask(kLow), value, kNext}; };
  const bool on = Nearer(sight, pairs(low), pairs(low ^ Bit(29)));
  samples->push_back({low, on});
  return on;
}

// Bits 20 to 28 of S, and bits 20 to 29 of c1 * (the low 20 bits of S, and bit 29); these to some
// percent.
struct Coarse {
  uint64_t bits, rest;
  // Bits 20 to 29 of u, for bits 20 to 29 of X.
  uint64_t U(uint64_t x) const { return (rest + kFirst * (x ^ bits)) & Mask(10); }
};

Coarse LearnCoarse(Sight* sight, std::mt19937_64* random, Samples* samples) {
  for (unsigned i = 0; i < kSamples; i++)
    Learn(sight, ((*random)() & Mask(9)) << kCoarse, samples);
  Coarse best = {0, 0};
  size_t fewest = kSamples, ties = 0;
  for (uint64_t bits = 0; bits <= Mask(9); bits++)
    for (uint64_t rest = 0; rest <= Mask(10); rest++) {
      const Coarse one = {bits, rest};
      size_t wrong = 0;
      for (size_t i = 0; i < samples->size() && wrong <= fewest; i++)
        wrong += (one.U((*samples)[i].low >> kCoarse) >> 9 != 0) != (*samples)[i].on;
      if (wrong < fewest) {
        fewest = wrong;
        best = one;
        ties = 0;
      } else if (wrong == fewest && bits == best.bits && rest == best.rest + ties + 1) {
        ties++;
      }
    }
  best.rest += ties / 2;
  return best;
}

// The low 30 bits of S. A change of bit i of X changes u by c1 * 2^i, up or down; the other bits
// are such that bit 29 of u tells which. If all bits of S are inverted, so are nearly those of u;
// what the attacker learnt fits one of both better.
uint64_t LearnLow(Sight* sight, std::mt19937_64* random) {
  Samples samples;
  const Coarse coarse = LearnCoarse(sight, random, &samples);
  uint64_t edge = 0;
  while (coarse.U(edge) != 0) edge++;
  uint64_t fine = 0;
  for (unsigned i = 0; i < kCoarse; i++) {
    const bool up = !Bit29(Bit(i));
    const bool on = Learn(sight, edge << kCoarse | Bit(i), &samples);
    fine |= uint64_t{on == up} << i;
  }
  const uint64_t one = coarse.bits << kCoarse | fine, top = Bit(29);
  const uint64_t all[] = {one, one ^ top, one ^ Mask(29), one ^ Mask(30)};
  const auto fit = [&](uint64_t s) {
    return std::count_if(samples.begin(), samples.end(), [&](const Sample& sample) {
      return Bit29(sample.low ^ s) == sample.on;
    });
  };
  return *std::max_element(std::begin(all), std::end(all),
                           [&](uint64_t a, uint64_t b) { return fit(a) < fit(b); });
}

// ---- the high bits of S

// How far apart two keys are, as a part of the filter from 0 to 0.5. Their X ^ S differ by `change`
// from bit 33 on, and u is all ones or all zeros.
double Distance(bool ones, int64_t change) {
  const uint64_t t = kFirst * static_cast<uint64_t>(change) << 33;
  const auto whole = static_cast<uint64_t>(static_cast<int64_t>(t) >> 33);
  const uint64_t v = kSecond * ((whole << 33) + (ones ? 0 - whole : whole));
  return std::abs(std::ldexp(static_cast<double>(static_cast<int64_t>(v)), -64));
}

// Two bits of X from bit 33 on. A change of a bit adds it to X ^ S where it is off there, and
// subtracts it where it is on. So if both are equal there, their sum is what moves the line, and
// their difference if not.
struct Two {
  unsigned a, b;
  bool ones;   // of u
  bool equal;  // near if both are equal; otherwise far, and near if not
  double near;
};

// All that tell something, the nearest first.
std::vector<Two> Twos() {
  std::vector<Two> all;
  for (unsigned a = 0; a < kHigh; a++)
    for (unsigned b = 0; b < a; b++)
      for (const bool ones : {false, true})
        for (const bool equal : {false, true}) {
          const auto one = static_cast<int64_t>(Bit(a)), other = static_cast<int64_t>(Bit(b));
          const double near = Distance(ones, equal ? one + other : one - other);
          const double far = Distance(ones, equal ? one - other : one + other);
          if (near <= 0.04 && far >= 0.15) all.push_back({a, b, ones, equal, near});
        }
  std::sort(all.begin(), all.end(), [](const Two& a, const Two& b) { return a.near < b.near; });
  return all;
}

// Bits 33 to 62 of S, here numbered from 0. Two groups of them are left, each of which may be
// inverted.
uint64_t LearnHigh(Sight* sight, uint64_t low, std::vector<uint64_t>* groups) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < kHigh; i++) groups->push_back(Bit(i));
  for (const Two& two : Twos()) {
    const auto group = [&](unsigned bit) {
      return std::find_if(groups->begin(), groups->end(), [&](uint64_t g) { return g >> bit & 1; });
    };
    const auto one = group(two.a), other = group(two.b);
    if (one == other) continue;
    const uint64_t changed = Bit(two.a) | Bit(two.b);
    const uint64_t u = two.ones ? Inverse(kFirst) * Mask(kLow) : 0;
    // Near if these bits of S are equal, or if they are not.
    const auto pairs = [&](bool equal) {
      const uint64_t x = equal == two.equal ? 0 : Bit(two.a);
      return Pairs{Mask(kLow) | changed << 33, ((low ^ u) & Mask(kLow)) | x << 33, changed << 33};
    };
    if (Nearer(sight, pairs(true), pairs(false)) != ((bits >> two.a & 1) == (bits >> two.b & 1)))
      bits ^= *one;
    *other |= *one;
    groups->erase(one);
  }
  return bits;
}

// A seed that explains what was seen, of those that differ where `open` has bits or in the groups
// that are inverted.
std::optional<uint64_t> Try(const Sight& sight, uint64_t s, uint64_t open,
                            const std::vector<uint64_t>& groups) {
  for (uint64_t inverted = 0; inverted < Bit(static_cast<unsigned>(groups.size())); inverted++) {
    uint64_t one = s & ~open;
    for (size_t i = 0; i < groups.size(); i++)
      if (inverted >> i & 1) one ^= groups[i] << 33;
    for (uint64_t more = open;; more = (more - 1) & open) {
      if (sight.Explains(Fold(one | more))) return Fold(one | more);
      if (more == 0) break;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<uint64_t> LearnNumberSeed(Target* target, By by, std::mt19937_64* random) {
  Sight sight(target, by, random);
  for (unsigned i = 0; i < kRepeats && !sight.Exhausted(); i++) {
    std::vector<uint64_t> groups;
    const uint64_t low = LearnLow(&sight, random), high = LearnHigh(&sight, low, &groups);
    if (sight.Exhausted()) break;
    const auto seed = Try(sight, high << 33 | low, UINT64_C(7) << 30 | kTop, groups);
    if (seed) return seed;
  }
  return std::nullopt;
}

}  // namespace hostile
