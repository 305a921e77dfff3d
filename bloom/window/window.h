/*
 * window.h - a window filter: a ring of layers, and the operations on one key.
 *
 * Layout     Time is cut into generations.  C = G + 1 layers are plain blocked filters of one size,
 *            shape and hash; the layer of generation e is number e mod C, and all layers are live,
 *            always.  Block i of all layers is one after the other: a key's blocks are neighbours,
 *            1 to 8 cache lines in all.  A block has B = 2, 4 or 8 words, and a key has g bits in
 *            each word, the same ones in each layer: probe f of bloom/strategies/fast_view.h is in
 *            word f mod B.
 *
 * Put        1 Read the generation e.  2 Turn on the bits in layer e mod C.  3 Read the generation
 *            again; if it is not e, go to 1.
 * Query      1 Read the generation e.  2 Read the layers from the oldest one, (e + 1) mod C, to the
 *            newest.  3 If none has the key, read the generation again; if it is not e, go to 1.
 * Advance    from e, under the lock: 1 If the generation is not e, stop.  2 Clear layer (e + 1) mod
 *            C, the oldest.  3 Publish e + 1.
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
 * No key is missed   Suppose that a query finds the key in no layer, that e is the generation
 *            before and after it, and that the key is to be found during the whole query.  Then its
 *            last put was in some layer before the query began, or is refreshed meanwhile.  A layer
 *            is cleared during the query only by an advance from e, and it is the oldest.  If the
 *            key was in that layer alone, its time is over once that advance has been called.  If
 *            it was put into the newest layer before that call, the query, which reads the newest
 *            layer after the oldest, finds it there.  (To compare the generation alone would not
 *            do: the layer is cleared before the generation is published.)
 * One winner   Suppose that a claim won, and its put ended in generation w.  A later claim of the
 *            key looks after it has read its cell, so it sees those bits until the layer is
 *            cleared, by an advance from w + G.  If the generation is the one that its first look
 *            began with, no put that the first look missed ended in an older one: its third step,
 *            before that look, would have shown its bits.
 *
 * Ordering   Generations, the exchanges of puts, and the words that a query reads are sequentially
 *            consistent.  Acquire and release would not do: a put writes nothing after its step 3,
 *            so a query that has read a newer generation could miss bits of a put that read the
 *            older one there.
 * Progress   A query or put repeats only because a generation has begun meanwhile; a put's exchange
 *            fails only because another thread turned on a bit of the same words, or they were
 *            cleared: lock-free.  One exception: advance.  It returns LFB_ERROR_WINDOW_HELD while
 *            another one is in progress.
 * Stopped    Puts, queries and claims hold nothing.  A stopped advance holds up later ones while
 *            its process lives: the window remembers for longer, and loses nothing.
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
#include "bloom/window/window_size.h"
#include "bloom/strategies/fast/fast_key.h"

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
  LFB_ATOMIC(uint64_t) generation; /* only grows; alone in its cache line */
  char padding[LFB_CACHE_LINE - sizeof(uint64_t)];
  LFB_ATOMIC(uint64_t) counted; /* by_insertions (window.c) */
  /* When generation e began: number e mod LFB_WINDOW_LIVE, a moment word by word.  Written under
   * the lock, before e is published, and again if the clock was wrong. */
  LFB_ATOMIC(uint64_t) began[LFB_WINDOW_LIVE][LFB_WINDOW_MOMENT_WORDS];
} lfb_window_head;

/* What an operation on a key reads. */
typedef struct lfb_window_view {
  lfb_fast fast;         /* of one layer, with one word in a group (fast_key.h)     */
  uint32_t layers_shift; /* log2 of C                                               */
  bool pairs;            /* two words change at once: the processor has the exchange */
  LFB_ATOMIC(uint64_t) *generation;
} lfb_window_view;

/* The operations for one set of instructions.  Answer i is bit i % 64 of answers[i / 64]; bits
 * after the last answer become 0. */
typedef struct lfb_window_kernel {
  bool (*put)(const lfb_window_view *view, uint64_t hash);
  bool (*might_contain)(const lfb_window_view *view, uint64_t hash);
  /* Whether the layer of this generation has all bits. */
  bool (*layer_has)(const lfb_window_view *view, uint64_t hash, uint64_t generation);
  void (*put_many)(const lfb_window_view *view, const uint64_t *hashes, size_t count,
                   uint64_t *answers);
  /* `prefetches`: prefetches the lines */
  void (*might_contain_many)(const lfb_window_view *view, bool prefetches, const uint64_t *hashes,
                             size_t count, uint64_t *answers);
} lfb_window_kernel;

/* The kernels without vectors, for AVX2 and for AVX-512; the last two only on x86-64
 * (bloom/hashing/simd.h).  Number 0 is for any shape; the others are for those of 1 %, 1e-4 and
 * 1e-6 at the default preference, for G = 3.  Without vectors code for a shape brings less than a
 * twentieth. */
