/*
 * window.h - a window filter: its cells, and the operations on one key.
 *
 * docs/window.md argues that no key is lost and no claim is won twice; the steps below have its
 * numbers.
 *
 * Layout     A block has C = G + 1 cells side by side, one for each live generation: generation e
 *            uses cell e mod C.  A cell is two words, or one where the processor cannot exchange
 *            two.  The top 6 bits of its last word are its tag: the cycle e / C, mod 64, of the
 *            generation that wrote it.  The other bits hold keys.  A key has one block, and g bits
 *            in each word of a cell, the same ones in all cells.  A cell with another tag than that
 *            of the live generation of its number is expired: it counts as empty.  Nothing is
 *            cleared in advance: the first put of a generation replaces tag and content at once.
 * Generation  Each put and claim is a section (sections.h).  An advance is refused while a section is in
 *            progress that began more than 22 cycles ago: in each cycle an advance notes the sections'
 *            value, and the sections of earlier cycles have been left once the value is two higher.
 *            An advance empties the expired cells of a part of the filter: each cell every 16
 *            cycles.  So no tag comes back while a thread still expects the old one.
 * Ordering   Generation and exchanges are sequentially consistent.
 * Progress   A query reads each cell once: wait-free.  A put retries because another thread has
 *            changed its cell (it gains bits, or is replaced once per generation), or because a
 *            generation has begun: lock-free.
 * Stopped    A thread that stops inside a put, claim or advance holds up advances after 22 cycles.  Like
 *            any section it also holds up the rebuilds of versions (lfbloom/versions.h).
 */
#ifndef LFB_BLOOM_WINDOW_H
#define LFB_BLOOM_WINDOW_H

#include <lfbloom/window.h>

#include "atomic/threads/sections.h"
#include "atomic/threads/stripes.h"
#include "atomic/words/pages.h"
#include "atomic/words/pair.h"
#include "bloom/filter/description.h"
#include "bloom/filter/pieces.h"
#include "bloom/kinds/window_size.h"
#include "bloom/strategies/fast_view.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LFB_WINDOW_TAG_SHIFT = 64 - LFB_WINDOW_TAG_BITS };

#define LFB_WINDOW_TAG_MASK (~UINT64_C(0) << LFB_WINDOW_TAG_SHIFT)

/* What an operation on a key reads: the cells, their shape, and the generation. */
typedef struct lfb_window_view {
  lfb_word *words; /* aligned to a cache line */
  lfb_window_geometry geometry;
  uint32_t shape; /* lfb_window_shape() */
  LFB_ATOMIC(uint64_t) *generation;
} lfb_window_view;

/* The operations on one hash and on many, for one set of instructions.  Answer i is bit
 * i % 64 of answers[i / 64]; bits after the last answer become 0. */
typedef struct lfb_window_kernel {
  bool (*put)(const lfb_window_view *view, uint64_t hash);
  bool (*claim)(const lfb_window_view *view, uint64_t hash);
  void (*put_many)(const lfb_window_view *view, const uint64_t *hashes, size_t count,
                   uint64_t *answers);
  void (*claim_many)(const lfb_window_view *view, const uint64_t *hashes, size_t count,
                     uint64_t *answers);
} lfb_window_kernel;

typedef struct lfb_window_query_kernel {
  bool (*might_contain)(const lfb_window_view *view, uint64_t hash);
  /* `asks`: prefetches the lines */
  void (*might_contain_many)(const lfb_window_view *view, bool asks, const uint64_t *hashes,
                             size_t count, uint64_t *answers);
} lfb_window_query_kernel;

extern const lfb_window_kernel lfb_window_kernel_any, lfb_window_kernel256;
extern const lfb_window_query_kernel lfb_window_queries_any, lfb_window_queries256,
    lfb_window_queries512; /* by vectors: for cells of two words */

enum { LFB_WINDOW_MARKS = 32 }; /* more than LFB_WINDOW_SLEEP */

/* The last generation. */
#define LFB_WINDOW_LAST ((UINT64_C(1) << 36) - 2)

enum { LFB_WINDOW_COUNTED_SHIFT = 16 }; /* the low bits of `counted` are those of the generation */

typedef struct lfb_window_clock lfb_window_clock;

