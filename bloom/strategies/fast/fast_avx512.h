/*
 * fast_avx512.h - a query of one key by AVX-512 with VBMI and BITALG (Intel from Ice Lake, AMD from
 * Zen 4 on), for any shape.  Included by fast512.c.
 *
 * vpmultishiftqb finds the numbers of a key's bits, and vpshufbitqmb tests eight bits of each of
 * eight words.  A line takes one of each per product; two words take one of each on 16 bytes.
 *
 * The whole line is loaded at once, while other threads may write its words.  A vector load is not
 * atomic as a whole, but each of its 64-bit lanes is.  On x86-64 the memory system moves aligned
 * 8 bytes in one piece, and an implementation may cut an aligned vector access only into larger
 * parts (Intel SDM volume 3, 8.1.1; AMD64 APM volume 2, 7.3.2 guarantee aligned quadwords, and
 * since AVX aligned 16 bytes).  No more is needed: words are independent, and each is read once.
 * ThreadSanitizer cannot know this; under it the library reads word by word.
 */
#ifndef LFB_BLOOM_FAST_AVX512_H
#define LFB_BLOOM_FAST_AVX512_H

#include "bloom/hashing/simd.h"
#include "bloom/strategies/fast/fast_key.h"

#ifdef LFB_SIMD_X86_512
#include <immintrin.h>

/* The start of a function of this header. */
#define LFB_FAST512 LFB_AVX512_TARGET LFB_INLINE

/* All lanes.  The unmasked forms of some intrinsics make gcc 12 warn, in the including program, of
 * an unused variable (gcc bug 105593); these forms are the same instructions. */
#define LFB_FAST512_ALL LFB_CAST(__mmask8, 0xff)

/* How lane l finds the word of its group, l mod w. */
typedef struct lfb_fast512_lanes {
  uint64_t shift[8]; /* shifts r(0) to the word's number in the group */
  uint64_t first[8]; /* the group's first word in the block           */
  uint64_t mask[8];  /* words of a group, minus 1                     */
} lfb_fast512_lanes;

/* Returns the number, in the block, of each lane's word.  Takes r(0) in all lanes. */
LFB_FAST512 __m512i lfb_fast512_words(const lfb_fast *fast, __m512i round0)
{
  /* By group_shift; the last ones for pairs, and for blocks of two lines. */
  static const lfb_fast512_lanes of[6] __attribute__((aligned(64))) = {
      {{12, 12, 12, 12, 12, 12, 12, 12}, {0, 1, 2, 3, 4, 5, 6, 7}, {0}},
      {{12, 13, 14, 15, 12, 13, 14, 15}, {0, 2, 4, 6, 0, 2, 4, 6}, {1, 1, 1, 1, 1, 1, 1, 1}},
      {{12, 14, 12, 14, 12, 14, 12, 14}, {0, 4, 0, 4, 0, 4, 0, 4}, {3, 3, 3, 3, 3, 3, 3, 3}},
      {{12, 12, 12, 12, 12, 12, 12, 12}, {0}, {7, 7, 7, 7, 7, 7, 7, 7}},
      {{0}, {0, 1, 0, 1, 0, 1, 0, 1}, {0}},
      {{12, 13, 14, 15, 16, 17, 18, 19}, {0, 2, 4, 6, 8, 10, 12, 14}, {1, 1, 1, 1, 1, 1, 1, 1}},
  };
  const lfb_fast512_lanes *lanes =
      &of[fast->block_shift == 1 ? 4 : lfb_fast_has_two_lines(fast) ? 5 : fast->group_shift];
  const __m512i shifted = _mm512_maskz_multishift_epi64_epi8(
      ~UINT64_C(0), _mm512_load_si512(LFB_CAST(const void *, lanes->shift)), round0);

  return _mm512_or_si512(_mm512_and_si512(shifted,
                                          _mm512_load_si512(LFB_CAST(const void *, lanes->mask))),
                         _mm512_load_si512(LFB_CAST(const void *, lanes->first)));
}

/* Returns eight answers per lane, all of them whether the bit of the lane's probe is on.  Takes
 * r(i) in all lanes. */
LFB_FAST512 __mmask64 lfb_fast512_test(__m512i words, __m512i round)
{
  const __m512i shifts =
      _mm512_set_epi64(0x3a3a3a3a3a3a3a3a, 0x3434343434343434, 0x2e2e2e2e2e2e2e2e,
                       0x2828282828282828, 0x2222222222222222, 0x1c1c1c1c1c1c1c1c,
                       0x1616161616161616, 0x1010101010101010); /* 16 + 6 * l in lane l */
  return _mm512_bitshuffle_epi64_mask(
      words, _mm512_maskz_multishift_epi64_epi8(~UINT64_C(0), shifts, round));
}

