/*
 * fast.c - the kernels of strategy `fast`: without vectors, by AVX2, and by AVX-512 with VBMI and
 * BITALG (Intel from Ice Lake, AMD from Zen 4 on).  All turn on and ask for the same bits.
 *
 * bloom/strategies/fast_view.h has the layout, fast_key.h the code for one key without vectors,
 * kernel.inc.h the functions that each set of instructions has, and fast_size.c sizes and rows.
 */
#include "bloom/strategies/fast/fast.h"
#include "bloom/strategies/fast/fast_key.h"
#include "bloom/strategies/wide.h"

/* ---- without vectors ------------------------------------------------------------------- */

#define any_put_key lfb_fast_put
#define any_has_key lfb_fast_has

LFB_INLINE uint32_t any_has_8(const lfb_fast *fast, const uint64_t *hashes, uint32_t pairs,
                              uint32_t bits)
{
  uint32_t has = 0;

  for (uint32_t k = 0; k < 8; k++)
    has |= (uint32_t)lfb_fast_has(fast, hashes[k], pairs, bits) << k;
  return has;
}

LFB_INLINE uint32_t any_put_8(const lfb_fast *fast, const uint64_t *hashes, const uint64_t *ahead,
                              uint32_t pairs, uint32_t bits, uint64_t *turned_on)
{
  uint32_t changed = 0;

  for (uint32_t k = 0; k < 8; k++) {
    lfb_fast_prefetch(fast, ahead[k], pairs, true);
    const uint32_t on = lfb_fast_put(fast, hashes[k], pairs, bits);
    changed |= (uint32_t)(on != 0) << k;
    *turned_on += on;
  }
  return changed;
}

/* The first row is for any shape.  Where processors have vectors, only the shape of 1 % has code of
 * its own besides. */
#ifdef LFB_SIMD_X86
#define FAST_ROWS(row)                                                                     \
  row(any, any_put, any_has, any_many, any_turn_on, layout->fast.pairs, layout->fast.bits) \
  row(1p3, any_put_1p3, any_has_1p3, any_many_1p3, any_turn_on_1p3, 1, 3)
#else
#define FAST_ROWS(row)                                                                     \
  row(any, any_put, any_has, any_many, any_turn_on, layout->fast.pairs, layout->fast.bits) \
  row(1p3, any_put_1p3, any_has_1p3, any_many_1p3, any_turn_on_1p3, 1, 3)                  \
  row(1p4, any_put_1p4, any_has_1p4, any_many_1p4, any_turn_on_1p4, 1, 4)                  \
  row(2p2, any_put_2p2, any_has_2p2, any_many_2p2, any_turn_on_2p2, 2, 2)                  \
  row(2p3, any_put_2p3, any_has_2p3, any_many_2p3, any_turn_on_2p3, 2, 3)                  \
  row(4p2, any_put_4p2, any_has_4p2, any_many_4p2, any_turn_on_4p2, 4, 2)                  \
  row(4p3, any_put_4p3, any_has_4p3, any_many_4p3, any_turn_on_4p3, 4, 3)
#endif
#define FAST_TARGET
#define FAST_(noun) any_##noun
#include "bloom/strategies/fast/kernel.inc.h"

#define FAST_ANY(name, pairs, bits) &any_kernel_##name,
const lfb_kernel *const lfb_kernels_fast[LFB_FAST_KERNELS] = {
    &any_kernel_any,
#ifdef LFB_SIMD_X86
    &any_kernel_1p3, &any_kernel_any, &any_kernel_any, &any_kernel_any, &any_kernel_any,
    &any_kernel_any,
#else
    LFB_FAST_SHAPES(FAST_ANY)
#endif
};

#ifdef LFB_SIMD_X86

/* ---- AVX2: a key in each lane ------------------------------------------------------------ */

#define T LFB_AVX2_TARGET LFB_INLINE
typedef uint64_t avx2_lanes __attribute__((vector_size(32)));

T avx2_lanes avx2_two_pairs(const lfb_word *low, const lfb_word *high)
{
  return (avx2_lanes)_mm256_inserti128_si256(_mm256_castsi128_si256(lfb_wide_2(low)),
                                             lfb_wide_2(high), 1);
}

/* The words of pair j of four keys: their first ones, then their second ones. */
typedef struct avx2_words {
  avx2_lanes of[LFB_PAIR_WORDS];
} avx2_words;

