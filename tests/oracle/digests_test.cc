// digests_test.cc - strategies java-double and go-fnv14 answer as the programs they are named
// after: tests/golden/strategies.digests has what those printed, and says how.
#include <lfbloom/filter_more.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/support/filters.h"

namespace {

// ---- random numbers, and the digest: the same in all three languages

uint64_t Mix(uint64_t z) {
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}
// Number `i` of a source; it is itself the source of others.
uint64_t Draw(uint64_t source, uint64_t i) {
  return Mix(source + (i + 1) * UINT64_C(0x9e3779b97f4a7c15));
}
uint32_t Below(uint64_t bound, uint64_t source, uint64_t i) {
  return static_cast<uint32_t>((Draw(source, i) >> 33) % bound);
}
double Unit(uint64_t source, uint64_t i) {
  return static_cast<double>(Draw(source, i) >> 11) * 0x1p-53;
}

struct Digest {
  uint64_t sum = 0;
  void Add(uint64_t fact) { sum = Mix(sum ^ fact); }
  void Add(bool fact) { Add(UINT64_C(2) - fact); }
};

// ---- keys

// A number is put by one function, and queried by both: as a number, and as the bytes that stand
// for it.
struct Key {
  std::string bytes;
  uint64_t number;
  bool is_number;
};

bool Put(const Filter& filter, const Key& key) {
  return key.is_number ? lfb_filter_put_u64(filter.get(), key.number)
                       : lfb_filter_put(filter.get(), key.bytes.data(), key.bytes.size());
}

bool Has(const Filter& filter, const Key& key, bool as_number) {
  return key.is_number && as_number
             ? lfb_filter_might_contain_u64(filter.get(), key.number)
             : lfb_filter_might_contain(filter.get(), key.bytes.data(), key.bytes.size());
}

std::string Little(uint64_t value, unsigned size) {
  std::string bytes;
  for (unsigned i = 0; i < size; i++) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

Key JavaKey(uint64_t source, bool is_number) {
  const uint64_t number = Draw(source, 0);
  if (is_number) return {Little(number, 8), number, true};
  std::string bytes(Below(Below(16, source, 1) == 0 ? 1000 : 30, source, 0), 0);
  for (size_t i = 0; i < bytes.size(); i++) bytes[i] = static_cast<char>(Draw(source, 2 + i));
  return {bytes, 0, false};
}

// A number stands for its decimal digits.
Key GoKey(uint64_t source, bool is_number) {
  if (is_number) {
    const auto number = Below(4, source, 0) == 0 ? int64_t{Below(20001, source, 1)} - 10000
                                                 : static_cast<int64_t>(Draw(source, 1));
    return {std::to_string(number), static_cast<uint64_t>(number), true};
  }
  std::string bytes(Below(Below(16, source, 0) == 0 ? 500 : 30, source, 1), 0);
  for (size_t i = 0; i < bytes.size(); i++) {
    const auto byte = static_cast<uint8_t>(Draw(source, 3 + i));
    bytes[i] = static_cast<char>(Below(2, source, 2) == 0 ? 'a' + byte % 26 : byte);
  }
  return {bytes, 0, false};
}

// ---- the cases

lfb_config Java(uint64_t n, double p, uint32_t seed1, uint32_t seed2) {
  lfb_config config = Config(n, p, LFB_JAVA_DOUBLE);
  config.seed = seed1 | uint64_t{seed2} << 32;
  return config;
}

// m and k, or 0 if the strategy has no bits for this, or -1 if it has too many.
bool AddPlan(const lfb_config& config, Digest* digest) {
  lfb_stats stats;
  const lfb_status status = lfb_config_plan(&config, &stats);
  if (status == LFB_OK) {
    digest->Add(stats.bit_count);
    digest->Add(uint64_t{stats.probes});
  } else {
    EXPECT_TRUE(status == LFB_ERROR_NO_BITS || status == LFB_ERROR_TOO_MANY_BITS);
    digest->Add(status == LFB_ERROR_NO_BITS ? UINT64_C(0) : UINT64_MAX);
  }
  return status == LFB_OK;
}

uint32_t JavaSeed(uint64_t source, uint64_t i) {
  return Below(4, source, i) == 0 ? Below(3, source, i + 1) - 1
                                  : static_cast<uint32_t>(Draw(source, i + 1));
}

void JavaCase(uint64_t number, Digest* digest) {
  const uint64_t s = Draw(0, number);
  const bool large = number >= 1492, is_number = number % 2 == 1;
  const uint32_t n = large ? 20000 + Below(2000000, s, 0)
                           : 1 + Below(Below(2, s, 1) == 0 ? 10 : 3000, s, 0);
  const double p = large ? 0.001 + Unit(s, 2) / 16
                         : std::ldexp(Unit(s, 2), Below(2, s, 3) == 0 ? 0 : -int(Below(50, s, 4)));
  const lfb_config config = Java(n, p, JavaSeed(s, 5), JavaSeed(s, 7));
  if (!AddPlan(config, digest)) return;
  const uint32_t puts = large ? 20000 : Below(2 * std::min(n, 400u) + 9, s, 9);
  const Filter filter = Make(config);
  for (uint64_t i = 0; i < puts; i++) {
    const bool again = Below(8, s, 50000 + i) == 0;
    const uint64_t which = again ? Below(i + 1, s, 90000 + i) : i;
    digest->Add(Put(filter, JavaKey(Draw(s, 1000 + which), is_number)));
  }
  for (uint64_t i = 0; i < puts; i++)
    digest->Add(Has(filter, JavaKey(Draw(s, 1000 + i), is_number), false));
  for (uint64_t i = 0; i < (large ? 20000 : 200); i++)
    digest->Add(Has(filter, JavaKey(Draw(s, 200000 + i), is_number), true));
  digest->Add(Stats(filter).bits_set);
}

// The key's first hash is -2^31, on which the textbook throws.
void JavaOverflow(uint32_t i, uint64_t key, Digest* digest) {
  const Filter filter = Make(Java(1 + i % 7, 0.3, 31 * i - 600, 1000003 * i));
  const Key text = {Little(key, 4), 0, false};
  digest->Add(Put(filter, text));
  digest->Add(Put(filter, text));
  digest->Add(Has(filter, text, false));
  for (uint64_t at = 0; at < 4000; at++)  // shows which bits are set
    digest->Add(Has(filter, {Little(at, 4), 0, false}, false));
  digest->Add(Stats(filter).bits_set);
}

void JavaPlan(uint64_t number, Digest* digest) {
  if (number >= 3000) {  // m up to 2^31
    AddPlan(Java(1488522150 + number - 3000, 0.5, 0, 1), digest);
    return;
  }
  const uint64_t s = Draw(1, number);
  const uint64_t n = 1 + (Below(UINT64_C(1) << 31, s, 0) >> Below(28, s, 1));
  AddPlan(Java(std::min<uint64_t>(n, INT32_MAX),
               std::ldexp(Unit(s, 2), -static_cast<int>(Below(130, s, 3))), 0, 1),
          digest);
}

void GoCase(uint64_t number, Digest* digest) {
  const uint64_t s = Draw(2, number);
  const bool is_number = number % 2 == 1;
  const uint64_t puts = number % 16 < 2 ? 60000 : 1 + Below(6000, s, 0);
  const Filter filter = Make(1000000, 0.01, LFB_GO_FNV14);  // its size is fixed
  for (uint64_t i = 0; i < puts; i++) {
    const bool again = Below(8, s, 100000 + i) == 0;
    const uint64_t which = again ? Below(i + 1, s, 200000 + i) : i;
    digest->Add(Put(filter, GoKey(Draw(s, 1000 + which), is_number)));
  }
  for (uint64_t i = 0; i < puts; i++)
    digest->Add(Has(filter, GoKey(Draw(s, 1000 + i), is_number), i % 2));
  for (uint64_t i = 0; i < 6000; i++)
    digest->Add(Has(filter, GoKey(Draw(s, 300000 + i), is_number), i % 2));
  digest->Add(Stats(filter).bits_set);
}

// ---- the digests

struct Kind {
  uint64_t count, cases;  // of digests, and of cases of each
  void (*run)(uint64_t number, Digest* digest);
};

const std::map<std::string, Kind> kKinds = {{"java-double", {75, 20, JavaCase}},
                                            {"java-plans", {31, 100, JavaPlan}},
                                            {"java-overflow", {40, 1, nullptr}},
                                            {"go-fnv14", {12, 4, GoCase}}};

// Each line is KIND COUNT DIGEST [KEY...].
TEST(Digests, AreThoseOfTheOthers) {
  std::ifstream file("tests/golden/strategies.digests");
  size_t lines = 0;
  for (std::string line, name; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    uint64_t count = 0, expected = 0, key = 0;
    words >> name >> count >> std::hex >> expected;
    ASSERT_TRUE(words && kKinds.count(name) == 1) << line;
    const Kind& kind = kKinds.at(name);
    ASSERT_EQ(count, kind.count);
    Digest all;
    for (uint64_t number = 0; number < count; number++) {
      Digest digest;
      if (kind.run == nullptr) {
        ASSERT_TRUE(words >> key) << line;
        JavaOverflow(static_cast<uint32_t>(number), key, &digest);
      } else {
        for (uint64_t i = 0; i < kind.cases; i++) kind.run(kind.cases * number + i, &digest);
      }
      all.Add(digest.sum);
    }
    EXPECT_EQ(all.sum, expected) << line;
    lines++;
  }
  EXPECT_EQ(lines, kKinds.size());
}

}  // namespace
