// Windows in files that processes share: the same answers and bits as in memory, and one window for
// all that open the file.  every_mapped_test has what holds for every kind in a file;
// window_kill_test kills and stops the processes.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <tuple>

#include "bloom/window/window_files.h"
#include "bloom/files/mapping.h"
#include "tests/support/await.h"
#include "tests/support/native_bytes.h"
#include "tests/support/race.h"
#include "tests/support/shared.h"
#include "tests/support/windows_mapped.h"

namespace {

pid_t alike = 0;            // the number of each process, if not 0
std::atomic<int> locks{0};  // calls of flock()

}  // namespace

extern "C" {
pid_t __real_getpid();
pid_t __wrap_getpid();
pid_t __wrap_getpid() { return alike != 0 ? alike : __real_getpid(); }
int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation);
int __wrap_flock(int fd, int operation) { return locks++, __real_flock(fd, operation); }
}

namespace {

const auto* const sharable_here = testing::AddGlobalTestEnvironment(new SharableHere);

uint64_t Generation(const Window& window) { return lfb_window_generation(window.get()); }

// How many of the keys from `first` on are found.
uint64_t Found(const Window& window, uint64_t first, uint64_t count) {
  uint64_t found = 0;
  for (uint64_t i = 0; i < count; i++) found += Has(window, first + i);
  return found;
}

void PutSome(const Window& window, uint64_t first, uint64_t count) {
  for (uint64_t i = 0; i < count; i++) Put(window, first + i);
}

lfb_status OpenStatus(const Path& path) {
  lfb_window* window = nullptr;
  const lfb_status status = any::open_shared<lfb_window>(path.c_str(), nullptr, &window);
  lfb_window_free(window);
  return status;
}

lfb_status LoadStatus(const Path& path, Window* loaded = nullptr) {
  lfb_window* window = nullptr;
  const lfb_status status = any::load<lfb_window>(path.c_str(), nullptr, &window);
  Window owner(window);
  if (loaded != nullptr) *loaded = std::move(owner);
  return status;
}

void ExpectSameWords(const Window& a, const Window& b) {
  ASSERT_EQ(a->pages.size, b->pages.size);
  EXPECT_EQ(memcmp(a->pages.address, b->pages.address, a->pages.size), 0);
}

// ---- one window for all that open it ------------------------------------------------------

// G, and the words of a block.
class EveryMappedWindow : public testing::TestWithParam<std::tuple<uint32_t, uint32_t>> {
 protected:
  uint32_t generations() const { return std::get<0>(GetParam()); }
  lfb_window_config MakeConfig(uint64_t n = 2000) const {
    return WindowConfigOf(n, std::get<1>(GetParam()), generations());
  }
};

std::string MappedWindowName(const testing::TestParamInfo<std::tuple<uint32_t, uint32_t>>& tested) {
  return "G" + std::to_string(std::get<0>(tested.param)) + "_words" +
         std::to_string(std::get<1>(tested.param));
}

INSTANTIATE_TEST_SUITE_P(All, EveryMappedWindow,
                         testing::Combine(testing::Values(1u, 3u, 7u), testing::Values(2u, 4u, 8u)),
                         MappedWindowName);

// What one opening puts, claims and ends, the other sees at once; both are as a window in private
// memory.
TEST_P(EveryMappedWindow, IsOneForAllAndAsInPrivateMemory) {
  for (const std::string& folder : {testing::TempDir(), std::string("/dev/shm")}) {
    const Path path(folder);
    const Window one = CreateWindow(path, MakeConfig()), other = OpenWindow(path);
    const Window memory = MakeWindow(MakeConfig());
    for (uint64_t turn = 0; turn < 3 * (generations() + 1); turn++) {
      const Window &putter = turn % 2 ? one : other, &asker = turn % 2 ? other : one;
      for (uint64_t i = 0; i < 100; i++) {
        const uint64_t put = Mix(turn, 2 * i), claimed = Mix(turn, 2 * i + 1);
        ASSERT_EQ(Put(putter, put), Put(memory, put));
        ASSERT_TRUE(Has(asker, put));
        ASSERT_FALSE(Put(asker, put));
        ASSERT_FALSE(Claim(asker, put));
        ASSERT_EQ(Claim(putter, claimed), Claim(memory, claimed));
        ASSERT_TRUE(Has(asker, claimed));
        ASSERT_FALSE(Claim(asker, claimed));
      }
      Advance(asker), Advance(memory);
      ASSERT_EQ(Generation(one), Generation(memory));
      ASSERT_EQ(Generation(other), Generation(memory));
      EXPECT_EQ(lfb_window_advance(putter.get(), Generation(memory) - 1),
                LFB_ERROR_WRONG_GENERATION);
    }
    ExpectSameWords(one, memory);
    ExpectSameWords(other, memory);
    ExpectSameFigures(one, memory);
    ExpectSameFigures(other, memory);
  }
}

// Opened again it has its keys, generation and figures, and goes on to forget.
TEST_P(EveryMappedWindow, OutlivesItsProcesses) {
  const Path path;
  Window window = CreateWindow(path, MakeConfig());
  const Window memory = MakeWindow(MakeConfig());
  for (uint64_t turn = 0; turn < 2 * generations() + 3; turn++) {
    PutSome(window, 1000 * turn, 100), PutSome(memory, 1000 * turn, 100);
    window.reset();
    window = OpenWindow(path);
    ASSERT_EQ(Generation(window), Generation(memory));
    ExpectSameFigures(window, memory);
    for (uint64_t age = 0; age <= std::min<uint64_t>(turn, generations()); age++)
      ASSERT_EQ(Found(window, 1000 * (turn - age), 100), 100u) << age;
    ExpectSameWords(window, memory);
    Advance(window), Advance(memory);
  }
  Advance(window, generations());
  window = OpenWindow(path);
  EXPECT_EQ(Stats(window).expected_fpp, 0) << "all is forgotten";
}

// Read as a copy, it answers the same, and goes its own way. Its saved form is that of any window.
TEST_P(EveryMappedWindow, IsLoadedAsACopy) {
  const Path path, saved;
  const Window window = CreateWindow(path, MakeConfig());
  for (uint64_t turn = 0; turn < 2 * generations(); turn++) {
    PutSome(window, 1000 * turn, 200);
    Advance(window);
  }
  Window copy;
  ASSERT_EQ(any::save<lfb_window>(window.get(), saved.c_str()), LFB_OK);
  EXPECT_EQ(OpenStatus(saved), LFB_ERROR_NOT_MAPPED);
  for (const Path* file : {&saved, &path}) {
    ASSERT_EQ(LoadStatus(*file, &copy), LFB_OK);
    ExpectSameFigures(copy, window);
    ExpectSameWords(copy, window);
  }
  for (uint64_t i = 0; i < 1000 * 2 * generations(); i++) ASSERT_EQ(Has(copy, i),
                                                                    Has(window, i)) << i;
  EXPECT_TRUE(Claim(copy, UINT64_MAX));
  EXPECT_FALSE(Has(window, UINT64_MAX));
  Advance(copy);
  EXPECT_EQ(Generation(window) + 1, Generation(copy));
  EXPECT_EQ(any::sync<lfb_window>(copy.get()), LFB_ERROR_NOT_MAPPED);
}

TEST(WindowMapped, KeepsItsConfiguration) {
  const Path path;
  { CreateWindow(path, ByInsertions(Timed(WindowConfig(1234, 0.003, 7), 12.5))); }
  const Window window = OpenWindow(path);
  const lfb_window_figures figures = Stats(window);
  EXPECT_EQ(figures.expected_insertions, 1234u);
  EXPECT_EQ(figures.fpp, 0.003);
  EXPECT_EQ(figures.generations, 7u);
  EXPECT_EQ(figures.span, 12.5);
  EXPECT_TRUE(window->config.by_insertions);
  const Path other;
  { CreateWindow(other, WindowConfig(10, 0.1, 0)); }
  EXPECT_EQ(Stats(OpenWindow(other)).generations, 3u);
}

// Insertions through two openings count together, as those of threads do (window_test); and those
// of before the file was closed count, too.
TEST(WindowMapped, InsertionsAreCountedTogether) {
  constexpr uint64_t kEach = 2000;
  const Path path;
  {
    const Window window = CreateWindow(path, ByInsertions(WindowConfig(3 * kEach, 1e-6)));
    PutSome(window, ~uint64_t{0} - kEach, kEach / 2);
    EXPECT_EQ(Generation(window), 4u);
  }
  const Window one = OpenWindow(path), other = OpenWindow(path);
  PutSome(one, ~uint64_t{0} - kEach / 2, kEach / 4);
  PutSome(other, ~uint64_t{0} - kEach / 4, kEach / 4);
  PutSome(other, ~uint64_t{0} - 2 * kEach, kEach / 32 + 2);  // late
  EXPECT_EQ(Generation(one), 5u);
}

// ---- advancing ------------------------------------------------------------------------------

// Threads with an opening each end generations: each is ended once, and no call fails otherwise
// than it may.
TEST(WindowMappedRace, OneOfSeveralAdvancesSucceeds) {
  constexpr unsigned kThreads = 4;
  constexpr uint64_t kGenerations = kUnderTsan ? 100 : 2000;
  const Path path("/dev/shm");
  const Window first = CreateWindow(path, WindowConfig(100, 0.01));
  std::atomic<uint64_t> ended{0}, wrong{0};
  RunTogether(kThreads, [&](unsigned thread) {
    const Window window = thread % 2 ? OpenWindow(path) : Window();
    lfb_window* const mine = thread % 2 ? window.get() : first.get();
    for (uint64_t e; (e = lfb_window_generation(mine)) < 4 + kGenerations;) {
      const lfb_status status = lfb_window_advance(mine, e);
      ended += status == LFB_OK;
      wrong += status != LFB_OK && status != LFB_ERROR_WRONG_GENERATION &&
          status != LFB_ERROR_WINDOW_HELD;
    }
  });
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(4 + ended, Generation(first));
}

TEST(WindowMapped, AnAdvanceFailsWhileTheFileIsLocked) {
  const Path path;
  const Window window = CreateWindow(path, WindowConfig(100, 0.01)), other = OpenWindow(path);
  Put(window, 1);
  for (const int lock : {LOCK_EX, LOCK_SH}) {
    const uint64_t e = Generation(window);
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_EQ(flock(fd, lock), 0);
    EXPECT_EQ(lfb_window_advance(window.get(), e), LFB_ERROR_WINDOW_HELD);
    EXPECT_EQ(lfb_window_advance(other.get(), e), LFB_ERROR_WINDOW_HELD);
    EXPECT_EQ(lfb_window_advance(window.get(), e + 1), LFB_ERROR_WRONG_GENERATION);
    EXPECT_TRUE(Put(window, 2 + e) && Claim(other, 100 + e) && Has(other, 1));
    ASSERT_EQ(flock(fd, LOCK_UN), 0);
    EXPECT_EQ(lfb_window_advance(other.get(), e), LFB_OK);
    EXPECT_EQ(lfb_window_advance(window.get(), e + 1), LFB_OK);
    close(fd);
  }
}

// With kAlike a child has its parent's number, as the first processes of two namespaces have; with
// kCloned the handlers of fork() do not run.
enum Way { kForked, kAlike, kCloned };

// A child is made before, or while, a thread of its parent advances: it has a copy of the
// descriptor with the lock, which ends with the parent's advance.  Seen to advance beside its
// parent, and never, with its parent's number.
void ExpectNoLockKept(Way way, bool before) {
  const Path path;
  const Shared<std::atomic<int>> step;
  const Window window = CreateWindow(path, WindowConfig(100, 0.01));
  const auto await =
      [&](int wanted) { Await("the other process", [&] { return *step.get() == wanted; }); };
  const auto lock = [&] { EXPECT_EQ(lfb_window_lock(window.get()), LFB_OK); };
  if (!before) lock();
  const auto child =
      way == kCloned ? static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)) : fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    await(1);
    const lfb_status held = lfb_window_advance(window.get(), 4);
    *step.get() = 2;
    await(3);
    _exit(held != LFB_ERROR_WINDOW_HELD ? 1 : lfb_window_advance(window.get(), 5) != LFB_OK ? 2
                                                                                            : 0);
  }
  if (before) lock();
  *step.get() = 1;
  await(2);
  lfb_window_unlock(window.get());
  EXPECT_EQ(lfb_window_advance(window.get(), 4), LFB_OK);
  *step.get() = 3;
  EXPECT_EQ(AwaitChild("the child ends", child), 0);
  EXPECT_EQ(Generation(window), 6u);
}

