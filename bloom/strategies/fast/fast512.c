/*
 * fast512.c - strategies `fast` and `fast-pair` on processors with AVX-512, VBMI and BITALG
 * (fast_avx512.h), for any shape.  Answers and bits are those of fast.c.
 *
 * A query tests a line by itself, pairs four at a time, or, where gathers are fast, eight keys at a
 * time.  A put computes the words and bits of 8 / w keys at a time: between two locked operations
 * only some 20 instructions are free (docs/performance.md).
 */
#include "bloom/hashing/simd.h"

#ifdef LFB_SIMD_X86_512
#include <stdlib.h>
#include <string.h>

#define TARGET LFB_AVX512_TARGET

#include "bloom/strategies/fast/fast_key.h"
#include "bloom/strategies/fast/fast_avx512.h"
#include "bloom/strategies/fast/fast.h"

enum {
  GROUP = 8, /* keys that a query handles at a time; divides LFB_WORD_BITS */
};

/* The data that is common to all keys.  Lane l has group l mod w of key l / w of 8 / w keys. */
typedef struct fast512_view {
  lfb_fast fast;
  __m512i key;   /* l / w             */
  __m512i shift; /* 16 + 6 * (l mod w) */
} fast512_view;

TARGET LFB_INLINE fast512_view fast512_view_of(const lfb_fast *fast)
{
  const __m512i lane = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
  const uint32_t groups_log = fast->block_shift - fast->group_shift;
  const __m512i group = _mm512_and_si512(lane, _mm512_set1_epi64((1LL << groups_log) - 1));
  fast512_view view;

  view.fast = *fast;
  view.key = _mm512_srl_epi64(lane, _mm_cvtsi32_si128((int)groups_log));
  view.shift = _mm512_add_epi64(_mm512_set1_epi64(16),
                                _mm512_mullo_epi64(group, _mm512_set1_epi64(6)));
  return view;
}

TARGET LFB_INLINE __m512i fast512_multiply(__m512i hashes, uint32_t round)
{
  return _mm512_mullo_epi64(hashes, _mm512_set1_epi64((long long)lfb_fast_round(1, round)));
}

/* Loads up to GROUP hashes; the lanes after the last are 0. */
TARGET LFB_INLINE __m512i fast512_load(const uint64_t *hashes, uint32_t count)
{
  return _mm512_maskz_loadu_epi64((__mmask8)(0xff >> (GROUP - count)), hashes);
}

/* ---- puts ----------------------------------------------------------------------- */

/* The words, in their block, of 8 / w keys, and the bits of the keys in them. */
typedef struct fast512_keys {
  uint64_t word[GROUP] __attribute__((aligned(64)));
  uint64_t bits[GROUP] __attribute__((aligned(64)));
} fast512_keys;

/* Returns the bits of keys, each given by its hash and its r(0) in w lanes.  `groups` is w. */
TARGET LFB_INLINE __m512i fast512_bits(const fast512_view *view, uint32_t groups, __m512i all,
                                       __m512i round)
{
  const __m512i one = _mm512_set1_epi64(1), further = _mm512_set1_epi64(6LL * groups);
  __m512i bits = _mm512_setzero_si512(), shift = view->shift;

  LFB_UNROLL
  for (uint32_t probe = 0; probe < view->fast.probes; probe += groups) {
    if (probe > 0 && probe % LFB_FAST_ROUND == 0) {
      round = fast512_multiply(all, probe / LFB_FAST_ROUND);
      shift = view->shift;
    }
    /* No mask: a rotation uses the lowest six bits of its count. */
    bits = _mm512_or_si512(bits, _mm512_rolv_epi64(one, _mm512_srlv_epi64(round, shift)));
    shift = _mm512_add_epi64(shift, further);
  }
  return bits;
}

