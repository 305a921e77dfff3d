/*
 * mitz64_512.c - strategy guava-mitz64 on processors with AVX-512: a lane a probe.
 * Answers and bits are those of mitz64.c.
 *
 * What limits a query in memory is how many keys' loads are under way at once, and
 * that is how many keys' instructions the processor can hold (some 200 that write
 * an integer register, on Zen 5): a probe takes 11 of them in mitz64.c, 2 here.
 *
 * The remainder  For x < 2^63 and m >= 2^14 let p = x * (1/m) in doubles, each step
 * rounded down: x loses less than a factor of 1 - 2^-52, the inverse (modulus.h)
 * 1 - 2^-50, the product 1 - 2^-52.  So x/m >= p > x/m - 2^-49 * 2^63/m >= x/m - 1,
 * the integer part of p is that of x/m or one less, and x minus it times m is below
 * 2m: one subtraction of m, where that does not wrap, makes it x mod m.
 */
#include "bloom/strategies/simd.h"
#include "bloom/strategies/guava.h"
#include "bloom/strategies/strategies.h"

#ifdef LFB_SIMD_X86

#include <immintrin.h>
#include <lfbloom/cpu.h>

/* Without optimisation gcc's intrinsics with a rounding are macros that pass -1 for
 * "all lanes". */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

#define TARGET LFB_AVX512_TARGET
#define INLINE TARGET LFB_INLINE

enum {
  LANES = 8,
  LEAST_BITS = 1 << 14, /* what the remainder above asks for; mitz64.c does the smaller */
  /* Groups of lanes under way: at 256 MiB 8, 16, 24, 32 give 29, 23, 23, 23 ns a query. */
  AHEAD = 16,
  MOST_GROUPS = (LFB_MAX_PROBES + LANES - 1) / LANES,
  SLOTS = AHEAD > MOST_GROUPS ? AHEAD : MOST_GROUPS,
  /*
   * Words, 4 MiB, from which a single put does not only write what is missing: how
   * many bits that is no processor can guess, and a wrong guess throws away the next
   * key's loads, which were under way.  The locked operations that are saved cost
   * less than that in memory, more in a cache (put_new/guava-mitz64).
   */
  UNCACHED_WORDS = 1 << 19,
};

/* In memory: as immediates each takes a general register and two instructions. */
typedef struct constants {
  __m512i lane, no_sign, one;
  __m128i block_low, block_high, finish_1, finish_2, upper, eight;
} constants;

static const constants table = {
    .lane = {0, 1, 2, 3, 4, 5, 6, 7},
    .no_sign = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX,
                INT64_MAX},
    .one = {1, 1, 1, 1, 1, 1, 1, 1},
    .block_low = {(long long)0x87c37b91114253d5, 0},
    .block_high = {(long long)0x4cf5ad432745937f, 0},
    .finish_1 = {(long long)0xff51afd7ed558ccd, (long long)0xff51afd7ed558ccd},
    .finish_2 = {(long long)0xc4ceb9fe1a85ec53, (long long)0xc4ceb9fe1a85ec53},
    .upper = {0, -1},
    .eight = {8, 8},
};

/* The table, hidden from the compiler, which would make immediates of it again. */
INLINE const constants *constants_here(void)
{
  const constants *c = &table;
  __asm__("" : "+r"(c));
  return c;
}

/* Up to eight probes of one key. */
typedef struct group {
  _Alignas(64) uint64_t word[LANES]; /* where they are; word 0 in the lanes that are no probe */
  __m512i bit;                       /* in the low 6 bits of each lane                        */
} group;

INLINE __mmask8 group_live(uint32_t left)
{
  return (__mmask8)_bzhi_u32(0xff, left);
}

/* A key's hash, each half in all lanes. */
typedef struct halves {
  __m512i low, high;
} halves;

INLINE halves halves_of(lfb_hash hash)
{
  return (halves){_mm512_set1_epi64((long long)hash.low),
                  _mm512_set1_epi64((long long)hash.high)};
}

