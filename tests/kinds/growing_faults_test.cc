// A growing filter in a file that cannot be extended: nothing is lost.  failing_test makes each
// call of making a growing filter, and of adding a layer in memory, fail.
#include <lfbloom/growing_mapped.h>

#include <cerrno>

#include "tests/support/calls.h"
#include "tests/support/growings.h"
#include "tests/support/mapped.h"

namespace {

using calls::Deed;
using calls::Report;

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
