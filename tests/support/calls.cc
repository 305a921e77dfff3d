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

using namespace calls;

// The wrapped function of this name; __real_NAME is the one of the C library.
#define WRAP(result, name, parameters)     \
  result __real_##name parameters;         \
  result __wrap_##name parameters;         \
  result __wrap_##name parameters

// One that does nothing but its call, which may fail with `failed`; it is reported as `as`.
#define CALL_AS(as, result, name, can, file, failed, parameters, arguments) \
  WRAP(result, name, parameters)                                            \
  {                                                                         \
    return Do(as, file, can, static_cast<result>(failed),                   \
              [=] { return __real_##name arguments; });                     \
  }
#define CALL(result, name, can, file, failed, parameters, arguments) \
  CALL_AS(#name, result, name, can, file, failed, parameters, arguments)

// One that moves bytes, `size` at most.
#define MOVE(name, file, parameters, arguments)                                        \
  WRAP(ssize_t, name, parameters)                                                      \
  {                                                                                    \
    return Move(#name, file, size, [=](size_t most) { return __real_##name arguments; }); \
  }

// One that allocates memory.
#define TAKE(result, name, can, parameters, arguments)                   \
  WRAP(result, name, parameters)                                         \
  {                                                                      \
    return Take(#name, [=] { return __real_##name arguments; }, can);    \
  }

extern "C" {

WRAP(int, open, (const char* path, int flags, ...)) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return Do("open", -1, kFile | kSlow, -1, [=] { return __real_open(path, flags, mode); });
}

// A call at a folder is named as the one without.
WRAP(int, openat, (int folder, const char* path, int flags, ...)) {
  va_list more;
  va_start(more, flags);
  const bool takes_mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  const mode_t mode = takes_mode ? va_arg(more, mode_t) : 0;
  va_end(more);
  return Do("open", -1, kFile | kSlow, -1,
            [=] { return __real_openat(folder, path, flags, mode); });
}
CALL_AS("rename", int, renameat, kFile, -1, -1,
        (int from_folder, const char* from, int to_folder, const char* to),
        (from_folder, from, to_folder, to))
CALL_AS("stat", int, fstatat, kFile, -1, -1,
        (int folder, const char* path, struct stat* found, int flags),
        (folder, path, found, flags))
CALL_AS("readlink", ssize_t, readlinkat, kFile, -1, -1,
        (int folder, const char* path, char* text, size_t size), (folder, path, text, size))

// Never fails here: a function that could not make its file can always remove it.
CALL(int, unlink, kNoHarm, -1, -1, (const char* path), (path))
CALL_AS("unlink", int, unlinkat, kNoHarm, -1, -1, (int folder, const char* path, int flags),
        (folder, path, flags))

// As on Linux: the file is closed, even if the call fails.
WRAP(int, close, (int file)) {
  const int closed = Do("close", file, kFile | kSlow, -2, [=] { return __real_close(file); });
  if (closed != -2) return closed;
  const int error = errno;
  __real_close(file);
  errno = error;
  return -1;
}

MOVE(read, file, (int file, void* bytes, size_t size), (file, bytes, most))
MOVE(write, file, (int file, const void* bytes, size_t size), (file, bytes, most))
MOVE(recv, file, (int file, void* bytes, size_t size, int flags), (file, bytes, most, flags))
MOVE(send, file, (int file, const void* bytes, size_t size, int flags), (file, bytes, most, flags))
MOVE(pread, file, (int file, void* bytes, size_t size, off_t from), (file, bytes, most, from))
MOVE(pwrite, file, (int file, const void* bytes, size_t size, off_t to), (file, bytes, most, to))
MOVE(getrandom, -1, (void* bytes, size_t size, unsigned flags), (bytes, most, flags))

CALL(int, socket, kFile, -1, -1, (int domain, int type, int protocol), (domain, type, protocol))
CALL(int, fsync, kFile | kSlow, file, -1, (int file), (file))
CALL(int, fchmod, kFile | kSlow, file, -1, (int file, mode_t mode), (file, mode))
CALL(int, stat, kFile, -1, -1, (const char* path, struct stat* found), (path, found))
CALL(int, lstat, kFile, -1, -1, (const char* path, struct stat* found), (path, found))
CALL(int, fstat, kFile, file, -1, (int file, struct stat* found), (file, found))
CALL(int, ftruncate, kFile, file, -1, (int file, off_t size), (file, size))
CALL(int, fallocate, kFile | kSlow, file, -1, (int file, int mode, off_t from, off_t size),
     (file, mode, from, size))
CALL(int, linkat, kFile, -1, -1,
     (int from, const char* old, int to, const char* name, int flags),
     (from, old, to, name, flags))
CALL(int, access, kFile, -1, -1, (const char* path, int mode), (path, mode))
CALL(int, msync, kFile, -1, -1, (void* at, size_t size, int flags), (at, size, flags))
CALL(int, madvise, kFile, -1, -1, (void* at, size_t size, int advice), (at, size, advice))
CALL(off_t, lseek, kFile, file, -1, (int file, off_t to, int from), (file, to, from))
CALL(int, fstatfs, kFile, file, -1, (int file, struct statfs* found), (file, found))
CALL(int, getrlimit, kFile, -1, -1, (__rlimit_resource_t of, rlimit* found), (of, found))
CALL(int, eventfd, kFile, -1, -1, (unsigned count, int flags), (count, flags))
CALL(int, getsockopt, kFile, file, -1,
     (int file, int level, int option, void* value, socklen_t* size),
     (file, level, option, value, size))
CALL(int, setsockopt, kFile, file, -1,
     (int file, int level, int option, const void* value, socklen_t size),
     (file, level, option, value, size))
CALL(int, pthread_condattr_init, kMemory, -1, ENOMEM, (pthread_condattr_t* how), (how))
CALL(int, pthread_cond_init, kMemory, -1, ENOMEM,
     (pthread_cond_t* made, const pthread_condattr_t* how), (made, how))
// Returns NULL at the end, too: only errno tells the difference.
CALL(dirent*, readdir, kFile, -1, nullptr, (DIR* directory), (directory))
// Besides interruptions, poll() fails only for lack of memory in the kernel.
CALL(int, poll, kSlow, -1, -1, (pollfd* polled, nfds_t count, int timeout),
     (polled, count, timeout))

// An interrupted connect() goes on in the kernel.
WRAP(int, connect, (int file, const sockaddr* address, socklen_t size)) {
  bool begun = false;
  const int connected = Do("connect", file, kFile | kSlow, -1, [&] {
    begun = true;
    return __real_connect(file, address, size);
  });
  if (begun || errno != EINTR) return connected;
  __real_connect(file, address, size);
  errno = EINTR;
  return -1;
}

// Returns the error, and leaves errno unchanged.
WRAP(int, posix_fallocate, (int file, off_t from, off_t size)) {
  const int before = errno;
  const int done = Do("posix_fallocate", file, kFile | kSlow, -1,
                      [=] { return __real_posix_fallocate(file, from, size); });
  const int error = done < 0 ? errno : done;
  errno = before;
  return error;
}

TAKE(char*, strdup, kMemory, (const char* text), (text))
TAKE(char*, strndup, kMemory, (const char* text, size_t size), (text, size))
TAKE(void*, malloc, kMemory, (size_t size), (size))
TAKE(void*, calloc, kMemory, (size_t count, size_t size), (count, size))
TAKE(void*, aligned_alloc, kMemory, (size_t alignment, size_t size), (alignment, size))
TAKE(DIR*, opendir, kFile, (const char* path), (path))

WRAP(void*, realloc, (void* memory, size_t size)) {
  void* const taken = Take("realloc", [=] { return __real_realloc(memory, size); });
  if (taken != nullptr) Give(memory);
  return taken;
}

WRAP(void, free, (void* memory)) {
  Give(memory);
  __real_free(memory);
}

WRAP(int, closedir, (DIR* directory)) {
  Give(directory);
  return __real_closedir(directory);
}

WRAP(void*, mmap, (void* at, size_t size, int protection, int flags, int file, off_t offset)) {
  void* const mapping = Do("mmap", -1, kMemory, MAP_FAILED, [=] {
    return __real_mmap(at, size, protection, flags, file, offset);
  });
  // a mapping that replaces another one was counted with that one
  const bool more = mapping != MAP_FAILED && (flags & MAP_FIXED) == 0;
  if (armed && more) mapped += static_cast<int64_t>(size);
  return mapping;
}

WRAP(int, munmap, (void* at, size_t size)) {
  if (armed) mapped -= static_cast<int64_t>(size);
  return __real_munmap(at, size);
}

WRAP(int, getaddrinfo,
     (const char* host, const char* port, const addrinfo* wanted, addrinfo** found)) {
  const int outcome = Do("getaddrinfo", -1, kMemory, EAI_MEMORY,
                         [=] { return __real_getaddrinfo(host, port, wanted, found); });
  if (outcome == 0 && armed) kept++;
  return outcome;
}

WRAP(void, freeaddrinfo, (addrinfo* found)) {
  Give(found);
  __real_freeaddrinfo(found);
}

WRAP(int, pthread_create, (pthread_t* thread, const pthread_attr_t* how, void* (*run)(void*),
                           void* argument)) {
  const int outcome = Do("pthread_create", -1, kFile, EAGAIN,
                         [=] { return __real_pthread_create(thread, how, run, argument); });
  if (outcome == 0 && armed) kept++;
  return outcome;
}

WRAP(int, pthread_join, (pthread_t thread, void** result)) {
  Give(&thread);
  return __real_pthread_join(thread, result);
}

// Functions of hiredis, which not every test links.  Its allocations are not seen here.
__attribute__((weak)) TAKE(void*, redisReaderCreateWithFunctions, kMemory, (void* functions),
                           (functions))
__attribute__((weak)) WRAP(void, redisReaderFree, (void* reader)) {
  Give(reader);
  __real_redisReaderFree(reader);
}

}  // extern "C"
