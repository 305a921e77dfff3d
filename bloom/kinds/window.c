/*
 * window.c - the window filter: creating and freeing it, advancing, its figures, its calls.
 * lfbloom/window.h has the contract, window.h the layout, docs/window.md the proof.
 */
#include "bloom/kinds/window.h"

#include <math.h>
#include <stdlib.h>

#include "atomic/words/reserved.h"
#include "bloom/strategies/fast/fast_size.h"

/* ---- creating and freeing -------------------------------------------------- */

/* The number of keys of a generation when it is full. */
static double window_insertions(const lfb_window_config *config)
{
  const uint64_t n = config->expected_insertions;
  return (n == 0 ? 1 : (double)n) / config->generations;
}

lfb_status lfb_window_describe(const lfb_window_config *config, lfb_description *description,
                               lfb_window_geometry *geometry)
{
  lfb_config plain = {.expected_insertions = config->expected_insertions,
                      .fpp = config->fpp,
                      .strategy = LFB_FAST,
                      .hash = config->hash,
                      .seed = config->seed,
                      .keep_key = config->keep_key,
                      .lazy_memory = config->lazy_memory};

  memcpy(plain.key, config->key, sizeof plain.key);
  if (LFB_RESERVED(config) != LFB_OK)
    return LFB_ERROR_RESERVED;
  if (config->generations != 3 && config->generations != 7)
    return LFB_ERROR_BAD_GENERATIONS;
  const lfb_status status = lfb_description_make(&plain, description);
  if (status != LFB_OK)
    return status;
  *geometry = (lfb_window_geometry){.shift = config->generations == 3 ? 2 : 3,
                                    .words = lfb_pair_runs_here() ? 2 : 1};
  return lfb_window_size(window_insertions(config), config->fpp, geometry);
}

_Static_assert(2 * LFB_WINDOW_SLEEP + LFB_WINDOW_SWEEP + 1 < 1 << LFB_WINDOW_TAG_BITS,
               "a tag does not come again while a thread expects it");

/* The sum at which generation `e` began, as far as it is known, and the generation. */
static uint64_t window_counted(uint64_t sum, uint64_t e)
{
  return sum << LFB_WINDOW_COUNTED_SHIFT | (e & ((1U << LFB_WINDOW_COUNTED_SHIFT) - 1));
}

/* Chooses the functions for the processor. */
static void window_choose(lfb_window *window)
{
  window->kernel = &lfb_window_kernel_any;
  window->queries = &lfb_window_queries_any;
#ifdef LFB_SIMD_X86
  const lfb_simd level = lfb_simd_chosen();
  if (window->view.geometry.words != 2 || level < LFB_SIMD_AVX2)
    return;
  window->queries = &lfb_window_queries256;
  window->kernel = &lfb_window_kernel256;
#ifdef LFB_SIMD_X86_512
  if (level >= LFB_SIMD_AVX512)
    window->queries = &lfb_window_queries512;
#endif
#endif
}

/* Sets the generation, and no mark: no thread has been inside.  relaxed: the caller publishes the window
 * to other threads. */
static void window_begin(lfb_window *window, uint64_t generation)
{
  atomic_store_explicit(&window->generation, generation, memory_order_relaxed);
  for (uint64_t i = 0; i < LFB_WINDOW_MARKS; i++) /* a mark of no cycle of number i */
    atomic_store_explicit(&window->marks[i], (i + 1) << 32, memory_order_relaxed);
  atomic_store_explicit(&window->counted, window_counted(0, generation), memory_order_relaxed);
}

lfb_status lfb_window_make(const lfb_description *description, const lfb_window_config *config,
                           const lfb_window_geometry *geometry, const lfb_pages *pages,
                           uint64_t generation, lfb_window **window)
{
  lfb_window *made = aligned_alloc(LFB_CACHE_LINE, sizeof *made);
  if (made == NULL)
    return LFB_ERROR_NO_MEMORY;
  *made = (lfb_window){
      .view = {pages->address, *geometry, lfb_window_shape(geometry), &made->generation},
      .fits = (uint32_t)(lfb_simd_cache_size() / lfb_window_bytes(geometry)),
      .hashing = {&made->hasher, description->strategy},
      .pages = *pages,
      .description = *description,
      .config = *config,
  };
  const lfb_status status = lfb_stripes_init(&made->inserted);
  if (status != LFB_OK) {
    free(made);
    return status;
  }
  lfb_hasher_init(&made->hasher, &description->hash, lfb_simd_chosen());
  window_choose(made);
  window_begin(made, generation);
  *window = made;
  return LFB_OK;
}

