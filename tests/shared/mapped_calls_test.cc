// Mapped filters if the process is killed, or a growing one cannot be extended: at each call in
// turn, by a shim (calls.h).  failing_test makes each call of making, opening and syncing fail.
//
// Seen to fail with a file that has its name from the start (planted by hand).
#include <fcntl.h>
#include <lfbloom/growing_mapped.h>

#include <atomic>

#include "bloom/filter/filter.h"
#include "bloom/files/mapping.h"
#include "tests/support/anys.h"
#include "tests/support/await.h"
#include "tests/support/faults.h"
#include "tests/support/files.h"
#include "tests/support/mapped.h"
#include "tests/support/shared.h"

namespace {

using calls::Deed;
using calls::Report;

// The descriptors that were synced after the call of this name, in order.
std::vector<int> SyncedAfter(const Report& report, const std::string& name) {
  std::vector<int> files;
  bool after = false;
  for (const calls::Call& call : report.made) {
    if (after && std::string(call.name) == "fsync") files.push_back(call.file);
    after = after || call.name == name;
  }
  return files;
}

class MappedCalls : public Files {
 protected:
  lfb_status Make() const {
    const lfb_config config = Config(1000, 0.01, LFB_FAST);
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

// The name of a new file is durable: its folder is synced once the file has its name, and again
// by each sync, after the file. Seen to fail with either left out.
TEST_F(MappedCalls, MakingAndSyncingSyncTheFolder) {
  const Outcome made = Try({}, [&] { return Make(); });
  ASSERT_EQ(made.status, LFB_OK);
  EXPECT_EQ(SyncedAfter(made.report, "linkat").size(), 1u);
  lfb_filter* filter = nullptr;
  ASSERT_EQ(lfb_mapped_open(Path("a").c_str(), nullptr, &filter), LFB_OK);
  const Outcome synced = Try({}, [&] { return lfb_mapped_sync(filter); });
  const std::vector<int> files = SyncedAfter(synced.report, "msync");
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0], filter->mapping->disk.fd);
  EXPECT_NE(files[1], filter->mapping->disk.fd);
  EXPECT_EQ(SyncedAfter(synced.report, "open"), std::vector<int>{files[1]});
  lfb_mapped_close(filter);
}

// If a process is killed at any moment of making a filter, the file does not exist, or is whole.
TEST_F(MappedCalls, KilledAtEachOfMaking) {
  bool killed = true;
  unsigned made = 0;
  for (const Deed deed : {Deed::kKillBefore, Deed::kKillAfter})
    for (uint64_t at = 1; killed || at == 1; at++) {
      const int ended = InChild([&] {
        calls::Arm({deed, at});
        return Make() == LFB_OK ? 0 : 1;
      });
      killed = ended == -1;
      ASSERT_TRUE(killed || ended == 0);
      ASSERT_LE(Entries(), 1u) << at;
      if (Entries() == 1) {
        ASSERT_EQ(OpenAndClose(), LFB_OK) << at;
        made++;
      }
      unlink(Path("a").c_str());
    }
  EXPECT_GT(made, 4u);
}

// Puts keys one by one into a growing filter that was opened, until it has two layers; returns
// how many.
uint64_t GrowOnce(lfb_growing* growing) {
  lfb_growing_figures figures{};
  uint64_t put = 0;
  while (figures.layers < 2 && put < 10000) {
    lfb_growing_put_u64(growing, put++);
    lfb_growing_stats(growing, &figures);
  }
  return put;
}

class GrowingCalls : public Files {
 protected:
  // Opens the filter, with its keys up to `put`, and adds layers to it.
  void ExpectWholeAndGrows(uint64_t put) const {
    lfb_growing* growing = nullptr;
    ASSERT_EQ(any::open_shared<lfb_growing>(Path("g").c_str(), nullptr, &growing), LFB_OK);
    uint64_t lost = 0;
    for (uint64_t i = 0; i < put; i++) lost += !lfb_growing_might_contain_u64(growing, i);
    for (uint64_t i = 0; i < 4000; i++) lfb_growing_put_u64(growing, i);
    for (uint64_t i = 0; i < 4000; i++) lost += !lfb_growing_might_contain_u64(growing, i);
    lfb_growing_figures figures;
    lfb_growing_stats(growing, &figures);
    EXPECT_EQ(figures.stuck, LFB_OK);
    EXPECT_EQ(figures.layers, 3u);
    EXPECT_EQ(lost, 0u);
    any::free<lfb_growing>(growing);
  }
};

// A process that adds a layer is killed before or after each of its system calls: each put that
// had returned is found, and the next process continues from there.
TEST_F(GrowingCalls, KilledAtEachOfAddingALayer) {
  const lfb_config config = Config(1024, 0.01, LFB_FAST);
  unsigned deaths = 0;
  for (const Deed deed : {Deed::kKillBefore, Deed::kKillAfter}) {
    bool killed = true;
    for (uint64_t at = 1; killed; at++) {
      lfb_growing* growing = nullptr;
      ASSERT_EQ(lfb_growing_mapped_create(Path("g").c_str(), &config, &growing), LFB_OK);
      const Shared<std::atomic<uint64_t>> put;
      const int ended = InChild([&] {
        calls::Arm({deed, at});
        lfb_growing_figures figures{};
        for (uint64_t i = 0; figures.layers < 2; *put.get() = ++i) {
          lfb_growing_put_u64(growing, i);
          lfb_growing_stats(growing, &figures);
        }
        (void)calls::Disarm();
      });
      killed = ended == -1;
      deaths += killed;
      ASSERT_TRUE(killed || ended == 0);
      any::free<lfb_growing>(growing);
      ExpectWholeAndGrows(*put.get());
      ASSERT_EQ(Entries(), 1u);
      unlink(Path("g").c_str());
      if (HasFailure()) FAIL() << "call " << at;
    }
  }
  EXPECT_GE(deaths, 10u);
}

// Each system call of adding a layer fails once: the layer is added at a later try, and nothing
// is lost.
TEST_F(GrowingCalls, EachOfAddingALayerFails) {
  const lfb_config config = Config(1024, 0.01, LFB_FAST);
  size_t hit = 1, failures = 0;
  for (uint64_t at = 1; hit != 0; at++) {
    lfb_growing* growing = nullptr;
    ASSERT_EQ(lfb_growing_mapped_create(Path("g").c_str(), &config, &growing), LFB_OK);
    const size_t open = OpenFiles();
    calls::Arm({Deed::kFail, at, ENOSPC});
    const uint64_t put = GrowOnce(growing);
    const Report report = calls::Disarm();
    hit = report.made.size() < at ? 0 : 1;
    failures += report.hit != 0;
    EXPECT_LT(put, 10000u);
    EXPECT_EQ(OpenFiles(), open);
    any::free<lfb_growing>(growing);
    ExpectWholeAndGrows(put);
    unlink(Path("g").c_str());
    if (HasFailure()) FAIL() << "call " << at << " " << report.made[at - 1].name;
  }
  EXPECT_GE(failures, 5u);
}

}  // namespace
