/*
 * fast512.c - strategy `fast` on processors with AVX-512: a lane a probe.  Answers
 * and bits are those of fast.c.
 */
#include "bloom/strategies/simd.h"

#ifdef LFB_SIMD_X86
#define TARGET LFB_AVX512_TARGET
#define LFB_FAST_AVX512_TARGET LFB_AVX512_TARGET
#endif

#include "bloom/strategies/fast/fast_rows.h"
#include "bloom/strategies/strategies.h"

#ifdef LFB_SIMD_X86

TARGET LFB_INLINE uint64_t fast512_query_one(const lfb_fast *fast, const lfb_fast512 *lanes,
                                             const lfb_fast512_hash *hash)
{
  (void)fast;
  return lfb_fast512_is_in(lanes, hash);
}

TARGET LFB_INLINE uint64_t fast512_put_one(const lfb_fast *fast, const lfb_fast512 *lanes,
                                           uint64_t hash)
{
  const lfb_fast512_hash of = lfb_fast512_hash_of(fast, hash);
  return lfb_fast512_turn_on(fast, lanes, &of);
}

/* A key's bits at their places in its line. */
typedef struct fast512_spread {
  __m512i bits;
  __mmask8 own; /* the words that the key has */
} fast512_spread;

TARGET LFB_INLINE fast512_spread fast512_spread_of(const lfb_fast *fast,
                                                   const lfb_fast512 *lanes,
                                                   const lfb_fast512_hash *hash)
{
  const __m512i word = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
  /* Word k is of group k >> group_shift, whose number and bits lane j has. */
  const __m512i group = _mm512_srl_epi64(word, _mm_cvtsi32_si128((int)fast->group_shift));
  const __m512i masks = lfb_fast512_masks(fast, lfb_fast512_bits(lanes, hash));
  fast512_spread spread;

  spread.bits = _mm512_permutexvar_epi64(group, masks);
  spread.own = _mm512_cmpeq_epi64_mask(
      word, _mm512_permutexvar_epi64(group, lfb_fast512_words(lanes, hash->round0)));
  return spread;
}

/* Lines that nobody else touches now: loaded and stored as they are (strategy.h). */
TARGET LFB_INLINE uint64_t fast512_gather_one(const lfb_fast *fast, const lfb_fast512 *lanes,
                                              const lfb_fast512_hash *hash)
{
  void *at = (void *)hash->block;
  const fast512_spread key = fast512_spread_of(fast, lanes, hash);
  const __m512i line = _mm512_load_si512(at);
  const __m512i missing = _mm512_andnot_si512(line, key.bits);

  _mm512_store_si512(at, _mm512_mask_or_epi64(line, key.own, line, key.bits));
  return _mm512_mask_test_epi64_mask(key.own, missing, missing);
}

TARGET LFB_INLINE uint64_t fast512_settle_one(const lfb_fast *fast, const lfb_fast512 *lanes,
                                              const lfb_fast512_hash *hash)
{
  void *at = (void *)hash->block;
  const fast512_spread key = fast512_spread_of(fast, lanes, hash);
  const __m512i line = _mm512_load_si512(at);

  _mm512_store_si512(at, _mm512_mask_andnot_epi64(line, key.own, key.bits, line));
  return _mm512_mask_test_epi64_mask(key.own, line, key.bits);
}

/* The first rounds of the hashes of a word of answers: eight to a multiplication. */
TARGET LFB_INLINE void fast512_rounds(const uint64_t *hashes, uint64_t rounds[LFB_WORD_BITS])
{
  const __m512i multiplier = _mm512_set1_epi64((long long)lfb_fast_round(1, 0));

  for (size_t i = 0; i < LFB_WORD_BITS; i += 8)
    _mm512_store_si512(&rounds[i],
                       _mm512_mullo_epi64(_mm512_loadu_si512(&hashes[i]), multiplier));
}

/*
 * Defines name(fast, hashes, count, answers): runs one(fast, lanes, hash) on each hash,
 * sets the answer of those that give more than 0, and returns the sum.
 *
 * As LFB_FAST_MANY, but the block that was computed to ask for its line is kept in a
 * ring until its turn, and rounds are computed eight at a time: of three multiplications
 * a hash that leaves one and an eighth, 1.2 to 0.9 ns a query in cache.
 */
