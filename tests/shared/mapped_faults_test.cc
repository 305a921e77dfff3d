// Mapped filters in bad conditions: permanent signals, file systems that cannot reserve blocks,
// are full or have no limit, and limits of the process.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <lfbloom/growing_mapped.h>

#include "bloom/filter/filter.h"
#include "bloom/files/mapping.h"
#include "tests/support/await.h"
#include "tests/support/mapped.h"
#include "tests/support/mounts.h"
#include "tests/support/race.h"
#include "tests/support/shared.h"
#include "tests/support/skip.h"
#include "tests/support/windows_mapped.h"

namespace {

// ---- forced results of system calls ----------------------------------------------------

// The offset of the lower half of an argument on a little-endian machine.
constexpr uint32_t Argument(uint32_t i) { return offsetof(seccomp_data, args) + 8 * i; }

// Installs a filter of calls for this process. Returns false if there is no seccomp.
template <size_t size>
bool Install(sock_filter (&program)[size]) {
  const sock_fprog all = {size, program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) == 0;
}

// linkat() fails with `error`.
bool NamingFails(int error) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_linkat, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<uint32_t>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  return Install(program);
}

// fallocate() fails with `error` when it reserves `least` bytes or more; making holes still works.
bool ReservingFails(int error, uint32_t least) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 0, 5),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, Argument(1)),  // the mode
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, Argument(3)),  // the size
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, least, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<uint32_t>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  return Install(program);
}

constexpr int kNoSeccomp = 77;

// A program has a timer, and a file system in memory drops the blocks that an interrupted call
// has reserved. So no call that takes longer than the timer ever ends. Seen to hang.
TEST(MappedFaults, SignalsDelayButDoNotStopIt) {
  const Path path("/dev/shm");
  lfb_config config = Config(10'000'000, 0.01, LFB_FAST);
  config.lazy_memory = true;
  const int outcome = InChild([&] {
    if (!ReservingFails(EINTR, 1 << 20)) return kNoSeccomp;
    lfb_filter* filter = nullptr;
    return lfb_mapped_create(path.c_str(), &config, &filter) == LFB_OK ? 0 : 1;
  });
  if (outcome == kNoSeccomp) return Skip("no seccomp here");
  EXPECT_EQ(outcome, 0);
  struct stat found;
  ASSERT_EQ(stat(path.c_str(), &found), 0);
  EXPECT_GE(found.st_blocks * 512, 12'000'000);
}

// Makes a file of each kind, puts a key, and finds it after opening. Returns 0, or what failed.
int MakeAndOpenEach(const std::string& folder) {
  const lfb_config config = Config(1000, 0.01, LFB_FAST);
  const lfb_window_config of_window = WindowConfig(1000, 0.01);
  const std::string paths[] = {folder + "/plain", folder + "/growing", folder + "/window"};
  lfb_any made[] = {{LFB_KIND_PLAIN, {}}, {LFB_KIND_GROWING, {}}, {LFB_KIND_WINDOW, {}}};
  const uint64_t key = 7;
  if (lfb_mapped_create(paths[0].c_str(), &config, &made[0].plain) != LFB_OK ||
      lfb_mapped_create(paths[0].c_str(), &config, &made[0].plain) != LFB_ERROR_EXISTS)
    return 1;
  if (lfb_growing_mapped_create(paths[1].c_str(), &config, &made[1].growing) != LFB_OK) return 2;
  if (lfb_pair_runs_here() &&
      lfb_window_mapped_create(paths[2].c_str(), &of_window, &made[2].window) != LFB_OK)
    return 3;
  for (int i = 0; i < 3; i++) {
    if (made[i].filter == nullptr) continue;
    lfb_any opened{};
    if (lfb_any_many_u64(made[i], LFB_PUT, &key, 1, nullptr) != 1 ||
        lfb_any_open(paths[i].c_str(), made[i].kind, LFB_OPEN_SHARED, nullptr, &opened) != LFB_OK ||
        lfb_any_many_u64(opened, LFB_MIGHT_CONTAIN, &key, 1, nullptr) != 1)
      return 4 + i;
    lfb_any_free(opened);
    lfb_any_free(made[i]);
    unlink(paths[i].c_str());
  }
  return std::filesystem::is_empty(folder) ? 0 : 7;
}

