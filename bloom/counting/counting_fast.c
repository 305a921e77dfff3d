/*
 * counting_fast.c - the operations on the counters of a key of `fast`.
 *
 * A key has bits in one word of each of its groups (bloom/strategies/fast_view.h).  Four words of
 * counters, half a line, stand for one word of bits.  The view is a filter's, except that its words
 * are those of the counters, 32 per block, or 64 if a block is two lines.
 */
#include "bloom/counting/counter_sets.h"
#include "bloom/hashing/simd.h"
#include "bloom/strategies/fast/fast_key.h"

#ifdef LFB_SIMD_X86
#include <immintrin.h>
#endif

enum {
  FAST_MOST = LFB_COUNTING_WORDS * LFB_BLOCK_WORDS, /* words of counters that a key can have */
};

/* The first word of counters in each of a key's groups. */
typedef struct cfast_groups {
  lfb_word *first[LFB_BLOCK_WORDS];
} cfast_groups;

LFB_INLINE cfast_groups cfast_groups_of(const lfb_fast *fast, uint64_t hash)
{
  lfb_word *block =
      fast->words +
          (LFB_COUNTING_WORDS * lfb_multiply_high(hash, fast->blocks) << fast->block_shift);
  const uint64_t round0 = lfb_fast_round(hash, 0);
  const uint32_t count = lfb_fast_groups(fast);
  /* Initialised for gcc 12: with -fsanitize=undefined it warns that used elements are not set. */
  cfast_groups groups = {{NULL}};

  LFB_EACH(j, 0, count, 1,
           groups.first[j] = block + (size_t)LFB_COUNTING_WORDS * lfb_fast_word(fast, round0, j));
  return groups;
}

/* The probe's counter, of the 64 of its word of bits. */
LFB_INLINE uint64_t cfast_counter(uint64_t hash, uint32_t probe)
{
  return lfb_fast_round(hash, probe / LFB_FAST_ROUND) >> (16 + 6 * (probe % LFB_FAST_ROUND)) &
         63;
}

/* The counter of a probe, shifted to the bottom of its word, plus 15: above 0 it carries into bit
 * 4. */
LFB_INLINE uint64_t cfast_above(const lfb_fast *fast, const cfast_groups *groups, uint64_t hash,
                                uint32_t probe)
{
  const uint64_t counter = cfast_counter(hash, probe);
  const lfb_word *first = groups->first[probe & (lfb_fast_groups(fast) - 1)];
  const uint64_t word = lfb_word_get(&first[counter / LFB_COUNTERS_A_WORD]);
  const uint64_t in_word = LFB_COUNTER_BITS * (counter % LFB_COUNTERS_A_WORD);
  return (word >> in_word & LFB_COUNTER_MOST) + LFB_COUNTER_MOST;
}

/*
 * Whether all of a key's counters are above 0.
 *
 * No branch depends on the hash or on the counters.
 */
LFB_INLINE uint64_t cfast_might_contain_key(const lfb_fast *fast, uint64_t hash)
{
  const cfast_groups groups = cfast_groups_of(fast, hash);
  uint64_t above = LFB_COUNTER_MOST + 1;

  LFB_EACH(probe, 0, fast->probes, 1, above &= cfast_above(fast, &groups, hash, probe));
  return above != 0;
}

/* Adds the counter of a probe to those of its word.  Returns the bit of the word. */
LFB_INLINE uint64_t cfast_gather(const lfb_fast *fast, uint64_t hash, uint32_t probe,
                                 uint64_t *which)
{
  const uint64_t counter = cfast_counter(hash, probe);
  const uint64_t at = (uint64_t)LFB_COUNTING_WORDS * (probe & (lfb_fast_groups(fast) - 1)) +
                      counter / LFB_COUNTERS_A_WORD;
  which[at] |= UINT64_C(1) << (LFB_COUNTER_BITS * (counter % LFB_COUNTERS_A_WORD));
  return UINT64_C(1) << at;
}

/*
 * Writes the sets of a key, each word once, in the order of the words.  Returns how many.
 *
 * The counters of each word are gathered in an array, with a bit for each element that is not
 * empty.  So the only unpredictable branch is the end of the loop over these bits.  It is resolved
 * long before the locked operations after it are done.
 */
LFB_INLINE uint32_t cfast_sets(const lfb_fast *fast, uint64_t hash, lfb_counter_set *sets)
{
  const cfast_groups groups = cfast_groups_of(fast, hash);
  const uint32_t words = LFB_COUNTING_WORDS * lfb_fast_groups(fast);
  uint64_t which[FAST_MOST];
  uint64_t some = 0;
  uint32_t count = 0;

  LFB_EACH(i, 0, words, 1, which[i] = 0);
  LFB_EACH(probe, 0, fast->probes, 1, some |= cfast_gather(fast, hash, probe, which));
  for (; some != 0; some &= some - 1) {
    const uint32_t at = (uint32_t)__builtin_ctzll(some);
    sets[count].word = groups.first[at / LFB_COUNTING_WORDS] + at % LFB_COUNTING_WORDS;
    sets[count++].which = which[at];
  }
  return count;
}