T avx2_words avx2_pairs(lfb_word *const *block, const uint64_t *hashes, uint32_t pairs, uint32_t j)
{
  const lfb_word *at[4];

  LFB_UNROLL
  for (int k = 0; k < 4; k++)
    at[k] = block[k] + lfb_fast_pair_at(hashes[k], pairs, j);
  const __m256i even = (__m256i)avx2_two_pairs(at[0], at[2]);
  const __m256i odd = (__m256i)avx2_two_pairs(at[1], at[3]);
  return (avx2_words){{(avx2_lanes)_mm256_unpacklo_epi64(even, odd),
                       (avx2_lanes)_mm256_unpackhi_epi64(even, odd)}};
}

T uint32_t avx2_has_4(const lfb_fast *fast, const uint64_t *hashes, uint32_t pairs, uint32_t bits)
{
  avx2_lanes hash = {hashes[0], hashes[1], hashes[2], hashes[3]}, on = (avx2_lanes){0} - 1;
  lfb_word *block[4];

  LFB_UNROLL
  for (int k = 0; k < 4; k++)
    block[k] = lfb_fast_block(fast, hashes[k], pairs);
  LFB_UNROLL
  for (uint32_t j = 0; j < pairs; j++) {
    const avx2_words words = avx2_pairs(block, hashes, pairs, j);
    LFB_UNROLL
    for (uint32_t i = 0; i < LFB_PAIR_WORDS * bits; i++) {
      const uint32_t probe = 2 * j + i % 2 + 2 * pairs * (i / 2);
      const avx2_lanes round = hash * lfb_fast_round(1, probe / LFB_FAST_ROUND);
      on &= words.of[i % 2] >> (round >> lfb_fast_shift(probe) & 63);
    }
  }
  return (uint32_t)_mm256_movemask_pd((__m256d)(on << 63));
}

T uint32_t avx2_has_8(const lfb_fast *fast, const uint64_t *hashes, uint32_t pairs, uint32_t bits)
{
  const uint32_t low = avx2_has_4(fast, hashes, pairs, bits);
  return low | avx2_has_4(fast, hashes + 4, pairs, bits) << 4;
}

/* One key: two pairs are a vector, or one twice, with two probes of each word. */
T bool avx2_has_key(const lfb_fast *fast, uint64_t hash, uint32_t pairs, uint32_t bits)
{
  lfb_word *block = lfb_fast_block(fast, hash, pairs);
  const uint32_t step = pairs == 1 ? 2 : 1;
  avx2_lanes on = (avx2_lanes){0} - 1;

  LFB_UNROLL
  for (uint32_t j = 0; j < pairs; j += 2) {
    const avx2_lanes words =
        avx2_two_pairs(block + lfb_fast_pair_at(hash, pairs, j),
                       block + lfb_fast_pair_at(hash, pairs, pairs == 1 ? 0 : j + 1));
    LFB_UNROLL
    for (uint32_t k = 0; k < bits; k += step) {
      const uint32_t probe = 2 * j + 2 * pairs * k, low = lfb_fast_shift(probe);
      const uint32_t high = pairs == 1 && k + 1 == bits ? low : low + 12;
      const avx2_lanes round = (avx2_lanes){0} + lfb_fast_round(hash, probe / LFB_FAST_ROUND);
      on &= words >> (round >> (avx2_lanes){low, low + 6, high, high + 6} & 63);
    }
  }
  return _mm256_movemask_pd((__m256d)(on << 63)) == 15;
}

/* Of two pairs, the bits are a vector, too: it finds whether the key is present. */
T uint32_t avx2_put_key(const lfb_fast *fast, uint64_t hash, uint32_t pairs, uint32_t bits)
{
  lfb_word *block = lfb_fast_block(fast, hash, pairs);
  avx2_lanes missing = {0};
  lfb_two mask[LFB_PAIRS_MOST];

  if (pairs == 1)
    return lfb_fast_put(fast, hash, pairs, bits);
  LFB_UNROLL
  for (uint32_t j = 0; j < pairs; j += 2) {
    avx2_lanes all = {0};
    LFB_UNROLL
    for (uint32_t k = 0; k < bits; k++) {
      const uint32_t probe = 2 * (j + pairs * k), low = lfb_fast_shift(probe);
      const avx2_lanes round = (avx2_lanes){0} + lfb_fast_round(hash, probe / LFB_FAST_ROUND);
      const avx2_lanes number = round >> (avx2_lanes){low, low + 6, low + 12, low + 18} & 63;
      all |= (avx2_lanes){1, 1, 1, 1} << number;
    }
    missing |= all & ~avx2_two_pairs(block + lfb_fast_pair_at(hash, pairs, j),
                                     block + lfb_fast_pair_at(hash, pairs, j + 1));
    _mm256_storeu_si256((__m256i *)(void *)&mask[j], (__m256i)all);
  }
  if (_mm256_movemask_pd((__m256d)(missing == 0)) == 15)
    return 0;
  return lfb_fast_or(fast, hash, pairs, mask);
}

