/*
 * shapes.inc.h - template: what is done to one hash or many of a `fast` filter, with the shapes that
 * code is made for (LFB_FAST_SHAPES) as constants in the code for them.
 *
 * Whoever includes this defines
 *
 *   FAST_TARGET  what a function begins with that uses the instructions, if any
 *   FAST_(noun)  the name of what is inlined: fast256_##noun
 *   FAST_UNROLL  what the loop over the hashes of one word of answers begins with
 *
 * and before, the type FAST_(view), what is the same for all keys of a filter, and the function
 * FAST_(view) FAST_(view_of)(fast).  It gets
 *
 *   uint64_t FAST_(one)(fast, hash, act)                           act(view, hash)
 *   uint64_t FAST_(many)(fast, hashes, count, answers, ask, act)   as LINES_LOOP of lines.inc.h
 *
 * and undefines FAST_UNROLL.
 */

#define LINES_TARGET FAST_TARGET
#define LINES_LOOP FAST_(lines)
#define LINES_VIEW FAST_(view)
#define LINES_UNROLL FAST_UNROLL
#include "bloom/strategies/lines.inc.h"

typedef void (*FAST_(ask_fn))(const FAST_(view) *view, uint64_t hash);
typedef uint64_t (*FAST_(act_fn))(const FAST_(view) *view, uint64_t hash);

/* One hash by a view of this shape; 0 probes: of the shape that it has. */
FAST_TARGET LFB_INLINE uint64_t FAST_(shaped_one)(const lfb_fast *fast, uint32_t group_shift,
                                                  uint32_t probes, uint64_t hash,
                                                  FAST_(act_fn) act)
{
  const lfb_fast shaped = lfb_fast_shaped(fast, group_shift, probes);
  const FAST_(view) view = FAST_(view_of)(&shaped);
  return act(&view, hash);
}

FAST_TARGET LFB_INLINE uint64_t FAST_(one)(const lfb_fast *fast, uint64_t hash,
                                               FAST_(act_fn) act)
{
  switch (LFB_FAST_SHAPE(fast->group_shift, fast->probes)) {
#define FAST_CASE(name, group_shift, probes) case LFB_FAST_SHAPE(group_shift, probes): return FAST_(shaped_one)(fast, group_shift, probes, hash, act);
    LFB_FAST_SHAPES(FAST_CASE)
#undef FAST_CASE
  default:
    return FAST_(shaped_one)(fast, 0, 0, hash, act);
  }
}

/* The same for many hashes. */
FAST_TARGET LFB_INLINE uint64_t FAST_(shaped_many)(const lfb_fast *fast, uint32_t group_shift,
                                                   uint32_t probes, const uint64_t *hashes,
                                                   size_t count, uint64_t *answers,
                                                   FAST_(ask_fn) ask, FAST_(act_fn) act)
{
  const lfb_fast shaped = lfb_fast_shaped(fast, group_shift, probes);
  const FAST_(view) view = FAST_(view_of)(&shaped);
  return FAST_(lines)(&view, hashes, count, answers, ask, act);
}

FAST_TARGET LFB_INLINE uint64_t FAST_(many)(const lfb_fast *fast, const uint64_t *hashes,
                                                size_t count, uint64_t *answers,
                                                FAST_(ask_fn) ask, FAST_(act_fn) act)
{
  switch (LFB_FAST_SHAPE(fast->group_shift, fast->probes)) {
#define FAST_CASE(name, group_shift, probes) case LFB_FAST_SHAPE(group_shift, probes): return FAST_(shaped_many)(fast, group_shift, probes, hashes, count, answers, ask, act);
    LFB_FAST_SHAPES(FAST_CASE)
#undef FAST_CASE
  default:
    return FAST_(shaped_many)(fast, 0, 0, hashes, count, answers, ask, act);
  }
}

#undef FAST_UNROLL