/* Key k of those found. */
TARGET LFB_INLINE lfb_fast_key fast512_key(const fast512_view *view, uint32_t groups,
                                           const fast512_keys *keys, uint32_t k, uint64_t hash)
{
  lfb_word *block = lfb_fast_block(&view->fast, hash);
  lfb_fast_key key;

  LFB_UNROLL
  for (uint32_t j = 0; j < groups; j++) {
    key.word[j] = block + (lfb_fast_is_pair(&view->fast) ? j : keys->word[k * groups + j]);
    key.mask[j] = keys->bits[k * groups + j];
  }
  return key;
}

/* What a put does with a key. */
typedef uint64_t (*fast512_put_as)(const lfb_fast *fast, const lfb_fast_key *key);

TARGET LFB_INLINE uint64_t fast512_put_shared(const lfb_fast *fast, const lfb_fast_key *key)
{
  return lfb_fast_key_put(fast, key);
}

/* Returns the bits of one key: lane l has those of the probes f with f mod 8 = l. */
TARGET LFB_INLINE __m512i fast512_probes(const lfb_fast *fast, uint64_t hash, __m512i round0)
{
  const __m512i one = _mm512_set1_epi64(1);
  const __m512i shift = _mm512_set_epi64(58, 52, 46, 40, 34, 28, 22, 16);
  const __mmask8 last = (__mmask8)(0xffU >> (LFB_FAST_ROUND * fast->rounds - fast->probes));
  __m512i bits = _mm512_maskz_rolv_epi64(fast->rounds > 1 ? 0xff : last, one,
                                         _mm512_srlv_epi64(round0, shift));

  for (uint32_t i = 1; i < fast->rounds; i++) {
    const __m512i round = _mm512_set1_epi64((long long)lfb_fast_round(hash, i));
    bits = _mm512_or_si512(bits, _mm512_maskz_rolv_epi64(i + 1 < fast->rounds ? 0xff : last, one,
                                                         _mm512_srlv_epi64(round, shift)));
  }
  return bits;
}

/* Returns in lane l the bits of group l mod w. */
TARGET LFB_INLINE __m512i fast512_gather(uint32_t groups, __m512i bits)
{
  const __m512i lane = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);

  LFB_UNROLL
  for (uint32_t i = 0; i < 3; i++)
    if (groups << i < LFB_FAST_ROUND)
      bits = _mm512_or_si512(bits, _mm512_permutexvar_epi64(
                                       _mm512_add_epi64(lane, _mm512_set1_epi64(groups << i)),
                                           bits));
  return bits;
}

/* Puts one key.  The vectors find whether it is present; missing bits are written word by word. */
TARGET LFB_INLINE uint32_t fast512_put_key(const lfb_fast *fast, uint32_t groups, uint64_t hash)
{
  lfb_word *block = lfb_fast_block(fast, hash);
  const uint64_t r0 = lfb_fast_round(hash, 0);
  const __m512i round0 = _mm512_set1_epi64((long long)r0);
  const __m512i bits = fast512_probes(fast, hash, round0);
  const __m512i words =
      lfb_fast_is_pair(fast)
          ? _mm512_broadcast_i32x4(_mm_load_si128((const __m128i *)(const void *)block))
          : lfb_fast512_load_words(fast, block, round0);
  const __m512i missing = _mm512_andnot_si512(words, bits);
  lfb_fast_key key;

  if (_mm512_test_epi64_mask(missing, missing) == 0)
    return 0;
  lfb_fast_key_words(fast, block, r0, &key);
  _mm512_storeu_si512(key.mask, fast512_gather(groups, bits));
  return lfb_fast_key_put(fast, &key);
}

/* Puts 8 / w keys, and, if it `prefetches`, prefetches the lines of as many others.  Clears bit k
 * of `*changed` if the put of key k returned 0.  Returns the sum of what the puts returned. */