/* {low + high, high + (low + high)} of {low, high}. */
INLINE __m128i murmur_cross(const constants *c, __m128i h)
{
  const __m128i sum = _mm_add_epi64(h, _mm_shuffle_epi32(h, 0x4e));
  return _mm_add_epi64(sum, _mm_and_si128(h, c->upper));
}

INLINE __m128i murmur_shift_xor(__m128i h)
{
  return _mm_xor_si128(h, _mm_srli_epi64(h, 33));
}

/* The end of murmur3_x64_128, both halves at once, as in murmur.h; the size is in. */
INLINE halves murmur_finish(const constants *c, __m128i h)
{
  h = murmur_shift_xor(murmur_cross(c, h));
  h = murmur_shift_xor(_mm_mullo_epi64(h, c->finish_1));
  h = murmur_shift_xor(_mm_mullo_epi64(h, c->finish_2));
  h = murmur_cross(c, h);
  return (halves){_mm512_broadcastq_epi64(h),
                  _mm512_permutexvar_epi64(c->one, _mm512_castsi128_si512(h))};
}

/* The hash of a 64-bit key's 8 bytes. */
INLINE halves murmur_u64(const constants *c, uint64_t key)
{
  __m128i k = _mm_mullo_epi64(_mm_cvtsi64_si128((long long)key), c->block_low);
  k = _mm_mullo_epi64(_mm_rol_epi64(k, 31), c->block_high);
  return murmur_finish(c, _mm_xor_si128(k, c->eight));
}

INLINE halves murmur_bytes(const constants *c, const void *bytes, size_t size)
{
  const lfb_hash h = lfb_murmur128_state(bytes, size);
  return murmur_finish(c, _mm_set_epi64x((long long)(h.high ^ size), (long long)(h.low ^ size)));
}

/* The lanes of a walk's first eight probes. */
INLINE __m512i walk_start(const constants *c, halves hash)
{
  return _mm512_add_epi64(hash.low, _mm512_mullo_epi64(hash.high, c->lane));
}

/* The lanes of the eight after those. */
INLINE __m512i walk_on(__m512i walk, halves hash)
{
  return _mm512_add_epi64(walk, _mm512_slli_epi64(hash.high, 3));
}

/* x mod m in every live lane, 0 in the others. */
INLINE __m512i group_modulo(const lfb_modulus *modulus, __m512i x, __mmask8 live)
{
  enum { DOWN = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC };
  const __m512i m = _mm512_set1_epi64((long long)modulus->divisor);
  const __m512d p = _mm512_mul_round_pd(_mm512_cvt_roundepi64_pd(x, DOWN),
                                        _mm512_set1_pd(modulus->inverse), DOWN);
  const __m512i r = _mm512_sub_epi64(x, _mm512_mullo_epi64(_mm512_cvttpd_epi64(p), m));
  return _mm512_maskz_min_epu64(live, r, _mm512_sub_epi64(r, m));
}

/* Finds the live lanes' probes. */
INLINE void group_find(const constants *c, group *g, const lfb_layout *layout, __m512i walk,
                       __mmask8 live)
{
  const __m512i x = _mm512_and_si512(walk, c->no_sign);

  g->bit = group_modulo(&layout->modulus, x, live);
  _mm512_store_si512(g->word, _mm512_srli_epi64(g->bit, 6));
  /* Or the compiler takes the vector apart lane by lane, which takes longer. */
  __asm__("" : "+m"(g->word));
}

INLINE long long group_word(const group *g, const lfb_layout *layout, int lane)
{
  return (long long)lfb_word_get(&layout->bits.words[g->word[lane]]);
}

/* The words as they are now; loads them all, no branch in between. */
INLINE __m512i group_load(const group *g, const lfb_layout *layout)
{
  return _mm512_set_epi64(group_word(g, layout, 7), group_word(g, layout, 6),
                          group_word(g, layout, 5), group_word(g, layout, 4),
                          group_word(g, layout, 3), group_word(g, layout, 2),
                          group_word(g, layout, 1), group_word(g, layout, 0));
}