#undef T
#define avx2_put_8 any_put_8
#define FAST_ROWS(row)                                                        \
  row(1p3, avx2_put_1p3, avx2_has_1p3, avx2_many_1p3, avx2_turn_on_1p3, 1, 3) \
  row(1p4, avx2_put_1p4, avx2_has_1p4, avx2_many_1p4, avx2_turn_on_1p4, 1, 4) \
  row(2p2, avx2_put_2p2, avx2_has_2p2, avx2_many_2p2, avx2_turn_on_2p2, 2, 2) \
  row(2p3, avx2_put_2p3, avx2_has_2p3, avx2_many_2p3, avx2_turn_on_2p3, 2, 3) \
  row(4p2, avx2_put_4p2, avx2_has_4p2, avx2_many_4p2, avx2_turn_on_4p2, 4, 2) \
  row(4p3, avx2_put_4p3, avx2_has_4p3, avx2_many_4p3, avx2_turn_on_4p3, 4, 3)
#define FAST_TARGET LFB_AVX2_TARGET
#define FAST_(noun) avx2_##noun
#include "bloom/strategies/fast/kernel.inc.h"

#define FAST_AVX2(name, pairs, bits) &avx2_kernel_##name,
const lfb_kernel *const lfb_kernels_fast256[LFB_FAST_KERNELS] = {
    &any_kernel_any, LFB_FAST_SHAPES(FAST_AVX2)};

/* ---- AVX-512: a vector has the words of 4 / P keys ---------------------------------------- */

#include "bloom/strategies/fast/fast_avx512.h"

#define T LFB_AVX512_TARGET LFB_INLINE

#define LANE_SHIFT(l) ((long long)lfb_fast_shift(2 * pairs * i + (l) % (2 * pairs)))
#define LANE_CHOICE(l) (11 + (l) / 2 % pairs)
#define LANE_FIRST(l) (4 * ((l) / 2) + (l) % 2)

/* The words of one key of two lines, or of two keys of one, by r(0) in the lanes. */
T __m512i avx512_words(const lfb_word *low, const lfb_word *high, __m512i round0, uint32_t pairs)
{
  const __m512i choice = _mm512_multishift_epi64_epi8(LANES(LANE_CHOICE), round0);
  const __m512i word = _mm512_ternarylogic_epi64(choice, _mm512_set1_epi64(2), LANES(LANE_FIRST),
                                                 0xea); /* a & b | c */
  return _mm512_permutex2var_epi64(lfb_wide_8(low), word, lfb_wide_8(high));
}

/* The words of one key. */
T __m512i avx512_key_words(const lfb_fast *fast, uint64_t hash, __m512i round0, uint32_t pairs)
{
  const lfb_word *block = lfb_fast_block(fast, hash, pairs);

  if (pairs == 1)
    return _mm512_castsi128_si512(lfb_wide_2(block));
  return avx512_words(block, pairs == 4 ? block + LFB_BLOCK_WORDS : block, round0, pairs);
}

T bool avx512_has_key(const lfb_fast *fast, uint64_t hash, uint32_t pairs, uint32_t bits)
{
  const avx512_rounds rounds = avx512_rounds_of(hash, pairs, bits);
  const uint64_t on =
      avx512_test(avx512_key_words(fast, hash, rounds.of[0], pairs), &rounds, pairs, bits);

  return pairs == 1 ? (uint16_t)on == UINT16_MAX
                    : pairs == 2 ? (uint32_t)on == UINT32_MAX : on == UINT64_MAX;
}

/* The bits in the words of the keys. */
T __m512i avx512_bits(const avx512_rounds *rounds, uint32_t pairs, uint32_t bits)
{
  __m512i all = _mm512_setzero_si512();

  LFB_UNROLL
  for (uint32_t i = 0; i < bits; i++) { /* no mask: a rotation uses the lowest six bits */
    const __m512i number =
        _mm512_srlv_epi64(rounds->of[2 * pairs * i / LFB_FAST_ROUND], LANES(LANE_SHIFT));
    all = _mm512_or_si512(all, _mm512_rolv_epi64(_mm512_set1_epi64(1), number));
  }
  return all;
}

