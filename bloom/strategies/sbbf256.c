/*
 * sbbf256.c - strategy `sbbf` on processors with AVX2: a block is one vector, and half of it is
 * the pair of words that one operation changes (atomic/words/pair.h).  Answers and bits are those
 * of sbbf.c.
 */
#include "bloom/strategies/sbbf.h"
#include "bloom/strategies/wide.h"

#ifdef LFB_SIMD_X86
#define TARGET LFB_AVX2_TARGET

/* The bits of a hash. */
TARGET LFB_INLINE __m256i sbbf256_mask(uint64_t hash)
{
  const __m256i salts = _mm256_loadu_si256((const __m256i *)(const void *)lfb_sbbf_salts);
  const __m256i products = _mm256_mullo_epi32(_mm256_set1_epi32((int)hash), salts);
  return _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(products, 27));
}

TARGET LFB_INLINE uint64_t sbbf256_query_one(const lfb_layout *layout, uint64_t hash)
{
  const __m256i block = lfb_wide_4(lfb_sbbf_block(layout, hash));
  return (uint64_t)_mm256_testc_si256(block, sbbf256_mask(hash));
}

/* Sets half a block, which was just read as `seen`, to `desired`.  Fails if it has changed. */
TARGET LFB_INLINE bool sbbf256_set(lfb_word *half, __m128i seen, __m128i desired)
{
  lfb_two was = {(uint64_t)_mm_cvtsi128_si64(seen), (uint64_t)_mm_extract_epi64(seen, 1)};
  const lfb_two now = {(uint64_t)_mm_cvtsi128_si64(desired),
                       (uint64_t)_mm_extract_epi64(desired, 1)};
  return __builtin_expect(lfb_pair_cas(half, &was, now), 1);
}

/* Turns on the bits of a hash in a block, from word `first` on, after another thread has changed
 * it.  Returns how many.  Inlined, it would take registers from the loop. */
TARGET __attribute__((noinline)) static uint64_t sbbf256_retry(lfb_word *block, uint64_t hash,
                                                                     uint32_t first)
{
  uint64_t mask[LFB_SBBF_WORDS];
  uint64_t turned_on = 0;

  _mm256_storeu_si256((__m256i *)(void *)mask, sbbf256_mask(hash));
  for (uint32_t i = first; i < LFB_SBBF_WORDS; i += 2)
    turned_on += lfb_bit_array_or_pair(&block[i], (lfb_two){mask[i], mask[i + 1]});
  return turned_on;
}

/* Every processor with AVX2 has cmpxchg16b.  The whole block is read before half of it is written,
 * for the reason in lfb_bit_array_or_pairs(). */
TARGET LFB_INLINE uint64_t sbbf256_put_one(const lfb_layout *layout, uint64_t hash)
{
  lfb_word *block = lfb_sbbf_block(layout, hash);
  const __m256i mask = sbbf256_mask(hash), seen = lfb_wide_4(block);
  const __m256i desired = _mm256_or_si256(seen, mask);
  const __m256i off = _mm256_cmpeq_epi32(_mm256_and_si256(seen, mask), _mm256_setzero_si256());
  /* one bit for each 32-bit word: 4 of each half */
  const uint32_t missing = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(off));

  if (missing == 0)
    return 0;
  if ((missing & 15) != 0 &&
      !sbbf256_set(block, _mm256_castsi256_si128(seen), _mm256_castsi256_si128(desired)))
    return sbbf256_retry(block, hash, 0);
  if (missing >> 4 != 0 && !sbbf256_set(block + 2, _mm256_extracti128_si256(seen, 1),
                                        _mm256_extracti128_si256(desired, 1)))
    return (uint64_t)_mm_popcnt_u32(missing & 15) + sbbf256_retry(block, hash, 2);
  return (uint64_t)_mm_popcnt_u32(missing);
}

#define SBBF_TARGET TARGET
#define SBBF_(noun) sbbf256_##noun
#define SBBF_PUT sbbf256_put
#define SBBF_TURN_ON sbbf256_turn_on
#define SBBF_MIGHT_CONTAIN sbbf256_might_contain
#define SBBF_MANY sbbf256_many
#define SBBF_UNROLL LFB_UNROLL_8 /* in cache a query of many takes 1.07 times as long without it */
#include "bloom/strategies/sbbf_kernel.inc.h"

/* Bytes of a file may begin anywhere, and no thread writes to them. */
TARGET LFB_INLINE uint64_t sbbf256_bytes_query_one(const lfb_layout *layout, uint64_t hash)
{
  const __m256i block =
      _mm256_loadu_si256((const __m256i *)(const void *)lfb_sbbf_bytes(layout, hash));
  return (uint64_t)_mm256_testc_si256(block, sbbf256_mask(hash));
}

#define SBBF_TARGET TARGET
#define SBBF_(noun) sbbf256_bytes_##noun
#define SBBF_MIGHT_CONTAIN sbbf256_bytes_might_contain
#define SBBF_MANY sbbf256_bytes_many
#define SBBF_BYTES
#include "bloom/strategies/sbbf_kernel.inc.h"

const lfb_kernel *const lfb_kernels_sbbf256[] = {&sbbf256_kernel};
const lfb_kernel *const lfb_kernels_sbbf256_bytes[] = {&sbbf256_bytes_kernel};

#endif
