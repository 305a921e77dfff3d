// lfbloom/fast.h compiled for AVX-512 with VBMI and BITALG, and without (BUILD.bazel): the inline query
// answers as the library's code without vectors.
#include <lfbloom/fast.h>

#include <thread>

#include "tests/support/race.h"
#include "tests/support/skip.h"
#include "tests/support/variants.h"

namespace {

lfb_simd CompiledFor() {
#if defined(LFB_FAST_BY_AVX512)
  return LFB_SIMD_AVX512;
#else
  return LFB_SIMD_NONE;
#endif
}

TEST(FastInline, AnswersAsTheLibrary) {
#if defined(LFB_TEST_COMPILED_FOR)
  EXPECT_EQ(CompiledFor(), LFB_TEST_COMPILED_FOR);
#endif
  if (CompiledFor() > lfb_simd_best()) return NotHere("not on this processor");
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

constexpr uint64_t kHash = 0x123456789abcdef;

// Whether the key arrived. A separate function, so that only the query itself stops the compiler
// from reading the filter just once.
bool Wait(const lfb_fast* fast) {
  // Far more queries than run while another thread starts.
  for (uint64_t i = 0; i < 300'000'000; i++)
    if (lfb_fast_might_contain(fast, kHash)) return true;
  return false;
}

// A loop that waits for a key from another thread ends: each query reads the filter again. Seen
// to fail when compiled for AVX-512 with the line's address known to the compiler.
TEST(FastInline, WaitingEnds) {
  if (CompiledFor() > lfb_simd_best()) return NotHere("not on this processor");
  for (double fpp : {0.3, 0.01, 0.001, 1e-4}) {
    const Filter filter = Make(1000, fpp, LFB_FAST);
    lfb_fast fast{};
    ASSERT_EQ(lfb_fast_of(filter.get(), &fast), LFB_OK);
    bool found = false;
    RunTogether(2, [&](unsigned t) {
      if (t == 0) {
        found = Wait(&fast);
      } else {
        for (int i = 0; i < 100; i++) std::this_thread::yield();
        lfb_fast_put(&fast, kHash);
      }
    });
    EXPECT_TRUE(found) << "fpp " << fpp;
  }
}

}  // namespace
