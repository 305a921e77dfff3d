/*
 * fast.c - strategy `fast`: one cache line per key.  bloom/strategies/fast_view.h has the layout,
 * fast_key.h the code for one key, fast_size.c the sizes and the row; this file has the kernels of
 * `fast` and `fast-pair` for any processor.
 */
#include "bloom/strategies/fast/fast_key.h"
#include "bloom/strategies/fast/fast.h"

#define FAST_TARGET
#define FAST_(noun) fast_##noun

/* Without vectors nothing is common to all keys but the shape. */
typedef struct fast_view {
  lfb_fast fast;
} fast_view;

LFB_INLINE fast_view fast_view_of(const lfb_fast *fast)
{
  return (fast_view){*fast};
}

LFB_INLINE uint64_t fast_put_one(const fast_view *view, uint64_t hash)
{
  const lfb_fast_key key = lfb_fast_key_of(&view->fast, hash);
  return lfb_fast_key_put(&view->fast, &key);
}

LFB_INLINE uint64_t fast_query_one(const fast_view *view, uint64_t hash)
{
  return lfb_fast_has_bits(&view->fast, hash);
}

LFB_INLINE uint64_t fast_credit_one(const fast_view *view, uint64_t hash)
{
  const lfb_fast_key key = lfb_fast_key_of(&view->fast, hash);
  return lfb_fast_key_credit(&view->fast, &key);
}

#define fast_put_by_call fast_put_one
#include "bloom/strategies/fast/loops.inc.h"
#define fast_many fast_each

#define FAST_SHAPE 0, 0, 0
#define FAST_PUT fast_any_put
#define FAST_MIGHT_CONTAIN fast_any_might_contain
#define FAST_MANY fast_any_many
#define FAST_KERNEL fast_any_kernel
#include "bloom/strategies/fast/kernel.inc.h"

#ifdef LFB_PLAIN_SHAPES
#define FAST_SHAPE 3, 2, 6
#define FAST_PUT fast_2x3_put
#define FAST_MIGHT_CONTAIN fast_2x3_might_contain
#define FAST_MANY fast_2x3_many
#define FAST_KERNEL fast_2x3_kernel
#include "bloom/strategies/fast/kernel.inc.h"

#define FAST_SHAPE 3, 1, 8
#define FAST_PUT fast_4x2_put
#define FAST_MIGHT_CONTAIN fast_4x2_might_contain
#define FAST_MANY fast_4x2_many
#define FAST_KERNEL fast_4x2_kernel
#include "bloom/strategies/fast/kernel.inc.h"

#define FAST_SHAPE 3, 1, 12
#define FAST_PUT fast_4x3_put
#define FAST_MIGHT_CONTAIN fast_4x3_might_contain
#define FAST_MANY fast_4x3_many
#define FAST_KERNEL fast_4x3_kernel
#include "bloom/strategies/fast/kernel.inc.h"

#define FAST_SHAPE 1, 0, 6
#define FAST_PUT fast_pair6_put
#define FAST_MIGHT_CONTAIN fast_pair6_might_contain
#define FAST_MANY fast_pair6_many
#define FAST_KERNEL fast_pair6_kernel
#include "bloom/strategies/fast/kernel.inc.h"

const lfb_kernel *const lfb_kernels_fast[LFB_FAST_KERNELS] = {
    &fast_any_kernel, &fast_2x3_kernel, &fast_4x2_kernel, &fast_4x3_kernel, &fast_any_kernel,
    &fast_any_kernel, &fast_any_kernel, &fast_any_kernel, &fast_pair6_kernel,
    &fast_2x3_kernel, &fast_4x2_kernel, &fast_4x3_kernel,
};
#else
const lfb_kernel *const lfb_kernels_fast[LFB_FAST_KERNELS] = {
    &fast_any_kernel, &fast_any_kernel, &fast_any_kernel, &fast_any_kernel, &fast_any_kernel,
    &fast_any_kernel, &fast_any_kernel, &fast_any_kernel, &fast_any_kernel,
    &fast_any_kernel, &fast_any_kernel, &fast_any_kernel,
};
#endif

/* Merges that lose bits to other threads are rare: one function serves all shapes and instructions
 * (fast.h). */
void lfb_fast_credit_many(const lfb_layout *layout, const uint64_t *hashes, size_t count,
                          uint64_t *answers)
{
  const fast_view view = fast_view_of(&layout->fast);
  (void)fast_lines(&view, true, hashes, count, answers, fast_prefetch_put, fast_credit_one);
}
