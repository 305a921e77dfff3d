/*
 * lfbloom/fast_avx2.h - the query of lfbloom/fast.h with two vector registers of four lanes, one
 * lane per probe; and the put that begins with it.
 *
 * If the including file defines LFB_FAST_AVX2_TARGET, the attribute of the single functions
 * that may use AVX2, the header has these functions.  If it does not, and the compiler may use
 * AVX2 everywhere and ThreadSanitizer is off, the header has them for all code and defines
 * LFB_FAST_BY_AVX2.  Otherwise the header is empty.
 *
 * AVX2 cannot pick one word out of eight by a vector of numbers.  The probe of a lane therefore
 * depends on w, so that each of the two registers, low and high, finds its words in one way:
 *
 *   w  probes of low, of high   words of low, of high
 *   1  0 1 2 3   4 5 6 7        the key's word, in all lanes
 *   2  0 2 4 6   1 3 5 7        group 0's word; group 1's word
 *   4  0 4 1 5   2 6 3 7        groups 0 0 1 1 of words 0-3; 2 2 3 3 of words 4-7
 *   8  0 1 2 3   4 5 6 7        words 0-3; words 4-7
 *
 * Other threads may write the words during a load.  Up to w = 2 each load is one aligned word, and
 * atomic.  From w = 4 a load takes half a line: it is not atomic as a whole, but each of its 64-bit
 * lanes is (lfbloom/fast_avx512.h has the sources).
 */
#ifndef LFBLOOM_FAST_AVX2_H
#define LFBLOOM_FAST_AVX2_H

#include <lfbloom/fast_view.h>

/* The attribute of a function that uses AVX2; and the sign that all functions may use it. */
#if defined(__AVX2__) && !defined(LFB_THREAD_SANITIZER) && !defined(LFB_FAST_AVX2_TARGET)
#define LFB_FAST_AVX2_TARGET
#define LFB_FAST_BY_AVX2
#endif
#ifdef LFB_FAST_AVX2_TARGET
#include <immintrin.h>

#define LFB_FAST256 LFB_FAST_AVX2_TARGET LFB_INLINE

/* Eight lanes. */
typedef struct lfb_fast256_pair {
  __m256i low, high; /* four lanes each, as in the table at the head of this file */
} lfb_fast256_pair;

/* The values that all keys of a filter share. */
typedef struct lfb_fast256 {
  lfb_fast256_pair bit_shift; /* shifts a round's product to a bit's number          */
  lfb_fast256_pair last;      /* 1 in the lanes of the last round, 0 in the others */
  uint32_t rounds;            /* of LFB_FAST_ROUND probes, the last may have fewer */
} lfb_fast256;

/* One key: for each lane, its word in the filter and the key's bits in that word. */
typedef struct lfb_fast256_key {
  lfb_fast256_pair words, bits; /* in the filter; of the key */
} lfb_fast256_key;

/* Returns the probes of the lanes. */
LFB_FAST256 lfb_fast256_pair lfb_fast256_probes(const lfb_fast *fast)
{
  lfb_fast256_pair probes;

  probes.low = _mm256_set_epi64x(3, 2, 1, 0);
  probes.high = _mm256_set_epi64x(7, 6, 5, 4);
  if (fast->group_shift == 2) {
    probes.low = _mm256_set_epi64x(6, 4, 2, 0);
    probes.high = _mm256_set_epi64x(7, 5, 3, 1);
  } else if (fast->group_shift == 1) {
    probes.low = _mm256_set_epi64x(5, 1, 4, 0);
    probes.high = _mm256_set_epi64x(7, 3, 6, 2);
  }
  return probes;
}

/* Returns 16 + 6 * probe. */
LFB_FAST256 __m256i lfb_fast256_bit_shift(__m256i probes)
{
  const __m256i twice = _mm256_add_epi64(probes, probes);
  return _mm256_add_epi64(_mm256_set1_epi64x(16),
                          _mm256_add_epi64(twice, _mm256_add_epi64(twice, twice)));
}

/* Returns 1 in the lanes with a probe below `count`, 0 in the others. */
LFB_FAST256 __m256i lfb_fast256_below(__m256i probes, uint32_t count)
{
  return _mm256_srli_epi64(_mm256_cmpgt_epi64(_mm256_set1_epi64x(count), probes), 63);
}