enum { LFB_WINDOW_SHAPES = 4 };
extern const lfb_window_kernel *const lfb_window_kernels[LFB_WINDOW_SHAPES];
extern const lfb_window_kernel *const lfb_window_kernels256[LFB_WINDOW_SHAPES];
extern const lfb_window_kernel *const lfb_window_kernels512[LFB_WINDOW_SHAPES];

/* The number of the kernel for a geometry. */
static inline uint32_t lfb_window_shape(const lfb_window_geometry *geometry)
{
  static const uint32_t bits[] = {0, 4, 3, 2}; /* of a block of 2, 4 and 8 words */
  return geometry->layers_shift == 2 && geometry->bits == bits[geometry->block_shift]
         ? geometry->block_shift
                                                                                      : 0;
}

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

  /* lfb_sections_process() of the thread that advances; 0: none does */
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

/* ---- one key ------------------------------------------------------------------ */

/* The current generation. */
LFB_INLINE uint64_t lfb_window_now(const lfb_window_view *view)
{
  /* seq_cst: all threads see generations, exchanges and reads of words in one order. */
  return LFB_STD atomic_load_explicit(view->generation, LFB_STD memory_order_seq_cst);
}

/* As lfb_any_open() with LFB_OPEN_SHARED, and lfb_any_sync() (window_mapped.c). */
lfb_status lfb_window_open(const char *path, const lfb_read_limits *limits, bool shared,
                           lfb_any *any);
lfb_status lfb_window_sync(lfb_any any);

/* As lfb_window_stats(), without a look at the bits (lfb_any_plan()). */
void lfb_window_plan(const lfb_window *window, lfb_window_figures *figures);

/* The view, with a shape that the compiler knows if `bits` is not 0. */
LFB_INLINE lfb_window_view lfb_window_shaped(const lfb_window_view *view, uint32_t layers_shift,
                                             uint32_t block_shift, uint32_t bits)
{
  lfb_window_view shaped = *view;

  shaped.fast = lfb_fast_shaped(&view->fast, block_shift, 0, bits << block_shift);
  shaped.fast.group_shift = 0; /* also of any shape */
  if (bits != 0)
    shaped.layers_shift = layers_shift;
  return shaped;
}

/* A key's first block: that of layer 0. */
LFB_INLINE lfb_word *lfb_window_blocks(const lfb_window_view *view, uint64_t hash)
{
  const lfb_fast *fast = &view->fast;
  return fast->words +
         (lfb_multiply_high(hash, fast->blocks) << (fast->block_shift + view->layers_shift));
}

/* The number, in a key's blocks, of the first word of a generation's layer. */
LFB_INLINE uint64_t lfb_window_layer(const lfb_window_view *view, uint64_t generation)
{
  return (generation & ((UINT64_C(1) << view->layers_shift) - 1)) << view->fast.block_shift;
}

/* The unit of words that a query reads as number i, from 1 to `last` + 1: the one with the newest
 * layer is last. */
LFB_INLINE uint64_t lfb_window_unit(uint64_t newest, uint64_t i, uint64_t last)
{
  return (newest + i) & last;
}

/* A key's bits in each word of its block. */
typedef struct lfb_window_mask {
  uint64_t word[LFB_BLOCK_WORDS];
} lfb_window_mask;

/* Turns on bits in one block, two words at a time if the processor can.  Returns whether one was
 * off.  All words are read before the first exchange, which would delay the loads after it.  An
 * exchange is repeated only because another thread turned on bits there, or they were cleared. */
LFB_INLINE bool lfb_window_put_block(const lfb_window_view *view, lfb_word *block,
                                     const lfb_window_mask *mask)
{
  const uint32_t words = 1U << view->fast.block_shift;
  uint64_t seen[LFB_BLOCK_WORDS] = {0};
  bool changed = false;

  /* acquire: if all bits are on, they were read before step 3. */
  LFB_EACH(j, 0, words, 1,
           seen[j] = LFB_STD atomic_load_explicit(&block[j], LFB_STD memory_order_acquire));
  LFB_WINDOW_HAZARD();
  if (view->pairs)
    LFB_EACH(j, 0, words, LFB_PAIR_WORDS, {
      const lfb_two was = {seen[j], seen[j + 1]}, bits = {mask->word[j], mask->word[j + 1]};
      const lfb_two turned = lfb_pair_set_seen_by(&block[j], was, bits, lfb_pair_cas_ordered);
      changed |= (turned.low | turned.high) != 0;
    });
  else /* seq_cst: before step 3 */
    LFB_EACH(j, 0, words, 1,
             changed |= lfb_word_set_seen_by(&block[j], seen[j], mask->word[j],
                                             LFB_STD memory_order_seq_cst) != 0);
  return changed;
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
