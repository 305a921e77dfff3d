// guava_case.h - which filters the Guava test creates. The seed and `number` determine
// everything about a case. GuavaOracle.java draws the same.
#ifndef LFBLOOM_TESTS_ORACLE_GUAVA_CASE_H
#define LFBLOOM_TESTS_ORACLE_GUAVA_CASE_H

#include <lfbloom/filter.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/oracle/element.h"
#include "tests/oracle/facts.h"

namespace oracle {

constexpr uint64_t kSmallCases = 2400;
constexpr uint64_t kCases = kSmallCases + 6;  // the last ones are large
constexpr uint64_t kFirstRead = 1000000;      // forms, some of them damaged
constexpr uint64_t kReads = 2000;
constexpr uint64_t kFirstPlan = 2000000;  // plans only, of filters of any size
constexpr uint64_t kPlans = 6000;

// Elements are numbered within their case; "fill" never puts these.
constexpr uint64_t kAbsent = UINT64_C(1) << 30;
constexpr uint64_t kOther = UINT64_C(1) << 31;

inline double draw_fpp(SplitMix* rng) {
  static const double kUsual[8] = {0.5, 0.3, 0.1, 0.03, 0.01, 0.001, 1e-4, 1e-6};
  static const uint64_t kRefused[10] = {
      0,                             // 0
      UINT64_C(0x8000000000000000),  // -0
      UINT64_C(0x3ff0000000000000),  // 1
      UINT64_C(0xbff0000000000000),  // -1
      UINT64_C(0x7ff8000000000000),  // NaN
      UINT64_C(0x4000000000000000),  // 2
      UINT64_C(0x3fefffffffffffff),  // the number before 1: no bits
      UINT64_C(1),                   // the number after 0: too many probes
      UINT64_C(0x7ff0000000000000),  // infinity
      UINT64_C(0xfff0000000000000),  // -infinity
  };
  const uint32_t how = rng->below(8);
  const uint32_t power = rng->below(how == 7 ? 80 : 20);
  const double unit = rng->unit();
  const bool is_refused = rng->below(40) == 0;
  const uint32_t which = rng->below(80);
  if (is_refused) {
    double fpp;
    std::memcpy(&fpp, &kRefused[which % 10], sizeof fpp);
    return fpp;
  }
  if (how == 0) return kUsual[which % 8];
  if (how <= 4) return unit;
  return unit * std::strtod(("1e-" + std::to_string(power)).c_str(), nullptr);
}

struct GuavaCase {
  uint64_t number;
  Kind kind;
  bool mitz64;
  uint64_t n;
  double fpp;
  uint32_t puts;
  uint32_t asks;
  uint32_t way;        // which functions to call: used on our side only
  uint64_t elements;   // seed of the elements
  SplitMix rng{0};     // for later draws of the case

  lfb_config config() const {
    lfb_config config{};
    config.expected_insertions = n;
    config.fpp = fpp;
    config.strategy = mitz64 ? LFB_GUAVA_MITZ64 : LFB_GUAVA_MITZ32;
    return config;
  }

  Element element(uint64_t index) const { return Element(kind, SplitMix::of(elements, index)); }

