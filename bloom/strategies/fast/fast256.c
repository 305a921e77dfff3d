/*
 * fast256.c - strategies `fast` and `fast-pair` on processors with AVX2: two vector registers of
 * four lanes, one lane per probe.  Answers and bits are those of fast.c.
 *
 * AVX2 cannot pick one word out of eight by a vector of numbers.  The probe of a lane therefore
 * depends on w, so that each of the two registers, low and high, finds its words in one way:
 *
 *   w  probes of low, of high   words of low, of high
 *   1  0 1 2 3   4 5 6 7        the key's word, in all lanes
 *   2  0 2 4 6   1 3 5 7        group 0's word; group 1's word
 *   4  0 4 1 5   2 6 3 7        groups 0 0 1 1 of words 0-3; 2 2 3 3 of words 4-7
 *   8  0 1 2 3   4 5 6 7        words 0-3; words 4-7
 *   8 of two lines: 0 2 1 3, 4 6 5 7; of words 0-7; of words 8-15
 *
 * Other threads may write the words during a load.  Up to w = 2 each load is one aligned word, and
 * atomic.  From w = 4 a load takes half a line: it is not atomic as a whole, but each of its 64-bit
 * lanes is (fast_avx512.h has the sources).
 */
#include "bloom/hashing/simd.h"

#ifdef LFB_SIMD_X86
#include <immintrin.h>

#include "bloom/strategies/fast/fast_key.h"
#include "bloom/strategies/fast/fast.h"

#define TARGET LFB_AVX2_TARGET

/* Eight lanes. */
typedef struct fast256_pair {
  __m256i low, high; /* four lanes each, as in the table at the head of this file */
} fast256_pair;

/* The values that all keys of a filter share. */
typedef struct fast256_lanes {
  fast256_pair bit_shift; /* shifts a round's product to a bit's number          */
  fast256_pair last;      /* 1 in the lanes of the last round, 0 in the others */
  uint32_t rounds;            /* of LFB_FAST_ROUND probes, the last may have fewer */
} fast256_lanes;

/* One key: for each lane, its word in the filter and the key's bits in that word. */
typedef struct fast256_key {
  fast256_pair words, bits; /* in the filter; of the key */
} fast256_key;

/* Returns the probes of the lanes. */
TARGET LFB_INLINE fast256_pair fast256_probes(const lfb_fast *fast)
{
  fast256_pair probes;

  probes.low = _mm256_set_epi64x(3, 2, 1, 0);
  probes.high = _mm256_set_epi64x(7, 6, 5, 4);
  if (lfb_fast_groups(fast) == 2) {
    probes.low = _mm256_set_epi64x(6, 4, 2, 0);
    probes.high = _mm256_set_epi64x(7, 5, 3, 1);
  } else if (lfb_fast_groups(fast) == 4) {
    probes.low = _mm256_set_epi64x(5, 1, 4, 0);
    probes.high = _mm256_set_epi64x(7, 3, 6, 2);
  } else if (lfb_fast_has_two_lines(fast)) {
    probes.low = _mm256_set_epi64x(3, 1, 2, 0);
    probes.high = _mm256_set_epi64x(7, 5, 6, 4);
  }
  return probes;
}

/* Returns 16 + 6 * probe. */
TARGET LFB_INLINE __m256i fast256_bit_shift(__m256i probes)
{
  const __m256i twice = _mm256_add_epi64(probes, probes);
  return _mm256_add_epi64(_mm256_set1_epi64x(16),
                          _mm256_add_epi64(twice, _mm256_add_epi64(twice, twice)));
}

/* Returns 1 in the lanes with a probe below `count`, 0 in the others. */
TARGET LFB_INLINE __m256i fast256_below(__m256i probes, uint32_t count)
{
  return _mm256_srli_epi64(_mm256_cmpgt_epi64(_mm256_set1_epi64x(count), probes), 63);
}

