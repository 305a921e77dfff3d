#include "tests/hostile/mixer.h"

#include <algorithm>
#include <cmath>

#include "bloom/hashing/hasher.h"

namespace hostile {

namespace {

constexpr uint64_t kFirst = LFB_MURMUR_FINISH_1, kSecond = LFB_MURMUR_FINISH_2;
constexpr unsigned kLow = 30;     // bits of S that bit 29 of u depends on
constexpr unsigned kCoarse = 20;  // the first of them that decide its first 10 bits
constexpr unsigned kSamples = 60;
constexpr unsigned kLead = 6;      // of the nearest pairs
constexpr unsigned kRounds = 100;  // of pairs, at most
constexpr unsigned kRepeats = 3;   // of all, if it fails
constexpr uint64_t kTop = UINT64_C(1) << 63, kNext = UINT64_C(1) << 62;

uint64_t Mask(unsigned bits) { return (UINT64_C(1) << bits) - 1; }

// The first step of the finaliser, which is its own inverse.
uint64_t Fold(uint64_t x) { return x ^ x >> 33; }

// The index of those pairs that are nearest: the first that lead all others by enough.
size_t Nearest(Sight* sight, const std::vector<Pairs>& pairs) {
  std::vector<unsigned> near(pairs.size(), 0);
  size_t best = 0;
  for (unsigned round = 0; round < kRounds && !sight->Exhausted(); round++) {
    for (size_t i = 0; i < pairs.size(); i++) near[i] += sight->Near(pairs[i]);
    best = static_cast<size_t>(std::max_element(near.begin(), near.end()) - near.begin());
    if (std::count_if(near.begin(), near.end(),
                      [&](unsigned one) { return one + kLead > near[best]; }) == 1)
      break;
  }
  return best;
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
  const bool on = Nearest(sight, {pairs(low), pairs(low ^ UINT64_C(1) << 29)}) == 0;
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
    const bool up = !Bit29(UINT64_C(1) << i);
    const bool on = Learn(sight, edge << kCoarse | UINT64_C(1) << i, &samples);
    fine |= uint64_t{on == up} << i;
  }
  const uint64_t one = coarse.bits << kCoarse | fine, top = UINT64_C(1) << 29;
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

constexpr unsigned kHigh = 30;  // bits 33 to 62 of S

// How far apart two keys are, as a part of the filter from 0 to 0.5. Their X ^ S differ by `change`
// from bit 33 on, and u is all ones or all zeros.
double Distance(bool ones, int64_t change) {
  const uint64_t t = kFirst * static_cast<uint64_t>(change) << 33;
  const auto whole = static_cast<uint64_t>(static_cast<int64_t>(t) >> 33);
  const uint64_t v = kSecond * ((whole << 33) + (ones ? 0 - whole : whole));
  return std::abs(std::ldexp(static_cast<double>(static_cast<int64_t>(v)), -64));
}

// A change of t: the sum of `all` bits, of which those of `minus` are negative.
struct Change {
  double distance;
  bool ones;  // of u
  uint64_t all, minus;
};

Change ChangeOf(bool ones, uint64_t all, uint64_t minus) {
  const auto sum = static_cast<int64_t>(all) - 2 * static_cast<int64_t>(minus);
  return {Distance(ones, sum), ones, all, minus};
}

// Finds bits 33 to 62 of S, here numbered from 0. Where bit b of X ^ S is off, a change of the bit
// adds 2^b, otherwise it subtracts it. So for all values that the changed bits of X can have, but
// one and its inverse, the change is not the one that is near.
class High {
 public:
  High(Sight* sight, uint64_t low) : sight_(sight), low_(low) {}

  // The bits, or all of them inverted. `unknown` gets those that were not found.
  uint64_t Learn(uint64_t* unknown) {
    LearnThree();
    while (!sight_->Exhausted() && LearnOne()) {
    }
    *unknown = Mask(kHigh) & ~known_;
    return bits_;
  }