TEST(WindowMapped, AChildKeepsNoLock) {
  for (const Way way : {kForked, kAlike, kCloned})
    for (const bool before : {false, true}) {
      if (way == kCloned && kUnderTsan) continue;  // it wants to see each fork
      SCOPED_TRACE(testing::Message() << way << before);
      alike = way == kAlike ? getpid() : 0;
      ExpectNoLockKept(way, before);
      alike = 0;
    }
}

// A process is killed while it clears the oldest layer: the next advance does all of it.
TEST(WindowMapped, AnAdvanceOfTheDeadIsCompleted) {
  const Path path;
  const Window window = CreateWindow(path, WindowConfig(1000, 1e-6));
  for (uint64_t turn = 0; turn < 4; turn++) {
    if (turn > 0) Advance(window);
    PutSome(window, 1000 * turn, 300);
  }
  const int status = InChild([&] {
    if (lfb_window_lock(window.get()) != LFB_OK) _exit(1);
    const uint32_t words = 1u << window->geometry.block_shift;
    for (uint64_t i = 0; i < window->geometry.blocks * words / 2; i++)
      std::atomic_store(&window->view.words[i / words * 4 * words + i % words], uint64_t{0});
    kill(getpid(), SIGKILL);
  });
  EXPECT_EQ(status, -1);
  EXPECT_EQ(Found(window, 1000, 300), 300u);
  Advance(window);
  EXPECT_EQ(Found(window, 0, 300), 0u);
  for (uint64_t turn = 1; turn < 4; turn++) EXPECT_EQ(Found(window, 1000 * turn, 300), 300u);
  EXPECT_EQ(Stats(window).live[0].bits_set, 0u);
}