lfb_status lfb_window_create(const lfb_window_config *config, lfb_window **window)
{
  lfb_window_config chosen = *config;
  lfb_description description;
  lfb_window_geometry geometry;
  lfb_pages pages;

  chosen.generations = config->generations == 0 ? 3 : config->generations;
  lfb_status status = lfb_window_describe(&chosen, &description, &geometry);
  if (status == LFB_OK)
    status = lfb_pages_init(&pages, lfb_window_bytes(&geometry), !config->lazy_memory);
  if (status != LFB_OK)
    return status;
  /* Generation C: all generations before it exist in the arithmetic, and are empty. */
  status = lfb_window_make(&description, &chosen, &geometry, &pages, lfb_window_cells(&geometry), window);
  if (status != LFB_OK)
    lfb_pages_free(&pages);
  return status;
}

void lfb_window_free(lfb_window *window)
{
  if (window == NULL)
    return;
  lfb_window_stop_clock(window);
  lfb_stripes_free(&window->inserted);
  lfb_pages_free(&window->pages);
  free(window);
}

/* ---- advancing --------------------------------------------------------------- */

uint64_t lfb_window_generation(const lfb_window *window)
{
  return lfb_window_now(&window->view);
}

/* Empties a cell, unless it is live in generation `e` or empty.  Returns false if `e` is over. */
static bool window_empty(const lfb_window_view *view, lfb_word *cell, uint64_t e, uint64_t tag)
{
  lfb_two seen = lfb_window_read_cell(view, cell);

  while ((seen.low | (seen.high & ~LFB_WINDOW_TAG_MASK)) != 0 &&
         ((seen.high ^ tag) & LFB_WINDOW_TAG_MASK) != 0) {
    LFB_WINDOW_HAZARD();
    if (lfb_window_now(view) != e)
      return false; /* the content can be that of a newer generation */
    if (lfb_window_exchange(view, cell, &seen, (lfb_two){0, 0}))
      break;
  }
  return true;
}

/* Empties the expired cells of the part of generation `e`: every caller the whole part, so that
 * none waits for another. */
static void window_sweep(const lfb_window_view *view, uint64_t e)
{
  const lfb_window_geometry *geometry = &view->geometry;
  const uint64_t parts = (uint64_t)LFB_WINDOW_SWEEP * lfb_window_cells(geometry), part = e % parts;
  const uint64_t share = geometry->blocks / parts, rest = geometry->blocks % parts;
  const uint64_t first = share * part + (part < rest ? part : rest);
  const uint64_t last = first + share + (part < rest ? 1 : 0);

  for (uint64_t block = first; block < last; block++)
    for (uint32_t i = 0; i < lfb_window_cells(geometry); i++)
      if (!window_empty(view, view->words + (block * lfb_window_cells(geometry) + i) * geometry->words, e,
                        lfb_window_tag(geometry, lfb_window_live(geometry, e, i))))
        return;
}

_Static_assert(LFB_WINDOW_MARKS > LFB_WINDOW_SLEEP, "a mark is kept until it is asked for");

/* Notes the sections' value in a cycle that has begun, unless that is done.  A section of an earlier cycle
 * was in progress when the value was read, or had been left.  The caller is in a section that began in this
 * cycle or before: so no advance gets so far that the mark of a later cycle is replaced. */
static void window_mark(lfb_window *window, uint64_t cycle)
{
  LFB_ATOMIC(uint64_t) *mark = &window->marks[cycle % LFB_WINDOW_MARKS];
  /* relaxed, both: the caller has read a generation of the cycle before, and a mark of any thread says the
   * same.  If the exchange fails, another thread has noted a value. */
  uint64_t seen = atomic_load_explicit(mark, memory_order_relaxed);

  if (seen >> 32 != (uint32_t)cycle)
    (void)lfb_cas_u64(mark, &seen, cycle << 32 | lfb_section_value(), memory_order_relaxed);
}

/* Whether all sections that began before a cycle have been left. */
static bool window_has_left(const lfb_window *window, uint64_t cycle)
{
  /* relaxed: as in window_mark(). */
  const uint64_t mark =
      atomic_load_explicit(&window->marks[cycle % LFB_WINDOW_MARKS], memory_order_relaxed);

  /* A cycle without a mark was over before the window was made. */
  return mark >> 32 != (uint32_t)cycle || lfb_section_value() - (uint32_t)mark >= 2;
}

/* Whether a generation may begin: no section is in progress that began more than LFB_WINDOW_SLEEP cycles
 * before its cycle. */
