// failing.cc - running the rows of failing.h, and finding functions without one.
#include "tests/support/failing.h"

#include <cctype>
#include <fstream>
#include <sstream>

namespace failing {
namespace {

namespace fs = std::filesystem;
using calls::Deed;
using calls::Plan;

std::set<std::string> Entries(const std::string& directory) {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory))
    names.insert(entry.path());
  return names;
}

std::vector<std::string> Words(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

Statuses Expected(const Row& row, const std::string& call) {
  for (const std::string& name : {call, std::string("*")})
    if (row.otherwise.count(name) != 0) return row.otherwise.at(name);
  return {StatusOf(call)};
}

// The statuses to expect if all calls fail from the first one hit on.
Statuses ExpectedOfAll(const Row& row, const calls::Report& report) {
  Statuses all;
  for (size_t i = report.hit; i > 0 && i <= report.made.size(); i++)
    all.merge(Expected(row, report.made[i - 1].name));
  return all;
}

// Fails calls of an act by one deed.  Returns how often the act did not succeed.
size_t FailBy(const Row& row, const std::string& directory, Deed deed, int error,
              const Act& act) {
  size_t failed = 0;
  const std::set<std::string> before = Entries(directory);
  for (size_t at = 1; !testing::Test::HasFailure(); at++) {
    const Outcome outcome = Try({deed, at, error}, act);
    const calls::Report& report = outcome.report;
    if (report.made.size() < at) break;
    const bool in_act = testing::Test::HasFailure();
    SCOPED_TRACE(std::string(report.made[at - 1].name) + ", call " + std::to_string(at) +
                 (deed == Deed::kFailOn ? " and all behind it" : "") + ", error " +
                 std::to_string(error));
    EXPECT_FALSE(in_act) << "within the act";
    const Statuses expected = report.hit == 0 || error == EINTR ? Statuses{LFB_OK}
                              : deed == Deed::kFailOn
                                  ? ExpectedOfAll(row, report)
                                  : Expected(row, report.Hit().name);
    EXPECT_EQ(expected.count(outcome.status), 1u) << lfb_status_text(outcome.status);
    EXPECT_EQ(Entries(directory), before) << "a file was left, or is gone";
    failed += outcome.status != LFB_OK;
    EXPECT_EQ(act(), LFB_OK) << "afterwards";
  }
  return failed;
}

// The name before the next parenthesis; "" if a statement or block ends first.
std::string NameBehind(const std::string& text, size_t at) {
  const size_t end = text.find_first_of(";{(", at);
  if (end == std::string::npos || text[end] != '(') return "";
  size_t begin = end;
  while (begin > at && (std::isalnum(text[begin - 1]) != 0 || text[begin - 1] == '_')) begin--;
  return text.substr(begin, end - begin);
}

// The functions that the public headers of a folder declare.
std::set<std::string> DeclaredIn(const std::string& folder) {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (const std::string mark : {"LFB_API ", "LFB_CHECKED ", "LFB_INLINE ", "static inline "})
      for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += mark.size()) {
        const std::string name = NameBehind(text, at);
        if (name.compare(0, 4, "lfb_") == 0) names.insert(name);
      }
  }
  return names;
}

std::set<std::string> Declared(const std::vector<std::string>& folders) {
  std::set<std::string> names;
  for (const std::string& folder : folders) names.merge(DeclaredIn(folder));
  return names;
}

// Whether an excuse, which may end in *, matches this name.
bool IsExcuseFor(const std::string& excuse, const std::string& name) {
  return excuse.back() == '*' ? name.compare(0, excuse.size() - 1, excuse, 0, excuse.size() - 1) == 0
                              : name == excuse;
}

}  // namespace

void FailEachCallOf(const Row& row) {
  const fs::path directory = fs::path(testing::TempDir()) / ("failing-" + NameOf(row));
  fs::remove_all(directory);
  fs::create_directories(directory);
  const Act act = row.prepare(directory);
  ASSERT_EQ(act(), LFB_OK) << "without any failure";
  const Outcome whole = Try(Plan(), act);
  if (row.least == kQuiet) {
    EXPECT_TRUE(whole.report.made.empty()) << whole.report.made[0].name;
    return;
  }
  const size_t failed = FailBy(row, directory, Deed::kFail, row.error, act);
  EXPECT_GE(failed, row.least);
  if (!row.alone) {
    FailBy(row, directory, Deed::kFailOn, row.error, act);
    FailBy(row, directory, Deed::kFail, EINTR, act);
  }
  fs::remove_all(directory);
}

void PrintTo(const Row& row, std::ostream* out) { *out << row.functions; }

std::string NameOf(const Row& row) {
  std::string name;
  for (const std::string& word : Words(row.functions)) name += (name.empty() ? "" : "_") + word;
  return name.substr(0, 100);
}

void ExpectRowsOfAll(const std::vector<std::string>& folders, const std::vector<Row>& rows,
                     const Excuses& excuses) {
  const std::set<std::string> declared = Declared(folders);
  std::set<std::string> in_rows;
  for (const Row& row : rows)
    for (const std::string& name : Words(row.functions)) in_rows.insert(name);
  EXPECT_FALSE(declared.empty());
  for (const std::string& name : in_rows)
    EXPECT_EQ(declared.count(name), 1u) << "a row for " << name << ", which no header declares";
  for (const auto& [excuse, reason] : excuses) {
    size_t excused = 0;
    for (const std::string& name : declared)
      excused += IsExcuseFor(excuse, name) && in_rows.count(name) == 0;
    EXPECT_GT(excused, 0u) << "an excuse for nothing: " << excuse;
  }
  for (const std::string& name : declared) {
    bool excused = false;
    for (const auto& [excuse, reason] : excuses) excused |= IsExcuseFor(excuse, name);
    EXPECT_TRUE(excused || in_rows.count(name) == 1) << name << " has no row, and no excuse";
  }
}

}  // namespace failing