/* ---- the operations on one key; its lines are prefetched or in the cache ------- */

/* What is the same for all keys of a call. */
typedef struct cfast_view {
  lfb_fast fast;
  bool removes; /* whether keys that are changed are removed, not put */
} cfast_view;

LFB_INLINE uint64_t cfast_query(const cfast_view *view, uint64_t hash)
{
  return cfast_might_contain_key(&view->fast, hash);
}

/* Removing a definitely absent key costs no more than querying it. */
LFB_INLINE uint64_t cfast_change(const cfast_view *view, uint64_t hash)
{
  const lfb_fast *fast = &view->fast;
  lfb_counter_set sets[FAST_MOST];

  if (view->removes && cfast_might_contain_key(fast, hash) == 0)
    return 0;
  const uint32_t count = cfast_sets(fast, hash, sets);
  return view->removes ? lfb_counter_sets_remove(fast->filter, sets, count)
                       : lfb_counter_sets_put(fast->filter, sets, count);
}

/* Prefetches a key's half lines: the first function for reading, the second for writing. */
LFB_INLINE void cfast_prefetch(const cfast_view *view, uint64_t hash)
{
  const cfast_groups groups = cfast_groups_of(&view->fast, hash);
  const uint32_t count = lfb_fast_groups(&view->fast);

  LFB_EACH(j, 0, count, 1, lfb_prefetch_read((const void *)groups.first[j]));
}

LFB_INLINE void cfast_prefetch_change(const cfast_view *view, uint64_t hash)
{
  const cfast_groups groups = cfast_groups_of(&view->fast, hash);
  const uint32_t count = lfb_fast_groups(&view->fast);

  LFB_EACH(j, 0, count, 1, lfb_prefetch_write((const void *)groups.first[j]));
}

#define LINES_TARGET
#define LINES_LOOP cfast_lines
#define LINES_VIEW cfast_view
#include "bloom/strategies/lines.inc.h"

/* ---- shapes: each of CFAST_SHAPES has code with constants ---------------------- */

/* Those of 1 %, 0.1 %, 0.01 % and 1e-6 at the default preference; code for any shape takes up to
 * 2.5 times as long. */
#ifdef LFB_FEWER_KERNELS /* bloom/hashing/simd.h */
#define CFAST_SHAPES(row) row(2x3, 3, 2, 6)
#else
#define CFAST_SHAPES(row) row(2x3, 3, 2, 6) row(4x2, 3, 1, 8) row(4x3, 3, 1, 12) row(8x2, 4, 1, 16)
#endif

/* Puts and removals of more probes have no code of their own: it would be 6 KB for a tenth of the
 * time. */
enum { CFAST_MOST_CHANGED = 12 };

/* Queries or changes hashes, with a view of this shape; 0 probes: its own.  If not `many`, it is
 * one hash, and its answer is returned.  All lines of a key that is changed are prefetched before
 * the first is written: a locked operation delays everything after it. */
LFB_INLINE bool cfast_shaped(const cfast_view *given, uint32_t block_shift, uint32_t group_shift,
                             uint32_t probes,
                             bool changes, bool many, lfb_piece hashes, uint64_t *answers)
{
  const cfast_view view =
      {lfb_fast_shaped(&given->fast, block_shift, group_shift, probes), given->removes};

  if (many && changes)
    return cfast_lines(&view, true, hashes.low, hashes.count, answers, cfast_prefetch_change,
                       cfast_change) != 0;
  if (many)
    return cfast_lines(&view, true, hashes.low, hashes.count, answers, cfast_prefetch,
                       cfast_query) != 0;
  if (!changes)
    return cfast_query(&view, *hashes.low) != 0;
  cfast_prefetch_change(&view, *hashes.low);
  return cfast_change(&view, *hashes.low) != 0;
}

LFB_INLINE bool cfast_do(const lfb_counting *counting, bool removes, bool changes, bool many,
                         lfb_piece hashes, uint64_t *answers)
{
  const cfast_view view = {counting->layout.fast, removes};

  switch (LFB_FAST_SHAPE(view.fast.block_shift, view.fast.group_shift, view.fast.probes)) {
#define CASE(name, b, s, n)                                                             \
  case LFB_FAST_SHAPE(b, s, n):                                                         \
    if (!changes || (n) <= CFAST_MOST_CHANGED)                                          \
      return cfast_shaped(&view, b, s, n, changes, many, hashes, answers);              \
    break;
    CFAST_SHAPES(CASE)
#undef CASE
  default:
    break;
  }
  return cfast_shaped(&view, 0, 0, 0, changes, many, hashes, answers);
}

/* ---- queries by AVX2: a lane for each probe of a group ------------------------------ */

#ifdef LFB_SIMD_X86

#define TARGET LFB_AVX2_TARGET

enum { CFAST256_LANES = 4 };

/* Computes, for each lane, the product of its probe's round, shifted right by `from` and 6 for each
 * probe of the round before it.  Lanes after the group's last probe have the last one again. */