/* Computes the values that all keys of this filter share. */
LFB_FAST256 lfb_fast256 lfb_fast256_of(const lfb_fast *fast)
{
  const lfb_fast256_pair probes = lfb_fast256_probes(fast);
  lfb_fast256 lanes;

  lanes.rounds = (fast->probes + LFB_FAST_ROUND - 1) / LFB_FAST_ROUND;
  const uint32_t left = fast->probes - LFB_FAST_ROUND * (lanes.rounds - 1);
  lanes.bit_shift.low = lfb_fast256_bit_shift(probes.low);
  lanes.bit_shift.high = lfb_fast256_bit_shift(probes.high);
  lanes.last.low = lfb_fast256_below(probes.low, left);
  lanes.last.high = lfb_fast256_below(probes.high, left);
  return lanes;
}

/* Loads the key's word of group j into all lanes: one load of 8 bytes. */
LFB_FAST256 __m256i lfb_fast256_word(const lfb_fast *fast, const lfb_word *block,
                                     uint64_t round0, uint32_t j)
{
  const lfb_word *word = &block[lfb_fast_word(fast, round0, j)];
  return _mm256_broadcastq_epi64(_mm_loadl_epi64((const __m128i *)(const void *)word));
}

/* Loads four words from the first on.  Lanes 0 and 1 get one of the first two, lanes 2 and 3 one of
 * the others, by bits `shift` and shift + 1 of the hash's product. */
LFB_FAST256 __m256i lfb_fast256_pick(const lfb_word *first, __m256i round0, int shift)
{
  const __m256i words = _mm256_load_si256((const __m256i *)(const void *)first);
  /* No mask: the instruction uses only bit 1 of each number. */
  const __m256i number =
      _mm256_srlv_epi64(round0, _mm256_set_epi64x(shift, shift, shift - 1, shift - 1));
  return _mm256_castpd_si256(_mm256_permutevar_pd(_mm256_castsi256_pd(words), number));
}

/* Reads a key's words. */
LFB_FAST256 lfb_fast256_pair lfb_fast256_words(const lfb_fast *fast, uint64_t hash)
{
  const lfb_word *block = lfb_fast_block(fast, hash);
  const uint64_t round0 = lfb_fast_round(hash, 0);
  const __m256i all = _mm256_set1_epi64x((long long)round0);
  lfb_fast256_pair words;

  switch (fast->group_shift) {
  case 3:
    words.low = words.high = lfb_fast256_word(fast, block, round0, 0);
    break;
  case 2:
    words.low = lfb_fast256_word(fast, block, round0, 0);
    words.high = lfb_fast256_word(fast, block, round0, 1);
    break;
  case 1:
    words.low = lfb_fast256_pick(block, all, 12);
    words.high = lfb_fast256_pick(block + 4, all, 14);
    break;
  default:
    words.low = _mm256_load_si256((const __m256i *)(const void *)block);
    words.high = _mm256_load_si256((const __m256i *)(const void *)(block + 4));
  }
  return words;
}

/* Returns `ones` shifted by six bits of the product. */
LFB_FAST256 __m256i lfb_fast256_bits(__m256i round, __m256i bit_shift, __m256i ones)
{
  const __m256i number = _mm256_srlv_epi64(round, bit_shift);
  return _mm256_sllv_epi64(ones, _mm256_and_si256(number, _mm256_set1_epi64x(63)));
}

/* Returns the bits that round i tests in the lanes' words. */
LFB_FAST256 lfb_fast256_pair lfb_fast256_round(const lfb_fast256 *lanes, uint64_t hash,
                                               uint32_t i)
{
  const __m256i round = _mm256_set1_epi64x((long long)lfb_fast_round(hash, i));
  const __m256i one = _mm256_set1_epi64x(1);
  const bool last = i + 1 == lanes->rounds;
  lfb_fast256_pair bits;

  bits.low = lfb_fast256_bits(round, lanes->bit_shift.low, last ? lanes->last.low : one);
  bits.high = lfb_fast256_bits(round, lanes->bit_shift.high, last ? lanes->last.high : one);
  return bits;
}