/* Computes the values that all keys of this filter share. */
TARGET LFB_INLINE fast256_lanes fast256_of(const lfb_fast *fast)
{
  const fast256_pair probes = fast256_probes(fast);
  fast256_lanes lanes;

  lanes.rounds = fast->rounds;
  const uint32_t left = fast->probes - LFB_FAST_ROUND * (fast->rounds - 1);
  lanes.bit_shift.low = fast256_bit_shift(probes.low);
  lanes.bit_shift.high = fast256_bit_shift(probes.high);
  lanes.last.low = fast256_below(probes.low, left);
  lanes.last.high = fast256_below(probes.high, left);
  return lanes;
}

/* Loads the key's word of group j into all lanes: one load of 8 bytes. */
TARGET LFB_INLINE __m256i fast256_word(const lfb_fast *fast, const lfb_word *block,
                                     uint64_t round0, uint32_t j)
{
  const lfb_word *word = &block[lfb_fast_word(fast, round0, j)];
  return _mm256_broadcastq_epi64(_mm_loadl_epi64((const __m128i *)(const void *)word));
}

/* Loads four words from the first on.  Lanes 0 and 1 get one of the first two, lanes 2 and 3 one of
 * the others, by bits `shift` and shift + 1 of the hash's product. */
TARGET LFB_INLINE __m256i fast256_pick(const lfb_word *first, __m256i round0, int shift)
{
  const __m256i words = _mm256_load_si256((const __m256i *)(const void *)first);
  /* No mask: the instruction uses only bit 1 of each number. */
  const __m256i number =
      _mm256_srlv_epi64(round0, _mm256_set_epi64x(shift, shift, shift - 1, shift - 1));
  return _mm256_castpd_si256(_mm256_permutevar_pd(_mm256_castsi256_pd(words), number));
}

/* Loads a line from the first word on.  The lanes get one of words 0 and 1, 4 and 5, 2 and 3, 6 and
 * 7: which of the two, bits `shift`, shift + 2, shift + 1, shift + 3 of the hash's product say. */
TARGET LFB_INLINE __m256i fast256_pick_line(const lfb_word *first, __m256i round0, int shift)
{
  const __m256i low = _mm256_load_si256((const __m256i *)(const void *)first);
  const __m256i high = _mm256_load_si256((const __m256i *)(const void *)(first + 4));
  /* No mask: the instruction uses only the highest bit of each number. */
  const __m256i number =
      _mm256_sllv_epi64(round0, _mm256_set_epi64x(60 - shift, 62 - shift, 61 - shift, 63 - shift));
  return _mm256_castpd_si256(_mm256_blendv_pd(_mm256_castsi256_pd(_mm256_unpacklo_epi64(low, high)),
                                              _mm256_castsi256_pd(_mm256_unpackhi_epi64(low, high)),
                                              _mm256_castsi256_pd(number)));
}

/* Reads a key's words. */
TARGET LFB_INLINE fast256_pair fast256_words(const lfb_fast *fast, uint64_t hash)
{
  const lfb_word *block = lfb_fast_block(fast, hash);
  const uint64_t round0 = lfb_fast_round(hash, 0);
  const __m256i all = _mm256_set1_epi64x((long long)round0);
  fast256_pair words;

  switch (lfb_fast_groups(fast)) {
  case 1:
    words.low = words.high = fast256_word(fast, block, round0, 0);
    break;
  case 2:
    words.low = fast256_word(fast, block, round0, 0);
    words.high = fast256_word(fast, block, round0, 1);
    break;
  case 4:
    words.low = fast256_pick(block, all, 12);
    words.high = fast256_pick(block + 4, all, 14);
    break;
  default:
    if (lfb_fast_has_two_lines(fast)) {
      words.low = fast256_pick_line(block, all, 12);
      words.high = fast256_pick_line(block + LFB_BLOCK_WORDS, all, 16);
      break;
    }
    words.low = _mm256_load_si256((const __m256i *)(const void *)block);
    words.high = _mm256_load_si256((const __m256i *)(const void *)(block + 4));
  }
  return words;
}

/* Returns `ones` shifted by six bits of the product. */
TARGET LFB_INLINE __m256i fast256_bits(__m256i round, __m256i bit_shift, __m256i ones)
{
  const __m256i number = _mm256_srlv_epi64(round, bit_shift);
  return _mm256_sllv_epi64(ones, _mm256_and_si256(number, _mm256_set1_epi64x(63)));
}

