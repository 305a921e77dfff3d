/*
 * sbbf_kernel.inc.h - template: the kernel of `sbbf` for one set of instructions.  Before
 * including it, once in a file, define
 *
 *   SBBF_TARGET   the target attribute of its functions
 *   SBBF_(noun)   the name of an inlined function, and of the kernel: sbbf256_##noun
 *   SBBF_MIGHT_CONTAIN, SBBF_MANY, SBBF_PUT, SBBF_TURN_ON
 *                 names for its functions (kernel.h)
 *   SBBF_BYTES    if the kernel is for bytes that are only read
 *   SBBF_UNROLL   the unroll attribute of its loop over many hashes whose blocks are in the cache,
 *                 if that gains anything
 *
 * and the functions
 *
 *   uint64_t SBBF_(query_one)(layout, hash)  whether all bits are on
 *   uint64_t SBBF_(put_one)(layout, hash)    how many bits it turned on, unless it is for bytes
 */

SBBF_TARGET LFB_INLINE void SBBF_(prefetch)(const lfb_layout *layout, uint64_t hash)
{
  lfb_prefetch_read(lfb_sbbf_bytes(layout, hash));
#ifdef SBBF_BYTES /* the block may be in two lines */
  lfb_prefetch_read(lfb_sbbf_bytes(layout, hash) + LFB_SBBF_WORDS * sizeof(lfb_word) - 1);
#endif
}

#define LINES_TARGET SBBF_TARGET
#define LINES_LOOP SBBF_(lines)
#define LINES_VIEW lfb_layout
#include "bloom/strategies/lines.inc.h"

#ifdef SBBF_UNROLL
#define LINES_TARGET SBBF_TARGET
#define LINES_LOOP SBBF_(lines_near)
#define LINES_VIEW lfb_layout
#define LINES_UNROLL SBBF_UNROLL
#include "bloom/strategies/lines.inc.h"
#endif

SBBF_TARGET static bool SBBF_MIGHT_CONTAIN(const lfb_layout *layout, lfb_hash hash)
{
  return SBBF_(query_one)(layout, hash.low) != 0;
}

#ifndef SBBF_BYTES
SBBF_TARGET LFB_INLINE void SBBF_(prefetch_put)(const lfb_layout *layout, uint64_t hash)
{
  lfb_prefetch_write((const void *)lfb_sbbf_block(layout, hash));
}

SBBF_TARGET static uint32_t SBBF_TURN_ON(const lfb_layout *layout, lfb_hash hash)
{
  return (uint32_t)SBBF_(put_one)(layout, hash.low);
}

SBBF_TARGET static bool SBBF_PUT(const lfb_layout *layout, lfb_hash hash)
{
  return lfb_bit_array_add(&layout->bits, (uint32_t)SBBF_(put_one)(layout, hash.low));
}
#endif

SBBF_TARGET static uint64_t SBBF_MANY(const lfb_layout *layout, lfb_kernel_verb verb,
                                      const uint64_t *low, const uint64_t *high, size_t count,
                                      uint64_t *answers)
{
  (void)high;
  (void)verb;
#ifndef SBBF_BYTES
  if (verb == LFB_KERNEL_PUT)
    return SBBF_(lines)(layout, true, low, count, answers, SBBF_(prefetch_put), SBBF_(put_one));
#endif
#ifdef SBBF_UNROLL
  if (layout->cached >= LFB_LINES_NEAR)
    return SBBF_(lines_near)(layout, false, low, count, answers, SBBF_(prefetch), SBBF_(query_one));
#endif
  return SBBF_(lines)(layout, layout->cached < LFB_LINES_NEAR, low, count, answers, SBBF_(prefetch),
                      SBBF_(query_one));
}

static const lfb_kernel SBBF_(kernel) = {
#ifndef SBBF_BYTES
    .put = SBBF_PUT,
    .turn_on = SBBF_TURN_ON,
#endif
    .might_contain = SBBF_MIGHT_CONTAIN,
    .many = SBBF_MANY,
};

#undef SBBF_TARGET
#undef SBBF_
#undef SBBF_BYTES
#undef SBBF_UNROLL
#undef SBBF_PUT
#undef SBBF_TURN_ON
#undef SBBF_MIGHT_CONTAIN
#undef SBBF_MANY
