// await.h - waits with a limit, for tests that wait for other threads, processes and servers.
//
// A wait that reaches its limit writes what it waited for to standard error, and throws.
// GoogleTest reports the exception as a failure of the test.  In another thread, or in a process
// that the test started, the exception ends that process.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>

// Far longer than any wait takes on a host that runs four such tests under a sanitizer.
constexpr std::chrono::seconds kPatience{120};

[[noreturn]] inline void WaitedInVain(const std::string& what) {
  const std::string text =
      "waited " + std::to_string(kPatience.count()) + " s in vain: " + what;
  // Written at once: a thread that is not joined ends the process before the exception is caught.
  std::fprintf(stderr, "%s\n", text.c_str());
  throw std::runtime_error(text);
}

// Calls `pause()` until `done()` is true.  `what` describes that state.
template <typename Done, typename Pause>
void AwaitPausing(const std::string& what, const Done& done, const Pause& pause) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) WaitedInVain(what);
    pause();
  }
}

// Checks once per millisecond.
template <typename Done>
void Await(const std::string& what, const Done& done) {
  AwaitPausing(what, done,
               [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
}

// Checks without a pause, for a test that must act as soon as it can.
template <typename Done>
void AwaitSpinning(const std::string& what, const Done& done) {
  AwaitPausing(what, done, [] { std::this_thread::yield(); });
}

// Waits for a child's change of state, as waitpid() does, and returns the status.
inline int AwaitChild(const std::string& what, pid_t child, int options = 0) {
  int status = 0;
  Await(what, [&] {
    const pid_t changed = waitpid(child, &status, options | WNOHANG);
    if (changed < 0) throw std::runtime_error("no such child: " + what);
    return changed == child;
  });
  return status;
}

// Runs `body` in a child, which then ends at once, without closing anything.  Returns its exit
// status: what `body` returns, or 0.  -1: a signal ended it.
template <typename Body>
int InChild(const Body& body) {
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no child");
  if (child == 0) {
    if constexpr (std::is_void_v<decltype(body())>) body(), _exit(0);
    else _exit(body());
  }
  const int status = AwaitChild("the child ends", child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