/* Returns the answers of lfb_fast512_test() that no probe of the last round gives. */
LFB_FAST512 __mmask64 lfb_fast512_idle(const lfb_fast *fast)
{
  return ~UINT64_C(1) << (8 * (fast->probes - LFB_FAST_ROUND * (fast->rounds - 1)) - 1);
}

/* Loads each lane's word of a block of one line or two.  Takes r(0) in all lanes. */
LFB_FAST512 __m512i lfb_fast512_load_words(const lfb_fast *fast, const lfb_word *block,
                                           __m512i round0)
{
  const __m512i number = lfb_fast512_words(fast, round0);
  const __m512i line = _mm512_load_si512(LFB_CAST(const void *, block));

  if (lfb_fast_has_two_lines(fast))
    return _mm512_permutex2var_epi64(line, number,
                                     _mm512_load_si512(LFB_CAST(const void *,
                                                                block + LFB_BLOCK_WORDS)));
  return _mm512_maskz_permutexvar_epi64(LFB_FAST512_ALL, number, line);
}

/* Returns whether all bits of a key are on in its block.  Takes r(0) in all lanes. */
LFB_FAST512 bool lfb_fast512_line_has(const lfb_fast *fast, const lfb_word *block, __m512i round0,
                                      uint64_t hash)
{
  const __m512i words = lfb_fast512_load_words(fast, block, round0);
  __mmask64 on = lfb_fast512_test(words, round0), before = ~UINT64_C(0);

  for (uint32_t i = 1; i < fast->rounds; i++) {
    before &= on;
    on = lfb_fast512_test(words, _mm512_set1_epi64(LFB_CAST(long long, lfb_fast_round(hash, i))));
  }
  return before == ~UINT64_C(0) && _kortestc_mask64_u8(on, lfb_fast512_idle(fast)) != 0;
}

/* In both of two words four probes of a round, each twice. */
#define LFB_FAST512_TWO_SHIFTS 0x3a2e22163a2e2216, 0x34281c1034281c10

/* Returns sixteen answers, all of them whether the bits of one product are on in w = 2 words. */
LFB_FAST512 uint32_t lfb_fast512_two_test(__m128i words, uint64_t round)
{
  return _mm_bitshuffle_epi64_mask(
      words, _mm_maskz_multishift_epi64_epi8(0xffff, _mm_set_epi64x(LFB_FAST512_TWO_SHIFTS),
                                             _mm_set1_epi64x(LFB_CAST(long long, round))));
}

/* Returns the answers of lfb_fast512_two_test() that no probe of the last round gives. */
LFB_FAST512 uint32_t lfb_fast512_two_idle(const lfb_fast *fast)
{
  const uint32_t last = fast->probes - LFB_FAST_ROUND * (fast->rounds - 1);
  return (0xfU << last / 2 & 0xf) * 0x1111;
}

/* Loads the words of a key that has two. */
LFB_FAST512 __m128i lfb_fast512_two_words(const lfb_fast *fast, const lfb_word *block,
                                          uint64_t round0)
{
  if (fast->block_shift == 1)
    return _mm_load_si128(LFB_CAST(const __m128i *, LFB_CAST(const void *, block)));
  const lfb_word *first = block + (round0 >> 12 & 3), *second = block + 4 + (round0 >> 14 & 3);
  return _mm_unpacklo_epi64(_mm_loadl_epi64(LFB_CAST(const __m128i *,
                                                     LFB_CAST(const void *, first))),
                            _mm_loadl_epi64(LFB_CAST(const __m128i *,
                                                     LFB_CAST(const void *, second))));
}

/* Returns whether all bits of a key with two words are on. */
LFB_FAST512 bool lfb_fast512_two_have(const lfb_fast *fast, const lfb_word *block, uint64_t hash)
{
  const uint64_t round0 = lfb_fast_round(hash, 0);
  const __m128i words = lfb_fast512_two_words(fast, block, round0);
  uint32_t on = lfb_fast512_two_test(words, round0), before = 0xffff;

  for (uint32_t i = 1; i < fast->rounds; i++) {
    before &= on;
    on = lfb_fast512_two_test(words, lfb_fast_round(hash, i));
  }
  return ((on | lfb_fast512_two_idle(fast)) & before) == 0xffff;
}

/* Returns whether all bits of a key are on. */
LFB_FAST512 bool lfb_fast512_might_contain(const lfb_fast *fast, uint64_t hash)
{
  const lfb_word *block = lfb_fast_block(fast, hash);

  if (fast->block_shift - fast->group_shift == 1) /* w = 2: cheaper than the whole line */
    return lfb_fast512_two_have(fast, block, hash);
  return lfb_fast512_line_has(fast, block,
                              _mm512_set1_epi64(LFB_CAST(long long, lfb_fast_round(hash, 0))),
                                  hash);
}

#undef LFB_FAST512
#endif
#endif
