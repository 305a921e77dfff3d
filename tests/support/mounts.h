// mounts.h - file systems of a test's own.
#pragma once

#include <sched.h>
#include <sys/mount.h>
#include <sys/types.h>

#include <filesystem>
#include <fstream>

// Makes the calling process one that may mount, where nobody else sees it.
inline bool EnterMounts(uid_t user, gid_t group) {
  // A process with further threads, such as ThreadSanitizer's, gets no user of its own: root needs
  // none.
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
    return unshare(CLONE_NEWNS) == 0 &&
           mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
  return true;
}
