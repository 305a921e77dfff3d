// processes.h - children that share memory with the test that forks them, restrictions for a
// child, and counting the bits of a file.
#pragma once

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/mapped.h"
#include "tests/support/race.h"
#include "tests/support/shared.h"

// How long a test waits for a child that has milliseconds of work.  A child that takes longer is
// stuck.
constexpr int kLimit = 30;  // seconds

// Makes the kernel kill the child when the thread that forked it ends.
inline void DieWithParent() { prctl(PR_SET_PDEATHSIG, SIGKILL); }

// A child that exits with the result of `body`.  The destructor kills it.
class Child {
 public:
  template <typename Body>
  explicit Child(const Body& body) {
    const pid_t parent = getpid();
    process_ = fork();
    if (process_ != 0) return;
    DieWithParent();
    _exit(getppid() == parent ? body() : 1);
  }
  Child(Child&& other) noexcept : process_(std::exchange(other.process_, -1)) {}
  ~Child() { Kill(); }

  pid_t process() const { return process_; }

  // Waits for the end of the child and returns its status as waitpid() does.  After the limit it
  // kills the child and returns -1.
  int Wait() {
    pollfd ended = {static_cast<int>(syscall(SYS_pidfd_open, process_, 0)), POLLIN, 0};
    int ready = -1;
    do ready = poll(&ended, 1, kLimit * 1000);
    while (ready < 0 && errno == EINTR);
    close(ended.fd);
    if (ready == 1) return Reap();
    Kill();
    return -1;
  }

  // Sends SIGKILL and returns the child's status.  The child may have ended before.
  int Kill() {
    if (process_ <= 0) return -1;
    kill(process_, SIGKILL);
    return Reap();
  }

  void Stop() const {
    int status;
    kill(process_, SIGSTOP);
    while (waitpid(process_, &status, WUNTRACED) < 0 && errno == EINTR) continue;
  }

 private:
  int Reap() {
    int status = -1;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
    process_ = -1;
    return status;
  }

  pid_t process_;
};

inline bool Killed(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; }

// A barrier that keeps children in step.  A dead child delays the others for a bounded number of
// yields.
class Meeting {
 public:
  Meeting(std::atomic<uint32_t>* arrived, unsigned children)
      : arrived_(arrived), children_(children) {}
  void Wait(uint32_t round) const {
    arrived_->fetch_add(1);
    for (int i = 0; i < 1000 && arrived_->load() < round * children_; i++) sched_yield();
  }

 private:
  std::atomic<uint32_t>* const arrived_;
  const unsigned children_;
};

// A restriction of a child, applied after the parent has opened the file.
enum Restriction { kNothing, kUser, kDescriptors, kRoot, kCalls, kRestrictions };

inline const char* RestrictionName(Restriction restriction) {
  static const char* const names[] = {"nothing", "user", "descriptors", "root", "calls"};
  return names[restriction];
}

// Makes the kernel kill the process at any system call except exit_group() and, with `yields`,
// sched_yield().
inline bool RefuseCalls(bool yields) {
  const auto allow_yield = static_cast<unsigned>(yields ? __NR_sched_yield : __NR_exit_group);
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_exit_group, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allow_yield, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  const sock_fprog program = {sizeof steps / sizeof *steps, steps};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// Restricts the calling process.  Returns whether that succeeded.
inline bool Restrict(Restriction restriction, const char* empty_folder) {
  const rlimit three = {3, 3};
  switch (restriction) {
    case kUser: {
      const bool done = setgid(65534) == 0 && setuid(65534) == 0;
      DieWithParent();  // setuid() has undone it
      return done;
    }
    case kDescriptors: return setrlimit(RLIMIT_NOFILE, &three) == 0;
    case kRoot: return chroot(empty_folder) == 0 && chdir("/") == 0;
    case kCalls: return RefuseCalls(true);
    default: return true;
  }
}

// An empty folder, for kRoot.
class EmptyFolder {
 public:
  EmptyFolder() { made_ = mkdtemp(path_.data()) != nullptr; }
  ~EmptyFolder() { rmdir(path_.c_str()); }
  const char* c_str() const { return path_.c_str(); }

 private:
  std::string path_ = testing::TempDir() + "/empty-XXXXXX";
  bool made_ = false;
};

// Whether this user on this system can apply the restriction to a child.
inline bool CanRestrict(Restriction restriction, const EmptyFolder& empty) {
  return Child([&] { return Restrict(restriction, empty.c_str()) ? 0 : 1; }).Wait() == 0;
}

// The number of bits set in the last `bytes` bytes of a file, the words of a mapped filter.
inline uint64_t BitsInFile(const char* path, uint64_t bytes) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat found;
  std::vector<uint64_t> words(bytes / sizeof(uint64_t));
  uint64_t bits = 0;
  EXPECT_TRUE(fd >= 0 && fstat(fd, &found) == 0);
  EXPECT_EQ(pread(fd, words.data(), bytes, found.st_size - static_cast<off_t>(bytes)),
            static_cast<ssize_t>(bytes));
  close(fd);
  for (const uint64_t word : words) bits += static_cast<uint64_t>(__builtin_popcountll(word));
  return bits;
}

// The same for a filter in any kind of memory: a copy counts the bits that it receives.
inline uint64_t BitsInWords(const lfb_filter* filter) {
  lfb_filter* copy = nullptr;
  lfb_stats stats{};
  if (lfb_filter_copy(filter, &copy) != LFB_OK) return UINT64_MAX;
  lfb_filter_stats(copy, &stats);
  lfb_filter_free(copy);
  return stats.bits_set;
}

inline uint64_t BitsSet(const lfb_filter* filter) {
  lfb_stats stats{};
  lfb_filter_stats(filter, &stats);
  return stats.bits_set;
}

// A filter with so much room for `keys` keys that none of them is a false positive.
inline lfb_config Roomy(uint64_t keys, lfb_strategy_id strategy) {
  return Config(8 * keys, 1e-6, strategy);
}

// The same with few probes, so that an operation has few instructions.
inline lfb_config RoomyAndShort(uint64_t keys, lfb_strategy_id strategy) {
  return Config(128 * keys, 0.05, strategy);
}
