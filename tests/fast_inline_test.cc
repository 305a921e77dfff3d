// lfbloom/fast.h compiled for AVX2, for AVX-512, and for neither (tests/BUILD.bazel): the
// inline query answers as the library's code without vectors.
#include <lfbloom/fast.h>

#include "tests/race.h"
#include "tests/variants.h"

namespace {

lfb_simd CompiledFor() {
#if defined(LFB_FAST_BY_AVX512)
  return LFB_SIMD_AVX512;
#elif defined(LFB_FAST_BY_AVX2)
  return LFB_SIMD_AVX2;
#else
  return LFB_SIMD_NONE;
#endif
}

TEST(FastInline, AnswersAsTheLibrary) {
#if defined(LFB_TEST_COMPILED_FOR)
  EXPECT_EQ(CompiledFor(), LFB_TEST_COMPILED_FOR);
#endif
  if (CompiledFor() > lfb_simd_best()) GTEST_SKIP() << "not on this processor";
  for (uint32_t w : {1u, 2u, 4u, 8u})
    for (uint32_t g = 1; w * g <= LFB_FAST_MAX_PROBES; g++) {
      const Filter filter = MakeShaped(LFB_SIMD_NONE, w, g, 19);
      lfb_fast fast{};
      ASSERT_EQ(lfb_fast_of(filter.get(), &fast), LFB_OK);
      for (uint64_t i = 0; i < 500; i++) {
        const uint64_t hash = Mix(81, i), other = Mix(82, i);
        lfb_fast_put(&fast, hash);
        ASSERT_TRUE(lfb_fast_might_contain(&fast, hash)) << w << "x" << g;
        ASSERT_EQ(lfb_fast_might_contain(&fast, other),
                  lfb_filter_might_contain_hash(filter.get(), other)) << w << "x" << g;
      }
    }
}

}  // namespace
