// The processor has the vector instructions of each level, the library uses them, and those that
// bochs.h replaces are as defined.

#include <gtest/gtest.h>
#include <immintrin.h>

#include "bloom/hashing/simd.h"
#include "tests/support/race.h"

namespace {

#define TARGET __attribute__((target("avx512f,avx512vl,avx512bw,avx512vbmi,avx512bitalg")))

TEST(Avx512, IsUsed) {
  EXPECT_EQ(lfb_simd_chosen(), LFB_SIMD_AVX512);
  EXPECT_TRUE(lfb_simd_has_aes(LFB_SIMD_AVX512));
}

struct Words {
  uint64_t word[8];
};

Words Random(uint64_t seed) {
  Words words;
  for (uint64_t i = 0; i < 8; i++) words.word[i] = Mix(seed, i);
  return words;
}

TARGET uint64_t Eight(const Words& words, const Words& places) {
  return _mm512_bitshuffle_epi64_mask(_mm512_loadu_si512(&words), _mm512_loadu_si512(&places));
}

TARGET uint64_t Two(const Words& words, const Words& places) {
  return _mm_bitshuffle_epi64_mask(_mm_loadu_si128(reinterpret_cast<const __m128i*>(&words)),
                                   _mm_loadu_si128(reinterpret_cast<const __m128i*>(&places)));
}

TEST(Avx512, BitsOfWordsArePicked) {
  for (uint64_t i = 0; i < 1000; i++) {
    const Words words = Random(2 * i), places = Random(2 * i + 1);
    uint64_t picked = 0;
    for (int k = 0; k < 64; k++) {
      const uint64_t place = places.word[k / 8] >> (k % 8 * 8) & 63;
      picked |= (words.word[k / 8] >> place & 1) << k;
    }
    ASSERT_EQ(Eight(words, places), picked);
    ASSERT_EQ(Two(words, places), picked & 0xffff);
  }
}

TEST(Avx512, WordsAreShiftedOut) {
  const Words words = Random(1);
  for (int bits = 0; bits <= 70; bits++) {
    uint64_t shifted[2];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(shifted),
                     _mm_srl_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(&words)),
                                   _mm_cvtsi32_si128(bits)));
    for (int i = 0; i < 2; i++)
      ASSERT_EQ(shifted[i], bits < 64 ? words.word[i] >> bits : 0) << bits;
  }
}

}  // namespace
