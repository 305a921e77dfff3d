/*
 * window_kernel.inc.h - template: the operations of a window on one hash and on many, inlined, for
 * one set of instructions.  window_shape.inc.h makes functions of them.
 *
 * Before including it, define
 *
 *   WINDOW_TARGET  the target attribute of its functions
 *   WINDOW_(noun)  the name of a function
 *
 * the type WINDOW_(bits) of a key's bits, and the functions, of a view (window.h),
 *
 *   WINDOW_(bits_of)(view, hash)              finds them
 *   WINDOW_(mask)(&bits)                      as words
 *   WINDOW_(block_has)(view, block, &bits)    whether one block has all of them
 *   WINDOW_(pairs)(view)                      whether the processor changes two words at once
 *   WINDOW_(unit_shift)(view)                 log2 of the words that one instruction reads: a unit,
 *                                             which is one block or more of a key
 *   WINDOW_(unit_has)(view, words, &bits)     whether one of its blocks has all of them
 */

/* ---- queries -------------------------------------------------------------------- */

/* Whether a unit has the bits, and then the next read, of a unit or the generation.  On x86-64 the
 * processor keeps this order, and elsewhere the reads do (window_kernels.c): only the compiler has
 * to keep it. */
WINDOW_TARGET LFB_INLINE bool WINDOW_(look_at)(const lfb_window_view *view, const lfb_word *unit,
                                               const WINDOW_(bits) *bits)
{
  const bool found = WINDOW_(unit_has)(view, unit, bits);

  LFB_STD atomic_signal_fence(LFB_STD memory_order_acquire);
  LFB_WINDOW_HAZARD();
  return found;
}

/* Whether a layer has the bits.  It reads the unit of the newest layer, that of generation `e`,
 * last. */
WINDOW_TARGET LFB_INLINE bool WINDOW_(look)(const lfb_window_view *view, uint64_t hash, uint64_t e)
{
  const lfb_word *blocks = lfb_window_blocks(view, hash);
  const WINDOW_(bits) bits = WINDOW_(bits_of)(view, hash);
  const uint32_t shift = WINDOW_(unit_shift)(view);
  const uint32_t all = view->fast.block_shift + view->layers_shift; /* log2 of the words */
  bool found = false;

  if (all <= shift)
    return WINDOW_(unit_has)(view, blocks, &bits);
  const uint64_t newest = lfb_window_layer(view, e) >> shift;
  const uint32_t units = 1U << (all - shift);
  LFB_EACH(i, 0, units, 1,
           found |= WINDOW_(look_at)(
               view, blocks + (lfb_window_unit(newest, i + 1, units - 1) << shift), &bits));
  return found;
}

WINDOW_TARGET LFB_INLINE bool WINDOW_(query)(lfb_window_view view, uint64_t hash)
{
  for (;;) {
    const uint64_t e = lfb_window_now(&view);
    LFB_WINDOW_HAZARD();
    if (WINDOW_(look)(&view, hash, e))
      return true;
    LFB_WINDOW_HAZARD();
    if (lfb_window_now(&view) == e)
      return false;
  }
}

WINDOW_TARGET LFB_INLINE bool WINDOW_(query_layer)(lfb_window_view view, uint64_t hash, uint64_t e)
{
  const WINDOW_(bits) bits = WINDOW_(bits_of)(&view, hash);
  return WINDOW_(block_has)(&view, lfb_window_blocks(&view, hash) + lfb_window_layer(&view, e),
                            &bits);
}

/* A view in one generation. */
typedef struct WINDOW_(moment) {
  lfb_window_view view;
  uint64_t e;
} WINDOW_(moment);

LFB_INLINE void WINDOW_(prefetch)(const WINDOW_(moment) *at, uint64_t hash)
{
  const lfb_word *blocks = lfb_window_blocks(&at->view, hash);
  const uint32_t words = 1U << (at->view.fast.block_shift + at->view.layers_shift);

  for (uint32_t i = 0; i < words; i += LFB_BLOCK_WORDS)
    lfb_prefetch_read((const void *)(blocks + i));
}

WINDOW_TARGET LFB_INLINE uint64_t WINDOW_(query_one)(const WINDOW_(moment) *at, uint64_t hash)
{
  return WINDOW_(look)(&at->view, hash, at->e);
}

#define LINES_TARGET WINDOW_TARGET
#define LINES_LOOP WINDOW_(lines)
#define LINES_VIEW WINDOW_(moment)
#include "bloom/strategies/lines.inc.h"

/* If a generation begins meanwhile, absent keys would have to be looked for again: all keys are. */
WINDOW_TARGET LFB_INLINE void WINDOW_(query_many)(lfb_window_view view, bool prefetches,
                                                  const uint64_t *hashes, size_t count,
                                                  uint64_t *answers)
{
  WINDOW_(moment) at = {view, 0};

  do {
    at.e = lfb_window_now(&view);
    (void)WINDOW_(lines)(&at, prefetches, hashes, count, answers, WINDOW_(prefetch),
                         WINDOW_(query_one));
  } while (lfb_window_now(&view) != at.e);
}

/* ---- puts ------------------------------------------------------------------------- */

WINDOW_TARGET LFB_INLINE uint64_t WINDOW_(put_one)(const lfb_window_view *view, uint64_t hash)
{
  const WINDOW_(bits) bits = WINDOW_(bits_of)(view, hash);
  const lfb_window_mask mask = WINDOW_(mask)(&bits);
  return lfb_window_put_mask(view, lfb_window_blocks(view, hash), &mask);
}

/* Prefetches the block of the newest layer.  If a generation begins meanwhile, it is another
 * one. */
LFB_INLINE void WINDOW_(prefetch_put)(const lfb_window_view *view, uint64_t hash)
{
  lfb_prefetch_write((const void *)(lfb_window_blocks(view, hash) +
                                    lfb_window_layer(view, lfb_window_now(view))));
}

#define LINES_TARGET WINDOW_TARGET
#define LINES_LOOP WINDOW_(put_lines)
#define LINES_VIEW lfb_window_view
#include "bloom/strategies/lines.inc.h"

WINDOW_TARGET LFB_INLINE bool WINDOW_(change)(lfb_window_view view, uint64_t hash)
{
  view.pairs = WINDOW_(pairs)(&view);
  return WINDOW_(put_one)(&view, hash) != 0;
}

WINDOW_TARGET LFB_INLINE void WINDOW_(change_many)(lfb_window_view view, const uint64_t *hashes,
                                                   size_t count, uint64_t *answers)
{
  view.pairs = WINDOW_(pairs)(&view);
  (void)WINDOW_(put_lines)(&view, true, hashes, count, answers, WINDOW_(prefetch_put),
                           WINDOW_(put_one));
}
