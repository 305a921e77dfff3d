// java_double_ours.cc - java_double_ours SEED FACTS: our side of the test of
// strategy java-double against the textbook filter in JavaDouble.java.
#include <lfbloom/filter_more.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/oracle/facts.h"

namespace oracle {
namespace {

constexpr uint64_t kCases = 1500;
constexpr uint64_t kLargeCases = 8;

// A key of either kind. A long is also its 8 bytes, little-endian.
struct Key {
  std::vector<uint8_t> bytes;
  uint64_t u64;
};

std::vector<uint8_t> bytes_of(uint64_t value, unsigned size) {
  std::vector<uint8_t> bytes;
  for (unsigned i = 0; i < size; i++) bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
  return bytes;
}

Key draw_key(SplitMix rng, bool is_long) {
  Key key{};
  if (is_long) {
    key.u64 = rng.next();
    key.bytes = bytes_of(key.u64, 8);
    return key;
  }
  const bool is_wide = rng.below(16) == 0;
  key.bytes.resize(rng.below(is_wide ? 1000 : 30));
  for (uint8_t& byte : key.bytes) byte = static_cast<uint8_t>(rng.next() >> 56);
  return key;
}

// One filter, called by either function.
class Ours {
 public:
  Ours(int32_t n, double p, int32_t seed1, int32_t seed2) {
    lfb_config config{};
    config.expected_insertions = static_cast<uint64_t>(n);
    config.fpp = p;
    config.strategy = LFB_JAVA_DOUBLE;
    config.seed = static_cast<uint32_t>(seed1) |
                  static_cast<uint64_t>(static_cast<uint32_t>(seed2)) << 32;
    status = lfb_filter_create(&config, &filter_);
  }
  ~Ours() { lfb_filter_free(filter_); }
  Ours(const Ours&) = delete;
  Ours& operator=(const Ours&) = delete;

  bool put(const Key& key, bool as_u64) {
    return as_u64 ? lfb_filter_put_u64(filter_, key.u64)
                  : lfb_filter_put(filter_, key.bytes.data(), key.bytes.size());
  }

  bool might_contain(const Key& key, bool as_u64) const {
    return as_u64 ? lfb_filter_might_contain_u64(filter_, key.u64)
                  : lfb_filter_might_contain(filter_, key.bytes.data(), key.bytes.size());
  }

  lfb_stats stats() const {
    lfb_stats stats;
    lfb_filter_stats(filter_, &stats);
    return stats;
  }

  lfb_status status;

