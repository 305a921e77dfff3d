/*
 * window.h - a window filter: a ring of layers, and the operations on one key.
 *
 * Layout     Time is cut into generations.  C = G + 1 layers are plain blocked filters of one size,
 *            shape and hash; the layer of generation e is number e mod C, and all layers are live,
 *            always.  Block i of all layers is one after the other: a key's blocks are neighbours,
 *            1 to 8 cache lines in all.  A block is P = 1, 2 or 4 pairs of bloom/strategies/
 *            fast_view.h without a choice: probe f of a key is in word f mod 2 P of its block, in
 *            each layer.
 *
 * Put        1 Read the generation e.  2 Turn on the bits in layer e mod C.  3 Read the generation
 *            again; if it is not e, go to 1.
 * Query      1 Read the generation e.  2 Read the layers in any order: a vector has words of
 *            several.  3 If none has the key, read which generation's layer was cleared last, or
 *            is being cleared.  If that is e or older, the key is absent; else seek it.
 * Seek       1 Read the generation e.  2 Read the layers from the oldest one, (e + 1) mod C, to the
 *            newest.  3 If none has the key, read the generation again; if it is not e, go to 1.
 * Advance    from e, under the lock: 1 If the generation is not e, stop.  2 Announce that the layer
 *            of e + 1, which is the oldest, is cleared.  3 Clear it.  4 Publish e + 1.
 * Claim      claims.h, "Forgetting".  If the generation is that of the first look, the second look
 *            needs the newest layer only.
 *
 * Lock       In private memory a flag.  In a file also lfb_mapping_lock(), which the kernel takes
 *            back from a process that dies.  Clearing and publishing may be done again, so the next
 *            advance completes what was left.
 *
 * No key is lost   A put's bits are on before its step 3 reads e.  Its layer is cleared next by an
 *            advance from e + G, which reads a generation that was published after that step.  An
 *            older advance is not still clearing: only the holder of the lock clears, and it
 *            publishes before it leaves the lock.  A put that sleeps turns on bits in a layer that
 *            is live: false positives at most; then step 3 sends it to the newest layer.
 * No key is missed   A query: an advance from before e was over when e was published.  One from e
 *            announces before it clears, so a reader of a cleared word reads its announcement after
 *            it.  If step 3 reads none, no layer was cleared since step 1, and layers only gained
 *            bits: a key that was put before, and is still to be found, was in one of them all
 *            the time, in whichever order they were read.
 *            A seek: suppose that it finds the key in no layer, that e is the generation before and
 *            after it, and that the key is to be found during all of it.  Then the key's last put
 *            was in some layer before, or is refreshed meanwhile.  A layer is cleared meanwhile
 *            only by an advance from e, and it is the oldest.  If the key was in that layer alone,
 *            its time is over once that advance has been called.  If it was put into the newest
 *            layer before that call, the seek, which reads the newest layer after the oldest, finds
 *            it there.  (To compare the generation alone would not do: the layer is cleared before
 *            the generation is published.)
 * One winner   Suppose that a claim won, and its put ended in generation w.  A later claim of the
 *            key looks after it has read its cell, so it sees those bits until the layer is
 *            cleared, by an advance from w + G.  If the generation is the one that its first look
 *            began with, no put that the first look missed ended in an older one: its third step,
 *            before that look, would have shown its bits.
 *
 * Ordering   Generations, the exchanges of puts, and the words that are read are sequentially
 *            consistent.  Acquire and release would not do: a put writes nothing after its step 3,
 *            so a query that has read a newer generation could miss bits of a put that read the
 *            older one there.  (x86-64 keeps the order of vector loads, too.)  A cleared word
 *            releases the announcement.
 * Progress   A seek or put repeats only because a generation has begun meanwhile; a put's exchange
 *            fails only because another thread turned on a bit of the same words, or they were
 *            cleared: lock-free.  One exception: advance.  It returns LFB_ERROR_WINDOW_HELD while
 *            another one is in progress.
 * Stopped    Puts, queries and claims hold nothing.  A stopped advance holds up later ones while
 *            its process lives: the window remembers for longer, and loses nothing; absent keys are
 *            sought until the next advance.
 */