/* Returns the bits that round i tests in the lanes' words. */
TARGET LFB_INLINE fast256_pair fast256_round(const fast256_lanes *lanes, uint64_t hash,
                                               uint32_t i)
{
  const __m256i round = _mm256_set1_epi64x((long long)lfb_fast_round(hash, i));
  const __m256i one = _mm256_set1_epi64x(1);
  const bool last = i + 1 == lanes->rounds;
  fast256_pair bits;

  bits.low = fast256_bits(round, lanes->bit_shift.low, last ? lanes->last.low : one);
  bits.high = fast256_bits(round, lanes->bit_shift.high, last ? lanes->last.high : one);
  return bits;
}

/* Reads a key's words, and computes its bits in them. */
TARGET LFB_INLINE fast256_key fast256_key_of(const lfb_fast *fast, const fast256_lanes *lanes,
                                               uint64_t hash)
{
  fast256_key key;

  key.words = fast256_words(fast, hash);
  key.bits = fast256_round(lanes, hash, 0);
  for (uint32_t i = 1; i < lanes->rounds; i++) {
    const fast256_pair more = fast256_round(lanes, hash, i);
    key.bits.low = _mm256_or_si256(key.bits.low, more.low);
    key.bits.high = _mm256_or_si256(key.bits.high, more.high);
  }
  return key;
}

/* Returns whether all of a key's bits are on. */
TARGET LFB_INLINE bool fast256_key_has_bits(const fast256_key *key)
{
  const __m256i low = _mm256_andnot_si256(key->words.low, key->bits.low);
  const __m256i high = _mm256_andnot_si256(key->words.high, key->bits.high);
  const __m256i missing = _mm256_or_si256(low, high);
  return _mm256_testz_si256(missing, missing) != 0;
}