/* Reads a key's words, and computes its bits in them. */
LFB_FAST256 lfb_fast256_key lfb_fast256_key_of(const lfb_fast *fast, const lfb_fast256 *lanes,
                                               uint64_t hash)
{
  lfb_fast256_key key;

  key.words = lfb_fast256_words(fast, hash);
  key.bits = lfb_fast256_round(lanes, hash, 0);
  for (uint32_t i = 1; i < lanes->rounds; i++) {
    const lfb_fast256_pair more = lfb_fast256_round(lanes, hash, i);
    key.bits.low = _mm256_or_si256(key.bits.low, more.low);
    key.bits.high = _mm256_or_si256(key.bits.high, more.high);
  }
  return key;
}

/* Returns whether all of a key's bits are on. */
LFB_FAST256 bool lfb_fast256_key_has_bits(const lfb_fast256_key *key)
{
  const __m256i low = _mm256_andnot_si256(key->words.low, key->bits.low);
  const __m256i high = _mm256_andnot_si256(key->words.high, key->bits.high);
  const __m256i missing = _mm256_or_si256(low, high);
  return _mm256_testz_si256(missing, missing) != 0;
}

/* Stores the bits of group j as mask[j]: those of all lanes with its word. */
LFB_FAST256 void lfb_fast256_masks(const lfb_fast *fast, const lfb_fast256_pair *bits,
                                   uint64_t mask[LFB_BLOCK_WORDS])
{
  if (fast->group_shift == 0) {
    _mm256_storeu_si256((__m256i *)(void *)mask, bits->low);
    _mm256_storeu_si256((__m256i *)(void *)(mask + 4), bits->high);
    return;
  }
  /* Lanes 0 and 1 of low and of high, then 2 and 3: groups 0 2 1 3 if w is 4. */
  const __m256i pairs = _mm256_or_si256(_mm256_unpacklo_epi64(bits->low, bits->high),
                                        _mm256_unpackhi_epi64(bits->low, bits->high));
  if (fast->group_shift == 1) {
    _mm256_storeu_si256((__m256i *)(void *)mask, _mm256_permute4x64_epi64(pairs, 0xd8));
    return;
  }
  __m128i groups =
      _mm_or_si128(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
  if (fast->group_shift == 3)
    groups = _mm_or_si128(groups, _mm_unpackhi_epi64(groups, groups));
  _mm_storeu_si128((__m128i *)(void *)mask, groups);
}

/* Turns on a key's bits.  Returns the number of bits that this call turned on.  The vectors find
 * whether the key is present; missing bits are written word by word. */
LFB_FAST256 uint32_t lfb_fast256_put_bits_shape(const lfb_fast *fast, const lfb_fast256 *lanes,
                                               uint64_t hash)
{
  const lfb_fast256_key found = lfb_fast256_key_of(fast, lanes, hash);
  lfb_fast_key key;

  if (lfb_fast256_key_has_bits(&found))
    return 0;
  lfb_fast_key_words(fast, lfb_fast_block(fast, hash), lfb_fast_round(hash, 0), &key);
  lfb_fast256_masks(fast, &found.bits, key.mask);
  return lfb_fast_key_put(fast, &key);
}

/* Returns whether all of a key's bits are on. */
LFB_FAST256 bool lfb_fast256_might_contain_shape(const lfb_fast *fast, const lfb_fast256 *lanes,
                                                 uint64_t hash)
{
  const lfb_fast256_key key = lfb_fast256_key_of(fast, lanes, hash);
  return lfb_fast256_key_has_bits(&key);
}

/* The same as lfb_fast_might_contain(), by vectors. */
LFB_FAST256 bool lfb_fast256_might_contain(const lfb_fast *fast, uint64_t hash)
{
  const lfb_fast256 lanes = lfb_fast256_of(fast);
  lfb_fast view = *fast;

  /* This hides where the words are, so that no compiler moves the loads out of a loop that waits
   * for a key. */
  __asm__ volatile("" : "+r"(view.words));
  return lfb_fast256_might_contain_shape(&view, &lanes, hash);
}

#undef LFB_FAST256
#endif
#endif