static bool window_may_begin(const lfb_window *window, uint64_t generation)
{
  const uint64_t cycle = generation >> window->view.geometry.shift;

  return generation <= LFB_WINDOW_LAST &&
         (cycle < LFB_WINDOW_SLEEP || window_has_left(window, cycle - LFB_WINDOW_SLEEP));
}

lfb_status lfb_window_advance(lfb_window *window, uint64_t from)
{
  const lfb_window_view *view = &window->view;
  lfb_section *section = lfb_section_enter();
  uint64_t current = lfb_window_now(view);

  if (current == from) {
    window_mark(window, from >> view->geometry.shift);
    window_sweep(view, from);
  }
  lfb_section_leave(section);
  if (current != from)
    return LFB_ERROR_WRONG_GENERATION;
  /* Two steps: a section that begins after this call in the same cycle is then none that the cycle's mark
   * waits for. */
  lfb_section_step();
  lfb_section_step();
  LFB_WINDOW_HAZARD();
  if (!window_may_begin(window, from + 1))
    return LFB_ERROR_WINDOW_HELD;
  /* seq_cst: see lfb_window_now(). */
  return atomic_compare_exchange_strong_explicit(&window->generation, &current, from + 1,
                                                 memory_order_seq_cst, memory_order_relaxed)
             ? LFB_OK
             : LFB_ERROR_WRONG_GENERATION;
}

/* Begins the next generation if the current one has its share of insertions.  The first sum in a
 * generation begins its count, so that no generation is too short: that of the thread which began the
 * generation, if no other is faster. */
static void window_advance_if_due(lfb_window *window, uint64_t each)
{
  /* relaxed, all: the sum of another thread is as good, and the advance decides. */
  uint64_t began = atomic_load_explicit(&window->counted, memory_order_relaxed);
  uint64_t e = lfb_window_generation(window);
  uint64_t now = window_counted(lfb_stripes_sum(&window->inserted), e);

  if (((now ^ began) & window_counted(0, UINT64_MAX)) == 0) {
    if ((now - began) >> LFB_WINDOW_COUNTED_SHIFT < each || lfb_window_advance(window, e) != LFB_OK)
      return;
    now = window_counted(lfb_stripes_sum(&window->inserted), e + 1);
  }
  (void)lfb_cas_u64(&window->counted, &began, now, memory_order_relaxed);
}

/* A sum of the stripes reads some 70 cache lines: a thread sums 64 times per generation. */
static uint64_t window_step(uint64_t each)
{
  return each / 64 + 1;
}

/* The keys of a generation when it is full. */
static uint64_t window_each(const lfb_window *window)
{
  return (uint64_t)ceil(window_insertions(&window->config));
}

void lfb_window_inserted(lfb_window *window, uint64_t count)
{
  const uint64_t each = window_each(window), step = window_step(each);
  const uint64_t before = lfb_stripes_add_told(&window->inserted, count);

  if (before / step != (before + count) / step)
    window_advance_if_due(window, each);
}

/* ---- figures ------------------------------------------------------------------- */

static void window_plan(const lfb_description *description, const lfb_window_geometry *geometry,
                        lfb_window_figures *figures)
{
  *figures = (lfb_window_figures){
      .expected_insertions = description->config.expected_insertions,
      .fpp = description->config.fpp,
      .generations = lfb_window_cells(geometry) - 1,
      .probes = geometry->words * geometry->bits,
      .hash = lfb_hash_id_of(&description->hash),
      .key_kept = lfb_description_writes_key(description),
      .generation = lfb_window_cells(geometry),
      .bytes = lfb_window_bytes(geometry),
      .bit_count = lfb_window_generation_bits(geometry),
  };
}

lfb_status lfb_window_config_plan(const lfb_window_config *config, lfb_window_figures *figures)
{
  lfb_window_config chosen = *config;
  lfb_description description;
  lfb_window_geometry geometry;

  chosen.generations = config->generations == 0 ? 3 : config->generations;
  const lfb_status status = lfb_window_describe(&chosen, &description, &geometry);
  if (status == LFB_OK)
    window_plan(&description, &geometry, figures);
  return status;
}