/* Stores the bits of group j as mask[j]: those of all lanes with its word. */
TARGET LFB_INLINE void fast256_masks(const lfb_fast *fast, const fast256_pair *bits,
                                   uint64_t mask[LFB_BLOCK_WORDS])
{
  if (lfb_fast_groups(fast) == 8) {
    const bool two_lines = lfb_fast_has_two_lines(fast);
    const __m256i low = two_lines ? _mm256_permute4x64_epi64(bits->low, 0xd8) : bits->low;
    const __m256i high = two_lines ? _mm256_permute4x64_epi64(bits->high, 0xd8) : bits->high;
    _mm256_storeu_si256((__m256i *)(void *)mask, low);
    _mm256_storeu_si256((__m256i *)(void *)(mask + 4), high);
    return;
  }
  /* Lanes 0 and 1 of low and of high, then 2 and 3: groups 0 2 1 3 if w is 4. */
  const __m256i pairs = _mm256_or_si256(_mm256_unpacklo_epi64(bits->low, bits->high),
                                        _mm256_unpackhi_epi64(bits->low, bits->high));
  if (lfb_fast_groups(fast) == 4) {
    _mm256_storeu_si256((__m256i *)(void *)mask, _mm256_permute4x64_epi64(pairs, 0xd8));
    return;
  }
  __m128i groups =
      _mm_or_si128(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
  if (lfb_fast_groups(fast) == 1)
    groups = _mm_or_si128(groups, _mm_unpackhi_epi64(groups, groups));
  _mm_storeu_si128((__m128i *)(void *)mask, groups);
}

/* Turns on a key's bits.  Returns the number of bits that this call turned on.  The vectors find
 * whether the key is present; missing bits are written word by word. */
TARGET LFB_INLINE uint32_t fast256_put_bits(const lfb_fast *fast, const fast256_lanes *lanes,
                                               uint64_t hash)
{
  const fast256_key found = fast256_key_of(fast, lanes, hash);
  lfb_fast_key key;

  if (fast256_key_has_bits(&found))
    return 0;
  lfb_fast_key_words(fast, lfb_fast_block(fast, hash), lfb_fast_round(hash, 0), &key);
  fast256_masks(fast, &found.bits, key.mask);
  return lfb_fast_key_put(fast, &key);
}

/* Returns whether all of a key's bits are on. */
TARGET LFB_INLINE bool fast256_has_bits(const lfb_fast *fast, const fast256_lanes *lanes,
                                                 uint64_t hash)
{
  const fast256_key key = fast256_key_of(fast, lanes, hash);
  return fast256_key_has_bits(&key);
}

#define FAST_TARGET TARGET
#define FAST_(noun) fast256_##noun

typedef struct fast256_view {
  lfb_fast fast;
  fast256_lanes lanes;
} fast256_view;

TARGET LFB_INLINE fast256_view fast256_view_of(const lfb_fast *fast)
{
  return (fast256_view){*fast, fast256_of(fast)};
}

TARGET LFB_INLINE uint64_t fast256_put_one(const fast256_view *view, uint64_t hash)
{
  return fast256_put_bits(&view->fast, &view->lanes, hash);
}

/* A pair without vectors: fewer instructions between the lines of two puts, so that their reads
 * overlap.  A put of a new key takes 0.75 times as long in memory; one of a present key in cache
 * 1.2 times (put_new, put_present/fast-pair/single; Zen 3). */
TARGET LFB_INLINE uint64_t fast256_put_by_call(const fast256_view *view, uint64_t hash)
{
  if (!lfb_fast_is_pair(&view->fast))
    return fast256_put_one(view, hash);
  const lfb_fast_key key = lfb_fast_key_of(&view->fast, hash);
  return lfb_fast_key_put(&view->fast, &key);
}

TARGET LFB_INLINE uint64_t fast256_query_one(const fast256_view *view, uint64_t hash)
{
  return fast256_has_bits(&view->fast, &view->lanes, hash);
}

#include "bloom/strategies/fast/loops.inc.h"
#define fast256_many fast256_each

#define FAST_SHAPE 0, 0, 0
#define FAST_PUT fast256_any_put
#define FAST_MIGHT_CONTAIN fast256_any_might_contain
#define FAST_MANY fast256_any_many
#define FAST_KERNEL fast256_any_kernel
#include "bloom/strategies/fast/kernel.inc.h"

#define FAST_SHAPE 3, 2, 6
#define FAST_PUT fast256_2x3_put
#define FAST_MIGHT_CONTAIN fast256_2x3_might_contain
#define FAST_MANY fast256_2x3_many
#define FAST_KERNEL fast256_2x3_kernel
#include "bloom/strategies/fast/kernel.inc.h"

#define FAST_SHAPE 3, 1, 8
#define FAST_PUT fast256_4x2_put
#define FAST_MIGHT_CONTAIN fast256_4x2_might_contain
#define FAST_MANY fast256_4x2_many
#define FAST_KERNEL fast256_4x2_kernel
#include "bloom/strategies/fast/kernel.inc.h"

#define FAST_SHAPE 3, 1, 12
#define FAST_PUT fast256_4x3_put
#define FAST_MIGHT_CONTAIN fast256_4x3_might_contain
#define FAST_MANY fast256_4x3_many
#define FAST_KERNEL fast256_4x3_kernel
#include "bloom/strategies/fast/kernel.inc.h"

#define FAST_SHAPE 1, 0, 6
#define FAST_PUT fast256_pair6_put
#define FAST_MIGHT_CONTAIN fast256_pair6_might_contain
#define FAST_MANY fast256_pair6_many
#define FAST_KERNEL fast256_pair6_kernel
#include "bloom/strategies/fast/kernel.inc.h"

const lfb_kernel *const lfb_kernels_fast256[LFB_FAST_KERNELS] = {
    &fast256_any_kernel, &fast256_2x3_kernel, &fast256_4x2_kernel, &fast256_4x3_kernel,
        &fast256_any_kernel,
    &fast256_any_kernel, &fast256_any_kernel, &fast256_any_kernel, &fast256_pair6_kernel,
    &fast256_2x3_kernel, &fast256_4x2_kernel, &fast256_4x3_kernel,
};

#endif