TARGET LFB_INLINE uint64_t fast512_put_some(const fast512_view *view, uint32_t groups,
                                            const uint64_t *hashes, const uint64_t *ahead,
                                            uint64_t *changed, bool prefetches, fast512_put_as put)
{
  const uint32_t count = GROUP / groups;
  const __m512i all = _mm512_permutexvar_epi64(view->key, fast512_load(hashes, count));
  fast512_keys keys;
  uint64_t sum = 0;

  const __m512i round0 = fast512_multiply(all, 0);
  if (!lfb_fast_is_pair(&view->fast))
    _mm512_store_si512(keys.word, lfb_fast512_words(&view->fast, round0));
  _mm512_store_si512(keys.bits, fast512_bits(view, groups, all, round0));
  LFB_EACH(k, 0, count, 1, {
    if (prefetches)
      lfb_fast_prefetch_put(&view->fast, ahead[k]);
    const lfb_fast_key key = fast512_key(view, groups, &keys, k, hashes[k]);
    const uint64_t turned_on = put(&view->fast, &key);
    if (turned_on == 0) /* a branch that the put has anyway: no instruction after a locked one */
      *changed &= ~(UINT64_C(1) << k);
    sum += turned_on;
  });
  return sum;
}

/* Puts a key by plain stores, of any shape: one of the last keys of a call. */
static __attribute__((noinline)) uint64_t fast512_put_alone(lfb_fast fast, uint64_t hash)
{
  const lfb_fast_key key = lfb_fast_key_of(&fast, hash);
  return lfb_fast_key_put_alone(&fast, &key);
}

/* The same for up to LFB_WORD_BITS keys; the last ones are put one by one.  If `put` is NULL, all
 * are, and each is queried first: with two words and more, this is faster than to find the bits of
 * several keys at once. */
TARGET LFB_INLINE uint64_t fast512_put_word(const fast512_view *view, uint32_t groups,
                                            const uint64_t *hashes, const uint64_t *ahead,
                                            uint32_t count, uint64_t *answer, bool prefetches,
                                            fast512_put_as put)
{
  const uint32_t a_time = GROUP / groups;
  uint64_t sum = 0;
  uint32_t k = 0;

  *answer = 0;
  for (; put != NULL && k + a_time <= count; k += a_time) {
    uint64_t changed = (1U << a_time) - 1;
    sum += fast512_put_some(view, groups, hashes + k, ahead + k, &changed, prefetches, put);
    *answer |= changed << k;
  }
  for (; k < count; k++) {
    if (put == NULL)
      lfb_fast_prefetch_put(&view->fast, ahead[k]);
    const uint64_t turned_on = put == lfb_fast_key_put_alone
                               ? fast512_put_alone(view->fast, hashes[k])
                                                            : fast512_put_key(&view->fast, groups,
                                                                              hashes[k]);
    *answer |= (uint64_t)(turned_on != 0) << k;
    sum += turned_on;
  }
  return sum;
}

/* Puts all keys, prefetching lines ahead. */
TARGET LFB_INLINE uint64_t fast512_put_loop(const fast512_view *view, uint32_t groups,
                                            const uint64_t *hashes, size_t count,
                                            uint64_t *answers, bool prefetches, fast512_put_as put)
{
  uint64_t sum = 0;

  for (size_t k = 0; prefetches && k < count && k < LFB_LINES_AHEAD; k++)
    lfb_fast_prefetch_put(&view->fast, hashes[k]);
  for (size_t i = 0; i < count; i += LFB_WORD_BITS) {
    const uint32_t some = count - i < LFB_WORD_BITS ? (uint32_t)(count - i) : LFB_WORD_BITS;
    const size_t further = i + LFB_LINES_AHEAD + some <= count ? i + LFB_LINES_AHEAD : count - some;
    uint64_t answer;
    sum += fast512_put_word(view, groups, hashes + i, hashes + further, some, &answer, prefetches,
                            put);
    answers[i / LFB_WORD_BITS] = answer;
  }
  return sum;
}

/* ---- many keys ------------------------------------------------------------------ */

