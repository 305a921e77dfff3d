/*
 * window_kernel.c - the operations on keys of a window, without vectors (window.h).
 */
#include "bloom/kinds/window.h"

/* The view of a query, with the tags of the live generations. */
typedef struct window_any_view {
  lfb_window_view window;
  uint64_t tag[LFB_WINDOW_LIVE];
} window_any_view;

/* An old generation does no harm: a key is missed only if it has expired since. */
LFB_INLINE window_any_view window_any_view_of(const lfb_window_view *window)
{
  const lfb_window_geometry *geometry = &window->geometry;
  const uint64_t e = lfb_window_now(window);
  window_any_view view = {*window, {0}};

  for (uint32_t i = 0; i < lfb_window_cells(geometry); i++)
    view.tag[i] = lfb_window_tag(geometry, lfb_window_live(geometry, e, i));
  return view;
}

LFB_INLINE uint64_t window_any_query_one(const window_any_view *view, uint64_t hash)
{
  const lfb_window_geometry *geometry = &view->window.geometry;
  const lfb_two mask = lfb_window_mask(geometry, hash);
  const lfb_word *block = lfb_window_block(&view->window, hash);
  bool found = false;

  LFB_UNROLL
  for (uint32_t i = 0; i < lfb_window_cells(geometry); i++)
    found |= lfb_window_whole(
        lfb_window_read_cell(&view->window, block + (size_t)i * geometry->words), mask,
        view->tag[i]);
  return found;
}

#define window_any_mask lfb_window_mask
#define WINDOW_TARGET
#define WINDOW_(noun) window_any_##noun
#define WINDOW_PUT window_any_put
#define WINDOW_CLAIM window_any_claim
#define WINDOW_PUT_MANY window_any_put_many
#define WINDOW_CLAIM_MANY window_any_claim_many
#include "bloom/kinds/window_puts.inc.h"

#define WINDOW_TARGET
#define WINDOW_(noun) window_any_##noun
#define WINDOW_MIGHT_CONTAIN window_any_might_contain
#define WINDOW_MIGHT_CONTAIN_MANY window_any_might_contain_many
#include "bloom/kinds/window_queries.inc.h"

const lfb_window_kernel lfb_window_kernel_any = {window_any_put, window_any_claim, window_any_put_many,
                                                 window_any_claim_many};
const lfb_window_query_kernel lfb_window_queries_any = {window_any_might_contain,
                                                        window_any_might_contain_many};
