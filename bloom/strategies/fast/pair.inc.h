/*
 * pair.inc.h - template: the kernel of `fast-pair` for one set of instructions.
 *
 * Whoever includes this defines
 *
 *   PAIR_TARGET  what a function begins with that uses the instructions
 *   PAIR_(noun)  the name of what is inlined: pair256_##noun
 *   PAIR_PUT, PAIR_MIGHT_CONTAIN, PAIR_PUT_MANY, PAIR_MIGHT_CONTAIN_MANY
 *                the names of a kernel's functions (kernel.h)
 *
 * and before, the functions
 *
 *   lfb_two PAIR_(mask)(hash, probes)        a key's bits
 *   bool PAIR_(has)(pair, hash, probes)      whether all of them are on
 *   uint32_t PAIR_(count)(two)               how many bits are on in two words
 *
 * 6 probes, those of 1 %, are a constant in the code for them.
 */

PAIR_TARGET LFB_INLINE uint64_t PAIR_(put_one)(const lfb_layout *layout, uint64_t hash)
{
  lfb_word *pair = lfb_fast_pair_block(layout, hash);
  const lfb_two mask =
      layout->probes == 6 ? PAIR_(mask)(hash, 6) : PAIR_(mask)(hash, layout->probes);
  return PAIR_(count)(lfb_pair_set(pair, mask));
}

PAIR_TARGET LFB_INLINE uint64_t PAIR_(query_one)(const lfb_layout *layout, uint64_t hash)
{
  const lfb_word *pair = lfb_fast_pair_block(layout, hash);
  return layout->probes == 6 ? PAIR_(has)(pair, hash, 6) : PAIR_(has)(pair, hash, layout->probes);
}

LFB_INLINE void PAIR_(ask)(const lfb_layout *layout, uint64_t hash)
{
  lfb_prefetch_read((const void *)lfb_fast_pair_block(layout, hash));
}

LFB_INLINE void PAIR_(ask_put)(const lfb_layout *layout, uint64_t hash)
{
  lfb_prefetch_write((const void *)lfb_fast_pair_block(layout, hash));
}

#define LINES_TARGET PAIR_TARGET
#define LINES_LOOP PAIR_(lines)
#define LINES_VIEW lfb_layout
#define LINES_UNROLL LFB_UNROLL_8
#include "bloom/strategies/lines.inc.h"

PAIR_TARGET static uint32_t PAIR_PUT(const lfb_layout *layout, lfb_hash hash)
{
  return (uint32_t)PAIR_(put_one)(layout, hash.low);
}

PAIR_TARGET static bool PAIR_MIGHT_CONTAIN(const lfb_layout *layout, lfb_hash hash)
{
  return PAIR_(query_one)(layout, hash.low) != 0;
}

PAIR_TARGET static uint64_t PAIR_PUT_MANY(const lfb_layout *layout, const uint64_t *low,
                                          const uint64_t *high, size_t count, uint64_t *answers)
{
  (void)high;
  return PAIR_(lines)(layout, low, count, answers, PAIR_(ask_put), PAIR_(put_one));
}

PAIR_TARGET static void PAIR_MIGHT_CONTAIN_MANY(const lfb_layout *layout, const uint64_t *low,
                                                const uint64_t *high, size_t count,
                                                uint64_t *answers)
{
  (void)high;
  (void)PAIR_(lines)(layout, low, count, answers, PAIR_(ask), PAIR_(query_one));
}

#undef PAIR_TARGET
#undef PAIR_
#undef PAIR_PUT
#undef PAIR_MIGHT_CONTAIN
#undef PAIR_PUT_MANY
#undef PAIR_MIGHT_CONTAIN_MANY
