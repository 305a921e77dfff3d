// failing.h - how each function of a table fails when one of its system calls fails.
//
// The call of a row (every_call.h) is made once for each system call that it makes, and this one
// fails (calls.h).  Then the same again, with all later calls failing, too.  Each time:
//   - the status is the usual one for the call that failed, or one that the row names for it;
//   - the outputs are untouched;
//   - no block of memory, mapping, thread or descriptor is kept, and no file is left;
//   - the same call, on the same objects, succeeds afterwards.
#pragma once

#include "tests/support/every_call.h"
#include "tests/support/faults.h"

namespace failing {

using Act = std::function<lfb_status()>;

// Fails each call of an act, as the head of this file says.
void FailEachCallOf(const Act& act, const every::Failures& failures, const std::string& folder);

// The act of a row: only the call itself may fail, not what is before and after it.
template <typename Things>
void FailEachCallOf(const every::RowOf<Things>& row, Things& t) {
  FailEachCallOf([&row, &t] {
    {
      const calls::Spared now;
      Prepare(row, t);
    }
    row.act(t);
    const calls::Spared now;
    const lfb_status status = t.status == row.returns ? LFB_OK : t.status;
    Finish(row, t);
    return status;
  }, row.failures, t.folder);
}

}  // namespace failing
