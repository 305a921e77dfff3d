/*
 * lfbloom/fast_avx512.h - the query of lfbloom/fast.h with one vector register, one lane per probe,
 * for any w and g; and the put that begins with it.
 *
 * If the including file defines LFB_FAST_AVX512_TARGET, the attribute of the single functions
 * that may use AVX-512F, the header has these functions.  If it does not, and the compiler may
 * use AVX-512F everywhere and ThreadSanitizer is off, the header has them for all code and
 * defines LFB_FAST_BY_AVX512.  Otherwise the header is empty.
 *
 * The whole line is loaded at once, while other threads may write its words.  A vector load is not
 * atomic as a whole, but each of its 64-bit lanes is.  On x86-64 the memory system moves aligned
 * 8 bytes in one piece, and an implementation may cut an aligned vector access only into larger
 * parts (Intel SDM volume 3, 8.1.1; AMD64 APM volume 2, 7.3.2 guarantee aligned quadwords, and
 * since AVX aligned 16 bytes).  No more is needed: words are independent, and each is read once.
 * ThreadSanitizer cannot know this; under it the library reads word by word.
 */
#ifndef LFBLOOM_FAST_AVX512_H
#define LFBLOOM_FAST_AVX512_H

#include <lfbloom/fast_view.h>

/* The attribute of a function that uses AVX-512; and the sign that all functions may use it. */
#if defined(__AVX512F__) && !defined(LFB_THREAD_SANITIZER) && !defined(LFB_FAST_AVX512_TARGET)
#define LFB_FAST_AVX512_TARGET
#define LFB_FAST_BY_AVX512
#endif
#ifdef LFB_FAST_AVX512_TARGET
#include <immintrin.h>

/* All lanes.  The unmasked forms of some intrinsics make gcc 12 warn, in the including program, of
 * an unused variable (gcc bug 105593); these forms are the same instructions. */
#define LFB_FAST512_ALL ((__mmask8)0xff)

/* The values that all keys of a filter share; lane l has probe l of a round. */
typedef struct lfb_fast512 {
  __m512i word_shift; /* shifts r(0) to the word's number in its group */
  __m512i word_first; /* the group's first word in the block           */
  __m512i word_mask;  /* words of a group, minus 1                     */
  __m512i bit_shift;  /* shifts a round's product to a bit's number    */
  __mmask8 last;      /* the lanes that the last round uses            */
  uint32_t rounds;    /* of LFB_FAST_ROUND probes                      */
} lfb_fast512;

/* What is computed from a hash before its line is read: loops compute it ahead. */
typedef struct lfb_fast512_hash {
  lfb_word *block;       /* its line's first word */
  uint64_t hash, round0; /* lfb_fast_round(hash, 0) */
} lfb_fast512_hash;

/* One key: for each lane, its word in the filter and the key's bits in that word. */
typedef struct lfb_fast512_key {
  __m512i words, bits; /* in the filter; of the key */
} lfb_fast512_key;

/* Finds a hash's line; reads no word. */
LFB_FAST_AVX512_TARGET LFB_INLINE lfb_fast512_hash lfb_fast512_hash_of(const lfb_fast *fast,
                                                                       uint64_t hash)
{
  lfb_fast512_hash of;

  of.block = lfb_fast_block(fast, hash);
  of.hash = hash;
  of.round0 = lfb_fast_round(hash, 0);
  return of;
}

/* Widens eight bytes, one per lane. */
LFB_FAST_AVX512_TARGET LFB_INLINE __m512i lfb_fast512_widen(const uint8_t lanes[8])
{
  return _mm512_maskz_cvtepu8_epi64(LFB_FAST512_ALL,
                                    _mm_loadl_epi64((const __m128i *)(const void *)lanes));
}

/* Computes the values that all keys of a filter share. */
LFB_FAST_AVX512_TARGET LFB_INLINE lfb_fast512 lfb_fast512_of(const lfb_fast *fast)
{
  lfb_fast512 lanes;

  lanes.word_shift = lfb_fast512_widen(fast->word_shift);
  lanes.word_first = lfb_fast512_widen(fast->word_first);
  lanes.word_mask = _mm512_set1_epi64((1LL << fast->group_shift) - 1);
  lanes.bit_shift = _mm512_set_epi64(58, 52, 46, 40, 34, 28, 22, 16);
  lanes.rounds = (fast->probes + LFB_FAST_ROUND - 1) / LFB_FAST_ROUND;
  lanes.last = (__mmask8)(0xffu >> (LFB_FAST_ROUND * lanes.rounds - fast->probes));
  return lanes;
}

/* Returns the bits that a round, given as its product, tests in the lanes' words. */
LFB_FAST_AVX512_TARGET LFB_INLINE __m512i lfb_fast512_round(const lfb_fast512 *lanes,
                                                            uint64_t round, __mmask8 active)
{
  const __m512i shifted = _mm512_maskz_srlv_epi64(
      LFB_FAST512_ALL, _mm512_set1_epi64((long long)round), lanes->bit_shift);
  /* No mask: a rotation uses the lowest six bits of its count. */
  return _mm512_maskz_rolv_epi64(active, _mm512_set1_epi64(1), shifted);
}

