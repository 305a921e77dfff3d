// How a striped counter depends on the processors: their number, and the one that a thread runs on.
// The test provides the system's answers.
#include <gtest/gtest.h>

#include <thread>

#include "atomic/threads/slots.h"
#include "atomic/threads/stripes.h"
#include "tests/threads/processors.h"

namespace {

using processors::questions;

uint32_t OwnedWith(long count) {
  lfb_stripes stripes{};
  processors::count = count;
  EXPECT_EQ(lfb_stripes_init(&stripes), LFB_OK);
  processors::count = 0;
  const uint32_t owned = stripes.owned;
  EXPECT_EQ(stripes.shared, static_cast<uint32_t>(LFB_STRIPES_SHARED));
  lfb_stripes_free(&stripes);
  EXPECT_EQ(stripes.stripes, nullptr);
  EXPECT_EQ(stripes.owned + stripes.shared, 0u);
  return owned;
}

TEST(StripesProcessors, EachHasAnOwnedStripe) {
  EXPECT_EQ(OwnedWith(-1), 64u);
  EXPECT_EQ(OwnedWith(2), 64u);
  EXPECT_EQ(OwnedWith(64), 64u);
  EXPECT_EQ(OwnedWith(65), 65u);
  EXPECT_EQ(OwnedWith(200), 200u);
  EXPECT_EQ(OwnedWith(1 << 20), static_cast<uint32_t>(LFB_SLOT_COUNT));
}

// Adds to shared stripes until the thread has asked for its processor.  Returns the number of adds.
uint64_t AddUntilAsked(const lfb_stripes& stripes) {
  const uint64_t before = questions;
  uint64_t adds = 0;
  while (questions == before && adds < 1000000) {
    lfb_stripes_add(&stripes, 1);
    adds++;
  }
  return adds;
}

uint64_t In(const lfb_stripe* stripe) { return atomic_load(&stripe->count); }

// A thread adds to the stripe of its processor.  Within some hundred additions it notices that it
// runs on another one.  It does not ask much more often, since asking takes longer than adding.
void AddToTheStripeOfTheProcessor() {
  alignas(LFB_CACHE_LINE) static lfb_stripe lines[LFB_STRIPES_IN_FILE];
  const lfb_stripes stripes = lfb_stripes_over(lines);
  ASSERT_NE(lfb_slot() % LFB_STRIPES_IN_FILE, 0u) << "the stripe of processor 0";
  const uint32_t last = LFB_STRIPES_IN_FILE - 1;
  for (const int where : {0, 5, int{last}, LFB_STRIPES_IN_FILE + 3, -1}) {
    const uint32_t wanted = where < 0 ? lfb_slot() % LFB_STRIPES_IN_FILE
                                      : static_cast<uint32_t>(where) % LFB_STRIPES_IN_FILE;
    processors::current = where;
    const uint64_t adds = AddUntilAsked(stripes);
    EXPECT_LE(adds, 1000u) << where;
    const uint64_t before = In(&lines[wanted]);
    for (int i = 0; i < 100; i++) lfb_stripes_add(&stripes, 1);
    EXPECT_EQ(In(&lines[wanted]), before + 100) << where;
  }
  const uint64_t before = questions;
  for (int i = 0; i < 10000; i++) lfb_stripes_add(&stripes, 1);
  EXPECT_LE(questions - before, 100u);
}

TEST(StripesProcessors, AThreadAddsToTheSharedStripeOfItsProcessor) {
  lfb_slot();  // this thread takes the first slot, so that the new thread does not get it
  std::thread(AddToTheStripeOfTheProcessor).join();
}

// The shared stripes are stored after the owned ones.
TEST(StripesProcessors, SharedStripesLieAfterTheOwned) {
  lfb_stripes stripes{};
  ASSERT_EQ(lfb_stripes_init_owned(&stripes, 3), LFB_OK);
  processors::current = LFB_STRIPES_SHARED - 1;
  for (int i = 0; i < 1000; i++) lfb_stripes_add_shared(&stripes, 1);
  const uint64_t before = In(&stripes.stripes[3 + LFB_STRIPES_SHARED - 1]);
  EXPECT_EQ(lfb_stripes_add_shared(&stripes, 1), before);
  EXPECT_EQ(In(&stripes.stripes[3 + LFB_STRIPES_SHARED - 1]), before + 1);
  EXPECT_EQ(lfb_stripes_sum(&stripes), 1001u);
  lfb_stripes_free(&stripes);
}

}  // namespace
