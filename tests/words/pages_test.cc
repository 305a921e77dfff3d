// Memory for the words is zeroed and aligned, or refused with the right status.
#include "atomic/words/pages.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstring>

namespace {

class PagesOfSize : public testing::TestWithParam<uint64_t> {};

TEST_P(PagesOfSize, AreZeroedAlignedAndWritable) {
  for (bool populate : {false, true}) {
    lfb_pages pages{};
    ASSERT_EQ(lfb_pages_init(&pages, GetParam(), populate), LFB_OK);
    EXPECT_EQ(pages.size, GetParam());
    const uint64_t boundary = GetParam() >= LFB_HUGE_PAGE ? LFB_HUGE_PAGE : 64;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pages.address) % boundary, 0u);
    char* bytes = static_cast<char*>(pages.address);
    EXPECT_EQ(bytes[0], 0);
    EXPECT_EQ(std::memcmp(bytes, bytes + 1, GetParam() - 1), 0);
    std::memset(bytes, 0xff, GetParam());
    lfb_pages_free(&pages);
    EXPECT_EQ(pages.address, nullptr);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PagesOfSize,
                         testing::Values(1, 8, 64, 4096, LFB_HUGE_PAGE - 8, LFB_HUGE_PAGE,
                                         LFB_HUGE_PAGE + 8, 5 * LFB_HUGE_PAGE + 4097));

TEST(Pages, RefusesWhatNoAddressSpaceHolds) {
  lfb_pages pages{};
  pages.size = 7;
  EXPECT_EQ(lfb_pages_init(&pages, UINT64_MAX, true), LFB_ERROR_SIZE_OVERFLOW);
  EXPECT_EQ(lfb_pages_init(&pages, INT64_MAX, true), LFB_ERROR_SIZE_OVERFLOW);
  EXPECT_EQ(pages.size, 7u) << "a failure left its output changed";
  EXPECT_EQ(pages.address, nullptr);
}

TEST(Pages, RefusesWhatTheSystemWillNotGive) {
  lfb_pages pages{};
  EXPECT_EQ(lfb_pages_init(&pages, uint64_t{1} << 60, false),
            sizeof(void*) == 4 ? LFB_ERROR_SIZE_OVERFLOW : LFB_ERROR_NO_MEMORY);
  EXPECT_EQ(pages.address, nullptr);
}

}  // namespace
