/*
 * classic.inc.h - template: the kernel of a classic strategy (probes.h), and the bits of a key.
 *
 * Before including it, define
 *
 *   CLASSIC_(noun)  the name of an inlined function, and of the kernel: mitz64_##noun
 *   CLASSIC_BITS_OF, CLASSIC_PUT, CLASSIC_TURN_ON, CLASSIC_MIGHT_CONTAIN, CLASSIC_MANY
 *                   names for the row's bits_of (strategy.h) and the kernel's functions (kernel.h)
 *   CLASSIC_USUAL   the probes for which the loop over many keys is compiled by itself; 0: none
 *   CLASSIC_BYTES_MIGHT_CONTAIN, CLASSIC_BYTES_MANY
 *                   if the strategy has a form with its words at any address: there is a
 *                   bytes_kernel, too
 *
 * and the functions CLASSIC_(start) and CLASSIC_(next) of the strategy's walk.
 */

static uint32_t CLASSIC_BITS_OF(const lfb_layout *layout, lfb_hash hash, uint64_t *indexes)
{
  return probes_bits_of(layout, hash, indexes, CLASSIC_(start), CLASSIC_(next));
}

static uint32_t CLASSIC_TURN_ON(const lfb_layout *layout, lfb_hash hash)
{
  return probes_put(layout, hash, CLASSIC_(start), CLASSIC_(next));
}

static bool CLASSIC_PUT(const lfb_layout *layout, lfb_hash hash)
{
  return lfb_bit_array_add(&layout->bits, CLASSIC_TURN_ON(layout, hash));
}

static bool CLASSIC_MIGHT_CONTAIN(const lfb_layout *layout, lfb_hash hash)
{
  return probes_might_contain(layout, hash, LFB_PROBES_QUERY, CLASSIC_(start), CLASSIC_(next));
}

static uint64_t CLASSIC_MANY(const lfb_layout *layout, lfb_kernel_verb verb, const uint64_t *low,
                             const uint64_t *high, size_t count, uint64_t *answers)
{
  return verb == LFB_KERNEL_PUT
             ? probes_many(layout, low, high, count, answers, LFB_PROBES_PUT, CLASSIC_USUAL,
                           CLASSIC_(start), CLASSIC_(next))
             : probes_many(layout, low, high, count, answers, LFB_PROBES_QUERY, CLASSIC_USUAL,
                           CLASSIC_(start), CLASSIC_(next));
}

static const lfb_kernel CLASSIC_(kernel) = {
    .put = CLASSIC_PUT,
    .turn_on = CLASSIC_TURN_ON,
    .might_contain = CLASSIC_MIGHT_CONTAIN,
    .many = CLASSIC_MANY,
};

#ifdef CLASSIC_BYTES_MANY
static bool CLASSIC_BYTES_MIGHT_CONTAIN(const lfb_layout *layout, lfb_hash hash)
{
  return probes_might_contain(layout, hash, LFB_PROBES_QUERY_BYTES, CLASSIC_(start),
                              CLASSIC_(next));
}

static uint64_t CLASSIC_BYTES_MANY(const lfb_layout *layout, lfb_kernel_verb verb,
                                   const uint64_t *low,
                                     const uint64_t *high, size_t count, uint64_t *answers)
{
  (void)verb; /* a query */
  return probes_many(layout, low, high, count, answers, LFB_PROBES_QUERY_BYTES, 0,
                     CLASSIC_(start), CLASSIC_(next));
}

static const lfb_kernel CLASSIC_(bytes_kernel) = {
    .might_contain = CLASSIC_BYTES_MIGHT_CONTAIN,
    .many = CLASSIC_BYTES_MANY,
};
#endif

#undef CLASSIC_
#undef CLASSIC_BITS_OF
#undef CLASSIC_PUT
#undef CLASSIC_TURN_ON
#undef CLASSIC_USUAL
#undef CLASSIC_MIGHT_CONTAIN
#undef CLASSIC_MANY
#undef CLASSIC_BYTES_MIGHT_CONTAIN
#undef CLASSIC_BYTES_MANY