/* The live lanes whose bit is off in these words. */
INLINE uint32_t group_missing(const constants *c, const group *g, __m512i words, __mmask8 live)
{
  return _mm512_mask_testn_epi64_mask(live, _mm512_rorv_epi64(words, g->bit), c->one);
}

/* What the CAS of each lane expects and writes. */
typedef struct plan {
  _Alignas(64) uint64_t seen[LANES];
  _Alignas(64) uint64_t wanted[LANES];
} plan;

INLINE void plan_make(plan *p, const group *g, __m512i words)
{
  const __m512i place = _mm512_and_si512(g->bit, _mm512_set1_epi64(LFB_WORD_BITS - 1));
  const __m512i bit = _mm512_sllv_epi64(_mm512_set1_epi64(1), place);

  _mm512_store_si512(p->seen, words);
  _mm512_store_si512(p->wanted, _mm512_or_si512(words, bit));
}

/* Writes one lane; 1 if its bit was missing and yet another call turned it on. */
INLINE uint32_t plan_write(const plan *p, const group *g, lfb_word *words, uint32_t lane)
{
  lfb_word *word = &words[g->word[lane]];
  const uint64_t missing = p->wanted[lane] & ~p->seen[lane];
  uint64_t now = p->seen[lane];

  /* relaxed: as lfbloom/word.h says. */
  if (__builtin_expect(lfb_cas_u64(word, &now, p->wanted[lane], memory_order_relaxed), 1))
    return 0;
  /* Somebody, or an earlier probe of this key, has written the word meanwhile. */
  return missing != 0 && lfb_word_set_seen(word, now, missing) == 0;
}

/* Turns on the missing lanes; how many of them this call turned on. */
INLINE uint32_t group_set(const group *g, const lfb_layout *layout, __m512i words,
                          uint32_t missing)
{
  uint32_t turned_on = (uint32_t)__builtin_popcount(missing);
  plan p;

  plan_make(&p, g, words);
  for (; missing != 0; missing &= missing - 1)
    turned_on -= plan_write(&p, g, layout->bits.words, (uint32_t)__builtin_ctz(missing));
  return turned_on;
}

/* The same, writing the lanes below `count` that are not missing as well. */
INLINE uint32_t group_set_below(const group *g, const lfb_layout *layout, __m512i words,
                                uint32_t missing, uint32_t count)
{
  uint32_t turned_on = (uint32_t)__builtin_popcount(missing);
  plan p;

  plan_make(&p, g, words);
#pragma GCC unroll 8
  for (uint32_t lane = 0; lane < LANES; lane++) {
    if (lane == count)
      break;
    turned_on -= plan_write(&p, g, layout->bits.words, lane);
  }
  return turned_on;
}

INLINE bool query_one(const constants *c, const lfb_layout *layout, halves hash)
{
  __m512i walk = walk_start(c, hash);

  for (uint32_t left = layout->probes;; left -= LANES) {
    const __mmask8 live = group_live(left);
    group g;
    group_find(c, &g, layout, walk, live);
    const uint32_t missing = group_missing(c, &g, group_load(&g, layout), live);
    if (missing != 0 || left <= LANES)
      return missing == 0;
    walk = walk_on(walk, hash);
  }
}

INLINE bool layout_cached(const lfb_layout *layout)
{
  return layout->bits.word_count < UNCACHED_WORDS;
}

