// A growing filter without memory for its next layer: nothing is lost, and no memory is leaked.
// And one in a file that cannot be made or extended.
#include <lfbloom/growing_mapped.h>

#include <cerrno>
#include <filesystem>

#include "tests/support/calls.h"
#include "tests/support/faults.h"
#include "tests/support/growings.h"
#include "tests/support/mapped.h"
#include "tests/support/race.h"

namespace {

using calls::Deed;
using calls::Report;

constexpr uint64_t kKeys = 2500;  // enough for two layers

// The result of putting kKeys keys.
struct Filled {
  lfb_status stuck_once = LFB_OK;  // the last failure reported while keys were put
  lfb_growing_figures figures{};
  uint64_t lost = 0;
  Report report;
};

// Makes a filter, puts keys, queries them, frees it; the plan counts all calls.
Filled Fill(const calls::Plan& plan) {
  const lfb_config config = Config(1024, 0.01, LFB_FAST);
  Filled filled;
  lfb_growing* growing = nullptr;
  lfb_growing_figures now;

  calls::Arm(plan);
  if (lfb_growing_create(&config, &growing) == LFB_OK) {
    for (uint64_t i = 0; i < kKeys; i++) {
      lfb_growing_put_u64(growing, i);
      lfb_growing_stats(growing, &now);
      if (now.stuck != LFB_OK) filled.stuck_once = now.stuck;
    }
    for (uint64_t i = 0; i < kKeys; i++) filled.lost += !lfb_growing_might_contain_u64(growing, i);
    lfb_growing_stats(growing, &filled.figures);
  }
  lfb_growing_free(growing);
  filled.report = calls::Disarm();
  return filled;
}

// Each allocation fails in turn. Without the first layer there is no filter. A later one is
// tried again as more keys are put.
TEST(GrowingFaults, EachPieceOfMemory) {
  const Filled whole = Fill({});
  ASSERT_EQ(whole.report.kept, 0);
  ASSERT_EQ(whole.report.mapped, 0);
  ASSERT_GE(whole.figures.layers, 2u);
  size_t without = 0, later = 0;
  for (size_t at = 1; at <= whole.report.made.size(); at++) {
    const Filled filled = Fill({Deed::kFail, at, ENOMEM});
    EXPECT_EQ(filled.lost, 0u) << at;
    EXPECT_EQ(filled.report.kept, 0) << at;
    EXPECT_EQ(filled.report.mapped, 0) << at;
    if (filled.figures.layers == 0) {
      without++;
    } else {
      EXPECT_EQ(filled.figures.layers, whole.figures.layers) << at;
      EXPECT_EQ(filled.figures.stuck, LFB_OK) << at;
      EXPECT_LT(filled.figures.expected_fpp, 0.01) << at;
      later += filled.stuck_once == LFB_ERROR_NO_MEMORY;
    }
  }
  EXPECT_GE(without, 4u);
  EXPECT_GE(later, 4u);
}

// Each system call of making a filter in a file fails in turn. In every case no file is left,
// and the filter can be made then. Seen to fail when a filter that was made and could not be
// opened kept its file.
TEST(GrowingFaults, NoFileIsLeftOfWhatCannotBeMade) {
  const Path folder;
  std::filesystem::create_directory(folder.c_str());
  const std::string head = std::string(folder.c_str()) + "/g";
  const lfb_config config = Config(1024, 0.01, LFB_FAST);
  const auto make = [&] {
    lfb_growing* growing = nullptr;
    const lfb_status status = lfb_growing_mapped_create(head.c_str(), &config, &growing);
    EXPECT_EQ(status == LFB_OK, growing != nullptr);
    lfb_growing_free(growing);
    return status;
  };
  size_t failed = 0;
  for (size_t at = 1;; at++) {
    const Outcome outcome = Try({Deed::kFail, at, EIO}, make);
    if (outcome.status != LFB_OK) {
      failed++;
      EXPECT_TRUE(std::filesystem::is_empty(folder.c_str())) << at;
    }
    std::filesystem::remove(head);
    if (outcome.report.made.size() < at || HasFailure()) break;
  }
  EXPECT_GE(failed, 15u);
  std::filesystem::remove_all(folder.c_str());
}

// A next layer that cannot be made is tried again now and then, not at each put, since each try
// enters the kernel. Seen to fail, with 27,000 tries, when every put tried.
TEST(GrowingFaults, ALayerThatCannotBeMadeIsTriedNowAndThen) {
  constexpr uint64_t kFirst = 16384, kStuck = 3 * kFirst;
  const Path head;
  const lfb_config config = Config(kFirst, 0.01, LFB_FAST);
  lfb_growing* made = nullptr;
  ASSERT_EQ(lfb_growing_mapped_create(head.c_str(), &config, &made), LFB_OK);
  const Growing growing(made);
  calls::Arm({Deed::kFailOn, 1, ENOSPC, "fallocate"});
  for (uint64_t i = 0; i < kStuck; i++) lfb_growing_put_u64(made, i);
  const Report stuck = calls::Disarm();
  EXPECT_EQ(Figures(growing).layers, 1u);
  EXPECT_EQ(Figures(growing).stuck, LFB_ERROR_WRITE);
  EXPECT_EQ(lfb_growing_stuck(growing.get()), LFB_ERROR_WRITE);
  EXPECT_GT(stuck.Count("fallocate"), 10u);
  EXPECT_LT(stuck.Count("fallocate"), 1000u);
  for (uint64_t i = kStuck; i < kStuck + kFirst; i++) lfb_growing_put_u64(made, i);
  EXPECT_EQ(Figures(growing).stuck, LFB_OK);
  EXPECT_EQ(Figures(growing).layers, 2u);
  uint64_t lost = 0;
  for (uint64_t i = 0; i < kStuck + kFirst; i++) lost += !lfb_growing_might_contain_u64(made, i);
  EXPECT_EQ(lost, 0u);
}

// If a file system cannot reserve blocks, the file is extended by a byte written after each new
// layer, and nothing is lost. Seen to stay at one layer without that byte.
TEST(GrowingFaults, AFileSystemThatCannotReserveHasRoomAllTheSame) {
  constexpr uint64_t kMany = 20000;
  const Path head;
  const lfb_config config = Config(1024, 0.01, LFB_FAST);
  lfb_growing* made = nullptr;
  ASSERT_EQ(lfb_growing_mapped_create(head.c_str(), &config, &made), LFB_OK);
  Growing growing(made);
  calls::Arm({Deed::kFailOn, 1, EOPNOTSUPP, "fallocate"});
  for (uint64_t i = 0; i < kMany; i++) lfb_growing_put_u64(made, i);
  EXPECT_GT(calls::Disarm().hit, 0u);
  EXPECT_EQ(Figures(growing).stuck, LFB_OK);
  const uint32_t layers = Figures(growing).layers;
  EXPECT_GE(layers, 4u);
  ExpectOneLayerALevel(growing);
  lfb_growing* opened = nullptr;
  calls::Arm({Deed::kFailOn, 1, EOPNOTSUPP, "fallocate"});
  EXPECT_EQ(any::open_shared<lfb_growing>(head.c_str(), nullptr, &opened), LFB_OK);
  (void)calls::Disarm();
  growing.reset(opened);
  EXPECT_EQ(Figures(growing).layers, layers);
  uint64_t lost = 0;
  for (uint64_t i = 0; i < kMany; i++) lost += !lfb_growing_might_contain_u64(opened, i);
  EXPECT_EQ(lost, 0u);
}

}  // namespace