/* Queries up to GROUP keys.  Bit k of what it returns is the answer of key k. */
typedef uint64_t (*fast512_act)(const fast512_view *view, const uint64_t *hashes, uint32_t count);

/* The products are stored, so that each is loaded into all lanes: this takes no instruction of the
 * ports that the test needs. */
TARGET LFB_INLINE uint64_t fast512_query_lines(const fast512_view *view, const uint64_t *hashes,
                                               uint32_t count)
{
  uint64_t round0[GROUP] __attribute__((aligned(64)));
  uint64_t on = 0;

  _mm512_store_si512(round0, fast512_multiply(fast512_load(hashes, count), 0));
  LFB_EACH(k, 0, count, 1,
           on |= (uint64_t)lfb_fast512_line_has(&view->fast, lfb_fast_block(&view->fast, hashes[k]),
                                                _mm512_set1_epi64((long long)round0[k]), hashes[k])
                 << k);
  return on;
}

/* Loads the pairs of four keys. */
TARGET LFB_INLINE __m512i fast512_pairs(const lfb_fast *fast, const uint64_t *hashes)
{
  const __m128i *at[4];

  LFB_UNROLL
  for (uint32_t k = 0; k < 4; k++)
    at[k] = (const __m128i *)(const void *)lfb_fast_block(fast, hashes[k]);
  return _mm512_inserti64x4(
      _mm512_castsi256_si512(_mm256_inserti128_si256(_mm256_castsi128_si256(_mm_load_si128(at[0])),
                                                     _mm_load_si128(at[1]), 1)),
      _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_load_si128(at[2])), _mm_load_si128(at[3]),
                              1),
      1);
}

/* Tests four keys; the answers of each have 16 bits. */
TARGET LFB_INLINE uint64_t fast512_pairs_have(const fast512_view *view, __m512i words,
                                              __m512i hashes, __m512i round)
{
  const __m512i shifts = _mm512_broadcast_i32x4(_mm_set_epi64x(LFB_FAST512_TWO_SHIFTS));
  uint64_t on = _mm512_bitshuffle_epi64_mask(words, _mm512_multishift_epi64_epi8(shifts, round));
  uint64_t before = ~UINT64_C(0);

  for (uint32_t i = 1; i < view->fast.rounds; i++) {
    before &= on;
    round = fast512_multiply(hashes, i);
    on = _mm512_bitshuffle_epi64_mask(words, _mm512_multishift_epi64_epi8(shifts, round));
  }
  return (on | lfb_fast512_two_idle(&view->fast) * UINT64_C(0x0001000100010001)) & before;
}

TARGET LFB_INLINE uint64_t fast512_query_pairs(const fast512_view *view, const uint64_t *hashes,
                                               uint32_t count)
{
  const __m512i all = fast512_load(hashes, count), round0 = fast512_multiply(all, 0);
  uint64_t keys[GROUP] __attribute__((aligned(64))), have[2];

  if (count < GROUP) { /* the lanes after the last key have hash 0 */
    _mm512_store_si512(keys, all);
    hashes = keys;
  }
  LFB_UNROLL
  for (uint32_t first = 0; first < GROUP; first += 4) {
    const __m512i key = _mm512_add_epi64(view->key, _mm512_set1_epi64(first));
    have[first / 4] = fast512_pairs_have(view, fast512_pairs(&view->fast, hashes + first),
                                       _mm512_permutexvar_epi64(key, all),
                                       _mm512_permutexvar_epi64(key, round0));
  }
  return _mm_cmpeq_epi16_mask(_mm_set_epi64x((long long)have[1], (long long)have[0]),
                              _mm_set1_epi16(-1)) &
         (0xffU >> (GROUP - count));
}

/* Returns the shifts of vpmultishiftqb for the probes of a round in group j, again and again up to
 * eight. */