// ---- descriptors ----------------------------------------------------------------------------

// What a window without its descriptor does: all but advancing and syncing.
void ExpectNoAdvance(const Path& path, const Window& window) {
  const uint64_t e = Generation(window);
  errno = 0;
  EXPECT_EQ(lfb_window_advance(window.get(), e), LFB_ERROR_OPEN);
  EXPECT_EQ(errno, EBADF);
  EndAll(window);
  errno = 0;
  EXPECT_EQ(lfb_window_tick(window.get(), nullptr), LFB_ERROR_OPEN);
  EXPECT_EQ(errno, EBADF);
  EXPECT_EQ(lfb_window_start_clock(window.get()), LFB_ERROR_OPEN);
  EXPECT_EQ(Generation(window), e);
  EXPECT_EQ(any::sync<lfb_window>(window.get()), LFB_ERROR_TRUNCATED);
  EXPECT_TRUE(Put(window, 100 + e) && Claim(window, 200 + e));
  EXPECT_FALSE(Claim(window, 100 + e));
  const Window other = OpenWindow(path);
  EXPECT_TRUE(Has(other, 100 + e) && Has(other, 200 + e));
  Advance(other);
  EXPECT_EQ(Generation(window), e + 1);
}

// The program closes the library's descriptor; another file gets its number, or a pipe.  Seen to
// hang: an advance opened the pipe once more, and waited for a writer.
TEST(WindowMapped, WithoutItsDescriptorNothingElseIsTouched) {
  const Path path, foreign, pipe_path;
  Overwrite(foreign, "mine");
  ASSERT_EQ(mkfifo(pipe_path.c_str(), 0600), 0);
  Window window = CreateWindow(path, Timed(WindowConfig(1000, 1e-6), 0.001));
  close(window->mapping->disk.fd);
  Advance(window);  // it needs only the descriptor of the lock
  const int fd = window->mapping->lock;
  ASSERT_EQ(close(fd), 0);
  ExpectNoAdvance(path, window);
  for (const Path* another : {&foreign, &pipe_path}) {
    const int opened =
        open(another->c_str(), (another == &foreign ? O_RDWR : O_RDONLY | O_NONBLOCK) | O_CLOEXEC);
    ASSERT_GE(opened, 0);
    ASSERT_EQ(dup2(opened, fd), fd);
    if (opened != fd) close(opened);
    ExpectNoAdvance(path, window);
  }
  const int again = open(foreign.c_str(), O_RDWR | O_CLOEXEC);
  EXPECT_EQ(flock(again, LOCK_EX | LOCK_NB), 0);
  EXPECT_EQ(Contents(foreign), "mine");
  close(again);
  window.reset();
  EXPECT_GE(fcntl(fd, F_GETFD), 0) << "it is not the library's";
  close(fd);
}

