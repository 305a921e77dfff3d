// The headers' version and the library's, as numbers and as text.
#include <gtest/gtest.h>
#include <lfbloom/version.h>

#include <string>

namespace {

TEST(Version, TheLibraryIsOfTheseHeaders) {
  EXPECT_EQ(lfb_version(), static_cast<unsigned>(LFB_VERSION));
  EXPECT_EQ(lfb_version_text(), std::to_string(LFB_VERSION_MAJOR) + "." +
                                    std::to_string(LFB_VERSION_MINOR) + "." +
                                    std::to_string(LFB_VERSION_PATCH));
}

TEST(Version, NumbersHaveTheOrderOfVersions) {
  EXPECT_LT(LFB_VERSION_NUMBER(1, 0, 999), LFB_VERSION_NUMBER(1, 1, 0));
  EXPECT_LT(LFB_VERSION_NUMBER(1, 999, 999), LFB_VERSION_NUMBER(2, 0, 0));
#if LFB_VERSION < LFB_VERSION_NUMBER(0, 9, 0)
  FAIL() << "not usable in #if";
#endif
}

}  // namespace
