/*
 * loops.inc.h - template: the loops of kernel.inc.h over many keys, key by key, for one set of
 * instructions.
 *
 * Before including it, define FAST_TARGET, FAST_(noun), FAST_(view), FAST_(put_one) and
 * FAST_(query_one) as for kernel.inc.h.
 */

/* Prefetches the line of a hash: for a read, and below for a write. */
LFB_INLINE void FAST_(prefetch)(const FAST_(view) *view, uint64_t hash)
{
  lfb_fast_prefetch(&view->fast, hash);
}

LFB_INLINE void FAST_(prefetch_put)(const FAST_(view) *view, uint64_t hash)
{
  lfb_fast_prefetch_put(&view->fast, hash);
}

#define LINES_TARGET FAST_TARGET
#define LINES_LOOP FAST_(lines)
#define LINES_VIEW FAST_(view)
#include "bloom/strategies/lines.inc.h"

/* Vectors would not make this faster. */
FAST_TARGET LFB_INLINE uint64_t FAST_(alone_one)(const FAST_(view) *view, uint64_t hash)
{
  const lfb_fast_key key = lfb_fast_key_of(&view->fast, hash);
  return lfb_fast_key_put_alone(&view->fast, &key);
}

FAST_TARGET LFB_INLINE uint64_t FAST_(each)(const FAST_(view) *view, lfb_kernel_verb verb,
                                            uint32_t cached, const uint64_t *hashes, size_t count,
                                            uint64_t *answers)
{
  const bool prefetches = cached < LFB_LINES_NEAR;

  if (verb == LFB_KERNEL_PUT)
    return FAST_(lines)(view, true, hashes, count, answers, FAST_(prefetch_put), FAST_(put_one));
  if (verb == LFB_KERNEL_PUT_ALONE)
    return FAST_(lines)(view, true, hashes, count, answers, FAST_(prefetch_put), FAST_(alone_one));
  if (prefetches && LFB_KNOWN(view->fast.probes)) /* a twentieth faster than a test at run time */
    return FAST_(lines)(view, true, hashes, count, answers, FAST_(prefetch), FAST_(query_one));
  return FAST_(lines)(view, prefetches, hashes, count, answers, FAST_(prefetch), FAST_(query_one));
}
