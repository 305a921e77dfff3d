// calls.cc - the wrapped calls of calls.h.
#include "tests/calls.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

namespace calls {
namespace {

// What may happen to a call beside being the last.
enum Can : unsigned {
  kNoHarm = 0,
  kFile = 1,    // fails with the error that is planned
  kSlow = 2,    // may be interrupted
  kMoves = 4,   // may do less than it was asked for
  kMemory = 8,  // fails for want of memory
};

Plan plan;
Report report;
bool armed;

[[noreturn]] void Die() {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

bool Fits(unsigned can) {
  switch (plan.deed) {
    case Deed::kFail:
      return plan.error == EINTR ? (can & kSlow) != 0 : (can & (kFile | kMemory)) != 0;
    case Deed::kShorten:
    case Deed::kShortenAll:
      return (can & kMoves) != 0;
    case Deed::kInterruptOften:
      return (can & kSlow) != 0;
    case Deed::kWriteNothing:
      return std::string(report.made.back().name) == "write";
    default:
      return true;
  }
}

bool Due() {
  const uint64_t number = report.made.size();
  return plan.deed == Deed::kShortenAll ||
         (plan.deed == Deed::kInterruptOften ? number % 2 == 1 : number == plan.at);
}

// Counts a call, and says what is to be done to it.
Deed Begin(const char* name, int file, unsigned can) {
  if (!armed || (plan.only != nullptr && std::strcmp(plan.only, name) != 0)) return Deed::kNothing;
  report.made.push_back({name, file});
  if (plan.last != nullptr) plan.last->store(name);
  if (!Due() || !Fits(can)) return Deed::kNothing;
  if (plan.deed == Deed::kKillBefore) Die();
  if (report.hit == 0) report.hit = report.made.size();
  errno = (can & kMemory) != 0                    ? ENOMEM
          : plan.deed == Deed::kInterruptOften ? EINTR
                                               : plan.error;
  return plan.deed;
}

template <typename Real, typename Result>
Result Do(const char* name, int file, unsigned can, Result failed, const Real& real) {
  const Deed deed = Begin(name, file, can);
  if (deed == Deed::kFail || deed == Deed::kInterruptOften) return failed;
  const Result result = real();
  if (deed == Deed::kKillAfter) Die();
  return result;
}

// A read() or write() of `size` bytes.
template <typename Real>
ssize_t Move(const char* name, int file, size_t size, const Real& real) {
  const Deed deed = Begin(name, file, kFile | kSlow | kMoves);
  if (deed == Deed::kFail || deed == Deed::kInterruptOften) return -1;
  if (deed == Deed::kWriteNothing) return 0;
  const bool shorten = deed == Deed::kShorten || deed == Deed::kShortenAll;
  const ssize_t moved = real(shorten && size > 1 ? 1 : size);
  if (deed == Deed::kKillAfter) Die();
  return moved;
}

// A call that takes a block of memory.
template <typename Real>
auto Take(const char* name, const Real& real, unsigned can = kMemory) {
  const auto memory = Do(name, -1, can, static_cast<decltype(real())>(nullptr), real);
  if (armed && memory != nullptr) report.kept++;
  return memory;
}

}  // namespace

bool Report::Before(const std::string& name) const {
  for (size_t i = 0; i + 1 < hit; i++)
    if (made[i].name == name) return true;
  return false;
}

size_t Report::Count(const std::string& name) const {
  size_t count = 0;
  for (const Call& call : made) count += call.name == name;
  return count;
}

void Arm(const Plan& wanted) {
  plan = wanted;
  report = Report();
  armed = true;
}

Report Disarm() {
  armed = false;
  return report;
}

}  // namespace calls

using calls::Do;
using calls::Move;
using calls::Take;

extern "C" {

int __real_open(const char* path, int flags, ...);
int __wrap_open(const char* path, int flags, ...);
int __wrap_open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return Do("open", -1, calls::kFile | calls::kSlow, -1,
            [=] { return __real_open(path, flags, mode); });
}

// As on Linux: the file is closed, whatever is said.
int __real_close(int file);
int __wrap_close(int file);
int __wrap_close(int file) {
  const int closed = Do("close", file, calls::kFile | calls::kSlow, -2,
                        [=] { return __real_close(file); });
  if (closed != -2) return closed;
  const int error = errno;
  __real_close(file);
  errno = error;
  return -1;
}

ssize_t __real_read(int file, void* bytes, size_t size);
ssize_t __wrap_read(int file, void* bytes, size_t size);
ssize_t __wrap_read(int file, void* bytes, size_t size) {
  return Move("read", file, size, [=](size_t most) { return __real_read(file, bytes, most); });
}

ssize_t __real_write(int file, const void* bytes, size_t size);
ssize_t __wrap_write(int file, const void* bytes, size_t size);
ssize_t __wrap_write(int file, const void* bytes, size_t size) {
  return Move("write", file, size, [=](size_t most) { return __real_write(file, bytes, most); });
}

ssize_t __real_recv(int file, void* bytes, size_t size, int flags);
ssize_t __wrap_recv(int file, void* bytes, size_t size, int flags);
ssize_t __wrap_recv(int file, void* bytes, size_t size, int flags) {
  return Move("recv", file, size,
              [=](size_t most) { return __real_recv(file, bytes, most, flags); });
}

ssize_t __real_send(int file, const void* bytes, size_t size, int flags);
ssize_t __wrap_send(int file, const void* bytes, size_t size, int flags);
ssize_t __wrap_send(int file, const void* bytes, size_t size, int flags) {
  return Move("send", file, size,
              [=](size_t most) { return __real_send(file, bytes, most, flags); });
}

int __real_socket(int domain, int type, int protocol);
int __wrap_socket(int domain, int type, int protocol);
int __wrap_socket(int domain, int type, int protocol) {
  return Do("socket", -1, calls::kFile, -1, [=] { return __real_socket(domain, type, protocol); });
}

// Interrupted, it goes on all the same.
int __real_connect(int file, const sockaddr* address, socklen_t size);
int __wrap_connect(int file, const sockaddr* address, socklen_t size);
int __wrap_connect(int file, const sockaddr* address, socklen_t size) {
  bool begun = false;
  const int connected = Do("connect", file, calls::kFile | calls::kSlow, -1, [&] {
    begun = true;
    return __real_connect(file, address, size);
  });
  if (begun || errno != EINTR) return connected;
  __real_connect(file, address, size);
  errno = EINTR;
  return -1;
}

int __real_poll(pollfd* polled, nfds_t count, int timeout);
int __wrap_poll(pollfd* polled, nfds_t count, int timeout);
int __wrap_poll(pollfd* polled, nfds_t count, int timeout) {
  return Do("poll", -1, calls::kFile | calls::kSlow, -1,
            [=] { return __real_poll(polled, count, timeout); });
}

int __real_fsync(int file);
int __wrap_fsync(int file);
int __wrap_fsync(int file) {
  return Do("fsync", file, calls::kFile | calls::kSlow, -1, [=] { return __real_fsync(file); });
}

int __real_fchmod(int file, mode_t mode);
int __wrap_fchmod(int file, mode_t mode);
int __wrap_fchmod(int file, mode_t mode) {
  return Do("fchmod", file, calls::kFile | calls::kSlow, -1,
            [=] { return __real_fchmod(file, mode); });
}

int __real_rename(const char* from, const char* to);
int __wrap_rename(const char* from, const char* to);
int __wrap_rename(const char* from, const char* to) {
  return Do("rename", -1, calls::kFile, -1, [=] { return __real_rename(from, to); });
}

int __real_unlink(const char* path);
int __wrap_unlink(const char* path);
int __wrap_unlink(const char* path) {
  return Do("unlink", -1, calls::kFile, -1, [=] { return __real_unlink(path); });
}

int __real_stat(const char* path, struct stat* found);
int __wrap_stat(const char* path, struct stat* found);
int __wrap_stat(const char* path, struct stat* found) {
  return Do("stat", -1, calls::kFile, -1, [=] { return __real_stat(path, found); });
}

int __real_lstat(const char* path, struct stat* found);
int __wrap_lstat(const char* path, struct stat* found);
int __wrap_lstat(const char* path, struct stat* found) {
  return Do("lstat", -1, calls::kFile, -1, [=] { return __real_lstat(path, found); });
}

int __real_fstat(int file, struct stat* found);
int __wrap_fstat(int file, struct stat* found);
int __wrap_fstat(int file, struct stat* found) {
  return Do("fstat", file, calls::kFile, -1, [=] { return __real_fstat(file, found); });
}

char* __real_realpath(const char* path, char* resolved);
char* __wrap_realpath(const char* path, char* resolved);
char* __wrap_realpath(const char* path, char* resolved) {
  return Take("realpath", [=] { return __real_realpath(path, resolved); }, calls::kFile);
}

char* __real_strdup(const char* text);
char* __wrap_strdup(const char* text);
char* __wrap_strdup(const char* text) {
  return Take("strdup", [=] { return __real_strdup(text); });
}

char* __real_strndup(const char* text, size_t size);
char* __wrap_strndup(const char* text, size_t size);
char* __wrap_strndup(const char* text, size_t size) {
  return Take("strndup", [=] { return __real_strndup(text, size); });
}

void* __real_malloc(size_t size);
void* __wrap_malloc(size_t size);
void* __wrap_malloc(size_t size) {
  return Take("malloc", [=] { return __real_malloc(size); });
}

void* __real_calloc(size_t count, size_t size);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_calloc(size_t count, size_t size) {
  return Take("calloc", [=] { return __real_calloc(count, size); });
}

void* __real_realloc(void* memory, size_t size);
void* __wrap_realloc(void* memory, size_t size);
void* __wrap_realloc(void* memory, size_t size) {
  void* const taken = Take("realloc", [=] { return __real_realloc(memory, size); });
  if (calls::armed && memory != nullptr && taken != nullptr) calls::report.kept--;
  return taken;
}

void* __real_aligned_alloc(size_t alignment, size_t size);
void* __wrap_aligned_alloc(size_t alignment, size_t size);
void* __wrap_aligned_alloc(size_t alignment, size_t size) {
  return Take("aligned_alloc", [=] { return __real_aligned_alloc(alignment, size); });
}

void __real_free(void* memory);
void __wrap_free(void* memory);
void __wrap_free(void* memory) {
  if (calls::armed && memory != nullptr) calls::report.kept--;
  __real_free(memory);
}

void* __real_mmap(void* at, size_t size, int protection, int flags, int file, off_t offset);
void* __wrap_mmap(void* at, size_t size, int protection, int flags, int file, off_t offset);
void* __wrap_mmap(void* at, size_t size, int protection, int flags, int file, off_t offset) {
  void* const mapped =
      Do("mmap", -1, calls::kMemory, MAP_FAILED,
         [=] { return __real_mmap(at, size, protection, flags, file, offset); });
  // what is put in the place of a mapping was counted there
  const bool more = mapped != MAP_FAILED && (flags & MAP_FIXED) == 0;
  if (calls::armed && more) calls::report.mapped += static_cast<int64_t>(size);
  return mapped;
}

// Gives the error back, and leaves errno alone.
int __real_posix_fallocate(int file, off_t from, off_t size);
int __wrap_posix_fallocate(int file, off_t from, off_t size);
int __wrap_posix_fallocate(int file, off_t from, off_t size) {
  const int before = errno;
  const int done = Do("posix_fallocate", file, calls::kFile | calls::kSlow, -1,
                      [=] { return __real_posix_fallocate(file, from, size); });
  const int error = done < 0 ? errno : done;
  errno = before;
  return error;
}

int __real_ftruncate(int file, off_t size);
int __wrap_ftruncate(int file, off_t size);
int __wrap_ftruncate(int file, off_t size) {
  return Do("ftruncate", file, calls::kFile, -1, [=] { return __real_ftruncate(file, size); });
}

int __real_fallocate(int file, int mode, off_t from, off_t size);
int __wrap_fallocate(int file, int mode, off_t from, off_t size);
int __wrap_fallocate(int file, int mode, off_t from, off_t size) {
  return Do("fallocate", file, calls::kFile | calls::kSlow, -1,
            [=] { return __real_fallocate(file, mode, from, size); });
}

int __real_linkat(int from, const char* old, int to, const char* name, int flags);
int __wrap_linkat(int from, const char* old, int to, const char* name, int flags);
int __wrap_linkat(int from, const char* old, int to, const char* name, int flags) {
  return Do("linkat", -1, calls::kFile, -1,
            [=] { return __real_linkat(from, old, to, name, flags); });
}

int __real_access(const char* path, int mode);
int __wrap_access(const char* path, int mode);
int __wrap_access(const char* path, int mode) {
  return Do("access", -1, calls::kFile, -1, [=] { return __real_access(path, mode); });
}

int __real_msync(void* at, size_t size, int flags);
int __wrap_msync(void* at, size_t size, int flags);
int __wrap_msync(void* at, size_t size, int flags) {
  return Do("msync", -1, calls::kFile, -1, [=] { return __real_msync(at, size, flags); });
}

ssize_t __real_pread(int file, void* bytes, size_t size, off_t from);
ssize_t __wrap_pread(int file, void* bytes, size_t size, off_t from);
ssize_t __wrap_pread(int file, void* bytes, size_t size, off_t from) {
  return Move("pread", file, size,
              [=](size_t most) { return __real_pread(file, bytes, most, from); });
}

int __real_munmap(void* at, size_t size);
int __wrap_munmap(void* at, size_t size);
int __wrap_munmap(void* at, size_t size) {
  if (calls::armed) calls::report.mapped -= static_cast<int64_t>(size);
  return __real_munmap(at, size);
}

int __real_madvise(void* at, size_t size, int advice);
int __wrap_madvise(void* at, size_t size, int advice);
int __wrap_madvise(void* at, size_t size, int advice) {
  return Do("madvise", -1, calls::kMemory, -1, [=] { return __real_madvise(at, size, advice); });
}

}  // extern "C"