// Where hard links are refused, or nothing can be reserved, files are made and opened all the same.
// Seen to fail: the file cannot be opened; writing failed.
TEST(MappedFaults, WithoutLinksAndWithoutReservingFilesAreMade) {
  const std::string folder = testing::TempDir() + "/refused";
  for (const int error : {EPERM, EACCES, EXDEV, EINVAL, ENOSYS, EOPNOTSUPP, EMLINK})
    for (const bool naming : {true, false}) {
      if (!naming && (error == EACCES || error == EXDEV || error == EMLINK)) continue;
      std::filesystem::create_directory(folder);
      const int outcome = InChild([&] {
        if (!(naming ? NamingFails(error) : ReservingFails(error, 0))) return kNoSeccomp;
        return MakeAndOpenEach(folder);
      });
      std::filesystem::remove_all(folder);
      if (outcome == kNoSeccomp) return Skip("no seccomp here");
      EXPECT_EQ(outcome, 0) << (naming ? "linkat: " : "fallocate: ") << strerror(error);
    }
}

constexpr off_t kBlock = 4096;  // of the words: this test changes only the first one

// Repeatedly opens a file with words that lack all blocks except the first one.
int OpenWithAHole(const Path& path, off_t words, off_t end) {
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  for (int i = 0; i < 3000; i++) {
    lfb_filter* filter = nullptr;
    if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, words + kBlock,
                  end - words - kBlock) != 0)
      return 1;
    if (lfb_mapped_open(path.c_str(), nullptr, &filter) != LFB_OK) return 2;
    lfb_mapped_close(filter);
  }
  return 0;
}

// Clears the first block of words, turns on a bit of each byte, and counts those that are lost.
uint64_t LostInOneBlock(lfb_bit_array* bits, uint64_t round) {
  constexpr uint64_t kWords = kBlock / 8, kOfEachByte = 0x0101010101010101;
  uint64_t lost = 0;
  for (uint64_t word = 0; word < kWords; word++) atomic_store(&bits->words[word], uint64_t{0});
  for (uint64_t word = 0; word < kWords; word++)
    lfb_bit_array_or(bits, word, kOfEachByte << round % 8);
  for (uint64_t word = 0; word < kWords; word++)
    lost += lfb_word_get(&bits->words[word]) != kOfEachByte << round % 8;
  return lost;
}

// If the file system cannot reserve blocks, opening a file with missing blocks undoes nothing
// that another process turns on concurrently. Seen to fail with posix_fallocate(), which reads a
// byte of each block and writes it back.
TEST(MappedFaults, OpeningTakesNothingBackWhereNothingCanBeReserved) {
  const Path path;
  const Filter filter = Create(path, Config(100000, 0.01, LFB_FAST));
  const off_t end = static_cast<off_t>(filter->mapping->pages.size);
  const off_t words = end - static_cast<off_t>(filter->pages.size);
  const pid_t child = fork();
  if (child == 0) _exit(ReservingFails(EOPNOTSUPP, 0) ? OpenWithAHole(path, words, end)
                                                      : kNoSeccomp);
  uint64_t lost = 0;
  int status = 0;
  for (uint64_t round = 0; waitpid(child, &status, WNOHANG) == 0; round++)
    lost += LostInOneBlock(&filter->layout.bits, round);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoSeccomp) return Skip("no seccomp here");
  EXPECT_EQ(status, 0);
  EXPECT_EQ(lost, 0u);
}