// At the limit of descriptors a window advances, also in a child of a fork.  Seen to remember for
// ever: the file was opened once more for each advance.
TEST(WindowMapped, AdvancesAtTheLimitOfDescriptors) {
  const Path path;
  const Window window = CreateWindow(path, WindowConfig(100, 0.01));
  EXPECT_EQ(InChild([&] {
              const rlimit none = {0, 0};  // all descriptors are taken
              if (setrlimit(RLIMIT_NOFILE, &none) != 0) _exit(1);
              if (lfb_window_advance(window.get(), 4) != LFB_ERROR_OPEN || errno != EMFILE)
                _exit(2);
            }),
            0);
  EXPECT_EQ(InChild([&] {
              const rlimit few = {64, 64};
              if (setrlimit(RLIMIT_NOFILE, &few) != 0) _exit(4);
              while (dup(0) >= 0) {
              }
              if (errno != EMFILE || lfb_window_advance(window.get(), 4) != LFB_OK) _exit(1);
              const pid_t child = fork();
              if (child == 0) _exit(lfb_window_advance(window.get(), 5) != LFB_OK);
              if (AwaitChild("its child ends", child) != 0) _exit(2);
              if (lfb_window_advance(window.get(), 6) != LFB_OK) _exit(3);
            }),
            0);
  EXPECT_EQ(Generation(window), 7u);
}

