// mounts.h - lets a test mount its own file systems.
#pragma once

#include <sched.h>
#include <sys/mount.h>
#include <sys/types.h>

#include <filesystem>
#include <fstream>

// Lets the calling process mount file systems, invisibly to other processes.
inline bool EnterMounts(uid_t user, gid_t group) {
  // A process with further threads, such as ThreadSanitizer's, cannot get a user namespace.  Root
  // does not need one.
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
    return unshare(CLONE_NEWNS) == 0 &&
           mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
  return true;
}