struct lfb_window {
  lfb_window_view view;
  const lfb_window_kernel *kernel;
  const lfb_window_query_kernel *queries;
  uint32_t fits; /* how many times the words fit into the second-level cache */
  LFB_ATOMIC(uint64_t) generation; /* the current one; only grows */
  /* The value of sections.h during cycle c, and the low half of c above it, in number c modulo their
   * number (window.c). */
  LFB_ATOMIC(uint64_t) marks[LFB_WINDOW_MARKS];
  lfb_hasher hasher;
  lfb_hashing hashing;
  lfb_pages pages;
  lfb_description description; /* of the plain filter `fast` for as many keys: hash, n, p, label */
  lfb_window_config config;

  /* by_insertions: puts that turned on bits, and their number when the current generation began
   * (window.c) */
  lfb_stripes inserted;
  LFB_ATOMIC(uint64_t) counted;

  lfb_window_clock *clock; /* NULL: none (window_clock.c) */
};

/* Makes the description of the plain filter.  Fails as lfb_window_create(), except for memory. */
lfb_status lfb_window_describe(const lfb_window_config *config, lfb_description *description,
                               lfb_window_geometry *geometry);

/*
 * Makes a window over existing cells, at a generation.
 *
 * Takes  pages  of lfb_window_bytes(); on success the window owns them.
 * Fails  LFB_ERROR_NO_MEMORY.
 */
lfb_status lfb_window_make(const lfb_description *description, const lfb_window_config *config,
                           const lfb_window_geometry *geometry, const lfb_pages *pages,
                           uint64_t generation, lfb_window **window);

/* Counts puts that turned on bits, and begins the next generation if it is due. */
void lfb_window_inserted(lfb_window *window, uint64_t count);

/* A place where a thread can be stopped for any time: tests define it before this file. */
#ifndef LFB_WINDOW_HAZARD
#define LFB_WINDOW_HAZARD() ((void)0)
#endif

/* ---- one key ------------------------------------------------------------------ */

/* The current generation. */
LFB_INLINE uint64_t lfb_window_now(const lfb_window_view *view)
{
  /* seq_cst: generation and exchanges of cells have one order. */
  return LFB_STD atomic_load_explicit(view->generation, LFB_STD memory_order_seq_cst);
}

/* Of a window with 4 cells of two words, of 4, 5 or 6 bits each: these bits.  Of any other: 0. */
LFB_INLINE uint32_t lfb_window_shape(const lfb_window_geometry *geometry)
{
  const bool common = geometry->shift == 2 && geometry->words == 2;
  return common && geometry->bits >= 4 && geometry->bits <= 6 ? geometry->bits : 0;
}

/* The view, with a shape that the compiler knows if `shape` is not 0. */
LFB_INLINE lfb_window_view lfb_window_shaped(const lfb_window_view *view, uint32_t shape)
{
  lfb_window_view shaped = *view;
  if (shape != 0)
    shaped.geometry = (lfb_window_geometry){view->geometry.blocks, 2, 2, shape};
  return shaped;
}

/* Calls act(shaped view, ...), inlined, for the view's shape: that of 1 %, of 0.1 % and 1e-4, of 1e-5, or
 * any. */
#ifdef LFB_FEWER_KERNELS /* bloom/hashing/simd.h */
#define LFB_WINDOW_SHAPED(act, view, ...)                              \
  ((view)->shape == 4 ? act(lfb_window_shaped((view), 4), __VA_ARGS__) \
                      : act(lfb_window_shaped((view), 0), __VA_ARGS__))
#else
#define LFB_WINDOW_SHAPED(act, view, ...)                                \
  ((view)->shape == 4   ? act(lfb_window_shaped((view), 4), __VA_ARGS__) \
   : (view)->shape == 5 ? act(lfb_window_shaped((view), 5), __VA_ARGS__) \
   : (view)->shape == 6 ? act(lfb_window_shaped((view), 6), __VA_ARGS__) \
                        : act(lfb_window_shaped((view), 0), __VA_ARGS__))
#endif

/* The tag of a generation, in its place. */
LFB_INLINE uint64_t lfb_window_tag(const lfb_window_geometry *geometry, uint64_t generation)
{
  return generation >> geometry->shift << LFB_WINDOW_TAG_SHIFT;
}

/* The live generation of a cell number. */
LFB_INLINE uint64_t lfb_window_live(const lfb_window_geometry *geometry, uint64_t generation,
                                    uint32_t cell)
{
  return generation - ((generation - cell) & (lfb_window_cells(geometry) - 1));
}

