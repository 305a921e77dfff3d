/*
 * classic.inc.h - template: the kernel of a classic strategy (probes.h), and the bits of a key.
 *
 * Before including it, once in a file, define
 *
 *   CLASSIC_START, CLASSIC_NEXT  the functions of the strategy's walk
 *   CLASSIC_BITS_OF              a name for the row's bits_of (strategy.h)
 *   CLASSIC_PUT, CLASSIC_MIGHT_CONTAIN, CLASSIC_MANY
 *                                names for the kernel's functions (kernel.h)
 *   CLASSIC_KERNELS              a name for the array that is the row's kernels[LFB_SIMD_NONE]
 *
 * and, for a strategy with a form that has its words at any address,
 *
 *   CLASSIC_BYTES_MIGHT_CONTAIN, CLASSIC_BYTES_MIGHT_CONTAIN_MANY, CLASSIC_BYTES_KERNELS
 *                                names for the functions and the row's bytes_kernels[LFB_SIMD_NONE]
 *
 * mitz64.c is an example.
 */

static uint32_t CLASSIC_BITS_OF(const lfb_layout *layout, lfb_hash hash, uint64_t *indexes)
{
  return probes_bits_of(layout, hash, indexes, CLASSIC_START, CLASSIC_NEXT);
}

static uint32_t CLASSIC_PUT(const lfb_layout *layout, lfb_hash hash)
{
  return probes_put(layout, hash, CLASSIC_START, CLASSIC_NEXT);
}

static bool CLASSIC_MIGHT_CONTAIN(const lfb_layout *layout, lfb_hash hash)
{
  return probes_might_contain(layout, hash, LFB_PROBES_QUERY, CLASSIC_START, CLASSIC_NEXT);
}

static uint64_t CLASSIC_MANY(const lfb_layout *layout, lfb_kernel_verb verb, const uint64_t *low,
                             const uint64_t *high, size_t count, uint64_t *answers)
{
  return verb == LFB_KERNEL_PUT
             ? probes_many(layout, low, high, count, answers, LFB_PROBES_PUT, CLASSIC_START, CLASSIC_NEXT)
             : probes_many(layout, low, high, count, answers, LFB_PROBES_QUERY, CLASSIC_START, CLASSIC_NEXT);
}

static const lfb_kernel *const CLASSIC_KERNELS[] = {&(const lfb_kernel){
    .put = CLASSIC_PUT,
    .might_contain = CLASSIC_MIGHT_CONTAIN,
    .many = CLASSIC_MANY,
}};

#ifdef CLASSIC_BYTES_KERNELS
static bool CLASSIC_BYTES_MIGHT_CONTAIN(const lfb_layout *layout, lfb_hash hash)
{
  return probes_might_contain(layout, hash, LFB_PROBES_QUERY_BYTES, CLASSIC_START, CLASSIC_NEXT);
}

static uint64_t CLASSIC_BYTES_MANY(const lfb_layout *layout, lfb_kernel_verb verb,
                                   const uint64_t *low, const uint64_t *high, size_t count,
                                   uint64_t *answers)
{
  (void)verb; /* a query */
  return probes_many(layout, low, high, count, answers, LFB_PROBES_QUERY_BYTES, CLASSIC_START,
                     CLASSIC_NEXT);
}

static const lfb_kernel *const CLASSIC_BYTES_KERNELS[] = {&(const lfb_kernel){
    .might_contain = CLASSIC_BYTES_MIGHT_CONTAIN,
    .many = CLASSIC_BYTES_MANY,
}};
#endif
