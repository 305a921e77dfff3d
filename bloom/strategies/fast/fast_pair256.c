/*
 * fast_pair256.c - strategy `fast-pair` on processors with AVX2: one lane per probe, half a round
 * at a time.  Answers and bits are those of fast_pair.c.
 *
 * With AVX-512 and a whole round at once it was not faster (query_present, put_new and
 * put_present of fast-pair), so processors with AVX-512 use this too.
 */
#include "bloom/hashing/simd.h"

#ifdef LFB_SIMD_X86
#include <immintrin.h>

#include "bloom/strategies/fast/fast_kernels.h"
#include "bloom/strategies/fast/fast_pair.h"

#define TARGET LFB_AVX2_TARGET

enum { HALF = LFB_FAST_ROUND / 2 };

/* The bits of probes first .. first + 3, one lane each; none from `probes` on. */
TARGET LFB_INLINE __m256i pair256_half(uint64_t hash, uint32_t first, uint32_t probes)
{
  const uint64_t round = lfb_fast_round(hash, first / LFB_FAST_ROUND);
  const __m256i shift = first % LFB_FAST_ROUND == 0 ? _mm256_set_epi64x(34, 28, 22, 16)
                                                    : _mm256_set_epi64x(58, 52, 46, 40);
  const __m256i shifted = _mm256_and_si256(
      _mm256_srlv_epi64(_mm256_set1_epi64x((long long)round), shift), _mm256_set1_epi64x(63));
  const __m256i active = _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)probes - first),
                                            _mm256_set_epi64x(3, 2, 1, 0));
  return _mm256_sllv_epi64(_mm256_and_si256(active, _mm256_set1_epi64x(1)), shifted);
}

/* A key's bits in both words.  Probe f is of word f mod 2, so the lanes alternate between the two
 * words, and the two halves of the vector are or-ed. */
TARGET LFB_INLINE __m128i pair256_bits(uint64_t hash, uint32_t probes)
{
  __m256i bits = _mm256_setzero_si256();

  LFB_UNROLL
  for (uint32_t first = 0; first < probes; first += HALF)
    bits = _mm256_or_si256(bits, pair256_half(hash, first, probes));
  return _mm_or_si128(_mm256_castsi256_si128(bits), _mm256_extracti128_si256(bits, 1));
}

TARGET LFB_INLINE lfb_two pair256_mask(uint64_t hash, uint32_t probes)
{
  const __m128i bits = pair256_bits(hash, probes);
  return (lfb_two){(uint64_t)_mm_cvtsi128_si64(bits), (uint64_t)_mm_extract_epi64(bits, 1)};
}

/* Loads both words at once, while other threads may write them: each word is read whole
 * (lfbloom/fast_avx512.h). */
TARGET LFB_INLINE bool pair256_has(const lfb_word *pair, uint64_t hash, uint32_t probes)
{
  const __m128i words = _mm_load_si128((const __m128i *)(const void *)pair);
  return _mm_testc_si128(words, pair256_bits(hash, probes));
}

TARGET LFB_INLINE uint32_t pair256_count(lfb_two two)
{
  return (uint32_t)(_mm_popcnt_u64(two.low) + _mm_popcnt_u64(two.high));
}

#define PAIR_TARGET TARGET
#define PAIR_(noun) pair256_##noun

#define PAIR_PROBES layout->probes
#define PAIR_ONE(noun) pair256_any_##noun
#define PAIR_PUT pair256_any_put
#define PAIR_MIGHT_CONTAIN pair256_any_might_contain
#define PAIR_PUT_MANY pair256_any_put_many
#define PAIR_MIGHT_CONTAIN_MANY pair256_any_might_contain_many
#define PAIR_KERNEL pair256_any_kernel
#include "bloom/strategies/fast/pair.inc.h"

#define PAIR_PROBES 6
#define PAIR_ONE(noun) pair256_6_##noun
#define PAIR_PUT pair256_6_put
#define PAIR_MIGHT_CONTAIN pair256_6_might_contain
#define PAIR_PUT_MANY pair256_6_put_many
#define PAIR_MIGHT_CONTAIN_MANY pair256_6_might_contain_many
#define PAIR_KERNEL pair256_6_kernel
#include "bloom/strategies/fast/pair.inc.h"

const lfb_kernel *const lfb_kernels_fast_pair256[LFB_FAST_PAIR_KERNELS] = {&pair256_any_kernel,
                                                                            &pair256_6_kernel};

#endif
