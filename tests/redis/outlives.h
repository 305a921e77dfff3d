// outlives.h - an act in a process that is killed at one of the commands that it sends.
#pragma once

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>

#include "tests/redis/server.h"
#include "tests/support/calls.h"

// Runs the act in a child that is killed at its `at`-th command; returns whether the act ended
// first.
template <typename Act>
bool Outlives(calls::Deed deed, uint64_t at, const Act& act) {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    calls::Arm({deed, at, 0, "send"});
    _exit(act() ? 0 : 1);
  }
  const int status = AwaitChild("an act ends or is killed", child);
  if (WIFSIGNALED(status)) {
    EXPECT_EQ(WTERMSIG(status), SIGKILL);
    return false;
  }
  EXPECT_EQ(WEXITSTATUS(status), 0);
  return true;
}
