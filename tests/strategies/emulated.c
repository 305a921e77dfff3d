/* emulated.c - the kernels of `fast` and of windows with their vector intrinsics made of plain C by
 * SIMDe, so that those for AVX-512 run on every processor.  Two pieces of assembly have a form in C
 * there (fast_avx512.h). */
#define SIMDE_ENABLE_NATIVE_ALIASES
#define _IMMINTRIN_H_INCLUDED /* gcc: its intrinsics would need the processor */
#define __IMMINTRIN_H         /* clang: the same */
#include <emmintrin.h>       /* clang 19 has types of these names there */
#define __m128bh emulated_m128bh
#define __m256bh emulated_m256bh
#define __m512bh emulated_m512bh
#include <simde/x86/avx512.h>

#include "bloom/hashing/simd.h"
#undef LFB_AVX2_TARGET
#undef LFB_AVX512_TARGET
#define LFB_AVX2_TARGET
#define LFB_AVX512_TARGET
#define LFB_EMULATED
#define __mmask8 simde__mmask8
#define __mmask64 simde__mmask64

/* Two comparisons that SIMDe 0.7 lacks. */
#define _mm_cmpeq_epi16_mask(a, b) emulated_equal_16(a, b)
#define _mm256_cmpeq_epi32_mask(a, b) emulated_equal_32(a, b)

static inline __mmask8 emulated_equal_16(__m128i a, __m128i b)
{
  return (__mmask8)_mm_movemask_epi8(_mm_packs_epi16(_mm_cmpeq_epi16(a, b), _mm_setzero_si128()));
}

static inline __mmask8 emulated_equal_32(__m256i a, __m256i b)
{
  return (__mmask8)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b)));
}

#define lfb_kernels_fast emulated_kernels_fast
#define lfb_kernels_fast256 emulated_kernels_fast256
#define lfb_kernels_fast512 emulated_kernels_fast512
#include "bloom/strategies/fast/fast.c"

#define lfb_window_kernels emulated_window_kernels
#define lfb_window_kernels256 emulated_window_kernels256
#define lfb_window_kernels512 emulated_window_kernels512
#include "bloom/window/window_kernels.c"
