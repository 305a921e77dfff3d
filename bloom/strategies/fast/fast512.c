/*
 * fast512.c - strategy `fast` on processors with AVX-512: one lane per probe.  Answers and bits
 * are those of fast.c.
 */
#include "bloom/hashing/simd.h"

#ifdef LFB_SIMD_X86
#define TARGET LFB_AVX512_TARGET
#define LFB_FAST_AVX512_TARGET LFB_AVX512_TARGET

#include <lfbloom/fast.h>

#include "bloom/strategies/fast/fast_kernels.h"

#define FAST_TARGET TARGET
#define FAST_(noun) fast512_##noun

typedef lfb_fast512 fast512_lanes;
#define FAST_LANES(fast) lfb_fast512_of(fast)
#include "bloom/strategies/fast/view.inc.h"

TARGET LFB_INLINE uint64_t fast512_put_one(const fast512_view *view, uint64_t hash)
{
  const lfb_fast512_hash of = lfb_fast512_hash_of(&view->fast, hash);
  return lfb_fast512_put_bits(&view->fast, &view->lanes, &of);
}

TARGET LFB_INLINE uint64_t fast512_query_one(const fast512_view *view, uint64_t hash)
{
  const lfb_fast512_hash of = lfb_fast512_hash_of(&view->fast, hash);
  return lfb_fast512_has_bits(&view->lanes, &of);
}

/* A single query waits for its line, so the line's address is computed first: otherwise a query
 * from a second-level cache takes 15 % longer. */
TARGET LFB_INLINE bool fast512_query_single(const lfb_fast *fast, uint64_t hash)
{
  return lfb_fast512_might_contain(fast, hash);
}

/* A key's bits at their positions in its line. */
typedef struct fast512_spread {
  __m512i bits;
  __mmask8 own; /* the words with bits of the key */
} fast512_spread;

TARGET LFB_INLINE fast512_spread fast512_spread_of(const fast512_view *view,
                                                   const lfb_fast512_hash *hash)
{
  const __m512i word = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
  /* Word k is of group j = k >> group_shift.  Lane j has the word's number and bits. */
  const __m512i group =
      _mm512_srl_epi64(word, _mm_cvtsi32_si128((int)view->fast.group_shift));
  const __m512i masks = lfb_fast512_masks(&view->fast, lfb_fast512_bits(&view->lanes, hash));
  fast512_spread spread;

  spread.bits = _mm512_permutexvar_epi64(group, masks);
  spread.own = _mm512_cmpeq_epi64_mask(
      word, _mm512_permutexvar_epi64(group, lfb_fast512_words(&view->lanes, hash->round0)));
  return spread;
}

/* For lines that no other thread uses: plain vector loads and stores (kernel.h). */
TARGET LFB_INLINE uint64_t fast512_alone_one(const fast512_view *view, uint64_t hash)
{
  const lfb_fast512_hash of = lfb_fast512_hash_of(&view->fast, hash);
  const fast512_spread key = fast512_spread_of(view, &of);
  void *at = (void *)of.block;
  const __m512i line = _mm512_load_si512(at);
  const __m512i missing = _mm512_andnot_si512(line, key.bits);

  _mm512_store_si512(at, _mm512_mask_or_epi64(line, key.own, line, key.bits));
  return _mm512_mask_test_epi64_mask(key.own, missing, missing);
}

#define FAST_SHAPE 0, 0
#define FAST_PUT fast512_any_put
#define FAST_MIGHT_CONTAIN fast512_any_might_contain
#define FAST_PUT_MANY fast512_any_put_many
#define FAST_MIGHT_CONTAIN_MANY fast512_any_might_contain_many
#define FAST_PUT_MANY_ALONE fast512_any_put_many_alone
#define FAST_KERNEL fast512_any_kernel
#include "bloom/strategies/fast/kernel.inc.h"

#define FAST_SHAPE 2, 6
#define FAST_PUT fast512_2x3_put
#define FAST_MIGHT_CONTAIN fast512_2x3_might_contain
#define FAST_PUT_MANY fast512_2x3_put_many
#define FAST_MIGHT_CONTAIN_MANY fast512_2x3_might_contain_many
#define FAST_PUT_MANY_ALONE fast512_2x3_put_many_alone
#define FAST_KERNEL fast512_2x3_kernel
#include "bloom/strategies/fast/kernel.inc.h"

#define FAST_SHAPE 1, 8
#define FAST_PUT fast512_4x2_put
#define FAST_MIGHT_CONTAIN fast512_4x2_might_contain
#define FAST_PUT_MANY fast512_4x2_put_many
#define FAST_MIGHT_CONTAIN_MANY fast512_4x2_might_contain_many
#define FAST_PUT_MANY_ALONE fast512_4x2_put_many_alone
#define FAST_KERNEL fast512_4x2_kernel
#include "bloom/strategies/fast/kernel.inc.h"

#define FAST_SHAPE 1, 12
#define FAST_PUT fast512_4x3_put
#define FAST_MIGHT_CONTAIN fast512_4x3_might_contain
#define FAST_PUT_MANY fast512_4x3_put_many
#define FAST_MIGHT_CONTAIN_MANY fast512_4x3_might_contain_many
#define FAST_PUT_MANY_ALONE fast512_4x3_put_many_alone
#define FAST_KERNEL fast512_4x3_kernel
#include "bloom/strategies/fast/kernel.inc.h"

const lfb_kernel *const lfb_kernels_fast512[LFB_FAST_KERNELS] = {
    &fast512_any_kernel, &fast512_2x3_kernel, &fast512_4x2_kernel, &fast512_4x3_kernel,
};

#endif