#ifndef LFB_BLOOM_WINDOW_H
#define LFB_BLOOM_WINDOW_H

#include <lfbloom/any.h>

#include "atomic/threads/stripes.h"
#include "atomic/words/pages.h"
#include "atomic/words/pair.h"
#include "bloom/filter/claims.h"
#include "bloom/filter/description.h"
#include "bloom/filter/pieces.h"
#include "bloom/strategies/fast/fast_key.h"
#include "bloom/window/window_size.h"

LFB_EXTERN_C_BEGIN

/* A place where a thread can be stopped for any time: tests define it before this file. */
#ifndef LFB_WINDOW_HAZARD
#define LFB_WINDOW_HAZARD() ((void)0)
#endif

/* The last generation: times C it still is a number of 64 bits. */
#define LFB_WINDOW_LAST (UINT64_C(1) << 60)

/* ---- what a window is ---------------------------------------------------------- */

/* When a generation began, by two clocks (window_moment.c), in ns; a wall clock before 1970 is no
 * time. */
typedef struct lfb_window_moment {
  uint64_t boot[2]; /* the identity of the boot and the time namespace; 0: unknown */
  uint64_t boottime, realtime;
} lfb_window_moment;

enum { LFB_WINDOW_MOMENT_WORDS = 4 };

/* What changes besides the bits; in private memory, or in the file.  Zeroed, it has no generation
 * yet. */
typedef struct lfb_window_head {
  LFB_ATOMIC(uint64_t) generation; /* only grows; alone in its cache line with the next field */
  LFB_ATOMIC(uint64_t) cleared;    /* the layer of this generation was cleared last, or is being */
  char padding[LFB_CACHE_LINE - 2 * sizeof(uint64_t)];
  LFB_ATOMIC(uint64_t) counted; /* by_insertions (window.c) */
  /* When generation e began: number e mod LFB_WINDOW_LIVE, a moment word by word.  Written under
   * the lock, before e is published, and again if the clock was wrong. */
  LFB_ATOMIC(uint64_t) began[LFB_WINDOW_LIVE][LFB_WINDOW_MOMENT_WORDS];
} lfb_window_head;

/* What an operation on a key reads. */
typedef struct lfb_window_view {
  lfb_word *words;
  lfb_window_head *head;
  uint64_t blocks;       /* of a layer               */
  uint32_t layers_shift; /* log2 of C                */
  uint32_t pairs;        /* P: a block has 2 P words */
  uint32_t bits;         /* g                        */
} lfb_window_view;

/* The operations for one set of instructions and one shape, or any.  Answer i is bit i % 64 of
 * answers[i / 64]; bits after the last answer become 0. */
typedef struct lfb_window_kernel {
  bool (*put)(const lfb_window_view *view, uint64_t hash);
  /* Whether one of the layers, read in any order, has all bits: step 2 of a query. */
  bool (*has)(const lfb_window_view *view, uint64_t hash);
  /* `prefetches`: prefetches the lines */
  void (*has_many)(const lfb_window_view *view, bool prefetches, const uint64_t *hashes,
                   size_t count, uint64_t *answers);
} lfb_window_kernel;

/* The kernels without vectors, for AVX2 and for AVX-512; the last two only on x86-64
 * (bloom/hashing/simd.h).  Number 0 is for any shape; the others are for those of 1 %, 1e-4 and
 * 1e-6 at the default preference, for G = 3.  Without vectors code for a shape brings less than a
 * twentieth.  A row: its number, log2 of C, P and g. */
#define LFB_WINDOW_SHAPES(row) row(1, 2, 1, 4) row(2, 2, 2, 3) row(3, 2, 4, 2)
enum { LFB_WINDOW_KERNELS = 4 };
extern const lfb_window_kernel *const lfb_window_kernels[LFB_WINDOW_KERNELS];
extern const lfb_window_kernel *const lfb_window_kernels256[LFB_WINDOW_KERNELS];
extern const lfb_window_kernel *const lfb_window_kernels512[LFB_WINDOW_KERNELS];

