// calls.h - the calls by which the library asks the system for something, which a test
// counts, fails, cuts short, or is killed at.
//
// A test that links this has the library's calls come here first (--wrap, one row a call
// in BUILD.bazel).  They go on as they are but between Arm() and Disarm(), and but in the
// thread that called Arm(): those of other threads are not counted.  What they take and give back
// is, so that an act may start threads, and end them.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace calls {

enum class Deed {
  kNothing,
  kFail,           // with Plan::error; memory: none is left
  kFailOn,         // .. and each one behind it
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
  int64_t kept = 0;        // memory blocks taken, and threads started, less those that went
  int64_t mapped = 0;      // bytes
  const Call& Hit() const { return made[hit - 1]; }
  // Whether a call of this name was made before the one that was hit.
  bool Before(const std::string& name) const;
  size_t Count(const std::string& name) const;
};

void Arm(const Plan& plan);
// What is done now, by the plan; kNothing where nobody armed.
Deed Planned();
Report Disarm();

// While it lives, calls go on as they are and are not counted, whatever was planned; what they
// take and give back still is.
class Spared {
 public:
  Spared();
  ~Spared();
  Spared(const Spared&) = delete;
  Spared& operator=(const Spared&) = delete;

 private:
  bool planned_;
};

}  // namespace calls
