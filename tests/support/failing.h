// failing.h - a table of the public API: how each function fails when one of its system calls
// fails.
//
// A row has an act, which calls the function and checks its results.  The act runs once for each
// system call that it makes, and this call fails (calls.h).  Then the same again, with all later
// calls failing, too.  Each time:
//   - the status is the usual one for the call that failed, or one that the row names for it;
//   - the outputs are untouched (Make() below, or the act itself, checks that);
//   - no block of memory, mapping, thread or descriptor is kept, and no file is left;
//   - the same act, on the same objects, succeeds afterwards.
#pragma once

#include <map>
#include <set>
#include <string>

#include "tests/support/faults.h"

namespace failing {

using Act = std::function<lfb_status()>;
using Statuses = std::set<lfb_status>;

struct Row {
  std::string functions;  // that it calls: names, separated by blanks
  size_t least;           // the least number of failures that must be seen
  // Makes the act, and all objects that it needs, in an own directory.
  std::function<Act(const std::string& directory)> prepare;
  // System calls that lead to another status here than StatusOf(); LFB_OK: the act continues.
  // "*": any call.
  std::map<std::string, Statuses> otherwise = {};
  int error = EIO;        // of calls that can fail with different errors
  bool alone = false;     // only one call fails at a time, since the act takes long
};

void PrintTo(const Row& row, std::ostream* out);

// Row::least of an act that makes no system calls at all.
const size_t kQuiet = SIZE_MAX;

// Runs a row, as the head of this file says.
void FailEachCallOf(const Row& row);

// Functions without a row, and the reasons: "lfb_name" or "lfb_begin*".
using Excuses = std::map<std::string, std::string>;

// Reads the public headers of folders.  Expects a row or an excuse for each function, and a
// function for each row and each excuse.
void ExpectRowsOfAll(const std::vector<std::string>& folders, const std::vector<Row>& rows,
                     const Excuses& excuses);

// The name of a row's test.
std::string NameOf(const Row& row);

// Calls a function that makes a T into an output.  Expects it to write the output only on success.
// Passes what was made to `look`, which frees it.
template <typename T, typename Maker, typename Look>
lfb_status Make(const Maker& make, const Look& look) {
  static char none;
  T* const untouched = reinterpret_cast<T*>(&none);
  T* made = untouched;
  const lfb_status status = make(&made);
  const calls::Spared now;
  EXPECT_EQ(made == untouched, status != LFB_OK) << "an output without success, or the reverse";
  if (status == LFB_OK) look(made);
  return status;
}

}  // namespace failing
