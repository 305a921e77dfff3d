// failing.cc - makes the system calls of an act fail, for failing.h.
#include "tests/support/failing.h"

namespace failing {
namespace {

namespace fs = std::filesystem;
using calls::Deed;
using calls::Plan;
using every::Failures;
using every::Statuses;

std::set<std::string> Entries(const std::string& directory) {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory))
    names.insert(entry.path());
  return names;
}

Statuses Expected(const Failures& failures, const std::string& call) {
  for (const std::string& name : {call, std::string("*")})
    if (failures.otherwise.count(name) != 0) return failures.otherwise.at(name);
  return {StatusOf(call)};
}

// The statuses to expect if all calls fail from the first one hit on.
Statuses ExpectedOfAll(const Failures& failures, const calls::Report& report) {
  Statuses all;
  for (size_t i = report.hit; i > 0 && i <= report.made.size(); i++)
    all.merge(Expected(failures, report.made[i - 1].name));
  return all;
}

// Fails calls of an act by one deed.  Returns how often the act did not succeed.
size_t FailBy(const Failures& failures, const std::string& directory, Deed deed, int error,
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
                                  ? ExpectedOfAll(failures, report)
                                  : Expected(failures, report.Hit().name);
    EXPECT_EQ(expected.count(outcome.status), 1u) << lfb_status_text(outcome.status);
    EXPECT_EQ(Entries(directory), before) << "a file was left, or is gone";
    failed += outcome.status != LFB_OK;
    EXPECT_EQ(act(), LFB_OK) << "afterwards";
  }
  return failed;
}

}  // namespace

void FailEachCallOf(const Act& act, const every::Failures& failures, const std::string& folder) {
  ASSERT_EQ(act(), LFB_OK) << "without any failure";
  const Outcome whole = Try(Plan(), act);
  if (failures.least == every::kQuiet) {
    EXPECT_TRUE(whole.report.made.empty()) << whole.report.made[0].name;
    return;
  }
  const size_t failed = FailBy(failures, folder, Deed::kFail, failures.error, act);
  EXPECT_GE(failed, failures.least);
  if (!failures.alone) {
    FailBy(failures, folder, Deed::kFailOn, failures.error, act);
    FailBy(failures, folder, Deed::kFail, EINTR, act);
  }
}

}  // namespace failing
