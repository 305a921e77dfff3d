/*
 * pair.inc.h - template: the kernel of `fast-pair` for one set of instructions and one number of
 * probes.
 *
 * Before including it, define for all numbers of probes
 *
 *   PAIR_TARGET  the target attribute of its functions
 *   PAIR_(noun)  the name of an inlined function: pair256_##noun
 *
 * and the functions
 *
 *   lfb_two PAIR_(mask)(hash, probes)        a key's bits
 *   bool PAIR_(has)(pair, hash, probes)      whether all of them are on
 *   uint32_t PAIR_(count)(two)               how many bits are on in two words
 *
 * Then define for each kernel
 *
 *   PAIR_PROBES  the number of probes, an expression that may use `layout`
 *   PAIR_ONE(noun)  the name of an inlined function of this kernel: pair256_6_##noun
 *   PAIR_PUT, PAIR_MIGHT_CONTAIN, PAIR_PUT_MANY, PAIR_MIGHT_CONTAIN_MANY
 *                names for the kernel's functions (kernel.h)
 *   PAIR_KERNEL  a name for the kernel
 */

PAIR_TARGET LFB_INLINE uint64_t PAIR_ONE(put_one)(const lfb_layout *layout, uint64_t hash)
{
  lfb_word *pair = lfb_fast_pair_block(layout, hash);
  return PAIR_(count)(lfb_pair_set(pair, PAIR_(mask)(hash, PAIR_PROBES)));
}

PAIR_TARGET LFB_INLINE uint64_t PAIR_ONE(query_one)(const lfb_layout *layout, uint64_t hash)
{
  return PAIR_(has)(lfb_fast_pair_block(layout, hash), hash, PAIR_PROBES);
}

#define LINES_TARGET PAIR_TARGET
#define LINES_LOOP PAIR_ONE(lines)
#define LINES_VIEW lfb_layout
#define LINES_UNROLL LFB_UNROLL_8
#include "bloom/strategies/lines.inc.h"

PAIR_TARGET static uint32_t PAIR_PUT(const lfb_layout *layout, lfb_hash hash)
{
  return (uint32_t)PAIR_ONE(put_one)(layout, hash.low);
}

PAIR_TARGET static bool PAIR_MIGHT_CONTAIN(const lfb_layout *layout, lfb_hash hash)
{
  return PAIR_ONE(query_one)(layout, hash.low) != 0;
}

PAIR_TARGET static uint64_t PAIR_PUT_MANY(const lfb_layout *layout, const uint64_t *low,
                                          const uint64_t *high, size_t count, uint64_t *answers)
{
  (void)high;
  return PAIR_ONE(lines)(layout, low, count, answers, lfb_fast_pair_ask_put, PAIR_ONE(put_one));
}

PAIR_TARGET static void PAIR_MIGHT_CONTAIN_MANY(const lfb_layout *layout, const uint64_t *low,
                                                const uint64_t *high, size_t count,
                                                uint64_t *answers)
{
  (void)high;
  (void)PAIR_ONE(lines)(layout, low, count, answers, lfb_fast_pair_ask, PAIR_ONE(query_one));
}

static const lfb_kernel PAIR_KERNEL = {
    .put = PAIR_PUT,
    .might_contain = PAIR_MIGHT_CONTAIN,
    .put_many = PAIR_PUT_MANY,
    .might_contain_many = PAIR_MIGHT_CONTAIN_MANY,
};

#undef PAIR_PROBES
#undef PAIR_ONE
#undef PAIR_PUT
#undef PAIR_MIGHT_CONTAIN
#undef PAIR_PUT_MANY
#undef PAIR_MIGHT_CONTAIN_MANY
#undef PAIR_KERNEL