LFB_INLINE uint64_t fast512_shifts(const lfb_fast *fast, uint32_t groups, uint32_t j,
                                   uint32_t round)
{
  const uint32_t left = fast->probes - LFB_FAST_ROUND * round;
  uint64_t shifts = 0;
  uint32_t probe = j;

  LFB_UNROLL_8
  for (uint32_t byte = 0; byte < 8; byte++) {
    shifts |= (uint64_t)(16 + 6 * probe) << 8 * byte;
    probe = probe + groups < left && probe + groups < LFB_FAST_ROUND ? probe + groups : j;
  }
  return shifts;
}

/* Gathers the keys' words of group j, and returns eight answers for each, all of them whether its
 * bits there are on.  Each lane of a gather is a load of an aligned word. */
TARGET LFB_INLINE __mmask64 fast512_group_has(const fast512_view *view, uint32_t groups, uint32_t j,
                                              __m512i blocks, __m512i all, __m512i round0)
{
  const lfb_fast *fast = &view->fast;
  const __m512i in_group = _mm512_and_si512(_mm512_srli_epi64(round0, 12 + j * fast->group_shift),
                                            _mm512_set1_epi64((1LL << fast->group_shift) - 1));
  const __m512i number = _mm512_add_epi64(_mm512_slli_epi64(blocks, 3), in_group);
  const __m512i words =
      _mm512_i64gather_epi64(number, (const void *)(fast->words + (j << fast->group_shift)), 8);
  __mmask64 on = ~UINT64_C(0);

  LFB_UNROLL
  for (uint32_t i = 0; i < fast->rounds; i++) {
    const __m512i shifts = _mm512_set1_epi64((long long)fast512_shifts(fast, groups, j, i));
    const __m512i round = i == 0 ? round0 : fast512_multiply(all, i);
    on &= _mm512_bitshuffle_epi64_mask(words, _mm512_multishift_epi64_epi8(shifts, round));
  }
  return on;
}

/* Of fewer than 2^32 blocks of one line. */
TARGET LFB_INLINE uint64_t fast512_query_gathers(const fast512_view *view, const uint64_t *hashes,
                                                 uint32_t count)
{
  const uint32_t groups = lfb_fast_groups(&view->fast);
  const __m512i all = fast512_load(hashes, count), round0 = fast512_multiply(all, 0);
  const __m512i number = _mm512_set1_epi64((long long)view->fast.blocks);
  const __m512i low = _mm512_srli_epi64(_mm512_mul_epu32(all, number), 32);
  const __m512i high = _mm512_mul_epu32(_mm512_srli_epi64(all, 32), number);
  const __m512i blocks = _mm512_srli_epi64(_mm512_add_epi64(high, low), 32);
  __mmask64 on = ~UINT64_C(0);

  LFB_EACH(j, 0, groups, 1, on &= fast512_group_has(view, groups, j, blocks, all, round0));
  return _mm512_cmpeq_epi64_mask(_mm512_movm_epi8(on),
                                 _mm512_set1_epi64(-1)) & (0xffU >> (GROUP - count));
}

/* Queries all keys by gathers, and, if it `prefetches`, prefetches the lines of keys ahead. */
TARGET LFB_INLINE void fast512_gather_loop(const fast512_view *view, bool prefetches,
                                           const uint64_t *hashes, size_t count, uint64_t *answers)
{
  uint64_t answer = 0;

  for (size_t k = 0; prefetches && k < count && k < LFB_LINES_AHEAD; k++)
    lfb_fast_prefetch(&view->fast, hashes[k]);
  for (size_t i = 0; i < count; i += GROUP) {
    const uint32_t some = count - i < GROUP ? (uint32_t)(count - i) : GROUP;
    if (prefetches && i + LFB_LINES_AHEAD + GROUP <= count) {
      LFB_UNROLL_8
      for (uint32_t k = 0; k < GROUP; k++)
        lfb_fast_prefetch(&view->fast, hashes[i + LFB_LINES_AHEAD + k]);
    }
    answer = (i % LFB_WORD_BITS == 0 ? 0 : answer) |
             fast512_query_gathers(view, hashes + i, some) << i % LFB_WORD_BITS;
    answers[i / LFB_WORD_BITS] = answer;
  }
}