 private:
  lfb_filter* filter_ = nullptr;
};

int32_t draw_seed(SplitMix* rng) {
  const uint32_t usual = rng->below(4);
  const auto any = static_cast<int32_t>(static_cast<uint32_t>(rng->next() >> 32));
  const int32_t small = static_cast<int32_t>(rng->below(3)) - 1;
  return usual == 0 ? small : any;
}

struct Case {
  uint64_t number;
  bool is_long;
  int32_t n;
  double p;
  int32_t seed1;
  int32_t seed2;
  uint32_t puts;
  uint32_t asks;
  uint64_t keys;
  SplitMix rng{0};
};

Case draw_case(uint64_t seed, uint64_t number) {
  SplitMix rng = SplitMix::of(seed, number);
  const bool is_large = number >= kCases - kLargeCases;
  Case c{};
  c.number = number;
  c.is_long = rng.below(2) == 1;
  const bool is_tiny = rng.below(2) == 0;
  c.n = static_cast<int32_t>(is_large ? 20000 + rng.below(2000000)
                                      : 1 + rng.below(is_tiny ? 10 : 3000));
  const double unit = rng.unit();
  const bool is_plain = rng.below(2) == 0;
  const uint32_t power = rng.below(16);
  c.p = is_plain ? unit
                 : unit * std::strtod(("1e-" + std::to_string(power)).c_str(), nullptr);
  if (is_large) c.p = 0.001 + unit / 16;
  c.seed1 = draw_seed(&rng);
  c.seed2 = draw_seed(&rng);
  c.puts = is_large ? 20000 : rng.below(2 * std::min(c.n, 400) + 9);
  c.asks = is_large ? 20000 : 200;
  c.keys = rng.next();
  c.rng = rng;
  return c;
}

std::string seeds(int32_t seed1, int32_t seed2) {
  return " seeds=" + std::to_string(seed1) + "," + std::to_string(seed2);
}

std::string remark(double p) {
  char text[32];
  std::snprintf(text, sizeof text, " # p=%.17g", p);
  return text;
}

void try_case(uint64_t seed, uint64_t number, Facts* facts) {
  Case c = draw_case(seed, number);
  facts->line("case " + std::to_string(number) + (c.is_long ? " u64" : " bytes") +
              " n=" + std::to_string(c.n) + " p=" + hex64(bits_of(c.p)) +
              seeds(c.seed1, c.seed2) + remark(c.p));
  Ours filter(c.n, c.p, c.seed1, c.seed2);
  if (filter.status != LFB_OK) {
    facts->line(filter.status == LFB_ERROR_NO_BITS ? "no bits" : lfb_status_text(filter.status));
    return;
  }
  facts->line("m=" + std::to_string(filter.stats().bit_count) +
              " k=" + std::to_string(filter.stats().probes));
  const auto key = [&c](uint64_t i) { return draw_key(SplitMix::of(c.keys, i), c.is_long); };
  std::vector<bool> put, present, absent;
  for (uint32_t i = 0; i < c.puts; i++) {
    const bool again = c.rng.below(8) == 0;
    const uint32_t which = c.rng.below(i + 1);
    put.push_back(filter.put(key(again ? which : i), c.is_long));
  }
  // Longs are put as numbers and queried as bytes.
  for (uint32_t i = 0; i < c.puts; i++) present.push_back(filter.might_contain(key(i), false));
  for (uint32_t i = 0; i < c.asks; i++)
    absent.push_back(filter.might_contain(key((UINT64_C(1) << 30) + i), c.is_long));
  facts->answers("put", put);
  facts->answers("present", present);
  facts->answers("absent", absent);
  facts->line("set=" + std::to_string(filter.stats().bits_set));
}

uint32_t unshift(uint32_t x, unsigned shift) {
  uint32_t y = x;
  for (unsigned i = 0; i < 32; i += shift) y = x ^ (y >> shift);
  return y;
}

uint32_t inverse(uint32_t odd) {
  uint32_t x = odd;
  for (int i = 0; i < 5; i++) x *= 2 - odd * x;
  return x;
}

uint32_t rotate_right(uint32_t x, unsigned count) { return x >> count | x << (32 - count); }

// The 4 bytes that murmur3_32 with this seed hashes to `hash`; Java checks that.
std::vector<uint8_t> key_of(uint32_t hash, uint32_t seed) {
  uint32_t h = unshift(hash, 16) * inverse(0xc2b2ae35U);
  h = unshift(unshift(h, 13) * inverse(0x85ebca6bU), 16) ^ 4;
  h = rotate_right((h - 0xe6546b64U) * inverse(5), 13) ^ seed;
  h = rotate_right(h * inverse(0x1b873593U), 15) * inverse(0xcc9e2d51U);
  return bytes_of(h, 4);
}

void try_overflow(int32_t seed1, int32_t seed2, int32_t n, double p, Facts* facts) {
  const Key key{key_of(0x80000000U, static_cast<uint32_t>(seed1)), 0};
  facts->line("case overflow n=" + std::to_string(n) + " p=" + hex64(bits_of(p)) +
              seeds(seed1, seed2) + " key=" + hex(key.bytes.data(), key.bytes.size()));
  Ours filter(n, p, seed1, seed2);
  if (filter.status != LFB_OK) {
    facts->line(lfb_status_text(filter.status));
    return;
  }
  const auto text = [](bool answer) { return answer ? " true" : " false"; };
  std::string line = "put";
  line += text(filter.put(key, false));
  line += text(filter.put(key, false));
  line += text(filter.might_contain(key, false));
  facts->line(line);
  facts->line("set=" + std::to_string(filter.stats().bits_set));
  std::vector<bool> answers;
  for (uint64_t i = 0; i < 4000; i++)
    answers.push_back(filter.might_contain(Key{bytes_of(i, 4), 0}, false));
  facts->answers("answers", answers);
}

// The plan only.
void plan(uint64_t n, double p, Facts* facts) {
  lfb_config config{};
  config.expected_insertions = n;
  config.fpp = p;
  config.strategy = LFB_JAVA_DOUBLE;
  facts->line("case plan n=" + std::to_string(n) + " p=" + hex64(bits_of(p)) + remark(p));
  lfb_stats stats;
  const lfb_status status = lfb_config_plan(&config, &stats);
  if (status == LFB_OK)
    facts->line("m=" + std::to_string(stats.bit_count) + " k=" + std::to_string(stats.probes));
  else if (status == LFB_ERROR_TOO_MANY_BITS)
    facts->line("too large");
  else
    facts->line(status == LFB_ERROR_NO_BITS ? "no bits" : lfb_status_text(status));
}

void try_plan(uint64_t seed, uint64_t number, Facts* facts) {
  SplitMix rng = SplitMix::of(seed, number);
  const uint32_t shift = rng.below(28);
  const uint64_t n =
      std::min<uint64_t>(INT32_MAX, 1 + (rng.below(UINT64_C(1) << 31) >> shift));
  const double unit = rng.unit();
  const uint32_t power = rng.below(40);
  plan(n, unit * std::strtod(("1e-" + std::to_string(power)).c_str(), nullptr), facts);
}

}  // namespace
}  // namespace oracle

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: java_double_ours SEED FACTS\n");
    return 2;
  }
  const uint64_t seed = std::strtoull(argv[1], nullptr, 10);
  oracle::Facts facts(argv[2]);
  for (uint64_t number = 0; number < oracle::kCases; number++)
    oracle::try_case(seed, number, &facts);
  for (int32_t i = 0; i < 40; i++)
    oracle::try_overflow(31 * i - 600, 1000003 * i, 1 + i % 7, 0.3, &facts);
  for (uint64_t i = 0; i < 3000; i++) oracle::try_plan(seed, 1000000 + i, &facts);
  for (uint64_t n = 1488522150; n < 1488522250; n++) oracle::plan(n, 0.5, &facts);
  return 0;
}