// A child opens the file by its path where there is no /proc, and says so if the path is gone.  A
// parent that holds the lock excludes it.
TEST(WindowMapped, AChildLocksByItself) {
  const Path path;
  const Window window = CreateWindow(path, WindowConfig(100, 0.01));
  ASSERT_EQ(lfb_window_lock(window.get()), LFB_OK);
  EXPECT_EQ(InChild([&] {
              close(window->mapping->disk.fd);  // as without /proc
              if (lfb_window_advance(window.get(), 4) != LFB_ERROR_WINDOW_HELD) _exit(1);
            }),
            0);
  lfb_window_unlock(window.get());
  EXPECT_EQ(InChild([&] {
              close(window->mapping->disk.fd);
              if (lfb_window_advance(window.get(), 4) != LFB_OK) _exit(1);
            }),
            0);
  unlink(path.c_str());
  EXPECT_EQ(InChild([&] {
              if (lfb_window_advance(window.get(), 5) != LFB_OK) _exit(1);  // by /proc
            }),
            0);
  EXPECT_EQ(InChild([&] {
              close(window->mapping->disk.fd);
              EndAll(window);
              if (lfb_window_advance(window.get(), 6) != LFB_ERROR_OPEN || errno != ENOENT)
                _exit(1);
            }),
            0);
  EXPECT_EQ(Generation(window), 6u);
}

// What the library's thread could not do, the next start says.
TEST(WindowMapped, TheClockSaysThatItCannotAdvance) {
  const Path path;
  const Window window = CreateWindow(path, Timed(WindowConfig(100, 0.01), 0.003));
  ASSERT_EQ(lfb_window_start_clock(window.get()), LFB_OK);
  ASSERT_EQ(lfb_window_start_clock(window.get()), LFB_OK);
  ASSERT_EQ(close(window->mapping->lock), 0);
  Await("it fails", [&] { return lfb_window_start_clock(window.get()) == LFB_ERROR_OPEN; });
  EXPECT_EQ(errno, EBADF);
}

// A start of the clock takes no lock: meanwhile another process could not advance, and none would.
// Seen to fail: 1 % of the advances of another process did.  A child has no clock, also with its
// parent's number, and says at once that one could not advance.
TEST(WindowMapped, AStartOfTheClockLocksNothing) {
  const Path path;
  const Window window = CreateWindow(path, Timed(WindowConfig(100, 0.01), 1e6));
  const int before = locks;
  const auto start = [&] {
    if (lfb_window_start_clock(window.get()) != LFB_OK || locks != before) _exit(1);
  };
  EXPECT_EQ(InChild(start), 0);
  alike = getpid();
  ASSERT_EQ(lfb_window_start_clock(window.get()), LFB_OK);
  EXPECT_EQ(locks, before);
  unlink(path.c_str());
  EXPECT_EQ(InChild([&] {
              close(window->mapping->disk.fd);  // as without /proc
              if (lfb_window_start_clock(window.get()) != LFB_ERROR_OPEN || errno != ENOENT)
                _exit(1);
            }),
            0);
  alike = 0;
}

