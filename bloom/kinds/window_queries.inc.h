/*
 * window_queries.inc.h - template: queries of a window, of one hash and of many, for one set of
 * instructions.
 *
 * Before including it, define
 *
 *   WINDOW_TARGET    the target attribute of its functions
 *   WINDOW_(noun)    the name of an inlined function
 *   WINDOW_MIGHT_CONTAIN, WINDOW_MIGHT_CONTAIN_MANY  names
 *
 * the type WINDOW_(view) of the data that is common to all keys, with a lfb_window_view `window`, and
 * the functions WINDOW_(view_of)(window) and WINDOW_(query_one)(view, hash).
 */

WINDOW_TARGET LFB_INLINE void WINDOW_(ask)(const WINDOW_(view) *view, uint64_t hash)
{
  lfb_window_ask(&view->window, hash);
}

#define LINES_TARGET WINDOW_TARGET
#define LINES_LOOP WINDOW_(lines)
#define LINES_VIEW WINDOW_(view)
#define LINES_UNROLL LFB_UNROLL_8
#include "bloom/strategies/lines.inc.h"

WINDOW_TARGET LFB_INLINE bool WINDOW_(query)(lfb_window_view window, uint64_t hash)
{
  const WINDOW_(view) view = WINDOW_(view_of)(&window);
  return WINDOW_(query_one)(&view, hash) != 0;
}

WINDOW_TARGET LFB_INLINE void WINDOW_(query_many)(lfb_window_view window, bool asks,
                                                  const uint64_t *hashes, size_t count,
                                                  uint64_t *answers)
{
  const WINDOW_(view) view = WINDOW_(view_of)(&window);
  (void)WINDOW_(lines)(&view, asks, hashes, count, answers, WINDOW_(ask), WINDOW_(query_one));
}

WINDOW_TARGET static bool WINDOW_MIGHT_CONTAIN(const lfb_window_view *window, uint64_t hash)
{
  return LFB_WINDOW_SHAPED(WINDOW_(query), window, hash);
}

WINDOW_TARGET static void WINDOW_MIGHT_CONTAIN_MANY(const lfb_window_view *window, bool asks,
                                                    const uint64_t *hashes, size_t count,
                                                    uint64_t *answers)
{
  if (asks)
    LFB_WINDOW_SHAPED(WINDOW_(query_many), window, true, hashes, count, answers);
  else
    LFB_WINDOW_SHAPED(WINDOW_(query_many), window, false, hashes, count, answers);
}

#undef WINDOW_TARGET
#undef WINDOW_
#undef WINDOW_MIGHT_CONTAIN
#undef WINDOW_MIGHT_CONTAIN_MANY
