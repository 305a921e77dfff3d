/*
 * fast.c - strategy `fast`: one cache line a key.  The layout and its scalar code
 * are lfbloom/fast_view.h; these are the row and the kernel for any processor.
 */
#include <lfbloom/fast.h>

#include "bloom/strategies/fast/fast_alone.h"
#include "bloom/strategies/fast/fast_kernels.h"
#include "bloom/strategies/fast/fast_size.h"
#include "bloom/strategies/strategies.h"

typedef lfb_fast fast_view;

LFB_INLINE fast_view fast_view_of(const lfb_fast *fast)
{
  return *fast;
}

LFB_INLINE void fast_ask(const fast_view *view, uint64_t hash)
{
  lfb_fast_prefetch(view, hash);
}

LFB_INLINE void fast_ask_put(const fast_view *view, uint64_t hash)
{
  lfb_fast_prefetch_put(view, hash);
}

LFB_INLINE uint64_t fast_put_one(const fast_view *view, uint64_t hash)
{
  return lfb_fast_turn_on_shape(view, hash);
}

LFB_INLINE uint64_t fast_query_one(const fast_view *view, uint64_t hash)
{
  return lfb_fast_is_in(view, hash);
}

LFB_INLINE uint64_t fast_alone_one(const fast_view *view, uint64_t hash)
{
  return lfb_fast_put_alone(view, hash);
}

LFB_INLINE uint64_t fast_credit_one(const fast_view *view, uint64_t hash)
{
  return lfb_fast_credit(view, hash);
}

#define FAST_TARGET
#define FAST_(noun) fast_##noun
#define FAST_PUT fast_put
#define FAST_MIGHT_CONTAIN fast_might_contain
#define FAST_PUT_MANY fast_put_many
#define FAST_MIGHT_CONTAIN_MANY fast_might_contain_many
#define FAST_PUT_MANY_ALONE fast_put_many_alone
#define FAST_CREDIT_MANY fast_credit_many
#include "bloom/strategies/fast/kernel.inc.h"

static const lfb_kernel fast_kernel = {
    .put = fast_put,
    .might_contain = fast_might_contain,
    .put_many = fast_put_many,
    .might_contain_many = fast_might_contain_many,
    .put_many_alone = fast_put_many_alone,
    .credit_many = fast_credit_many,
};

const lfb_strategy lfb_strategy_fast = {
    .id = LFB_FAST,
    .file_id = 2,
    .name = "fast",
    .hash = LFB_KIND_XXH3,
    .seeding = LFB_SEED_RANDOM,
    .reachable_bits = UINT64_MAX,
    .size = lfb_fast_size,
    .valid = lfb_fast_valid,
    .fpp_after = lfb_fast_fpp_after,
    .count = lfb_fast_count_elements,
    .fpp_now = lfb_fast_fpp_now,
    .bits_of = lfb_fast_bits_of,
    .kernels = {&fast_kernel, LFB_X86(&lfb_kernel_fast256), LFB_X86(&lfb_kernel_fast512)},
};
