// calls.cc - the wrapped calls of calls.h.
#include "tests/support/calls.h"

#include <dirent.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

namespace calls {
namespace {

// What may happen to a call, besides the process being killed at it.
enum Can : unsigned {
  kNoHarm = 0,
  kFile = 1,    // fails with the planned error
  kSlow = 2,    // may be interrupted
  kMoves = 4,   // may move fewer bytes than requested
  kMemory = 8,  // fails with ENOMEM
};

Plan plan;
Report report;
std::atomic<bool> armed{false};
thread_local bool planned = false;     // this thread called Arm(), and is not spared
std::atomic<int64_t> kept{0}, mapped{0};

[[noreturn]] void Die() {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

bool Fits(unsigned can) {
  switch (plan.deed) {
    case Deed::kFail:
    case Deed::kFailOn:
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
  return plan.deed == Deed::kShortenAll || (plan.deed == Deed::kFailOn && number >= plan.at) ||
         (plan.deed == Deed::kInterruptOften ? number % 2 == 1 : number == plan.at);
}

bool Fails(Deed deed) {
  return deed == Deed::kFail || deed == Deed::kFailOn || deed == Deed::kInterruptOften;
}

// Counts a call and returns what to do to it.
Deed Begin(const char* name, int file, unsigned can) {
  if (!planned ||
      (plan.only != nullptr && std::strcmp(plan.only, name) != 0)) return Deed::kNothing;
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
  if (Fails(deed)) return failed;
  const Result result = real();
  if (deed == Deed::kKillAfter) Die();
  return result;
}

// A read() or write() of `size` bytes.
template <typename Real>
ssize_t Move(const char* name, int file, size_t size, const Real& real) {
  const Deed deed = Begin(name, file, kFile | kSlow | kMoves);
  if (Fails(deed)) return -1;
  if (deed == Deed::kWriteNothing) return 0;
  const bool shorten = deed == Deed::kShorten || deed == Deed::kShortenAll;
  const ssize_t moved = real(shorten && size > 1 ? 1 : size);
  if (deed == Deed::kKillAfter) Die();
  return moved;
}

// A call that allocates a block of memory.
template <typename Real>
auto Take(const char* name, const Real& real, unsigned can = kMemory) {
  const auto memory = Do(name, -1, can, static_cast<decltype(real())>(nullptr), real);
  if (armed && memory != nullptr) kept++;
  return memory;
}

// A call that frees a block, or anything else that was taken.
void Give(const void* taken) {
  if (armed && taken != nullptr) kept--;
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
  kept = mapped = 0;
  planned = armed = true;
}

Deed Planned() { return armed ? plan.deed : Deed::kNothing; }

Spared::Spared() : planned_(planned) { planned = false; }
Spared::~Spared() { planned = planned_ && armed; }

Report Disarm() {
  planned = armed = false;
  report.kept = kept;
  report.mapped = mapped;
  return report;
}

}  // namespace calls

using calls::Do;
using calls::Give;
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

// A call at a folder is named as the one without.
int __real_openat(int folder, const char* path, int flags, ...);
int __wrap_openat(int folder, const char* path, int flags, ...);
int __wrap_openat(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const bool takes_mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  const mode_t mode = takes_mode ? va_arg(more, mode_t) : 0;
  va_end(more);
  return Do("open", -1, calls::kFile | calls::kSlow, -1,
            [=] { return __real_openat(folder, path, flags, mode); });
}

// As on Linux: the file is closed, even if the call fails.
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

// An interrupted connect() goes on in the kernel.
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

// Besides interruptions, poll() fails only for lack of memory in the kernel.
int __real_poll(pollfd* polled, nfds_t count, int timeout);
int __wrap_poll(pollfd* polled, nfds_t count, int timeout);
int __wrap_poll(pollfd* polled, nfds_t count, int timeout) {
  return Do("poll", -1, calls::kSlow, -1,
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

int __real_renameat(int from_folder, const char* from, int to_folder, const char* to);
int __wrap_renameat(int from_folder, const char* from, int to_folder, const char* to);
int __wrap_renameat(int from_folder, const char* from, int to_folder, const char* to) {
  return Do("rename", -1, calls::kFile, -1,
            [=] { return __real_renameat(from_folder, from, to_folder, to); });
}

// Never fails here: a function that could not make its file can always remove it.
int __real_unlink(const char* path);
int __wrap_unlink(const char* path);
int __wrap_unlink(const char* path) {
  return Do("unlink", -1, calls::kNoHarm, -1, [=] { return __real_unlink(path); });
}

int __real_unlinkat(int folder, const char* path, int flags);
int __wrap_unlinkat(int folder, const char* path, int flags);
int __wrap_unlinkat(int folder, const char* path, int flags) {
  return Do("unlink", -1, calls::kNoHarm, -1,
            [=] { return __real_unlinkat(folder, path, flags); });
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

int __real_fstatat(int folder, const char* path, struct stat* found, int flags);
int __wrap_fstatat(int folder, const char* path, struct stat* found, int flags);
int __wrap_fstatat(int folder, const char* path, struct stat* found, int flags) {
  return Do("stat", -1, calls::kFile, -1,
            [=] { return __real_fstatat(folder, path, found, flags); });
}

ssize_t __real_readlinkat(int folder, const char* path, char* text, size_t size);
ssize_t __wrap_readlinkat(int folder, const char* path, char* text, size_t size);
ssize_t __wrap_readlinkat(int folder, const char* path, char* text, size_t size) {
  return Do("readlink", -1, calls::kFile, ssize_t{-1},
            [=] { return __real_readlinkat(folder, path, text, size); });
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
  if (taken != nullptr) Give(memory);
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
  Give(memory);
  __real_free(memory);
}

void* __real_mmap(void* at, size_t size, int protection, int flags, int file, off_t offset);
void* __wrap_mmap(void* at, size_t size, int protection, int flags, int file, off_t offset);
void* __wrap_mmap(void* at, size_t size, int protection, int flags, int file, off_t offset) {
  void* const mapped =
      Do("mmap", -1, calls::kMemory, MAP_FAILED,
         [=] { return __real_mmap(at, size, protection, flags, file, offset); });
  // a mapping that replaces another one was counted with that one
  const bool more = mapped != MAP_FAILED && (flags & MAP_FIXED) == 0;
  if (calls::armed && more) calls::mapped += static_cast<int64_t>(size);
  return mapped;
}

// Returns the error, and leaves errno unchanged.
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
  if (calls::armed) calls::mapped -= static_cast<int64_t>(size);
  return __real_munmap(at, size);
}

int __real_madvise(void* at, size_t size, int advice);
int __wrap_madvise(void* at, size_t size, int advice);
int __wrap_madvise(void* at, size_t size, int advice) {
  return Do("madvise", -1, calls::kFile, -1, [=] { return __real_madvise(at, size, advice); });
}

ssize_t __real_pwrite(int file, const void* bytes, size_t size, off_t to);
ssize_t __wrap_pwrite(int file, const void* bytes, size_t size, off_t to);
ssize_t __wrap_pwrite(int file, const void* bytes, size_t size, off_t to) {
  return Move("pwrite", file, size,
              [=](size_t most) { return __real_pwrite(file, bytes, most, to); });
}

off_t __real_lseek(int file, off_t to, int from);
off_t __wrap_lseek(int file, off_t to, int from);
off_t __wrap_lseek(int file, off_t to, int from) {
  return Do("lseek", file, calls::kFile, static_cast<off_t>(-1),
            [=] { return __real_lseek(file, to, from); });
}

int __real_fstatfs(int file, struct statfs* found);
int __wrap_fstatfs(int file, struct statfs* found);
int __wrap_fstatfs(int file, struct statfs* found) {
  return Do("fstatfs", file, calls::kFile, -1, [=] { return __real_fstatfs(file, found); });
}

int __real_getrlimit(__rlimit_resource_t of, rlimit* found);
int __wrap_getrlimit(__rlimit_resource_t of, rlimit* found);
int __wrap_getrlimit(__rlimit_resource_t of, rlimit* found) {
  return Do("getrlimit", -1, calls::kFile, -1, [=] { return __real_getrlimit(of, found); });
}

ssize_t __real_getrandom(void* bytes, size_t size, unsigned flags);
ssize_t __wrap_getrandom(void* bytes, size_t size, unsigned flags);
ssize_t __wrap_getrandom(void* bytes, size_t size, unsigned flags) {
  return Move("getrandom", -1, size,
              [=](size_t most) { return __real_getrandom(bytes, most, flags); });
}

DIR* __real_opendir(const char* path);
DIR* __wrap_opendir(const char* path);
DIR* __wrap_opendir(const char* path) {
  return Take("opendir", [=] { return __real_opendir(path); }, calls::kFile);
}

// Returns NULL at the end, too: only errno tells the difference.
dirent* __real_readdir(DIR* directory);
dirent* __wrap_readdir(DIR* directory);
dirent* __wrap_readdir(DIR* directory) {
  return Do("readdir", -1, calls::kFile, static_cast<dirent*>(nullptr),
            [=] { return __real_readdir(directory); });
}

int __real_closedir(DIR* directory);
int __wrap_closedir(DIR* directory);
int __wrap_closedir(DIR* directory) {
  Give(directory);
  return __real_closedir(directory);
}

int __real_eventfd(unsigned count, int flags);
int __wrap_eventfd(unsigned count, int flags);
int __wrap_eventfd(unsigned count, int flags) {
  return Do("eventfd", -1, calls::kFile, -1, [=] { return __real_eventfd(count, flags); });
}

int __real_getsockopt(int file, int level, int option, void* value, socklen_t* size);
int __wrap_getsockopt(int file, int level, int option, void* value, socklen_t* size);
int __wrap_getsockopt(int file, int level, int option, void* value, socklen_t* size) {
  return Do("getsockopt", file, calls::kFile, -1,
            [=] { return __real_getsockopt(file, level, option, value, size); });
}

int __real_setsockopt(int file, int level, int option, const void* value, socklen_t size);
int __wrap_setsockopt(int file, int level, int option, const void* value, socklen_t size);
int __wrap_setsockopt(int file, int level, int option, const void* value, socklen_t size) {
  return Do("setsockopt", file, calls::kFile, -1,
            [=] { return __real_setsockopt(file, level, option, value, size); });
}

int __real_getaddrinfo(const char* host, const char* port, const addrinfo* wanted,
                       addrinfo** found);
int __wrap_getaddrinfo(const char* host, const char* port, const addrinfo* wanted,
                       addrinfo** found);
int __wrap_getaddrinfo(const char* host, const char* port, const addrinfo* wanted,
                       addrinfo** found) {
  const int outcome = Do("getaddrinfo", -1, calls::kMemory, EAI_MEMORY,
                         [=] { return __real_getaddrinfo(host, port, wanted, found); });
  if (outcome == 0 && calls::armed) calls::kept++;
  return outcome;
}

void __real_freeaddrinfo(addrinfo* found);
void __wrap_freeaddrinfo(addrinfo* found);
void __wrap_freeaddrinfo(addrinfo* found) {
  Give(found);
  __real_freeaddrinfo(found);
}

int __real_pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*run)(void*),
                          void* argument);
int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*run)(void*),
                          void* argument);
int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*run)(void*),
                          void* argument) {
  const int outcome = Do("pthread_create", -1, calls::kFile, EAGAIN,
                         [=] { return __real_pthread_create(thread, how, run, argument); });
  if (outcome == 0 && calls::armed) calls::kept++;
  return outcome;
}