/* The number of the kernel for a geometry. */
static inline uint32_t lfb_window_kernel_of(const lfb_window_geometry *geometry)
{
#define LFB_WINDOW_ROW(number, shift, pairs, g)                                    \
  if (geometry->layers_shift == (shift) && lfb_window_pairs(geometry) == (pairs) && \
      geometry->bits == (g))                                                       \
    return number;
  LFB_WINDOW_SHAPES(LFB_WINDOW_ROW)
#undef LFB_WINDOW_ROW
  return 0;
}

/* Seeks a hash (head of this file). */
bool lfb_window_seek(const lfb_window_view *view, uint64_t hash);

enum { LFB_WINDOW_COUNTED_SHIFT = 16 }; /* the low bits of `counted` are those of the generation */

typedef struct lfb_window_clock lfb_window_clock;
typedef struct lfb_mapping lfb_mapping;

struct lfb_window {
  lfb_window_view view;
  const lfb_window_kernel *kernel;
  lfb_claims claims;
  uint32_t cached; /* how many times the words fit into the second-level cache */
  lfb_window_head *head; /* the window's own, unless it is mapped */
  lfb_hasher hasher;
  lfb_hashing hashing;
  lfb_description description; /* of the plain filter `fast` for as many keys: hash, n, p */
  lfb_window_config config;
  lfb_window_geometry geometry;
  uint64_t length; /* of a generation in ns; 0: no span of time */
  lfb_pages pages; /* of the words                              */

  lfb_stripes inserted; /* by_insertions: puts that turned on bits; else no stripes */

  /* lfb_forks_process() of the thread that advances; 0: none does */
  LFB_ATOMIC(uint64_t) advancing;
  lfb_mapping *mapping;           /* NULL: in private memory */
  lfb_window_clock *clock;        /* NULL: none (window_clock.c) */
};

/* The layers of a window. */
static inline uint32_t lfb_window_layers(const lfb_window_geometry *geometry)
{
  return 1U << geometry->layers_shift;
}

/* The configuration with the default number of generations, if it has none. */
static inline lfb_window_config lfb_window_chosen(const lfb_window_config *config)
{
  lfb_window_config chosen = *config;

  if (chosen.generations == 0)
    chosen.generations = 3;
  return chosen;
}

/* Describes a window: `description` is that of the plain filter for as many keys.  Fails as
 * lfb_window_create(), except for memory. */
lfb_status lfb_window_describe(const lfb_window_config *config, lfb_description *description,
                               lfb_window_geometry *geometry);

/* The parts that a window is made of.  If `mapping` is NULL, the window makes head, cells and
 * counter itself. */
typedef struct lfb_window_parts {
  lfb_pages words; /* on success the window owns them, unless they are mapped */
  lfb_mapping *mapping;
  lfb_window_head *head;
  lfb_cell *cells;
  lfb_stripe *stripes;
} lfb_window_parts;

/* Makes a window over existing words; its generation is that of the head, or the first.  Fails:
 * LFB_ERROR_NO_MEMORY. */
lfb_status lfb_window_make(const lfb_description *description, const lfb_window_config *config,
                           const lfb_window_geometry *geometry, const lfb_window_parts *parts,
                           lfb_window **window);

/* Frees a window that has no clock. */
void lfb_window_dispose(lfb_window *window);

/* Sets the generation, and when it began, of a window that no other thread uses yet. */
void lfb_window_resume(lfb_window *window, uint64_t generation, const lfb_window_moment *began);

/* Whether lfb_window_config.span, in seconds, is in its range. */
bool lfb_window_is_span(double span);

/* As lfb_any_many(), not for removals; `kind` is that of the keys.  A query changes nothing. */
size_t lfb_window_many(lfb_any any, lfb_verb verb, const void *keys, size_t count,
                       uint64_t *answers, lfb_key_kind kind);

/* ---- advancing ----------------------------------------------------------------- */