LFB_INLINE lfb_word *lfb_window_block(const lfb_window_view *view, uint64_t hash)
{
  const lfb_window_geometry *geometry = &view->geometry;
  return view->words +
         (lfb_multiply_high(hash, geometry->blocks) << (geometry->shift + geometry->words - 1));
}

LFB_INLINE lfb_word *lfb_window_cell(const lfb_window_view *view, lfb_word *block,
                                     uint64_t generation)
{
  return block + (generation & (lfb_window_cells(&view->geometry) - 1)) * view->geometry.words;
}

/* Adds bit i of each word to a mask. */
LFB_INLINE void lfb_window_add_bit(const lfb_window_geometry *geometry, uint64_t hash, uint32_t i,
                                   lfb_two *mask)
{
  const uint32_t shift = 16 * (3 - i % 4);
  const uint64_t low = lfb_fast_round(hash, i / 4 * 2), high = lfb_fast_round(hash, i / 4 * 2 + 1);

  if (geometry->words == 2)
    mask->low |= UINT64_C(1) << (low >> (shift + 10) & 63);
  mask->high |= UINT64_C(1) << ((high >> shift & 0xffff) * LFB_WINDOW_TAG_SHIFT >> 16);
}

/* The bits of a hash, without tag: fields of 16 bits of its products, scaled to the bits of a word.
 * A cell of one word has `high` only. */
LFB_INLINE lfb_two lfb_window_mask(const lfb_window_geometry *geometry, uint64_t hash)
{
  lfb_two mask = {0, 0};

  if (LFB_KNOWN(geometry->bits)) {
    LFB_UNROLL
    for (uint32_t i = 0; i < geometry->bits; i++)
      lfb_window_add_bit(geometry, hash, i, &mask);
  } else {
    for (uint32_t i = 0; i < geometry->bits; i++)
      lfb_window_add_bit(geometry, hash, i, &mask);
  }
  return mask;
}

/* Prefetches the block of a hash for a query. */
LFB_INLINE void lfb_window_ask(const lfb_window_view *view, uint64_t hash)
{
  const lfb_word *block = lfb_window_block(view, hash);

  lfb_prefetch_read((const void *)block);
  if (lfb_window_cells(&view->geometry) * view->geometry.words > LFB_BLOCK_WORDS)
    lfb_prefetch_read((const void *)(block + LFB_BLOCK_WORDS));
}

/* Reads a cell: first the word with the tag.  So if the tag is that of a live generation, the bits
 * read are on in it, unless a newer generation has begun: the caller then sees that. */
LFB_INLINE lfb_two lfb_window_read_cell(const lfb_window_view *view, const lfb_word *cell)
{
  const bool pair = view->geometry.words == 2;
  /* seq_cst, both: a claim that has read a generation sees the bits of those that won in an older one.
   * With acquire it may not: a winner writes nothing after its exchange that the claim could acquire.
   * They also acquire: a caller that saw the content of a newer generation sees that generation. */
  const uint64_t high =
      LFB_STD atomic_load_explicit(&cell[pair ? 1 : 0], LFB_STD memory_order_seq_cst);
  const uint64_t low =
      pair ? LFB_STD atomic_load_explicit(&cell[0], LFB_STD memory_order_seq_cst) : 0;
  return (lfb_two){low, high};
}

/* Exchanges a cell's content, sequentially consistent; reloads `*seen` if it fails. */
LFB_INLINE bool lfb_window_exchange(const lfb_window_view *view, lfb_word *cell, lfb_two *seen,
                                    lfb_two desired)
{
  if (view->geometry.words == 2)
    return lfb_pair_cas_ordered(cell, seen, desired);
  /* seq_cst: before the put's last look at the generation.  acquire on failure: as in
   * lfb_window_read_cell(). */
  return LFB_STD atomic_compare_exchange_strong_explicit(cell, &seen->high, desired.high,
                                                         LFB_STD memory_order_seq_cst,
                                                         LFB_STD memory_order_acquire);
}

/* Whether a cell's content has this tag and all bits of the mask. */
LFB_INLINE bool lfb_window_whole(lfb_two seen, lfb_two mask, uint64_t tag)
{
  return ((mask.low & ~seen.low) | (mask.high & ~seen.high) |
          ((seen.high ^ tag) & LFB_WINDOW_TAG_MASK)) == 0;
}

