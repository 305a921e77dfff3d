// go_fnv14_ours.cc - go_fnv14_ours SEED FACTS: this library's side of the test of strategy
// go-fnv14 against go_fnv14.go.
#include <lfbloom/filter.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/oracle/facts.h"

namespace oracle {
namespace {

constexpr uint64_t kCases = 48;

// A number is put as a number, and queried alternately as a number and as its text.
struct Value {
  int64_t number;
  std::string text;
};

Value draw_value(SplitMix rng, bool is_number) {
  Value value{};
  if (is_number) {
    const uint64_t any = rng.next();
    const bool is_small = rng.below(4) == 0;
    value.number = is_small ? static_cast<int64_t>((any >> 1) % 20001) - 10000
                            : static_cast<int64_t>(any);
    value.text = std::to_string(value.number);
    return value;
  }
  const bool is_wide = rng.below(16) == 0;
  value.text.resize(rng.below(is_wide ? 500 : 30));
  const bool is_text = rng.below(2) == 0;
  for (char& byte : value.text) {
    const auto any = static_cast<uint8_t>(rng.next() >> 56);
    byte = static_cast<char>(is_text ? 'a' + any % 26 : any);
  }
  return value;
}

bool put(lfb_filter* filter, const Value& value, bool as_number) {
  return as_number ? lfb_filter_put_u64(filter, static_cast<uint64_t>(value.number))
                   : lfb_filter_put(filter, value.text.data(), value.text.size());
}

bool might_contain(const lfb_filter* filter, const Value& value, bool as_number) {
  return as_number ? lfb_filter_might_contain_u64(filter, static_cast<uint64_t>(value.number))
                   : lfb_filter_might_contain(filter, value.text.data(), value.text.size());
}

lfb_filter* create() {
  lfb_config config{};
  config.expected_insertions = 1000000;
  config.fpp = 0.01;  // without effect: the strategy's size is fixed
  config.strategy = LFB_GO_FNV14;
  lfb_filter* filter = nullptr;
  const lfb_status status = lfb_filter_create(&config, &filter);
  if (status == LFB_OK) return filter;
  std::fprintf(stderr, "lfb_filter_create: %s\n", lfb_status_text(status));
  std::exit(2);
}

void try_case(uint64_t seed, uint64_t number, Facts* facts) {
  SplitMix rng = SplitMix::of(seed, number);
  const bool is_number = rng.below(2) == 1;
  const bool is_large = number % 16 == 0;
  const uint32_t some = 1 + rng.below(6000);
  const uint32_t puts = is_large ? 60000 : some;
  const uint64_t values = rng.next();
  const auto value = [=](uint64_t i) { return draw_value(SplitMix::of(values, i), is_number); };
  facts->line("case " + std::to_string(number) + (is_number ? " int64" : " string") +
              " puts=" + std::to_string(puts));

  lfb_filter* filter = create();
  std::vector<bool> puts_new, present, absent;
  for (uint32_t i = 0; i < puts; i++) {
    const bool again = rng.below(8) == 0;
    const uint32_t which = rng.below(i + 1);
    puts_new.push_back(put(filter, value(again ? which : i), is_number));
  }
  for (uint32_t i = 0; i < puts; i++)
    present.push_back(might_contain(filter, value(i), is_number && i % 2));
  for (uint32_t i = 0; i < 6000; i++)
    absent.push_back(might_contain(filter, value((UINT64_C(1) << 30) + i), is_number && i % 2));
  lfb_stats stats;
  lfb_filter_stats(filter, &stats);
  lfb_filter_free(filter);
  facts->answers("put", puts_new);
  facts->answers("present", present);
  facts->answers("absent", absent);
  facts->line("set=" + std::to_string(stats.bits_set));
}

}  // namespace
}  // namespace oracle

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: go_fnv14_ours SEED FACTS\n");
    return 2;
  }
  const uint64_t seed = std::strtoull(argv[1], nullptr, 10);
  oracle::Facts facts(argv[2]);
  for (uint64_t number = 0; number < oracle::kCases; number++)
    oracle::try_case(seed, number, &facts);
  return 0;
}