/* Takes the lock, or leaves it.  Fails: LFB_ERROR_WINDOW_HELD; as lfb_mapping_lock().  Only a call
 * that has found a generation to end takes it: if it ends none, another call has meanwhile. */
lfb_status lfb_window_lock(lfb_window *window);
void lfb_window_unlock(lfb_window *window);

/* Whether the lock can be taken once it is free.  Takes nothing in the file: a lock that is taken
 * only to look refuses another process's advance.  Fails: as lfb_mapping_prepare_lock(). */
lfb_status lfb_window_prepare_lock(lfb_window *window);

/* The holder of the lock: clears the oldest layer, notes when the next generation begins, and
 * publishes it. */
void lfb_window_next(const lfb_window *window, uint64_t from, const lfb_window_moment *begins);

/* ---- clocks (window_moment.c) ---------------------------------------------------- */

/* Reads the clocks. */
lfb_window_moment lfb_window_moment_now(void);

/* When a generation began, as noted in the head. */
lfb_window_moment lfb_window_began(const lfb_window_head *head, uint64_t generation);
void lfb_window_begins(lfb_window_head *head, uint64_t generation, const lfb_window_moment *moment);

/* As lfb_any_open() with LFB_OPEN_SHARED, and lfb_any_sync() (window_mapped.c). */
lfb_status lfb_window_open(const char *path, const lfb_read_limits *limits, bool shared,
                           lfb_any *any);
lfb_status lfb_window_sync(lfb_any any);

/* As lfb_window_stats(), without a look at the bits (lfb_any_plan()). */
void lfb_window_plan(const lfb_window *window, lfb_window_figures *figures);

/* ---- one key ------------------------------------------------------------------ */

/* The current generation. */
LFB_INLINE uint64_t lfb_window_now(const lfb_window_view *view)
{
  /* seq_cst: all threads see generations, exchanges and reads of words in one order. */
  return LFB_STD atomic_load_explicit(&view->head->generation, LFB_STD memory_order_seq_cst);
}

/* Whether no layer was cleared since generation `e` was read, and before the words that were read
 * after it. */
LFB_INLINE bool lfb_window_kept(const lfb_window_view *view, uint64_t e)
{
  LFB_WINDOW_HAZARD();
  /* acquire: the processor keeps the order of vector loads; the compiler has to keep it, too. */
  LFB_STD atomic_signal_fence(LFB_STD memory_order_acquire);
  /* seq_cst: as above. */
  return LFB_STD atomic_load_explicit(&view->head->cleared, LFB_STD memory_order_seq_cst) <= e;
}

/* The view, with a shape that the compiler knows if `bits` is not 0. */
LFB_INLINE lfb_window_view lfb_window_shaped(const lfb_window_view *view, uint32_t layers_shift,
                                             uint32_t pairs, uint32_t bits)
{
  lfb_window_view shaped = *view;

  if (bits != 0) {
    shaped.layers_shift = layers_shift;
    shaped.pairs = pairs;
    shaped.bits = bits;
  }
  return shaped;
}

/* A key's first block: that of layer 0. */
LFB_INLINE lfb_word *lfb_window_blocks(const lfb_window_view *view, uint64_t hash)
{
  return view->words +
         (lfb_multiply_high(hash, view->blocks) * LFB_PAIR_WORDS * view->pairs
          << view->layers_shift);
}

/* Prefetches all blocks of a hash. */
LFB_INLINE void lfb_window_prefetch(const lfb_window_view *view, uint64_t hash)
{
  const lfb_word *blocks = lfb_window_blocks(view, hash);
  const uint32_t words = LFB_PAIR_WORDS * view->pairs << view->layers_shift;

  LFB_EACH(i, 0, words, LFB_BLOCK_WORDS, lfb_prefetch_read((const void *)(blocks + i)));
}

/* The number, in a key's blocks, of the first word of a generation's layer. */
LFB_INLINE uint64_t lfb_window_layer(const lfb_window_view *view, uint64_t generation)
{
  return (generation & ((UINT64_C(1) << view->layers_shift) - 1)) * LFB_PAIR_WORDS * view->pairs;
}