/* Queries all keys, and, if it `prefetches`, prefetches the lines of keys ahead. */
TARGET LFB_INLINE void fast512_query_loop(const fast512_view *view, bool prefetches,
                                          const uint64_t *hashes, size_t count,
                                          uint64_t *answers, fast512_act act)
{
  uint64_t answer = 0;
  size_t i = 0;

  for (size_t k = 0; prefetches && k < count && k < LFB_LINES_AHEAD; k++)
    lfb_fast_prefetch(&view->fast, hashes[k]);
  for (; i + GROUP <= count; i += GROUP) {
    const size_t further =
        i + LFB_LINES_AHEAD + GROUP <= count ? i + LFB_LINES_AHEAD : count - GROUP;
    LFB_UNROLL_8
    for (uint32_t k = 0; prefetches && k < GROUP; k++)
      lfb_fast_prefetch(&view->fast, hashes[further + k]);
    answer = (i % LFB_WORD_BITS == 0 ? 0 : answer) |
             act(view, hashes + i, GROUP) << i % LFB_WORD_BITS;
    answers[i / LFB_WORD_BITS] = answer;
  }
  if (i < count)
    answers[i / LFB_WORD_BITS] = (i % LFB_WORD_BITS == 0 ? 0 : answer) |
                                 act(view, hashes + i, (uint32_t)(count - i))
                                     << i % LFB_WORD_BITS;
}

/* ---- the kernels ---------------------------------------------------------------- */

TARGET LFB_INLINE uint64_t fast512_put_one(const fast512_view *view, uint64_t hash)
{
  return fast512_put_key(&view->fast, lfb_fast_groups(&view->fast), hash);
}

TARGET LFB_INLINE uint64_t fast512_query_one(const fast512_view *view, uint64_t hash)
{
  return lfb_fast512_might_contain(&view->fast, hash);
}

#define FAST_TARGET TARGET
#define FAST_(noun) fast512_##noun
#define fast512_put_by_call fast512_put_one
#include "bloom/strategies/fast/loops.inc.h"

/* Of any shape, keys are put and queried one by one. */
TARGET LFB_INLINE uint64_t fast512_many(const fast512_view *view, lfb_kernel_verb verb,
                                        uint32_t cached, const uint64_t *hashes, size_t count,
                                        uint64_t *answers)
{
  const uint32_t groups = lfb_fast_groups(&view->fast);

  if (!LFB_KNOWN(view->fast.probes))
    return fast512_each(view, verb, cached, hashes, count, answers);
  if (verb == LFB_KERNEL_PUT)
    return fast512_put_loop(view, groups, hashes, count, answers, true,
                            groups == 1 || lfb_fast_is_pair(&view->fast) ? fast512_put_shared
                                                                         : NULL);
  if (__builtin_expect(verb == LFB_KERNEL_PUT_ALONE, 0))
    return fast512_put_loop(view, groups, hashes, count, answers, cached == 0,
                            lfb_fast_key_put_alone);
  if (lfb_fast_is_pair(&view->fast))
    fast512_query_loop(view, cached == 0, hashes, count, answers, fast512_query_pairs);
  else
    fast512_query_loop(view, cached == 0, hashes, count, answers, fast512_query_lines);
  return 0;
}

#define FAST_SHAPE 0, 0, 0
#define FAST_PUT fast512_any_put
#define FAST_MIGHT_CONTAIN fast512_any_might_contain
#define FAST_MANY fast512_any_many
#define FAST_KERNEL fast512_any_kernel
#include "bloom/strategies/fast/kernel.inc.h"