// Seen to be killed by SIGXFSZ.
TEST(MappedFaults, ALimitOfFilesIsAnError) {
  const Path path;
  const lfb_config config = Config(1'000'000, 0.01, LFB_FAST);
  const int outcome = InChild([&] {
    const rlimit limit = {1 << 20, 1 << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    lfb_filter* filter = nullptr;
    const lfb_status status = lfb_mapped_create(path.c_str(), &config, &filter);
    return status == LFB_ERROR_WRITE && errno == EFBIG && access(path.c_str(), F_OK) != 0 ? 0 : 1;
  });
  EXPECT_EQ(outcome, 0);
}

TEST(MappedFaults, ALimitOfMemoryIsAnError) {
  if (kUnderSanitizer) return NotHere("a sanitizer takes address space of its own");
  const Path path, never;
  const lfb_config config = Config(200'000'000, 0.01, LFB_FAST);  // 240 MiB
  { Create(path, config); }
  const int outcome = InChild([&] {
    const rlimit limit = {200 << 20, 200 << 20};
    setrlimit(RLIMIT_AS, &limit);
    lfb_filter* filter = nullptr;
    if (lfb_mapped_open(path.c_str(), nullptr, &filter) != LFB_ERROR_MAP || errno != ENOMEM)
      return 1;
    return lfb_mapped_create(never.c_str(), &config, &filter) == LFB_ERROR_MAP &&
                   errno == ENOMEM && access(never.c_str(), F_OK) != 0
               ? 0
               : 2;
  });
  EXPECT_EQ(outcome, 0);
}

// ---- file systems that a test mounts for itself only ----------------------------------

class MappedMounts : public testing::Test {
 protected:
  MappedMounts() : where_(testing::TempDir() + "/mapped-mount") { mkdir(where_.c_str(), 0700); }
  ~MappedMounts() override { rmdir(where_.c_str()); }

  // Runs `body` with a tmpfs at where_; 77: none can be mounted.
  template <typename Body>
  void With(const char* options, const Body& body) {
    const uid_t user = getuid();
    const gid_t group = getgid();
    const int outcome = InChild([&] {
      if (!EnterMounts(user, group) || mount("none", where_.c_str(), "tmpfs", 0, options) != 0)
        return 77;
      return body();
    });
    if (outcome == 77) return Skip("no file system can be mounted here");
    EXPECT_EQ(outcome, 0);
  }
  bool IsEmpty() const {
    return std::distance(std::filesystem::directory_iterator(where_), {}) == 0;
  }
  const std::string where_;
};

// Seen to fail: such a file system reports that it has no room.
TEST_F(MappedMounts, NoLimitIsRoomEnough) {
  With("size=0", [&] {
    const lfb_config config = Config(1000, 0.01, LFB_FAST);
    lfb_filter* filter = nullptr;
    return lfb_mapped_create((where_ + "/a").c_str(), &config, &filter) == LFB_OK ? 0 : 1;
  });
}

TEST_F(MappedMounts, AFullOneIsAnErrorAndKeepsNothing) {
  With("size=4m", [&] {
    lfb_config config = Config(10'000'000, 0.01, LFB_FAST);
    for (const bool lazy : {true, false}) {
      lfb_filter* filter = nullptr;
      config.lazy_memory = lazy;
      const lfb_status status =
          lfb_mapped_create((where_ + "/a").c_str(), &config, &filter);
      if (status != LFB_ERROR_WRITE || errno != ENOSPC || !IsEmpty()) return 1;
    }
    return 0;
  });
}

// The status of opening a file with words, 24 MiB, that are a hole; 64 MiB minus `ballast` are
// free; `max_bytes` as in lfb_read_limits.  A failure must not fill the file system to find out.
lfb_status OpenSparse(const std::string& where, off_t ballast, uint64_t max_bytes) {
  const std::string path = where + "/a", other_path = where + "/b";
  const lfb_config config = Config(20'000'000, 0.01, LFB_FAST);
  lfb_filter* filter = nullptr;
  if (lfb_mapped_create(path.c_str(), &config, &filter) != LFB_OK) return LFB_ERROR_CANNOT_GROW;
  lfb_filter_put_u64(filter, 7);
  const off_t size = static_cast<off_t>(filter->mapping->pages.size);
  const off_t words = static_cast<off_t>(filter->pages.size);
  lfb_mapped_close(filter);
  const int fd = open(path.c_str(), O_RDWR),
                 other = open(other_path.c_str(), O_RDWR | O_CREAT, 0600);
  if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, size - words, words) != 0 ||
      (ballast > 0 && fallocate(other, 0, 0, ballast) != 0))
    return LFB_ERROR_CANNOT_GROW;
  lfb_read_limits limits{};
  limits.max_bytes = max_bytes;
  struct stat before, after;
  fstat(fd, &before);
  lfb_status status = lfb_mapped_open(path.c_str(), &limits, &filter);
  const int cause = errno;
  fstat(fd, &after);
  if (status == LFB_OK)
    lfb_mapped_close(filter);
  else if (before.st_blocks != after.st_blocks)
    status = LFB_ERROR_CANNOT_GROW;
  close(fd), close(other);
  unlink(path.c_str()), unlink(other_path.c_str());
  errno = cause;
  return status;
}