 private:
  static constexpr double kFar = 0.2, kNear = 0.02;

  static uint64_t Bit(unsigned b) { return UINT64_C(1) << b; }

  // The pairs that the change makes, if the changed bits of S are `bits`.
  Pairs Made(const Change& change, uint64_t bits) const {
    const uint64_t y = change.ones ? Inverse(kFirst) * Mask(kLow) : 0;
    const uint64_t low = (low_ ^ y) & Mask(kLow), x = change.minus ^ (bits & change.all);
    return {Mask(kLow) | change.all << 33, low | x << 33, change.all << 33};
  }

  // All subsets of two bits.
  static std::vector<uint64_t> Subsets(uint64_t one, uint64_t other) {
    return {0, one, other, one | other};
  }

  // The change of three bits that is nearest, of those that are far with any other signs, tells two
  // bits if the third is off.
  void LearnThree() {
    Change best = {1, false, 0, 0};
    uint64_t first = 0, second = 0;
    for (unsigned i = 0; i < kHigh; i++)
      for (unsigned j = 0; j < i; j++)
        for (unsigned k = 0; k < j; k++)
          for (unsigned ones = 0; ones < 2; ones++) {
            const Change change = NearestOf(ones, Bit(i) | Bit(j) | Bit(k), Bit(j), Bit(k));
            if (change.distance >= best.distance) continue;
            best = change;
            first = Bit(j);
            second = Bit(k);
          }
    std::vector<Pairs> pairs;
    for (uint64_t bits : Subsets(first, second)) pairs.push_back(Made(best, bits));
    known_ = best.all;
    bits_ = Subsets(first, second)[Nearest(sight_, pairs)];
  }

  // The nearest change of three bits; its distance is 1 if another one is not far.
  static Change NearestOf(bool ones, uint64_t all, uint64_t first, uint64_t second) {
    Change nearest = {1, ones, all, 0};
    unsigned far = 0;
    for (uint64_t minus : Subsets(first, second)) {
      const Change change = ChangeOf(ones, all, minus);
      far += change.distance >= kFar;
      if (change.distance < nearest.distance) nearest = change;
    }
    if (far < 3) nearest.distance = 1;
    return nearest;
  }

  // Another bit, by a near change of it and of up to three known bits; two, if there are many.
  bool LearnOne() {
    const unsigned most = __builtin_popcountll(known_) < 8 ? 3 : 2;
    Change best = {kNear, false, 0, 0};
    for (unsigned b = 0; b < kHigh; b++) {
      if (known_ & Bit(b)) continue;
      Sums(0, most, 0, 0, [&](uint64_t all, uint64_t minus) {
        for (unsigned ones = 0; ones < 2; ones++) {
          const Change change = ChangeOf(ones, all | Bit(b), minus);
          if (change.distance < best.distance &&
              ChangeOf(ones, change.all, minus | Bit(b)).distance >= kFar)
            best = change;
        }
      });
    }
    if (best.all == 0) return false;
    const uint64_t bit = best.all & ~known_;
    if (Nearest(sight_, {Made(best, bits_), Made(best, bits_ | bit)}) == 1) bits_ |= bit;
    known_ |= bit;
    return true;
  }

  // Calls act(all, minus) for all sums of at most `most` known bits from bit `from`.
  template <typename Act>
  void Sums(unsigned from, unsigned most, uint64_t all, uint64_t minus, const Act& act) const {
    act(all, minus);
    if (most == 0) return;
    for (unsigned b = from; b < kHigh; b++) {
      if (!(known_ & Bit(b))) continue;
      Sums(b + 1, most - 1, all | Bit(b), minus, act);
      Sums(b + 1, most - 1, all | Bit(b), minus | Bit(b), act);
    }
  }

