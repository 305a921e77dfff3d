/*
 * kernel.inc.h - template: the kernel of `fast` for one set of instructions and one shape.
 *
 * Before including it, define for all shapes
 *
 *   FAST_TARGET  the target attribute of its functions
 *   FAST_(noun)  the name of an inlined function: fast256_##noun
 *
 * the type FAST_(view) of the data that is common to all keys, and the functions
 *
 *   FAST_(view) FAST_(view_of)(fast)
 *   uint64_t FAST_(put_one)(view, hash)     turns on the hash's bits; returns how many it turned on
 *   uint64_t FAST_(put_by_call)(view, hash) the same, where puts are far apart: fewest instructions
 *   uint64_t FAST_(query_one)(view, hash)   whether all of them are on
 *   uint64_t FAST_(many)(view, verb, cached, hashes, count, answers)
 *                                           for many hashes, as kernel.h states
 *
 * loops.inc.h defines the last from functions for one hash.
 *
 * Then define for each shape
 *
 *   FAST_SHAPE   its block_shift, group_shift and probes; 0 probes: those of the filter
 *   FAST_PUT, FAST_MIGHT_CONTAIN, FAST_MANY
 *                names for its functions (kernel.h)
 *   FAST_KERNEL  a name for the kernel
 */

FAST_TARGET static uint32_t FAST_PUT(const lfb_layout *layout, lfb_hash hash)
{
  const lfb_fast fast = lfb_fast_shaped(&layout->fast, FAST_SHAPE);
  const FAST_(view) view = FAST_(view_of)(&fast);
  return (uint32_t)FAST_(put_by_call)(&view, hash.low);
}

FAST_TARGET static bool FAST_MIGHT_CONTAIN(const lfb_layout *layout, lfb_hash hash)
{
  const lfb_fast fast = lfb_fast_shaped(&layout->fast, FAST_SHAPE);
  const FAST_(view) view = FAST_(view_of)(&fast);
  return FAST_(query_one)(&view, hash.low) != 0;
}

FAST_TARGET static uint64_t FAST_MANY(const lfb_layout *layout, lfb_kernel_verb verb,
                                      const uint64_t *low, const uint64_t *high, size_t count,
                                      uint64_t *answers)
{
  (void)high;
  if (verb == LFB_KERNEL_CREDIT) { /* before any vector is in use: simd.h */
    lfb_fast_credit_many(layout, low, count, answers);
    return 0;
  }
  const lfb_fast fast = lfb_fast_shaped(&layout->fast, FAST_SHAPE);
  const FAST_(view) view = FAST_(view_of)(&fast);
  return FAST_(many)(&view, verb, layout->cached, low, count, answers);
}

static const lfb_kernel FAST_KERNEL = {
    .put = FAST_PUT,
    .might_contain = FAST_MIGHT_CONTAIN,
    .many = FAST_MANY,
};

#undef FAST_SHAPE
#undef FAST_PUT
#undef FAST_MIGHT_CONTAIN
#undef FAST_MANY
#undef FAST_KERNEL