TEST(WindowMapped, NoDescriptorIsLeftOpen) {
  const Path path;
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto before = open_files();
  {
    const Window window = CreateWindow(path, WindowConfig(100, 0.01)), other = OpenWindow(path);
    for (int i = 0; i < 100; i++) Advance(i % 2 ? window : other);
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_EQ(flock(fd, LOCK_EX), 0);
    for (int i = 0; i < 100; i++)
      EXPECT_EQ(lfb_window_advance(window.get(), Generation(window)), LFB_ERROR_WINDOW_HELD);
    close(fd);
    EXPECT_EQ(open_files(), before + 4) << "of each window two";
  }
  EXPECT_EQ(open_files(), before);
}

// ---- opening ----------------------------------------------------------------------------------

// The generation in the head has no checksum.
TEST(WindowMapped, AGenerationThatCannotBeIsRefused) {
  for (const uint32_t generations : {1u, 3u, 7u}) {
    const Path path;
    { PutSome(CreateWindow(path, WindowConfig(100, 0.01, generations)), 0, 100); }
    const std::string whole = Contents(path);
    const auto with = [&](uint64_t generation) {
      std::string changed = whole;
      memcpy(&changed[LFB_WINDOW_HEAD], &generation, sizeof generation);
      Overwrite(path, changed);
      const lfb_status status = OpenStatus(path);
      EXPECT_EQ(LoadStatus(path), status) << generation;
      return status;
    };
    for (const uint64_t wrong
         : {uint64_t{0}, uint64_t{generations}, (uint64_t{1} << 59) + 1, UINT64_MAX})
      EXPECT_EQ(with(wrong), LFB_ERROR_BAD_HEADER) << wrong;
    EXPECT_EQ(with(generations + 1), LFB_OK);
    ASSERT_EQ(with(uint64_t{1} << 59), LFB_OK);
    const Window window = OpenWindow(path);
    Advance(window, 3 * (generations + 1));
    EXPECT_EQ(Stats(window).expected_fpp, 0);
  }
}

// Read while keys are put and generations begin, a copy has the keys that are live before and
// after.
TEST(WindowMappedRace, ACopyHasTheKeysThatStay) {
  constexpr uint64_t kRounds = kUnderTsan ? 3 : 20, kKept = 2000;
  for (uint64_t round = 0; round < kRounds; round++) {
    const Path path;
    const Window window = CreateWindow(path, WindowConfig(200'000, 0.01)), other = OpenWindow(path);
    PutSome(window, 0, kKept);
    std::atomic<bool> read{false};
    Window copy;
    RunTogether(3, [&](unsigned t) {
      if (t == 0) {
        EXPECT_EQ(LoadStatus(path, &copy), LFB_OK);
        read = true;
      } else if (t == 1) {
        for (int i = 0; i < 3; i++) Advance(other);
      } else {
        for (uint64_t i = 0; !read; i++) Put(other, Mix(round, i));
      }
    });
    ASSERT_EQ(Found(copy, 0, kKept), kKept);
  }
}

// ---- content that no process would have written -------------------------------------------------

// A cell of claims may hold anything: claims end, and of two claims of a key at most one wins.
TEST(WindowMapped, AnyCellIsTakenOver) {
  const Path path("/dev/shm");
  const Window window = CreateWindow(path, WindowConfig(50'000, 1e-6));
  const auto fill = [&](uint64_t low, uint64_t high) {
    for (int i = 0; i < LFB_CLAIM_CELLS; i++) {
      std::atomic_store(&window->claims.cells[i].half[0], low);
      std::atomic_store(&window->claims.cells[i].half[1], high);
    }
  };
  const auto claim = [&](uint64_t stream) {
    for (uint64_t i = 0; i < 20; i++) {
      const bool first = Claim(window, Mix(stream, i)), second = Claim(window, Mix(stream, i));
      ASSERT_FALSE(first && second);
      ASSERT_TRUE(Has(window, Mix(stream, i)));
    }
  };
  for (uint64_t state = 0; state < 256; state++) {
    fill(Mix(1, state) << LFB_CLAIM_STATE_BITS | state, Mix(2, state));
    claim(100 + state);
  }
  for (const uint64_t word : {uint64_t{0}, UINT64_MAX, uint64_t{LFB_CLAIM_WON}, ~uint64_t{0xff}}) {
    fill(word, word);
    claim(1000 + word);
  }
}

}  // namespace