#define FAST_SHAPE 3, 2, 6
#define FAST_PUT fast512_2x3_put
#define FAST_MIGHT_CONTAIN fast512_2x3_might_contain
#define FAST_MANY fast512_2x3_many
#define FAST_KERNEL fast512_2x3_kernel
#include "bloom/strategies/fast/kernel.inc.h"

#define FAST_SHAPE 3, 1, 8
#define FAST_PUT fast512_4x2_put
#define FAST_MIGHT_CONTAIN fast512_4x2_might_contain
#define FAST_MANY fast512_4x2_many
#define FAST_KERNEL fast512_4x2_kernel
#include "bloom/strategies/fast/kernel.inc.h"

#define FAST_SHAPE 3, 1, 12
#define FAST_PUT fast512_4x3_put
#define FAST_MIGHT_CONTAIN fast512_4x3_might_contain
#define FAST_MANY fast512_4x3_many
#define FAST_KERNEL fast512_4x3_kernel
#include "bloom/strategies/fast/kernel.inc.h"

#define FAST_SHAPE 3, 2, 8
#define FAST_PUT fast512_2x4_put
#define FAST_MIGHT_CONTAIN fast512_2x4_might_contain
#define FAST_MANY fast512_2x4_many
#define FAST_KERNEL fast512_2x4_kernel
#include "bloom/strategies/fast/kernel.inc.h"

#define FAST_SHAPE 3, 3, 5
#define FAST_PUT fast512_1x5_put
#define FAST_MIGHT_CONTAIN fast512_1x5_might_contain
#define FAST_MANY fast512_1x5_many
#define FAST_KERNEL fast512_1x5_kernel
#include "bloom/strategies/fast/kernel.inc.h"

#define FAST_SHAPE 4, 1, 16
#define FAST_PUT fast512_8x2_put
#define FAST_MIGHT_CONTAIN fast512_8x2_might_contain
#define FAST_MANY fast512_8x2_many
#define FAST_KERNEL fast512_8x2_kernel
#include "bloom/strategies/fast/kernel.inc.h"

#define FAST_SHAPE 1, 0, 6
#define FAST_PUT fast512_pair6_put
#define FAST_MIGHT_CONTAIN fast512_pair6_might_contain
#define FAST_MANY fast512_pair6_many
#define FAST_KERNEL fast512_pair6_kernel
#include "bloom/strategies/fast/kernel.inc.h"

/* ---- kernels that gather: queries of many keys -------------------------------------- */

TARGET LFB_INLINE uint64_t fast512_gather_shaped(const lfb_layout *layout, uint32_t group_shift,
                                                 uint32_t probes,
                                                 const uint64_t *hashes, size_t count,
                                                     uint64_t *answers)
{
  const lfb_fast fast = lfb_fast_shaped(&layout->fast, 3, group_shift, probes);
  const fast512_view view = fast512_view_of(&fast);

  fast512_gather_loop(&view, layout->cached == 0, hashes, count, answers);
  return 0;
}

TARGET static uint64_t fast512_2x3_gather(const lfb_layout *layout, lfb_kernel_verb verb,
                                          const uint64_t *low,
                                          const uint64_t *high, size_t count, uint64_t *answers)
{
  if (verb != LFB_KERNEL_MIGHT_CONTAIN)
    return fast512_2x3_many(layout, verb, low, high, count, answers);
  return fast512_gather_shaped(layout, 2, 6, low, count, answers);
}

TARGET static uint64_t fast512_4x2_gather(const lfb_layout *layout, lfb_kernel_verb verb,
                                          const uint64_t *low,
                                          const uint64_t *high, size_t count, uint64_t *answers)
{
  if (verb != LFB_KERNEL_MIGHT_CONTAIN)
    return fast512_4x2_many(layout, verb, low, high, count, answers);
  return fast512_gather_shaped(layout, 1, 8, low, count, answers);
}

