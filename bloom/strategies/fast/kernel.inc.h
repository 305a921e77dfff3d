/*
 * kernel.inc.h - template: the kernel of `fast` for one set of instructions.
 *
 * Whoever includes this defines
 *
 *   FAST_TARGET  what a function begins with that uses the instructions
 *   FAST_(noun)  the name of what is inlined: fast256_##noun
 *   FAST_PUT, FAST_MIGHT_CONTAIN, FAST_PUT_MANY, FAST_MIGHT_CONTAIN_MANY, FAST_PUT_MANY_ALONE,
 *   FAST_CREDIT_MANY
 *                the names of a kernel's functions (kernel.h)
 *
 * and before, the type FAST_(view), what is the same for all keys of a filter, and the functions
 *
 *   FAST_(view) FAST_(view_of)(fast)
 *   void FAST_(ask)(view, hash)      asks for the hash's line, to read it
 *   void FAST_(ask_put)(view, hash)  .. to write to it
 *   uint64_t FAST_(put_one)(view, hash)     turns its bits on: how many it did
 *   uint64_t FAST_(query_one)(view, hash)   whether they are on
 *   uint64_t FAST_(alone_one)(view, hash)   turns them on by plain stores: whether it did
 *   uint64_t FAST_(credit_one)(view, hash)  turns them off so: whether one was on
 */

#define FAST_UNROLL LFB_UNROLL_8
#include "bloom/strategies/fast/shapes.inc.h"

FAST_TARGET static uint32_t FAST_PUT(const lfb_layout *layout, lfb_hash hash)
{
  return (uint32_t)FAST_(one)(&layout->fast, hash.low, FAST_(put_one));
}

FAST_TARGET static bool FAST_MIGHT_CONTAIN(const lfb_layout *layout, lfb_hash hash)
{
  return FAST_(one)(&layout->fast, hash.low, FAST_(query_one)) != 0;
}

FAST_TARGET static uint64_t FAST_PUT_MANY(const lfb_layout *layout, const uint64_t *low,
                                          const uint64_t *high, size_t count, uint64_t *answers)
{
  (void)high;
  return FAST_(many)(&layout->fast, low, count, answers, FAST_(ask_put), FAST_(put_one));
}

FAST_TARGET static void FAST_MIGHT_CONTAIN_MANY(const lfb_layout *layout, const uint64_t *low,
                                                const uint64_t *high, size_t count,
                                                uint64_t *answers)
{
  (void)high;
  (void)FAST_(many)(&layout->fast, low, count, answers, FAST_(ask), FAST_(query_one));
}

FAST_TARGET static void FAST_PUT_MANY_ALONE(const lfb_layout *layout, const uint64_t *hashes,
                                            size_t count, uint64_t *answers)
{
  (void)FAST_(many)(&layout->fast, hashes, count, answers, FAST_(ask_put), FAST_(alone_one));
}

FAST_TARGET static void FAST_CREDIT_MANY(const lfb_layout *layout, const uint64_t *hashes,
                                         size_t count, uint64_t *answers)
{
  (void)FAST_(many)(&layout->fast, hashes, count, answers, FAST_(ask_put),
                        FAST_(credit_one));
}

#undef FAST_TARGET
#undef FAST_
#undef FAST_PUT
#undef FAST_MIGHT_CONTAIN
#undef FAST_PUT_MANY
#undef FAST_MIGHT_CONTAIN_MANY
#undef FAST_PUT_MANY_ALONE
#undef FAST_CREDIT_MANY