/* The vectors find whether the key is present. */
T uint32_t avx512_put_key(const lfb_fast *fast, uint64_t hash, uint32_t pairs, uint32_t bits)
{
  const avx512_rounds rounds = avx512_rounds_of(hash, pairs, bits);
  const __m512i all = avx512_bits(&rounds, pairs, bits);
  const __m512i missing =
      _mm512_andnot_si512(avx512_key_words(fast, hash, rounds.of[0], pairs), all);
  lfb_two mask[LFB_PAIRS_MOST];

  if ((avx512_number(_mm512_test_epi64_mask(missing, missing)) & ((1U << 2 * pairs) - 1)) == 0)
    return 0;
  _mm512_storeu_si512(mask, all);
  return lfb_fast_or(fast, hash, pairs, mask);
}

T __m512i avx512_four_pairs(const lfb_fast *fast, const uint64_t *hashes)
{
  const avx2_lanes low =
      avx2_two_pairs(lfb_fast_block(fast, hashes[0], 1), lfb_fast_block(fast, hashes[1], 1));
  const avx2_lanes high =
      avx2_two_pairs(lfb_fast_block(fast, hashes[2], 1), lfb_fast_block(fast, hashes[3], 1));
  return _mm512_inserti64x4(_mm512_castsi256_si512((__m256i)low), (__m256i)high, 1);
}

T uint32_t avx512_has_8(const lfb_fast *fast, const uint64_t *hashes, uint32_t pairs,
                        uint32_t bits)
{
  const avx512_rounds products = avx512_products(hashes, pairs, bits);
  const uint32_t keys = 4 / pairs;
  uint64_t on[8];

  LFB_UNROLL
  for (uint32_t k = 0; k < 8; k += keys) {
    const avx512_rounds rounds = avx512_spread(&products, k, pairs, bits);
    const lfb_word *block = lfb_fast_block(fast, hashes[k], pairs);
    const __m512i words =
        pairs == 1 ? avx512_four_pairs(fast, hashes + k)
                   : avx512_words(block,
                                  pairs == 4 ? block + LFB_BLOCK_WORDS
                                             : lfb_fast_block(fast, hashes[k + 1], pairs),
                                  rounds.of[0], pairs);
    on[k / keys] = avx512_test(words, &rounds, pairs, bits);
  }
  return avx512_answers(on, pairs);
}

/* The bits of 4 / P keys are found at a time. */
T uint32_t avx512_put_8(const lfb_fast *fast, const uint64_t *hashes, const uint64_t *ahead,
                        uint32_t pairs, uint32_t bits, uint64_t *turned_on)
{
  const avx512_rounds products = avx512_products(hashes, pairs, bits);
  const uint32_t keys = 4 / pairs;
  lfb_two mask[LFB_PAIRS_MOST] __attribute__((aligned(LFB_CACHE_LINE)));
  uint32_t changed = 0;

  for (uint32_t first = 0; first < 8; first += keys) {
    const avx512_rounds rounds = avx512_spread(&products, first, pairs, bits);
    _mm512_store_si512(mask, avx512_bits(&rounds, pairs, bits));
    LFB_UNROLL
    for (uint32_t k = 0; k < keys; k++) {
      lfb_fast_prefetch(fast, ahead[first + k], pairs, true);
      const uint32_t on = lfb_fast_or(fast, hashes[first + k], pairs, mask + (size_t)pairs * k);
      if (on != 0) /* a branch that the put has anyway: no instruction after a locked one */
        changed |= 1U << (first + k);
      *turned_on += on;
    }
  }
  return changed;
}

#undef T
#define FAST_ROWS(row)                                                              \
  row(1p3, avx512_put_1p3, avx512_has_1p3, avx512_many_1p3, avx2_turn_on_1p3, 1, 3) \
  row(1p4, avx512_put_1p4, avx512_has_1p4, avx512_many_1p4, avx2_turn_on_1p4, 1, 4) \
  row(2p2, avx512_put_2p2, avx512_has_2p2, avx512_many_2p2, avx2_turn_on_2p2, 2, 2) \
  row(2p3, avx512_put_2p3, avx512_has_2p3, avx512_many_2p3, avx2_turn_on_2p3, 2, 3) \
  row(4p2, avx512_put_4p2, avx512_has_4p2, avx512_many_4p2, avx2_turn_on_4p2, 4, 2) \
  row(4p3, avx512_put_4p3, avx512_has_4p3, avx512_many_4p3, avx2_turn_on_4p3, 4, 3)
#define FAST_TARGET LFB_AVX512_TARGET
#define FAST_TURNED_ON
#define FAST_(noun) avx512_##noun
#include "bloom/strategies/fast/kernel.inc.h"

#define FAST_AVX512(name, pairs, bits) &avx512_kernel_##name,
const lfb_kernel *const lfb_kernels_fast512[LFB_FAST_KERNELS] = {
    &any_kernel_any, LFB_FAST_SHAPES(FAST_AVX512)};
#endif
