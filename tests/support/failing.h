// failing.h - a table of the public API: what each function makes of each call of the system
// that it makes, and that fails.
//
// A row has an act, which calls the function and judges what it gives.  The act is done as
// often as it makes calls, each time with another one failing (calls.h), and with all calls
// behind that one failing too.  Each time:
//   - the status is the one that the call stands for, or one that the row names for it;
//   - the outputs are untouched (Make() below, or the act itself sees to it);
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
  std::string functions;  // what it calls: names, with a blank between them
  size_t least;           // failures that must be seen
  // Makes the act, and all that it works on, in a directory of its own.
  std::function<Act(const std::string& directory)> prepare;
  // Calls that make something else of the whole here than StatusOf(); LFB_OK: it goes on.  "*":
  // any call.
  std::map<std::string, Statuses> otherwise = {};
  int error = EIO;        // of the calls that have a choice
  bool alone = false;     // fail one at a time only: the act takes long
};

void PrintTo(const Row& row, std::ostream* out);

// Of a row: it makes no calls at all.
const size_t kQuiet = SIZE_MAX;

// Does all that is said above.
void FailEachCallOf(const Row& row);

// Functions without a row, and why: "lfb_name" or "lfb_begin*".
using Excuses = std::map<std::string, std::string>;

// Reads the public headers of folders: each function has a row or an excuse, and there is no row
// and no excuse for nothing.
void ExpectRowsOfAll(const std::vector<std::string>& folders, const std::vector<Row>& rows,
                     const Excuses& excuses);

// The name of a row's test.
std::string NameOf(const Row& row);

// Calls what makes a T into an output, which is to be touched by success alone, and hands what
// was made to `look`, which frees it.
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
