// compare.cc - compare EXPECTED ACTUAL CASES: checks that two fact files (facts.h) agree and
// have at least CASES cases. For each of the first cases that differ it shows the case and its
// first differing fact.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Case {
  std::string name;
  std::string remark;
  std::vector<std::string> facts;
};

struct Totals {
  size_t cases = 0;
  size_t facts = 0;
  size_t one_ulp_off = 0;
  size_t differing = 0;
};

std::vector<Case> read_cases(const char* path) {
  std::ifstream file(path);
  if (!file) {
    std::perror(path);
    std::exit(2);
  }
  std::vector<Case> cases;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("case ", 0) == 0) {
      const size_t remark = line.find(" # ");
      cases.push_back({line.substr(0, remark),
                       remark == std::string::npos ? "" : line.substr(remark), {}});
    } else if (cases.empty()) {
      std::cerr << path << " starts with a fact of no case: " << line << "\n";
      std::exit(2);
    } else {
      cases.back().facts.push_back(line);
    }
  }
  return cases;
}

// Doubles of one sign are ordered like their bits.
bool within_one_ulp(const std::string& a, const std::string& b) {
  const uint64_t x = std::strtoull(a.c_str() + 1, nullptr, 16);
  const uint64_t y = std::strtoull(b.c_str() + 1, nullptr, 16);
  return (x > y ? x - y : y - x) <= 1;
}

bool same_fact(const std::string& a, const std::string& b, Totals* totals) {
  if (a == b) return true;
  std::istringstream left(a), right(b);
  std::string x, y;
  bool one_ulp_off = false;
  while (true) {
    const bool more_left = static_cast<bool>(left >> x);
    const bool more_right = static_cast<bool>(right >> y);
    if (more_left != more_right) return false;
    if (!more_left) break;
    if (x == y) continue;
    if (x[0] != '~' || y[0] != '~' || !within_one_ulp(x, y)) return false;
    one_ulp_off = true;
  }
  totals->one_ulp_off += one_ulp_off;
  return true;
}

void show(const Case& expected, const Case& actual, const std::string& should,
          const std::string& is) {
  std::cout << "DIFFERS: " << expected.name << actual.remark << "\n  expected: " << should
            << "\n  actual:   " << is << "\n";
}

bool same_case(const Case& expected, const Case& actual, bool quiet, Totals* totals) {
  if (expected.name != actual.name) {
    if (!quiet) show(expected, actual, expected.name, actual.name);
    return false;
  }
  const size_t count = std::max(expected.facts.size(), actual.facts.size());
  for (size_t i = 0; i < count; i++) {
    const std::string should = i < expected.facts.size() ? expected.facts[i] : "(no further fact)";
    const std::string is = i < actual.facts.size() ? actual.facts[i] : "(no further fact)";
    if (same_fact(should, is, totals)) continue;
    if (!quiet) show(expected, actual, should, is);
    return false;
  }
  totals->facts += count;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: compare EXPECTED ACTUAL CASES\n";
    return 2;
  }
  const std::vector<Case> expected = read_cases(argv[1]);
  const std::vector<Case> actual = read_cases(argv[2]);
  const size_t wanted = std::strtoull(argv[3], nullptr, 10);
  Totals totals;

  for (size_t i = 0; i < expected.size() && i < actual.size(); i++) {
    totals.cases++;
    totals.differing += !same_case(expected[i], actual[i], totals.differing >= 5, &totals);
  }
  std::cout << totals.cases << " cases, " << totals.facts << " facts agree ("
            << totals.one_ulp_off << " with a double one unit in the last place off), "
            << totals.differing << " cases differ\n";
  if (expected.size() != actual.size()) {
    std::cout << "DIFFERS: " << expected.size() << " cases expected, " << actual.size() << " are\n";
    return 1;
  }
  if (totals.cases < wanted) {
    std::cout << "only " << totals.cases << " cases, wanted " << wanted << "\n";
    return 1;
  }
  return totals.differing != 0;
}