TARGET static uint64_t fast512_4x3_gather(const lfb_layout *layout, lfb_kernel_verb verb,
                                          const uint64_t *low,
                                          const uint64_t *high, size_t count, uint64_t *answers)
{
  if (verb != LFB_KERNEL_MIGHT_CONTAIN)
    return fast512_4x3_many(layout, verb, low, high, count, answers);
  return fast512_gather_shaped(layout, 1, 12, low, count, answers);
}

static const lfb_kernel fast512_2x3_gather_kernel =
    {fast512_2x3_put, fast512_2x3_might_contain, fast512_2x3_gather};
static const lfb_kernel fast512_4x2_gather_kernel =
    {fast512_4x2_put, fast512_4x2_might_contain, fast512_4x2_gather};
static const lfb_kernel fast512_4x3_gather_kernel =
    {fast512_4x3_put, fast512_4x3_might_contain, fast512_4x3_gather};

const lfb_kernel *const lfb_kernels_fast512[LFB_FAST_KERNELS] = {
    &fast512_any_kernel, &fast512_2x3_kernel, &fast512_4x2_kernel,
    &fast512_4x3_kernel, &fast512_1x5_kernel, &fast512_2x4_kernel,
    &fast512_8x2_kernel, &fast512_any_kernel, &fast512_pair6_kernel,
    &fast512_2x3_gather_kernel, &fast512_4x2_gather_kernel, &fast512_4x3_gather_kernel,
};

enum { FAST512_TRIED_BLOCKS = 32, FAST512_TRIED_KEYS = 64, FAST512_TRIES = 8 };

/* The least time, in ticks of the processor's clock, of queries in a small filter by a kernel of
 * 2x3. */
static uint64_t fast512_time(const lfb_kernel *kernel, const lfb_layout *layout,
                             const uint64_t *hashes)
{
  uint64_t least = UINT64_MAX, answers;

  for (int i = 0; i < FAST512_TRIES; i++) {
    const uint64_t begin = __builtin_ia32_rdtsc();
    (void)kernel->many(layout, LFB_KERNEL_MIGHT_CONTAIN, hashes, NULL, FAST512_TRIED_KEYS,
                       &answers);
    const uint64_t took = __builtin_ia32_rdtsc() - begin;
    least = took < least ? took : least;
  }
  return least;
}

static bool fast512_gathers_are_faster(void)
{
  /* only read */
  static lfb_word words[FAST512_TRIED_BLOCKS * LFB_BLOCK_WORDS]
      __attribute__((aligned(LFB_CACHE_LINE)));
  /* 2x3 */
  const lfb_layout layout = {.fast = {words, FAST512_TRIED_BLOCKS, NULL, 3, 2, 6, 1}, .cached = 1};
  uint64_t hashes[FAST512_TRIED_KEYS];

  for (uint64_t i = 0; i < FAST512_TRIED_KEYS; i++)
    hashes[i] = lfb_fast_round(i + 1, 0);
  return fast512_time(&fast512_2x3_gather_kernel, &layout, hashes) <
         fast512_time(&fast512_2x3_kernel, &layout, hashes);
}

bool lfb_fast512_gathers(void)
{
  static _Atomic(unsigned) known; /* 1 plus the answer; 0: no thread has measured yet */
  /* relaxed: the number is the whole message. */
  unsigned seen = atomic_load_explicit(&known, memory_order_relaxed);

  if (seen == 0) {
    const char *wish = getenv("LFBLOOM_SIMD");
    const bool named = wish != NULL && strcmp(wish, "avx512") == 0;
    const bool asked = wish != NULL && strcmp(wish, "gathers") == 0;
    const unsigned mine = asked || (!named && fast512_gathers_are_faster()) ? 2 : 1;
    /* relaxed: as above.  If the CAS fails, another thread has measured, and `seen` is its
     * answer. */
    if (atomic_compare_exchange_strong_explicit(&known, &seen, mine, memory_order_relaxed,
                                                memory_order_relaxed))
      seen = mine;
  }
  return seen == 2;
}

#endif