INLINE uint32_t put_one(const constants *c, const lfb_layout *layout, halves hash)
{
  __m512i walk = walk_start(c, hash);
  uint32_t turned_on = 0;

  for (uint32_t left = layout->probes;; left -= LANES) {
    const __mmask8 live = group_live(left);
    group g;
    group_find(c, &g, layout, walk, live);
    const __m512i words = group_load(&g, layout);
    const uint32_t missing = group_missing(c, &g, words, live);
    if (missing != 0)
      turned_on += layout_cached(layout)
                       ? group_set(&g, layout, words, missing)
                       : group_set_below(&g, layout, words, missing, left);
    if (left <= LANES)
      return turned_on;
    walk = walk_on(walk, hash);
  }
}

/* Whether the filter is too small for this arithmetic. */
INLINE bool layout_small(const lfb_layout *layout)
{
  return __builtin_expect(layout->modulus.divisor < LEAST_BITS, 0);
}

TARGET static bool mitz512_is_in(const lfb_layout *layout, lfb_hash hash)
{
  if (layout_small(layout))
    return lfb_strategy_mitz64.is_in(layout, hash);
  return query_one(constants_here(), layout, halves_of(hash));
}

TARGET static bool mitz512_has_u64(const lfb_layout *layout, uint64_t key)
{
  const constants *c = constants_here();

  if (layout_small(layout))
    return lfb_strategy_mitz64.is_in(layout, lfb_murmur128(&key, sizeof key, 0));
  return query_one(c, layout, murmur_u64(c, key));
}

TARGET static bool mitz512_has_bytes(const lfb_layout *layout, const void *bytes,
                                               size_t size)
{
  const constants *c = constants_here();

  if (layout_small(layout))
    return lfb_strategy_mitz64.is_in(layout, lfb_murmur128(bytes, size, 0));
  return query_one(c, layout, murmur_bytes(c, bytes, size));
}

TARGET static uint32_t mitz512_turn_on(const lfb_layout *layout, lfb_hash hash)
{
  if (layout_small(layout))
    return lfb_strategy_mitz64.turn_on(layout, hash);
  return put_one(constants_here(), layout, halves_of(hash));
}

/* Keys that are put into a cached filter are hashed in general registers: what a
 * locked operation waits for there is the hash, and that takes less time so. */
TARGET static uint32_t mitz512_turn_on_u64(const lfb_layout *layout, uint64_t key)
{
  const constants *c = constants_here();

  if (layout_cached(layout))
    return mitz512_turn_on(layout, lfb_murmur128(&key, sizeof key, 0));
  return put_one(c, layout, murmur_u64(c, key));
}

TARGET static uint32_t mitz512_turn_on_bytes(const lfb_layout *layout, const void *bytes,
                                             size_t size)
{
  const constants *c = constants_here();

  if (layout_cached(layout))
    return mitz512_turn_on(layout, lfb_murmur128(bytes, size, 0));
  return put_one(c, layout, murmur_bytes(c, bytes, size));
}

TARGET static bool mitz512_put_u64(const lfb_layout *layout, uint64_t key)
{
  return lfb_layout_counted(layout, mitz512_turn_on_u64(layout, key));
}

TARGET static bool mitz512_put_bytes(const lfb_layout *layout, const void *bytes, size_t size)
{
  return lfb_layout_counted(layout, mitz512_turn_on_bytes(layout, bytes, size));
}

TARGET static bool mitz512_put_hash(const lfb_layout *layout, uint64_t hash)
{
  const lfb_hash wide = lfb_hasher_widen(&layout->hasher, hash);
  return lfb_layout_counted(layout, mitz512_turn_on(layout, wide));
}

TARGET static bool mitz512_has_hash(const lfb_layout *layout, uint64_t hash)
{
  return mitz512_is_in(layout, lfb_hasher_widen(&layout->hasher, hash));
}

/* Finds all groups of a key and asks for their lines. */
INLINE void key_send(const constants *c, group *slot, const lfb_layout *layout, lfb_hash given,
                     uint32_t groups, bool put)
{
  const lfb_word *words = layout->bits.words;
  const halves hash = halves_of(given);
  __m512i walk = walk_start(c, hash);

  for (uint32_t i = 0; i < groups; i++) {
    group_find(c, &slot[i], layout, walk, group_live(layout->probes - LANES * i));
#pragma GCC unroll 8
    for (int lane = 0; lane < LANES; lane++) {
      if (put)
        lfb_prefetch_write(&words[slot[i].word[lane]]);
      else
        lfb_prefetch_read(&words[slot[i].word[lane]]);
    }
    walk = walk_on(walk, hash);
  }
}

