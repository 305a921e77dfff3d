/*
 * window_puts.inc.h - template: puts and claims of a window, of one hash and of many, for one set of
 * instructions.
 *
 * Before including it, define
 *
 *   WINDOW_TARGET   the target attribute of its functions
 *   WINDOW_(noun)   the name of an inlined function
 *   WINDOW_PUT, WINDOW_CLAIM, WINDOW_PUT_MANY, WINDOW_CLAIM_MANY  names
 *
 * and the function lfb_two WINDOW_(mask)(geometry, hash).
 */

WINDOW_TARGET LFB_INLINE uint64_t WINDOW_(put_one)(const lfb_window_view *view, uint64_t hash)
{
  return lfb_window_put_one(view, hash, WINDOW_(mask)(&view->geometry, hash));
}

WINDOW_TARGET LFB_INLINE uint64_t WINDOW_(claim_one)(const lfb_window_view *view, uint64_t hash)
{
  return lfb_window_claim_one(view, hash, WINDOW_(mask)(&view->geometry, hash));
}

/* Prefetches the current cell of a hash for a put. */
WINDOW_TARGET LFB_INLINE void WINDOW_(ask_put)(const lfb_window_view *view, uint64_t hash)
{
  lfb_prefetch_write((const void *)lfb_window_cell(view, lfb_window_block(view, hash),
                                                   lfb_window_now(view)));
}

/* A claim reads all cells: both lines of a block of two. */
WINDOW_TARGET LFB_INLINE void WINDOW_(ask_claim)(const lfb_window_view *view, uint64_t hash)
{
  WINDOW_(ask_put)(view, hash);
  lfb_window_ask(view, hash);
}

#define LINES_TARGET WINDOW_TARGET
#define LINES_LOOP WINDOW_(put_lines)
#define LINES_VIEW lfb_window_view
#define LINES_UNROLL
#include "bloom/strategies/lines.inc.h"

WINDOW_TARGET LFB_INLINE bool WINDOW_(change)(lfb_window_view view, bool claims, uint64_t hash)
{
  return (claims ? WINDOW_(claim_one)(&view, hash) : WINDOW_(put_one)(&view, hash)) != 0;
}

WINDOW_TARGET LFB_INLINE void WINDOW_(change_many)(lfb_window_view view, bool claims,
                                                   const uint64_t *hashes, size_t count,
                                                   uint64_t *answers)
{
  (void)WINDOW_(put_lines)(&view, true, hashes, count, answers,
                           claims ? WINDOW_(ask_claim) : WINDOW_(ask_put),
                           claims ? WINDOW_(claim_one) : WINDOW_(put_one));
}

WINDOW_TARGET static bool WINDOW_PUT(const lfb_window_view *view, uint64_t hash)
{
  return LFB_WINDOW_SHAPED(WINDOW_(change), view, false, hash);
}

WINDOW_TARGET static bool WINDOW_CLAIM(const lfb_window_view *view, uint64_t hash)
{
  return LFB_WINDOW_SHAPED(WINDOW_(change), view, true, hash);
}

WINDOW_TARGET static void WINDOW_PUT_MANY(const lfb_window_view *view, const uint64_t *hashes,
                                          size_t count, uint64_t *answers)
{
  LFB_WINDOW_SHAPED(WINDOW_(change_many), view, false, hashes, count, answers);
}

WINDOW_TARGET static void WINDOW_CLAIM_MANY(const lfb_window_view *view, const uint64_t *hashes,
                                            size_t count, uint64_t *answers)
{
  LFB_WINDOW_SHAPED(WINDOW_(change_many), view, true, hashes, count, answers);
}

#undef WINDOW_TARGET
#undef WINDOW_
#undef WINDOW_PUT
#undef WINDOW_CLAIM
#undef WINDOW_PUT_MANY
#undef WINDOW_CLAIM_MANY
