// calls.h - intercepts the library's calls to the system: a test can count them, make them fail,
// shorten them, or be killed at one of them.
//
// In a test that links this, the library's calls come here first (--wrap, one row per call in
// BUILD.bazel).  Between Arm() and Disarm(), calls in the thread that called Arm() are counted and
// changed as planned.  All other calls are passed on unchanged and not counted.  But what any
// thread allocates and frees is counted, so an act may start and end threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace calls {

enum class Deed {
  kNothing,
  kFail,           // with Plan::error; memory: none is left
  kFailOn,         // as kFail, and each later call fails, too
  kShorten,        // a read() or write() to 1 byte
  kShortenAll,     // each read() and write() to 1 byte, regardless of `at`
  kWriteNothing,   // write() returns 0
  kInterruptOften, // every other interruptible call is interrupted, regardless of `at`
  kKillBefore,     // SIGKILL to this process
  kKillAfter,
};

struct Plan {
  Deed deed = Deed::kNothing;
  uint64_t at = 0;  // the number of the call, from 1 on
  int error = 0;    // EINTR: only an interruptible call fails
  const char* only = nullptr;  // calls of other names are passed on unchanged and not counted
  std::atomic<const char*>* last = nullptr;  // receives the name of the call begun last
};

struct Call {
  const char* name;
  int file;  // descriptor; -1: none
};

struct Report {
  std::vector<Call> made;  // in order
  size_t hit = 0;          // the first call that was changed, from 1 on; 0: none
  int64_t kept = 0;        // blocks allocated and threads started, less those freed and joined
  int64_t mapped = 0;      // bytes
  const Call& Hit() const { return made[hit - 1]; }
  // Whether a call of this name was made before the one that was hit.
  bool Before(const std::string& name) const;
  size_t Count(const std::string& name) const;
};

void Arm(const Plan& plan);
// The plan's deed; kNothing if not armed.
Deed Planned();
Report Disarm();

// While an object exists, calls are passed on unchanged and not counted, regardless of the plan.
// What they allocate and free is still counted.
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