/* The result of an attempt to put a key into one generation. */
typedef enum lfb_window_put_result {
  LFB_WINDOW_PRESENT, /* all bits were on                    */
  LFB_WINDOW_NEW,     /* turned on bits                      */
  LFB_WINDOW_OVER,    /* the generation is over: begin again */
} lfb_window_put_result;

/*
 * Puts into generation `e`.  `*whole` becomes true if this call made the mask whole there, also if
 * the generation is over.
 *
 * It looks at the generation before each exchange, also if the content has the tag of `e`.  A branch
 * on the tag would be mispredicted for one key in eight (docs/performance.md).
 */
LFB_INLINE lfb_window_put_result lfb_window_put_in(const lfb_window_view *view, lfb_word *block,
                                                   lfb_two mask, uint64_t e, bool *whole)
{
  const uint64_t tag = lfb_window_tag(&view->geometry, e);
  lfb_word *cell = lfb_window_cell(view, block, e);
  lfb_two seen = lfb_window_read_cell(view, cell); /* step 2 */

  LFB_WINDOW_HAZARD();
  for (;;) { /* step 3 */
    const bool current = ((seen.high ^ tag) & LFB_WINDOW_TAG_MASK) == 0;
    const uint64_t keep = 0 - (uint64_t)current;
    const lfb_two desired = {mask.low | (seen.low & keep), mask.high | tag | (seen.high & keep)};
    if (((desired.low ^ seen.low) | (desired.high ^ seen.high)) == 0)
      break; /* nothing is missing */
    if (lfb_window_now(view) != e)
      return LFB_WINDOW_OVER; /* content with another tag can be that of a newer generation */
    LFB_WINDOW_HAZARD();
    if (lfb_window_exchange(view, cell, &seen, desired)) { /* step 4 */
      *whole = true;
      break;
    }
  }
  LFB_WINDOW_HAZARD();
  if (lfb_window_now(view) != e) /* step 5 */
    return LFB_WINDOW_OVER;
  return *whole ? LFB_WINDOW_NEW : LFB_WINDOW_PRESENT;
}

/* Puts a hash with these bits, inside a section.  Returns 1 if it turned on bits, or
 * 0. */
LFB_INLINE uint64_t lfb_window_put_one(const lfb_window_view *view, uint64_t hash, lfb_two mask)
{
  lfb_word *block = lfb_window_block(view, hash);

  for (;;) {
    bool whole = false;
    const uint64_t e = lfb_window_now(view); /* step 1 */
    const lfb_window_put_result result = lfb_window_put_in(view, block, mask, e, &whole);
    if (result != LFB_WINDOW_OVER)
      return result == LFB_WINDOW_NEW;
  }
}

/* Whether a live generation after `clean` and before `e` has the whole mask. */
LFB_INLINE bool lfb_window_in_older(const lfb_window_view *view, lfb_word *block,
                                    lfb_two mask, uint64_t e, uint64_t clean)
{
  bool older = false;

  for (uint32_t age = 1; age < lfb_window_cells(&view->geometry) && e - age > clean; age++)
    older |= lfb_window_whole(
        lfb_window_read_cell(view, lfb_window_cell(view, block, e - age)), mask,
        lfb_window_tag(&view->geometry, e - age));
  return older;
}

/* Claims a hash with these bits, inside a section.  Returns 1 if it has won, or 0. */
LFB_INLINE uint64_t lfb_window_claim_one(const lfb_window_view *view, uint64_t hash, lfb_two mask)
{
  lfb_word *block = lfb_window_block(view, hash);
  uint64_t clean = 0; /* no other thread has won in this generation or an older one */

  for (;;) {
    bool whole = false;
    const uint64_t e = lfb_window_now(view);
    LFB_WINDOW_HAZARD();
    if (lfb_window_in_older(view, block, mask, e, clean))
      return 0;
    const lfb_window_put_result result = lfb_window_put_in(view, block, mask, e, &whole);
    if (result != LFB_WINDOW_OVER)
      return result == LFB_WINDOW_NEW;
    /* From now on only generations from e on can have another winner.  If this call looked at all
     * older ones again, two late claims in different generations would each see the other's bits,
     * and both would lose. */
    clean = whole ? e : e - 1;
  }
}

#ifdef __cplusplus
}
#endif

#endif