/* Adds the bits of each live cell to its generation's figures. */
static void window_count_bits(const lfb_window_view *view, lfb_window_figures *figures)
{
  const lfb_window_geometry *geometry = &view->geometry;
  const uint64_t e = figures->generation;

  for (uint64_t block = 0; block < geometry->blocks; block++)
    for (uint32_t i = 0; i < lfb_window_cells(geometry); i++) {
      const uint64_t live = lfb_window_live(geometry, e, i), tag = lfb_window_tag(geometry, live);
      const lfb_two seen = lfb_window_read_cell(
          view, view->words + (block * lfb_window_cells(geometry) + i) * geometry->words);
      if (((seen.high ^ tag) & LFB_WINDOW_TAG_MASK) == 0)
        figures->live[e - live].bits_set +=
            lfb_word_count(seen.low) + lfb_word_count(seen.high & ~LFB_WINDOW_TAG_MASK);
    }
}

void lfb_window_stats(const lfb_window *window, lfb_window_figures *figures)
{
  const lfb_window_geometry *geometry = &window->view.geometry;
  double none = 1; /* the probability that no generation answers "maybe" */

  window_plan(&window->description, geometry, figures);
  figures->generation = lfb_window_generation(window);
  window_count_bits(&window->view, figures);
  for (uint32_t i = 0; i < lfb_window_cells(geometry); i++) {
    lfb_window_generation_figures *live = &figures->live[i];
    const bool full = live->bits_set >= figures->bit_count;
    const double keys = full ? INFINITY : lfb_window_count(geometry, live->bits_set);
    live->approximate_count = full ? UINT64_MAX : (uint64_t)round(keys);
    none *= 1 - lfb_window_cell_fpp(geometry, keys);
  }
  figures->expected_fpp = 1 - none;
}

/* ---- the calls ----------------------------------------------------------------- */

typedef bool (*window_one)(const lfb_window_view *view, uint64_t hash);

/* Puts or claims one hash, in a section. */
LFB_INLINE bool window_change(lfb_window *window, window_one one, uint64_t hash)
{
  lfb_section *section = lfb_section_enter();
  const bool changed = one(&window->view, hash);

  lfb_section_leave(section);
  if (window->config.by_insertions && changed)
    lfb_window_inserted(window, 1);
  return changed;
}

bool lfb_window_put(lfb_window *window, const void *bytes, size_t size)
{
  return window_change(window, window->kernel->put,
                       lfb_hasher_bytes(&window->hasher, bytes, size).low);
}

bool lfb_window_put_u64(lfb_window *window, uint64_t key)
{
  return window_change(window, window->kernel->put, lfb_hasher_u64(&window->hasher, key).low);
}

bool lfb_window_put_hash(lfb_window *window, uint64_t hash)
{
  return window_change(window, window->kernel->put, hash);
}

bool lfb_window_claim(lfb_window *window, const void *bytes, size_t size)
{
  return window_change(window, window->kernel->claim,
                       lfb_hasher_bytes(&window->hasher, bytes, size).low);
}

bool lfb_window_claim_u64(lfb_window *window, uint64_t key)
{
  return window_change(window, window->kernel->claim, lfb_hasher_u64(&window->hasher, key).low);
}

bool lfb_window_claim_hash(lfb_window *window, uint64_t hash)
{
  return window_change(window, window->kernel->claim, hash);
}

bool lfb_window_might_contain(const lfb_window *window, const void *bytes, size_t size)
{
  return window->queries->might_contain(&window->view,
                                        lfb_hasher_bytes(&window->hasher, bytes, size).low);
}

bool lfb_window_might_contain_u64(const lfb_window *window, uint64_t key)
{
  return window->queries->might_contain(&window->view, lfb_hasher_u64(&window->hasher, key).low);
}

bool lfb_window_might_contain_hash(const lfb_window *window, uint64_t hash)
{
  return window->queries->might_contain(&window->view, hash);
}

/* ---- many keys ------------------------------------------------------------------- */

enum { WINDOW_KEYS = 4096 }; /* per section, and per call of a kernel: 512 bytes of answers */

typedef enum window_verb { WINDOW_PUT,
                           WINDOW_CLAIM,
                           WINDOW_MIGHT_CONTAIN } window_verb;

/* The context of an operation on a piece. */
typedef struct window_many {
  lfb_window *window;
  window_verb verb;
  uint64_t *answers; /* NULL: not wanted */
} window_many;

/* Acts on at most WINDOW_KEYS hashes. */
static void window_act(lfb_window *window, window_verb verb, const uint64_t *hashes, size_t count,
                       uint64_t *answers)
{
  if (verb == WINDOW_MIGHT_CONTAIN) {
    window->queries->might_contain_many(&window->view, window->fits < LFB_LINES_NEAR, hashes,
                                        count, answers);
    return;
  }
  lfb_section *section = lfb_section_enter();
  (verb == WINDOW_PUT ? window->kernel->put_many : window->kernel->claim_many)(
      &window->view, hashes, count, answers);
  lfb_section_leave(section);
}

