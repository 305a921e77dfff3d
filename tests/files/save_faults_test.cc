// Saving and loading if the system refuses something: each call in turn, by a shim (calls.h).
//
// Seen to fail, each time, with these bugs planted by hand: the temporary file left after an
// error; a file not closed after one; the result of fsync() or of close() ignored; no fsync(),
// or none of the directory; the old file overwritten in place; a failing lstat() or open() of a
// directory taken for an absent file; a write() of 1 byte taken for all; EINTR of open(), read(),
// write() or fsync() taken for an error.  Loads, and other forms: //tests/whole:failing_test.
#include <sys/stat.h>

#include <cerrno>
#include <functional>

#include "bloom/filter/filter.h"
#include "tests/support/faults.h"
#include "tests/support/files.h"
#include "tests/support/race.h"

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

}  // namespace