// A few bytes can announce a large file. Unless the caller has set a limit, at most half of the
// free space is reserved for it. Seen to be reserved.
TEST_F(MappedMounts, HolesThatTakeMoreThanHalfOfWhatIsFreeNeedALimit) {
  With("size=64m", [&] {
    if (OpenSparse(where_, 0, 0) != LFB_OK) return 1;
    if (OpenSparse(where_, 24 << 20, 0) != LFB_ERROR_WRITE || errno != ENOSPC) return 2;
    if (OpenSparse(where_, 24 << 20, 30 << 20) != LFB_OK) return 3;
    if (OpenSparse(where_, 50 << 20, 30 << 20) != LFB_ERROR_WRITE || errno != ENOSPC) return 5;
    return OpenSparse(where_, 24 << 20, 1 << 20) == LFB_ERROR_OVER_LIMIT ? 0 : 4;
  });
}

// A sparse copy on a file system that is then full cannot be opened for reading, but can be
// loaded. Seen to be opened, and to die of SIGBUS at the first query.
TEST_F(MappedMounts, AReaderDoesNotDieOfHoles) {
  With("size=8m", [&] {
    const std::string path = where_ + "/a", ballast = where_ + "/b";
    const lfb_config config = Config(2'000'000, 0.01, LFB_FAST);  // 2.4 MiB
    lfb_filter* filter = nullptr;
    if (lfb_mapped_create(path.c_str(), &config, &filter) != LFB_OK) return 1;
    const off_t size = static_cast<off_t>(filter->mapping->pages.size);
    const off_t words = static_cast<off_t>(filter->pages.size);
    lfb_mapped_close(filter);
    const int fd = open(path.c_str(), O_RDWR),
                   other = open(ballast.c_str(), O_RDWR | O_CREAT, 0600);
    if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, size - words, words) != 0)
      return 2;
    for (off_t at = 0; fallocate(other, 0, at, 4096) == 0;) at += 4096;
    const lfb_filter* reader = nullptr;
    if (lfb_mapped_open_read_only(path.c_str(), nullptr, &reader) == LFB_OK)
      return lfb_filter_might_contain_u64(reader, 7) ? 3 : 4;
    if (errno != ENODATA || lfb_filter_load(path.c_str(), nullptr, &filter) != LFB_OK) return 5;
    lfb_filter_free(filter);
    if (ftruncate(other, 0) != 0 || lfb_mapped_open(path.c_str(), nullptr, &filter) != LFB_OK)
      return 6;
    lfb_mapped_close(filter);
    return lfb_mapped_open_read_only(path.c_str(), nullptr, &reader) == LFB_OK ? 0 : 7;
  });
}

TEST_F(MappedMounts, AReadOnlyOneIsQueried) {
  With("size=4m", [&] {
    const std::string path = where_ + "/a";
    const lfb_config config = Config(1000, 0.01, LFB_FAST);
    lfb_filter* filter = nullptr;
    if (lfb_mapped_create(path.c_str(), &config, &filter) != LFB_OK) return 1;
    lfb_filter_put_u64(filter, 7);
    lfb_mapped_close(filter);
    if (mount("none", where_.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0) return 77;
    if (lfb_mapped_open(path.c_str(), nullptr, &filter) != LFB_ERROR_OPEN || errno != EROFS)
      return 2;
    if (lfb_mapped_create((where_ + "/b").c_str(), &config, &filter) != LFB_ERROR_OPEN ||
        errno != EROFS)
      return 3;
    const lfb_filter* reader = nullptr;
    if (lfb_mapped_open_read_only(path.c_str(), nullptr, &reader) != LFB_OK) return 4;
    return lfb_filter_might_contain_u64(reader, 7) && lfb_mapped_sync(reader) == LFB_OK ? 0 : 5;
  });
}

}  // namespace