/* How many hashes to act on at once: a power of two.  A window that counts insertions looks after each
 * step whether its generation is full. */
static size_t window_at_once(const window_many *many)
{
  size_t keys = WINDOW_KEYS;

  if (many->verb != WINDOW_MIGHT_CONTAIN && many->window->config.by_insertions)
    while (keys > window_step(window_each(many->window)))
      keys /= 2;
  return keys;
}

/* Writes the answers for `count` keys, from key `at` on: whole words, or a part of one word. */
static void window_answer(uint64_t *answers, size_t at, const uint64_t *room, size_t count)
{
  uint64_t *into = answers + at / LFB_WORD_BITS;
  const size_t shift = at % LFB_WORD_BITS;

  if (shift == 0)
    memcpy(into, room, (count + LFB_WORD_BITS - 1) / LFB_WORD_BITS * sizeof *room);
  else
    *into |= room[0] << shift;
}

static size_t window_act_piece(const void *context, const uint64_t *low, const uint64_t *high,
                               size_t first, size_t count)
{
  const window_many *many = context;
  const size_t at_once = window_at_once(many);
  uint64_t room[WINDOW_KEYS / LFB_WORD_BITS];
  size_t yes = 0;

  (void)high;
  for (size_t at = 0; at < count; at += at_once) {
    const size_t left = count - at, keys = left < at_once ? left : at_once;
    window_act(many->window, many->verb, low + at, keys, room);
    const size_t true_ones = lfb_piece_yes(room, keys);
    if (many->verb != WINDOW_MIGHT_CONTAIN && many->window->config.by_insertions && true_ones > 0)
      lfb_window_inserted(many->window, true_ones);
    if (many->answers != NULL)
      window_answer(many->answers, first + at, room, keys);
    yes += true_ones;
  }
  return yes;
}

LFB_INLINE size_t window_pieces(const lfb_window *window, window_verb verb, const void *keys,
                                size_t count, uint64_t *answers, lfb_piece_hash hash_of)
{
  const window_many many = {(lfb_window *)window, verb, answers}; /* a query changes nothing */
  return lfb_pieces(&window->hashing, keys, count, hash_of, window_act_piece, &many);
}

size_t lfb_window_put_many(lfb_window *window, const lfb_key *keys, size_t count, uint64_t *answers)
{
  return window_pieces(window, WINDOW_PUT, keys, count, answers, lfb_piece_bytes);
}

size_t lfb_window_put_many_u64(lfb_window *window, const uint64_t *keys, size_t count, uint64_t *answers)
{
  return window_pieces(window, WINDOW_PUT, keys, count, answers, lfb_piece_u64);
}

size_t lfb_window_put_many_hash(lfb_window *window, const uint64_t *hashes, size_t count, uint64_t *answers)
{
  return window_pieces(window, WINDOW_PUT, hashes, count, answers, lfb_piece_given);
}

size_t lfb_window_claim_many(lfb_window *window, const lfb_key *keys, size_t count, uint64_t *answers)
{
  return window_pieces(window, WINDOW_CLAIM, keys, count, answers, lfb_piece_bytes);
}

size_t lfb_window_claim_many_u64(lfb_window *window, const uint64_t *keys, size_t count, uint64_t *answers)
{
  return window_pieces(window, WINDOW_CLAIM, keys, count, answers, lfb_piece_u64);
}

size_t lfb_window_claim_many_hash(lfb_window *window, const uint64_t *hashes, size_t count, uint64_t *answers)
{
  return window_pieces(window, WINDOW_CLAIM, hashes, count, answers, lfb_piece_given);
}

size_t lfb_window_might_contain_many(const lfb_window *window, const lfb_key *keys, size_t count, uint64_t *answers)
{
  return window_pieces(window, WINDOW_MIGHT_CONTAIN, keys, count, answers, lfb_piece_bytes);
}

size_t lfb_window_might_contain_many_u64(const lfb_window *window, const uint64_t *keys, size_t count, uint64_t *answers)
{
  return window_pieces(window, WINDOW_MIGHT_CONTAIN, keys, count, answers, lfb_piece_u64);
}

size_t lfb_window_might_contain_many_hash(const lfb_window *window, const uint64_t *hashes, size_t count, uint64_t *answers)
{
  return window_pieces(window, WINDOW_MIGHT_CONTAIN, hashes, count, answers, lfb_piece_given);
}