int __real_pthread_join(pthread_t thread, void** result);
int __wrap_pthread_join(pthread_t thread, void** result);
int __wrap_pthread_join(pthread_t thread, void** result) {
  Give(&thread);
  return __real_pthread_join(thread, result);
}

int __real_pthread_condattr_init(pthread_condattr_t* how);
int __wrap_pthread_condattr_init(pthread_condattr_t* how);
int __wrap_pthread_condattr_init(pthread_condattr_t* how) {
  return Do("pthread_condattr_init", -1, calls::kMemory, ENOMEM,
            [=] { return __real_pthread_condattr_init(how); });
}

int __real_pthread_cond_init(pthread_cond_t* made, const pthread_condattr_t* how);
int __wrap_pthread_cond_init(pthread_cond_t* made, const pthread_condattr_t* how);
int __wrap_pthread_cond_init(pthread_cond_t* made, const pthread_condattr_t* how) {
  return Do("pthread_cond_init", -1, calls::kMemory, ENOMEM,
            [=] { return __real_pthread_cond_init(made, how); });
}

// Functions of hiredis, which not every test links.  Its allocations are not seen here.
__attribute__((weak)) void* __real_redisReaderCreateWithFunctions(void* functions);
void* __wrap_redisReaderCreateWithFunctions(void* functions);
void* __wrap_redisReaderCreateWithFunctions(void* functions) {
  return Take("redisReaderCreateWithFunctions",
              [=] { return __real_redisReaderCreateWithFunctions(functions); });
}

__attribute__((weak)) void __real_redisReaderFree(void* reader);
void __wrap_redisReaderFree(void* reader);
void __wrap_redisReaderFree(void* reader) {
  Give(reader);
  __real_redisReaderFree(reader);
}

}  // extern "C"
