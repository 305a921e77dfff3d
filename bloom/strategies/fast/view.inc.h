/*
 * view.inc.h - template: the data that is common to all keys of a `fast` filter, and the loops over
 * many keys, for one set of instructions.  kernel.inc.h makes kernels of them.
 *
 * Before including it, define FAST_TARGET and FAST_(noun) as for kernel.inc.h, and
 *
 *   FAST_(lanes)      the type of the vectors that are common to all keys
 *   FAST_LANES(fast)  their value for this filter
 */

typedef struct FAST_(view) {
  lfb_fast fast;
  FAST_(lanes) lanes;
} FAST_(view);

FAST_TARGET LFB_INLINE FAST_(view) FAST_(view_of)(const lfb_fast *fast)
{
  return (FAST_(view)){*fast, FAST_LANES(fast)};
}

/* Prefetches the line of a hash: for a read, and below for a write. */
LFB_INLINE void FAST_(ask)(const FAST_(view) *view, uint64_t hash)
{
  lfb_fast_prefetch(&view->fast, hash);
}

LFB_INLINE void FAST_(ask_put)(const FAST_(view) *view, uint64_t hash)
{
  lfb_fast_prefetch_put(&view->fast, hash);
}

#define LINES_TARGET FAST_TARGET
#define LINES_LOOP FAST_(lines)
#define LINES_VIEW FAST_(view)
#define LINES_UNROLL LFB_UNROLL_8
#include "bloom/strategies/lines.inc.h"

#define LINES_TARGET FAST_TARGET
#define LINES_LOOP FAST_(lines_alone)
#define LINES_VIEW FAST_(view)
#define LINES_UNROLL
#include "bloom/strategies/lines.inc.h"

#undef FAST_LANES