TARGET LFB_INLINE __m256i cfast256_shifted(const lfb_fast *fast, uint64_t hash, uint32_t j,
                                           uint32_t from)
{
  const uint32_t groups = lfb_fast_groups(fast);
  uint64_t round[CFAST256_LANES];
  uint32_t shift[CFAST256_LANES];

  LFB_EACH(i, 0, CFAST256_LANES, 1, {
    const uint32_t probe = j + i * groups < fast->probes ? j + i * groups
                                                         : j + fast->probes - groups;
    round[i] = lfb_fast_round(hash, probe / LFB_FAST_ROUND);
    shift[i] = from + 6 * (probe % LFB_FAST_ROUND);
  });
  return _mm256_srlv_epi64(
      _mm256_set_epi64x((long long)round[3], (long long)round[2], (long long)round[1],
                        (long long)round[0]),
      _mm256_set_epi64x(shift[3], shift[2], shift[1], shift[0]));
}

/* All ones in each lane where the counter of the probe, of group j, is 0.  Other threads may write
 * the words during the load: each 64-bit lane is read whole (fast256.c). */
TARGET LFB_INLINE __m256i cfast256_zeros(const lfb_fast *fast, const lfb_word *first, uint64_t hash,
                                         uint32_t j)
{
  const __m256i words = _mm256_load_si256((const __m256i *)(const void *)first);
  /* The upper three bits of a counter's number are that of 8 counters of 32 bits, and pick them
   * without a mask. */
  const __m256i eight = _mm256_permutevar8x32_epi32(words, cfast256_shifted(fast, hash, j, 16 + 3));
  const __m256i in_eight =
      _mm256_and_si256(cfast256_shifted(fast, hash, j, 16 - 2), _mm256_set1_epi64x(28));
  const __m256i counter =
      _mm256_and_si256(_mm256_srlv_epi64(eight, in_eight), _mm256_set1_epi64x(LFB_COUNTER_MOST));
  return _mm256_cmpeq_epi64(counter, _mm256_setzero_si256());
}

TARGET LFB_INLINE uint64_t cfast256_query(const cfast_view *view, uint64_t hash)
{
  const lfb_fast *fast = &view->fast;
  const cfast_groups groups = cfast_groups_of(fast, hash);
  const uint32_t count = lfb_fast_groups(fast);
  __m256i zeros = _mm256_setzero_si256();

  LFB_EACH(j, 0, count, 1,
           zeros = _mm256_or_si256(zeros, cfast256_zeros(fast, groups.first[j], hash, j)));
  return (uint64_t)_mm256_testz_si256(zeros, zeros);
}

#define LINES_TARGET TARGET
#define LINES_LOOP cfast256_lines
#define LINES_VIEW cfast_view
#include "bloom/strategies/lines.inc.h"

/* Queries hashes.  Returns false if the filter has none of CFAST_SHAPES: then it has done
 * nothing. */
TARGET static bool cfast256_many(const lfb_fast *fast, lfb_piece hashes, uint64_t *answers)
{
  switch (LFB_FAST_SHAPE(fast->block_shift, fast->group_shift, fast->probes)) {
#define CASE(name, b, s, n)                                                                      \
  case LFB_FAST_SHAPE(b, s, n): {                                                                \
    const cfast_view view = {lfb_fast_shaped(fast, b, s, n), false};                             \
    (void)cfast256_lines(&view, true, hashes.low, hashes.count, answers, cfast_prefetch,         \
                         cfast256_query);                                                        \
    return true;                                                                                 \
  }
    CFAST_SHAPES(CASE)
#undef CASE
  default:
    return false;
  }
}

#endif

/* ---- the kernel ---------------------------------------------------------------- */

static bool cfast_change_one(const lfb_counting *counting, lfb_hash hash, bool remove)
{
  return cfast_do(counting, remove, true, false, (lfb_piece){&hash.low, NULL, 1}, NULL);
}

static bool cfast_might_contain_one(const lfb_counting *counting, lfb_hash hash)
{
  return cfast_do(counting, false, false, false, (lfb_piece){&hash.low, NULL, 1}, NULL);
}

static void cfast_change_many(const lfb_counting *counting, lfb_piece hashes, uint64_t *answers,
                              bool remove)
{
  (void)cfast_do(counting, remove, true, true, hashes, answers);
}

static void cfast_might_contain_many(const lfb_counting *counting, lfb_piece hashes,
                                     uint64_t *answers)
{
#ifdef LFB_SIMD_X86
  if (lfb_simd_chosen() >= LFB_SIMD_AVX2 && cfast256_many(&counting->layout.fast, hashes, answers))
    return;
  /* Other shapes, and processors without AVX2: code for any shape. */
  const cfast_view view = {counting->layout.fast, false};
  (void)cfast_shaped(&view, 0, 0, 0, false, true, hashes, answers);
#else
  (void)cfast_do(counting, false, false, true, hashes, answers);
#endif
}

const lfb_counting_kernel lfb_counting_kernel_fast = {cfast_might_contain_one, cfast_change_one,
                                                      cfast_might_contain_many, cfast_change_many};
