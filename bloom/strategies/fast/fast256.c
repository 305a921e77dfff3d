/*
 * fast256.c - strategy `fast` on processors with AVX2: the kernels over
 * lfbloom/fast_avx2.h.  Answers and bits are those of fast.c.
 */
#include "bloom/hashing/simd.h"

#ifdef LFB_SIMD_X86
#define TARGET LFB_AVX2_TARGET
#define LFB_FAST_AVX2_TARGET LFB_AVX2_TARGET

#include <lfbloom/fast.h>

#include "bloom/strategies/fast/fast_alone.h"
#include "bloom/strategies/fast/fast_kernels.h"

#define FAST_TARGET TARGET
#define FAST_(noun) fast256_##noun

typedef lfb_fast256 fast256_lanes;
#define FAST_LANES(fast) lfb_fast256_of(fast)
#include "bloom/strategies/fast/view.inc.h"

TARGET LFB_INLINE uint64_t fast256_put_one(const fast256_view *view, uint64_t hash)
{
  return lfb_fast256_put_bits_shape(&view->fast, &view->lanes, hash);
}

TARGET LFB_INLINE uint64_t fast256_query_one(const fast256_view *view, uint64_t hash)
{
  return lfb_fast256_might_contain_shape(&view->fast, &view->lanes, hash);
}

TARGET LFB_INLINE bool fast256_query_single(const lfb_fast *fast, uint64_t hash)
{
  return lfb_fast256_might_contain(fast, hash);
}

/* Vectors would not make this faster. */
TARGET LFB_INLINE uint64_t fast256_alone_one(const fast256_view *view, uint64_t hash)
{
  return lfb_fast_put_alone(&view->fast, hash);
}


#define FAST_SHAPE 0, 0
#define FAST_PUT fast256_any_put
#define FAST_MIGHT_CONTAIN fast256_any_might_contain
#define FAST_PUT_MANY fast256_any_put_many
#define FAST_MIGHT_CONTAIN_MANY fast256_any_might_contain_many
#define FAST_PUT_MANY_ALONE fast256_any_put_many_alone
#define FAST_KERNEL fast256_any_kernel
#include "bloom/strategies/fast/kernel.inc.h"

#define FAST_SHAPE 2, 6
#define FAST_PUT fast256_2x3_put
#define FAST_MIGHT_CONTAIN fast256_2x3_might_contain
#define FAST_PUT_MANY fast256_2x3_put_many
#define FAST_MIGHT_CONTAIN_MANY fast256_2x3_might_contain_many
#define FAST_PUT_MANY_ALONE fast256_2x3_put_many_alone
#define FAST_KERNEL fast256_2x3_kernel
#include "bloom/strategies/fast/kernel.inc.h"

#define FAST_SHAPE 1, 8
#define FAST_PUT fast256_4x2_put
#define FAST_MIGHT_CONTAIN fast256_4x2_might_contain
#define FAST_PUT_MANY fast256_4x2_put_many
#define FAST_MIGHT_CONTAIN_MANY fast256_4x2_might_contain_many
#define FAST_PUT_MANY_ALONE fast256_4x2_put_many_alone
#define FAST_KERNEL fast256_4x2_kernel
#include "bloom/strategies/fast/kernel.inc.h"

#define FAST_SHAPE 1, 12
#define FAST_PUT fast256_4x3_put
#define FAST_MIGHT_CONTAIN fast256_4x3_might_contain
#define FAST_PUT_MANY fast256_4x3_put_many
#define FAST_MIGHT_CONTAIN_MANY fast256_4x3_might_contain_many
#define FAST_PUT_MANY_ALONE fast256_4x3_put_many_alone
#define FAST_KERNEL fast256_4x3_kernel
#include "bloom/strategies/fast/kernel.inc.h"

const lfb_kernel *const lfb_kernels_fast256[LFB_FAST_KERNELS] = {
    &fast256_any_kernel, &fast256_2x3_kernel, &fast256_4x2_kernel, &fast256_4x3_kernel,
};

#endif