  Sight* sight_;
  uint64_t low_, bits_ = 0, known_ = 0;
};

std::optional<uint64_t> LearnOnce(Sight* sight, std::mt19937_64* random) {
  const uint64_t low = LearnLow(sight, random);
  uint64_t unknown = 0;
  const uint64_t high = High(sight, low).Learn(&unknown);
  if (sight->Exhausted()) return std::nullopt;
  // Bits 30 to 32 and 63, and those not found; all subsets of them.
  const uint64_t open = unknown << 33 | UINT64_C(7) << 30 | kTop;
  for (const uint64_t bits : {high, ~high & Mask(kHigh)}) {
    const uint64_t s = (bits << 33 | low) & ~open;
    for (uint64_t more = open;; more = (more - 1) & open) {
      const uint64_t seed = Fold(s | more);
      if (sight->Explains(seed)) return seed;
      if (more == 0) break;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<uint64_t> LearnNumberSeed(Sight* sight, std::mt19937_64* random) {
  for (unsigned i = 0; i < kRepeats && !sight->Exhausted(); i++)
    if (const auto seed = LearnOnce(sight, random)) return seed;
  return std::nullopt;
}

// ---- what answers show

Answers::Answers(Target* target, const lfb_config& config, const Tries& tries,
                 std::mt19937_64* random)
    : target_(target), config_(config), tries_(tries), random_(random) {
  for (unsigned i = 0; i < tries.random; i++) Put((*random)());
  for (unsigned i = 0; i < tries.heated; i++) {
    const auto x = FalsePositive(0, 0);
    if (!x) return;
    Put(Fold(*x ^ kTop));
  }
}

void Answers::Put(uint64_t number) {
  target_->PutU64(number);
  put_.push_back(number);
}

std::optional<uint64_t> Answers::FalsePositive(uint64_t fixed, uint64_t value) {
  while (!Exhausted()) {
    const uint64_t x = ((*random_)() & ~fixed) | value;
    if (!target_->AskU64(Fold(x))) continue;
    found_.push_back(Fold(x));
    return x;
  }
  return std::nullopt;
}

unsigned Answers::Near(const Pairs& pairs) {
  unsigned near = 0;
  for (unsigned i = 0; i < tries_.pairs; i++) {
    const auto x = FalsePositive(pairs.fixed, pairs.value);
    if (!x) break;
    for (const uint64_t top : {UINT64_C(0), kTop})
      near += target_->AskU64(Fold(*x ^ pairs.difference ^ top));
  }
  return near;
}

Target Answers::Own(uint64_t seed) const {
  lfb_config config = config_;
  config.hash = LFB_HASH_XXH3;
  config.seed = seed;
  Target own(config);
  if (own.Made())
    for (const uint64_t number : put_) own.PutU64(number);
  return own;
}

bool Answers::Explains(uint64_t seed) {
  if (seed == 0 || found_.empty()) return false;  // 0 means a random one
  Target own = Own(seed);
  return own.Made() && std::all_of(found_.begin(), found_.end(),
                                   [&](uint64_t number) { return own.AskU64(number); });
}

// ---- what lines show

unsigned Lines::Near(const Pairs& pairs) {
  constexpr double kNear = 0.075;
  const uint64_t x = ((*random_)() & ~pairs.fixed) | pairs.value;
  const uint64_t one = Line(Fold(x)), other = Line(Fold(x ^ pairs.difference));
  const double lines = static_cast<double>(target_->Lines());
  const double apart = std::abs(static_cast<double>(one) - static_cast<double>(other)) / lines;
  return std::min(apart, 1 - apart) <= kNear;
}

uint64_t Lines::Line(uint64_t number) {
  const uint64_t line = target_->LineU64(number);
  if (seen_.size() < kSeen) seen_.emplace_back(number, line);
  return line;
}

bool Lines::Explains(uint64_t seed) {
  return std::all_of(seen_.begin(), seen_.end(), [&](const auto& seen) {
    return lfb_multiply_high(lfb_murmur_finish64(seen.first ^ seed), target_->Lines()) ==
           seen.second;
  });
}

}  // namespace hostile