/* Writes answer i, after those before it. */
LFB_INLINE void lfb_window_answer(uint64_t *answers, size_t i, uint64_t answer)
{
  uint64_t *word = &answers[i / LFB_WORD_BITS];
  *word = (i % LFB_WORD_BITS == 0 ? 0 : *word) | answer << i % LFB_WORD_BITS;
}

/* Pair j of a block. */
#define lfb_window_pair(block, j) ((block) + LFB_PAIR_WORDS * LFB_CAST(size_t, j))

/* A key's bits in each pair of its block. */
typedef struct lfb_window_mask {
  lfb_two pair[LFB_PAIRS_MOST];
} lfb_window_mask;

LFB_INLINE lfb_window_mask lfb_window_mask_of(const lfb_window_view *view, uint64_t hash)
{
  const uint32_t pairs = view->pairs;
  lfb_window_mask mask;

  LFB_EACH(j, 0, pairs, 1, mask.pair[j] = lfb_fast_pair_mask(hash, pairs, view->bits, j));
  return mask;
}

/* Whether a generation's layer has the bits. */
LFB_INLINE bool lfb_window_has_layer(const lfb_window_view *view, const lfb_word *blocks,
                                     const lfb_window_mask *mask, uint64_t generation)
{
  const lfb_word *block = blocks + lfb_window_layer(view, generation);
  const uint32_t pairs = view->pairs;
  uint64_t missing = 0;

  LFB_EACH(j, 0, pairs, 1, {
    const lfb_two now = lfb_pair_get_ordered(lfb_window_pair(block, j));
    missing |= (mask->pair[j].low & ~now.low) | (mask->pair[j].high & ~now.high);
  });
  return missing == 0;
}

/* Whether one of the layers has a hash's bits: they are read from that of generation `first` on. */
LFB_INLINE bool lfb_window_look(const lfb_window_view *view, uint64_t hash, uint64_t first)
{
  const lfb_word *blocks = lfb_window_blocks(view, hash);
  const lfb_window_mask mask = lfb_window_mask_of(view, hash);

  for (uint64_t i = 0; i >> view->layers_shift == 0; i++) {
    if (lfb_window_has_layer(view, blocks, &mask, first + i))
      return true;
    LFB_WINDOW_HAZARD();
  }
  return false;
}

/* Turns on bits in one block.  Returns whether one was off.  All words are read before the first
 * exchange, which would delay the loads after it.  An exchange is repeated only because another
 * thread turned on bits there, or they were cleared. */
LFB_INLINE bool lfb_window_put_block(const lfb_window_view *view, lfb_word *block,
                                     const lfb_window_mask *mask)
{
  const uint32_t pairs = view->pairs;
  lfb_two seen[LFB_PAIRS_MOST];
  uint64_t turned_on = 0;

  /* acquire: if all bits are on, they were read before step 3. */
  LFB_EACH(j, 0, pairs, 1, seen[j] = lfb_pair_get_acquire(lfb_window_pair(block, j)));
  LFB_WINDOW_HAZARD();
  LFB_EACH(j, 0, pairs, 1, { /* ordered: before step 3 */
    const lfb_two turned =
        lfb_pair_set_seen_ordered(lfb_window_pair(block, j), seen[j], mask->pair[j]);
    turned_on |= turned.low | turned.high;
  });
  return turned_on != 0;
}

/* Puts a hash with these bits.  Returns whether this call turned on one of them. */
LFB_INLINE bool lfb_window_put_mask(const lfb_window_view *view, lfb_word *blocks,
                                    const lfb_window_mask *mask)
{
  bool changed = false;

  for (;;) {
    const uint64_t e = lfb_window_now(view); /* step 1 */
    LFB_WINDOW_HAZARD();
    changed |= lfb_window_put_block(view, blocks + lfb_window_layer(view, e), mask); /* step 2 */
    LFB_WINDOW_HAZARD();
    if (lfb_window_now(view) == e) /* step 3 */
      return changed;
  }
}

LFB_EXTERN_C_END

#endif