/* Returns the number, in the block, of each lane's word. */
LFB_FAST_AVX512_TARGET LFB_INLINE __m512i lfb_fast512_words(const lfb_fast512 *lanes,
                                                            uint64_t round0)
{
  const __m512i shifted = _mm512_maskz_srlv_epi64(
      LFB_FAST512_ALL, _mm512_set1_epi64((long long)round0), lanes->word_shift);
  return _mm512_or_si512(_mm512_and_si512(shifted, lanes->word_mask), lanes->word_first);
}

/* Returns the bits that all rounds test in the lanes' words. */
LFB_FAST_AVX512_TARGET LFB_INLINE __m512i lfb_fast512_bits(const lfb_fast512 *lanes,
                                                           const lfb_fast512_hash *hash)
{
  __m512i bits = lfb_fast512_round(lanes, hash->round0, lanes->rounds > 1 ? 0xff : lanes->last);
  for (uint32_t i = 1; i < lanes->rounds; i++) {
    const __mmask8 active = i + 1 < lanes->rounds ? 0xff : lanes->last;
    bits = _mm512_or_si512(bits, lfb_fast512_round(lanes, lfb_fast_round(hash->hash, i), active));
  }
  return bits;
}

/* Reads a key's line, and computes its bits. */
LFB_FAST_AVX512_TARGET LFB_INLINE lfb_fast512_key
lfb_fast512_key_of(const lfb_fast512 *lanes, const lfb_fast512_hash *hash)
{
  const __m512i line = _mm512_load_si512((const void *)hash->block);
  lfb_fast512_key key;

  key.words = _mm512_maskz_permutexvar_epi64(LFB_FAST512_ALL,
                                             lfb_fast512_words(lanes, hash->round0), line);
  key.bits = lfb_fast512_bits(lanes, hash);
  return key;
}

/* Returns the lanes in which a bit is missing: 0 if the key may be present. */
LFB_FAST_AVX512_TARGET LFB_INLINE __mmask8 lfb_fast512_missing(const lfb_fast512 *lanes,
                                                               const lfb_fast512_key *key)
{
  if (lanes->rounds == 1) /* one bit per lane */
    return _mm512_mask_testn_epi64_mask(lanes->last, key->words, key->bits);
  const __m512i missing = _mm512_maskz_andnot_epi64(LFB_FAST512_ALL, key->words, key->bits);
  return _mm512_test_epi64_mask(missing, missing);
}

/* Returns, in each lane l, the bits of group l mod w: those of all lanes of that group. */
LFB_FAST_AVX512_TARGET LFB_INLINE __m512i lfb_fast512_masks(const lfb_fast *fast, __m512i bits)
{
  const __m512i lane = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);

  LFB_UNROLL
  for (uint32_t step = (uint32_t)LFB_BLOCK_WORDS >> fast->group_shift; step < 8; step *= 2) {
    const __m512i other = _mm512_add_epi64(lane, _mm512_set1_epi64(step));
    bits = _mm512_or_si512(bits, _mm512_maskz_permutexvar_epi64(LFB_FAST512_ALL, other, bits));
  }
  return bits;
}

/* Returns whether all of a key's bits are on. */
LFB_FAST_AVX512_TARGET LFB_INLINE bool lfb_fast512_has_bits(const lfb_fast512 *lanes,
                                                         const lfb_fast512_hash *hash)
{
  const lfb_fast512_key key = lfb_fast512_key_of(lanes, hash);
  return lfb_fast512_missing(lanes, &key) == 0;
}

/* Turns on a key's bits.  Returns the number of bits that this call turned on.  The vector finds
 * whether the key is present; missing bits are written word by word. */
LFB_FAST_AVX512_TARGET LFB_INLINE uint32_t lfb_fast512_put_bits(const lfb_fast *fast,
                                                               const lfb_fast512 *lanes,
                                                               const lfb_fast512_hash *hash)
{
  const lfb_fast512_key found = lfb_fast512_key_of(lanes, hash);
  lfb_fast_key key;

  if (lfb_fast512_missing(lanes, &found) == 0)
    return 0;
  lfb_fast_key_words(fast, hash->block, hash->round0, &key);
  _mm512_storeu_si512(key.mask, lfb_fast512_masks(fast, found.bits));
  return lfb_fast_key_put(fast, &key);
}

/* The same as lfb_fast_might_contain(), by a vector. */
LFB_FAST_AVX512_TARGET LFB_INLINE bool lfb_fast512_might_contain(const lfb_fast *fast,
                                                                 uint64_t hash)
{
  const lfb_fast512 lanes = lfb_fast512_of(fast);
  lfb_fast512_hash of = lfb_fast512_hash_of(fast, hash);

  /* The compiler assumes that no other thread writes to the line, and would move the load out of a
   * loop that waits for a key.  This hides the line's address from it.  (Loops over many hashes
   * read each line once; with this they would be slower by a tenth.) */
  __asm__ volatile("" : "+r"(of.block));
  return lfb_fast512_has_bits(&lanes, &of);
}

#endif
#endif