  std::string name() const {
    char remark[96];
    std::snprintf(remark, sizeof remark, " # p=%.17g puts=%u way=%u", fpp, puts, way);
    return "case " + std::to_string(number) + " " + kind_name(kind) +
           (mitz64 ? " mitz64" : " mitz32") + " n=" + std::to_string(n) +
           " p=" + hex64(bits_of(fpp)) + remark;
  }
};

inline uint64_t draw_small_n(SplitMix* rng) {
  static const uint32_t kBounds[8] = {4, 20, 20, 300, 300, 300, 2000, 6000};
  const uint32_t bound = kBounds[rng->below(8)];
  return rng->below(bound);
}

inline GuavaCase guava_case(uint64_t seed, uint64_t number) {
  SplitMix rng = SplitMix::of(seed, number);
  GuavaCase c{};
  c.number = number;
  c.kind = static_cast<Kind>(rng.below(kKinds));
  c.mitz64 = rng.below(2) == 1;
  c.n = draw_small_n(&rng);
  c.fpp = draw_fpp(&rng);
  c.asks = 8 + rng.below(200);
  c.way = rng.below(4);
  c.elements = rng.next();
  if (number >= kSmallCases) {
    c.n = 50000 + rng.below(1000000);
    c.fpp = 0.01 + rng.unit() / 32;
    c.asks = 40000;
  } else if (number > 0 && rng.below(3) == 0) {
    // Similar to the previous case, so that put_all() succeeds or is refused for one difference.
    const GuavaCase before = guava_case(seed, number - 1);
    const uint32_t change = rng.below(4);
    c.mitz64 = before.mitz64 != (change == 0);
    c.n = before.n + (change == 1 ? 1 + rng.below(40) : 0);
    c.fpp = change == 2 ? before.fpp * 0.9 : before.fpp;
  }
  const bool is_full = rng.below(16) == 0;
  c.puts = number >= kSmallCases ? 60000
           : is_full             ? 700
                                 : rng.below(2 * (c.n < 300 ? c.n : 300) + 9);
  c.rng = rng;
  return c;
}

// A form and the number of its faults; 0 if it is valid.
struct DamagedForm {
  std::vector<uint8_t> bytes;
  unsigned faults;
};

inline DamagedForm damaged_form(uint64_t seed, uint64_t number) {
  static const int32_t kBadWords[4] = {0, -1, INT32_MIN, -5};
  SplitMix rng = SplitMix::of(seed, number);
  const bool any_strategy = rng.below(6) == 0;
  const uint32_t strategy = rng.below(any_strategy ? 256 : 2);
  const bool no_probes = rng.below(8) == 0;
  const uint32_t probes = no_probes ? 0 : 1 + rng.below(255);
  const bool bad_words = rng.below(8) == 0;
  const int32_t good_words = 1 + static_cast<int32_t>(rng.below(9));
  const int32_t words = bad_words ? kBadWords[rng.below(4)] : good_words;
  const uint32_t fill = rng.below(9);  // 0: no bits, 8: all bits

  DamagedForm form{};
  form.bytes = {static_cast<uint8_t>(strategy), static_cast<uint8_t>(probes)};
  for (int shift = 24; shift >= 0; shift -= 8)
    form.bytes.push_back(static_cast<uint8_t>(static_cast<uint32_t>(words) >> shift));
  for (int32_t i = 0; i < 8 * good_words; i++) {
    uint32_t byte = 0;
    for (int bit = 0; bit < 8; bit++) byte = 2 * byte + (rng.below(8) < fill);
    form.bytes.push_back(static_cast<uint8_t>(byte));
  }
  form.faults = (strategy > 1) + no_probes + bad_words;
  const bool is_cut = rng.below(5) == 0;
  const uint32_t cut = rng.below(form.bytes.size());
  const bool is_followed = rng.below(3) == 0;
  const uint32_t followed = rng.below(20);
  if (is_cut) {
    form.bytes.resize(cut);
    form.faults++;
  } else if (is_followed) {
    form.bytes.resize(form.bytes.size() + followed, 0xab);
  }
  return form;
}

struct Plan {
  uint64_t n;
  double fpp;
};

inline Plan plan(uint64_t seed, uint64_t number) {
  SplitMix rng = SplitMix::of(seed, number);
  const uint32_t size = rng.below(4);
  const uint64_t any = rng.next();
  const uint32_t shift = 1 + rng.below(40);
  Plan plan{};
  if (size <= 1)
    plan.n = (any >> 1) % (size == 0 ? 100 : 1048576);
  else
    plan.n = any >> (size == 2 ? shift : 1);
  plan.fpp = draw_fpp(&rng);
  return plan;
}

}  // namespace oracle

#endif
