// Mapped filters where the system refuses something, or the process is killed: at each call
// in turn, by a shim (calls.h).
//
// Seen to fail, each time, with these planted by hand: what was opened and mapped is kept when
// making or opening fails; a file has its name from the start; an open() that a signal
// interrupts is an error.
#include <fcntl.h>
#include <sys/wait.h>

#include "bloom/core.h"
#include "tests/faults.h"
#include "tests/files.h"
#include "tests/mapped.h"

namespace {

using calls::Deed;
using calls::Report;

// What a call that failed makes of the whole; LFB_OK: something else is done instead.
lfb_status Expected(const Report& report) {
  const std::string name = report.Hit().name;
  return name == "mmap"    ? LFB_ERROR_MAP
         : name == "stat"  ? LFB_ERROR_REPLACED
         : name == "lstat" ? LFB_OK
                           : StatusOf(name);
}

// The third mapping is the page that a child finds empty.
bool IsAlivePage(const Report& report) {
  size_t mappings = 0;
  for (size_t i = 0; i < report.hit; i++)
    mappings += std::string(report.made[i].name) == "mmap";
  return std::string(report.Hit().name) == "mmap" && mappings == 3;
}

lfb_status ExpectedOfMapping(const Report& report) {
  return IsAlivePage(report) ? LFB_ERROR_NO_MEMORY : Expected(report);
}

// The first fstat() is of the opening; that of the closing only asks whether to give the
// lease back.
bool IsOfClosing(const Report& report) {
  return std::string(report.Hit().name) == "fstat" && report.Before("fstat");
}

lfb_status ExpectedOfOpening(const Report& report) {
  return IsOfClosing(report) ? LFB_OK : ExpectedOfMapping(report);
}

// Where there is no unnamed file, one with a name is made.
lfb_status ExpectedOfMaking(const Report& report) {
  return std::string(report.Hit().name) == "open" ? LFB_OK : ExpectedOfOpening(report);
}

class MappedCalls : public Files {
 protected:
  static lfb_config Small() { return Config(1000, 0.01, LFB_FAST); }
  lfb_status Make() const {
    const lfb_config config = Small();
    lfb_filter* filter = nullptr;
    const lfb_status status = lfb_mapped_create(Path("a").c_str(), &config, &filter);
    const int cause = errno;
    if (status == LFB_OK) lfb_mapped_close(filter);
    errno = cause;
    return status;
  }
  lfb_status OpenAndClose() const {
    lfb_filter* filter = nullptr;
    const lfb_status status = lfb_mapped_open(Path("a").c_str(), nullptr, &filter);
    const int cause = errno;
    if (status == LFB_OK) lfb_mapped_close(filter);
    errno = cause;
    return status;
  }
};

// Nothing is left at the path, or a filter.
TEST_F(MappedCalls, EachOfMakingFails) {
  for (const int error : {ENOSPC, EINTR}) {
    const auto look = [&](const Outcome& outcome) {
      EXPECT_EQ(Entries(), outcome.status == LFB_OK ? 1u : 0u);
      if (outcome.status == LFB_OK) {
        EXPECT_EQ(OpenAndClose(), LFB_OK);
      }
      unlink(Path("a").c_str());
    };
    EXPECT_GT(FailEach(error, ExpectedOfMaking, [&] { return Make(); }, look), 12u);
    unlink(Path("a").c_str());
  }
}

TEST_F(MappedCalls, EachOfOpeningFails) {
  ASSERT_EQ(Make(), LFB_OK);
  for (const int error : {EIO, EINTR})
    EXPECT_GT(FailEach(error, ExpectedOfOpening, [&] { return OpenAndClose(); },
                       [](const Outcome&) {}),
              8u);
}

TEST_F(MappedCalls, EachOfSyncingAndRecountingFails) {
  ASSERT_EQ(Make(), LFB_OK);
  lfb_filter* filter = nullptr;
  ASSERT_EQ(lfb_mapped_open(Path("a").c_str(), nullptr, &filter), LFB_OK);
  const auto expected = [](const Report& report) {  // fstat: the file cannot be asked for
    return std::string(report.Hit().name) == "fstat" ? LFB_ERROR_TRUNCATED : Expected(report);
  };
  const auto expected_of_recount = [](const Report& report) {  // only its own life is at stake
    const std::string name = report.Hit().name;
    return name == "calloc"                             ? LFB_ERROR_NO_MEMORY
           : name == "fstat" && !report.Before("open") ? LFB_ERROR_TRUNCATED
                                                        : LFB_OK;
  };
  for (const int error : {EIO, EINTR}) {
    FailEach(error, expected, [&] { return lfb_mapped_sync(filter); }, [](const Outcome&) {});
    FailEach(error, expected_of_recount, [&] { return lfb_mapped_recount(filter); },
             [](const Outcome&) {});
  }
  lfb_mapped_close(filter);
}

// Whenever a process is killed that makes a filter, there is none, or a whole one.
TEST_F(MappedCalls, KilledAtEachOfMaking) {
  bool killed = true;
  unsigned made = 0;
  for (const Deed deed : {Deed::kKillBefore, Deed::kKillAfter})
    for (uint64_t at = 1; killed || at == 1; at++) {
      const pid_t child = fork();
      if (child == 0) {
        calls::Arm({deed, at});
        _exit(Make() == LFB_OK ? 0 : 1);
      }
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      killed = WIFSIGNALED(status);
      ASSERT_TRUE(killed || status == 0);
      ASSERT_LE(Entries(), 1u) << at;
      if (Entries() == 1) {
        ASSERT_EQ(OpenAndClose(), LFB_OK) << at;
        made++;
      }
      unlink(Path("a").c_str());
    }
  EXPECT_GT(made, 4u);
}

}  // namespace