#define FAST512_MANY(name, ask, one)                                                          \
  /* 64 hashes, whose blocks are in the ring, and 64 of those ahead take their places. */     \
  TARGET LFB_INLINE uint64_t name##_word(const lfb_fast *fast, const lfb_fast512 *lanes,      \
                                         lfb_word **ring, const uint64_t *hashes,             \
                                         uint64_t *sum)                                       \
  {                                                                                           \
    uint64_t rounds[LFB_WORD_BITS] __attribute__((aligned(LFB_CACHE_LINE))), answer = 0;      \
    fast512_rounds(hashes, rounds);                                                           \
    LFB_UNROLL_8                                                                              \
    for (size_t k = 0; k < LFB_WORD_BITS; k++) {                                              \
      const lfb_fast512_hash hash = {ring[k], hashes[k], rounds[k]};                          \
      ring[k] = lfb_fast_block(fast, hashes[k + LFB_FAST_AHEAD]);                             \
      ask((const void *)ring[k]);                                                             \
      const uint64_t given = one(fast, lanes, &hash);                                         \
      answer |= (uint64_t)(given != 0) << k;                                                  \
      *sum += given;                                                                          \
    }                                                                                         \
    return answer;                                                                            \
  }                                                                                           \
  TARGET LFB_INLINE uint64_t name(const lfb_fast *fast, const uint64_t *hashes, size_t count, \
                                  uint64_t *answers)                                          \
  {                                                                                           \
    const lfb_fast512 lanes = lfb_fast512_of(fast);                                           \
    lfb_word *ring[LFB_FAST_AHEAD];                                                           \
    uint64_t sum = 0;                                                                         \
    size_t i = 0;                                                                             \
    for (; i < count && i < LFB_FAST_AHEAD; i++) {                                            \
      ring[i] = lfb_fast_block(fast, hashes[i]);                                              \
      ask((const void *)ring[i]);                                                             \
    }                                                                                         \
    for (i = 0; i + LFB_FAST_AHEAD + LFB_WORD_BITS <= count; i += LFB_WORD_BITS)              \
      answers[i / LFB_WORD_BITS] =                                                            \
          name##_word(fast, &lanes, ring + i % LFB_FAST_AHEAD, hashes + i, &sum);             \
    for (size_t j = i + LFB_FAST_AHEAD; j < count; j++)                                       \
      ask((const void *)lfb_fast_block(fast, hashes[j]));                                     \
    for (; i < count; i++) {                                                                  \
      const lfb_fast512_hash hash = lfb_fast512_hash_of(fast, hashes[i]);                     \
      const uint64_t given = one(fast, &lanes, &hash);                                        \
      const uint64_t before = i % LFB_WORD_BITS == 0 ? 0 : answers[i / LFB_WORD_BITS];        \
      answers[i / LFB_WORD_BITS] = before | (uint64_t)(given != 0) << i % LFB_WORD_BITS;      \
      sum += given;                                                                           \
    }                                                                                         \
    return sum;                                                                               \
  }

FAST512_MANY(fast512_query_all, lfb_prefetch_read, fast512_query_one)
FAST512_MANY(fast512_gather_all, lfb_prefetch_write, fast512_gather_one)
FAST512_MANY(fast512_settle_all, lfb_prefetch_write, fast512_settle_one)

/* A put gains nothing by the ring: what it waits for is its locked operations. */
LFB_FAST_MANY(TARGET, fast512_put_all, lfb_fast512, lfb_fast512_of, lfb_fast_prefetch_put,
              fast512_put_one)

TARGET LFB_INLINE uint32_t fast512_turn_on(const lfb_fast *fast, uint64_t hash)
{
  const lfb_fast512 lanes = lfb_fast512_of(fast);
  const lfb_fast512_hash of = lfb_fast512_hash_of(fast, hash);
  return lfb_fast512_turn_on(fast, &lanes, &of);
}

TARGET LFB_INLINE bool fast512_is_in(const lfb_fast *fast, uint64_t hash)
{
  return lfb_fast512_might_contain(fast, hash);
}

/* lfb_hasher_u64() of eight keys at a time, where it mixes numbers. */
TARGET LFB_INLINE __m512i fast512_mix(__m512i key)
{
  const __m512i first = _mm512_set1_epi64((long long)LFB_MURMUR_FINISH_1);
  const __m512i second = _mm512_set1_epi64((long long)LFB_MURMUR_FINISH_2);

  key = _mm512_mullo_epi64(_mm512_xor_si512(key, _mm512_srli_epi64(key, 33)), first);
  key = _mm512_mullo_epi64(_mm512_xor_si512(key, _mm512_srli_epi64(key, 33)), second);
  return _mm512_xor_si512(key, _mm512_srli_epi64(key, 33));
}

TARGET static void fast512_hash_u64_many(const lfb_hasher *hasher, const uint64_t *keys,
                                         size_t count, uint64_t *hashes)
{
  const __m512i seed = _mm512_set1_epi64((long long)hasher->seed);
  size_t i = 0;

  for (; hasher->kind == LFB_KIND_XXH3 && i + 8 <= count; i += 8)
    _mm512_storeu_si512(&hashes[i],
                        fast512_mix(_mm512_xor_si512(_mm512_loadu_si512(&keys[i]), seed)));
  for (; i < count; i++)
    hashes[i] = lfb_hasher_u64(hasher, keys[i]).low;
}

#define ROW(shape, shift, count) LFB_FAST_ROW_OF(TARGET, fast512, shape, shift, count)
LFB_FAST_SHAPES(ROW)
ROW(any, 0, 0)

static const lfb_strategy *fast512_fit(const lfb_geometry *geometry)
{
#define FIT(shape, shift, count) LFB_FAST_FIT(fast512, shape, shift, count)
  switch (lfb_fast_shape_of(geometry)) {
    LFB_FAST_SHAPES(FIT)
  default:
    return &fast512_any_row;
  }
}

const lfb_strategy lfb_strategy_fast512 = {LFB_FAST_ROW, .fit = fast512_fit};

#endif
