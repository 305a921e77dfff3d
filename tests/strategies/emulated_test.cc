// The kernels for AVX2 and AVX-512, emulated (emulated.c): a processor that lacks the instructions
// still runs the code.  Seen to fail with one lane's shift off by one, and with a mask of one byte
// too few.

#include "bloom/strategies/fast/fast.h"
#include "tests/support/race.h"
#include "tests/support/variants.h"
#include "tests/support/windows.h"

extern "C" {
extern const lfb_kernel* const emulated_kernels_fast256[LFB_FAST_KERNELS];
extern const lfb_kernel* const emulated_kernels_fast512[LFB_FAST_KERNELS];
extern const lfb_window_kernel* const emulated_window_kernels256[LFB_WINDOW_KERNELS];
extern const lfb_window_kernel* const emulated_window_kernels512[LFB_WINDOW_KERNELS];
}

namespace {

constexpr uint32_t kShapes[][2] = {
#define SHAPE(name, pairs, bits) {pairs, bits},
    LFB_FAST_SHAPES(SHAPE)
#undef SHAPE
};

// One by one: bits, answers and count are those without vectors.
void ExpectKeysAlike(const Filter& filter, const Filter& plain) {
  for (uint64_t i = 0; i < 2000; i++) {
    const uint64_t hash = Mix(44, i % 2 ? i : i / 2);
    ASSERT_EQ(lfb_filter_might_contain_hash(filter.get(), hash),
              lfb_filter_might_contain_hash(plain.get(), hash));
    ASSERT_EQ(lfb_filter_put_hash(filter.get(), hash), lfb_filter_put_hash(plain.get(), hash));
    ASSERT_TRUE(lfb_filter_might_contain_hash(filter.get(), hash));
  }
}

TEST(Emulated, VectorsAnswerAsPlainCode) {
  for (size_t shape = 0; shape < std::size(kShapes); shape++)
    for (const lfb_kernel* const* kernels : {emulated_kernels_fast256, emulated_kernels_fast512})
      for (uint64_t blocks : {1, 2, 67}) {
        const uint32_t pairs = kShapes[shape][0], bits = kShapes[shape][1];
        SCOPED_TRACE(testing::Message() << pairs << "p" << bits << ", blocks " << blocks);
        const Filter filter = MakeShaped(LFB_SIMD_NONE, pairs, bits, blocks);
        const Filter plain = MakeShaped(LFB_SIMD_NONE, pairs, bits, blocks);
        filter->kernel = kernels[shape + 1];
        ExpectKeysAlike(filter, plain);
        ExpectBatchesAlike(filter, plain);
      }
}

TEST(Emulated, WindowsAnswerAsPlainCode) {
  constexpr uint32_t kRows[][4] = {
#define ROW(number, shift, pairs, bits) {number, shift, pairs, bits},
      LFB_WINDOW_SHAPES(ROW)
#undef ROW
  };
  for (const auto& [number, shift, pairs, bits] : kRows)
    for (const lfb_window_kernel* const* kernels :
         {emulated_window_kernels256, emulated_window_kernels512}) {
      SCOPED_TRACE(testing::Message() << "row " << number);
      const lfb_window_geometry geometry = {50, shift, pairs == 4 ? 3 : pairs, bits};
      const Window window = MakeWindowOf(geometry, WindowConfig(1000, 0.01));
      const Window alone = MakeWindowOf(geometry, WindowConfig(1000, 0.01));
      window->kernel = kernels[number];
      alone->kernel = lfb_window_kernels[0];
      ExpectAlike(window, alone);
    }
}

}  // namespace
