// fpp_held.cc - writes docs/performance/fpp-held.md: whether the false-positive rate of strategy
// `fast` is the requested one, and not above it, over the whole range.
//
//   ./bazelw run -c opt //tests/strategies/fast:fpp_held > docs/performance/fpp-held.md
//
// An argument limits the keys per filter: 1e6 takes a tenth of the time.
#include "tests/strategies/fast/fpp_held.h"

#include <cstdio>
#include <cstdlib>

namespace {

constexpr double kRates[] = {0.1, 0.01, 0.001, 1e-4, 1e-5, 1e-6};
constexpr uint64_t kSizes[] = {1,      2,       3,         10,         100,        1'000,
                               10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
constexpr double kPut = 1e8;                  // keys in all filters of one cell
constexpr double kWrong = 2e5, kAsked = 5e8;  // Stops at so many false positives, or at kAsked
                                              // queries
constexpr uint64_t kFilters = 20000;          // of one cell, at most

// A measured rate with its 95 % interval: Byar's for the count (Breslow and Day, "Statistical
// Methods in Cancer Research" II, 1987), and that of the filters.
struct Interval {
  double low, high;
};

Interval AskedInterval(const Held& held) {
  const auto bound = [](double count, double z) {
    return count == 0 ? 0 : count * std::pow(1 - 1 / (9 * count) + z / (3 * std::sqrt(count)), 3);
  };
  const double filters = 1.96 * held.FromBitsError();
  const double below = held.Asked() - bound(held.wrong, -1.96) / held.asked;
  const double above = bound(held.wrong + 1, 1.96) / held.asked - held.Asked();
  return {std::max(held.Asked() - std::hypot(below, filters), 0.0),
          held.Asked() + std::hypot(above, filters)};
}

std::string Power(double n) {
  const int exponent = static_cast<int>(std::lround(std::log10(n)));
  return n >= 1000 ? "10^" + std::to_string(exponent) : std::to_string(std::lround(n));
}

void PrintRow(const Held& held, double fpp, uint64_t n, const char* fill, double model) {
  const Interval asked = AskedInterval(held);
  const double bits = held.FromBits() / fpp, error = 1.96 * held.FromBitsError() / fpp;
  std::printf("| %g | %s | %s%.0f | %.4g | %.4g [%.4g, %.4g] | %.4g [%.4g, %.4g] |\n", fpp,
              Power(static_cast<double>(n)).c_str(), fill, held.wrong, model / fpp,
              held.Asked() / fpp, asked.low / fpp, asked.high / fpp, bits,
              std::max(bits - error, 0.0), bits + error);
  std::fflush(stdout);
}

std::vector<Held> MeasureCell(uint64_t n, double fpp, const std::vector<uint64_t>& fills) {
  const uint64_t filters =
      std::clamp<uint64_t>(static_cast<uint64_t>(kPut) / fills.back(), 1, kFilters);
  const double asked = std::min(kWrong / fpp, kAsked) / static_cast<double>(filters);
  return MeasureFpp(n, fpp, fills, filters, static_cast<uint64_t>(asked) + 1);
}

void PrintAtN(uint64_t most) {
  std::printf(
      "## At n keys\n\n"
      "| p | n | false positives | model | asked | from the bits |\n"
      "|---|---|--:|--:|---|---|\n");
  for (double fpp : kRates)
    for (uint64_t n : kSizes)
      if (n <= most) PrintRow(MeasureCell(n, fpp, {n})[0], fpp, n, "", ModelFpp(n, fpp, n));
}

void PrintBeyond(uint64_t most) {
  std::printf(
      "\n## Beyond n\n\n"
      "| p | n | keys put | false positives | model | asked | from the bits |\n"
      "|---|---|---|--:|--:|---|---|\n");
  for (double fpp : kRates)
    for (uint64_t n : {10u, 100u, 10000u, 1000000u}) {
      if (n > most) continue;
      const std::vector<uint64_t> fills = {n + n / 2, 2 * n, 3 * n};
      const std::vector<Held> held = MeasureCell(n, fpp, fills);
      const char* const names[] = {"1.5 n | ", "2 n | ", "3 n | "};
      for (size_t i = 0; i < fills.size(); i++)
        PrintRow(held[i], fpp, n, names[i], ModelFpp(n, fpp, fills[i]));
    }
}

void PrintSizes() {
  std::printf(
      "\n## What it costs\n\n"
      "Bits per key at n = 10^8, and their multiple of the classic filter's -ln p / (ln 2)^2.\n\n"
      "| p | classic | balanced | speed | smallest |\n|---|--:|--:|--:|--:|\n");
  for (double fpp : kRates) {
    const double classic = -std::log(fpp) / std::log(2) / std::log(2);
    std::printf("| %g | %.2f |", fpp, classic);
    for (const auto preference : {LFB_MEMORY_BALANCED, LFB_MEMORY_SPEED, LFB_MEMORY_SMALLEST}) {
      lfb_config config = Config(100'000'000, fpp, LFB_FAST);
      config.memory_preference = preference;
      lfb_stats stats{};
      EXPECT_EQ(lfb_config_plan(&config, &stats), LFB_OK);
      const double bits = static_cast<double>(stats.bit_count) / 1e8;
      std::printf(" %.2f = %.3f x, %u words of %u bits |", bits, bits / classic,
                  stats.words_per_key, stats.probes / stats.words_per_key);
    }
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t most = argc > 1 ? static_cast<uint64_t>(std::atof(argv[1])) : 100'000'000;
  std::printf(
      "<!-- made by: ./bazelw run -c opt //tests/strategies/fast:fpp_held > "
      "docs/performance/fpp-held.md -->\n\n"
      "# Strategy fast: is the requested rate held?\n\n"
      "Filters made for n elements and a rate of p at the default preference, measured in the\n"
      "two ways of tests/strategies/fast/fpp_held.h: by querying keys that were not put, and\n"
      "from the bits.  All rates are multiples of p, measured ones with their 95 %% interval;\n"
      "`model` is lfb_config_fpp_after().  For small n the size rounds up to a whole block, of\n"
      "128 to 1,024 bits, which leaves the rate below p.  Up to one interval in 20 misses the\n"
      "model by chance.  Where almost nothing is found, the intervals are rough.\n\n");
  PrintAtN(most);
  PrintBeyond(most);
  PrintSizes();
}
