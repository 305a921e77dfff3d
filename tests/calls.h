// calls.h - the calls by which the library asks the system for something, which a test
// counts, fails, cuts short, or is killed at.
//
// A test that links this has the library's calls come here first (--wrap, one row a call
// in tests/BUILD.bazel).  They go on as they are but between Arm() and Disarm(), which one
// thread alone may use.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace calls {

enum class Deed {
  kNothing,
  kFail,           // with Plan::error; memory: none is left
  kShorten,        // a read() or write() to 1 byte
  kShortenAll,     // each of them, whichever `at` says
  kWriteNothing,   // write() returns 0
  kInterruptOften, // every other call that may be interrupted is, whichever `at` says
  kKillBefore,     // SIGKILL to this process
  kKillAfter,
};

struct Plan {
  Deed deed = Deed::kNothing;
  uint64_t at = 0;  // which of the calls, from 1 on
  int error = 0;    // EINTR: of a call that may be interrupted, or nothing happens
  const char* only = nullptr;  // calls of other names go on as they are, and are not counted
  std::atomic<const char*>* last = nullptr;  // where to say which call was begun last
};

struct Call {
  const char* name;
  int file;  // descriptor; -1 where it has none
};

struct Report {
  std::vector<Call> made;  // in order
  size_t hit = 0;          // the first one that something was done to, from 1 on; 0: none
  int64_t kept = 0;        // memory blocks taken less those given back
  int64_t mapped = 0;      // bytes
  const Call& Hit() const { return made[hit - 1]; }
  // Whether a call of this name was made before the one that was hit.
  bool Before(const std::string& name) const;
  size_t Count(const std::string& name) const;
};

void Arm(const Plan& plan);
Report Disarm();

}  // namespace calls