/* Puts a key whose lines have arrived, or looks it up. */
INLINE uint32_t key_land(const constants *c, const group *slot, const lfb_layout *layout,
                         uint32_t groups, bool put)
{
  uint32_t turned_on = 0, missing = 0;

  for (uint32_t i = 0; i < groups; i++) {
    const __m512i words = group_load(&slot[i], layout);
    const __mmask8 live = group_live(layout->probes - LANES * i);
    const uint32_t here = group_missing(c, &slot[i], words, live);
    missing |= here;
    if (put && here != 0)
      turned_on += group_set(&slot[i], layout, words, here);
  }
  return put ? turned_on : missing == 0;
}

/* Sends keys ahead and lands them in order, each to make room for the next. */
INLINE uint64_t mitz512_loop(const lfb_layout *given, const uint64_t *low, const uint64_t *high,
                             size_t count, uint64_t *answers, uint32_t groups, bool put)
{
  const lfb_layout layout = *given; /* that no write to `answers` can change it */
  const size_t room = groups <= AHEAD ? AHEAD / groups : 1;
  const size_t ahead = count < room ? count : room;
  const constants *c = constants_here();
  group slots[SLOTS];
  uint64_t sum = 0, answer = 0;
  size_t at = 0;

  for (size_t i = 0; i < ahead; i++)
    key_send(c, &slots[i * groups], &layout, (lfb_hash){low[i], high[i]}, groups, put);
  for (size_t i = 0; i < count; i++) {
    const uint32_t on = key_land(c, &slots[at], &layout, groups, put);
    sum += on;
    answer |= (uint64_t)(on != 0) << (i % LFB_WORD_BITS);
    if (i % LFB_WORD_BITS == LFB_WORD_BITS - 1 || i + 1 == count) {
      answers[i / LFB_WORD_BITS] = answer;
      answer = 0;
    }
    const size_t later = i + ahead;
    if (later < count)
      key_send(c, &slots[at], &layout, (lfb_hash){low[later], high[later]}, groups, put);
    at += groups;
    if (at == ahead * groups)
      at = 0;
  }
  return sum;
}

/* One group is what 1 % takes: a loop of its own, without a loop inside. */
INLINE uint64_t mitz512_many(const lfb_layout *layout, const uint64_t *low, const uint64_t *high,
                             size_t count, uint64_t *answers, bool put)
{
  if (layout->probes <= LANES)
    return mitz512_loop(layout, low, high, count, answers, 1, put);
  return mitz512_loop(layout, low, high, count, answers, (layout->probes + LANES - 1) / LANES,
                      put);
}

TARGET static uint64_t mitz512_put_many(const lfb_layout *layout, const uint64_t *low,
                                        const uint64_t *high, size_t count, uint64_t *answers)
{
  if (layout_small(layout))
    return lfb_strategy_mitz64.put_many(layout, low, high, count, answers);
  return mitz512_many(layout, low, high, count, answers, true);
}

TARGET static void mitz512_might_contain_many(const lfb_layout *layout, const uint64_t *low,
                                              const uint64_t *high, size_t count,
                                              uint64_t *answers)
{
  if (layout_small(layout))
    lfb_strategy_mitz64.might_contain_many(layout, low, high, count, answers);
  else
    (void)mitz512_many(layout, low, high, count, answers, false);
}


const lfb_strategy lfb_strategy_mitz64_512 = {
    LFB_MITZ64_ROW,
    LFB_STRATEGY_ACTS(mitz512),
};

#pragma GCC diagnostic pop

#endif
