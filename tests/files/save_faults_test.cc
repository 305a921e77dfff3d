// Saving and loading if the system refuses something: each call in turn, by a shim (calls.h),
// and a file system that is really full.
//
// Seen to fail, each time, with these bugs planted by hand: the temporary file left after an
// error; a file not closed after one; the result of fsync() or of close() ignored; no fsync(),
// or none of the directory; the old file overwritten in place; a failing lstat() or open() of a
// directory taken for an absent file; a write() of 1 byte taken for all; EINTR of open(), read(),
// write() or fsync() taken for an error.  Loads, and other forms: //tests/whole:failing_test.
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "bloom/filter/filter.h"
#include "tests/support/faults.h"
#include "tests/support/files.h"
#include "tests/support/mounts.h"
#include "tests/support/race.h"
#include "tests/support/shared.h"
#include "tests/support/skip.h"

namespace {

namespace fs = std::filesystem;
using calls::Deed;
using calls::Plan;
using calls::Report;

Filter Filled(uint64_t n, uint64_t stream) {
  Filter filter = Make(n, 0.01, LFB_GUAVA_MITZ64);
  for (uint64_t i = 0; i < n; i += 10) lfb_filter_put_u64(filter.get(), Mix(stream, i));
  return filter;
}

// Numbers of keys: the words of such filters are from the heap, and from the system (2 MiB and
// more).
constexpr uint64_t kFew = 50'000, kMany = 2'000'000;
const std::vector<int> kErrors = {ENOSPC, EIO, EINTR};

// The status of the whole call after one failed system call; LFB_OK: nothing depends on it.
lfb_status Expected(const Report& report) {
  const std::string name = report.Hit().name;
  if (name != "close") return StatusOf(name);
  // Only for a file that was written to; not for one that was read or looked at, or for a
  // directory.
  for (size_t i = 0; i + 1 < report.hit; i++)
    if (std::string(report.made[i].name) == "write" && report.made[i].file == report.Hit().file)
      return LFB_ERROR_WRITE;
  return LFB_OK;
}

class SaveFaults : public Files {
 protected:
  // A file `old`, with permissions of its own, and a link to it.
  void Prepare(const Filter& filter) const {
    for (const fs::directory_entry& entry : fs::directory_iterator(directory_))
      fs::remove(entry.path());
    ASSERT_EQ(lfb_filter_save(filter.get(), LFB_FORM_NATIVE, Path("old").c_str()), LFB_OK);
    ASSERT_EQ(chmod(Path("old").c_str(), 0640), 0);
    fs::create_symlink("old", Path("link"));
  }
  // The filter in a file, as bytes without its time of writing; "" if there is no file.
  std::string Held(const std::string& name) const {
    if (!fs::exists(Path(name))) return "";
    Filter filter;
    EXPECT_EQ(Load(name, &filter), LFB_OK);
    return filter == nullptr ? "damaged" : Bytes(filter);
  }
};

// Each call of a save fails in turn: the save reports it, the file at the path is the old one
// (the new one if only the sync of the directory failed), and no other file is left.
TEST_F(SaveFaults, EachCallOfASave) {
  const Filter before = Filled(1000, 1), filter = Filled(kFew, 2);
  const std::string now = Bytes(filter);
  for (const std::string name : {"new", "old", "link"})
    for (int error : kErrors) {
      const std::string old = name == "new" ? "" : Bytes(before);
      Prepare(before);
      const size_t failed = FailEach(
          error, Expected,
              [&] { return lfb_filter_save(filter.get(), LFB_FORM_NATIVE, Path(name).c_str()); },
          [&](const Outcome& outcome) {
            const bool renamed = outcome.status == LFB_OK || outcome.report.Before("rename");
            EXPECT_EQ(Held(name) == now, renamed);
            EXPECT_EQ(Held(name) == old, !renamed);
            EXPECT_EQ(Entries(), name == "new" && renamed ? 3u : 2u);
            if (name != "new") {
              EXPECT_EQ(fs::status(Path(name)).permissions(), fs::perms{0640});
            }
            Prepare(before);
          });
      EXPECT_GT(failed, 12u) << "no calls were seen";
      ASSERT_FALSE(HasFailure()) << name;
    }
}

TEST_F(SaveFaults, EachCallOfASaveInPlace) {
  const Filter filter = Filled(kFew, 1);
  for (int error : kErrors)
    EXPECT_GT(
        FailEach(
            error, Expected,
                [&] { return lfb_filter_save(filter.get(), LFB_FORM_NATIVE, "/dev/null"); },
            [](const Outcome&) {}),
        5u);
}

// A status that a caller's function returns is returned, from any of its calls.
TEST_F(SaveFaults, EachCallOfACallersFunction) {
  const Filter filter = Filled(kFew, 1);
  struct Sink {
    size_t left;
    static lfb_status Write(void* to, const void*, size_t) {
      return static_cast<Sink*>(to)->left-- > 0 ? LFB_OK : LFB_ERROR_UNKNOWN_HASH;
    }
  };
  for (size_t room = 0;; room++) {
    Sink sink{room};
    const Outcome outcome = Try(Plan(), [&] {
      return lfb_filter_write(filter.get(), LFB_FORM_NATIVE, Sink::Write, &sink);
    });
    if (outcome.status == LFB_OK) {
      EXPECT_GE(room, 3u);
      return;
    }
    ASSERT_EQ(outcome.status, LFB_ERROR_UNKNOWN_HASH) << room;
  }
}

// One by one, and all together, read() and write() transfer 1 byte, or every other call is
// interrupted. Neither is an error.
TEST_F(SaveFaults, ShortAndInterruptedCallsContinue) {
  const Filter filter = Filled(10'000, 1);
  const std::string bytes = Bytes(filter);
  for (const Deed deed : {Deed::kShorten, Deed::kShortenAll, Deed::kInterruptOften})
    for (size_t at = 1; at <= (deed == Deed::kShorten ? 30u : 1u); at++) {
      const Outcome saved = Try({deed, at}, [&] {
        return lfb_filter_save(filter.get(), LFB_FORM_NATIVE, Path("a").c_str());
      });
      EXPECT_EQ(saved.status, LFB_OK);
      EXPECT_EQ(Held("a"), bytes);
      lfb_filter* loaded = nullptr;
      std::string back;
      const Outcome outcome = Try({deed, at}, [&] {
        const lfb_status status = lfb_filter_load(Path("a").c_str(), nullptr, &loaded);
        if (status == LFB_OK) back = Bytes(Filter(loaded));
        return status;
      });
      EXPECT_EQ(outcome.status, LFB_OK);
      EXPECT_EQ(back, bytes);
      if (deed == Deed::kShortenAll) {
        EXPECT_GT(saved.report.Count("write"), bytes.size());
        EXPECT_GT(outcome.report.Count("read"), bytes.size());
      }
      if (deed != Deed::kShorten) {
        EXPECT_GT(saved.report.hit, 0u);
        EXPECT_GT(outcome.report.hit, 0u);
      }
    }
}

TEST_F(SaveFaults, AWriteOfNothingEnds) {
  const Filter filter = Filled(10'000, 1);
  for (size_t at = 1; at <= 20; at++) {
    const Outcome outcome = Try({Deed::kWriteNothing, at}, [&] {
      return lfb_filter_save(filter.get(), LFB_FORM_NATIVE, Path("a").c_str());
    });
    EXPECT_EQ(outcome.status, outcome.report.hit > 0 ? LFB_ERROR_WRITE : LFB_OK);
    if (outcome.status != LFB_OK) {
      EXPECT_EQ(outcome.cause, ENOSPC);
    }
  }
}

// Fails call number `which` of this name in a save to `a` with `error`.
Outcome FailCall(const Filter& filter, const std::string& path, const std::string& name,
                 size_t which, int error) {
  const auto save = [&] { return lfb_filter_save(filter.get(), LFB_FORM_NATIVE, path.c_str()); };
  const Report whole = Try(Plan(), save).report;
  for (size_t at = 1; at <= whole.made.size(); at++)
    if (whole.made[at - 1].name == name && --which == 0) return Try({Deed::kFail, at, error}, save);
  ADD_FAILURE() << "too few calls of " << name;
  return {};
}

// Operations that some file systems and folders lack are not required.
TEST_F(SaveFaults, WhatAFileSystemLacksIsNoError) {
  const Filter filter = Filled(10'000, 1);
  EXPECT_EQ(FailCall(filter, Path("a"), "open", 1, EACCES).status, LFB_OK) << "not to be listed";
  EXPECT_EQ(FailCall(filter, Path("a"), "open", 3, EEXIST).status, LFB_OK) << "name taken";
  for (int error : {EPERM, ENOTSUP, ENOSYS})
    EXPECT_EQ(FailCall(filter, Path("a"), "fchmod", 1, error).status, LFB_OK);
  for (int error : {EINVAL, ENOTSUP})
    EXPECT_EQ(FailCall(filter, Path("a"), "fsync", 2, error).status, LFB_OK);
  EXPECT_EQ(FailCall(filter, Path("a"), "fsync", 1, EINVAL).status, LFB_ERROR_SYNC);
  EXPECT_EQ(FailCall(filter, Path("a"), "open", 1, EMFILE).status, LFB_ERROR_OPEN);
  EXPECT_EQ(Held("a"), Bytes(filter));
}

// Durable: everything is synced before the file takes its place, and the directory after that,
// before the save returns.
TEST_F(SaveFaults, SyncsBeforeAndAfterTheRename) {
  const Filter filter = Filled(kMany, 1);
  const Report report = Try(Plan(), [&] {
                          return lfb_filter_save(filter.get(), LFB_FORM_NATIVE, Path("a").c_str());
                        }).report;
  std::string order;
  int last = -1;
  for (const calls::Call& call : report.made) {
    const std::string name = call.name;
    if (name == "write")
      order += order.back() == 'w' ? "" : "w";
    else if (name == "fsync")
      order += call.file == last ? " sync-file" : " sync-other";
    else if (name == "rename")
      order += " rename";
    if (name == "write") last = call.file;
    if (order.empty()) order = " ";
  }
  EXPECT_EQ(order, " w sync-file rename sync-other");
}

// ---- a file system that is really full -----------------------------------------------

// The results of the next test's child process.
struct Said {
  bool mounted;
  int error;       // of the operation that failed
  unsigned full;   // saves that found no room
  char wrong[64];  // what was not as required; empty: nothing
};

// Saves a filter of several pages to file systems of 2, 3, ... pages that hold an old one.
void SaveWhereThereIsNoRoom(const std::string& where, Said* said) {
  const Filter before = Filled(1000, 1), filter = Filled(50'000, 2);
  const std::string path = where + "/a";
  const auto say = [said](const char* what) { strncpy(said->wrong, what, sizeof said->wrong - 1); };

  for (unsigned pages = 2; said->wrong[0] == '\0'; pages++) {
    const std::string options = "size=" + std::to_string(4096 * pages);
    if (mount("none", where.c_str(), "tmpfs", 0, options.c_str()) != 0) {
      said->error = errno;
      return;
    }
    said->mounted = true;
    if (lfb_filter_save(before.get(), LFB_FORM_GUAVA, path.c_str()) != LFB_OK)
      return say("the old filter has no room");
    const lfb_status status = lfb_filter_save(filter.get(), LFB_FORM_GUAVA, path.c_str());
    const int cause = errno;
    lfb_filter* loaded = nullptr;
    if (lfb_filter_load(path.c_str(), nullptr, &loaded) != LFB_OK)
      return say("the file does not load");
    if (Bytes(Filter(loaded)) != Bytes(status == LFB_OK ? filter : before))
      return say("another filter is in the file");
    if (std::distance(fs::directory_iterator(where), {}) != 1) return say("a file was left");
    if (umount(where.c_str()) != 0) return say("not to be unmounted");
    if (status == LFB_OK) return;
    said->full++;
    if (status != LFB_ERROR_WRITE || cause != ENOSPC) return say("another error");
  }
}

TEST_F(SaveFaults, AFullFileSystem) {
  const Shared<Said> said;
  const uid_t user = getuid();
  const gid_t group = getgid();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (EnterMounts(user, group))
      SaveWhereThereIsNoRoom(directory_.string(), said.get());
    else
      said->error = errno;
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  if (!said->mounted)
    return Skip(std::string("no file system can be mounted here: ") + strerror(said->error));
  EXPECT_STREQ(said->wrong, "");
  EXPECT_GE(said->full, 8u);
}

}  // namespace
